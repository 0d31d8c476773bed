"""The configuration that `baton dev` makes for itself."""

from pathlib import Path

from baton.cli.dev import local_document
from baton.config import Config, Sources, read_config
from baton.domain.network import Family, RpcUrl


def started_with(port: int) -> Config:
    urls = {family: f"http://127.0.0.1:{port + place}" for place, family in enumerate(Family)}
    return read_config(local_document(urls), Sources({}, Path()), is_local=True)


def test_other_ports_at_the_next_start_change_no_relayer() -> None:
    """Else whatever a user changed at run time would be undone by each start."""
    first, second = started_with(40_000), started_with(50_000)
    assert [one.seed_hash for one in first.relayers] == [one.seed_hash for one in second.relayers]
    assert first.networks != second.networks


def test_a_relayer_without_nodes_of_its_own_has_those_of_the_local_chain() -> None:
    config = started_with(40_000)
    assert [one.custom_rpc_urls for one in config.relayers] == [None, None, None]
    for place, family in enumerate(Family):
        network = config.networks[family, "local"]
        assert network.rpc_urls == (RpcUrl(f"http://127.0.0.1:{40_000 + place}"),)
        assert network.is_local
