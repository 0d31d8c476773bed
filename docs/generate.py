"""Writes the pages of docs/ that are made from the code. `make docs` runs it; a test compares."""

from collections.abc import Callable
from pathlib import Path

from docs.statements import statements

from baton.api.unserved import PATHS as UNSERVED_PATHS
from baton.config import SETTINGS, show_policy
from baton.config import environment as environment_names
from baton.config import networks as network_table
from baton.config.policies import TABLES
from baton.domain.network import Family
from baton.domain.status import FINAL, MOVES, Status

_HERE = Path(__file__).parent

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


def configuration() -> str:
    example = (_HERE / "examples" / "config.json").read_text(encoding="utf-8")
    blocks = {
        "example": f"```json\n{example}```",
        "settings": _table("Variable | Default | Means", [(f"`{s.name}`", s.shown_default, s.doc) for s in SETTINGS]),
        "networks": _table("Type | Networks", [(family, _network_names(family)) for family in Family]),
        "unserved": _table("Name | What it would do", _unserved()),
    } | {f"policies {family}": _table("Key | Default | Means", _policy_rows(family)) for family in Family}
    return _with_blocks("configuration.md", blocks)


def api() -> str:
    shown = _table("Where | Statement | Shown by", [each.row() for each in statements()])
    return _with_blocks("api.md", {"statements": shown})


def compatibility() -> str:
    rows: list[tuple[str, ...]] = [(f"`{method}`", f"`{template}`") for method, template in UNSERVED_PATHS]
    return _with_blocks("compatibility.md", {"paths": _table("Method | Path", rows)})


def _with_blocks(name: str, blocks: dict[str, str]) -> str:
    """The page as people wrote it, with its tables made anew."""
    page = (_HERE / name).read_text(encoding="utf-8")
    for block_name, block in blocks.items():
        begin, end = f"<!-- begin: {block_name} -->", f"<!-- end: {block_name} -->"
        before, _, rest = page.partition(begin)
        page = f"{before}{begin}\n{block}\n{end}{rest.partition(end)[2]}"
    return page


def _table(head: str, rows: list[tuple[str, ...]]) -> str:
    rule = "---|" * (head.count("|") + 1)
    return "\n".join([f"| {head} |", f"|{rule}", *(f"| {' | '.join(row)} |" for row in rows)])


def _policy_rows(family: Family) -> list[tuple[str, ...]]:
    defaults = show_policy(TABLES[family].make())
    shown = {name: "none" if value == [] else f"`{str(value).lower()}`" for name, value in defaults.items()}
    return [(f"`{name}`", shown.get(name, "none"), key.doc) for name, key in TABLES[family].keys.items()]


def _network_names(family: Family) -> str:
    known = network_table.built_in_networks().values()
    return ", ".join(
        f"`{one.name}` ({one.chain_id})" if one.chain_id else f"`{one.name}`" for one in known if one.family is family
    )


def _unserved() -> list[tuple[str, ...]]:
    rows = [(f"`{name}{'…' if name.endswith('_') else ''}`", text) for name, text in environment_names.UNSERVED.items()]
    rows += [(f"`networks[].{name}`", text) for name, text in network_table.UNSERVED.items()]
    rows += [
        (f"`policies.{name}` ({family})", text)
        for family, table in TABLES.items()
        for name, text in table.unserved.items()
    ]
    return [*rows, ("`plugins`", "they would run TypeScript next to the relayer; use the API and webhooks")]


PAGES: dict[str, Callable[[], str]] = {
    "api.md": api,
    "compatibility.md": compatibility,
    "configuration.md": configuration,
    "lifecycle.md": lifecycle,
}


def main() -> None:
    for name, page in PAGES.items():
        (_HERE / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
