"""Writes the pages of docs/ that are made from the code. `make docs` runs it; a test compares."""

from collections.abc import Callable
from pathlib import Path

from baton.domain.status import FINAL, MOVES, Status

_MEANINGS = {
    Status.PENDING: "stored; nothing is signed, or what was signed can no longer land",
    Status.SENT: "signed and stored; no node has accepted it yet",
    Status.SUBMITTED: "a node has accepted it",
    Status.MINED: "in a block that is not yet deep enough",
    Status.CONFIRMED: "in a block that is deep enough",
    Status.FAILED: "it was carried out and reverted, or it can never be carried out",
    Status.EXPIRED: "its `valid_until` passed and it can never land",
    Status.CANCELED: "you canceled it and it can never land",
}


def lifecycle() -> str:
    statuses = [f"| `{status}` | {_MEANINGS[status]} | {'yes' if status in FINAL else ''} |" for status in Status]
    arrows = [f"    {old} --> {new}" for old, new in MOVES]
    moves = [f"| `{old}` | `{new}` | {cause} |" for (old, new), cause in MOVES.items()]
    ends = [f"    {status} --> [*]" for status in Status if status in FINAL]
    return "\n".join(
        [
            "<!-- Written by `make docs` from src/baton/domain/status.py. -->",
            "",
            "# The life of a transaction",
            "",
            "| Status | Means | Final |",
            "|---|---|---|",
            *statuses,
            "",
            "A final status never changes. Before it, a transaction may take any of these moves, and no other:",
            "",
            "```mermaid",
            "stateDiagram-v2",
            f"    [*] --> {Status.PENDING}",
            *arrows,
            *ends,
            "```",
            "",
            "| From | To | Because |",
            "|---|---|---|",
            *moves,
            "",
        ]
    )


PAGES: dict[str, Callable[[], str]] = {"lifecycle.md": lifecycle}


def main() -> None:
    for name, page in PAGES.items():
        Path(__file__).with_name(name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
