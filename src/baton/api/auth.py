"""Who asks: a bearer token in the Authorization header, compared in constant time."""

import hashlib
import hmac
from dataclasses import dataclass

from baton.api.envelope import Header
from baton.domain.errors import Unauthorized

_EXPECTED = "expected one header 'Authorization: Bearer <token>'"


@dataclass(frozen=True, slots=True)
class Caller:
    """`id` names the key, never shows it: it scopes idempotency keys and rate limits."""

    id: str


NOBODY = Caller("")
ROOT = Caller("root")


class Keys:
    """The tokens that open the door. Only their hashes are kept."""

    def __init__(self, root_token: str) -> None:
        self._root = hashlib.sha256(root_token.encode()).digest()

    def caller(self, headers: list[Header]) -> Caller:
        """Raises `Unauthorized`, with words that tell nothing about any key."""
        given = [value for name, value in headers if name == b"authorization"]
        if len(given) != 1:
            raise Unauthorized(f"found {len(given)} Authorization headers, {_EXPECTED}")
        scheme, _, token = given[0].strip().partition(b" ")
        if scheme.lower() != b"bearer" or not token or b" " in token:
            raise Unauthorized(f"found another form of Authorization, {_EXPECTED}")
        # the hashes are of one length whatever was sent, so comparing them tells nothing about the token
        if not hmac.compare_digest(hashlib.sha256(token).digest(), self._root):
            raise Unauthorized("this token is not accepted")
        return ROOT
