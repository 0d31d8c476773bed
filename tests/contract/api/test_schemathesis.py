"""The API document fuzzed: whatever fits it or just fails to, no answer is a 5xx and every answer is as described.

The relayers and ids of the house are written into the document first, so that requests get past the first 404.
"""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks
from tests.asgi_client import TOKEN
from tests.bodies import BODIES, RELAYERS, path_of
from tests.house import House, open_house
from tests.rounds import rounds

from baton.api.limits import Limits
from baton.api.operations import OPERATIONS
from baton.api.server import serving
from baton.chains.seam import Account

LIMITS = Limits(rate_per_s=1e9, rate_burst=10**9)
LEAST_REQUESTS = rounds(quick=300, full=3_000)
EXAMPLES = rounds(quick=20, full=250)  # of each operation in each mode
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.unsupported_method,
]


class Served:
    """A house with its own loop in its own thread, as the fuzzer is not asynchronous."""

    def __init__(self, folder: Path) -> None:
        self.requests = 0
        self._folder = folder
        self._is_up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))

    async def _run(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with open_house(self._folder, LIMITS) as house, serving(house.api, "127.0.0.1", 0, LIMITS) as port:
            self.url = f"http://127.0.0.1:{port}"
            house.live.found_account = Account(next_slot=1, settled_slot=1, balance=10**18, depth=1)
            house.context.stopping.set()  # as at a drain: who asks for news is answered at once, not after `wait`
            self.document = await self._furnished(house)
            self._is_up.set()
            await self._stop.wait()

    async def _furnished(self, house: House) -> dict[str, Any]:
        """The document with the ids of what is really there."""
        made = [(await house.client.post(path_of(relayer), BODIES[relayer])).data["id"] for relayer in RELAYERS]
        await house.client.post("/api/v1/notifications", {"url": "http://host", "id": "known", "signing_key": "k"})
        document: dict[str, Any] = (await house.client.get("/api-docs/openapi.json")).json
        known = {
            "relayer_id": [*RELAYERS, "paused", "nobody", "a/b"],
            "transaction_id": [*made, "unknown"],
            "notification_id": ["known", "unknown"],
        }
        for methods in document["paths"].values():
            for operation in methods.values():
                for parameter in operation.get("parameters", []):
                    if parameter["name"] in known:
                        parameter["schema"] = {"type": "string", "enum": known[parameter["name"]]}
        return document

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._is_up.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("fuzzed")) as running:
        yield running


@pytest.fixture(scope="module")
def schema(served: Served) -> Any:
    return schemathesis.openapi.from_dict(served.document)


@pytest.mark.torture
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(("method", "template"), OPERATIONS)
def test_every_answer_is_as_described(
    served: Served, schema: Any, method: str, template: str, mode: GenerationMode
) -> None:
    """A1: no input makes a 5xx; A5: every answer is one that the document knows."""

    @given(schema[template][method].as_strategy(generation_mode=mode))
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def ask(case: Any) -> None:
        served.requests += 1
        answer = case.call_and_validate(
            base_url=served.url, headers={"authorization": f"Bearer {TOKEN}"}, checks=CHECKS, timeout=30
        )
        assert answer.headers["x-request-id"]

    try:
        ask()
    except Unsatisfiable:
        pytest.skip("nothing about this operation could be wrong")


@pytest.mark.torture
def test_enough_was_asked(served: Served) -> None:
    assert served.requests >= LEAST_REQUESTS
