"""The small project of ``tests/hardness`` with every system in it: where documented commands are run."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import yaml

from tests.hardness.forked import finish
from tests.hardness.small_project import ROOT, SYSTEMS, write_project

CONTRAST = ROOT / "pipeline" / "evaluation" / "contrast_set.tsv"
# What a run may cost here, whatever a page says.
_MOST = {"steps": 2, "batch_size": 8, "evaluate_every": 1, "chunk": 4, "dev_examples": 16}


def build(folder: Path, backbone: Path) -> Path:
    """Write the project and run its stages, once for each system."""
    write_project(folder, backbone, all_systems=True)
    with (folder / "qqp.jsonl").open("w") as stream:
        for number in range(30):
            row = {"question1": f"Why do {number} dogs run?", "question2": f"What makes {number} cats run?"}
            split = ("train", "dev", "test")[number % 3]
            stream.write(json.dumps(row | {"label": number // 3 % 2, "split": split}) + "\n")
    path = folder / "params.yaml"
    values = yaml.safe_load(path.read_text())
    values["download"]["benchmarks"] = ["stsb.jsonl", "qqp.jsonl", str(CONTRAST)]
    path.write_text(yaml.safe_dump(small(values), sort_keys=False))
    shutil.copy(ROOT / "ablations.yaml", folder / "ablations.yaml")
    for stage in ("download", "parse", "augment", "treebank"):
        call(folder, stage)
    for system in SYSTEMS:
        call(folder, "mine", system)
        call(folder, "pretrain", system, "13")
    return folder


def small(values: dict[str, Any]) -> dict[str, Any]:
    """The same parameters for a run of seconds."""
    train = values["train"]
    train |= {name: min(train[name], most) for name, most in _MOST.items() if train[name] is not None}
    values["sscp"]["shared_layers"] = min(values["sscp"]["shared_layers"], 1)
    return values


def copied(project: Path, to: Path) -> Path:
    """A project to write in; what stages made is linked, since none writes into a file that is there."""
    shutil.copytree(project, to, symlinks=True, copy_function=os.link)
    (to / "params.yaml").unlink()
    shutil.copy(project / "params.yaml", to / "params.yaml")
    return to


def call(project: Path, *command: str) -> str:
    """What ``synsem COMMAND`` prints; it must end well."""
    code, said = finish(project, *command, workers=2 if "--workers" in command else 1)
    assert code == 0, f"synsem {' '.join(command)}\n{said[-4000:]}"
    return said
