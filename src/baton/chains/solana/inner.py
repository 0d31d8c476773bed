"""What programs call from within, as a simulation shows it: the debits of an account that no instruction spells out.

Nodes show inner calls in two forms: parsed, for programs that they know, and compiled, with indices into the accounts.
"""

from collections.abc import Iterable, Sequence

from baton.chains.solana.outflow import gives_away, lamports_out
from baton.chains.solana.outline import Call
from baton.domain.json import Json

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_VALUES = {character: value for value, character in enumerate(_ALPHABET)}
_LONGEST_DATA = 2_000  # characters; what moves lamports is far shorter

_SYSTEM_DEBITS = frozenset({"transfer", "createAccount", "createAccountWithSeed", "createAccountAllowPrefund"})
_TOKEN_GIFTS = frozenset(
    {
        "transfer",
        "transferChecked",
        "transferCheckedWithFee",
        "approve",
        "approveChecked",
        "burn",
        "burnChecked",
        "closeAccount",
        "setAuthority",
    }
)
_TOKEN_OWNERS = ("authority", "owner", "multisigAuthority")


def inner_outflow(inner: Iterable[Json], keys: Sequence[str], address: str) -> tuple[int, bool]:
    """Lamports that inner calls take from the address, and whether they give away anything of it."""
    lamports, is_gift = 0, False
    for item in _calls(inner):
        match item:
            case {"parsed": {"type": str(kind), "info": dict(info)}, "program": str(program)}:
                taken = _parsed_debit(program, kind, info, address)
                lamports += taken
                is_gift = is_gift or taken > 0 or _is_parsed_gift(program, kind, info, address)
            case {"programIdIndex": int(program_at), "accounts": list(accounts), "data": str(data)}:
                call = _compiled(program_at, accounts, data, keys)
                lamports += lamports_out(call, address)
                is_gift = is_gift or gives_away(call, address)
    return lamports, is_gift


def _calls(inner: Iterable[Json]) -> Iterable[Json]:
    for group in inner:
        match group:
            case {"instructions": list(items)}:
                yield from items


def _parsed_debit(program: str, kind: str, info: dict[str, Json], address: str) -> int:
    if program != "system" or kind not in _SYSTEM_DEBITS or info.get("source") != address:
        return 0
    lamports = info.get("lamports")
    return lamports if type(lamports) is int else 0


def _is_parsed_gift(program: str, kind: str, info: dict[str, Json], address: str) -> bool:
    if not program.startswith("spl-token") or kind not in _TOKEN_GIFTS:
        return False
    return any(info.get(owner) == address for owner in _TOKEN_OWNERS)


def _compiled(program_at: int, accounts: list[Json], data: str, keys: Sequence[str]) -> Call:
    """Accounts behind lookup tables are not known by their index."""
    named = tuple(keys[at] if type(at) is int and 0 <= at < len(keys) else None for at in accounts)
    program = keys[program_at] if 0 <= program_at < len(keys) else ""
    return Call("inner", program, named, _base58(data))


def _base58(text: str) -> bytes:
    """The bytes of a text in base58; none for what is no base58 or too long to be of interest."""
    number = 0
    for character in text if len(text) <= _LONGEST_DATA else "":
        if character not in _VALUES:
            return b""
        number = number * 58 + _VALUES[character]
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")
