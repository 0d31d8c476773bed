"""The calls a real node does not have: a test moves time, loses forks and turns faults on with them."""

import base64
import binascii

from solders.account import Account
from solders.pubkey import Pubkey

from baton.devnet.solana.errors import invalid_params
from baton.devnet.solana.node import Node
from baton.devnet.solana.params import Params
from baton.domain.errors import Invalid
from baton.domain.json import Json

_MAX_MINED = 10_000


def devnet_mine(node: Node, params: Params) -> Json:
    """Produce blocks at once; the answer is the new slot."""
    count = params.integer(0, default=1)
    if count > _MAX_MINED:
        raise invalid_params(f"Invalid params: at most {_MAX_MINED} blocks a call")
    for _ in range(count):
        node.tick()
    return node.bank.head.slot


def devnet_set(node: Node, params: Params) -> Json:
    node.faults.turn(params.options(0))
    return True


def devnet_fork(node: Node, params: Params) -> Json:
    """Lose the newest blocks; the answer lists the signatures that were in them."""
    try:
        return node.fork(params.integer(0), relay=bool(params.options(1).get("relay")))
    except Invalid as error:
        raise invalid_params(f"Invalid params: {error}") from error


def devnet_set_account(node: Node, params: Params) -> Json:
    """Write an account as `getAccountInfo` shows it: `{lamports, owner, data: base64, executable}`."""
    body = params.options(1)
    try:
        data = base64.b64decode(body.get("data") or "", validate=True)
        owner = Pubkey.from_string(body["owner"])
        account = Account(body["lamports"], data, owner, bool(body.get("executable")))
    except (binascii.Error, KeyError, ValueError, TypeError, OverflowError) as error:
        raise invalid_params(f"Invalid params: {error}") from error
    node.bank.set_account(params.address(0), account)
    return True
