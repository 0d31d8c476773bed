"""The positional parameters of a call, read with the checks a node makes."""

from solders.pubkey import Pubkey

from baton.devnet.solana.errors import invalid_params
from baton.domain.json import Json

_MAX_U64 = 2**64 - 1


class Params:
    def __init__(self, raw: Json) -> None:
        if raw is not None and not isinstance(raw, list):
            raise invalid_params("Invalid params: expected an array")
        self._raw: list[Json] = raw or []

    def has(self, index: int) -> bool:
        return self._at(index) is not None

    def _at(self, index: int) -> Json:
        return self._raw[index] if index < len(self._raw) else None

    def text(self, index: int) -> str:
        value = self._at(index)
        if not isinstance(value, str):
            raise invalid_params(f"Invalid params: parameter {index} must be a string")
        return value

    def integer(self, index: int, default: int | None = None) -> int:
        value = self._at(index) if self._at(index) is not None else default
        if type(value) is not int or not 0 <= value <= _MAX_U64:
            raise invalid_params(f"Invalid params: parameter {index} must be an unsigned 64-bit integer")
        return value

    def texts(self, index: int, most: int) -> list[str]:
        value = self._at(index)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise invalid_params(f"Invalid params: parameter {index} must be an array of strings")
        if len(value) > most:
            raise invalid_params(f"Too many inputs provided; max {most}")
        return value

    def address(self, index: int) -> Pubkey:
        return parse_address(self.text(index))

    def options(self, index: int) -> dict[str, Json]:
        value = self._at(index)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise invalid_params(f"Invalid params: parameter {index} must be an object")
        return value

    def encoding_options(self, index: int, default: str) -> dict[str, Json]:
        """Older clients give a bare encoding where newer ones give an object."""
        value = self._at(index)
        options = {"encoding": value} if isinstance(value, str) else self.options(index)
        return {**options, "encoding": options.get("encoding") or default}


def parse_address(text: str) -> Pubkey:
    try:
        return Pubkey.from_string(text)
    except ValueError:
        raise invalid_params("Invalid param: Invalid") from None
