"""Puts the resources together into one application."""

from baton.api import docs_page, unserved
from baton.api.asgi import Api
from baton.api.auth import Keys
from baton.api.health import Health
from baton.api.limits import Buckets, Limits
from baton.api.notifications import Notifications
from baton.api.transactions import Transactions
from baton.commands.context import Context


def build_api(context: Context, keys: Keys, limits: Limits) -> Api:
    routes = [
        *Transactions(context, limits).routes(),
        *Notifications(context, limits).routes(),
        *Health(context).routes(),
        *docs_page.routes(),
        *unserved.routes(),
    ]
    return Api(routes, keys, Buckets(limits.rate_per_s, limits.rate_burst, context.clock))
