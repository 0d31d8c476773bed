"""Reading a request's body: the right media type, within a size and an absolute deadline, strict JSON."""

import asyncio
import re

from baton.api.json_scan import parse
from baton.api.limits import Limits
from baton.api.request import Request
from baton.domain.errors import TooLarge, TooSlow, WrongMedia
from baton.domain.json import Json

_JSON_MEDIA = re.compile(
    r"application/(?:[\w.-]+\+)?json(?:\s*;\s*charset=\"?utf-?8\"?)?\s*;?", re.IGNORECASE | re.ASCII
)


async def read_json(request: Request, limits: Limits) -> Json:
    _check_media(request)
    return parse(await _read(request, limits), limits.json_depth)


def _check_media(request: Request) -> None:
    media = request.one_of(b"content-type")
    if media is None or not _JSON_MEDIA.fullmatch(media):
        found = "none" if media is None else repr(media[:60])
        raise WrongMedia(f"Content-Type: found {found}, expected application/json")
    encoding = request.one_of(b"content-encoding")
    if encoding is not None and encoding.lower() != "identity":
        raise WrongMedia(f"Content-Encoding: found {encoding[:60]!r}, expected a body that is not encoded")


async def _read(request: Request, limits: Limits) -> bytes:
    declared = request.one_of(b"content-length")
    if declared is not None and declared.isdecimal() and int(declared[:20]) > limits.body_bytes:
        raise _too_large(f"{declared[:20]} bytes", limits)
    whole = request.take_whole()
    if whole is not None:
        request.is_read = True
        if len(whole) > limits.body_bytes:
            raise _too_large("more", limits)
        return whole
    return await _wait_for(request, limits)


async def _wait_for(request: Request, limits: Limits) -> bytes:
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.body_s):
            while not request.is_read:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise TooSlow("the client left before its body was complete")
                chunk: bytes = message.get("body", b"")
                size += len(chunk)
                if size > limits.body_bytes:
                    raise _too_large("more", limits)
                chunks.append(chunk)
                request.is_read = not message.get("more_body", False)
    except TimeoutError:
        raise TooSlow(f"the body was not complete within {limits.body_s:g} s") from None
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _too_large(found: str, limits: Limits) -> TooLarge:
    return TooLarge(f"body: found {found}, expected at most {limits.body_bytes} bytes")
