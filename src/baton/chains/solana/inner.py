"""What programs call from within, as a simulation shows it: the debits of an account that no instruction spells out.

Nodes show inner calls in three forms: parsed, for programs and calls that they know; with the accounts spelled out, for
others; and compiled, with indices into the accounts of the message.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from baton.chains.solana.outflow import SYSTEM_PROGRAM, TOKEN_PROGRAMS, gives_away, hands_over, lamports_out
from baton.chains.solana.outline import Call
from baton.domain.json import Json

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_VALUES = {character: value for value, character in enumerate(_ALPHABET)}
_LONGEST_DATA = 2_000  # characters; what moves lamports is far shorter

_SYSTEM_DEBITS = frozenset({"transfer", "createAccount", "createAccountWithSeed", "createAccountAllowPrefund"})
_SYSTEM_GIFTS = {  # which account gives, by the parser's names
    "assign": "account",
    "allocate": "account",
    "assignWithSeed": "base",
    "allocateWithSeed": "base",
    "transferWithSeed": "sourceBase",
    "withdrawFromNonce": "nonceAuthority",
    "authorizeNonce": "nonceAuthority",
}
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
_TOKEN_OWNERS = ("authority", "owner", "multisigAuthority", "multisigOwner")
_TOKEN_HARMLESS = ("initialize", "revoke", "mintTo", "freeze", "thaw", "sync", "get", "amountTo", "uiAmountTo")


@dataclass(frozen=True, slots=True)
class Outflow:
    lamports: int = 0  # that leave the address
    is_gift: bool = False  # anything of it is given away
    is_boundless: bool = False  # how much leaves cannot be told

    def __add__(self, other: "Outflow") -> "Outflow":
        return Outflow(
            self.lamports + other.lamports, self.is_gift or other.is_gift, self.is_boundless or other.is_boundless
        )


def inner_outflow(inner: Iterable[Json], keys: Sequence[str], address: str) -> Outflow:
    """What inner calls take from the address."""
    found = Outflow()
    for item in _calls(inner):
        match item:
            case {"parsed": {"type": str(kind), "info": dict(info)}, "program": str(program)}:
                found += _of_parsed(program, kind, info, address)
            case {"programId": str(program), "accounts": list(accounts), "data": str(data)}:
                named = tuple(one if isinstance(one, str) else None for one in accounts)
                found += _of_call(Call("inner", program, named, _base58(data)), address)
            case {"programIdIndex": int(program_at), "accounts": list(accounts), "data": str(data)}:
                found += _of_compiled(program_at, accounts, data, keys, address)
    return found


def inner_programs(inner: Iterable[Json], keys: Sequence[str]) -> frozenset[str]:
    """Which programs are called from within, as far as they can be named."""
    found = set()
    for item in _calls(inner):
        match item:
            case {"programId": str(program)}:
                found.add(program)
            case {"programIdIndex": int(at)} if 0 <= at < len(keys):
                found.add(keys[at])
    return frozenset(found)


def _calls(inner: Iterable[Json]) -> Iterable[Json]:
    for group in inner:
        match group:
            case {"instructions": list(items)}:
                yield from items


def _of_parsed(program: str, kind: str, info: dict[str, Json], address: str) -> Outflow:
    if program == "system":
        if kind in _SYSTEM_DEBITS and info.get("source") == address:
            lamports = info.get("lamports")
            if not isinstance(lamports, int):
                return Outflow(0, is_gift=True, is_boundless=True)
            return Outflow(lamports, lamports > 0)
        is_gift = kind in _SYSTEM_GIFTS and info.get(_SYSTEM_GIFTS[kind]) == address
        return Outflow(0, is_gift, is_gift and kind == "assign")
    if not program.startswith("spl-token") or kind.startswith(_TOKEN_HARMLESS):
        return Outflow()
    named = [info.get(owner) for owner in _TOKEN_OWNERS] if kind in _TOKEN_GIFTS else list(info.values())
    signers = info.get("signers")
    return Outflow(0, address in named or (isinstance(signers, list) and address in signers))


def _of_compiled(program_at: int, accounts: list[Json], data: str, keys: Sequence[str], address: str) -> Outflow:
    """What is behind lookup tables is not known by its index: a program there is taken for each that could give."""
    named = tuple(keys[at] if type(at) is int and 0 <= at < len(keys) else None for at in accounts)
    programs = (keys[program_at],) if 0 <= program_at < len(keys) else (SYSTEM_PROGRAM, *TOKEN_PROGRAMS)
    found = Outflow()
    for program in programs:
        found += _of_call(Call("inner", program, named, _base58(data)), address)
    return found


def _of_call(call: Call, address: str) -> Outflow:
    return Outflow(lamports_out(call, address), gives_away(call, address), hands_over(call, address))


def _base58(text: str) -> bytes:
    """The bytes of a text in base58; none for what is no base58 or too long to be of interest."""
    number = 0
    for character in text if len(text) <= _LONGEST_DATA else "":
        if character not in _VALUES:
            return b""
        number = number * 58 + _VALUES[character]
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")
