"""Numbers as nodes write them: 0x and hex digits. Anything else is a node that does not answer sensibly."""

import re

from baton.domain.errors import NodeUnavailable
from baton.domain.json import Json

_QUANTITY = re.compile(r"0x[0-9a-fA-F]{1,64}")


def quantity(value: Json, what: str) -> int:
    """`what` names the field for the log."""
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value):
        message = f"{what}: a node answered with {type(value).__name__} where a quantity belongs"
        raise NodeUnavailable(message)
    return int(value, 16)
