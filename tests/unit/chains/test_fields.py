"""Request fields are read exactly or refused with their path."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from baton.chains import fields
from baton.domain.errors import Invalid

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def refused(reader: Any, *args: Any, **named: Any) -> Invalid:
    with pytest.raises(Invalid) as caught:
        reader(*args, **named)
    return caught.value


@pytest.mark.parametrize("body", [None, [], "x", 1, True, 1.5])
def test_a_body_that_is_no_object_is_refused(body: Any) -> None:
    assert refused(fields.as_object, body).field == "body"


def test_null_equals_absence() -> None:
    obj = {"a": None}
    for key in ("a", "b"):
        assert fields.text(obj, key) is None
        assert fields.integer(obj, key, 0, 9) is None
        assert fields.flag(obj, key) is None
        assert fields.array(obj, key) is None
        assert fields.nested(obj, key) is None
        assert fields.moment(obj, key, NOW) is None
        assert fields.choice(obj, key, ["x"]) is None


def test_a_required_field_tells_null_from_nothing() -> None:
    assert refused(fields.required, {}, "value", "an integer").found == "nothing"
    assert refused(fields.required, {"value": None}, "value", "an integer").found == "null"
    assert fields.required({"value": 0}, "value", "an integer") == 0


@pytest.mark.parametrize("literal", ["true", "1.0", "1e3", "-1", '"1"', '""', "[]", "{}", "10"])
def test_what_is_no_integer_in_range_is_refused(literal: str) -> None:
    obj = {"n": msgspec.json.decode(literal)}
    error = refused(fields.integer, obj, "n", 0, 9, at="operations[0]")
    assert error.field == "operations[0].n"
    assert error.expected == "an integer from 0 to 9"


@pytest.mark.parametrize("text", ["", " 1", "1 ", "1_0", "+1", "0x1", "1.0", "1e3", "١", "-", "9" * 5000, "ten"])  # noqa: RUF001 - digits of another script
def test_a_string_that_is_no_plain_decimal_is_refused(text: str) -> None:
    refused(fields.integer, {"n": text}, "n", 0, fields.U128_MAX, text_allowed=True)


def test_integers_are_exact_at_any_size() -> None:
    top = fields.U128_MAX
    assert fields.integer({"n": top}, "n", 0, top) == top
    assert fields.integer({"n": str(top)}, "n", 0, top, text_allowed=True) == top
    assert fields.number(hex(top), "n", 0, top, hex_allowed=True) == top
    assert refused(fields.integer, {"n": top + 1}, "n", 0, top).expected == "an integer from 0 to 2^128-1"


def test_what_was_found_is_short_and_one_line() -> None:
    assert len(fields.found("x" * 10_000)) < 70
    assert "\n" not in fields.found("a\nb")
    assert fields.found(10**5000) == "an integer of 16610 bits"
    assert fields.found([1, 2]) == "an array of 2"
    assert fields.found({"secret": 1}) == "an object"
    assert fields.found(1.5) == "1.5"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2030-06-01T00:00:00Z", datetime(2030, 6, 1, tzinfo=UTC)),
        ("2030-06-01t00:00:00z", datetime(2030, 6, 1, tzinfo=UTC)),
        ("2030-06-01T02:00:00.5+02:00", datetime(2030, 6, 1, microsecond=500_000, tzinfo=UTC)),
        ("2030-06-01T00:00:00.123456789Z", datetime(2030, 6, 1, microsecond=123_456, tzinfo=UTC)),
        ("2030-06-30T23:59:60Z", datetime(2030, 7, 1, tzinfo=UTC)),
    ],
)
def test_a_moment_is_read_into_utc(text: str, expected: datetime) -> None:
    assert fields.moment({"valid_until": text}, "valid_until", NOW) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2030-06-01",
        "2030-06-01T00:00:00",
        "20300601T000000Z",
        "2030-W10-1T00:00:00Z",
        "2030-13-01T00:00:00Z",
        "2030-06-01T24:00:01Z",
        "2030-06-01T00:00:00+0200",
        "2030-06-01T00:00:00,5Z",
        "0000-06-01T00:00:00Z",
        "9999-12-31T23:59:59-23:59",
        "9999-12-31T23:59:60Z",
        "2030-06-01T00:00:00Z\n",
    ],
)
def test_a_moment_that_is_no_rfc_3339_time_is_refused(text: str) -> None:
    assert "RFC 3339" in refused(fields.moment, {"valid_until": text}, "valid_until", NOW).expected


def test_a_moment_must_be_in_the_future() -> None:
    obj = {"valid_until": NOW.isoformat()}
    assert fields.moment(obj, "valid_until", NOW - timedelta(microseconds=1)) == NOW
    assert "future" in refused(fields.moment, obj, "valid_until", NOW).expected
