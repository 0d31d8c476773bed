"""Puts the resources together into one application."""

from collections.abc import Sequence

from baton.api import docs_page, openapi, unserved
from baton.api.asgi import Api
from baton.api.auth import Keys
from baton.api.deliveries import Deliveries
from baton.api.events import Events
from baton.api.health import Health
from baton.api.limits import Buckets, Limits
from baton.api.look import Look
from baton.api.notifications import Notifications
from baton.api.relayers import Relayers
from baton.api.routing import Route
from baton.api.transactions import Transactions
from baton.chains.schema import FamilySchema
from baton.commands.context import Context
from baton.domain.ids import random_id


def build_api(context: Context, keys: Keys, limits: Limits, schemas: Sequence[FamilySchema]) -> Api:
    routes = [
        *Transactions(context, limits).routes(),
        *Look(context).routes(),
        *Relayers(context, limits).routes(),
        *Notifications(context, limits).routes(),
        *Deliveries(context).routes(),
        *Events(context).routes(),
        *Health(context).routes(),
        *docs_page.routes(),
        *unserved.routes(),
    ]
    if not limits.has_metrics:
        routes = [route for route in routes if route.template != "/metrics"]
    routes.append(openapi.route(routes, schemas))
    return Api(routes, keys, Buckets(limits.rate_per_s, limits.rate_burst, context.clock))


def build_metrics(context: Context, limits: Limits) -> Api:
    """Metrics alone and without a key, for a port of their own that only this machine reaches."""
    route = Route("GET", "/metrics", Health(context).metrics, is_public=True)
    return Api([route], Keys(random_id()), Buckets(limits.rate_per_s, limits.rate_burst, context.clock))
