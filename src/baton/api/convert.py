"""A JSON value into a typed request; what does not fit becomes `Invalid` with the field, the finding, the expectation."""

import re
from functools import cache
from typing import TypeVar

import msgspec

from baton.chains.fields import found
from baton.domain.errors import Invalid
from baton.domain.json import Json

T = TypeVar("T", bound=msgspec.Struct)

_PATH = re.compile(r"`\$\.([^`]+)`$")
_NAMED = re.compile(r"(missing required|contains unknown) field `(.*)`", re.DOTALL)


def convert(body: Json, kind: type[T], unshown: str = "") -> T:
    """`unshown` names the field whose value no error may repeat."""
    if not isinstance(body, dict):
        raise Invalid("body", found(body), "a JSON object")
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise _explained(str(error), body, kind, unshown) from None


def _explained(flaw: str, body: dict[str, Json], kind: type[msgspec.Struct], unshown: str) -> Invalid:
    meant = expectations(kind)
    if named := _NAMED.search(flaw):
        what, field = named.groups()
        if what == "contains unknown":
            return Invalid(field[:60], "a key that is unknown here", f"only {', '.join(meant)}")
        return Invalid(field, "nothing", meant[field])
    path = _PATH.search(flaw)
    field = path[1] if path else "body"
    finding = "another value (not shown)" if field == unshown else found(body.get(field))
    return Invalid(field, finding, meant.get(field, flaw))


@cache
def expectations(kind: type[msgspec.Struct]) -> dict[str, str]:
    """What each field's own schema says of it: the words of the documentation are the words of the error."""
    (_, components) = msgspec.json.schema_components([kind])
    properties = components[kind.__name__]["properties"]
    return {name: schema.get("description", "another value") for name, schema in properties.items()}
