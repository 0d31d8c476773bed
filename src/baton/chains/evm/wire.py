"""The four kinds of transaction that we sign, as bytes.

    legacy (EIP-155)   rlp([nonce, gas_price, gas, to, value, data, v, r, s])
    1  (EIP-2930)      0x01 ‖ rlp([chain, nonce, gas_price, gas, to, value, data, access, y, r, s])
    2  (EIP-1559)      0x02 ‖ rlp([chain, nonce, tip, max_fee, gas, to, value, data, access, y, r, s])
    4  (EIP-7702)      0x04 ‖ rlp([… as 2 …, access, authorizations, y, r, s])

Fields are written once: `unsigned` gives the digest to sign, `attach` appends the signature to the same bytes.
"""

from msgspec import Struct

from baton.chains.evm import keys, rlp
from baton.domain.errors import Bug

EIP155_BASE = 35
SIGNATURE = 64

AccessList = tuple[tuple[bytes, tuple[bytes, ...]], ...]


class Authorization(Struct, frozen=True):
    """EIP-7702: an account's signed leave to run the code at `address` as its own."""

    chain_id: int
    address: bytes
    nonce: int
    y_parity: int
    r: int
    s: int


class Envelope(Struct, frozen=True):
    """What is signed. Either `gas_price`, or `max_fee_per_gas` with `max_priority_fee_per_gas`."""

    chain_id: int
    nonce: int
    gas_limit: int
    to: bytes | None  # None: contract creation
    value: int
    data: bytes = b""
    gas_price: int | None = None
    max_fee_per_gas: int | None = None
    max_priority_fee_per_gas: int | None = None
    access_list: AccessList | None = None  # with a gas price, any list (even an empty one) makes it EIP-2930
    authorizations: tuple[Authorization, ...] = ()

    @property
    def kind(self) -> int:
        """The transaction type of EIP-2718; 0 is legacy."""
        if self.authorizations:
            return 4
        if self.gas_price is None:
            return 2
        return 0 if self.access_list is None else 1

    @property
    def max_cost(self) -> int:
        """The most that it can take from the account, besides the L1 fee of a rollup."""
        price = self.max_fee_per_gas if self.gas_price is None else self.gas_price
        if price is None:
            raise Bug("an envelope without a price")
        return self.value + self.gas_limit * price


class Unsigned(Struct, frozen=True):
    envelope: Envelope
    body: bytes  # the fields before the signature, each written as RLP
    digest: bytes


class Signed(Struct, frozen=True):
    raw: bytes
    hash: str
    r: int
    s: int
    v: int  # legacy: 35 + 2·chain + y_parity, or 37 + …; typed: y_parity
    y_parity: int

    @property
    def signature(self) -> dict[str, str | int]:
        """As a record shows it: hex without 0x; `sig` is r‖s‖v in 65 bytes, v there being 27 or 28 for legacy."""
        r, s = f"{self.r:064x}", f"{self.s:064x}"
        short_v = self.y_parity if self.v == self.y_parity else 27 + self.y_parity
        return {"r": r, "s": s, "v": short_v, "sig": f"{r}{s}{short_v:02x}"}


def unsigned(envelope: Envelope) -> Unsigned:
    body = _body(envelope)
    if envelope.kind == 0:
        payload = rlp.wrap(body + rlp.encode_int(envelope.chain_id) + b"\x80\x80")
    else:
        payload = bytes((envelope.kind,)) + rlp.wrap(body)
    return Unsigned(envelope, body, keys.keccak(payload))


def attach(plain: Unsigned, signature: bytes, public_key: bytes) -> Signed:
    """The bytes to broadcast. `signature` is r‖s over `plain.digest` by `public_key`, or r‖s‖y where the signer is ours."""
    if len(signature) == SIGNATURE:
        y_parity = keys.parity(plain.digest, signature, public_key)
    elif len(signature) == SIGNATURE + 1 and signature[SIGNATURE] in (0, 1):
        y_parity = signature[SIGNATURE]
    else:
        raise Bug(f"a signature has {SIGNATURE} bytes, or one more that is 0 or 1; found {len(signature)}")
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:SIGNATURE], "big")
    kind = plain.envelope.kind
    v = y_parity if kind else EIP155_BASE + 2 * plain.envelope.chain_id + y_parity
    listed = rlp.wrap(plain.body + rlp.encode_int(v) + rlp.encode_int(r) + rlp.encode_int(s))
    raw = bytes((kind,)) + listed if kind else listed
    return Signed(raw, "0x" + keys.keccak(raw).hex(), r, s, v, y_parity)


def _body(tx: Envelope) -> bytes:
    number = rlp.encode_int
    parts = [number(tx.chain_id), number(tx.nonce)] if tx.kind else [number(tx.nonce)]
    parts += [number(price) for price in _prices(tx)]
    parts += [number(tx.gas_limit), rlp.encode_bytes(tx.to or b""), number(tx.value), rlp.encode_bytes(tx.data)]
    if tx.kind:
        parts.append(rlp.encode(tx.access_list) if tx.access_list else b"\xc0")
    if tx.authorizations:
        parts.append(rlp.encode([(a.chain_id, a.address, a.nonce, a.y_parity, a.r, a.s) for a in tx.authorizations]))
    return b"".join(parts)


def _prices(tx: Envelope) -> tuple[int, ...]:
    if tx.gas_price is not None:
        if tx.authorizations:
            raise Bug("authorizations go with max_fee_per_gas, not with a gas price")
        return (tx.gas_price,)
    if tx.max_fee_per_gas is None or tx.max_priority_fee_per_gas is None:
        raise Bug("an envelope without a price")
    return tx.max_priority_fee_per_gas, tx.max_fee_per_gas
