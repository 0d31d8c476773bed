"""Settings from the environment: one table with name, default and meaning, from which docs/configuration.md is made.

Names that OpenZeppelin Relayer uses keep its meaning; our own begin with BATON_.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any

from baton.config import words

CidrList = tuple[IPv4Network | IPv6Network, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table."""

    field: str
    name: str  # of the environment variable
    read: Callable[[str], object]  # raises ValueError with what was expected
    default: object
    doc: str
    is_secret: bool

    @property
    def shown_default(self) -> str:
        if self.default is None or self.default == ():
            return "none"
        if isinstance(self.default, float):
            return f"{self.default:g}"
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)


def _row(name: str, read: Callable[[str], object], default: object, doc: str, *, is_secret: bool = False) -> Any:
    return field(default=default, repr=not is_secret, metadata={"row": (name, read, doc, is_secret)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    api_key: str | None = _row(
        "API_KEY",
        words.token,
        None,
        "The root API key. `baton serve` refuses to start without it; `baton dev` makes one and keeps it.",
        is_secret=True,
    )
    host: str = _row("HOST", words.text, "0.0.0.0", "Where to listen; `baton dev` listens on 127.0.0.1.")  # noqa: S104 - as the peer
    port: int = _row("APP_PORT", words.integer(0, 65_535), 8080, "The port of the API; 0 takes a free one.")
    data_dir: Path = _row("BATON_DATA_DIR", Path, Path(".baton"), "The folder of the embedded store and its key file.")  # noqa: RUF009 - a row is a field
    database_url: str | None = _row(
        "DATABASE_URL",
        words.database_url,
        None,
        "A PostgreSQL address; absent, the embedded store in the data folder is used.",
        is_secret=True,
    )
    storage_key: bytes | None = _row(
        "STORAGE_ENCRYPTION_KEY",
        words.key32,
        None,
        "Base64 of 32 bytes: encrypts stored secrets. The embedded store makes a key file if it is absent.",
        is_secret=True,
    )
    storage_key_previous: bytes | None = _row(
        "STORAGE_ENCRYPTION_KEY_PREVIOUS",
        words.key32,
        None,
        "The key before the last change; accepted for reading only.",
        is_secret=True,
    )

    rate_per_s: float = _row(
        "RATE_LIMIT_REQUESTS_PER_SECOND",
        words.number(0.001, 1e9),
        100.0,
        "Requests a second for each API key, on the relayer endpoints only.",
    )
    rate_burst: int = _row(
        "RATE_LIMIT_BURST_SIZE", words.integer(1, 10**9), 300, "How many requests a key may send at once."
    )
    max_connections: int = _row(
        "MAX_CONNECTIONS", words.integer(1, 10**6), 2048, "Connections open at the same time; more are answered 503."
    )
    max_body_bytes: int = _row(
        "BATON_MAX_BODY_BYTES", words.integer(1024, 2**30), 512 * 1024, "The largest request body."
    )
    max_json_depth: int = _row("BATON_MAX_JSON_DEPTH", words.integer(4, 200), 32, "How deep a JSON body may nest.")
    max_head_bytes: int = _row(
        "BATON_MAX_HEAD_BYTES", words.integer(1024, 2**20), 16 * 1024, "The largest head of a request."
    )
    head_timeout_s: float = _row(
        "BATON_HEAD_TIMEOUT_S", words.number(0.1, 600), 10.0, "How long a client may take to send a request's head."
    )
    body_timeout_s: float = _row(
        "BATON_BODY_TIMEOUT_S", words.number(0.1, 600), 15.0, "How long a client may take to send a request's body."
    )
    drain_timeout_s: float = _row(
        "BATON_DRAIN_TIMEOUT_S", words.number(0, 600), 10.0, "How long a stop waits for what is under way."
    )
    queue_limit: int = _row(
        "BATON_QUEUE_LIMIT",
        words.integer(1, 10**9),
        100_000,
        "Transactions of one relayer that may be open at the same time; more are answered 429.",
    )
    idempotency_hours: float = _row(
        "BATON_IDEMPOTENCY_HOURS",
        words.number(24, 24 * 366),
        24.0,
        "How long an idempotency key is kept at least; never shorter than its transaction is open.",
    )
    commit_linger_ms: float = _row(
        "BATON_COMMIT_LINGER_MS",
        words.number(0, 100),
        1.0,
        "How long the embedded store gathers writes that then share one commit.",
    )
    lease_ttl_s: float = _row(
        "BATON_LEASE_TTL_S",
        words.number(0.05, 3600),
        15.0,
        "After this silence of a node, others may take over its lanes.",
    )
    webhook_allowed_cidrs: CidrList = _row(  # noqa: RUF009 - a row is a field
        "WEBHOOK_ALLOWED_CIDRS",
        words.cidrs,
        (),
        "Private address ranges that webhooks may reach, separated by commas; `baton dev` allows loopback and private ones.",
    )
    key_overlap_hours: float = _row(
        "BATON_KEY_OVERLAP_HOURS",
        words.number(0, 24 * 7),
        24.0,
        "How long a replaced signing key of a notification goes on signing beside the new one.",
    )
    deliveries_days: float = _row(
        "BATON_DELIVERIES_DAYS", words.number(0, 36_600), 30.0, "How long a delivery that ended is kept; 0: for ever."
    )
    events_days: float = _row(
        "BATON_EVENTS_DAYS",
        words.number(0, 36_600),
        90.0,
        "How long an event is kept in the feed, once nobody is still to be told of it; 0: for ever.",
    )

    log_level: str = _row(
        "LOG_LEVEL", words.log_level, "info", "`debug`, `info`, `warning` or `error` (`trace` is `debug`)."
    )
    log_format: str = _row(
        "LOG_FORMAT", words.log_format, "json", "`json` (one line a record) or `pretty` (`compact` is `pretty`)."
    )
    metrics_enabled: bool = _row(
        "METRICS_ENABLED", words.flag, True, "Whether `GET /metrics` answers (with an API key, as everything)."
    )
    metrics_port: int | None = _row(
        "METRICS_PORT", words.integer(1, 65_535), None, "Also serve metrics on this port of 127.0.0.1, without a key."
    )


def _table() -> tuple[Setting, ...]:
    rows = []
    for item in fields(Settings):
        name, read, doc, is_secret = item.metadata["row"]
        rows.append(Setting(item.name, name, read, item.default, doc, is_secret))
    return tuple(rows)


SETTINGS = _table()
