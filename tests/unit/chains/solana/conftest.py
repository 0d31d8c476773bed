"""A relayer with a known key, and transactions made by the official bindings."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from solders.keypair import Keypair

from baton.chains.base import Draft
from baton.chains.solana.language import SolanaLanguage
from baton.domain.network import Family
from baton.domain.policy import SolanaPolicy
from baton.domain.relayer import Relayer

Parse = Callable[..., Draft]


@pytest.fixture
def key() -> Keypair:
    return Keypair.from_seed(bytes([1]) * 32)


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def parse(key: Keypair, now: datetime) -> Parse:
    """Parses a body for the relayer; keyword arguments are its policy."""

    def act(body: Any, **policy: Any) -> Draft:
        relayer = Relayer(
            id="r",
            name="r",
            network="solana-local",
            family=Family.SOLANA,
            signer_id="s",
            address=str(key.pubkey()),
            policy=SolanaPolicy(**policy),
        )
        return SolanaLanguage().parse(body, relayer, now)

    return act
