"""Every error that Baton raises on purpose.

    BatonError
    ├── Refused                 the client's doing: say what is wrong, store nothing
    │   ├── Invalid               a field: what was found, what was expected
    │   ├── Unauthorized          no key, or not one of ours
    │   ├── Forbidden             the key may not, or the relayer is paused or disabled
    │   ├── Missing               no such thing
    │   │   ├── RelayerMissing
    │   │   ├── TransactionMissing
    │   │   └── NotificationMissing
    │   ├── NotificationExists    the id is taken
    │   ├── KeyReused             an idempotency key came back with another body
    │   ├── TooMany               rate or queue limit; says when to come back
    │   ├── TooLarge · HeadTooLarge · TooSlow · WrongMedia · WrongMethod
    │   └── NotServed             a path of the wider API that this version does not serve
    ├── Unavailable             an outage: try again, nothing was decided
    │   ├── StoreUnavailable
    │   ├── NodeUnavailable
    │   │   └── WrongChain        every node answers, and serves another chain
    │   └── SignerUnavailable
    ├── Misconfigured           the operator's doing: stops the start, all mistakes at once
    └── Bug                     our own: a rule of the house was broken

HTTP codes are not here: they belong to `api/errors.py`.
"""

from collections.abc import Sequence


class BatonError(Exception):
    """The root. `str(error)` is safe to show: it never carries a secret."""


class Refused(BatonError):
    pass


class Invalid(Refused):
    """One field of a request is not as it must be."""

    def __init__(self, field: str, found: str, expected: str) -> None:
        super().__init__(f"{field}: found {found}, expected {expected}")
        self.field = field
        self.found = found
        self.expected = expected


class Unauthorized(Refused):
    pass


class Forbidden(Refused):
    pass


class Missing(Refused):
    pass


class RelayerMissing(Missing):
    def __init__(self, relayer_id: str) -> None:
        super().__init__(f"no relayer has the id {relayer_id!r}; GET /api/v1/relayers lists them")
        self.relayer_id = relayer_id


class TransactionMissing(Missing):
    def __init__(self, transaction_id: str) -> None:
        super().__init__(f"this relayer has no transaction with the id {transaction_id!r}")


class NotificationMissing(Missing):
    def __init__(self, notification_id: str) -> None:
        super().__init__(f"no notification has the id {notification_id!r}")


class NotificationExists(Refused):
    def __init__(self, notification_id: str) -> None:
        super().__init__(f"id: a notification {notification_id!r} exists already; PATCH it, or choose another id")


class KeyReused(Refused):
    def __init__(self) -> None:
        super().__init__("Idempotency-Key: this key was used with another body; use a new key for a new transaction")


class TooMany(Refused):
    def __init__(self, reason: str, retry_after_s: float) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class TooLarge(Refused):
    pass


class HeadTooLarge(Refused):
    pass


class TooSlow(Refused):
    """A request that was begun did not arrive in time."""


class WrongMedia(Refused):
    pass


class WrongMethod(Refused):
    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        super().__init__(f"found method {method}, expected one of {', '.join(allowed)}")
        self.allowed = tuple(allowed)


class NotServed(Refused):
    pass


class Unavailable(BatonError):
    pass


class StoreUnavailable(Unavailable):
    pass


class NodeUnavailable(Unavailable):
    pass


class WrongChain(NodeUnavailable):
    """Waiting does not help: a person must correct the addresses."""


class SignerUnavailable(Unavailable):
    pass


class Misconfigured(BatonError):
    """The configuration cannot be used; carries every mistake that was found."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = tuple(mistakes)


class Bug(BatonError):
    pass
