"""The documents against the tree: generated pages, links, commands, rooms and locks."""

import re
from pathlib import Path

import pytest
from docs.generate import PAGES

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LOCKS = [*(ROOT / "requirements").glob("*.txt"), ROOT / "src" / "baton" / "devnet" / "node.txt"]


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == PAGES[name](), "run make docs"


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_every_link_inside_the_tree_leads_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8"))
    inside = [link.partition("#")[0] for link in links if "://" not in link and not link.startswith(("#", "mailto:"))]
    assert [link for link in inside if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=relative)
def test_every_make_target_that_is_named_exists(document: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z]+)", document.read_text(encoding="utf-8"), re.MULTILINE))
    assert named - targets == set()


def test_every_room_is_on_the_architecture_page() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = (path.stem for path in (ROOT / "src" / "baton").iterdir() if path.name[0] not in "_.")
    assert [room for room in rooms if not re.search(rf"^  {room}(/|\.py) ", page, re.MULTILINE)] == []


@pytest.mark.parametrize("lock", LOCKS, ids=relative)
def test_a_lock_names_no_download_address(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert re.findall(r"\S*://\S*|--(?:extra-)?index-url.*|--find-links.*", text) == []
    assert "--hash=sha256:" in text
