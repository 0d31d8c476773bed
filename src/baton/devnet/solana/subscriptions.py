"""One WebSocket: slot, root and signature subscriptions, told after every block."""

import asyncio
import itertools
from collections.abc import Callable

import msgspec
from aiohttp import WSMsgType, web

from baton.devnet.solana.blocks import Commitment
from baton.devnet.solana.errors import INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcRefused, invalid_params
from baton.devnet.solana.methods import failure
from baton.devnet.solana.node import Node
from baton.devnet.solana.params import Params
from baton.domain.json import Json


class Subscriber:
    def __init__(self, node: Node, socket: web.WebSocketResponse) -> None:
        self._node = node
        self._socket = socket
        self._numbers = itertools.count(1)
        self._checks: dict[int, Callable[[int], None]] = {}
        self._outgoing: asyncio.Queue[Json] = asyncio.Queue()

    async def serve(self) -> None:
        self._node.listen(self._on_block)
        writer = asyncio.create_task(self._write())
        try:
            async for message in self._socket:
                if message.type is WSMsgType.TEXT:
                    self._outgoing.put_nowait(self._answer(message.data))
        finally:
            self._node.unlisten(self._on_block)
            writer.cancel()

    async def _write(self) -> None:
        try:
            while True:
                message = await self._outgoing.get()
                await self._socket.send_str(msgspec.json.encode(message).decode())
        except ConnectionError:
            # The peer has left; the reading side ends by itself.
            return

    def _on_block(self) -> None:
        for number, check in list(self._checks.items()):
            check(number)

    def _answer(self, text: str) -> Json:
        try:
            request = msgspec.json.decode(text)
        except msgspec.DecodeError:
            return failure(None, RpcRefused(PARSE_ERROR, "Parse error"))
        if not isinstance(request, dict):
            return failure(None, RpcRefused(INVALID_REQUEST, "Invalid request"))
        try:
            result = self._turn(str(request.get("method")), Params(request.get("params")))
        except RpcRefused as refused:
            return failure(request.get("id"), refused)
        return {"jsonrpc": "2.0", "result": result, "id": request.get("id")}

    def _turn(self, method: str, params: Params) -> Json:
        match method:
            case "slotSubscribe":
                return self._subscribe(self._tell_slot)
            case "rootSubscribe":
                return self._subscribe(self._tell_root)
            case "signatureSubscribe":
                return self._subscribe_signature(params.text(0), params.options(1))
            case "slotUnsubscribe" | "rootUnsubscribe" | "signatureUnsubscribe":
                if self._checks.pop(params.integer(0), None) is None:
                    raise invalid_params("Invalid subscription id.")
                return True
            case _:
                raise RpcRefused(METHOD_NOT_FOUND, "Method not found")

    def _subscribe(self, check: Callable[[int], None]) -> int:
        number = next(self._numbers)
        self._checks[number] = check
        return number

    def _subscribe_signature(self, signature: str, options: dict[str, Json]) -> int:
        self._node.depth(options)  # refuses an unknown commitment now rather than at the next block

        def tell(number: int) -> None:
            landed = self._node.bank.blocks.find(signature, self._node.head(options))
            # One piece of news, then the subscription is over.
            if landed is not None and self._checks.pop(number, None) is not None:
                self._notify("signatureNotification", number, self._node.context({"err": landed.error}))

        number = self._subscribe(tell)
        # It may have landed already; the answer with the number goes out before the news.
        asyncio.get_running_loop().call_soon(tell, number)
        return number

    def _tell_slot(self, number: int) -> None:
        newest = self._node.newest
        parent = self._node.bank.blocks.parent_of(newest) or newest
        self._notify(
            "slotNotification", number, {"slot": newest.slot, "parent": parent.slot, "root": self._root_slot()}
        )

    def _tell_root(self, number: int) -> None:
        self._notify("rootNotification", number, self._root_slot())

    def _root_slot(self) -> int:
        return self._node.head({"commitment": Commitment.FINALIZED}).slot

    def _notify(self, method: str, number: int, result: Json) -> None:
        params = {"result": result, "subscription": number}
        self._outgoing.put_nowait({"jsonrpc": "2.0", "method": method, "params": params})
