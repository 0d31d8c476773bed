"""Operations of group C: for each type its fields, then the rules between fields.

Names follow the protocol in snake_case; amounts are stroops. What is read here can be built by `build.py`.
"""

from collections.abc import Callable
from decimal import Decimal

from stellar_sdk import Price, StrKey

from baton.chains.fields import I64_MAX, as_object, choice, found
from baton.chains.octets import base64_bytes, base64_text
from baton.chains.stellar import soroban
from baton.chains.stellar.asset import asset, credit
from baton.chains.stellar.predicate import predicate
from baton.chains.stellar.shapes import Shape, ascii_text, int64_text, listed, may, must, shaped, whole
from baton.chains.stellar.wire import account, muxed, read_or_refuse, signer_key
from baton.domain.errors import Invalid
from baton.domain.json import Json

I32_MAX = 2**31 - 1
LONGEST_PATH = 5
MOST_CLAIMANTS = 10
ACCOUNT_FLAGS = 15  # required, revocable, immutable, clawback enabled
TRUST_FLAGS = 7  # authorized, authorized to maintain liabilities, clawback enabled
BALANCE_ID_DIGITS = 72


def _data_value(value: Json, path: str) -> str:
    return base64_text(base64_bytes(value, path, 64))


def _signer(value: Json, path: str) -> Json:
    return shaped(value, path, {"key": must(signer_key), "weight": must(whole(0, 255))})


def _claimant(value: Json, path: str) -> Json:
    unconditional = {"type": "unconditional"}
    return shaped(value, path, {"destination": must(account), "predicate": may(predicate, unconditional)})


def _price(value: Json, path: str) -> Json:
    """A fraction, or decimal text that becomes the nearest one with 32-bit parts."""
    if isinstance(value, dict):
        return shaped(value, path, {"n": must(whole(1, I32_MAX)), "d": must(whole(1, I32_MAX))})
    expected = 'a price: {"n", "d"} or decimal text such as "1.25"'
    if not isinstance(value, str) or len(value) > 40 or not _is_decimal(value):  # noqa: PLR2004 - no price is longer
        raise Invalid(path, found(value), expected)
    price = read_or_refuse(lambda: Price.from_raw_price(Decimal(value)), path, expected)
    if not (1 <= price.n <= I32_MAX and 1 <= price.d <= I32_MAX):
        raise Invalid(path, found(value), expected)
    return {"n": price.n, "d": price.d}


def _is_decimal(text: str) -> bool:
    head, _, tail = text.partition(".")
    return text.isascii() and head.isdigit() and (tail.isdigit() or "." not in text)


def _balance_id(value: Json, path: str) -> str:
    """72 hex digits, or the same as a strkey (B…)."""
    if isinstance(value, str) and StrKey.is_valid_claimable_balance(value):
        value = "000000" + StrKey.decode_claimable_balance(value).hex()
    is_fit = isinstance(value, str) and len(value) == BALANCE_ID_DIGITS and value.startswith("00000000")
    if not is_fit or not set(value) <= set("0123456789abcdefABCDEF"):
        raise Invalid(path, found(value), "a claimable balance id: 72 hex digits that begin with 00000000, or B…")
    return str(value).lower()


_OFFER: Shape = {
    "selling": must(asset),
    "buying": must(asset),
    "price": must(_price),
    "offer_id": may(int64_text(0), "0"),
}
_ASSETS = may(listed(asset, 0, LONGEST_PATH), [])

