"""The page on local chains names every method and every knob of the Solana devnet, and no other."""

import re
from dataclasses import fields
from pathlib import Path

from baton.devnet.solana.faults import Faults
from baton.devnet.solana.methods import METHODS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "devnets.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## Solana\n")[2].partition("\n## ")[0]


def part(title: str) -> str:
    return SECTION.partition(f"\n### {title}\n")[2].partition("\n### ")[0]


def test_every_method_is_on_the_page() -> None:
    named = re.findall(r"`(\w+)`", part("Methods").partition(";")[0])
    controls = re.findall(r"^\| `(devnet_\w+)\(", part("Controls"), re.MULTILINE)
    assert {*named, *controls} == set(METHODS)


def test_every_knob_is_on_the_page() -> None:
    assert re.findall(r"^\| `(\w+)` \|", part("Controls"), re.MULTILINE) == [knob.name for knob in fields(Faults)]
