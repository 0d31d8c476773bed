"""A notification: where a webhook goes, and the key that signs it."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Notification:
    id: str
    url: str
    created_at: datetime
    signing_key: str | None = field(default=None, repr=False)  # in clear only in memory
    version: int = 1
