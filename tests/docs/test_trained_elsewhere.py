"""Training and evaluation from carried files, on a machine with the bare package alone (docs/cluster.md): of
the system of docs/adding-a-system.md, mined here before, and of ``sscp``.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import small_data
import yaml
from worked_example import ROOT, follow, run

from pipeline.store import read

SHARED = {"filelock", "jinja2", "requests"}  # of the extras, and brought along by torch or transformers

SCRIPT = """
import sys
from pathlib import Path

from stages import evaluate, mine, pretrain

params, home = Path("params.yaml"), Path("data")
folders = {{name: home / name for name in ("parsed", "augmented", "benchmarks")}}
mine.main("margin", corpus=home / "corpus", out=home / "triplets" / "margin", params=params, **folders)

LACKING = {lacking!r}
for name in [name for name in sys.modules if name.partition(".")[0] in LACKING]:
    del sys.modules[name]

class Bare:  # a finder of modules that does not find some
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in LACKING:
            return self.finder.find_spec(name, path, target)

    def find_distributions(self, *context):
        found = getattr(self.finder, "find_distributions", lambda *_: ())(*context)
        return (each for each in found if each.metadata["Name"].replace("-", "_") not in LACKING)

sys.meta_path[:] = map(Bare, sys.meta_path)
for system in ("margin", "sscp"):
    pretrain.main(system, 13, params=params)
    evaluate.main(system, 13, None, None, "alignment,retrieval", params=params, **folders)
assert not LACKING & {{name.partition(".")[0] for name in sys.modules}}
"""


def lacking() -> set[str]:
    """The modules of every library that only the extras name."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    listed = [each for extra, libraries in extras.items() if extra != "dev" for each in libraries]
    names = {re.split(r"[^\w-]", each)[0] for each in listed}
    return {name.replace("-", "_") for name in names - SHARED} | {"faiss", "umap"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, tiny_backbone: Path) -> Path:
    """A copy of the project with ``margin`` in it, after two steps of both systems."""
    copy = tmp_path_factory.mktemp("copy")
    follow("adding-a-system.md", copy)
    values = yaml.safe_load((copy / "params.yaml").read_text())
    values["encoder"] |= {"model": str(tiny_backbone), "max_tokens": 32}
    values["train"] |= {"steps": 2, "batch_size": 4, "chunk": 2, "evaluate_every": 1}
    (copy / "params.yaml").write_text(yaml.safe_dump(values))
    small_data.write(copy / "data")
    run(SCRIPT.format(lacking=lacking()), copy)
    return copy


def facts(path: Path) -> Any:
    return json.loads(path.read_text())


def test_the_new_system_has_examples_is_trained_and_is_evaluated(home: Path) -> None:
    examples = read(home / "data" / "triplets" / "margin").to_pylist()
    assert {example["positive_kind"] for example in examples} == {"passive"}
    assert {kind for example in examples for kind in example["negative_kinds"]} == {"argument_swap"}
    training = facts(home / "models" / "margin" / "13" / "training.json")
    assert training["steps"] == 2
    assert 0 < training["best_dev_loss"] < 1
    metrics = facts(home / "reports" / "metrics" / "margin-13.json")
    assert set(metrics["semantic"]["retrieval"]["test"]) >= {"accuracy", "mrr"}


def test_sscp_needs_no_library_of_the_extras(home: Path) -> None:
    assert {"spacy", "dvc", "dvclive", "stanza", "sentence_transformers", "faiss"} <= lacking()
    assert {"semantic", "syntactic", "joint"} <= set(facts(home / "reports" / "metrics" / "sscp-13.json"))
    curve = home / "reports" / "curves" / "sscp-13" / "plots" / "metrics" / "train" / "loss.tsv"
    assert len(curve.read_text().splitlines()) == 3
