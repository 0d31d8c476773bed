"""What a test or an operator may turn while the simulator runs (`devnet_set`)."""

from dataclasses import dataclass

BASE_FEE_STROOPS = 100
MAX_LAG_LEDGERS = 64


@dataclass(slots=True)
class Controls:
    close_ms: int = 1000
    # No ledger closes but by `devnet_close`.
    manual: bool = False
    # The next n accepted transactions vanish: answered PENDING, never seen again.
    drop_next: int = 0
    # The next n sends answer TRY_AGAIN_LATER.
    try_later: int = 0
    # getHealth answers with an error.
    unhealthy: bool = False
    # The least fee for each operation: below it a send is refused.
    base_fee: int = BASE_FEE_STROOPS
    # The price for each operation at which ledgers really take transactions; lower bids wait, age and are banned.
    surge: int = 0
    # Operations that fit into a ledger; the highest bids go first. 0: no limit.
    capacity: int = 0
    # The chain's clock runs ahead of the world's by this much.
    ahead_s: int = 0
    # The node tells only of what is older than this many ledgers; what is sent through it still lands.
    lag_ledgers: int = 0
    # Simulation names archived entries in the resources (protocol 23) instead of asking for a restore first.
    auto_restore: bool = False

    @property
    def price(self) -> int:
        """The price for each operation in the ledger to come."""
        return max(self.base_fee, self.surge)

    def turn(self, wanted: dict[str, object]) -> None:
        """Set what is named; raises ValueError for a name or a kind of value that is not known. All or nothing."""
        for name, value in wanted.items():
            present = getattr(self, name, None) if name in self.__slots__ else None
            if present is None or type(value) is not type(present):
                raise ValueError(f"unknown control or wrong kind of value: {name}")
            if isinstance(value, int) and value < 0:
                raise ValueError(f"below zero: {name}")
            if name == "lag_ledgers" and isinstance(value, int) and value > MAX_LAG_LEDGERS:
                raise ValueError(f"at most {MAX_LAG_LEDGERS}: {name}")
        for name, value in wanted.items():
            setattr(self, name, value)
