"""Alarms: what an operator must hear about a relayer. Told when it begins, not again at every turn while it lasts."""

from collections.abc import Awaitable, Callable, Mapping

from baton.domain.json import Json

LOW_BALANCE = "relayer_low_balance"
OUT_OF_FUNDS = "relayer_out_of_funds"
FOREIGN_NONCE = "relayer_foreign_nonce"

Tell = Callable[[str, Mapping[str, Json]], Awaitable[None]]


async def tell_nobody(_kind: str, _more: Mapping[str, Json]) -> None:
    pass


class Alarms:
    def __init__(self, tell: Tell = tell_nobody) -> None:
        self._tell = tell
        self._lasting: set[str] = set()

    async def report(self, kind: str, **more: Json) -> None:
        """Something that happened once."""
        await self._tell(kind, more)

    async def follow(self, kind: str, is_so: bool, **more: Json) -> None:
        """Something that lasts: told when it begins; when it is over the next beginning is told again."""
        if not is_so:
            self._lasting.discard(kind)
        elif kind not in self._lasting:
            await self._tell(kind, more)
            self._lasting.add(kind)
