"""Trust lines: open, close, authorise, and take back what an issuer gave."""

from stellar_sdk import xdr

from baton.devnet.stellar import keys
from baton.devnet.stellar.operations import book, reserves
from baton.devnet.stellar.operations.base import Failed, Scope, Success, require

LINE = xdr.TrustLineFlags
AUTHORIZED = LINE.AUTHORIZED_FLAG.value
MAINTAIN = LINE.AUTHORIZED_TO_MAINTAIN_LIABILITIES_FLAG.value
CLAWBACK = LINE.TRUSTLINE_CLAWBACK_ENABLED_FLAG.value
ACCOUNT = xdr.AccountFlags


def check_change_trust(source: xdr.AccountID, body: xdr.ChangeTrustOp) -> None:
    """Lines of liquidity pools are refused here: pools are not modelled."""
    coded = body.line.alpha_num4 or body.line.alpha_num12
    require(coded is not None and body.limit.int64 >= 0, "MALFORMED")
    require(not keys.is_issuer(source, body.line), "MALFORMED")


def change_trust(scope: Scope, body: xdr.ChangeTrustOp) -> Success:
    view, limit = scope.view, body.limit.int64
    key = keys.for_trust_line(scope.source, body.line)
    line = view.trust_line(scope.source, body.line)
    if line is None:
        require(limit > 0, "INVALID_LIMIT")
        issuer = view.account(keys.issuer_of(body.line))
        if issuer is None:
            raise Failed("NO_ISSUER")
        sponsor = reserves.hold(scope, scope.source, 1)
        view.save_trust_line(_new_line(scope.source, body.line, limit, issuer.flags.uint32), sponsor)
        return None
    require(limit >= line.balance.int64, "INVALID_LIMIT")
    if limit:
        line.limit = xdr.Int64(limit)
        view.save_trust_line(line)
        return None
    sponsor = view.sponsor_of(key)
    view.remove(key)
    reserves.release(view, scope.source, 1, sponsor)
    return None


def _new_line(account: xdr.AccountID, asset: xdr.ChangeTrustAsset, limit: int, issuer_flags: int) -> xdr.TrustLineEntry:
    flags = 0 if issuer_flags & ACCOUNT.AUTH_REQUIRED_FLAG.value else AUTHORIZED
    if issuer_flags & ACCOUNT.AUTH_CLAWBACK_ENABLED_FLAG.value:
        flags |= CLAWBACK
    line = xdr.TrustLineAsset(asset.type, alpha_num4=asset.alpha_num4, alpha_num12=asset.alpha_num12)
    return xdr.TrustLineEntry(
        account, line, xdr.Int64(0), xdr.Int64(limit), xdr.Uint32(flags), xdr.TrustLineEntryExt(0)
    )


def check_set_trust_line_flags(source: xdr.AccountID, body: xdr.SetTrustLineFlagsOp) -> None:
    raised, cleared = body.set_flags.uint32, body.clear_flags.uint32
    require(keys.is_issuer(source, body.asset), "MALFORMED")
    require(keys.raw(body.trustor) != keys.raw(source), "MALFORMED")
    require(not raised & cleared, "MALFORMED")
    require(not raised & ~(AUTHORIZED | MAINTAIN), "MALFORMED")
    require(raised != AUTHORIZED | MAINTAIN, "MALFORMED")
    require(not cleared & ~(AUTHORIZED | MAINTAIN | CLAWBACK), "MALFORMED")


def set_trust_line_flags(scope: Scope, body: xdr.SetTrustLineFlagsOp) -> Success:
    view = scope.view
    line = view.trust_line(body.trustor, body.asset)
    if line is None:
        raise Failed("NO_TRUST_LINE")
    before = line.flags.uint32
    after = (before & ~body.clear_flags.uint32) | body.set_flags.uint32
    both = AUTHORIZED | MAINTAIN
    require(after & both != both, "INVALID_STATE")
    issuer = view.account(scope.source)
    assert issuer is not None
    if not issuer.flags.uint32 & ACCOUNT.AUTH_REVOCABLE_FLAG.value:
        require(_rank(after) >= _rank(before), "CANT_REVOKE")
    line.flags = xdr.Uint32(after)
    view.save_trust_line(line)
    if before & both and not after & both:
        book.withdraw(view, body.trustor, body.asset)
    return None


def _rank(flags: int) -> int:
    """How much a line allows: nothing, keep its offers, everything."""
    return 2 if flags & AUTHORIZED else 1 if flags & MAINTAIN else 0


def check_clawback(source: xdr.AccountID, body: xdr.ClawbackOp) -> None:
    require(body.amount.int64 > 0 and keys.is_issuer(source, body.asset), "MALFORMED")
    require(keys.raw(keys.account_id(body.from_)) != keys.raw(source), "MALFORMED")


def clawback(scope: Scope, body: xdr.ClawbackOp) -> Success:
    line = scope.view.trust_line(keys.account_id(body.from_), body.asset)
    if line is None:
        raise Failed("NO_TRUST")
    require(bool(line.flags.uint32 & CLAWBACK), "NOT_CLAWBACK_ENABLED")
    require(line.balance.int64 >= body.amount.int64, "UNDERFUNDED")
    line.balance = xdr.Int64(line.balance.int64 - body.amount.int64)
    scope.view.save_trust_line(line)
    return None
