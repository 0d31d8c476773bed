"""JSON-RPC over HTTP for every family. Foreign errors become ours here, and the HTTP client is known nowhere else.

    RpcPool ──▶ Endpoint (one URL) ──▶ batch.py (bytes ⇄ answers) ──▶ transport.py (one POST)
                   ├── health.py   failures, pauses                      dialect.py   what nodes' complaints mean
                   └── ws.py       subscriptions

An error that a node gives to a call is a value (`RpcError`); a node that gave no usable answer is `NodeUnavailable`.
"""

from baton.chains.rpc.endpoint import Endpoint, Verify
from baton.chains.rpc.exchange import NO_ANSWER, Answer, Call, Result, RpcError, value_of
from baton.chains.rpc.pool import RpcPool, Told, is_passing
from baton.chains.rpc.settings import RpcSettings
from baton.chains.rpc.ws import subscribe

__all__ = [
    "NO_ANSWER",
    "Answer",
    "Call",
    "Endpoint",
    "Result",
    "RpcError",
    "RpcPool",
    "RpcSettings",
    "Told",
    "Verify",
    "is_passing",
    "subscribe",
    "value_of",
]
