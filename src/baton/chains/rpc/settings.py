"""How patient we are with nodes, and how much we ask of them at once."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RpcSettings:
    timeout_s: float = 10.0  # for a whole batch at one node
    broadcast_timeout_s: float = 3.0  # for a whole batch sent everywhere, at each node
    broadcast_grace_s: float = 0.5  # how long the others are awaited once one node has answered
    connect_timeout_s: float = 3.0
    batch_limit: int = 100  # calls in one HTTP request
    batch_memory_s: float = 600.0  # how long a node's refusal of larger batches is remembered
    concurrency: int = 16  # HTTP requests at once, for each node
    response_limit_bytes: int = 64 * 1024 * 1024  # after unpacking; block receipts of a large block take some MiB
    first_pause_s: float = 0.5  # after one failure; doubles with each further one
    longest_pause_s: float = 30.0
    longest_wait_s: float = 60.0  # the most that a node's own Retry-After is believed
    recheck_s: float = 1.0  # a new connection is checked anew, at most this often
    heartbeat_s: float = 15.0  # between pings of a WebSocket
    message_limit_bytes: int = 4 * 1024 * 1024  # one message of a WebSocket
