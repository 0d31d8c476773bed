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
    previous_key: str | None = field(default=None, repr=False)  # after a change of keys, both sign until then
    previous_until: datetime | None = None

    def keys_at(self, now: datetime) -> list[str]:
        """The keys that sign at that moment, the current one first."""
        keys = [] if self.signing_key is None else [self.signing_key]
        if keys and self.previous_key is not None and self.previous_until is not None and now < self.previous_until:
            keys.append(self.previous_key)
        return keys


@dataclass(frozen=True, slots=True)
class Health:
    """How a receiver has been doing. A change of the notification makes it whole again."""

    failures: int = 0  # in a row
    failing_since: datetime | None = None
    rest_until: datetime | None = None  # nothing is tried before
    disabled_reason: str | None = None  # it said that it is gone (410)


def is_webhook_url(text: str) -> bool:
    """An absolute http or https address with a host. Where it leads is judged at each delivery, not here."""
    if len(text) > URL_MAX_CHARS or not text.isprintable() or " " in text:
        return False  # urlsplit drops tabs and newlines in silence
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an unclosed bracket, a port that is no number
        return False
