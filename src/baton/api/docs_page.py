"""The interactive page at /docs. Its files come from an installed wheel, so it works without any network.

Nothing inline: the page's own content policy lets the browser run only what this server sends.
"""

import asyncio
from importlib.util import find_spec
from pathlib import Path

from baton.api.envelope import Answer, Header
from baton.api.request import Request
from baton.api.routing import Endpoint, Route
from baton.domain.errors import Bug

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Baton API</title>
<link rel="stylesheet" href="/docs/swagger.css">
</head>
<body>
<div id="page"></div>
<script src="/docs/swagger.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""

_START = """SwaggerUIBundle({
  url: "/api-docs/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
});
"""

_HTML = b"text/html; charset=utf-8"
_SCRIPT = b"text/javascript; charset=utf-8"
_STYLE = b"text/css; charset=utf-8"
_POLICY = b"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
_HEADERS: tuple[Header, ...] = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"max-age=3600"),
)


def routes() -> list[Route]:
    shipped = _shipped()
    page = _text(_PAGE, _HTML)
    return [
        Route("GET", "/docs", page, is_public=True),
        Route("GET", "/docs/", page, is_public=True),
        Route("GET", "/docs/start.js", _text(_START, _SCRIPT), is_public=True),
        Route("GET", "/docs/swagger.js", _file(shipped / "swagger_bundle.js", _SCRIPT), is_public=True),
        Route("GET", "/docs/swagger.css", _file(shipped / "swagger_style.css", _STYLE), is_public=True),
    ]


def _shipped() -> Path:
    """Found, not imported: importing the package would read megabytes that nobody asked for."""
    spec = find_spec("offapi")
    if spec is None or not spec.submodule_search_locations:
        raise Bug("the package offapi is not installed")
    return Path(spec.submodule_search_locations[0])


def _text(content: str, media: bytes) -> Endpoint:
    async def endpoint(_: Request) -> Answer:
        return Answer(200, content.encode(), _HEADERS, media)

    return endpoint


def _file(path: Path, media: bytes) -> Endpoint:
    async def endpoint(_: Request) -> Answer:
        return Answer(200, await asyncio.to_thread(path.read_bytes), _HEADERS, media)

    return endpoint
