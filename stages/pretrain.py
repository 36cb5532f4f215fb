"""Stage ``pretrain``: contrastive pretraining of one system from one seed."""

import functools
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.command import LARGEST_SEED, Params, System, run


def main(
    system: System,
    seed: Annotated[int, typer.Argument(min=0, max=LARGEST_SEED, help="Of the order and the dropout.")],
    triplets: Annotated[Path | None, typer.Option(help="Default: data/triplets/SYSTEM.")] = None,
    out: Annotated[Path | None, typer.Option(help="Default: models/SYSTEM/SEED.")] = None,
    curves: Annotated[Path | None, typer.Option(help="Default: in reports, curves/SYSTEM-SEED.")] = None,
    params: Params = Path("params.yaml"),
    checkpoint_seconds: Annotated[
        float, typer.Option(min=0.0, help="Between two checkpoints; never changes a byte.")
    ] = 120.0,
) -> None:
    """Train a system and export it."""
    from pipeline.core.params import load
    from pipeline.core.store import read_json, write_json
    from pipeline.export.card import About
    from pipeline.export.sentence_transformers import export
    from pipeline.systems.base import Settings, registry
    from pipeline.training import run as training

    registry.check_name(system)
    sections = load(params, "encoder", "train", "parse", system)
    if (processes := sections.train.processes) > 1 and "RANK" not in os.environ:
        from torch.distributed.run import main as torchrun

        given = {
            "--triplets": triplets, "--out": out, "--curves": curves, "--params": params,
            "--checkpoint-seconds": checkpoint_seconds,
        }  # fmt: skip
        options = [f"{name}={value}" for name, value in given.items() if value is not None]
        start = ["--standalone", f"--nproc-per-node={processes}", "-m", "stages.pretrain"]
        torchrun([*start, system, str(seed), *options])
        return
    folder = curves or Path("reports/curves") / f"{system}-{seed}"
    # No output of the stage: the times of two runs differ, and dvc.lock would with them.
    cost = curves.parent / f"{curves.name}-cost" if curves else Path("reports/cost") / f"{system}-{seed}"
    model = out or Path("models") / system / str(seed)
    examples = triplets or Path("data/triplets") / system
    about = About(languages=read_json(examples / "report.json", "languages")["languages"])
    first = os.environ.get("RANK", "0") == "0"  # torchrun's other processes train along and write nothing
    with training.curves(folder) if first else nullcontext(lambda step, values: None) as log:
        table = training.pretrain(
            system,
            seed,
            examples,
            model,
            log,
            Settings(sections.encoder, sections.train, getattr(sections, system)),
            checkpoint_seconds,
            functools.partial(export, parse=sections.parse, about=about),
        )
    if first:
        write_json(cost / "cost.json", table)


if __name__ == "__main__":
    run(main)
