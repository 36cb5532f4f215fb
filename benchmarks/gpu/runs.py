"""Whole runs: ``synsem`` at full length and longer, several seeds, and the controls.

All are judged on development data: at every validation for the curves, and at the end by every view.
"""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import yaml

from benchmarks.gpu.bundle import Bundle
from pipeline.core import store
from pipeline.evaluation.ablations import apply_changes, read_ablations
from pipeline.evaluation.data import Benchmarks, HeldOut
from pipeline.evaluation.embedding_cache import EmbeddingCache
from pipeline.evaluation.plan import shape, steps
from pipeline.evaluation.records import Context, Outcome
from pipeline.evaluation.results import Folders
from pipeline.evaluation.run import evaluate, open_model_under_test
from pipeline.params import Evaluate, load
from pipeline.systems.base import Settings, System, scaled_steps
from pipeline.training.examples import Examples
from pipeline.training.run import pretrain
from pipeline.training.validation import development_metric

SYSTEM = "synsem"
SEEDS = (13, 14, 15, 16, 17)
ABLATIONS = Path("ablations.yaml")
LENGTH = 120.0  # times train.steps: full length, as the Makefile has it beyond the starter's text
# The long form, for a GPU: 5,000 steps of 64 examples (docs/experiments.md).
LONG = 5000 / 7200
LONG_CHANGES = {
    "synsem.batch": 2.0,
    "synsem.reader_lr_scale": 15.0,
    "synsem.head_lr_scale": 150.0,
    "train.readers": 2,
}
OWN_CONTRASTS = {"contrast_set": "contrast", "development_set": "contrast_dev"}  # tasks, by benchmark
WATCHED = 512  # development examples whose exchanges are told from their rewordings, for the curves


class Runs:
    """Trains and judges; the bundle has development data alone. ``watch`` makes the curves."""

    def __init__(
        self, bundle: Bundle, home: Path, small: bool, watch: "type[Development] | None" = None
    ) -> None:
        self.bundle, self.home, self.small = bundle, home, small
        self.watch = watch or Development
        names = Benchmarks(bundle.data("benchmarks"), bundle.data("parsed"), False).names
        self.tasks = sorted(OWN_CONTRASTS.get(name, name) for name in names)

    def controls(self) -> dict[str, dict[str, Any]]:
        """The ablations of ``synsem``, by name."""
        known = read_ablations(ABLATIONS)
        return {each.name: dict(each.changes) for each in known if each.system == SYSTEM and each.changes}

    def backbone(self) -> dict[str, Any]:
        """The untouched backbone's metrics."""
        return {"metrics": self.judge("backbone", None, self.bundle.params)}

    def long(self, seed: int, changes: dict[str, Any] | None = None, system: str = SYSTEM) -> dict[str, Any]:
        """As ``train``, in the long form."""
        return self.train(seed, LONG_CHANGES | (changes or {}), system, LONG)

    def train(
        self, seed: int, changes: dict[str, Any] | None = None, system: str = SYSTEM, times: float = 1.0
    ) -> dict[str, Any]:
        """Train from a seed, with keys of params.yaml changed; cost, facts, curves and metrics.

        Every system takes ``times`` the steps of ``synsem`` at full length. ``simcse`` learns from the same
        sentences, each its own positive.
        """
        values = apply_changes(yaml.safe_load(self.bundle.params.read_text()), changes or {})
        times *= 1.0 if self.small else LENGTH
        values[SYSTEM] |= {"steps": times}
        if self.small:
            values["train"] |= {"steps": 4, "evaluate_every": 99, "batch_size": 8, "dev_examples": 16}
        triplets = self.bundle.triplets if system == SYSTEM else self.own_positives()
        return {"changes": changes or {}} | self.run(
            system, seed, values, triplets, 1.0 if system == SYSTEM else times
        )

    def run(
        self, system: str, seed: int, values: dict[str, Any], triplets: Path, times: float = 1.0
    ) -> dict[str, Any]:
        """Train by the values of a params.yaml, for ``times`` as many steps; cost, facts and curves.

        Metrics of ``self.tasks`` too, if there are any.
        """
        self.home.mkdir(parents=True, exist_ok=True)
        params = self.home / "params.yaml"
        params.write_text(yaml.safe_dump(values))
        sections = load(params, "encoder", "train", "evaluate", system)
        curves: dict[str, list[tuple[int, float]]] = {}

        def log(step: int, found: dict[str, float]) -> None:
            for name, value in found.items():
                if name.startswith(("dev/", "judged/", "cost/")):
                    curves.setdefault(name, []).append((step, value))

        out = self.home / "models" / system / str(seed)
        cost = pretrain(
            system, seed, triplets, out, log,
            Settings(sections.encoder, scaled_steps(sections.train, times), getattr(sections, system)),
            judge=self.watch(self.bundle, sections.evaluate),
        )  # fmt: skip
        found = {
            "seed": seed, "cost": cost, "training": store.read_json(out / "training.json"), "curves": curves
        }  # fmt: skip
        if self.tasks:
            began = time.perf_counter()
            found["metrics"] = self.judge(system, seed, params)
            found["evaluation_seconds"] = time.perf_counter() - began
        shutil.rmtree(out)
        return found

    def own_positives(self) -> Path:
        """The examples of ``simcse``: each anchor once, its own positive, without negatives."""
        folder = self.home / "own-positives"
        if not folder.exists():
            table = store.read(self.bundle.triplets).combine_chunks()
            texts = pc.struct_field(table.column("anchor"), "text").to_numpy()
            table = table.take(np.sort(np.unique(texts, return_index=True)[1]))
            changed = {"positive": table.column("anchor")}
            for name in ("negatives", "negative_kinds", "negative_hardness"):
                changed[name] = pa.array([[]] * table.num_rows, table.schema.field(name).type)
            for name, column in changed.items():
                table = table.set_column(table.schema.get_field_index(name), name, column)
            store.write_table(store.shard_path(folder, 0), table)
        return folder

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
        return store.read_json(folders.metrics(model.run))


