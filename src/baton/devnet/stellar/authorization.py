"""Who allows a contract call: recorded during simulation, enforced when it counts.

Source-account credentials and signed address credentials of accounts are modelled; call trees (a contract asking for
more than its root call), contract accounts and the newer credential kinds are not.
"""

import hashlib
import secrets
from collections.abc import Sequence

from stellar_sdk import scval, xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.host import Authorise, HostError, contract_entry, host_error
from baton.devnet.stellar.signatures import Level, is_valid, signer_weights
from baton.devnet.stellar.view import View

Credentials = xdr.SorobanCredentialsType
SIGNATURE_LEDGERS = 100


def recorder(view: View, source: xdr.AccountID, entries: list[xdr.SorobanAuthorizationEntry]) -> Authorise:
    """Allow everything, and note down what must be signed for it."""

    def record(address: xdr.SCAddress, function: xdr.SorobanAuthorizedFunction) -> None:
        if _is_account(address, source):
            credentials = xdr.SorobanCredentials(Credentials.SOROBAN_CREDENTIALS_SOURCE_ACCOUNT)
        else:
            nonce = secrets.randbelow(2**62)
            unsigned = xdr.SorobanAddressCredentials(
                address, xdr.Int64(nonce), xdr.Uint32(0), xdr.SCVal(xdr.SCValType.SCV_VOID)
            )
            credentials = xdr.SorobanCredentials(Credentials.SOROBAN_CREDENTIALS_ADDRESS, address=unsigned)
            if address.account_id is not None:
                view.account(address.account_id)
            _spend_nonce(view, unsigned, view.sequence + SIGNATURE_LEDGERS)
        root = xdr.SorobanAuthorizedInvocation(function, [])
        entries.append(xdr.SorobanAuthorizationEntry(credentials, root))

    return record


def enforcer(
    view: View, source: xdr.AccountID, network_id: bytes, entries: Sequence[xdr.SorobanAuthorizationEntry]
) -> Authorise:
    """Allow only what an entry covers; each entry serves once."""
    left = list(entries)

    def enforce(address: xdr.SCAddress, function: xdr.SorobanAuthorizedFunction) -> None:
        for entry in left:
            if entry.root_invocation.function != function:
                continue
            if entry.credentials.address is None:
                if entry.credentials.type is Credentials.SOROBAN_CREDENTIALS_SOURCE_ACCOUNT and _is_account(
                    address, source
                ):
                    left.remove(entry)
                    return
            elif entry.credentials.address.address == address:
                _check_signed(view, network_id, entry, entry.credentials.address)
                left.remove(entry)
                return
        raise _denied("unauthorized function call for address")

    return enforce


def _check_signed(
    view: View, network_id: bytes, entry: xdr.SorobanAuthorizationEntry, credentials: xdr.SorobanAddressCredentials
) -> None:
    expires = credentials.signature_expiration_ledger.uint32
    if expires < view.sequence:
        raise _denied("signature has expired")
    if credentials.address.account_id is None:
        raise _denied("contract accounts are not simulated")
    account = view.account(credentials.address.account_id)
    if account is None:
        raise _denied("the signing account does not exist")
    digest = payload(network_id, entry.root_invocation, credentials)
    weights = signer_weights(account)
    weight = 0
    for public_key, signature in _signatures(credentials.signature):
        if not is_valid(public_key, digest, signature):
            raise _denied("failed ED25519 verification")
        weight += weights.pop(public_key, 0)
    if weight < max(1, account.thresholds.thresholds[Level.MEDIUM]):
        raise _denied("signature weight is lower than threshold")
    _spend_nonce(view, credentials, expires)


def payload(
    network_id: bytes, invocation: xdr.SorobanAuthorizedInvocation, credentials: xdr.SorobanAddressCredentials
) -> bytes:
    """The 32 bytes that a signer of an authorisation entry signs."""
    bound = xdr.HashIDPreimageSorobanAuthorization(
        xdr.Hash(network_id), credentials.nonce, credentials.signature_expiration_ledger, invocation
    )
    kind = xdr.EnvelopeType.ENVELOPE_TYPE_SOROBAN_AUTHORIZATION
    preimage = xdr.HashIDPreimage(kind, soroban_authorization=bound)
    return hashlib.sha256(preimage.to_xdr_bytes()).digest()


def _signatures(value: xdr.SCVal) -> list[tuple[bytes, bytes]]:
    """An account's signature: a vector of maps with `public_key` and `signature`."""
    pairs: list[tuple[bytes, bytes]] = []
    try:
        for item in scval.from_vec(value):
            fields = {scval.from_symbol(key): held for key, held in scval.from_map(item).items()}
            pairs.append((scval.from_bytes(fields["public_key"]), scval.from_bytes(fields["signature"])))
    except (ValueError, KeyError) as wrong:
        raise _denied("signature is not a vector of account signatures") from wrong
    return pairs


def _spend_nonce(view: View, credentials: xdr.SorobanAddressCredentials, live_until: int) -> None:
    key = keys.for_nonce(credentials.address, credentials.nonce.int64)
    if view.load(key) is not None:
        raise _denied("nonce already exists for address", xdr.SCErrorCode.SCEC_EXISTING_VALUE)
    view.save(key, contract_entry(key, xdr.SCVal(xdr.SCValType.SCV_VOID)))
    view.save_ttl(key, live_until)


def _is_account(address: xdr.SCAddress, account: xdr.AccountID) -> bool:
    return address.account_id is not None and keys.raw(address.account_id) == keys.raw(account)


def _denied(words: str, code: xdr.SCErrorCode = xdr.SCErrorCode.SCEC_INVALID_ACTION) -> HostError:
    return host_error(xdr.SCErrorType.SCE_AUTH, code, words)
