"""A training step with attention as plain products, against torch's fused kernel for CPUs.

    python benchmarks/attention.py --triplets data/triplets          # examples mined for each system

Training on a CPU has plain products (``pipeline/nn/attention_kernels.py``). Of each system two copies with
the same weights train on the same batches, in turns, by the training loop's own step, each in a process of
its own; the mean of each counts. ``difference`` is that between the first losses. Torch has no fused kernel
where there is dropout, as in ``sscp`` and ``simcse``. bf16 is left out where the processor lacks it. On a
busy machine the ratios by CPU time say more than those by the clock.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from unittest import mock

import torch
import typer
from timing import FOLDER, Seconds, Stopwatch, in_turns, means, record

from pipeline.nn.amp import effective_precision, grad_scaler
from pipeline.params import load
from pipeline.systems import registry
from pipeline.training import loop
from pipeline.training.ahead import read_batch
from pipeline.training.batches import Limits, stream
from pipeline.training.examples import Examples
from pipeline.training.optimizer import adamw

WARM_UP = 2
LATE = 10**6  # a step in which all losses take part
Step = tuple[Seconds, float]  # what it took, and its loss


def main(
    triplets: Annotated[Path, typer.Option(help="A folder of examples for each system.")] = Path(
        "data/triplets"
    ),
    params: Path = Path("params.yaml"),
    systems: Annotated[str, typer.Option(help="Comma-separated.")] = "synsem,sscp,simcse",
    steps: int = 12,
    threads: Annotated[int, typer.Option(help="Of torch.")] = 1,
    out: Path = FOLDER,
) -> None:
    found: dict[str, dict[str, float]] = {}
    for name in systems.split(","):
        for precision in ("fp32", "bf16"):
            if effective_precision(torch.device("cpu"), precision) != precision:
                continue
            sides = {
                kernel: partial(steps_of, name, params, triplets / name, precision, kernel)
                for kernel in ("fused", "plain")
            }
            pairs = in_turns(sides, WARM_UP + steps, threads)
            taken = {kernel: means(each for each, _ in pairs[kernel][WARM_UP:]) for kernel in sides}
            first, second = (pairs[kernel][0][1] for kernel in sides)
            found[f"{name}, {precision}, fused"] = taken["fused"]
            found[f"{name}, {precision}, plain"] = taken["plain"] | {"difference": abs(first - second)}
            ratios = [taken["fused"][kind] / taken["plain"][kind] for kind in Seconds._fields]
            print(f"{name}, {precision}: {ratios[0]:.2f}, by CPU time {ratios[1]:.2f}", flush=True)
    record("attention", found, {"steps": steps, "threads": threads}, out)


def steps_of(name: str, params: Path, triplets: Path, precision: str, kernel: str) -> Iterator[Step]:
    """The steps of a system from the same weights, on the same batches in the same order."""
    examples = Examples(triplets, "train")
    sections: Any = load(params, "encoder", "train", name)
    train = sections.train.model_copy(update={"precision": precision})
    torch.manual_seed(13)
    system = registry.create(name, sections.encoder, train, getattr(sections, name))
    system.prepare(examples.anchors())
    system.begin_training()
    optimizer, scaler = adamw(system, train), grad_scaler(system.device, precision)
    size = system.schedule().batch_size
    planned = stream(examples.texts(), examples.lengths(), Limits(size), 13)
    torchs_choice = mock.patch.object(loop, "attention_of_training", return_value=nullcontext())
    for step, numbers in enumerate(planned, LATE):
        batch = read_batch(system, examples.batch(numbers), step)
        system.begin_step(step)
        torch.manual_seed(step)
        with torchs_choice if kernel == "fused" else nullcontext():
            began = Stopwatch()
            losses = loop.train_step(system, [batch], optimizer, scaler)
            taken = began.read()
        yield taken, losses["loss"]


if __name__ == "__main__":
    typer.run(main)
