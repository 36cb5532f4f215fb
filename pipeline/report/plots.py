"""The tables behind `dvc plots`: a tidy CSV a figure, so that two revisions can be drawn in one."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from pipeline.core.store import write_text
from pipeline.report.inputs import Run, title
from pipeline.report.sections.probes import probes
from pipeline.report.sections.similarity import similarities
from pipeline.report.sections.training import loss_curves

Cells = Sequence[str | float]


def write_plots(folder: Path, runs: Sequence[Run]) -> None:
    """Write ``loss.csv``, ``probes.csv`` and ``similarity.csv``; each has its header even without a row."""
    _write(folder / "loss.csv", ("system", "seed", "split", "step", "loss"), _loss(runs))
    _write(folder / "probes.csv", ("probe", "embedding", "accuracy", "sd"), _probes(runs))
    _write(folder / "similarity.csv", ("embedding", "pairs", "distance", "percent"), _similarity(runs))


def _write(path: Path, header: Sequence[str], rows: Iterable[Cells]) -> None:
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_text(path, table.getvalue())


def _loss(runs: Sequence[Run]) -> Iterable[Cells]:
    for run in runs:
        for split, curve in sorted(loss_curves(run).items()):
            for step, loss in curve:
                yield run.system, "" if run.seed is None else run.seed, split, f"{step:.15g}", f"{loss:.6g}"


def _probes(runs: Sequence[Run]) -> Iterable[Cells]:
    for probe in (one for one in probes(runs) if not one.few):
        if probe.majority is not None:
            yield probe.name, "majority", f"{probe.majority:.2f}", ""
        for bar in probe.bars:
            sd = "" if bar.sd is None else f"{bar.sd:.2f}"
            yield probe.name, title(bar.system, bar.view), f"{bar.mean:.2f}", sd


def _similarity(runs: Sequence[Run]) -> Iterable[Cells]:
    for one in similarities(runs):
        centres = (one.edges[:-1] + one.edges[1:]) / 2
        for kind, shares in one.shares.items():
            for centre, share in zip(centres, shares, strict=True):
                yield title(one.system, one.view), kind, f"{centre:.3f}", f"{share:.3f}"
