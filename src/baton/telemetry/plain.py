"""Makes any value harmless for a log: JSON-safe, bounded, and without secrets."""

import math
import re
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 6
MAX_ITEMS = 100
MAX_CHARS = 8_192
MAX_BITS = 1_024
REDACTED = "[redacted]"

_SECRET_KEY = re.compile(
    r"secret|passphrase|password|passwd|authorization|cookie|credential|mnemonic|private"
    r"|(^|_|-)(seed|token|tokens|pin)($|_|-)|(api|signing|storage|encryption|raw|access)[_-]?key|^key$|^dsn$|database_url",
    re.IGNORECASE,
)
_SECRET_TEXT = (
    (re.compile(r"\b([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/?#@]+@"), rf"\1{REDACTED}@"),  # credentials in an address
    (
        re.compile(r"([?&][^=&\s]*(?:key|token|secret|password|auth|sig)[^=&\s]*=)[^&\s#]+", re.IGNORECASE),
        rf"\1{REDACTED}",
    ),
    (re.compile(r"\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE), rf"\1 {REDACTED}"),
    (re.compile(r"\bwhsec_[A-Za-z0-9+/=]+"), REDACTED),
    (re.compile(r"\bS[A-Z2-7]{55}\b"), REDACTED),  # a Stellar seed
)


def plain(value: object, depth: int = 0) -> Any:
    """A JSON value that says the same, as far as it may be said."""
    match value:
        case None | bool():
            return value
        case str():
            return plain_text(value)
        case int():
            return int(value) if value.bit_length() <= MAX_BITS else f"an integer of {value.bit_length()} bits"
        case float():
            return value if math.isfinite(value) else str(value)
        case Mapping() if depth < MAX_DEPTH:
            return plain_fields(value, depth + 1)
        case list() | tuple() | set() | frozenset() if depth < MAX_DEPTH:
            return [plain(item, depth + 1) for item in list(value)[:MAX_ITEMS]]
        case bytes() | bytearray():
            return f"{len(value)} bytes"
        case _:
            return plain_text(_shown(value))


def plain_fields(fields: Mapping[Any, object], depth: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in list(fields.items())[:MAX_ITEMS]:
        name = plain_text(key if isinstance(key, str) else _shown(key))
        is_secret = _SECRET_KEY.search(name) and value is not None and not isinstance(value, bool)
        found[name] = REDACTED if is_secret else plain(value, depth)
    return found


def plain_text(text: str) -> str:
    clipped = text[:MAX_CHARS] + "…" if len(text) > MAX_CHARS else str(text)
    for pattern, replacement in _SECRET_TEXT:
        clipped = pattern.sub(replacement, clipped)
    return clipped


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - whatever a foreign repr does, the record is written
        return f"<{type(value).__name__}>"
