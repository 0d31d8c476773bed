"""What a node is asked and what it answers, as values. An error that a node gives to a call is an answer, not an exception."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json

NO_ANSWER = 0  # no code of JSON-RPC: ours, for a call that was left out of an answer or never got one
SHOWN_CHARS = 200  # how much of a node's text goes into a message of ours


class Call(Struct, frozen=True):
    """`params` is a list for most nodes and an object for some (Stellar)."""

    method: str
    params: Sequence[Json] | Mapping[str, Json] = ()


class Result(Struct, frozen=True):
    value: Json


class RpcError(Struct, frozen=True):
    code: int
    message: str
    data: Json = None

    @property
    def is_unanswered(self) -> bool:
        """The node said nothing of this call: it may have been carried out or not."""
        return self.code == NO_ANSWER


Answer = Result | RpcError


def unanswered(why: str) -> RpcError:
    """The message is always the same: the text of a failed request must not pass for a verdict on each of its calls."""
    return RpcError(NO_ANSWER, "the node gave no answer to this call", why)


def value_of(answer: Answer, what: str = "the call") -> Json:
    """The value, for calls that a sound node answers with one: an error then decides nothing and counts as an outage."""
    match answer:
        case Result(value):
            return value
        case RpcError(code, message):
            raise NodeUnavailable(f"{what}: the node answered {code} {shown_text(message)}")


def shown_text(text: str) -> str:
    """A node's words, short and on one line."""
    return "".join(char if char.isprintable() else " " for char in text[:SHOWN_CHARS]).strip()
