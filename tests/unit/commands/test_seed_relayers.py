"""The file's relayers at a start: an account with open transactions changes hands in no way."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contract.storage.making import accepted, final, moved_to
from tests.fakes import FakeClock

from baton.commands.seed import Seeded, seed
from baton.config import Sources, read_config
from baton.domain.errors import Misconfigured
from baton.domain.json import Json
from baton.storage.base import Store
from baton.storage.cipher import Cipher
from baton.storage.sqlite import SqliteStore

NODES: Json = ["http://127.0.0.1:1"]


def entry(name: str, network: str = "local", signer: str = "s") -> Json:
    return {"id": name, "network": network, "network_type": "evm", "signer_id": signer, "custom_rpc_urls": NODES}


async def start(store: Store, addresses: dict[str, str], *entries: Json) -> list[Seeded]:
    key = {"key": {"type": "plain", "value": "11" * 32}}
    signers = [{"id": name, "type": "local", "config": key} for name in ("s", "t")]
    config = read_config({"relayers": list(entries), "signers": signers}, Sources({}, Path()))
    return await seed(store, config, addresses, FakeClock())


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await SqliteStore.open(tmp_path, Cipher(bytes(32)))
    yield opened
    await opened.close()


async def test_a_relayer_under_a_new_name_waits_until_the_old_one_has_nothing_open(store: Store) -> None:
    await start(store, {"old": "0xa"}, entry("old"))
    transaction = await accepted(store, "old")
    for network in ("local", "localhost-anvil"):
        with pytest.raises(Misconfigured) as caught:
            await start(store, {"new": "0xa"}, entry("new", network))
        (mistake,) = caught.value.mistakes
        assert mistake.startswith("relayers.new: its account 0xa is that of relayer 'old', which is no longer")
        assert mistake.endswith("has 1 open transactions; keep the old entry instead until they are final")
    async with store.read() as snapshot:
        assert [one.is_removed for one in await snapshot.relayers.all()] == [False], "a refused start changes nothing"
    await moved_to(store, transaction, final(transaction))
    seeded = await start(store, {"new": "0xa"}, entry("new"))
    assert {one.relayer.id: one.relayer.is_removed for one in seeded} == {"old": True, "new": False}


@pytest.mark.parametrize(("network", "address"), [("sepolia", "0xa"), ("local", "0xb")])
async def test_another_account_or_chain_may_come_while_the_old_one_finishes(
    store: Store, network: str, address: str
) -> None:
    await start(store, {"old": "0xa"}, entry("old"))
    await accepted(store, "old")
    seeded = await start(store, {"new": address}, entry("new", network))
    assert {one.relayer.id: one.relayer.is_removed for one in seeded} == {"old": True, "new": False}


async def test_a_changed_address_with_open_transactions_stops_the_start(store: Store) -> None:
    await start(store, {"old": "0xa"}, entry("old"))
    transaction = await accepted(store, "old")
    with pytest.raises(Misconfigured, match="its address changed from 0xa to 0xb while 1 transactions are open"):
        await start(store, {"old": "0xb"}, entry("old", signer="t"))
    await moved_to(store, transaction, final(transaction))
    assert [one.relayer.address for one in await start(store, {"old": "0xb"}, entry("old", signer="t"))] == ["0xb"]
