"""Notifications: create, update, list, look at, delete. The signing key goes in and never comes out."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from baton.api.body import read_json
from baton.api.convert import convert
from baton.api.envelope import Answer, page, success
from baton.api.limits import Limits
from baton.api.query import paging
from baton.api.request import Request
from baton.api.routing import Route
from baton.commands import notifications
from baton.commands.context import Context
from baton.commands.notifications import NotificationPatch
from baton.domain.errors import Invalid
from baton.domain.notification import URL_MAX_CHARS, Notification, is_webhook_url

LIST = "/api/v1/notifications"
ONE = LIST + "/{notification_id}"

KEY_MAX_CHARS = 512
URL_MEANT = f"an absolute http or https URL with a host, at most {URL_MAX_CHARS} characters"

Url = Annotated[str, Meta(min_length=1, max_length=URL_MAX_CHARS, examples=["https://example.com/hooks/baton"])]
# the look-ahead: in Python `$` also matches before a line feed at the end
Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,36}$(?!\n)", examples=["order-updates"])]
SigningKey = Annotated[str, Meta(max_length=KEY_MAX_CHARS, examples=["a long random text"])]


class NotificationCreate(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A webhook to be told of transactions."""

    url: Annotated[Url, Meta(description=URL_MEANT)]
    id: Annotated[Id | None, Meta(description="1 to 36 letters, digits, - or _; a UUID is given when it is absent")] = (
        None
    )
    type: Annotated[Literal["webhook"] | None, Meta(description="webhook, the only type")] = None
    signing_key: Annotated[
        SigningKey | None,
        Meta(description=f"a string of at most {KEY_MAX_CHARS} characters; absent, null or empty for none"),
    ] = None


class NotificationUpdate(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What is absent or null stays as it is."""

    url: Annotated[Url | None, Meta(description=URL_MEANT)] = None
    type: Annotated[Literal["webhook"] | None, Meta(description="webhook, the only type")] = None
    signing_key: Annotated[
        SigningKey | None,
        Meta(description=f"a string of at most {KEY_MAX_CHARS} characters; empty removes the stored key"),
    ] = None


class NotificationRecord(msgspec.Struct, frozen=True):
    """A notification as answers show it."""

    id: str
    type: Literal["webhook"]
    url: str
    has_signing_key: Annotated[bool, Meta(description="whether a signing key is set; the key itself is never shown")]

    @classmethod
    def of(cls, notification: Notification) -> "NotificationRecord":
        return cls(notification.id, "webhook", notification.url, notification.signing_key is not None)


class Notifications:
    def __init__(self, context: Context, limits: Limits) -> None:
        self._context = context
        self._limits = limits

    def routes(self) -> list[Route]:
        return [
            Route("POST", LIST, self.create),
            Route("GET", LIST, self.list),
            Route("GET", ONE, self.get),
            Route("PATCH", ONE, self.update),
            Route("DELETE", ONE, self.delete),
        ]

    async def create(self, request: Request) -> Answer:
        wanted = convert(await read_json(request, self._limits), NotificationCreate, unshown="signing_key")
        _check_url(wanted.url)
        made = await notifications.create(self._context, wanted.url, wanted.id, wanted.signing_key)
        return success(NotificationRecord.of(made), status=201)

    async def update(self, request: Request) -> Answer:
        body = await read_json(request, self._limits)
        await notifications.get(self._context, request.ids[0])  # an unknown one comes before a wrong field
        wanted = convert(body, NotificationUpdate, unshown="signing_key")
        if wanted.url is not None:
            _check_url(wanted.url)
        patch = NotificationPatch(wanted.url, wanted.signing_key)
        return success(NotificationRecord.of(await notifications.update(self._context, request.ids[0], patch)))

    async def list(self, request: Request) -> Answer:
        found, used = await notifications.list_page(self._context, paging(request))
        return page([NotificationRecord.of(each) for each in found.items], used, found.total)

    async def get(self, request: Request) -> Answer:
        return success(NotificationRecord.of(await notifications.get(self._context, request.ids[0])))

    async def delete(self, request: Request) -> Answer:
        await notifications.delete(self._context, request.ids[0])
        return success(None)


def _check_url(url: str) -> None:
    if not is_webhook_url(url):
        raise Invalid("url", "another text (not shown: it may carry a key)", URL_MEANT)
