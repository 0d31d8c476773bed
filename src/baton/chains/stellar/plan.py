"""Plan: what a stored request comes to, before it has a price, a sequence number and a signature."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import stellar_sdk as sdk
from stellar_sdk import xdr as stellar_xdr

from baton.chains.stellar import build, build_soroban
from baton.chains.stellar.envelope import Body, max_time_of
from baton.chains.stellar.fees import LEAST_BID, Load
from baton.chains.stellar.outline import NATIVE, Deed, deed
from baton.chains.stellar.prebuilt import PATH
from baton.chains.stellar.wire import base_account, envelope_of
from baton.domain.json import Json

VALID_S = 300  # how long a version may land, where the request does not say


@dataclass(frozen=True, slots=True)
class Plan:
    """A body of our own, or a transaction that others signed and that is wrapped as it is."""

    body: Body
    deeds: tuple[Deed, ...]
    max_fee: int
    signed: sdk.TransactionEnvelope | None = None

    @property
    def is_soroban(self) -> bool:
        return any(each.is_soroban for each in self.deeds)

    def load(self, *, is_wrapped: bool) -> Load:
        """What a place in the ledger is paid for; a fee bump counts as one operation more."""
        count, least = len(self.body.operations), LEAST_BID
        if self.signed is not None:
            least = max(least, -(-(self.signed.transaction.fee - self.body.resources) // count))
        return Load(count + is_wrapped, self.body.resources, least)

    def outflow(self, address: str) -> int:
        """Stroops that leave the account besides the fee, as far as the operations say."""
        if self.signed is not None:
            return 0
        is_ours = [base_account(_source(each) or self.body.source) == address for each in self.body.operations]
        spent = [each.spends for each, ours in zip(self.deeds, is_ours, strict=True) if ours and each.spends]
        return sum(amount for asset, amount in spent if asset == NATIVE)


def plan_of(content: Json, passphrase: str) -> Plan:
    if content["operations"] is not None:
        return _from_operations(content)
    envelope = envelope_of(content["transaction_xdr"], passphrase, PATH)
    made = envelope.transaction
    conditions = made.preconditions
    bounds = conditions.time_bounds if conditions else None
    body = Body(
        source=made.source.universal_account_id,
        operations=tuple(made.operations),
        memo=made.memo,
        ledger_bounds=conditions.ledger_bounds if conditions else None,
        min_time=bounds.min_time if bounds else 0,
        extra_signers=tuple(conditions.extra_signers or ()) if conditions else (),
        soroban=made.soroban_data,
    )
    signed = envelope.to_transaction_envelope_v1() if content["fee_bump"] else None
    return Plan(body, _deeds(body.operations, PATH), int(content["max_fee"]), signed)


def _from_operations(content: Json) -> Plan:
    specs = content["operations"]
    body = Body(
        source=content["source_account"],
        operations=tuple(build.operation(spec) for spec in specs),
        memo=build.memo(content["memo"]),
        soroban=_footprint(specs[0]),
    )
    return Plan(body, _deeds(body.operations, "operations"), int(content["max_fee"]))


def _deeds(operations: Sequence[sdk.Operation], path: str) -> tuple[Deed, ...]:
    return tuple(deed(each, f"{path}[{place}]") for place, each in enumerate(operations))


def _footprint(spec: Json) -> stellar_xdr.SorobanTransactionData | None:
    """Extensions and restorations name their entries; a simulation adds the rest."""
    if "ledger_keys" not in spec:
        return None
    keys = build_soroban.footprint_keys(spec)
    is_extension = spec["type"] == "extend_footprint_ttl"
    footprint = stellar_xdr.LedgerFootprint(keys if is_extension else [], [] if is_extension else keys)
    nothing = stellar_xdr.Uint32(0)
    return stellar_xdr.SorobanTransactionData(
        stellar_xdr.SorobanTransactionDataExt(0),
        stellar_xdr.SorobanResources(footprint, nothing, nothing, nothing),
        stellar_xdr.Int64(0),
    )


def _source(operation: sdk.Operation) -> str | None:
    return None if operation.source is None else operation.source.universal_account_id


def max_time(plan: Plan, valid_until: datetime | None, now_s: int) -> int:
    """The time bound, in seconds: what others signed keeps its own (0: none)."""
    if plan.signed is not None:
        return max_time_of(plan.signed.transaction)
    ends = now_s + VALID_S
    return ends if valid_until is None else min(ends, int(valid_until.timestamp()))
