"""What a relayer may do, per family. Amounts are in the chain's smallest unit; None means no limit of that kind."""

from dataclasses import dataclass
from enum import StrEnum


class Speed(StrEnum):
    FASTEST = "fastest"
    FAST = "fast"
    AVERAGE = "average"
    SAFE_LOW = "safeLow"


@dataclass(frozen=True, slots=True)
class EvmPolicy:
    min_balance: int = 0
    gas_price_cap: int | None = None
    whitelist_receivers: tuple[str, ...] | None = None  # lower case
    gas_limit_estimation: bool = True
    eip1559_pricing: bool = True
    max_value: int | None = None
    max_fee: int | None = None  # gas_limit x price of one transaction
    spend_limit_24h: int | None = None
    default_speed: Speed = Speed.FAST
    confirmations: int | None = None  # None: the network's
    send_reverting: bool = False  # send although the simulation reverts
    bump_explicit_prices: bool = True
    rescue_budget_24h: int = 0


@dataclass(frozen=True, slots=True)
class SolanaPolicy:
    min_balance: int = 0
    allowed_programs: tuple[str, ...] | None = None
    denied_programs: tuple[str, ...] = ()
    allowed_accounts: tuple[str, ...] | None = None
    denied_accounts: tuple[str, ...] = ()
    max_instructions: int = 64
    max_signatures: int | None = None
    max_tx_data_size: int = 1232
    max_allowed_fee_lamports: int | None = None
    max_lamports: int | None = None
    spend_limit_24h: int | None = None
    allow_fee_payer_transfers: bool = True
    default_speed: Speed = Speed.FAST

    @property
    def limits_lamports(self) -> bool:
        """Whether it matters how much leaves the account, or that anything does."""
        limits = (self.max_lamports, self.spend_limit_24h)
        return not self.allow_fee_payer_transfers or any(limit is not None for limit in limits)


@dataclass(frozen=True, slots=True)
class StellarPolicy:
    min_balance: int = 0  # above the reserve
    max_fee: int = 1_000_000  # stroops for one transaction
    allowed_operations: tuple[str, ...] | None = None
    allowed_destinations: tuple[str, ...] | None = None
    allowed_assets: tuple[str, ...] | None = None  # "native" or "CODE:ISSUER"
    allowed_contracts: tuple[str, ...] | None = None
    max_amount: int | None = None
    spend_limit_24h: int | None = None
    channel_accounts: int = 0
    default_speed: Speed = Speed.FAST

    @property
    def limits_money(self) -> bool:
        """Whether it matters how much leaves the account, of what, or to whom."""
        rules = (self.max_amount, self.spend_limit_24h, self.allowed_destinations, self.allowed_assets)
        return any(rule is not None for rule in rules)


Policy = EvmPolicy | SolanaPolicy | StellarPolicy
