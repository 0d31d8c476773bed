"""Group C: a Stellar request is a list of operations or one prebuilt transaction, read into its canonical form.

Content as it is stored:
    {"network": text, "source_account": G… | M…, "operations": [...] | null, "transaction_xdr": base64 | null,
     "memo": {...} | null, "fee_bump": bool, "max_fee": stroops}
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import stellar_sdk as sdk

from baton.chains import fields
from baton.chains.base import Draft
from baton.chains.stellar import build
from baton.chains.stellar import policy as policies
from baton.chains.stellar.memo import memo
from baton.chains.stellar.network import check_network
from baton.chains.stellar.operations import operation
from baton.chains.stellar.outline import Deed, deed
from baton.chains.stellar.prebuilt import check_bump_fee, check_source, check_stranger, prebuilt
from baton.chains.stellar.wire import LARGEST_ENVELOPE, muxed, read_or_refuse
from baton.domain.errors import Bug, Invalid
from baton.domain.json import Json
from baton.domain.network import Network
from baton.domain.policy import StellarPolicy
from baton.domain.relayer import Relayer

MOST_OPERATIONS = 100
DEFAULT_MAX_FEE = 1_000_000


@dataclass(frozen=True, slots=True)
class Wish:
    """The fields that both ways of asking share."""

    network: str
    source: str | None
    memo: Json
    is_bump: bool
    max_fee: int
    valid_until: datetime | None


def parse(body: Json, relayer: Relayer, network: Network, now: datetime) -> Draft:
    if not isinstance(relayer.policy, StellarPolicy):
        raise Bug(f"relayer {relayer.id!r} has no Stellar policy")
    given = fields.as_object(body)
    wish = _wish(given, network, now)
    specs = fields.array(given, "operations")
    text = fields.text(given, "transaction_xdr", expected="a base64 string")
    if (specs is None) == (text is None):
        what = "nothing" if specs is None else "transaction_xdr beside it"
        raise Invalid("operations", what, "either operations or transaction_xdr")
    if specs is not None:
        return _from_operations(specs, wish, relayer.address, relayer.policy)
    return _from_xdr(str(text), wish, relayer, network.passphrase or "", now)


def _wish(given: dict[str, Json], network: Network, now: datetime) -> Wish:
    name = check_network(given, network)
    source, note = given.get("source_account"), given.get("memo")
    max_fee = fields.integer(given, "max_fee", 1, fields.I64_MAX)
    return Wish(
        network=name,
        source=None if source is None else muxed(source, "source_account"),
        memo=None if note is None else memo(note, "memo"),
        is_bump=fields.flag(given, "fee_bump") or False,
        max_fee=DEFAULT_MAX_FEE if max_fee is None else max_fee,
        valid_until=fields.moment(given, "valid_until", now),
    )


def _from_operations(specs: list[Json], wish: Wish, relayer_address: str, policy: StellarPolicy) -> Draft:
    if wish.is_bump:
        raise Invalid("fee_bump", "true with operations", "a transaction_xdr that is signed")
    if not 1 <= len(specs) <= MOST_OPERATIONS:
        raise Invalid("operations", f"{len(specs)} operations", f"1 to {MOST_OPERATIONS} operations")
    canonical = [operation(spec, f"operations[{i}]") for i, spec in enumerate(specs)]
    deeds = _built(canonical)
    _soroban_alone(deeds, "operations", has_memo=_is_memo(wish.memo))
    policies.check(deeds, policy, is_own_money=True)
    content = _content(wish, wish.source or relayer_address) | {"operations": canonical}
    return Draft(content, wish.valid_until)


def _from_xdr(text: str, wish: Wish, relayer: Relayer, passphrase: str, now: datetime) -> Draft:
    assert isinstance(relayer.policy, StellarPolicy)
    drawn, transaction = prebuilt(text, passphrase, is_bump=wish.is_bump, now=now)
    if wish.is_bump:
        check_stranger(transaction, relayer.address)
        check_bump_fee(transaction, min(wish.max_fee, relayer.policy.max_fee))
    else:
        check_source(drawn, relayer.address)
    if wish.source not in (None, drawn.source, relayer.address):
        raise Invalid("source_account", str(wish.source), f"{drawn.source}, the source in transaction_xdr")
    if _is_memo(wish.memo):
        raise Invalid("memo", "a memo beside transaction_xdr", "the memo inside transaction_xdr")
    _soroban_alone(drawn.deeds, "transaction_xdr", has_memo=drawn.has_memo)
    policies.check(drawn.deeds, relayer.policy, is_own_money=not wish.is_bump)
    content = _content(wish, drawn.source) | {"transaction_xdr": text}
    ends = [end for end in (wish.valid_until, drawn.valid_until) if end is not None]
    # What others signed can land once only, whoever pays for it; what we sign gets a number of its own each time.
    fingerprint = f"stellar:{drawn.hash}" if wish.is_bump else None
    return Draft(content, min(ends, default=None), fingerprint)


def _content(wish: Wish, source: str) -> dict[str, Json]:
    return {
        "network": wish.network,
        "source_account": source,
        "operations": None,
        "transaction_xdr": None,
        "memo": wish.memo,
        "fee_bump": wish.is_bump,
        "max_fee": wish.max_fee,
    }


def _built(canonical: list[Json]) -> list[Deed]:
    """What is accepted has been built once: what the SDK could not write is refused here, not in a lane."""
    deeds, size = [], 0
    for i, spec in enumerate(canonical):
        path = f"operations[{i}]"
        made = read_or_refuse(partial(build.operation, spec), path, "an operation that can be built")
        size += len(read_or_refuse(partial(_written, made), path, "writable fields"))
        if size > LARGEST_ENVELOPE:
            raise Invalid(path, f"{size} bytes up to here", f"at most {LARGEST_ENVELOPE} bytes in all")
        deeds.append(deed(made, path))
    return deeds


def _written(made: sdk.Operation) -> bytes:
    return made.to_xdr_object().to_xdr_bytes()


def _soroban_alone(deeds: Sequence[Deed], path: str, *, has_memo: bool) -> None:
    if not any(each.is_soroban for each in deeds):
        return
    if len(deeds) > 1:
        raise Invalid(path, f"{len(deeds)} operations, one of them on a contract", "a contract operation alone")
    if has_memo:
        raise Invalid("memo" if path == "operations" else path, "a memo", "no memo beside a contract operation")


def _is_memo(note: Json) -> bool:
    return note is not None and note["type"] != "none"
