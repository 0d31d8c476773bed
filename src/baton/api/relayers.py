"""Relayers: list, look at, how one is doing, what it owns. Shapes as the peer's client declares them."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from baton.api.envelope import Answer, page, success
from baton.api.query import paging
from baton.api.request import Request
from baton.api.routing import Route
from baton.commands import relayers
from baton.commands.context import Context
from baton.commands.relayers import RelayerStatus
from baton.config import show_policy
from baton.domain.clock import to_text
from baton.domain.json import Json
from baton.domain.network import Family, RpcUrl
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

    @classmethod
    def of(cls, rpc_url: RpcUrl) -> "MaskedRpcUrl":
        return cls(f"{rpc_url.shown}/***", rpc_url.weight)


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
        told, urls = relayer.notification_ids, relayer.custom_rpc_urls
        return cls(
            id=relayer.id,
            name=relayer.name,
            network=relayer.network,
            network_type=relayer.family,
            paused=relayer.is_paused,
            policies=show_policy(relayer.policy),
            signer_id=relayer.signer_id,
            address=relayer.address,
            system_disabled=is_disabled(relayer),
            notification_id=None if not told else told[0] if len(told) == 1 else list(told),
            custom_rpc_urls=None if urls is None else [MaskedRpcUrl.of(url) for url in urls],
            disabled_reason=_disabled_reason(relayer),
        )


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
    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> list[Route]:
        return [
            Route("GET", LIST, self.list, is_limited=True),
            Route("GET", ONE, self.get, is_limited=True),
            Route("GET", STATUS, self.status, is_limited=True),
            Route("GET", BALANCE, self.balance, is_limited=True),
        ]

    async def list(self, request: Request) -> Answer:
        found, used, total = relayers.list_page(self._context, paging(request))
        return page([RelayerRecord.of(each) for each in found], used, total)

    async def get(self, request: Request) -> Answer:
        return success(RelayerRecord.of(relayers.get(self._context, request.ids[0])))

    async def status(self, request: Request) -> Answer:
        return success(RelayerStatusRecord.of(await relayers.status(self._context, request.ids[0])))

    async def balance(self, request: Request) -> Answer:
        relayer, balance = await relayers.balance(self._context, request.ids[0])
        return success({"balance": balance, "unit": UNITS[relayer.family]})


def is_disabled(relayer: Relayer) -> bool:
    return relayer.is_removed or relayer.disabled_reason is not None


def _disabled_reason(relayer: Relayer) -> DisabledReason | None:
    """The peer's words where it has one for the cause: the nodes serve another chain, or the signer is missing."""
    if relayer.is_removed:
        return DisabledReason("Removed", "it is no longer in the configuration; it only finishes what is open")
    if relayer.disabled_reason is not None:
        return DisabledReason("RpcValidationFailed", relayer.disabled_reason)
    return None
