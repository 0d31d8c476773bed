"""What the relayer lands for itself so that others' transactions can."""

from types import SimpleNamespace
from typing import cast

import stellar_sdk as sdk
from stellar_sdk import xdr as stellar_xdr

from baton.chains.stellar.channels import Channels
from baton.chains.stellar.envelope import Body
from baton.chains.stellar.fees import Market, Prices
from baton.chains.stellar.heads import Heads
from baton.chains.stellar.upkeep import Upkeep
from baton.domain.network import Family
from baton.domain.policy import Speed, StellarPolicy
from baton.domain.relayer import Relayer

OURS, THEIRS = (sdk.Keypair.from_raw_ed25519_seed(bytes([fill]) * 32).public_key for fill in (1, 2))


def test_the_relayer_restores_by_itself_what_another_source_needs() -> None:
    """It could not sign for the other account, and the restoration would never land."""
    prices = Prices(100, dict.fromkeys(Speed, 100))
    heads = cast("Heads", SimpleNamespace(market=Market(7, prices, prices)))
    upkeep = Upkeep(Channels({}, "passphrase"), heads)
    relayer = Relayer("r", "r", "local", Family.STELLAR, "s", OURS, StellarPolicy())
    nothing = stellar_xdr.Uint32(0)
    data = stellar_xdr.SorobanTransactionData(
        stellar_xdr.SorobanTransactionDataExt(0),
        stellar_xdr.SorobanResources(stellar_xdr.LedgerFootprint([], []), nothing, nothing, nothing),
        stellar_xdr.Int64(5),
    )
    upkeep.ask_for(relayer, Body(THEIRS, (sdk.RestoreFootprint(),), sdk.NoneMemo(), soroban=data))
    [chore] = upkeep.chores(relayer, [], {}, 1_800_000_000)
    assert chore.ready.value.body.source == OURS
