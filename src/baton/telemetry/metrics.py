"""What Prometheus may ask for. Labels come from closed sets (routes, statuses, relayers), never from what a client sent."""

from collections.abc import Iterable, Mapping
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

REQUESTS = Counter("baton_http_requests", "Requests answered", ("method", "route", "status"), registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "baton_http_request_seconds",
    "From a request's head to its answer",
    ("method", "route"),
    registry=REGISTRY,
    buckets=_SECONDS,
)
REQUESTS_UNDER_WAY = Gauge("baton_http_requests_under_way", "Requests being answered", registry=REGISTRY)
GROUP_SIZE = Histogram(
    "baton_group_commit_size",
    "Changes that shared one SQL transaction",
    registry=REGISTRY,
    buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000),
)
COMMIT_SECONDS = Histogram(
    "baton_group_commit_seconds", "From BEGIN to the durable COMMIT", registry=REGISTRY, buckets=_SECONDS
)

# `node` is the host of an RPC URL, never its path: paths of hosted nodes are keys.
RPC_CALLS = Counter("baton_rpc_calls", "Calls sent to a node, each item of a batch", ("node",), registry=REGISTRY)
RPC_ERRORS = Counter("baton_rpc_errors", "Requests to a node without an answer", ("node", "trouble"), registry=REGISTRY)
RPC_ERROR_ANSWERS = Counter(
    "baton_rpc_error_answers", "Calls that a node answered with an error", ("node",), registry=REGISTRY
)
RPC_SECONDS = Histogram(
    "baton_rpc_request_seconds", "From an HTTP request to its answer", ("node",), registry=REGISTRY, buckets=_SECONDS
)
RPC_NODE_DOWN = Gauge(
    "baton_rpc_node_down", "1 while a node is left alone after failures", ("node",), registry=REGISTRY
)

IN_FLIGHT = Gauge("baton_lane_in_flight", "Signed and not yet in a block", ("relayer",), registry=REGISTRY)
QUEUED = Gauge("baton_lane_queued", "Accepted and not yet signed", ("relayer",), registry=REGISTRY)
BALANCE = Gauge("baton_relayer_balance", "In the chain's smallest unit, as last seen", ("relayer",), registry=REGISTRY)
ATTEMPTS = Counter(
    "baton_attempts",
    "Versions signed: original, bump, replacement, noop, or filler of a gap",
    ("relayer", "kind"),
    registry=REGISTRY,
)
BLOCKS_TO_INCLUSION = Histogram(
    "baton_blocks_to_inclusion",
    "Blocks from the first broadcast of a version to its block",
    ("relayer",),
    registry=REGISTRY,
    buckets=(0, 1, 2, 3, 5, 10, 20, 50, 100),
)
STATUS_SECONDS = Histogram(
    "baton_status_seconds",
    "How long transactions stayed in a status that they left",
    ("relayer", "status"),
    registry=REGISTRY,
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 1800, 7200, 86_400),
)
WEBHOOK_TRIES = Counter(
    "baton_webhook_tries", "Tries to deliver an event: taken or failed", ("outcome",), registry=REGISTRY
)
WEBHOOK_SECONDS = Histogram(
    "baton_webhook_seconds",
    "From an event's commit to a receiver that took it at the first try",
    registry=REGISTRY,
    buckets=(*_SECONDS, 30, 60),
)


class TransactionCounts(Collector):
    """Transactions by relayer and status, as the store counted them last; a scrape refreshes them first."""

    def __init__(self) -> None:
        self._counts: Mapping[tuple[str, str], int] = {}

    def show(self, counts: Mapping[tuple[str, str], int]) -> None:
        self._counts = dict(counts)

    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily("baton_transactions", "Transactions by status", labels=("relayer", "status"))
        for (relayer, status), count in sorted(self._counts.items()):
            family.add_metric((relayer, str(status)), count)
        yield family


TRANSACTIONS = TransactionCounts()
REGISTRY.register(TRANSACTIONS)


def observe_request(method: str, route: str, status: int, seconds: float) -> None:
    """Counts one answer. `route` is the path's template; a method that we do not know counts as OTHER."""
    requests, request_seconds = _request_meters(method if method in METHODS else "OTHER", route, status)
    requests.inc()
    request_seconds.observe(seconds)


@cache
def _request_meters(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    """Looking a meter up by its labels costs more than counting; there are few, for their labels are closed sets."""
    return REQUESTS.labels(method, route, str(status)), REQUEST_SECONDS.labels(method, route)


def render_metrics() -> tuple[bytes, str]:
    """The text that Prometheus reads, and its content type."""
    return generate_latest(REGISTRY), CONTENT_TYPE_LATEST
