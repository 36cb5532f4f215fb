"""Every message of docs/troubleshooting.md is one that the code can print."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
MESSAGES = re.findall(r"^\s{4,}synsem: (.+)$", PAGE, flags=re.MULTILINE)
_FIXED = 0.35  # of a message must be literal in its pattern, or the pattern would fit anything


def literals(node: ast.expr, held: dict[str, ast.JoinedStr]) -> str:
    """A regular expression for the strings that an expression can give; ``held`` are those of variables."""
    if isinstance(node, ast.Constant):
        return re.escape(str(node.value))
    if isinstance(node, ast.JoinedStr):
        return "".join(literals(part, held) for part in node.values)
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name) and node.value.id in held:
        return literals(held[node.value.id], {})
    if isinstance(node, ast.BinOp):
        return literals(node.left, held) + literals(node.right, held)
    if isinstance(node, ast.IfExp):
        return f"(?:{literals(node.body, held)}|{literals(node.orelse, held)})"
    return ".+"


@functools.cache
def patterns() -> dict[re.Pattern[str], int]:
    """One for every string in the code, constant or formatted, and how many of its letters are literal.

    Not while tests are collected: every process collects all tests, and one runs these.
    """
    found: set[str] = set()
    for path in (path for part in ("pipeline", "stages") for path in sorted((ROOT / part).rglob("*.py"))):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        held = {
            target.id: node.value
            for node in nodes
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.JoinedStr)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        found |= {
            literals(node, held)
            for node in nodes
            if isinstance(node, ast.JoinedStr | ast.BinOp)
            or (isinstance(node, ast.Constant) and isinstance(node.value, str))
        }
    return {re.compile(each): len(re.sub(r"\.\+|\\", "", each)) for each in found}


def printed(message: str) -> bool:
    """Whether the code can print it; another function may add a prefix, such as a source of text."""
    return any(
        literal >= _FIXED * len(message)
        and (found := pattern.search(message))
        and found.end() == len(message)
        and found.start() < len(message) / 2
        for pattern, literal in patterns().items()
    )


# The end of a message from pydantic; the key in front is ours.
OF_PYDANTIC = ("input should be greater than or equal to 2",)


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_can_be_printed(message: str) -> None:
    assert message.endswith(OF_PYDANTIC) or printed(message)


def test_an_invented_message_is_refused() -> None:
    assert len(MESSAGES) > 25
    assert not printed("data/corpus: the moon is in the wrong phase; wait for another")
    assert not printed("train.tua: unknown; did you intend train.tau?")
