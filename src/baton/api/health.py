"""Is it alive, is it ready, and what it is: for probes and for people who open the address in a browser."""

from contextlib import suppress

from baton import __version__
from baton.api.envelope import Answer, bare, success
from baton.api.request import Request
from baton.api.routing import Route
from baton.commands.context import Context
from baton.domain.clock import to_text
from baton.domain.errors import Unavailable
from baton.telemetry import TRANSACTIONS, render_metrics

TEXT = b"text/plain; charset=utf-8"


class Health:
    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> list[Route]:
        return [
            Route("GET", "/", self.home, is_public=True),
            Route("GET", "/api/v1/health", self.alive, is_public=True),
            Route("GET", "/api/v1/ready", self.ready, is_public=True),
            Route("GET", "/metrics", self.metrics),
        ]

    async def home(self, _: Request) -> Answer:
        return success(
            {
                "name": "Baton",
                "what": "carries blockchain transactions until they are final",
                "version": __version__,
                "documentation": "/docs",
                "openapi": "/api-docs/openapi.json",
                "health": "/api/v1/health",
            }
        )

    async def alive(self, _: Request) -> Answer:
        return Answer(200, b"OK", media=TEXT)

    async def ready(self, _: Request) -> Answer:
        """Whether it can take work: nothing that an outsider could use is in it."""
        try:
            async with self._context.store.read() as snapshot:
                await snapshot.notifications.page(1, 0)
        except Unavailable:
            is_ready = False
        else:
            is_ready = True
        store = {"status": "healthy" if is_ready else "unhealthy"}
        document = {
            "ready": is_ready,
            "status": store["status"],
            "components": {"store": store},
            "timestamp": to_text(self._context.clock.now()),
        }
        return bare(document, 200 if is_ready else 503)

    async def metrics(self, _: Request) -> Answer:
        with suppress(Unavailable):  # then the counts are those of the last time
            async with self._context.store.read() as snapshot:
                counts = await snapshot.transactions.counts()
            TRANSACTIONS.show({(relayer, str(status)): count for (relayer, status), count in counts.items()})
        text, media = render_metrics()
        return Answer(200, text, media=media.encode())
