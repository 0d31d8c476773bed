"""Strict JSON: what is taken is exactly what was sent; everything else is `Invalid`, never another error."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from baton.api.json_scan import parse
from baton.domain.errors import Invalid

DEPTH = 32

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))


def as_sent(value: Any, *, ascii_only: bool) -> bytes:
    return json.dumps(value, ensure_ascii=ascii_only).encode()


@given(VALUES, st.booleans())
@settings(max_examples=100)
@example({"value": 2**128}, False)
@example({"value": -(10**4000)}, False)
@example({"\U0001f600": "\\u0000 is no NUL"}, True)
@example({'a"': 1, "a\\": 2, "a": 3}, True)
def test_every_json_value_is_read_exactly(value: Any, ascii_only: bool) -> None:
    read = parse(as_sent(value, ascii_only=ascii_only), DEPTH)
    assert read == value
    assert json.dumps(read) == json.dumps(value)


@given(st.binary(max_size=60))
@settings(max_examples=100)
def test_bytes_without_meaning_are_invalid_and_nothing_else(raw: bytes) -> None:
    with suppress(Invalid):
        parse(raw, DEPTH)


@given(st.text(alphabet='{}[]":,\\u0dD8cC01aeE.-tn \n', max_size=40))
@settings(max_examples=100)
def test_text_that_looks_like_json_is_judged_as_a_strict_reader_does(text: str) -> None:
    def no_repeated_key(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    def no_constant(word: str) -> None:
        raise AssertionError(word)

    try:
        expected = json.loads(text, object_pairs_hook=no_repeated_key, parse_constant=no_constant)
        json.dumps(expected, ensure_ascii=False, allow_nan=False).encode()  # no lone surrogate, no overflow to infinity
        is_good = "\\u0000" not in json.dumps(expected)
    except (ValueError, AssertionError, RecursionError):
        is_good = False
    try:
        assert parse(text.encode(), DEPTH) == expected
        assert is_good
    except Invalid:
        assert not is_good


@given(VALUES, st.data())
@settings(max_examples=100)
def test_a_repeated_key_is_refused_wherever_it_hides(value: Any, data: st.DataObject) -> None:
    key = data.draw(TEXT)
    spelled = [json.dumps(key), json.dumps(key, ensure_ascii=False), '"' + "".join(_escaped(c) for c in key) + '"']
    first, second = data.draw(st.sampled_from(spelled)), data.draw(st.sampled_from(spelled))
    inner = f'{{{first}: 1, "other {key.encode().hex()}": [{json.dumps(value)}], {second} : 2}}'
    with pytest.raises(Invalid, match="twice"):
        parse(f'{{"a": [{inner}]}}'.encode(), DEPTH)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02X}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def test_the_same_key_in_two_objects_is_no_repetition() -> None:
    text = b'{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}], "c": "a", "d": ["a", "a"]}'
    assert parse(text, DEPTH) == json.loads(text)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_taken_at_the_limit_and_refused_one_past_it(opening: str, closing: str) -> None:
    """A4: limits hold at the limit and one past it."""
    parse((opening * DEPTH + "1" + closing * DEPTH).encode(), DEPTH)
    with pytest.raises(Invalid, match="deeper than 32"):
        parse((opening * (DEPTH + 1) + "1" + closing * (DEPTH + 1)).encode(), DEPTH)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b" ",
        b"{",
        b"}",
        b"]]]]",
        b'{"a"}',
        b'{"a": }',
        b'{"a": 1,}',
        b"[1,]",
        b"{'a': 1}",
        b'{"a": 1} {"b": 2}',
        b'{"a": 01}',
        b'{"a": +1}',
        b'{"a": .5}',
        b'{"a": 0x10}',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": 1e400}',
        b'{"a": "\x00"}',
        b'{"a": "\n"}',
        b'{"a": "\\x"}',
        b'{"a": "\\u12"}',
        b'{"a": "\\u0000"}',
        b'{"a\\u0000": 1}',
        b'{"a": "\\ud800"}',
        b'{"a": "\\ud800x"}',
        b'{"a": "\\ud800\\ud800"}',
        b'{"a": "\\udc00"}',
        b'{"a": "\\udc00\\ud800"}',
        b'{"a": "\\ud800\\n\\udc00"}',
        b'{"\\ud800": 1}',
        b'{"a": "\xed\xa0\x80"}',
        b'{"a": "\xff"}',
        b'{"a": "\xc0\x80"}',
        b"\xef\xbb\xbf{}",
        b"{}\x00",
        '{"a": 1}'.encode("utf-16"),
        b'{"a": ' + b"1" * 5000 + b"}",
        b'"' + b'\\"' * 100_000,
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": "' + b"\\u00e9" * 50_000,
        b'{"a": 1, "a": 1}',
        b'{"a": 1, "\\u0061": 1}',
    ],
)
def test_what_is_not_strict_json_is_refused(raw: bytes) -> None:
    with pytest.raises(Invalid) as refused:
        parse(raw, DEPTH)
    assert refused.value.field == "body"
    assert len(str(refused.value)) < 300


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert parse(b'"\\ud83d\\ude00"', DEPTH) == "\U0001f600"


def test_an_escaped_backslash_begins_no_escape() -> None:
    assert parse(rb'["\\u0000", "\\ud800", "\\\\"]', DEPTH) == ["\\u0000", "\\ud800", "\\\\"]


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":1}', '{"a" : 1, "a"\t:2}', '{"":1,"":2}', '{"a":":","a":2}', '{"a":": ","b":1,"b":":"}']
)
def test_a_repeated_key_of_a_flat_object_is_found_whatever_its_strings_look_like(text: str) -> None:
    with pytest.raises(Invalid, match="twice"):
        parse(text.encode(), 8)


@given(st.dictionaries(st.text(':" {}a', max_size=3), st.one_of(st.integers(), st.text(': {}"a', max_size=4))))
def test_a_flat_object_is_read_as_it_was_written(value: dict[str, int | str]) -> None:
    assert parse(json.dumps(value).encode(), 8) == value
