"""Begin and end of a sponsoring sandwich; what it does to reserves is in `reserves.py`.

A sandwich left open at the end of its transaction fails it with txBAD_SPONSORSHIP.
"""

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations.base import Failed, Scope, Success, require


def check_begin(source: xdr.AccountID, body: xdr.BeginSponsoringFutureReservesOp) -> None:
    require(keys.raw(body.sponsored_id) != keys.raw(source), "MALFORMED")


def begin(scope: Scope, body: xdr.BeginSponsoringFutureReservesOp) -> Success:
    sponsored, sponsor = keys.raw(body.sponsored_id), keys.raw(scope.source)
    require(sponsored not in scope.sponsors, "ALREADY_SPONSORED")
    require(sponsor not in scope.sponsors and sponsored not in scope.sponsors.values(), "RECURSIVE")
    scope.sponsors[sponsored] = sponsor
    return None


def end(scope: Scope, _body: None) -> Success:
    if scope.sponsors.pop(keys.raw(scope.source), None) is None:
        raise Failed("NOT_SPONSORED")
    return None
