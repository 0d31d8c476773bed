"""Signatures over the exact bytes that are sent, in two forms at once.

X-Signature          base64 of HMAC-SHA256(the key's text, body): what receivers of OpenZeppelin Relayer check
webhook-signature    Standard Webhooks: `v1,` + base64 of HMAC-SHA256(key bytes, "id.timestamp.body"), one entry a key
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence

PREFIX = "whsec_"


def sign_headers(keys: Sequence[str], event_id: str, timestamp_s: int, body: bytes) -> dict[str, str]:
    """The headers of one try. `keys`: the current one first, then those that a rotation still lets count.

    X-Signature holds one value only, so it goes with the current key from the moment it is set.
    """
    headers = {"webhook-id": event_id, "webhook-timestamp": str(timestamp_s)}
    if keys:
        headers["X-Signature"] = body_signature(keys[0], body)
        entries = (standard_signature(key, event_id, timestamp_s, body) for key in keys)
        headers["webhook-signature"] = " ".join(entries)
    return headers


def body_signature(key: str, body: bytes) -> str:
    return _mac(key.encode(), body)


def standard_signature(key: str, event_id: str, timestamp_s: int, body: bytes) -> str:
    return "v1," + _mac(standard_key(key), b"%s.%d.%s" % (event_id.encode(), timestamp_s, body))


def standard_key(key: str) -> bytes:
    """A `whsec_` key is base64 of the bytes that sign; any other text, bad base64 included, is used as it is."""
    if key.startswith(PREFIX):
        encoded = key.removeprefix(PREFIX)
        padded = encoded + "=" * (-len(encoded) % 4)  # the padding is often left out
        try:
            decoded = base64.b64decode(padded, validate=True)
        except (binascii.Error, ValueError):
            decoded = b""
        if decoded:
            return decoded
    return key.encode()


def _mac(key: bytes, message: bytes) -> str:
    # not hmac.digest: that gives up the interpreter lock, which costs more than the hash when other threads want it
    return base64.b64encode(hmac.new(key, message, hashlib.sha256).digest()).decode()
