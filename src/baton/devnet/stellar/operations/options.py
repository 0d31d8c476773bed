"""`set_options`: weights, thresholds, flags, home domain, signers.

A channel account is made here: the relayer as signer, master weight 0.
"""

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations import reserves
from baton.devnet.stellar.operations.base import Scope, Success, require
from baton.devnet.stellar.signatures import MAX_WEIGHT, Level

MAX_SIGNERS = 20
REVOCABLE = xdr.AccountFlags.AUTH_REVOCABLE_FLAG.value
IMMUTABLE = xdr.AccountFlags.AUTH_IMMUTABLE_FLAG.value
CLAWBACK = xdr.AccountFlags.AUTH_CLAWBACK_ENABLED_FLAG.value
KNOWN_FLAGS = 0b1111


def level(body: xdr.SetOptionsOp) -> Level:
    """Whoever may change who signs needs the high threshold."""
    return Level.HIGH if body.signer or any(part is not None for part in _weights(body)) else Level.MEDIUM


def check_set_options(source: xdr.AccountID, body: xdr.SetOptionsOp) -> None:
    raised, cleared = _flags(body)
    require(not raised & cleared, "BAD_FLAGS")
    require(not (raised | cleared) & ~KNOWN_FLAGS, "UNKNOWN_FLAG")
    for weight in _weights(body):
        require(weight is None or weight.uint32 <= MAX_WEIGHT, "THRESHOLD_OUT_OF_RANGE")
    if body.signer is not None:
        key = body.signer.key.ed25519
        require(key is None or key.uint256 != keys.raw(source), "BAD_SIGNER")
        require(body.signer.weight.uint32 <= MAX_WEIGHT, "BAD_SIGNER")
    require(body.home_domain is None or body.home_domain.string32.isascii(), "INVALID_HOME_DOMAIN")


def set_options(scope: Scope, body: xdr.SetOptionsOp) -> Success:
    view = scope.view
    if body.signer is not None:
        _set_signer(scope, body.signer)
    entry = view.account(scope.source)
    assert entry is not None
    if body.inflation_dest is not None:
        require(view.account(body.inflation_dest) is not None, "INVALID_INFLATION")
        entry.inflation_dest = body.inflation_dest
    _set_flags(entry, *_flags(body))
    thresholds = bytearray(entry.thresholds.thresholds)
    for place, weight in enumerate(_weights(body)):
        if weight is not None:
            thresholds[place] = weight.uint32
    entry.thresholds = xdr.Thresholds(bytes(thresholds))
    if body.home_domain is not None:
        entry.home_domain = body.home_domain
    view.save_account(entry)
    return None


def _set_flags(entry: xdr.AccountEntry, raised: int, cleared: int) -> None:
    before = entry.flags.uint32
    require(not (raised | cleared) or not before & IMMUTABLE, "CANT_CHANGE")
    after = (before | raised) & ~cleared
    require(not after & CLAWBACK or bool(after & REVOCABLE), "AUTH_REVOCABLE_REQUIRED")
    entry.flags = xdr.Uint32(after)


def _set_signer(scope: Scope, signer: xdr.Signer) -> None:
    """Add, change or remove one signer; the list stays sorted by key, with its sponsors beside it."""
    view = scope.view
    entry = view.account(scope.source)
    assert entry is not None
    place = next((at for at, known in enumerate(entry.signers) if known.key == signer.key), None)
    if place is not None and signer.weight.uint32:
        entry.signers[place] = signer
        view.save_account(entry)
    elif place is not None:
        counts = reserves.extension(entry)
        payer = counts.signer_sponsoring_i_ds.pop(place).sponsorship_descriptor if counts else None
        del entry.signers[place]
        view.save_account(entry)
        reserves.release(view, scope.source, 1, keys.raw(payer) if payer else None)
    elif signer.weight.uint32:
        require(len(entry.signers) < MAX_SIGNERS, "TOO_MANY_SIGNERS")
        _add_signer(scope, signer)


def _add_signer(scope: Scope, signer: xdr.Signer) -> None:
    sponsor = reserves.hold(scope, scope.source, 1)
    entry = scope.view.account(scope.source)
    assert entry is not None
    place = sum(known.key.to_xdr_bytes() < signer.key.to_xdr_bytes() for known in entry.signers)
    counts = reserves.extension(entry)
    if counts is not None:
        payer = xdr.SponsorshipDescriptor(keys.from_raw(sponsor) if sponsor else None)
        counts.signer_sponsoring_i_ds.insert(place, payer)
    entry.signers.insert(place, signer)
    scope.view.save_account(entry)


def _weights(body: xdr.SetOptionsOp) -> tuple[xdr.Uint32 | None, ...]:
    return (body.master_weight, body.low_threshold, body.med_threshold, body.high_threshold)


def _flags(body: xdr.SetOptionsOp) -> tuple[int, int]:
    raised = body.set_flags.uint32 if body.set_flags else 0
    return raised, body.clear_flags.uint32 if body.clear_flags else 0
