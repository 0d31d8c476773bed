"""The API page against the tests and the API itself."""

import re
from pathlib import Path

from docs.statements import statements

from baton.api.errors import TABLE
from baton.api.limits import Limits
from baton.api.operations import OPERATIONS
from baton.app.service import limits_of
from baton.config import Settings

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
SECTIONS = [
    "2.1",
    "2.2",
    "2.3",
    "2.4",
    "3",
    "4",
    "4.1",
    "4.2",
    "4.3",
    "4.4",
    "4.5",
    "4.6",
    "4.7",
    "5.1",
    "5.2",
    "6",
    "7",
    "8",
]


def test_every_listed_test_exists() -> None:
    listed = re.findall(r"\[`(test_\w+)`\]\(\.\./(tests/[\w/]+\.py)\)", PAGE)
    assert listed
    for name, file in listed:
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


def test_every_test_that_cites_the_interface_is_listed() -> None:
    missing = [each.test for each in statements() if f"| {' | '.join(each.row())} |" not in PAGE]
    assert missing == [], "run make docs"


def test_every_section_of_the_interface_is_shown_by_a_test() -> None:
    cited = {section.split()[0] for each in statements() for section in each.sections}
    assert [section for section in SECTIONS if section not in cited] == []


def test_every_code_and_phrase_is_on_the_page() -> None:
    for status, message in TABLE.values():
        assert re.search(
            rf"^\| {status} \| .*`{re.escape(message.replace('{relayer_id}', '<id>'))}`", PAGE, re.MULTILINE
        )


def test_every_path_is_on_the_page() -> None:
    for _, template in OPERATIONS:
        assert template in PAGE


def test_the_limits_on_the_page_are_the_defaults() -> None:
    limits = limits_of(Settings())
    assert limits == Limits()
    for words in (
        f"{limits.body_bytes // 1024} KiB, within {limits.body_s:g} s",
        f"{limits.head_bytes // 1024} KiB, within {limits.head_s:g} s",
        f"{limits.json_depth} levels",
        f"{limits.rate_per_s:g} requests a second with a burst of {limits.rate_burst}",
        f"{limits.connections}; an idle one is kept for {limits.keep_alive_s} s",
    ):
        assert words in PAGE
