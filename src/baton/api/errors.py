"""Exception → code and message: the only such table. Messages are the phrases of the contract, to the letter."""

import math

from baton.api.envelope import Answer, Header, failure
from baton.domain.errors import (
    BatonError,
    Forbidden,
    HeadTooLarge,
    KeyReused,
    Missing,
    NotificationExists,
    NotificationMissing,
    NotServed,
    Refused,
    RelayerMissing,
    TooLarge,
    TooMany,
    TooSlow,
    Unauthorized,
    Unavailable,
    WrongMedia,
    WrongMethod,
)

TABLE: dict[type[BatonError], tuple[int, str]] = {
    Refused: (400, "Bad Request"),
    Unauthorized: (401, "Unauthorized"),
    Forbidden: (403, "Forbidden"),
    Missing: (404, "Not found"),
    RelayerMissing: (404, "Relayer with ID {relayer_id} not found"),
    NotificationMissing: (404, "Notification not found"),
    WrongMethod: (405, "Method Not Allowed"),
    TooSlow: (408, "Request Timeout"),
    NotificationExists: (409, "Notification with this ID already exists"),
    TooLarge: (413, "Payload Too Large"),
    WrongMedia: (415, "Unsupported Media Type"),
    KeyReused: (422, "Unprocessable Entity"),
    TooMany: (429, "Too Many Requests"),
    HeadTooLarge: (431, "Request Header Fields Too Large"),
    BatonError: (500, "Internal Server Error"),  # a bug of ours
    NotServed: (501, "Not Implemented"),
    Unavailable: (503, "Service Unavailable"),
}

CRASH = "something broke on our side; the log has it under this answer's x-request-id"


def answer_to(error: BaseException) -> Answer:
    """The answer that an error deserves; what is not for the client to know stays in the log."""
    kind = next((each for each in type(error).__mro__ if each in TABLE), BatonError)
    status, message = TABLE[kind]
    if isinstance(error, RelayerMissing):
        message = message.replace("{relayer_id}", error.relayer_id)
    return failure(status, message, CRASH if is_crash(error) else str(error), _headers(error))


def is_crash(error: BaseException) -> bool:
    return not isinstance(error, (Refused, Unavailable))


def _headers(error: BaseException) -> tuple[Header, ...]:
    match error:
        case Unauthorized():
            return ((b"www-authenticate", b"Bearer"),)
        case WrongMethod(allowed=allowed):
            return ((b"allow", ", ".join(allowed).encode()),)
        case TooMany(retry_after_s=seconds):
            return ((b"retry-after", str(max(1, math.ceil(seconds))).encode()),)
        case Unavailable():
            return ((b"retry-after", b"1"),)
        case TooSlow() | HeadTooLarge():
            return ((b"connection", b"close"),)
        case _:
            return ()
