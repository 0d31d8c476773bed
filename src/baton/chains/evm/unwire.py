"""Raw bytes back to fields and sender: how stored attempts and what nodes show are read.

Strict in form (one transaction has one byte form), silent about content: prices and limits may be anything.
"""

from dataclasses import dataclass
from typing import NoReturn

from baton.chains.evm import keys, rlp
from baton.chains.evm.wire import EIP155_BASE, AccessList, Authorization, Envelope, Signed, unsigned
from baton.domain.errors import Invalid

ADDRESS, WORD = 20, 32
FIELDS = {0: 9, 1: 11, 2: 12, 4: 13}  # how many a signed transaction of each kind has


@dataclass(frozen=True, slots=True)
class Read:
    envelope: Envelope
    signed: Signed
    sender: str


def decode(raw: bytes) -> Read:
    """Raises `Invalid` for what is no signed transaction of a kind that we write."""
    if not raw:
        _refuse("no bytes")
    kind = raw[0] if raw[0] < rlp.LIST else 0
    if kind not in FIELDS or kind == raw[0] == 0:
        _refuse(f"type {raw[0]}")
    items = rlp.decode(raw[1:] if kind else raw)
    if not isinstance(items, list) or len(items) != FIELDS[kind]:
        _refuse("another number of fields")
    *fields, v_item, r_item, s_item = items
    v, r, s = _int(v_item), _int(r_item), _int(s_item)
    if kind == 0 and v < EIP155_BASE:
        _refuse(f"v {v} without a chain id")
    y_parity = v if kind else (v - EIP155_BASE) & 1
    if y_parity > 1:
        _refuse(f"y_parity {y_parity}")
    envelope = _typed(kind, fields) if kind else _legacy((v - EIP155_BASE) >> 1, fields)
    signed = Signed(raw, "0x" + keys.keccak(raw).hex(), r, s, v, y_parity)
    return Read(envelope, signed, _sender(envelope, signed))


def _sender(envelope: Envelope, signed: Signed) -> str:
    signature = signed.r.to_bytes(WORD, "big") + signed.s.to_bytes(WORD, "big")
    key = keys.recover(unsigned(envelope).digest, signature, signed.y_parity)
    if key is None:
        _refuse("a signature of no key")
    return keys.address(key)


def _legacy(chain_id: int, fields: list[rlp.Decoded]) -> Envelope:
    nonce, price, gas, to, value, data = fields
    return Envelope(chain_id, _int(nonce), _int(gas), _to(to), _int(value), _bytes(data), gas_price=_int(price))


def _typed(kind: int, fields: list[rlp.Decoded]) -> Envelope:
    chain_id, nonce, *rest = fields
    prices, (gas, to, value, data, access, *more) = rest[: 1 if kind == 1 else 2], rest[1 if kind == 1 else 2 :]
    head = (_int(chain_id), _int(nonce), _int(gas), _to(to), _int(value), _bytes(data))
    access_list = _access(access)
    if kind == 1:
        return Envelope(*head, gas_price=_int(prices[0]), access_list=access_list)
    authorizations = _authorizations(more[0]) if more else ()
    if more and not authorizations:
        _refuse("no authorization")
    tip, fee = _int(prices[0]), _int(prices[1])
    return Envelope(
        *head,
        max_fee_per_gas=fee,
        max_priority_fee_per_gas=tip,
        access_list=access_list or None,
        authorizations=authorizations,
    )


def _access(item: rlp.Decoded) -> AccessList:
    entries = [_list(entry, 2) for entry in _list(item)]
    return tuple((_bytes(a, ADDRESS), tuple(_bytes(key, WORD) for key in _list(slots))) for a, slots in entries)


def _authorizations(item: rlp.Decoded) -> tuple[Authorization, ...]:
    entries = [_list(entry, 6) for entry in _list(item)]
    return tuple(
        Authorization(_int(chain), _bytes(address, ADDRESS), _int(nonce), _int(y), _int(r), _int(s))
        for chain, address, nonce, y, r, s in entries
    )


def _int(item: rlp.Decoded) -> int:
    if not isinstance(item, bytes) or len(item) > WORD or item[:1] == b"\0":
        _refuse("something else than a number")
    return int.from_bytes(item, "big")


def _to(item: rlp.Decoded) -> bytes | None:
    return None if item == b"" else _bytes(item, ADDRESS)


def _bytes(item: rlp.Decoded, size: int | None = None) -> bytes:
    if not isinstance(item, bytes) or (size is not None and len(item) != size):
        _refuse("something else than the bytes of a field")
    return item


def _list(item: rlp.Decoded, size: int | None = None) -> list[rlp.Decoded]:
    if not isinstance(item, list) or (size is not None and len(item) != size):
        _refuse("something else than the list of a field")
    return item


def _refuse(what: str) -> NoReturn:
    raise Invalid("raw", what, "a signed transaction of type 0 (with a chain id), 1, 2 or 4")
