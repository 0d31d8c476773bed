"""Logs: one line of JSON whatever was put in, and no secret in it."""

import ast
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.telemetry import EVENTS, configure_logging, log

SOURCE = Path(__file__).parents[3] / "src" / "baton"


class Sink(io.StringIO):
    """A stream that can only take what a pipe could."""

    def write(self, text: str) -> int:
        text.encode("ascii")
        return super().write(text)

    def records(self) -> list[dict[str, Any]]:
        lines = self.getvalue().split("\n")
        assert lines.pop() == ""
        return [json.loads(line, parse_constant=pytest.fail) for line in lines]


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    root.handlers[:] = before
    root.setLevel(level)
    structlog.reset_defaults()


def sink(level: str = "info", fmt: str = "json") -> Sink:
    stream = Sink()
    configure_logging(level, fmt, stream)
    return stream


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(alphabet=st.characters(), max_size=30)
    | st.binary(max_size=20)
    | st.just(object()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=40), anything)
def test_a_record_is_one_line_of_json_whatever_was_put_in(event: str, value: object) -> None:
    stream = sink()
    log.info(event, value=value, other={"nested": value})
    (record,) = stream.records()
    assert list(record)[:3] == ["at", "level", "event"]
    assert record["level"] == "info"


def test_control_characters_newlines_and_lone_surrogates_stay_inside_their_line() -> None:
    stream = sink()
    log.warning("word", text='\n\r\x1b[31m\x00\u2028\ud800"', **{"a\nb": 1})
    (record,) = stream.records()
    assert record["text"] == '\n\r\x1b[31m\x00\u2028\ud800"'
    assert record["a\nb"] == 1


def test_a_field_cannot_take_the_place_of_the_head() -> None:
    stream = sink()
    log.info("word", level="forged", at="forged")
    (record,) = stream.records()
    assert record["level"] == "info"
    assert record["at"] != "forged"


def test_a_value_without_end_is_cut() -> None:
    stream = sink()
    endless: dict[str, object] = {}
    endless["self"] = endless
    log.info("word", endless=endless, long="x" * 100_000, many=list(range(10_000)), huge=10**5000)
    (record,) = stream.records()
    assert len(json.dumps(record)) < 20_000


class _Rude:
    def __repr__(self) -> str:
        raise RuntimeError


def test_a_value_that_cannot_be_shown_does_not_stop_the_record() -> None:
    stream = sink()
    log.info("word", rude=_Rude())
    assert stream.records()[0]["rude"] == "<_Rude>"


@pytest.mark.parametrize(
    "name",
    [
        "key",
        "api_key",
        "API-Key",
        "signing_key",
        "secret",
        "client_secret",
        "token",
        "access_token",
        "authorization",
        "Authorization",
        "passphrase",
        "password",
        "private_key",
        "database_url",
        "seed",
        "mnemonic",
        "cookie",
    ],
)
def test_a_field_that_names_a_secret_is_redacted_at_any_depth(name: str) -> None:
    stream = sink()
    log.info("word", **{name: "hunter22"}, deep=[{"in": {name: {"value": "hunter22"}}}])
    assert "hunter22" not in stream.getvalue()
    assert stream.getvalue().count("[redacted]") == 2


@pytest.mark.parametrize(
    "text",
    [
        "https://user:hunter22@node.example/x",
        "postgresql://hunter22@db/x",
        "https://node.example/v2?apikey=hunter22&x=1",
        "wss://node.example/?x=1&access_token=hunter22",
        "Authorization: Bearer hunter22",
        "whsec_hunter22",
    ],
)
def test_a_secret_inside_a_text_is_redacted(text: str) -> None:
    stream = sink()
    log.info(text, message=f"could not reach {text} today")
    try:
        int(text)
    except ValueError:
        log.exception("word")
    assert "hunter22" not in stream.getvalue()


@pytest.mark.parametrize("name", ["seed_hash_count", "idempotency_keys", "relayer_id", "hash", "has_key", "tokenizer"])
def test_a_harmless_field_is_shown(name: str) -> None:
    stream = sink()
    log.info("word", **{name: "value"})
    assert stream.records()[0][name] in {"value", "[redacted]"}
    if name in {"relayer_id", "hash", "tokenizer", "idempotency_keys"}:
        assert stream.records()[0][name] == "value"


def test_an_exception_shows_its_way_but_not_the_values_of_variables() -> None:
    stream = sink()
    hidden = "hunter" + "22"
    try:
        int("0x") + len(hidden)
    except ValueError as error:
        log.error("word", exc_info=error)
    (record,) = stream.records()
    assert "test_logs.py" in record["exception"]
    assert "hunter22" not in record["exception"]


def test_records_of_libraries_take_the_same_way() -> None:
    stream = sink()
    logging.getLogger("uvicorn.error").error("it said\n%s", "https://a:hunter22@b")
    logging.getLogger("odd").warning("%d", "no number")
    logging.getLogger("quiet").debug("unseen")
    first, second = stream.records()
    assert (first["event"], first["logger"], first["level"]) == ("foreign_log", "uvicorn.error", "error")
    assert "hunter22" not in first["message"]
    assert second["message"] == "%d"


def test_what_is_below_the_level_is_not_written() -> None:
    stream = sink("warning")
    log.info("word")
    log.error("word")
    assert [record["level"] for record in stream.records()] == ["error"]


def test_a_closed_stream_does_not_stop_the_service() -> None:
    stream = sink()
    stream.close()
    log.info("word")


def test_the_pretty_format_obeys_no_control_character() -> None:
    stream = io.StringIO()
    configure_logging("info", "pretty", stream)
    log.info("word", text="\x1b[31m\nforged line", number=3, key="hunter22")
    assert stream.getvalue().count("\n") == 1
    assert "\x1b" not in stream.getvalue()
    assert "number=3" in stream.getvalue()
    assert "hunter22" not in stream.getvalue()


def _words() -> set[str]:
    """Every word that a call such as `log.info("word")` in the source begins with."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(
                        value=ast.Name(id="log") | ast.Attribute(attr="log"),
                        attr="debug" | "info" | "warning" | "error" | "critical" | "exception",
                    ),
                    args=[ast.Constant(value=str(word)), *_],
                ):
                    found.add(word)
    return found


def test_every_event_word_of_the_source_is_named_with_its_meaning() -> None:
    assert _words() - set(EVENTS) == set()
