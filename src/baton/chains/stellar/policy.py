"""What a Stellar relayer's policy says about one transaction; fees, balances and rolling sums are the lane's."""

from collections import Counter
from collections.abc import Sequence

from baton.chains.stellar.outline import Deed
from baton.domain.errors import Invalid
from baton.domain.policy import StellarPolicy


def check(deeds: Sequence[Deed], policy: StellarPolicy, *, is_own_money: bool) -> None:
    """Raises `Invalid` for the first rule that is broken. Of another's transaction the relayer only pays the fee."""
    for each in deeds:
        _kinds(each, policy)
        _listed(each, each.destinations, policy.allowed_destinations, "a destination")
        _listed(each, each.assets, policy.allowed_assets, "an asset")
        _listed(each, (each.contract,) if each.contract else (), policy.allowed_contracts, "a contract")
        if is_own_money:
            _code(each, policy)
            _boundless(each, policy)
    if is_own_money and policy.max_amount is not None:
        _amounts(deeds, policy.max_amount)


def _code(each: Deed, policy: StellarPolicy) -> None:
    """What code does with the relayer's authority no rule sees: where there are rules, somebody has to vouch for it."""
    is_named = each.contract is not None and policy.allowed_contracts is not None  # then it is in the list
    is_named |= each.contract is None and each.kind in (policy.allowed_operations or ())
    is_ruled = policy.limits_money or policy.allowed_contracts is not None
    if each.runs_code and is_ruled and not is_named:
        expected = "a contract of allowed_contracts" if each.contract else "one that allowed_operations names"
        raise Invalid(each.path, each.contract or each.kind, f"{expected}, because its policy limits what may be sent")


def _boundless(each: Deed, policy: StellarPolicy) -> None:
    is_limited = policy.max_amount is not None or policy.spend_limit_24h is not None
    if is_limited and each.is_boundless:
        raise Invalid(each.path, f"{each.kind}, whose amount is not known", "amounts within the relayer's policy")
    if is_limited and each.is_handover:
        raise Invalid(each.path, "another key that may sign", "none, because the relayer's policy limits its amounts")


def _kinds(each: Deed, policy: StellarPolicy) -> None:
    if policy.allowed_operations is not None and each.kind not in policy.allowed_operations:
        raise Invalid(f"{each.path}.type", each.kind, "an operation that the relayer's policy allows")


def _listed(each: Deed, given: Sequence[str], allowed: Sequence[str] | None, what: str) -> None:
    for name in given:
        if allowed is not None and name not in allowed:
            raise Invalid(each.path, name, f"{what} that the relayer's policy allows")


def _amounts(deeds: Sequence[Deed], max_amount: int) -> None:
    totals: Counter[str] = Counter()
    for each in deeds:
        if each.spends is None:
            continue
        asset, amount = each.spends
        totals[asset] += amount
        if totals[asset] > max_amount:
            raise Invalid(each.path, f"{totals[asset]} of {asset} in all", f"at most {max_amount} (policy)")
