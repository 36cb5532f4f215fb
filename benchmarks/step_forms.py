"""A training step on a CPU as it is, against other attention, dropout, shapes of batches, words and float32.

    python benchmarks/step_forms.py --triplets data/triplets          # examples mined for each system

Training on a CPU has attention as plain products, which are fewer than torch's own, and draws dropout
quickly. ``synsem`` reads sentences in one row, in place of *padded* ones (``pipeline/nn/unpadded.py``), and
in 16 bits batches of few shapes (``pipeline/nn/kernels.py``). It computes the features of a word once a
batch, in place of *every word anew*. Of each system copies with the same weights train on the same batches,
in turns, by the training loop's own step, each in a process of its own; the mean of each counts.
``difference`` is how far the first loss is from that of the first form; it means nothing where dropout is
drawn otherwise. ``synsem`` has no dropout; torch has no fused kernel where there is some, as in other
systems. bf16 is left out where the processor lacks it. Of few steps most have new shapes in any case, so take
200. On a busy machine the ratios by CPU time say more than those by the clock.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from unittest import mock

import numpy as np
import torch
import typer
from numpy.typing import NDArray
from timing import FOLDER, Seconds, Side, Stopwatch, in_turns, means, record
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from pipeline.nn import kernels
from pipeline.nn.amp import effective_precision, grad_scaler
from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.synsem import model as synsem
from pipeline.training import loop
from pipeline.training.ahead import read_batch
from pipeline.training.batches import Limits, stream
from pipeline.training.examples import Examples
from pipeline.training.optimizer import adamw

WARM_UP = 2
LATE = 10**6  # a step in which all losses take part


class Step(NamedTuple):
    """One step of training."""

    taken: Seconds
    loss: float


def main(
    triplets: Annotated[Path, typer.Option(help="A folder of examples for each system.")] = Path(
        "data/triplets"
    ),
    params: Path = Path("params.yaml"),
    systems: Annotated[str, typer.Option(help="Comma-separated.")] = "synsem,sscp,simcse",
    steps: int = 200,
    threads: Annotated[int, typer.Option(help="Of torch.")] = 1,
    out: Path = FOLDER,
) -> None:
    for name in systems.split(","):
        sides: dict[str, Side[Step]] = {}
        for precision in ("fp32", "bf16"):
            if effective_precision(torch.device("cpu"), precision) == precision:
                for form in forms_of(name, precision):
                    side = partial(steps_of, name, params, triplets / name, precision, form)
                    sides[f"{precision}, {form}"] = side
        timed = in_turns(sides, WARM_UP + steps, threads)
        found = {label: means(each.taken for each in taken[WARM_UP:]) for label, taken in timed.items()}
        for label, taken in timed.items():
            precision, _, form = label.partition(", ")
            other = timed[f"{precision}, {forms_of(name, precision)[0]}"]
            if taken is not other:
                found[label]["difference"] = abs(taken[0].loss - other[0].loss)
            print(name, label, found[label], flush=True)
        record(f"step-forms-{name}", found, {"steps": steps, "threads": threads}, out)


def forms_of(name: str, precision: str) -> list[str]:
    """How the steps of a system may be computed: in other ways that would differ there, and as built."""
    if name != "synsem":
        return ["torch's dropout", "torch's products", "as built"]
    shapes = ["any shape"] if precision == "bf16" else []
    padded = ["padded, fused attention", "padded, torch's products", "padded"]
    return [*padded, *shapes, "every word anew", "as built"]


def steps_of(name: str, params: Path, triplets: Path, precision: str, form: str) -> Iterator[Step]:
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
    forms: dict[str, Callable[[], AbstractContextManager[object]]] = {
        "torch's products": lambda: mock.patch.object(loop, "attention_of_training", torchs_products),
        "padded": padded,
        "padded, fused attention": lambda: padded(
            mock.patch.object(loop, "attention_of_training", return_value=nullcontext())
        ),
        "padded, torch's products": lambda: padded(
            mock.patch.object(loop, "attention_of_training", torchs_products)
        ),
        "any shape": lambda: mock.patch.object(synsem, "shape_unit", return_value=1),
        "every word anew": lambda: mock.patch.object(synsem, "repeated_words", anew),
        "torch's dropout": lambda: mock.patch.object(kernels, "quick_dropout", F.dropout),
        "as built": nullcontext,
    }
    for step, numbers in enumerate(planned, LATE):
        batch = read_batch(system, examples.batch(numbers), step)
        system.begin_step(step)
        torch.manual_seed(step)
        with forms[form]():
            began = Stopwatch()
            losses = loop.train_step(system, [batch], optimizer, scaler)
            taken = began.read()
        yield Step(taken, losses["loss"])


@contextmanager
def padded(other: AbstractContextManager[object] | None = None) -> Iterator[None]:
    """Sentences of ``synsem`` are padded, and no row is made; within another change, if there is one."""
    with mock.patch.object(synsem.System, "_in_rows", False), other or nullcontext():
        yield


def torchs_products(device: torch.device) -> AbstractContextManager[None]:
    """As ``attention_of_training``, by torch's own plain form."""
    return sdpa_kernel(SDPBackend.MATH)


def anew(texts: Sequence[object], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """As ``repeated_words``, as if no word stood in two places."""
    every = np.arange(len(texts) * width)
    return every, every.reshape(-1, width)


if __name__ == "__main__":
    typer.run(main)
