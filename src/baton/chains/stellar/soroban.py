"""Operations on contracts: invoke, create, upload, and the keeping alive of entries."""

from stellar_sdk import xdr as stellar_xdr

from baton.chains.fields import as_object, choice, found
from baton.chains.octets import base64_bytes, base64_text, hex_bytes
from baton.chains.stellar.scval import scval, symbol
from baton.chains.stellar.shapes import Shape, listed, may, must, shaped, whole
from baton.chains.stellar.wire import LARGEST_ENVELOPE, contract, party, read_or_refuse
from baton.domain.errors import Invalid
from baton.domain.json import Json

HASH_BYTES = 32
LARGEST_WASM = 131_072  # bytes: the network's limit for a contract's code
MOST_ARGS = 64
MOST_ENTRIES = 100  # of authorisations, and of keys in a footprint
ZERO_SALT = "00" * HASH_BYTES
BY_SOURCE = {"type": "source_account"}

_AUTH_KINDS = ("none", "source_account", "addresses", "xdr")
_MORTAL = (stellar_xdr.LedgerEntryType.CONTRACT_DATA, stellar_xdr.LedgerEntryType.CONTRACT_CODE)


def _hash(value: Json, path: str) -> str:
    return hex_bytes(value, path, length=HASH_BYTES).hex()


def _function_name(value: Json, path: str) -> str:
    return symbol(value, path, 1)


def _creator(value: Json, path: str) -> Json:
    """Whose address, with the salt, gives the new contract its own."""
    spec = as_object(value, path)
    kind = choice(spec, "from", ("address", "contract"), at=path)
    if kind is None:
        raise Invalid(f"{path}.from", "nothing", "one of address, contract")
    read = party if kind == "address" else contract
    given = read(spec.get(kind), f"{path}.{kind}")
    if given.startswith("M"):
        raise Invalid(f"{path}.{kind}", found(given), "an address without a muxed number (G… or C…)")
    return {"from": kind, kind: given}


def _wasm(value: Json, path: str) -> Json:
    """Code as hex or base64; kept as base64."""
    spec = as_object(value, path)
    given = [key for key in ("hex", "base64") if spec.get(key) is not None]
    if len(given) != 1:
        raise Invalid(path, " and ".join(given) or "neither hex nor base64", "one of hex, base64")
    if given == ["hex"]:
        code = hex_bytes(spec["hex"], f"{path}.hex", most=LARGEST_WASM)
    else:
        code = base64_bytes(spec["base64"], f"{path}.base64", LARGEST_WASM)
    if not code:
        raise Invalid(f"{path}.{given[0]}", "no bytes", "a contract's code")
    return {"base64": base64_text(code)}


def _auth(value: Json, path: str) -> Json:
    spec = as_object(value, path)
    kind = choice(spec, "type", _AUTH_KINDS, at=path)
    if kind is None:
        raise Invalid(f"{path}.type", "nothing", "one of " + ", ".join(_AUTH_KINDS))
    if kind == "addresses":
        expected = "none, source_account, or xdr with entries that their owners have signed"
        raise Invalid(f"{path}.type", '"addresses" (the relayer cannot sign for others)', expected)
    if kind == "xdr":
        return {"type": kind, **shaped(spec, path, {"entries": must(listed(_entry, 1, MOST_ENTRIES))})}
    return {"type": kind}


def _entry(value: Json, path: str) -> str:
    raw, expected = base64_bytes(value, path, LARGEST_ENVELOPE), "base64 XDR of an authorization entry"
    entry = stellar_xdr.SorobanAuthorizationEntry
    if read_or_refuse(lambda: entry.from_xdr_bytes(raw).to_xdr_bytes(), path, expected) != raw:
        raise Invalid(path, found(value), expected)
    return base64_text(raw)


def _ledger_key(value: Json, path: str) -> str:
    raw, expected = base64_bytes(value, path, LARGEST_ENVELOPE), "base64 XDR of a key of contract data or code"
    key = read_or_refuse(lambda: stellar_xdr.LedgerKey.from_xdr_bytes(raw), path, expected)
    if key.type not in _MORTAL or read_or_refuse(key.to_xdr_bytes, path, expected) != raw:
        raise Invalid(path, found(value), expected)
    return base64_text(raw)


_AUTH = may(_auth, BY_SOURCE)
_KEYS = may(listed(_ledger_key, 0, MOST_ENTRIES), [])

SHAPES: dict[str, Shape] = {
    "invoke_contract": {
        "contract_address": must(contract),
        "function_name": must(_function_name),
        "args": may(listed(scval, 0, MOST_ARGS), []),
        "auth": _AUTH,
    },
    "create_contract": {
        "source": must(_creator),
        "wasm_hash": must(_hash),
        "salt": may(_hash, ZERO_SALT),
        "constructor_args": may(listed(scval, 0, MOST_ARGS), []),
        "auth": _AUTH,
    },
    "upload_wasm": {"wasm": must(_wasm), "auth": _AUTH},
    "extend_footprint_ttl": {"extend_to": must(whole(1, 2**32 - 1)), "ledger_keys": _KEYS},
    "restore_footprint": {"ledger_keys": _KEYS},
}
KINDS = frozenset(SHAPES)
