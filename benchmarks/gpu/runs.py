"""Whole runs: ``synsem`` at full length, several seeds, and the controls; judged on development data."""

import shutil
import time
from pathlib import Path
from typing import Any

import yaml

from benchmarks.gpu.bundle import Bundle
from pipeline.core.store import read_json
from pipeline.evaluation.ablations import apply_changes, read_ablations
from pipeline.evaluation.data import Benchmarks
from pipeline.evaluation.results import Folders
from pipeline.evaluation.run import evaluate, open_model_under_test
from pipeline.params import load
from pipeline.training.run import pretrain

SYSTEM = "synsem"
ABLATIONS = Path("ablations.yaml")
LENGTH = 30.0  # times train.steps: full length, as the Makefile has it beyond the starter's text


class Runs:
    """Trains and judges; the bundle has development data alone."""

    def __init__(self, bundle: Bundle, home: Path, small: bool) -> None:
        self.bundle, self.home, self.small = bundle, home, small
        names = Benchmarks(bundle.data("benchmarks"), bundle.data("parsed"), False).names
        own = {"contrast_set": "contrast", "development_set": "contrast_dev"}
        self.tasks = sorted(own.get(name, name) for name in names)

    def controls(self) -> dict[str, dict[str, Any]]:
        """The ablations of ``synsem``, by name."""
        known = read_ablations(ABLATIONS)
        return {each.name: dict(each.changes) for each in known if each.system == SYSTEM and each.changes}

    def backbone(self) -> dict[str, Any]:
        """The untouched backbone's metrics."""
        return {"metrics": self.judge("backbone", None, self.bundle.params)}

    def train(self, seed: int, changes: dict[str, Any] | None = None) -> dict[str, Any]:
        """Train from a seed, with keys of params.yaml changed; cost, facts and metrics."""
        values = apply_changes(yaml.safe_load(self.bundle.params.read_text()), changes or {})
        values[SYSTEM] |= {"steps": LENGTH}
        if self.small:
            values["train"] |= {"steps": 4, "evaluate_every": 2, "batch_size": 8, "dev_examples": 16}
            values[SYSTEM] |= {"steps": 1.0}
        self.home.mkdir(parents=True, exist_ok=True)
        params = self.home / "params.yaml"
        params.write_text(yaml.safe_dump(values))
        sections = load(params, "encoder", "train", SYSTEM)
        curve: list[tuple[int, float]] = []

        def log(step: int, found: dict[str, float]) -> None:
            if "dev/loss" in found:
                curve.append((step, found["dev/loss"]))

        out = self.home / "models" / SYSTEM / str(seed)
        cost = pretrain(
            SYSTEM, seed, self.bundle.triplets, out, log, sections.encoder, sections.train, sections.synsem
        )  # fmt: skip
        began = time.perf_counter()
        metrics = self.judge(SYSTEM, seed, params)
        facts = read_json(out / "training.json")
        shutil.rmtree(out)
        return {
            "changes": changes or {}, "seed": seed, "cost": cost, "training": facts, "dev_loss": curve,
            "evaluation_seconds": time.perf_counter() - began, "metrics": metrics,
        }  # fmt: skip

    def judge(self, system: str, seed: int | None, params: Path) -> Any:
        """The metrics of a model, as the stage ``evaluate`` writes them."""
        sections = load(params, "encoder", "evaluate")
        model = open_model_under_test(system, seed, None, None, self.home / "models", sections.encoder, None)
        reports = self.home / "reports"
        shutil.rmtree(reports, ignore_errors=True)
        folders = Folders(
            self.bundle.data("parsed"), self.bundle.data("augmented"), self.bundle.data("benchmarks"),
            reports, self.home / "no-treebank",
        )  # fmt: skip
        evaluate(model, folders, sections.evaluate, self.tasks).demand_success()
        return read_json(folders.metrics(model.run))
