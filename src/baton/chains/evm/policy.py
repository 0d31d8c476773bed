"""What a relayer's policy says about one transaction. Checked at accept and again at signing: a policy may change."""

from baton.chains.evm.ask import Ask
from baton.chains.fields import found
from baton.domain.errors import Invalid
from baton.domain.policy import EvmPolicy


def check(ask: Ask, policy: EvmPolicy, own_address: str) -> None:
    """Raises `Invalid` naming the field that the policy refuses."""
    _check_receiver(ask, policy, own_address)
    if policy.max_value is not None and ask.value > policy.max_value:
        raise Invalid("value", str(ask.value), f"at most {policy.max_value}, the relayer's max_value")
    if ask.gas_limit is None and not policy.gas_limit_estimation:
        raise Invalid("gas_limit", "nothing", "an integer, because this relayer's gas_limit_estimation is off")
    _check_prices(ask, policy)


def _check_receiver(ask: Ask, policy: EvmPolicy, own_address: str) -> None:
    allowed = policy.whitelist_receivers
    if allowed is None:
        return
    if ask.to is None:
        raise Invalid("to", "nothing", "an address of the relayer's whitelist_receivers: it creates no contracts")
    if ask.to.lower() not in allowed and ask.to.lower() != own_address.lower():
        raise Invalid("to", found(ask.to), "an address of the relayer's whitelist_receivers, or its own")


def _check_prices(ask: Ask, policy: EvmPolicy) -> None:
    if policy.gas_price_cap is None and policy.max_fee is None:
        return
    for name, price in ask.prices.items():
        if policy.gas_price_cap is not None and price > policy.gas_price_cap:
            raise Invalid(name, str(price), f"at most {policy.gas_price_cap}, the relayer's gas_price_cap")
        if policy.max_fee is not None and ask.gas_limit is not None and ask.gas_limit * price > policy.max_fee:
            fee = f"{price} ({ask.gas_limit * price} for {ask.gas_limit} gas)"
            raise Invalid(name, fee, f"a fee of at most {policy.max_fee}, the relayer's max_fee")
