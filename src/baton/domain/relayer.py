"""A relayer: an account that sends on one network, with its policy."""

from dataclasses import dataclass

from baton.domain.network import Family, RpcUrl
from baton.domain.policy import Policy


@dataclass(frozen=True, slots=True)
class Relayer:
    id: str
    name: str
    network: str
    family: Family
    signer_id: str
    address: str
    policy: Policy
    notification_ids: tuple[str, ...] = ()  # ("*",) means every notification
    custom_rpc_urls: tuple[RpcUrl, ...] | None = None
    is_paused: bool = False  # by a person: new ones are refused, queued ones wait
    disabled_reason: str | None = None  # by us only; heals by itself
    is_removed: bool = False  # gone from the file: readable, refuses new work, finishes what is open
    version: int = 1

    @property
    def refusal(self) -> str | None:
        """Why it takes no new work, or None if it does."""
        if self.is_removed:
            return f"relayer {self.id!r} was removed from the configuration; it only finishes what is open"
        if self.is_paused:
            return f"relayer {self.id!r} is paused; PATCH it with paused=false to resume"
        if self.disabled_reason is not None:
            return f"relayer {self.id!r} is disabled: {self.disabled_reason}"
        return None
