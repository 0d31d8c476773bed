"""Which test shows which statement of the interface: read from the tests' own docstrings."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_CITES = re.compile(r"interface (§.*?): (.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    sections: tuple[str, ...]  # "4.1 group A", "7"
    words: str
    test: str
    file: Path

    def row(self) -> tuple[str, ...]:
        sections = ", ".join(f"§{section}" for section in self.sections)
        link = f"[`{self.test}`](../{self.file.relative_to(_ROOT).as_posix()})"
        return sections, self.words.replace("|", "\\|"), link


def statements() -> list[Statement]:
    """Sorted by section, so that the table reads like the interface."""
    found = [each for file in sorted((_ROOT / "tests").rglob("test_*.py")) for each in _of(file)]
    return sorted(found, key=lambda each: (each.sections, each.test))


def _of(file: Path) -> Iterator[Statement]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            cited = _CITES.match(" ".join((ast.get_docstring(node) or "").split()))
            if cited:
                sections = tuple(part.strip() for part in cited[1].replace(",", "").split("§") if part.strip())
                yield Statement(sections, cited[2], node.name, file)
