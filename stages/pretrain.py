"""Stage ``pretrain``: contrastive pretraining of one system from one seed."""

import os
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.errors import SynsemError
from stages.cli import Params, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.training.curves import Curves


def main(
    system: Annotated[str, typer.Argument(help="A system: a file in pipeline/systems/.")],
    seed: Annotated[int, typer.Argument(help="Decides the order of the examples and the dropout.")],
    triplets: Annotated[Path | None, typer.Option(help="Default: data/triplets/SYSTEM.")] = None,
    out: Annotated[Path | None, typer.Option(help="Default: models/SYSTEM/SEED.")] = None,
    curves: Annotated[Path | None, typer.Option(help="Default: reports/curves/SYSTEM-SEED.")] = None,
    params: Params = Path("params.yaml"),
    checkpoint_seconds: Annotated[
        float, typer.Option(help="Between two checkpoints; never changes a byte.")
    ] = 120.0,
) -> None:
    """Train a system and export it."""
    from pipeline.params import load
    from pipeline.store import write_json
    from pipeline.training.run import pretrain

    sections = load(params, "encoder", "train", "parse", system)
    folder = curves or Path("reports/curves") / f"{system}-{seed}"
    first = os.environ.get("RANK", "0") == "0"  # torchrun's other processes train along and write nothing
    with _curves(folder) if first else nullcontext(_nowhere) as log:
        cost = pretrain(
            system,
            seed,
            triplets or Path("data/triplets") / system,
            out or Path("models") / system / str(seed),
            log,
            sections.encoder,
            sections.train,
            getattr(sections, system),
            checkpoint_seconds,
            sections.parse,
        )
    if first:
        write_json(folder / "cost.json", cost)


class _Live:
    """DVCLive, called as ``pipeline.training.curves.Curves`` is."""

    def __init__(self, folder: Path) -> None:
        from dvclive import Live

        self.live = Live(str(folder), save_dvc_exp=False, dvcyaml=None, report=None, monitor_system=False)

    def __enter__(self) -> "_Live":
        return self

    def __call__(self, step: int, values: dict[str, float]) -> None:
        self.live.step = step
        with self._complaining():
            for name, value in values.items():
                self.live.log_metric(name, value)

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is None:
            with self._complaining():
                self.live.make_summary()

    @contextmanager
    def _complaining(self) -> "Iterator[None]":
        try:
            yield
        except OSError as error:
            raise SynsemError(
                f"{self.live.dir}: could not be written ({error.strerror}); free space or name other --curves"
            ) from error


def _nowhere(step: int, values: dict[str, float]) -> None:
    """Log nothing."""


def _curves(folder: Path) -> "_Live | Curves":
    """DVCLive where it works, else the same files written by ourselves."""
    try:
        return _Live(folder)
    except Exception:  # not installed, or a repository without a commit: a logger must not stop training
        from pipeline.training.curves import Curves

        return Curves(folder)


if __name__ == "__main__":
    run(main)
