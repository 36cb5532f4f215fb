"""Projects for the report to be made from."""

from pathlib import Path

import pytest
from report_project import ACTIVE, HEBREW, MARKUP, PASSIVE, SWAPPED, VIEWS, Project, metrics_of

from pipeline.core import store


@pytest.fixture
def empty(tmp_path: Path) -> Project:
    """Sentences and no variant; no run at all."""
    project = Project(tmp_path)
    project.sentences({"s0": ACTIVE})
    project.variants([])
    return project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Everything there: backbone, simcse and sscp with seeds 1 and 2."""
    project = Project(tmp_path)
    project.sentences({"s0": ACTIVE, "s1": MARKUP, "s2": HEBREW})
    project.variants(
        [
            ("s0", "passive", "same", PASSIVE, [3, 0, 2, 0, 1]),
            ("s0", "argument_swap", "different", SWAPPED, [3, 2, 1]),
            ("s1", "permutation", "order", MARKUP, [1, 2, 3]),
            ("s2", "permutation", "order", HEBREW, [1, 2, 3, 4]),
        ]
    )
    for system, views in VIEWS.items():
        for seed in [None] if system == "backbone" else [1, 2]:
            run = system if seed is None else f"{system}-{seed}"
            bases = {"backbone": 50.0, "simcse": 60.0, "sscp": 70.0}
            scores = {
                view: metrics_of(view, bases[system] + 2 * (seed or 0) - 3 * number)
                for number, view in enumerate(views)
            }
            project.metrics(run, scores)
            project.evaluation(run, views)
            if seed is not None:
                project.curve(run, "train/loss", [(step, 2 / step) for step in range(1, 61)])
                project.curve(run, "dev/loss", [(step, 1.5 - step / 100) for step in range(0, 61, 15)])
                store.write_json(
                    project.models / system / str(seed) / "training.json",
                    {"steps": 60, "device": "cpu", "examples": {"train": 1000, "dev": 50}},
                )
    for name, counts in {
        "corpus": {"kept": {"wiki": 10}, "dropped": {"too short": 3, "duplicate": 1}},
        "parsed": {"kept": {"corpus": {"train": 8, "test": 2}}, "dropped": {}},
        "triplets/sscp": {"kept": {"positive: passive": 4}, "dropped": {"longer than 40 words": 2}},
    }.items():
        store.write_json(project.data / name / "report.json", counts)
    return project
