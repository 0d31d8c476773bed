"""When a claimable balance may be claimed: predicates, nested at most four deep, as the protocol has it."""

from baton.chains.fields import I64_MAX, as_object, choice, found, number
from baton.domain.errors import Invalid
from baton.domain.json import Json

DEEPEST = 4
KINDS = ("unconditional", "and", "or", "not", "before_absolute_time", "before_relative_time")
_TIMES = {"before_absolute_time": "abs_before", "before_relative_time": "seconds"}


def predicate(value: Json, path: str) -> Json:
    return _predicate(value, path, 1)


def _predicate(value: Json, path: str, depth: int) -> Json:
    if depth > DEEPEST:
        raise Invalid(path, f"a predicate {depth} deep", f"at most {DEEPEST} deep")
    spec = as_object(value, path)
    kind = choice(spec, "type", KINDS, at=path)
    if kind is None:
        raise Invalid(f"{path}.type", "nothing", "one of " + ", ".join(KINDS))
    if kind == "unconditional":
        return {"type": kind}
    if kind == "not":
        return {"type": kind, "predicate": _predicate(spec.get("predicate"), f"{path}.predicate", depth + 1)}
    if kind in ("and", "or"):
        return {"type": kind, "predicates": _pair(spec.get("predicates"), f"{path}.predicates", depth)}
    key = _TIMES[kind]
    return {"type": kind, key: number(spec.get(key), f"{path}.{key}", 0, I64_MAX, text_allowed=True)}


def _pair(value: Json, path: str, depth: int) -> list[Json]:
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - a left and a right one
        raise Invalid(path, found(value), "an array of 2 predicates")
    return [_predicate(each, f"{path}[{i}]", depth + 1) for i, each in enumerate(value)]
