"""The webhooks page against the code: its example verifies, its figures and names are the ones in force."""

import re
from pathlib import Path
from typing import Any

from baton.api.operations import OPERATIONS
from baton.config import SETTINGS
from baton.domain.delivery import DeliveryStatus
from baton.webhooks.post import EXCERPT_CHARS, READ_BYTES, TIMEOUT_S
from baton.webhooks.schedule import STEPS_S, Schedule
from baton.webhooks.signature import sign_headers
from baton.webhooks.window import MOST, START

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "webhooks.md").read_text(encoding="utf-8")


def test_the_example_verifies_what_baton_sends_and_nothing_else() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    space: dict[str, Any] = {}
    exec(code, space)
    headers = sign_headers(["a key"], "event", 1, b"{}")
    assert space["is_from_baton"]("a key", b"{}", headers)
    assert not space["is_from_baton"]("a key", b"{} ", headers)
    assert not space["is_from_baton"]("another", b"{}", headers)


def test_the_waits_are_those_of_the_schedule() -> None:
    units = ((3600, "h"), (60, "min"), (1, "s"))
    words = [next(f"{step / size:g} {unit}" for size, unit in units if step >= size) for step in STEPS_S]
    assert ", ".join(words[:-1]) + f" and {words[-1]}" in PAGE


def test_the_figures_are_those_in_force() -> None:
    schedule = Schedule()
    assert f"within {TIMEOUT_S:g} s" in PAGE
    assert f"{READ_BYTES // 1024} KiB" in PAGE
    assert f"first {EXCERPT_CHARS} characters" in PAGE
    assert f"gets {START} requests at once at first, doubling up to {MOST}" in PAGE
    assert f"for {schedule.rest_s:g} s at first and {schedule.rest_max_s / 60:g} minutes at" in PAGE
    assert schedule.down_failures == 5
    assert "fails five times in a row" in PAGE


def test_every_setting_and_status_that_is_named_exists() -> None:
    names = {setting.name for setting in SETTINGS}
    named = set(re.findall(r"\b(?:BATON|WEBHOOK)_[A-Z_]+\b", PAGE))
    assert named <= names
    assert {"BATON_KEY_OVERLAP_HOURS", "BATON_DELIVERIES_DAYS", "BATON_EVENTS_DAYS", "WEBHOOK_ALLOWED_CIDRS"} <= named
    assert all(f"`{status}`" in PAGE for status in DeliveryStatus)


def test_every_path_in_a_command_exists() -> None:
    patterns = [re.compile(re.sub(r"\{\w+\}", "[^/?]+", template) + "$") for _, template in OPERATIONS]
    paths = {path.rstrip("/") for path in re.findall(r"127\.0\.0\.1:8080(/[^\s\"?]*)", PAGE)}
    assert paths
    assert [path for path in paths if not any(pattern.match(path) for pattern in patterns)] == []
