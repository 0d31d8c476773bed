"""What a store answers to a change: one value of a closed set."""

from dataclasses import dataclass

from baton.domain.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Done:
    pass


@dataclass(frozen=True, slots=True)
class Accepted:
    transaction: Transaction


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Something of that name exists: for an idempotency key, the transaction it made and the body it came with."""

    transaction_id: str = ""
    body_hash: bytes = b""


@dataclass(frozen=True, slots=True)
class Carried:
    """The very bytes of this revision are another transaction's already."""

    transaction_id: str


@dataclass(frozen=True, slots=True)
class Full:
    open_count: int


@dataclass(frozen=True, slots=True)
class Stale:
    pass


@dataclass(frozen=True, slots=True)
class Taken:
    pass


@dataclass(frozen=True, slots=True)
class NotOwner:
    pass


@dataclass(frozen=True, slots=True)
class Owned:
    epoch: int


@dataclass(frozen=True, slots=True)
class Swept:
    """How many rows were forgotten; as many as the limit means that there may be more."""

    count: int


Outcome = Done | Accepted | Duplicate | Carried | Full | Stale | Taken | NotOwner | Owned | Swept
