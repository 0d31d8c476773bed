from dataclasses import replace

import pytest
from tests.house import EVM, SOLANA, language_of

from baton.commands.registry import Relayers
from baton.domain.errors import RelayerMissing


def test_a_relayer_is_found_with_the_language_of_its_network() -> None:
    relayers = Relayers(language_of, [EVM, SOLANA])
    assert relayers.get("evm-local").relayer is EVM
    assert relayers.get("evm-local").language.curve != relayers.get("solana-local").language.curve


def test_a_relayer_is_replaced_at_run_time() -> None:
    relayers = Relayers(language_of, [SOLANA, EVM])
    relayers.put(replace(EVM, is_paused=True))
    assert relayers.get("evm-local").relayer.is_paused
    assert [relayer.id for relayer in relayers.all()] == ["evm-local", "solana-local"]


def test_an_unknown_relayer_is_missing_by_its_id() -> None:
    with pytest.raises(RelayerMissing) as missing:
        Relayers(language_of).get("nobody")
    assert missing.value.relayer_id == "nobody"


def test_who_listens_hears_of_every_change_after_it_is_in_force() -> None:
    relayers = Relayers(language_of, [EVM, SOLANA])
    heard: list[tuple[str, bool]] = []
    relayers.listen(lambda relayer_id: heard.append((relayer_id, relayers.get(relayer_id).relayer.is_paused)))
    relayers.put(replace(EVM, is_paused=True))
    relayers.put(replace(SOLANA, name="another"))
    assert heard == [("evm-local", True), ("solana-local", False)]
