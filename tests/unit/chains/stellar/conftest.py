"""A relayer with a known key on a local network."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from stellar_sdk import Keypair

from baton.chains.base import Draft
from baton.chains.stellar.language import StellarLanguage
from baton.domain.network import Family, Network
from baton.domain.policy import StellarPolicy
from baton.domain.relayer import Relayer

Parse = Callable[..., Draft]


@pytest.fixture
def key() -> Keypair:
    return Keypair.from_raw_ed25519_seed(bytes([1]) * 32)


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def parse(key: Keypair, now: datetime) -> Parse:
    """Parses a body for the relayer on a network (local by default); keyword arguments are its policy."""
    local = Network("local", Family.STELLAR, passphrase="Standalone Network ; February 2017", is_local=True)

    def act(body: Any, network: Network = local, **policy: Any) -> Draft:
        relayer = Relayer(
            id="r",
            name="r",
            network=network.name,
            family=Family.STELLAR,
            signer_id="s",
            address=key.public_key,
            policy=StellarPolicy(**policy),
        )
        return StellarLanguage({network.name: network}).parse(body, relayer, now)

    return act
