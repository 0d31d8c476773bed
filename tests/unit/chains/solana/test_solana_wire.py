"""The native parser's panics stay inside, and nothing else is swallowed."""

import pytest

from baton.chains.solana import wire
from baton.domain.errors import Invalid


class PanicException(BaseException):  # named as the native library's own
    pass


class Panicking:
    @staticmethod
    def from_bytes(raw: bytes) -> None:
        raise PanicException("called `Option::unwrap()` on a `None` value")


class Interrupted:
    @staticmethod
    def from_bytes(raw: bytes) -> None:
        raise KeyboardInterrupt


def test_a_panic_of_the_parser_is_the_bytes_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "VersionedTransaction", Panicking)
    with pytest.raises(Invalid, match="unreadable"):
        wire.transaction_of(b"\x00", "transaction")


def test_an_interruption_goes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "VersionedTransaction", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        wire.transaction_of(b"\x00", "transaction")


def test_more_bytes_than_a_packet_holds_are_refused_unread() -> None:
    with pytest.raises(Invalid, match="at most 1232 bytes"):
        wire.transaction_of(bytes(1233), "transaction")
