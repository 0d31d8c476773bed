"""What leaves a relayer's own account by the programs that everybody uses: the System Program and the token programs.

Only what the instruction says by itself is seen here; a program that is handed the relayer's signature can move funds
from within: `inner.py` looks at those calls, and `allowed_programs` says which programs are trusted at all.
"""

from baton.chains.solana.outline import Call
from baton.chains.solana.wire import KEY_BYTES

SYSTEM_PROGRAM = "11111111111111111111111111111111"
TOKEN_PROGRAMS = frozenset(
    {"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"}
)

_TAG_BYTES, _U64_BYTES = 4, 8
_ASSIGN = 1
_LAMPORTS_AT = {0: 0, 2: 0, 13: 1}  # create account, transfer, create prefunded: position of the account that pays
_CREATE_WITH_SEED = 3

# instruction number → position of the account that gives up lamports, data, owner or authority
_SYSTEM_GIVERS = {
    0: 0,  # create account
    1: 0,  # assign
    2: 0,  # transfer
    _CREATE_WITH_SEED: 0,
    5: 4,  # withdraw from a nonce account
    7: 1,  # authorise another for a nonce account
    8: 0,  # allocate
    9: 1,  # allocate with seed
    10: 1,  # assign with seed
    11: 1,  # transfer with seed
    13: 1,  # create prefunded account
}
_TOKEN_GIVERS = {
    3: 2,  # transfer
    4: 2,  # approve
    6: 1,  # set authority
    8: 2,  # burn
    9: 2,  # close account
    12: 3,  # transfer checked
    13: 3,  # approve checked
    15: 2,  # burn checked
}
# Token instructions that give nothing of the named account away: they make, mint, freeze, revoke or only tell. Whatever is
# in neither table (extensions, batches, what comes later) counts as a gift where it names the account at all.
_TOKEN_HARMLESS = frozenset({0, 1, 2, 5, 7, 10, 11, 14, *range(16, 25)})


def lamports_out(call: Call, address: str) -> int:
    """Lamports that this call takes from the address; a call too short to be understood moves nothing."""
    if call.program != SYSTEM_PROGRAM:
        return 0
    tag = int.from_bytes(call.data[:_TAG_BYTES], "little")
    if tag == _CREATE_WITH_SEED and call.has_account(0, address):
        seed_at = _TAG_BYTES + KEY_BYTES
        return _u64(call.data, seed_at + _U64_BYTES + _u64(call.data, seed_at))
    payer_at = _LAMPORTS_AT.get(tag)
    if payer_at is None or not call.has_account(payer_at, address):
        return 0
    return _u64(call.data, _TAG_BYTES)


def gives_away(call: Call, address: str) -> bool:
    """Whether lamports, tokens, ownership or an authority of the address are given away."""
    if call.program == SYSTEM_PROGRAM:
        giver = _SYSTEM_GIVERS.get(int.from_bytes(call.data[:_TAG_BYTES], "little"))
        return giver is not None and call.has_account(giver, address)
    if call.program in TOKEN_PROGRAMS and call.data:
        tag = call.data[0]
        first = 0 if tag not in _TOKEN_HARMLESS else len(call.accounts)
        return (
            address in call.accounts[_TOKEN_GIVERS.get(tag, first) :]
        )  # the co-signers of a multisig follow the giver
    return False


def hands_over(call: Call, address: str) -> bool:
    """Whether the account itself gets another owner, who may then take all of it without any call that shows."""
    is_assign = int.from_bytes(call.data[:_TAG_BYTES], "little") == _ASSIGN
    return call.program == SYSTEM_PROGRAM and is_assign and call.has_account(0, address)


def _u64(data: bytes, at: int) -> int:
    part = data[at : at + _U64_BYTES]
    return int.from_bytes(part, "little") if len(part) == _U64_BYTES else 0
