"""Money from nowhere: `/friendbot` for clients, `fund` for tests; both close a ledger of their own at once."""

from typing import Any

from stellar_sdk import Account, Asset, StrKey, TransactionBuilder

from baton.devnet.stellar import envelope, keys
from baton.devnet.stellar.landing import Landed
from baton.devnet.stellar.ledger import Ledger

FRIENDBOT_STROOPS = 10_000 * 10**7
STROOPS_PER_LUMEN = 10**7


def fund(ledger: Ledger, address: str, stroops: int) -> Landed:
    """Create the account with that much, or pay it to the one that is there. Waiting transactions stay where they are."""
    root = ledger.state.account(ledger.root.xdr_account_id())
    assert root is not None
    sequence = root.seq_num.sequence_number.int64
    builder = TransactionBuilder(
        Account(ledger.root.public_key, sequence), ledger.passphrase, max(ledger.controls.price, 100)
    )
    whole, rest = divmod(stroops, STROOPS_PER_LUMEN)
    amount = f"{whole}.{rest:07d}"
    if ledger.state.account(keys.from_address(address)) is None:
        builder.append_create_account_op(address, amount)
    else:
        builder.append_payment_op(address, Asset.native(), amount)
    signed = builder.add_time_bounds(0, 0).build()
    signed.sign(ledger.root)
    closed = ledger.close([envelope.parse(signed.to_xdr(), ledger.passphrase)])
    assert closed.landed, "the root account can always pay"
    return closed.landed[0]


def befriend(ledger: Ledger, address: str) -> tuple[int, dict[str, Any]]:
    """Friendbot's answer: HTTP status and body."""
    if not StrKey.is_valid_ed25519_public_key(address):
        return 400, {"title": "Bad Request", "status": 400, "detail": "invalid address"}
    if ledger.state.account(keys.from_address(address)) is not None:
        # Both wordings of friendbots past and present: clients look for one or the other.
        detail = "createAccountAlreadyExist: account already funded to starting balance"
        return 400, {"title": "Bad Request", "status": 400, "detail": detail}
    done = fund(ledger, address, FRIENDBOT_STROOPS)
    return 200, {
        "hash": done.hash,
        "successful": done.succeeded,
        "ledger": done.ledger,
        "envelope_xdr": done.envelope_xdr,
        "result_xdr": done.result_xdr,
        "result_meta_xdr": done.meta_xdr,
    }
