"""Do the signatures on an envelope reach an account's threshold?

Only ed25519 signers are weighed; hash(x), pre-authorised and signed-payload signers are not modelled.
"""

from collections.abc import Sequence
from enum import IntEnum

from stellar_sdk import Keypair, xdr
from stellar_sdk.exceptions import BadSignatureError

from baton.devnet.stellar import keys

MAX_WEIGHT = 255


class Level(IntEnum):
    """The place of each threshold in an account's four threshold bytes; the first one is the master key's weight."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3


class Signatures:
    """One envelope's signatures, and which of them anything has needed so far."""

    def __init__(self, digest: bytes, signatures: Sequence[xdr.DecoratedSignature]) -> None:
        self._digest = digest
        self._signatures = signatures
        self._used: set[int] = set()

    @property
    def all_used(self) -> bool:
        return len(self._used) == len(self._signatures)

    def reach(self, account: xdr.AccountEntry, level: Level) -> bool:
        """Weigh one signature after another and stop at the threshold, so that a needless one stays unused."""
        needed = account.thresholds.thresholds[level]
        weights = signer_weights(account)
        weight = 0
        for place, decorated in enumerate(self._signatures):
            signer = next((key for key in weights if is_signed(key, self._digest, decorated)), None)
            if signer is None:
                continue
            self._used.add(place)
            weight += weights.pop(signer)
            if weight >= needed:
                return True
        return False

    def reach_alone(self, account: xdr.AccountID) -> bool:
        """For an account that does not exist (yet): its own key must have signed."""
        for place, decorated in enumerate(self._signatures):
            if is_signed(keys.raw(account), self._digest, decorated):
                self._used.add(place)
                return True
        return False


def signer_weights(account: xdr.AccountEntry) -> dict[bytes, int]:
    """Every ed25519 key that may sign for an account, with its weight; a master weight of 0 shuts the account's own key out."""
    weights: dict[bytes, int] = {}
    if account.thresholds.thresholds[0]:
        weights[keys.raw(account.account_id)] = account.thresholds.thresholds[0]
    for signer in account.signers:
        if signer.key.ed25519 is not None:
            weights[signer.key.ed25519.uint256] = min(signer.weight.uint32, MAX_WEIGHT)
    return weights


def is_signed(public_key: bytes, digest: bytes, decorated: xdr.DecoratedSignature) -> bool:
    hinted = decorated.hint.signature_hint == public_key[-4:]
    return hinted and is_valid(public_key, digest, decorated.signature.signature)


def is_valid(public_key: bytes, digest: bytes, signature: bytes) -> bool:
    try:
        Keypair.from_raw_ed25519_public_key(public_key).verify(digest, signature)
    except (BadSignatureError, ValueError):
        return False
    return True
