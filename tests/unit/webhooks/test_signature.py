"""W4: both signatures, judged by code that is not ours."""

import base64
import hashlib
import hmac
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from baton.webhooks.signature import body_signature, sign_headers, standard_key

PEER_KEY = "e1d42480-6f74-4d0b-85f4-b7f0bb690fae"
PEER_BODY = (
    b'{"id":"1f0d6a52-7a5e-4c0a-9a53-0c2c0b8a9a11","event":"transaction_update","payload":{"payload_type":"transaction",'
    b'"id":"47f440b3-f4ce-4441-9489-55fc83be12cf","hash":"0xca349b67fad7b64239f4682a231c5398b0b52a93b626d1d67cb9ec037cdd290c",'
    b'"status":"submitted","status_reason":null,"created_at":"2025-02-26T13:28:46.838812345+00:00",'
    b'"sent_at":"2025-02-26T13:28:48.838812345+00:00","confirmed_at":null,"gas_price":null,"gas_limit":21000,"nonce":8,'
    b'"value":"0x1","from":"0xc834dcdc9a074dbbadcc71584789ae4b463db116","to":"0x5e87fD270D40C47266B7E3c822f4a9d21043012D",'
    b'"relayer_id":"sepolia-example","data":"0x","max_fee_per_gas":"30000000000","max_priority_fee_per_gas":"2000000000",'
    b'"signature":null,"speed":"fast","is_canceled":false},"timestamp":"2025-02-26T13:28:48.900000000+00:00"}'
)
WHSEC = "whsec_" + base64.b64encode(bytes(range(32))).decode()


def test_the_peers_test_vector_is_met() -> None:
    assert len(PEER_BODY) == 774
    assert body_signature(PEER_KEY, PEER_BODY) == "YBEwf0IZPPNSYS3d+HOKH2GLt46RTNyY1D9Ytxj2pJs="


def test_the_standard_webhooks_vector_is_met() -> None:
    body = (
        b'{"id":"7f6f2f0a-5a0e-4f0a-9d3e-0d8f4f2a1b11","event":"transaction_update","payload":{"payload_type":"transaction",'
        b'"id":"tx-1","status":"confirmed"},"timestamp":"2026-01-02T03:04:05.678901+00:00"}'
    )
    headers = sign_headers([WHSEC], "msg_01JGTESTVECTOR0000000000A", 1767323045, body)
    assert headers["webhook-signature"] == "v1,Tvk9RtX/KQqxQMbHr8J1GnjJZpfB1Puos9SxcgosnVw="


@pytest.mark.parametrize("key", [WHSEC, WHSEC.rstrip("=")])
def test_the_standardwebhooks_package_verifies_a_whsec_key(key: str) -> None:
    headers = sign_headers([key], "event-1", int(time.time()), b'{"a":1}')
    assert Webhook(key).verify(b'{"a":1}', headers) == {"a": 1}


@settings(max_examples=50, deadline=None)
@given(key=st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40), body=st.binary())
def test_any_other_text_signs_with_its_own_bytes(key: str, body: bytes) -> None:
    headers = sign_headers([key], "event-1", 1_900_000_000, body)
    expected = base64.b64encode(hmac.new(key.encode(), body, hashlib.sha256).digest()).decode()
    assert headers["X-Signature"] == expected
    if not key.startswith("whsec_"):
        signed = b"event-1.1900000000." + body
        mac = base64.b64encode(hmac.new(key.encode(), signed, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == "v1," + mac


def test_a_plain_key_is_verified_by_the_package_when_it_is_wrapped() -> None:
    wrapped = "whsec_" + base64.b64encode(PEER_KEY.encode()).decode()
    headers = sign_headers([PEER_KEY], "event-1", int(time.time()), b"{}")
    assert Webhook(wrapped).verify(b"{}", headers) == {}


@pytest.mark.parametrize("key", ["whsec_", "whsec_***", "whsec_a", "whsec_äöü", "whsec_AAA=A"])
def test_whsec_followed_by_bad_base64_is_plain_text(key: str) -> None:
    assert standard_key(key) == key.encode()


def test_the_peers_signature_uses_the_text_of_a_whsec_key() -> None:
    expected = base64.b64encode(hmac.new(WHSEC.encode(), b"{}", hashlib.sha256).digest()).decode()
    assert sign_headers([WHSEC], "e", 1, b"{}")["X-Signature"] == expected


def test_during_a_rotation_both_keys_verify_and_a_stranger_does_not() -> None:
    old, new, stranger = ("whsec_" + base64.b64encode(bytes([fill]) * 32).decode() for fill in (1, 2, 3))
    headers = sign_headers([new, old], "event-1", int(time.time()), b"{}")
    for key in (old, new):
        assert Webhook(key).verify(b"{}", headers) == {}
    with pytest.raises(WebhookVerificationError):
        Webhook(stranger).verify(b"{}", headers)
    assert headers["X-Signature"] == body_signature(new, b"{}")


def test_without_a_key_there_is_an_id_and_a_time_and_no_signature() -> None:
    assert sign_headers([], "event-1", 7, b"{}") == {"webhook-id": "event-1", "webhook-timestamp": "7"}
