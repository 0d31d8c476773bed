"""A record has every key of the interface at every moment, null until known."""

from datetime import UTC, datetime

from coincurve import PrivateKey
from msgspec.structs import replace
from tests.unit.chains.making import INTERFACE, an_attempt

from baton.chains.evm import wire
from baton.chains.evm.language import EvmLanguage
from baton.chains.evm.record import facts_of
from baton.chains.evm.wire import Envelope
from baton.domain.network import Family, Network
from baton.domain.policy import EvmPolicy
from baton.domain.relayer import Relayer
from baton.domain.status import Status
from baton.domain.transaction import Attempt, AttemptKind, Revision, Slot, State, View

OWN = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
TO = "0x5e87fD270D40C47266B7E3c822f4a9d21043012D"
MOMENT = datetime(2030, 1, 1, tzinfo=UTC)
RELAYER = Relayer("r", "R", "local", Family.EVM, "s", OWN, EvmPolicy())
LANGUAGE = EvmLanguage(Network("local", Family.EVM, chain_id=31_337))

WAITING = View("t", "r", MOMENT, State(Status.PENDING), Revision(1, {"value": "1", "to": TO}), None)


def attempted(envelope: Envelope, kind: AttemptKind = AttemptKind.ORIGINAL) -> Attempt:
    key = PrivateKey(b"\x07" * 32)
    plain = wire.unsigned(envelope)
    signature = key.sign_recoverable(plain.digest, hasher=None)[:64]
    signed = wire.attach(plain, signature, key.public_key.format(compressed=False)[1:])
    return an_attempt(
        kind=kind,
        hash=signed.hash,
        slot=Slot("31337:0xaa", OWN, envelope.nonce),
        max_cost=envelope.max_cost,
        facts=facts_of(envelope, signed),
        created_at=MOMENT,
    )


def test_every_key_is_there_from_the_first_moment() -> None:
    record = LANGUAGE.record(WAITING, RELAYER)
    assert set(record) == INTERFACE | {"is_canceled"}
    known = {key: value for key, value in record.items() if value is not None}
    assert known == {
        "id": "t",
        "relayer_id": "r",
        "status": "pending",
        "created_at": "2030-01-01T00:00:00.000000+00:00",
        "from": OWN,
        "to": TO,
        "value": "1",
        "is_canceled": False,
    }


def test_before_an_attempt_the_request_is_shown() -> None:
    content = {"value": "1", "data": "0x00", "gas_limit": 53_004, "max_fee_per_gas": str(2**100), "speed": "fast"}
    record = LANGUAGE.record(replace(WAITING, revision=Revision(1, content)), RELAYER)
    assert record["gas_limit"] == 53_004
    assert record["max_fee_per_gas"] == str(2**100)
    assert record["speed"] == {"level": "fast"}
    assert record["to"] is None
    assert record["data"] == "0x00"


def test_an_attempt_shows_its_hash_fees_limit_nonce_and_signature() -> None:
    attempt = attempted(Envelope(31_337, 4, 30_000, b"\x01" * 20, 1, max_fee_per_gas=9, max_priority_fee_per_gas=2))
    state = State(Status.CONFIRMED, attempt_id="a", sent_at=MOMENT, confirmed_at=MOMENT, is_canceled=False)
    asked = Revision(1, {"value": "1", "to": TO, "max_priority_fee_per_gas": "1"})
    record = LANGUAGE.record(replace(WAITING, state=state, revision=asked, attempt=attempt), RELAYER)
    assert record["hash"] == attempt.hash
    assert record["nonce"] == 4
    assert record["gas_limit"] == 30_000
    assert record["gas_price"] is None
    assert record["max_fee_per_gas"] == "9"
    assert record["max_priority_fee_per_gas"] == "2"
    assert set(record["signature"]) == {"r", "s", "v", "sig"}
    assert record["sent_at"] == record["confirmed_at"] == "2030-01-01T00:00:00.000000+00:00"


def test_a_legacy_attempt_shows_one_price() -> None:
    attempt = attempted(Envelope(31_337, 0, 21_000, b"\x01" * 20, 1, gas_price=2**90))
    record = LANGUAGE.record(replace(WAITING, attempt=attempt), RELAYER)
    assert record["gas_price"] == str(2**90)
    assert record["max_fee_per_gas"] is None
    assert record["nonce"] == 0


def test_a_no_op_shows_its_hash_beside_what_the_client_asked_for() -> None:
    own = bytes.fromhex(OWN[2:])
    attempt = attempted(Envelope(31_337, 4, 21_000, own, 0, gas_price=5), AttemptKind.NOOP)
    state = State(Status.CANCELED, attempt_id="a", is_canceled=True)
    record = LANGUAGE.record(replace(WAITING, state=state, attempt=attempt), RELAYER)
    assert record["hash"] == attempt.hash
    assert (record["to"], record["value"], record["gas_price"]) == (TO, "1", "5")
    assert record["is_canceled"] is True


def test_an_address_comes_from_the_public_key() -> None:
    key = PrivateKey(bytes.fromhex("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"))
    assert LANGUAGE.address(key.public_key.format(compressed=False)[1:]) == OWN
