"""Which endpoint a path and a method lead to. Ids in a path are percent-decoded after it is cut at its slashes."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from baton.api.envelope import Answer
from baton.api.request import Request

Endpoint = Callable[[Request], Awaitable[Answer]]

REMEMBERED = 1024  # paths that were asked for lately: most clients use a few again and again


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    template: str  # /api/v1/notifications/{notification_id}
    endpoint: Endpoint
    is_public: bool = False  # answers without a token; only for paths without variables
    is_limited: bool = False  # counts towards the rate limit


@dataclass(slots=True)
class Place:
    """One path template with what may be done there."""

    template: str
    parts: tuple[str, ...]
    routes: dict[str, Route] = field(default_factory=dict)

    def ids(self, parts: tuple[str, ...]) -> tuple[str, ...] | None:
        """The path's variables if it fits this template; a variable is never empty."""
        found = []
        for wanted, part in zip(self.parts, parts, strict=True):
            if wanted[:1] == "{":
                if not part:
                    return None
                found.append(part)
            elif wanted != part:
                return None
        return tuple(found)

    @property
    def allowed(self) -> list[str]:
        return sorted({*self.routes, "OPTIONS", *(["HEAD"] if "GET" in self.routes else [])})


class Router:
    def __init__(self, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)
        places: dict[str, Place] = {}
        for route in self.routes:
            place = places.setdefault(route.template, Place(route.template, tuple(route.template.split("/"))))
            place.routes[route.method] = route
        # fixed words before variables: /transactions/pending is not the transaction "pending"
        ordered = sorted(places.values(), key=lambda place: [part[:1] == "{" for part in place.parts])
        self._by_length: dict[int, list[Place]] = {}
        for place in ordered:
            self._by_length.setdefault(len(place.parts), []).append(place)
        self.find = lru_cache(REMEMBERED)(self._find)
        self._public = frozenset(route.template.encode() for route in self.routes if route.is_public)

    def is_public(self, path: bytes) -> bool:
        """By exact match of the bytes on the wire, so that no spelling of another path can slip through."""
        return path in self._public

    def _find(self, path: bytes) -> tuple[Place, tuple[str, ...]] | None:
        """One slash at the end makes no difference."""
        try:
            parts = tuple(_decoded(part) for part in path.split(b"/"))
        except UnicodeDecodeError:
            return None
        if len(parts) > 2 and not parts[-1]:  # noqa: PLR2004 - "/" alone has two parts
            parts = parts[:-1]
        for place in self._by_length.get(len(parts), ()):
            ids = place.ids(parts)
            if ids is not None:
                return place, ids
        return None


def _decoded(part: bytes) -> str:
    return (unquote_to_bytes(part) if b"%" in part else part).decode()
