"""What can go wrong between us and a node, and when it does. Faults are values; a rule says how often one strikes.

before the node         Latency  Status  Reset  Blackhole          the whole HTTP request, if one of its calls matches
at the node             Duplicate                                  the matching calls run twice
instead of the node     RpcFault  NullResult  Stale                the matching calls alone; the node does not see them
on the way back         Lie  Forge                                 the matching calls alone
                        LoseResponse  Truncate  Garbage            the whole HTTP response; the node did run it
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from baton.domain.json import Json

ANY = "*"


@dataclass(frozen=True, slots=True)
class Latency:
    seconds: float
    jitter_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Status:
    code: int
    retry_after: str | None = None
    body: str = "unavailable"


@dataclass(frozen=True, slots=True)
class Reset:
    """The connection is reset before the node sees anything."""


@dataclass(frozen=True, slots=True)
class Blackhole:
    """No answer ever; the node sees nothing."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The node gets the matching calls twice; the answer to the second is what comes back."""


@dataclass(frozen=True, slots=True)
class RpcFault:
    code: int = -32603
    message: str = "internal error"
    data: Json = None


@dataclass(frozen=True, slots=True)
class NullResult:
    pass


@dataclass(frozen=True, slots=True)
class Stale:
    """The last answer to the same method and parameters, again; strikes only once there is one."""


@dataclass(frozen=True, slots=True)
class Lie:
    """The result, changed. Errors are left as they are."""

    transform: Callable[[Json], Json]


@dataclass(frozen=True, slots=True)
class Forge:
    """As `Lie`, by someone who knows what was asked: the parameters come first."""

    transform: Callable[[Json, Json], Json]


@dataclass(frozen=True, slots=True)
class LoseResponse:
    """The node ran it; the connection is reset instead of the answer."""


@dataclass(frozen=True, slots=True)
class Truncate:
    """Half of the answer."""


@dataclass(frozen=True, slots=True)
class Garbage:
    body: bytes = b"<html>502 Bad Gateway</html>"


Fault = (
    Latency
    | Status
    | Reset
    | Blackhole
    | Duplicate
    | RpcFault
    | NullResult
    | Stale
    | Lie
    | Forge
    | LoseResponse
    | Truncate
    | Garbage
)


@dataclass(slots=True)
class Rule:
    """Lets a fault strike: not the first `skip` matches, then with `probability`, at most `times` (None: for ever)."""

    fault: Fault
    method: str = ANY
    times: int | None = None
    probability: float = 1.0
    skip: int = 0
    hits: int = 0
    _seen: int = 0

    def matches(self, method: str) -> bool:
        return self.method in (ANY, method)

    def strikes(self, chance: random.Random) -> bool:
        """Whether it strikes at this match, counting it."""
        if self.times is not None and self.hits >= self.times:
            return False
        self._seen += 1
        if self._seen <= self.skip or chance.random() >= self.probability:
            return False
        self.hits += 1
        return True
