"""Log events and metrics, named in one place.

logs.py      one record = one line of JSON, whatever was put in      events.py   the words that records begin with
plain.py     values made harmless: secrets redacted, sizes bounded   metrics.py  what Prometheus may ask for
"""

from baton.telemetry.events import EVENTS
from baton.telemetry.logs import configure_logging, log
from baton.telemetry.metrics import (
    ATTEMPTS,
    BALANCE,
    BLOCKS_TO_INCLUSION,
    COMMIT_SECONDS,
    GROUP_SIZE,
    IN_FLIGHT,
    QUEUED,
    REGISTRY,
    REQUESTS_UNDER_WAY,
    RPC_CALLS,
    RPC_ERROR_ANSWERS,
    RPC_ERRORS,
    RPC_NODE_DOWN,
    RPC_SECONDS,
    STATUS_SECONDS,
    TRANSACTIONS,
    WEBHOOK_SECONDS,
    WEBHOOK_TRIES,
    observe_request,
    render_metrics,
)

__all__ = [
    "ATTEMPTS",
    "BALANCE",
    "BLOCKS_TO_INCLUSION",
    "COMMIT_SECONDS",
    "EVENTS",
    "GROUP_SIZE",
    "IN_FLIGHT",
    "QUEUED",
    "REGISTRY",
    "REQUESTS_UNDER_WAY",
    "RPC_CALLS",
    "RPC_ERRORS",
    "RPC_ERROR_ANSWERS",
    "RPC_NODE_DOWN",
    "RPC_SECONDS",
    "STATUS_SECONDS",
    "TRANSACTIONS",
    "WEBHOOK_SECONDS",
    "WEBHOOK_TRIES",
    "configure_logging",
    "log",
    "observe_request",
    "render_metrics",
]
