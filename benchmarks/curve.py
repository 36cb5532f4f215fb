"""Train a system and judge it on development data as it learns: what more steps and other rates are worth.

    python benchmarks/curve.py sscp --set train.steps=2000 --name bias
    python benchmarks/curve.py sscp --set train.steps=2000 --set sscp.bias=none --name "no bias"

Reads ``data`` as `dvc repro` leaves it; tests of benchmarks are left out. Each run is kept under its name in
``--out``: what it changed, losses and development metrics by step, and the norms of its tables of attention
bias.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))
if __name__ == "__main__":
    # Before pipeline.core.scratch is loaded: a run that resumes would lack its curve so far.
    os.environ["SYNSEM_SCRATCH"] = tempfile.mkdtemp(prefix="synsem-curve-")

from benchmarks.gpu.bundle import Bundle, development_data
from benchmarks.gpu.runs import Development, Runs
from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.evaluation.ablations import apply_changes
from pipeline.params import load
from pipeline.systems.base import System


class Watched(Development):
    """Also tells the norm of every bias table."""

    def __call__(self, system: System) -> dict[str, float]:
        """See ``Development``; ``norm.NAME`` is the Euclidean norm of the parameter NAME."""
        tables = {
            f"norm.{name}": float(value.detach().float().norm())
            for name, value in system.named_parameters()
            if name.endswith(".table")
        }
        return super().__call__(system) | tables


def main(
    system: str,
    name: Annotated[str, typer.Option(help="Of the run, in --out.")],
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="KEY=VALUE of params.yaml; may be repeated.")
    ] = None,
    seed: int = 13,
    data: Annotated[Path, typer.Option(help="Has parsed, augmented, benchmarks and triplets.")] = Path(
        "data"
    ),
    params: Path = Path("params.yaml"),
    out: Path = Path("reports/controls/curves.json"),
) -> None:
    """Train a system and judge it on development data as it learns."""
    changed = dict(_change(each) for each in changes or [])
    # These raise a SynsemError that says what is wrong: parameters, system or examples.
    load(params, "encoder", "train", "evaluate", system)
    triplets = data / "triplets" / system
    store.shards(triplets)
    values = apply_changes(yaml.safe_load(params.read_text()), changed)
    with tempfile.TemporaryDirectory() as folder:
        bundle = Bundle(Path(folder) / "bundle")
        for part, table in development_data(data).items():
            store.write_table(store.shard_path(bundle.data(part), 0), table)
        bundle.triplets.symlink_to(triplets.resolve())
        runs = Runs(bundle, Path(folder) / "runs", small=False, watch=Watched)
        runs.tasks = []
        found = {"changes": changed} | runs.run(system, seed, values, bundle.triplets)
    kept = store.read_json(out) if out.exists() else {}
    store.write_json(out, kept | {f"{system}: {name}": found})


def _change(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        raise SynsemError(f"--set {text}: write KEY=VALUE, as in --set train.steps=2000")
    return key, yaml.safe_load(value)


if __name__ == "__main__":
    try:
        typer.run(main)
    except SynsemError as error:
        sys.exit(f"error: {error}")
    finally:
        shutil.rmtree(os.environ["SYNSEM_SCRATCH"], ignore_errors=True)
