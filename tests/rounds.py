"""How often a repeated test repeats: a few times by default, its full count under `make torture`."""

import os


def rounds(quick: int, full: int) -> int:
    """`quick`, or `full` when BATON_ROUNDS is `full`. Any other value is a mistake, not a silent small run."""
    match os.environ.get("BATON_ROUNDS", ""):
        case "":
            return quick
        case "full":
            return full
        case other:
            raise ValueError(f"BATON_ROUNDS: found {other!r}, expected nothing or 'full'")
