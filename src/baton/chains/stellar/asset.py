"""Assets: the native one, or a code with its issuer; the peer's and the SDK's spellings both mean the same."""

import re

from baton.chains.fields import as_object, choice, found
from baton.chains.stellar.wire import account
from baton.domain.errors import Invalid
from baton.domain.json import Json

NATIVE = "native"
_LENGTHS = {"credit4": (1, 4), "credit12": (5, 12)}
_KINDS = {
    NATIVE: NATIVE,
    "credit4": "credit4",
    "credit12": "credit12",
    "credit_alphanum4": "credit4",
    "credit_alphanum12": "credit12",
}
_CODE = re.compile(r"[a-zA-Z0-9]+")


def asset(value: Json, path: str) -> Json:
    spec = as_object(value, path)
    given = choice(spec, "type", _KINDS, at=path)
    if given is None:
        raise Invalid(f"{path}.type", "nothing", "one of " + ", ".join(_KINDS))
    kind = _KINDS[given]
    if kind == NATIVE:
        return {"type": NATIVE}
    return {"type": kind, "code": _code(spec, path, kind), "issuer": account(spec.get("issuer"), f"{path}.issuer")}


def credit(value: Json, path: str) -> Json:
    """An asset that somebody issues."""
    read = asset(value, path)
    if read["type"] == NATIVE:
        raise Invalid(f"{path}.type", '"native"', "an issued asset (credit4 or credit12)")
    return read


def _code(spec: dict[str, Json], path: str, kind: str) -> str:
    code = spec.get("code")
    least, most = _LENGTHS[kind]
    if not isinstance(code, str) or not least <= len(code) <= most or not _CODE.fullmatch(code):
        raise Invalid(f"{path}.code", found(code), f"{least} to {most} letters and digits for {kind}")
    return code
