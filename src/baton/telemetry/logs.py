"""Structured logs: one event word and fields; one line of JSON for each record, whatever was put in.

Records of libraries that use the standard library's logging take the same way out, as the event `foreign_log`.
"""

import json
import logging
import sys
import traceback
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any, TextIO

import structlog

from baton.telemetry.plain import plain_fields, plain_text

log = structlog.get_logger("baton")

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_FIRST = ("at", "level", "event")
_Record = MutableMapping[str, Any]


def configure_logging(level: str = "info", fmt: str = "json", stream: TextIO | None = None) -> None:
    """Sets up logging for the process; `fmt` is `json`, or `pretty` for people. Without a stream: standard error."""
    render = _pretty if fmt == "pretty" else _json
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, _stamp, _trace, _redact, render],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_: _Line(stream),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers[:] = [_Foreign()]
    root.setLevel(max(LEVELS[level], logging.INFO))


class _Line:
    """Writes one record as one line in one call. A closed or full stream must not stop the service: it is let go."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def msg(self, line: str) -> None:
        stream = self._stream or sys.stderr
        try:
            stream.write(line + "\n")
            stream.flush()
        except (OSError, ValueError):
            return

    debug = info = warning = error = critical = exception = fatal = msg


class _Foreign(logging.Handler):
    """Takes over records of the standard library's logging."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            message = record.getMessage()
        except (TypeError, ValueError):
            message = str(record.msg)
        level = logging.getLevelName(min(record.levelno, logging.ERROR)).lower()
        write = getattr(log, level if level in LEVELS else "info")
        write("foreign_log", logger=record.name, message=message, exc_info=record.exc_info or None)


def _stamp(_logger: object, level: str, record: _Record) -> _Record:
    record["at"] = datetime.now(UTC).isoformat(timespec="microseconds")
    record["level"] = level
    return record


def _trace(_logger: object, _level: str, record: _Record) -> _Record:
    """An exception becomes its traceback: file, line and code, never the values of variables."""
    error = record.pop("exc_info", None)
    if error is True:
        error = sys.exc_info()
    if isinstance(error, tuple):
        error = error[1]
    if isinstance(error, BaseException):
        record["exception"] = "".join(traceback.format_exception(error))
    return record


def _redact(_logger: object, _level: str, record: _Record) -> _Record:
    event = record.pop("event", "")
    at, level = record.pop("at"), record.pop("level")
    head = {"at": at, "level": level, "event": plain_text(str(event))}
    return head | {key: value for key, value in plain_fields(record).items() if key not in _FIRST}


def _json(_logger: object, _level: str, record: _Record) -> str:
    """ASCII only, so that newlines, control characters and lone surrogates are all escapes."""
    return json.dumps(record, ensure_ascii=True, allow_nan=False)


def _pretty(_logger: object, _level: str, record: _Record) -> str:
    """For people: time, level, event, fields; a traceback follows on lines of its own."""
    trace = record.pop("exception", "")
    at, level, event = (str(record.pop(name)) for name in _FIRST)
    fields = "".join(f" {_shown(key)}={_shown(value)}" for key, value in record.items())
    lines = [f"{at[11:23]} {level:<7} {_shown(event)}{fields}"]
    lines += ["    " + _shown(line) for line in str(trace).splitlines()]
    return "\n".join(lines)


def _shown(value: object) -> str:
    """Text without what a terminal would obey."""
    text = value if isinstance(value, str) else json.dumps(value)
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
