"""A notification: where a webhook goes, and the key that signs it."""

from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

URL_MAX_CHARS = 2048


@dataclass(frozen=True, slots=True)
class Notification:
    id: str
    url: str
    created_at: datetime
    signing_key: str | None = field(default=None, repr=False)  # in clear only in memory
    version: int = 1


def is_webhook_url(text: str) -> bool:
    """An absolute http or https address with a host. Where it leads is judged at each delivery, not here."""
    if len(text) > URL_MAX_CHARS or not text.isprintable() or " " in text:
        return False  # urlsplit drops tabs and newlines in silence
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an unclosed bracket, a port that is no number
        return False
