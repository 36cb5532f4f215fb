"""docs/sscp.md: every experiment that it lists can be run, and every file that it names is there."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from pipeline.params import changed, parse

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "sscp.md").read_text()
LINES = [line.split("#")[0].strip() for line in PAGE.splitlines() if line.startswith("    dvc exp run")]


@pytest.mark.parametrize("line", LINES)
def test_an_experiment_changes_parameters_that_are_there(line: str) -> None:
    words = shlex.split(line)
    assert words[:3] == ["dvc", "exp", "run"]
    assert words[3::2] == ["-S"] * len(words[4::2])
    raw = yaml.safe_load((ROOT / "params.yaml").read_text())
    settings = dict(each.split("=", 1) for each in words[4::2])
    systems = settings.pop("systems", None)
    values = changed(raw, {key: yaml.safe_load(value) for key, value in settings.items()})
    parse(values)
    assert (values != raw) == bool(settings)
    for system in yaml.safe_load(systems or "[]"):
        assert (ROOT / "pipeline" / "systems" / system / "model.py").exists()


def test_the_files_and_functions_of_the_table_exist() -> None:
    assert len(LINES) > 15
    for path, name in re.findall(r"`(pipeline/[\w/]+\.py)(?:: ([\w.]+))?`", PAGE):
        source = (ROOT / path).read_text()
        for part in name.split("."):
            assert re.search(rf"(def|class) {part}\b", source) or not part, f"{path}: {name}"
