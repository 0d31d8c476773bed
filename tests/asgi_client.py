"""A client that speaks to the application in process: no socket, no framework, every byte in our hands."""

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]
Headers = Sequence[tuple[str, str]]

TOKEN = "test-token-of-more-than-32-characters"
BEARER = ("authorization", f"Bearer {TOKEN}")


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes
    chunks_read: int  # how often the application asked for a part of the body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def data(self) -> Any:
        assert self.json["success"] is True, self.body
        return self.json["data"]

    @property
    def message(self) -> str:
        """Of a failure, after a look at the envelope around it."""
        envelope = self.json
        assert set(envelope) == {"success", "data", "message", "error"}, self.body
        assert envelope["success"] is False
        assert envelope["data"] is None
        assert isinstance(envelope["error"], str)
        return str(envelope["message"])

    @property
    def error(self) -> str:
        return str(self.json["error"])


class Client:
    def __init__(self, app: App, headers: Headers = (BEARER,)) -> None:
        self._app = app
        self._headers = tuple(headers)

    def without_token(self) -> "Client":
        return Client(self._app, ())

    async def get(self, path: str, *headers: tuple[str, str]) -> Reply:
        return await self.send("GET", path, (), headers)

    async def delete(self, path: str, *headers: tuple[str, str]) -> Reply:
        return await self.send("DELETE", path, (), headers)

    async def post(self, path: str, body: Any, *headers: tuple[str, str]) -> Reply:
        return await self.send_json("POST", path, body, headers)

    async def put(self, path: str, body: Any, *headers: tuple[str, str]) -> Reply:
        return await self.send_json("PUT", path, body, headers)

    async def patch(self, path: str, body: Any, *headers: tuple[str, str]) -> Reply:
        return await self.send_json("PATCH", path, body, headers)

    async def send_json(self, method: str, path: str, body: Any, headers: Headers = ()) -> Reply:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.send(method, path, (raw,), (("content-type", "application/json"), *headers))

    async def send(
        self, method: str, path: str, chunks: Sequence[bytes] = (), headers: Headers = (), *, leaves: bool = False
    ) -> Reply:
        """With `leaves` the client is gone after its last chunk, in the middle of the body."""
        raw_path, _, query = path.partition("?")
        scope: Message = {
            "type": "http",
            "method": method,
            "path": raw_path,
            "raw_path": raw_path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in (*self._headers, *headers)],
        }
        waiting = list(chunks) or [b""]
        reads = 0
        sent: list[Message] = []

        async def receive() -> Message:
            nonlocal reads
            reads += 1
            if not waiting:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting) or leaves}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        start, *parts = sent
        found = {name.decode(): value.decode() for name, value in start["headers"]}
        assert len(found) == len(start["headers"]), "a header was sent twice"
        return Reply(start["status"], found, b"".join(part["body"] for part in parts), reads)
