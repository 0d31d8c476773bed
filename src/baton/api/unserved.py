"""Paths of the peer's public client that this version does not serve yet: 501, so that a client sees why."""

from baton.api.envelope import Answer
from baton.api.request import Request
from baton.api.routing import Route
from baton.domain.errors import NotServed

_RELAYER = "/api/v1/relayers/{relayer_id}"

PATHS: tuple[tuple[str, str], ...] = (
    ("POST", "/api/v1/relayers"),
    ("DELETE", _RELAYER),
    ("POST", _RELAYER + "/transactions/sponsored/quote"),
    ("POST", _RELAYER + "/transactions/sponsored/build"),
    ("POST", _RELAYER + "/sign"),
    ("POST", _RELAYER + "/sign-typed-data"),
    ("POST", _RELAYER + "/sign-transaction"),
    ("POST", _RELAYER + "/rpc"),
    ("GET", "/api/v1/signers"),
    ("POST", "/api/v1/signers"),
    ("GET", "/api/v1/signers/{signer_id}"),
    ("PATCH", "/api/v1/signers/{signer_id}"),
    ("DELETE", "/api/v1/signers/{signer_id}"),
    ("GET", "/api/v1/networks"),
    ("GET", "/api/v1/networks/{network_id}"),
    ("PATCH", "/api/v1/networks/{network_id}"),
    ("GET", "/api/v1/plugins"),
    ("GET", "/api/v1/plugins/{plugin_id}"),
    ("PATCH", "/api/v1/plugins/{plugin_id}"),
    ("GET", "/api/v1/plugins/{plugin_id}/call"),
    ("POST", "/api/v1/plugins/{plugin_id}/call"),
    ("GET", "/api/v1/api-keys"),
    ("POST", "/api/v1/api-keys"),
    ("GET", "/api/v1/api-keys/{key_id}/permissions"),
    ("DELETE", "/api/v1/api-keys/{key_id}"),
    ("GET", "/metrics/{metric_name}"),
    ("GET", "/debug/metrics/scrape"),
)


def routes() -> list[Route]:
    return [Route(method, template, _answer) for method, template in PATHS]


async def _answer(request: Request) -> Answer:
    raise NotServed(f"{request.method} {request.template} belongs to the wider API, which this version does not serve")
