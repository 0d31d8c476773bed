"""F4: no float touches an amount. Judged by the text of the code itself, wherever amounts are read, made or compared."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import baton

ROOT = Path(baton.__file__).parent
TIME_ONLY = {
    "heads.py",
    "node.py",
    "chain.py",
    "blockhashes.py",
    "lifetimes.py",
    "proof.py",
}  # seconds, and no amounts made
MODULES = [
    *(path for family in ("evm", "solana", "stellar") for path in sorted((ROOT / "chains" / family).glob("*.py"))),
    *(ROOT / "chains" / name for name in ("fields.py", "octets.py")),
    *(ROOT / "domain" / name for name in ("policy.py", "transaction.py")),
    ROOT / "lanes" / "money.py",
]


def floats(tree: ast.Module) -> Iterator[str]:
    """Float literals that are no seconds, true divisions, conversions and rounding."""
    seconds = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) and t.id.endswith("_S") for t in node.targets)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=float()) if id(node) not in seconds:
                yield f"line {node.lineno}: a float"
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                yield f"line {node.lineno}: a division that rounds"
            case ast.Call(func=ast.Name(id="float" | "round")):
                yield f"line {node.lineno}: a conversion"


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path.name not in TIME_ONLY],
    ids=lambda path: "/".join(path.parts[-2:]),
)
def test_no_float_touches_an_amount(path: Path) -> None:
    assert list(floats(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "line", ["fee = 1.1", "fee = a / b", "fee /= 2", "fee = float(a)", "fee = round(a)", "x = (1e3,)"]
)
def test_the_judge_sees_a_float(line: str) -> None:
    assert len(list(floats(ast.parse(line)))) == 1
    assert list(floats(ast.parse("PATIENCE_S = 2.0\nfee = a // b"))) == []
