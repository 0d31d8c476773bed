"""Reads the settings from the environment, and says which of the peer's variables are set but not served."""

import difflib
from collections.abc import Mapping
from ipaddress import ip_network
from typing import Any

from baton.config.reading import At, Findings, shown
from baton.config.settings import SETTINGS, Setting, Settings

API_KEY_MIN_CHARS = 32
LOCAL_HOST = "127.0.0.1"
# What webhooks of `baton dev` may reach: receivers on the same machine and in the same house.
LOCAL_RANGES = tuple(
    ip_network(text) for text in ("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
)

UNSERVED = {  # prefix of a variable of the peer: what it would have done
    "REDIS_": "it would name and tune a Redis; Baton keeps everything in one database (DATABASE_URL)",
    "REPOSITORY_STORAGE_TYPE": "it would choose where records are kept; Baton always stores durably",
    "RESET_STORAGE_ON_START": "it would empty the store at the start; Baton never does",
    "TRANSACTION_EXPIRATION_HOURS": "it would delete finished transactions; Baton keeps them",
    "QUEUE_BACKEND": "it would choose a message queue; Baton's database is the queue",
    "DISTRIBUTED_MODE": "it would switch on locks between nodes; Baton's leases need no switch",
    "RELAYER_CONCURRENCY_LIMIT": "it would limit requests under way; see MAX_CONNECTIONS",
    "CONNECTION_BACKLOG": "it would set the listen backlog",
    "REQUEST_TIMEOUT_SECONDS": "it would bound a request; see BATON_HEAD_TIMEOUT_S and BATON_BODY_TIMEOUT_S",
    "RPC_TIMEOUT_MS": "it would bound a call to a node",
    "RPC_ALLOWED_HOSTS": "it would limit the hosts of node addresses",
    "RPC_BLOCK_PRIVATE_IPS": "it would refuse node addresses in private ranges",
    "PROVIDER_": "it would tune retries and failover between nodes",
    "BACKGROUND_WORKER_": "it would size a worker pool; Baton's lanes work in batches",
    "TOKIO_WORKER_THREADS": "it would size a thread pool",
    "ACTIX_WORKERS": "it would size a thread pool",
    "STELLAR_STATUS_": "it would tune status polling; Baton follows the ledgers",
    "STELLAR_MAINNET_": "it would name contracts for fees paid in tokens",
    "STELLAR_TESTNET_": "it would name contracts for fees paid in tokens",
    "SQS_": "it would tune a message queue",
    "PUBSUB_": "it would tune a message queue",
    "RABBITMQ_": "it would tune a message queue",
    "RUST_LOG": "it would set the log level; see LOG_LEVEL",
    "LOG_MODE": "it would write logs to a file; Baton logs to standard error",
    "LOG_DATA_DIR": "it would name the folder of log files",
    "LOG_MAX_SIZE": "it would roll log files",
    "PLUGIN_": "it would tune plugins, which Baton does not have",
    "ENABLE_SWAGGER": "it would switch on the API page; /docs is always there",
}


def read_settings(environ: Mapping[str, str], findings: Findings, *, is_local: bool = False) -> Settings:
    """The settings in force; an empty variable counts as unset. `is_local` is `baton dev`."""
    values: dict[str, Any] = {"host": LOCAL_HOST, "webhook_allowed_cidrs": LOCAL_RANGES} if is_local else {}
    for setting in SETTINGS:
        if environ.get(setting.name):
            _read_one(setting, environ[setting.name], values, At(setting.name, findings))
    _warn(environ, findings)
    settings = Settings(**values)
    if settings.api_key is not None and len(settings.api_key) < API_KEY_MIN_CHARS:
        At("API_KEY", findings).warn(f"shorter than {API_KEY_MIN_CHARS} characters; a longer key is harder to guess")
    return settings


def _read_one(setting: Setting, value: str, values: dict[str, Any], at: At) -> None:
    try:
        values[setting.field] = setting.read(value)
    except ValueError as error:
        at.mistake("something else (not shown)" if setting.is_secret else shown(value), str(error))


def _warn(environ: Mapping[str, str], findings: Findings) -> None:
    known = {setting.name for setting in SETTINGS}
    for name in sorted(environ):
        if name in known or not environ[name]:
            continue
        for prefix, meaning in UNSERVED.items():
            if name.startswith(prefix):
                At(name, findings).warn(f"not served by this version: {meaning}")
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.8) if name.startswith("BATON_") else []
        if close:
            At(name, findings).warn(f"no such setting; did you mean {close[0]}?")
