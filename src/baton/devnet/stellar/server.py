"""The simulator as a running server: HTTP in front, a ledger that closes by the clock behind."""

import asyncio
import json
from typing import Any, Self

from aiohttp import web
from stellar_sdk import Network

from baton.devnet.served import Served
from baton.devnet.stellar import funding
from baton.devnet.stellar.controls import Controls
from baton.devnet.stellar.landing import Landed
from baton.devnet.stellar.ledger import Closed, Ledger
from baton.devnet.stellar.methods import Methods
from baton.devnet.stellar.queue import Queue
from baton.devnet.stellar.rpc_error import INVALID_PARAMS, INVALID_REQUEST, NO_METHOD, PARSE, RpcError
from baton.domain.clock import Clock, SystemClock

MAX_BODY_BYTES = 8 * 2**20


class StellarDevnet(Served):
    """A local Stellar network **simulator**: our rules on official XDR, not a stellar-core.

    `await StellarDevnet().start()` listens on a free port of the loopback; every start is a new chain with a new `run_id`.
    """

    def __init__(self, passphrase: str = Network.STANDALONE_NETWORK_PASSPHRASE, clock: Clock | None = None) -> None:
        super().__init__()
        self.controls = Controls()
        self.ledger = Ledger(passphrase, clock or SystemClock(), self.controls)
        self._queue = Queue(self.controls)
        self._turned = asyncio.Event()
        self._methods: Methods | None = None

    @property
    def passphrase(self) -> str:
        return self.ledger.passphrase

    @property
    def run_id(self) -> str:
        return self.ledger.run_id

    async def start(self, port: int = 0, close_ms: int = 1000, manual: bool = False) -> Self:
        """Returns when it listens. `port` 0 takes a free one; `manual` closes ledgers only when asked."""
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        for path in ("/", "/rpc", "/soroban/rpc"):
            app.router.add_post(path, self._rpc)
        app.router.add_route("*", "/friendbot", self._friendbot)
        await self._serve(app, port)
        self.controls.close_ms, self.controls.manual = close_ms, manual
        self._methods = Methods(self.ledger, self._queue, f"{self.url}/friendbot", self._turned.set)
        self._beat = asyncio.create_task(self._close_by_the_clock())
        return self

    async def fund(self, address: str, stroops: int) -> Landed:
        """Give an account money, making it if need be; it is there when this returns."""
        return funding.fund(self.ledger, address, stroops)

    def close(self, count: int = 1) -> Closed:
        """Close ledgers now, with what waits."""
        for _ in range(count):
            self.ledger.close(self._queue.choose())
        return self.ledger.latest

    async def _close_by_the_clock(self) -> None:
        while True:
            wait_s = None if self.controls.manual else self.controls.close_ms / 1000
            try:
                await asyncio.wait_for(self._turned.wait(), wait_s)
                self._turned.clear()
            except TimeoutError:
                self.close()

    async def _rpc(self, request: web.Request) -> web.Response:
        try:
            asked = json.loads(await request.read())
        except ValueError:
            return web.json_response(_error(None, PARSE, "invalid request value"))
        if isinstance(asked, list) and asked:
            return web.json_response([self._answer(one) for one in asked])
        return web.json_response(self._answer(asked))

    def _answer(self, asked: Any) -> dict[str, Any]:
        if not isinstance(asked, dict) or not isinstance(asked.get("method"), str):
            return _error(None, INVALID_REQUEST, "invalid request")
        number = asked.get("id")
        assert self._methods is not None
        method = self._methods.table.get(asked["method"])
        if method is None:
            return _error(number, NO_METHOD, f"no such method {asked['method']!r}")
        params = asked.get("params") or {}
        if not isinstance(params, dict):
            return _error(number, INVALID_PARAMS, "params must be an object")
        try:
            return {"jsonrpc": "2.0", "id": number, "result": method(params)}
        except RpcError as error:
            return _error(number, error.code, error.message)

    async def _friendbot(self, request: web.Request) -> web.Response:
        address = request.query.get("addr") or str((await request.post()).get("addr", ""))
        status, body = funding.befriend(self.ledger, address)
        return web.json_response(body, status=status)


def _error(number: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
