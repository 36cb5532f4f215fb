"""Values of params.yaml that dvc.yaml puts into command lines: no shell sees one that is not valid."""

import copy
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.params import parse
from tests.fresh_repository import attempt
from tests.hardness.damage import refusal

ROOT = Path(__file__).parents[2]
GRAPH = (ROOT / "dvc.yaml").read_text(encoding="utf-8")
RAW = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
COMMANDS = [
    "13; touch ran",
    "$(touch ran)",
    "`touch ran`",
    "13 | touch ran",
    "13 && touch ran",
    "'; touch ran; '",
]
HOSTILE: dict[str, list[Any]] = {
    "systems": [*COMMANDS, "sscp\ntouch ran", "../sscp", "sscp --out=/", {"a; touch ran": 1}, ["sscp"]],
    "seeds": [*COMMANDS, "13", "13\ntouch ran", "../13", {"a; touch ran": 1}, [13], None, True, 1.5, -1],
}


def with_value(key: str, values: list[Any]) -> dict[str, Any]:
    raw = copy.deepcopy(RAW)
    raw[key] = values
    return raw


def test_every_key_that_the_graph_reads_has_hostile_values() -> None:
    assert set(re.findall(r"\$\{(\w+)\}", GRAPH)) == set(HOSTILE)
    commands = [stage["cmd"] for stage in yaml.safe_load(GRAPH)["stages"].values()]
    with_items = [each for each in commands if "${" in str(each)]
    assert with_items
    assert all(isinstance(each, list) and each[0] == "python -m pipeline.params" for each in with_items)


@pytest.mark.parametrize("key", HOSTILE)
def test_no_hostile_value_is_valid(key: str) -> None:
    for value in HOSTILE[key]:
        complaint = refusal(lambda value=value: parse(with_value(key, [value])))
        assert complaint is not None, value
        assert key in complaint


# Runs every stage whose name holds the value as ``dvc repro`` does, once the stages above are up to date.
AS_DVC = """
import sys
from dvc.repo import Repo
from dvc.stage.exceptions import StageCmdFailedError
from dvc.stage.run import cmd_run

for stage in Repo.init(no_scm=True).index.stages:
    if sys.argv[1] in stage.addressing:
        try:
            cmd_run(stage)
        except StageCmdFailedError as error:
            print("failed", error)
"""


@pytest.mark.parametrize("key", HOSTILE)
@pytest.mark.parametrize("value", ["$(touch ran)", "13; touch ran"])
def test_dvc_runs_nothing_of_a_hostile_value(
    key: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = with_value(key, [value]) | ({"seeds": [13]} if key == "systems" else {"systems": ["sscp"]})
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(raw))
    (tmp_path / "dvc.yaml").write_text(GRAPH)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    code, said, complaint = attempt(sys.executable, "-c", AS_DVC, value, cwd=tmp_path)
    assert code == 0, complaint
    stages = 2 if key == "seeds" else 3
    assert said.count("failed to run: python -m pipeline.params, exited with 1") == stages
    assert complaint.count(f"synsem: params.yaml: {key}") == stages
    assert not (tmp_path / "ran").exists()
