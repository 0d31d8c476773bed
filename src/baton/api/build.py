"""Puts the resources together into one application."""

from collections.abc import Sequence

from baton.api import docs_page, openapi, unserved
from baton.api.asgi import Api
from baton.api.auth import Keys
from baton.api.health import Health
from baton.api.limits import Buckets, Limits
from baton.api.look import Look
from baton.api.notifications import Notifications
from baton.api.relayers import Relayers
from baton.api.transactions import Transactions
from baton.chains.schema import FamilySchema
from baton.commands.context import Context


def build_api(context: Context, keys: Keys, limits: Limits, schemas: Sequence[FamilySchema]) -> Api:
    routes = [
        *Transactions(context, limits).routes(),
        *Look(context).routes(),
        *Relayers(context).routes(),
        *Notifications(context, limits).routes(),
        *Health(context).routes(),
        *docs_page.routes(),
        *unserved.routes(),
    ]
    routes.append(openapi.route(routes, schemas))
    return Api(routes, keys, Buckets(limits.rate_per_s, limits.rate_burst, context.clock))
