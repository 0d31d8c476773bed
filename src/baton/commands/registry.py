"""The relayers that this process knows, each with the language of its network. Replaceable at run time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from baton.chains.base import Language
from baton.domain.errors import RelayerMissing
from baton.domain.relayer import Relayer


@dataclass(frozen=True, slots=True)
class Known:
    relayer: Relayer
    language: Language


class Relayers:
    def __init__(self, language_of: Callable[[Relayer], Language], relayers: Iterable[Relayer] = ()) -> None:
        self._language_of = language_of
        self._known: dict[str, Known] = {}
        self._listeners: list[Callable[[str], None]] = []
        for relayer in relayers:
            self.put(relayer)

    def get(self, relayer_id: str) -> Known:
        """Raises `RelayerMissing`."""
        known = self._known.get(relayer_id)
        if known is None:
            raise RelayerMissing(relayer_id)
        return known

    def all(self) -> list[Relayer]:
        """By id, so that every list of relayers reads alike."""
        return [self._known[relayer_id].relayer for relayer_id in sorted(self._known)]

    def put(self, relayer: Relayer) -> None:
        """Adds a relayer, or replaces the one of that id."""
        self._known[relayer.id] = Known(relayer, self._language_of(relayer))
        for heard in self._listeners:
            heard(relayer.id)

    def listen(self, heard: Callable[[str], None]) -> None:
        """From now on `heard` gets the id of each relayer that is put here."""
        self._listeners.append(heard)
