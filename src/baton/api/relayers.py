"""Relayers: list, look at, how one is doing, what it owns. Shapes as the peer's client declares them."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from baton.api.body import read_json
from baton.api.envelope import Answer, page, success, with_warnings
from baton.api.limits import Limits
from baton.api.query import paging
from baton.api.request import Request
from baton.api.routing import Route
from baton.commands import relayer_update, relayers
from baton.commands.context import Context
from baton.commands.relayer_update import describe, is_disabled
from baton.commands.relayers import RelayerStatus
from baton.domain.clock import to_text
from baton.domain.json import Json
from baton.domain.network import Family
from baton.domain.relayer import Relayer

LIST = "/api/v1/relayers"
ONE = LIST + "/{relayer_id}"
STATUS = ONE + "/status"
BALANCE = ONE + "/balance"

UNITS = {Family.EVM: "wei", Family.SOLANA: "lamport", Family.STELLAR: "stroop"}


class MaskedRpcUrl(msgspec.Struct, frozen=True):
    """A node of the relayer's own; what follows the host may be a key and is not shown."""

    url: str
    weight: int


class DisabledReason(msgspec.Struct, frozen=True):
    type: Annotated[str, Meta(description="RpcValidationFailed, or Removed for one that is gone from the file")]
    details: str


class RelayerRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A relayer as answers show it; what is not set is left out."""

    id: str
    name: str
    network: str
    network_type: Family
    paused: Annotated[bool, Meta(description="by a person: new transactions are refused, queued ones wait")]
    policies: Annotated[dict[str, Json], Meta(description="under the keys of the configuration")]
    signer_id: str
    address: str
    system_disabled: Annotated[bool, Meta(description="by Baton itself, for the disabled_reason")]
    notification_id: Annotated[
        str | list[str] | None, Meta(description="who hears of its transactions; * is everyone")
    ] = None
    custom_rpc_urls: list[MaskedRpcUrl] | None = None
    disabled_reason: DisabledReason | None = None

    @classmethod
    def of(cls, relayer: Relayer) -> "RelayerRecord":
        return msgspec.convert(describe(relayer), cls)


class RelayerUpdate(msgspec.Struct, frozen=True):
    """A JSON merge patch: null removes what is set, objects merge, everything else replaces."""

    name: str | UnsetType = UNSET
    paused: Annotated[bool | UnsetType, Meta(description="true refuses new transactions; queued ones wait")] = UNSET
    policies: Annotated[dict[str, Json] | UnsetType | None, Meta(description="under the keys of the configuration")] = (
        UNSET
    )
    notification_id: Annotated[
        str | list[str] | UnsetType | None, Meta(description="one id, a list of ids, or * for every notification")
    ] = UNSET
    custom_rpc_urls: Annotated[
        list[str | dict[str, Json]] | UnsetType | None,
        Meta(description="URLs, or objects with url and weight; in force at once. null: the network's own"),
    ] = UNSET


class RelayerStatusRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a relayer is doing."""

    network_type: Family
    balance: Annotated[str, Meta(description="decimal text, in the chain's smallest unit")]
    pending_transactions_count: Annotated[int, Meta(ge=0, description="those that are not in a block yet")]
    last_confirmed_transaction_timestamp: str | None
    system_disabled: bool
    paused: bool
    nonce: Annotated[str | None, Meta(description="EVM: the next nonce, as the chain sees it")] = None
    sequence_number: Annotated[str | None, Meta(description="Stellar: the account's present sequence number")] = None

    @classmethod
    def of(cls, status: RelayerStatus) -> "RelayerStatusRecord":
        relayer, next_slot = status.relayer, status.account.next_slot
        last = status.last_confirmed_at
        return cls(
            network_type=relayer.family,
            balance=str(status.account.balance),
            pending_transactions_count=status.pending,
            last_confirmed_transaction_timestamp=None if last is None else to_text(last),
            system_disabled=is_disabled(relayer),
            paused=relayer.is_paused,
            nonce=str(next_slot) if relayer.family is Family.EVM else None,
            sequence_number=str(next_slot - 1) if relayer.family is Family.STELLAR else None,
        )


class RelayerBalance(msgspec.Struct, frozen=True):
    balance: Annotated[int, Meta(description="exact, and often beyond what JavaScript can hold: status has it as text")]
    unit: Literal["wei", "lamport", "stroop"]


class Relayers:
    def __init__(self, context: Context, limits: Limits) -> None:
        self._context = context
        self._limits = limits

    def routes(self) -> list[Route]:
        return [
            Route("GET", LIST, self.list, is_limited=True),
            Route("GET", ONE, self.get, is_limited=True),
            Route("PATCH", ONE, self.update, is_limited=True),
            Route("GET", STATUS, self.status, is_limited=True),
            Route("GET", BALANCE, self.balance, is_limited=True),
        ]

    async def list(self, request: Request) -> Answer:
        found, used, total = relayers.list_page(self._context, paging(request))
        return page([RelayerRecord.of(each) for each in found], used, total)

    async def get(self, request: Request) -> Answer:
        return success(RelayerRecord.of(relayers.get(self._context, request.ids[0])))

    async def update(self, request: Request) -> Answer:
        patch = await read_json(request, self._limits)
        changed = await relayer_update.update(self._context, request.ids[0], patch)
        return with_warnings(RelayerRecord.of(changed), relayer_update.unserved(changed, patch))

    async def status(self, request: Request) -> Answer:
        return success(RelayerStatusRecord.of(await relayers.status(self._context, request.ids[0])))

    async def balance(self, request: Request) -> Answer:
        relayer, balance = await relayers.balance(self._context, request.ids[0])
        return success({"balance": balance, "unit": UNITS[relayer.family]})
