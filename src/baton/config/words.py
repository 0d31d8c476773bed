"""What the text of an environment variable means. Each reader raises ValueError with what it expected."""

import base64
import binascii
import math
import re
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_network

KEY_BYTES = 32
_LOG_LEVELS = {
    "trace": "debug",
    "debug": "debug",
    "info": "info",
    "warn": "warning",
    "warning": "warning",
    "error": "error",
}
_VISIBLE_ASCII = re.compile(r"[!-~]+")
_LOG_FORMATS = {"json": "json", "pretty": "pretty", "compact": "pretty"}
_FLAGS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def text(value: str) -> str:
    if not value.isprintable():
        raise ValueError("printable text")
    return value


def token(value: str) -> str:
    """What a client can send in a header: a blank in it would lock everyone out."""
    if not _VISIBLE_ASCII.fullmatch(value):
        raise ValueError("visible ASCII characters without blanks")
    return value


def integer(least: int, most: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        expected = f"an integer from {least} to {most}"
        if not (value.isascii() and value.isdigit() and len(value) <= len(str(most))):
            raise ValueError(expected)
        found = int(value)
        if not least <= found <= most:
            raise ValueError(expected)
        return found

    return read


def number(least: float, most: float) -> Callable[[str], float]:
    def read(value: str) -> float:
        expected = f"a number from {least:g} to {most:g}"
        try:
            found = float(value)
        except ValueError:
            raise ValueError(expected) from None
        if not (math.isfinite(found) and least <= found <= most):
            raise ValueError(expected)
        return found

    return read


def flag(value: str) -> bool:
    try:
        return _FLAGS[value.lower()]
    except KeyError:
        raise ValueError("true or false") from None


def log_level(value: str) -> str:
    try:
        return _LOG_LEVELS[value.lower()]
    except KeyError:
        raise ValueError(f"one of {', '.join(_LOG_LEVELS)}") from None


def log_format(value: str) -> str:
    try:
        return _LOG_FORMATS[value.lower()]
    except KeyError:
        raise ValueError(f"one of {', '.join(_LOG_FORMATS)}") from None


def key32(value: str) -> bytes:
    try:
        found = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != KEY_BYTES:
        raise ValueError(f"base64 of {KEY_BYTES} bytes (head -c 32 /dev/urandom | base64)")
    return found


def database_url(value: str) -> str:
    if not value.startswith(("postgres://", "postgresql://")):
        raise ValueError("postgresql://…")
    return value


def cidrs(value: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(part.strip()) for part in value.split(",") if part.strip())
    except ValueError:
        raise ValueError("address ranges such as 10.0.0.0/8, separated by commas") from None
