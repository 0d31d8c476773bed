"""From a priced draft to a signed envelope: first what is inside, then the fee bump, whose hash covers those signatures."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import stellar_sdk as sdk

from baton.chains.octets import from_base64
from baton.chains.seam import Pen, Ready, Signed
from baton.chains.stellar import envelope as envelopes
from baton.chains.stellar.envelope import AnyEnvelope, Body
from baton.domain.errors import Bug
from baton.domain.transaction import Slot


@dataclass(frozen=True, slots=True)
class Draft:
    """All but the sequence number."""

    body: Body
    bid: int  # stroops for each operation
    max_time: int
    signed: sdk.TransactionEnvelope | None = None  # wrapped as it is
    is_wrapped: bool = False  # in a fee bump, whichever account lends the sequence number
    co_signers: tuple[sdk.Keypair, ...] = field(default=(), repr=False)  # accounts that come into being by it

    def at(self, bid: int) -> "Draft":
        return replace(self, bid=bid)


@dataclass(frozen=True, slots=True)
class Signing:
    payer: str  # the relayer's address
    passphrase: str
    ledger: int  # the newest before anything of this can land
    pen: Pen

    async def all(self, drafts: Sequence[tuple[Ready, Slot | None]]) -> list[Signed]:
        inner = [self._inner(ready.value, slot) for ready, slot in drafts]
        await self._sign([made for made, (ready, _) in zip(inner, drafts, strict=True) if ready.value.signed is None])
        for made, (ready, _) in zip(inner, drafts, strict=True):
            for key in ready.value.co_signers:
                made.sign(key)
        outer = [self._outer(made, ready.value, slot) for made, (ready, slot) in zip(inner, drafts, strict=True)]
        await self._sign([one for one in outer if isinstance(one, sdk.FeeBumpTransactionEnvelope)])
        return [
            Signed(
                from_base64(one.to_xdr()),
                one.hash_hex(),
                envelopes.facts_of(one) | {"ledger": self.ledger},
                ready.max_cost,
            )
            for one, (ready, _) in zip(outer, drafts, strict=True)
        ]

    def _inner(self, draft: Draft, slot: Slot | None) -> sdk.TransactionEnvelope:
        if draft.signed is not None:
            return draft.signed
        if slot is None:
            raise Bug("a Stellar transaction needs a sequence number")
        body = draft.body
        fee = draft.bid * len(body.operations) + body.resources
        if self._is_wrapped(draft, slot):
            fee = envelopes.inner_fee(body)
        return envelopes.transaction(body, slot, fee, draft.max_time, self.passphrase)

    def _outer(self, inner: sdk.TransactionEnvelope, draft: Draft, slot: Slot | None) -> AnyEnvelope:
        if not self._is_wrapped(draft, slot):
            return inner
        fee = draft.bid * (len(draft.body.operations) + 1) + draft.body.resources
        return envelopes.fee_bump(inner, self.payer, fee)

    def _is_wrapped(self, draft: Draft, slot: Slot | None) -> bool:
        return draft.is_wrapped or (slot is not None and slot.account != self.payer)

    async def _sign(self, made: Sequence[AnyEnvelope]) -> None:
        if not made:
            return
        for one, signature in zip(made, await self.pen.sign([one.hash() for one in made]), strict=True):
            envelopes.attach(one, self.pen.public_key, signature)
