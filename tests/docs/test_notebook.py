"""docs/notebook.ipynb runs from its first cell to its plot."""

import ast
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.export.conftest import ROOT

NOTEBOOK = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))
CODE = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
SVG = "{http://www.w3.org/2000/svg}"


def run(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, where that is an expression, as Jupyter shows it."""
    tree = ast.parse(source)
    shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(shown.value), "cell", "eval"), names) if shown else None


def test_it_is_small_and_its_outputs_are_cleared() -> None:
    assert (NOTEBOOK["nbformat"], NOTEBOOK["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in NOTEBOOK["cells"]}) == len(NOTEBOOK["cells"]) <= 12
    for cell in NOTEBOOK["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_it_uses_what_is_public_alone() -> None:
    nodes = [node for source in CODE for node in ast.walk(ast.parse(source))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert names == {"synsem", "html"}


def test_it_goes_from_text_to_a_plot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = [run(source, names) for source in CODE]
    said = capsys.readouterr().out
    assert "nsubj    chased -> dog (NOUN)" in said
    assert "same      passive" in said
    assert "different argument_swap" in said
    means = {
        meaning: float(mean) for meaning, mean in re.findall(r"structural (\w+) +mean cosine (\S+)", said)
    }
    assert means["same"] > means["different"]
    variants, views = names["variants"], names["model"].views
    assert {variant.meaning for variant in variants} == {"same", "different", "order"}
    drawn = ElementTree.fromstring(shown[-1]._repr_svg_())
    places = [float(dot.attrib["cx"]) for dot in drawn.iter(f"{SVG}circle")]
    assert len(places) == len(variants) * len(views) + 3  # and the key
    assert all(0 <= place <= float(drawn.attrib["width"]) for place in places)
    assert {title.text for title in drawn.iter(f"{SVG}title")} >= {each.sentence.text for each in variants}
