"""Reads a transaction request: the fields first, then what they mean together. No node is asked."""

import re

from baton.chains import fields
from baton.chains.evm.ask import Ask
from baton.chains.evm.wire import AccessList, Authorization
from baton.chains.fields import I64_MAX, U64_MAX, U128_MAX, found
from baton.domain.errors import Invalid
from baton.domain.json import Json
from baton.domain.policy import Speed

U256_MAX = 2**256 - 1
HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0  # EIP-2: a larger s is refused on chain

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_WORD = re.compile(r"0x[0-9a-fA-F]{64}")
_HEX = re.compile(r"0x[0-9a-fA-F]*")

ADDRESS_FORM = "0x and 40 hex digits"
DATA_FORM = "0x and an even number of hex digits"
ONE_PRICING = "one kind of pricing: gas_price, or speed, or max_fee_per_gas with max_priority_fee_per_gas"


def read(body: Json, chain_id: int | None) -> Ask:
    """Raises `Invalid` for the first field that is not as it must be."""
    obj = fields.as_object(body)
    value = fields.required(obj, "value", "an integer from 0 to 2^128-1 (a decimal or 0x string too)")
    speed = fields.choice(obj, "speed", Speed)
    ask = Ask(
        value=fields.number(value, "value", 0, U128_MAX, text_allowed=True, hex_allowed=True),
        to=_address(obj, "to"),
        data=_data(obj),
        gas_limit=fields.integer(obj, "gas_limit", 0, I64_MAX),
        gas_price=_price(obj, "gas_price"),
        max_fee_per_gas=_price(obj, "max_fee_per_gas"),
        max_priority_fee_per_gas=_price(obj, "max_priority_fee_per_gas"),
        speed=None if speed is None else Speed(speed),
        access_list=_access_list(obj),
        authorizations=_authorizations(obj, chain_id),
    )
    _check_pricing(ask)
    _check_purpose(ask)
    if ask.gas_limit is not None and ask.gas_limit < (least := ask.intrinsic_gas):
        raise Invalid("gas_limit", str(ask.gas_limit), f"at least {least}, the intrinsic gas of this transaction")
    return ask


def _price(obj: dict[str, Json], key: str) -> int | None:
    return fields.integer(obj, key, 0, U128_MAX, text_allowed=True)


def _address(obj: dict[str, Json], key: str, at: str = "") -> str | None:
    value = fields.text(obj, key, at=at, expected=ADDRESS_FORM)
    if value is not None and not _ADDRESS.fullmatch(value):
        raise Invalid(fields.path_of(at, key), found(value), ADDRESS_FORM)
    return value


def _data(obj: dict[str, Json]) -> str | None:
    value = fields.text(obj, "data", expected=DATA_FORM)
    if value is not None and (len(value) % 2 or not _HEX.fullmatch(value)):
        raise Invalid("data", found(value), DATA_FORM)
    return value


def _check_pricing(ask: Ask) -> None:
    max_fee, priority = ask.max_fee_per_gas, ask.max_priority_fee_per_gas
    kinds = {
        "gas_price": ask.gas_price is not None,
        "speed": ask.speed is not None,
        "max_fee_per_gas" if max_fee is not None else "max_priority_fee_per_gas": (max_fee, priority) != (None, None),
    }
    given = [name for name, is_given in kinds.items() if is_given]
    if len(given) > 1:
        raise Invalid(given[0], " and ".join(given), ONE_PRICING)
    if max_fee is not None and priority is not None and priority > max_fee:
        raise Invalid("max_priority_fee_per_gas", str(priority), f"at most max_fee_per_gas, {max_fee}")


def _check_purpose(ask: Ask) -> None:
    """What would lose money or could never be sent."""
    if ask.to is None and not ask.data_bytes and ask.value > 0:
        raise Invalid("to", "neither to nor data, with a value", "a receiver, or the code of a contract to create")
    if not ask.authorizations:
        return
    if ask.to is None:
        raise Invalid("to", "nothing", f"{ADDRESS_FORM}: with an authorization_list no contract can be created")
    if ask.gas_price is not None:
        raise Invalid("gas_price", str(ask.gas_price), "speed or max_fee_per_gas, when there is an authorization_list")


def _access_list(obj: dict[str, Json]) -> AccessList:
    entries = fields.array(obj, "access_list") or []
    return tuple(_access_entry(entry, f"access_list[{index}]") for index, entry in enumerate(entries))


def _access_entry(item: Json, at: str) -> tuple[bytes, tuple[bytes, ...]]:
    entry = fields.as_object(item, at)
    key = _spelling(entry, "storage_keys", "storageKeys")
    keys = fields.array(entry, key, at=at) or []
    for index, word in enumerate(keys):
        if not isinstance(word, str) or not _WORD.fullmatch(word):
            raise Invalid(f"{at}.{key}[{index}]", found(word), "0x and 64 hex digits")
    return _needed_address(entry, at), tuple(bytes.fromhex(word[2:]) for word in keys)


def _authorizations(obj: dict[str, Json], chain_id: int | None) -> tuple[Authorization, ...]:
    entries = fields.array(obj, "authorization_list") or []
    return tuple(_authorization(entry, f"authorization_list[{index}]", chain_id) for index, entry in enumerate(entries))


def _authorization(item: Json, at: str, chain_id: int | None) -> Authorization:
    entry = fields.as_object(item, at)

    def needed(key: str, other: str, hi: int) -> int:
        spelled = _spelling(entry, key, other)
        value = fields.required(entry, spelled, "an integer (a decimal or 0x string too)", at=at)
        return fields.number(value, f"{at}.{spelled}", 0, hi, text_allowed=True, hex_allowed=True)

    chain = needed("chain_id", "chainId", U256_MAX)
    if chain_id is not None and chain not in (0, chain_id):
        raise Invalid(f"{at}.chain_id", str(chain), f"0 or {chain_id}: the chain skips any other")
    return Authorization(
        chain_id=chain,
        address=_needed_address(entry, at),
        nonce=needed("nonce", "nonce", U64_MAX - 1),
        y_parity=needed("y_parity", "yParity", 1),
        r=needed("r", "r", U256_MAX),
        s=needed("s", "s", HALF_ORDER),
    )


def _needed_address(entry: dict[str, Json], at: str) -> bytes:
    fields.required(entry, "address", ADDRESS_FORM, at=at)
    address = _address(entry, "address", at)
    return bytes.fromhex((address or "0x")[2:])


def _spelling(entry: dict[str, Json], ours: str, theirs: str) -> str:
    """The nested objects come from signing libraries, which spell in camel case: both are taken."""
    return theirs if ours not in entry and theirs in entry else ours
