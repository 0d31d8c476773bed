"""The page on local chains names every method, knob and operation of the Stellar simulator, and says what it is."""

from dataclasses import fields
from pathlib import Path

import pytest

from baton.devnet.stellar.controls import Controls
from baton.devnet.stellar.ledger import Ledger
from baton.devnet.stellar.methods import Methods
from baton.devnet.stellar.operations.table import RULES
from baton.devnet.stellar.queue import Queue
from baton.domain.clock import SystemClock

PAGE = (Path(__file__).parents[2] / "docs" / "devnets.md").read_text().split("## Stellar\n")[1]


@pytest.fixture
def methods() -> Methods:
    controls = Controls()
    return Methods(Ledger("a passphrase", SystemClock(), controls), Queue(controls), "", lambda: None)


def test_every_method_is_named(methods: Methods) -> None:
    assert [name for name in methods.table if f"`{name}" not in PAGE] == []


def test_every_knob_is_named_with_the_value_it_rests_at() -> None:
    told = {line.split("|")[1].strip(): line.split("|")[2] for line in PAGE.splitlines() if line.startswith("| `")}
    for knob in fields(Controls):
        assert str(knob.default).lower() in told[f"`{knob.name}`"], knob.name


def test_every_operation_is_named() -> None:
    assert [kind.name for kind in RULES if f"`{kind.name.lower()}`" not in PAGE] == []


def test_it_is_called_a_simulator_at_once() -> None:
    assert PAGE.strip().startswith("**A simulator, not a node.**")