SHAPES: dict[str, Shape] = {
    "payment": {"destination": must(muxed), "asset": must(asset), "amount": must(int64_text(1))},
    "create_account": {"destination": must(account), "starting_balance": must(int64_text(0))},
    "change_trust": {"asset": must(credit), "limit": may(int64_text(0), str(I64_MAX))},
    "manage_data": {"name": must(ascii_text(64, 1)), "value": may(_data_value)},
    "set_options": {
        "inflation_dest": may(account),
        "clear_flags": may(whole(0, ACCOUNT_FLAGS)),
        "set_flags": may(whole(0, ACCOUNT_FLAGS)),
        "master_weight": may(whole(0, 255)),
        "low_threshold": may(whole(0, 255)),
        "med_threshold": may(whole(0, 255)),
        "high_threshold": may(whole(0, 255)),
        "signer": may(_signer),
        "home_domain": may(ascii_text(32)),
    },
    "account_merge": {"destination": must(muxed)},
    "bump_sequence": {"bump_to": must(int64_text(0))},
    "path_payment_strict_send": {
        "send_asset": must(asset),
        "send_amount": must(int64_text(1)),
        "destination": must(muxed),
        "dest_asset": must(asset),
        "dest_min": must(int64_text(1)),
        "path": _ASSETS,
    },
    "path_payment_strict_receive": {
        "send_asset": must(asset),
        "send_max": must(int64_text(1)),
        "destination": must(muxed),
        "dest_asset": must(asset),
        "dest_amount": must(int64_text(1)),
        "path": _ASSETS,
    },
    "manage_sell_offer": {**_OFFER, "amount": must(int64_text(0))},
    "manage_buy_offer": {**_OFFER, "buy_amount": must(int64_text(0))},
    "create_claimable_balance": {
        "asset": must(asset),
        "amount": must(int64_text(1)),
        "claimants": must(listed(_claimant, 1, MOST_CLAIMANTS)),
    },
    "claim_claimable_balance": {"balance_id": must(_balance_id)},
    "clawback": {"asset": must(credit), "from": must(muxed), "amount": must(int64_text(1))},
    "set_trust_line_flags": {
        "trustor": must(account),
        "asset": must(credit),
        "set_flags": may(whole(0, TRUST_FLAGS)),
        "clear_flags": may(whole(0, TRUST_FLAGS)),
    },
    "begin_sponsoring_future_reserves": {"sponsored_id": must(account)},
    "end_sponsoring_future_reserves": {},
    **soroban.SHAPES,
}


def operation(value: Json, path: str) -> Json:
    """One operation in canonical form: its type, its fields, and `source_account` if it has one of its own."""
    spec = as_object(value, path)
    kind = choice(spec, "type", SHAPES, at=path)
    if kind is None:
        raise Invalid(f"{path}.type", "nothing", "one of " + ", ".join(SHAPES))
    fields = shaped(spec, path, {**SHAPES[kind], "source_account": may(muxed)})
    if kind in _RULES:
        _RULES[kind](fields, path)
    return {"type": kind, **fields}


def _different_assets(fields: dict[str, Json], path: str) -> None:
    if fields["selling"] == fields["buying"]:
        raise Invalid(f"{path}.buying", "the asset that is sold", "another asset")
    key = "amount" if "amount" in fields else "buy_amount"
    if fields[key] == "0" and fields["offer_id"] == "0":
        raise Invalid(f"{path}.{key}", "0", "more than 0 for a new offer (0 deletes the offer named by offer_id)")


def _apart_flags(fields: dict[str, Json], path: str) -> None:
    both = fields.get("set_flags", 0) & fields.get("clear_flags", 0)
    if both:
        raise Invalid(f"{path}.clear_flags", f"{both} set and cleared at once", "flags that set_flags does not name")


def _trust_flags(fields: dict[str, Json], path: str) -> None:
    _apart_flags(fields, path)
    if fields.get("set_flags", 0) not in (0, 1, 2):
        expected = "0, 1 (authorized) or 2 (authorized to maintain liabilities)"
        raise Invalid(f"{path}.set_flags", str(fields["set_flags"]), expected)


def _claimants_once(fields: dict[str, Json], path: str) -> None:
    destinations = [each["destination"] for each in fields["claimants"]]
    if len(set(destinations)) != len(destinations):
        raise Invalid(f"{path}.claimants", "a destination twice", "each destination once")


_RULES: dict[str, Callable[[dict[str, Json], str], None]] = {
    "manage_sell_offer": _different_assets,
    "manage_buy_offer": _different_assets,
    "set_options": _apart_flags,
    "set_trust_line_flags": _trust_flags,
    "create_claimable_balance": _claimants_once,
}