def jobs(runs: Runs) -> Iterator[tuple[str, int]]:
    """What the chapter ``seeds`` trains, a name and a seed each: seeds first, then each seed's controls."""
    controls = ("simcse", *runs.controls())
    if runs.small:
        yield from ((name, SEEDS[0]) for name in (SYSTEM, *controls[:2]))
        return
    yield from ((SYSTEM, seed) for seed in SEEDS)
    yield from ((name, seed) for seed in SEEDS for name in controls)


class Development:
    """What the curves of a run tell beside its losses, see ``pipeline.training.validation.Judge``.

    Of every view, Spearman correlations on graded pairs and AP on contrast sets. ``swaps`` is how often an
    anchor of held-out text is nearer to its rewording than to its exchange of words, by all that is trained.
    """

    def __init__(self, bundle: Bundle, params: Evaluate) -> None:
        self.params = params
        self.corpus = HeldOut(bundle.data("parsed"), bundle.data("augmented"), params.seed)
        self.benchmarks = Benchmarks(bundle.data("benchmarks"), bundle.data("parsed"), False)
        names = [name for name, rows in self.benchmarks.by_task.items() if shape(rows) == "sts"]
        names += [task for name, task in OWN_CONTRASTS.items() if name in self.benchmarks.by_task]
        self.steps = [step for step in steps(names, self.benchmarks, strict=True) if step.name in names]
        dev = Examples(bundle.triplets, "dev")
        self.held_out = dev.batch(range(min(WATCHED, len(dev))))

    def __call__(self, system: System) -> dict[str, float]:
        """Metrics by ``VIEW.TASK.PART.METRIC``, and ``swaps``."""
        self.benchmarks.needs_trees = not system.reads_text_alone
        embeddings = EmbeddingCache(system, None, self.benchmarks.needs_trees)
        context = Context(embeddings, self.corpus, self.benchmarks, self.params, None, False)
        outcome = Outcome()
        for step in self.steps:
            outcome.merge(step.run(context))
        found = {
            f"{view}.{task}.{part}.{metric}": value
            for view, tasks in outcome.metrics.items()
            for task, parts in tasks.items()
            for part, metrics in parts.items()
            for metric, value in metrics.items()
            if metric.startswith(("spearman", "ap")) and (task not in OWN_CONTRASTS.values() or part == "all")
        }
        if self.held_out.negatives:
            found["swaps"] = development_metric("triplet_accuracy", system, self.held_out)
        return found
