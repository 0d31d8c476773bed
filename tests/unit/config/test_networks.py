"""Networks: the built-in table, and what a file makes of it with `from`."""

from typing import Any

import pytest

from baton.config.networks import NetworkTable, built_in_networks
from baton.config.reading import At, Findings
from baton.domain.errors import Invalid
from baton.domain.network import Family, Network, RpcUrl

EVM, SOLANA, STELLAR = Family.EVM, Family.SOLANA, Family.STELLAR


def build(*entries: Any) -> tuple[dict[tuple[Family, str], Network], Findings]:
    findings = Findings()
    table = NetworkTable(built_in_networks(), findings)
    for number, entry in enumerate(entries):
        place = At("networks", findings).index(number)
        try:
            table.add(entry, place)
        except Invalid as error:
            place.note(error)
    return table.networks(), findings


def test_the_built_in_table_knows_the_well_known_networks() -> None:
    known = built_in_networks()
    chain_ids = {
        "mainnet": 1,
        "optimism": 10,
        "binance-smart-chain": 56,
        "polygon": 137,
        "base": 8453,
        "arbitrum-one": 42161,
        "avalanche": 43114,
        "linea": 59144,
        "sepolia": 11155111,
        "local": 31337,
    }
    for name, chain_id in chain_ids.items():
        assert known[EVM, name].chain_id == chain_id
    assert known[EVM, "mainnet"].confirmations == 12
    assert known[STELLAR, "mainnet"].passphrase == "Public Global Stellar Network ; September 2015"
    assert known[STELLAR, "testnet"].passphrase == "Test SDF Network ; September 2015"
    assert {name for family, name in known if family is SOLANA} == {"mainnet-beta", "devnet", "testnet", "local"}
    assert sum(family is EVM for family, _ in known) >= 58


def test_built_in_networks_are_whole_and_their_chain_ids_are_their_own() -> None:
    known = built_in_networks().values()
    ids = [network.chain_id for network in known if network.family is EVM and not network.is_local]
    assert len(set(ids)) == len(ids)
    for network in known:
        assert network.symbol
        assert network.block_time_ms > 0
        assert network.is_local or network.explorer_urls


def test_no_public_network_with_real_money_comes_with_a_node() -> None:
    for network in built_in_networks().values():
        assert network.is_testnet or not network.rpc_urls
        assert not network.is_local or network.is_testnet


def test_a_child_overrides_scalars_and_addresses_and_adds_features_and_tags() -> None:
    networks, findings = build(
        {
            "network": "mine",
            "type": "evm",
            "from": "arbitrum-one",
            "chain_id": 5,
            "rpc_urls": ["http://a", {"url": "wss://b", "weight": 3}],
            "features": ["blobs"],
            "tags": ["Optimism_Based"],
        }
    )
    assert findings == Findings()
    mine, parent = networks[EVM, "mine"], networks[EVM, "arbitrum-one"]
    assert mine.chain_id == 5
    assert mine.rpc_urls == (RpcUrl("http://a", 100), RpcUrl("wss://b", 3))
    assert mine.features == {"eip1559", "blobs"}
    assert mine.tags == parent.tags | {"optimism-based"}
    assert (mine.symbol, mine.block_time_ms) == (parent.symbol, parent.block_time_ms)


def test_a_parent_may_stand_after_its_child_and_have_a_parent_itself() -> None:
    networks, findings = build(
        {"network": "c", "type": "evm", "from": "b"},
        {"network": "b", "type": "evm", "from": "a", "symbol": "B"},
        {"network": "a", "type": "evm", "chain_id": 7, "symbol": "A"},
    )
    assert findings == Findings()
    assert (networks[EVM, "c"].chain_id, networks[EVM, "c"].symbol) == (7, "B")


@pytest.mark.parametrize("parent", [{}, {"from": "sepolia"}])
def test_an_entry_with_a_built_in_name_extends_it(parent: dict[str, str]) -> None:
    networks, findings = build({"network": "sepolia", "type": "evm", "rpc_urls": ["http://a"], **parent})
    assert findings == Findings()
    assert networks[EVM, "sepolia"].chain_id == 11155111
    assert networks[EVM, "sepolia"].rpc_urls == (RpcUrl("http://a"),)


def test_the_same_name_in_another_family_is_another_network() -> None:
    networks, findings = build({"network": "mainnet", "type": "solana", "rpc_urls": ["http://a"]})
    assert findings == Findings()
    assert networks[EVM, "mainnet"].chain_id == 1
    assert networks[STELLAR, "mainnet"].passphrase
    assert networks[SOLANA, "mainnet"].rpc_urls


def test_circles_are_reported() -> None:
    _, findings = build(
        {"network": "a", "type": "evm", "from": "b", "chain_id": 1},
        {"network": "b", "type": "evm", "from": "a", "chain_id": 1},
        {"network": "self", "type": "evm", "from": "self", "chain_id": 1},
    )
    assert [mistake.split(":")[0] for mistake in findings.mistakes] == [
        "networks[1].from",
        "networks[0].from",
        "networks[2].from",
    ]
    assert "a → b → a" in findings.mistakes[0]


def test_a_parent_of_another_family_is_no_parent() -> None:
    _, findings = build({"network": "x", "type": "stellar", "from": "sepolia", "passphrase": "p"})
    (mistake,) = findings.mistakes
    assert mistake.startswith("networks[0].from: found 'sepolia', which no stellar network is called")


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ({"network": "x", "type": "evm"}, "chain_id"),
        ({"network": "x", "type": "stellar"}, "passphrase"),
        ({"network": "x", "type": "bitcoin"}, "type"),
        ({"network": "x"}, "type"),
        ({"type": "solana"}, "network"),
        ({"network": "x", "type": "solana", "chain_id": 3}, "chain_id"),
        ({"network": "x", "type": "evm", "chain_id": 0}, "chain_id"),
        ({"network": "x", "type": "evm", "chain_id": 1, "passphrase": "p"}, "passphrase"),
        ({"network": "x", "type": "solana", "rpc_urls": ["ftp://a"]}, "rpc_urls[0]"),
        ({"network": "x", "type": "solana", "rpc_urls": [{"weight": 1}]}, "rpc_urls[0].url"),
        ({"network": "x", "type": "solana", "rpc_urls": [{"url": "http://a", "weight": 101}]}, "rpc_urls[0].weight"),
        ({"network": "x", "type": "solana", "rpc_url": ["http://a"]}, "rpc_url"),
        ({"network": "x", "type": "solana", "average_blocktime_ms": 0}, "average_blocktime_ms"),
    ],
)
def test_a_wrong_entry_is_named_by_its_place(entry: dict[str, Any], place: str) -> None:
    _, findings = build(entry)
    assert len(findings.mistakes) == 1
    assert findings.mistakes[0].startswith(f"networks[0].{place}: found ")


def test_a_name_may_stand_once_in_each_family() -> None:
    _, findings = build({"network": "x", "type": "solana"}, {"network": "x", "type": "solana"})
    assert findings.mistakes == [
        "networks[1]: found the solana network 'x' a second time, expected each name once for each type"
    ]


def test_keys_of_the_peer_that_we_do_not_serve_are_warnings() -> None:
    _, findings = build({"network": "x", "type": "evm", "chain_id": 3, "gas_price_cache": {"enabled": True}})
    assert findings.mistakes == []
    assert findings.warnings[0].startswith("networks[0].gas_price_cache: not served")
