"""The whole graph through DVC on a small part of the starter corpus, in a fresh repository."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pipeline.core.store import sha256
from tests import contrast
from tests.fresh_repository import BIN, ROOT, call, write_repository

pytestmark = pytest.mark.slow

SYSTEMS = ["sscp"]  # it reads trees
SMALL: dict[str, dict[str, Any]] = {
    "download": {
        "documents": 20,
        "min_characters": 900,  # of several sentences each
        "benchmarks": ["contrast"],
        "dev_fraction": 0.1,
        "test_fraction": 0.3,
        "near_duplicate": None,
    },
    "encoder": {"max_tokens": 24, "model": "data/own-models/tiny"},  # the bundled model has the default one
    "train": {"evaluate_every": 1, "dev_examples": 16},
    "evaluate": {"probe_sentences": 30, "tasks": ["retrieval", "contrast"]},
    "sscp": {"steps": 2, "batch_size": 8},
}


def shorten(to: Path, pairs: int) -> Path:
    """Write so many pairs of each phenomenon and contrast set: to embed all takes most of a run."""
    head, *lines = contrast.FILE.read_text(encoding="utf-8").splitlines(keepends=True)
    seen: Counter[tuple[str, ...]] = Counter()
    kept = []
    for line in lines:
        phenomenon = tuple(line.split("\t")[:2])
        seen[phenomenon] += 1
        kept += [line] if seen[phenomenon] <= pairs else []
    to.write_text("".join([head, *kept]), encoding="utf-8")
    return to


def stages_run(output: str) -> set[str]:
    return {line.split("'")[1] for line in output.splitlines() if line.startswith("Running stage ")}


@pytest.fixture(scope="module")
def project(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A fresh repository with this code and small parameters, and the output of its first ``dvc repro``."""
    folder = tmp_path_factory.mktemp("end-to-end") / "synsem"
    write_repository(folder, SMALL, SYSTEMS)
    shutil.copytree(tiny_backbone, folder / SMALL["encoder"]["model"])
    call("git", "add", "--all", cwd=folder)
    short = shorten(folder / contrast.FILE.relative_to(ROOT), pairs=10)  # a hundred in all, for the headline
    sources = folder / "pipeline" / "corpora" / "sources.yaml"
    text = sources.read_text().replace(sha256(contrast.FILE), sha256(short))
    sources.write_text(text.replace(f"bytes: {contrast.FILE.stat().st_size},", ""))
    call("git", "commit", "--quiet", "--all", "--amend", "--no-edit", cwd=folder)
    # -o: without installing an environment.
    return folder, call("make", "-o", ".venv/.ready", f"BIN={BIN}", "repro", cwd=folder)


def test_every_stage_runs_and_leaves_its_product(project: tuple[Path, str]) -> None:
    folder, output = project
    listed = {line.split()[0] for line in call("dvc", "stage", "list", cwd=folder).splitlines()}
    assert stages_run(output) == listed
    page = (folder / "reports" / "index.html").read_text()
    assert "sscp" in page
    measured = json.loads((folder / "reports" / "headline.json").read_text())
    assert all(set(of_systems) == set(SYSTEMS) for of_systems in measured.values())
    assert "contrast" in measured
    for run in ("backbone", "sscp-13"):
        views = json.loads((folder / "reports" / "metrics" / f"{run}.json").read_text())
        assert "semantic" in views
    assert (folder / "models" / "sscp" / "13" / "model.safetensors").stat().st_size > 1_000_000
    assert (folder / "models" / "sscp" / "13" / "sentence-transformer-joint" / "modules.json").exists()


def test_git_sees_nothing_but_the_lock_the_metrics_and_the_curves(project: tuple[Path, str]) -> None:
    folder, _ = project
    changed = {line[3:] for line in call("git", "status", "--porcelain", cwd=folder).splitlines()}
    assert changed <= {
        "dvc.lock",
        "reports/",
        "reports/headline.json",
        "reports/metrics/",
        "reports/plots/",
        "reports/results.md",
    }
    untracked = call("git", "ls-files", "--others", "--exclude-standard", cwd=folder).split()
    assert all(name == "dvc.lock" or name.endswith((".json", "results.md", ".csv")) for name in untracked)


def test_a_second_run_does_nothing(project: tuple[Path, str]) -> None:
    folder, _ = project
    assert stages_run(call("dvc", "repro", cwd=folder)) == set()


def test_an_experiment_reruns_what_depends_on_its_change(project: tuple[Path, str]) -> None:
    folder, _ = project
    call("git", "add", "--all", cwd=folder)
    call("git", "commit", "--quiet", "--message=results", cwd=folder)
    # Up to training; what depends on a model is in tests/test_graph.py.
    output = call("dvc", "exp", "run", "-S", "train.tau=0.1", "pretrain@sscp-13", cwd=folder)
    assert stages_run(output) - {"check"} == {"pretrain@sscp-13"}
    call("dvc", "metrics", "diff", "--json", cwd=folder)
