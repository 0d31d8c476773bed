"""Channel accounts: they lend sequence numbers, so that many transactions of a relayer fit into one ledger.

A channel is made with the relayer as its only signer, its own key without weight, its reserve sponsored: it holds
nothing, no secret of it is kept, and the relayer's one signature serves for both. Its address follows from a signature
of the relayer's key, so that it is found again after any loss of our own records, and guessed by nobody beforehand.
"""

import hashlib
from collections.abc import Mapping, Sequence

import stellar_sdk as sdk

from baton import telemetry
from baton.chains.seam import Pen
from baton.chains.stellar.entries import BASE_RESERVE, AccountEntry
from baton.chains.stellar.envelope import Body
from baton.domain.errors import SignerUnavailable
from baton.domain.relayer import Relayer

MOST_AT_ONCE = 19  # a transaction has at most 20 signatures: the relayer's, and one of each new channel
RESERVES = 3  # base reserves that a channel locks at its sponsor: two for the account, one for its signer


class Channels:
    def __init__(self, pens: Mapping[str, Pen], passphrase: str) -> None:
        self._pens = pens
        self._passphrase = passphrase
        self._keys: dict[str, list[sdk.Keypair]] = {}  # by relayer address; without any power once the account exists

    async def addresses(self, relayer: Relayer, count: int) -> list[str] | None:
        """The first so many channels of a relayer, made or not. None when its signer cannot be asked."""
        known = self._keys.setdefault(relayer.address, [])
        if len(known) < count:
            try:
                known += await self._derived(relayer, range(len(known), count))
            except SignerUnavailable:
                return None
        return [key.public_key for key in known[:count]]

    async def _derived(self, relayer: Relayer, places: range) -> list[sdk.Keypair]:
        """No transaction has a hash as long as these messages: a signature of one can never be one's of the other."""
        pen = self._pens[relayer.id]
        texts = [f"baton channel account {n} of {relayer.address} on {self._passphrase}".encode() for n in places]
        signatures = await pen.sign(texts)
        if signatures != await pen.sign(texts):
            telemetry.log.error("channels_impossible", relayer=relayer.id, why="its signer signs differently each time")
            raise SignerUnavailable("a signer for channels must sign the same way each time")
        return [sdk.Keypair.from_raw_ed25519_seed(hashlib.sha256(one).digest()) for one in signatures]

    def keys(self, relayer: Relayer, addresses: Sequence[str]) -> tuple[sdk.Keypair, ...]:
        return tuple(key for key in self._keys[relayer.address] if key.public_key in addresses)


def is_ours(entry: AccountEntry, relayer_address: str) -> bool:
    """Whether the relayer alone rules it: an address can be taken by others before we make it."""
    return entry.master_weight == 0 and set(entry.signers) == {relayer_address} and min(entry.signers.values()) > 0


def creation(relayer_address: str, addresses: Sequence[str]) -> Body:
    """All or none of them, ruled by the relayer from their first moment on."""
    operations: list[sdk.Operation] = []
    for address in addresses:
        signer = sdk.Signer.ed25519_public_key(relayer_address, 1)
        operations += [
            sdk.BeginSponsoringFutureReserves(address),
            sdk.CreateAccount(address, "0"),
            sdk.SetOptions(
                master_weight=0, low_threshold=1, med_threshold=1, high_threshold=1, signer=signer, source=address
            ),
            sdk.EndSponsoringFutureReserves(address),
        ]
    return Body(relayer_address, tuple(operations), sdk.NoneMemo())


def locked(count: int) -> int:
    """Stroops of the relayer's reserve that so many channels hold."""
    return count * RESERVES * BASE_RESERVE
