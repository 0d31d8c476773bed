"""Log events and metrics, named in one place."""

import structlog
from prometheus_client import CollectorRegistry, Histogram

log = structlog.get_logger("baton")
REGISTRY = CollectorRegistry()
GROUP_SIZE = Histogram(
    "baton_group_commit_size", "Changes per SQL transaction", registry=REGISTRY, buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
)
