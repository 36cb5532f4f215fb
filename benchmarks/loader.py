"""Tokens a second that training could read, if a step took no time: the loader with a null model.

    python benchmarks/loader.py --triplets data/triplets      # has a folder for each system

A system is built as for training, but its backbone has width 4 and gives zeros without computing anything.
What is left of a step is what the CPU does before it: rows from Arrow, exchanges of words, token ids, links
in role order, padding; and the heads, whose share is small. Tokens are counted as in ``tokens_per_second`` of
the curves. Processor time is given beside the time of the clock, because others may be at work on the machine
(``load``).

Then each step waits, as for a GPU (``--wait``), and what it takes beside that is measured twice: with nothing
read ahead (``train.read_ahead`` 0), and with the next step's examples read and tokenized meanwhile (1).
Writes ``reports/loader.json``.
"""

import os
import platform
import statistics
import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import torch
import typer

from pipeline.core.errors import SynsemError
from pipeline.core.store import write_json
from pipeline.nn import backbone as backbones
from pipeline.nn.encoder import Encoder
from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.base import System
from pipeline.training import batches
from pipeline.training.ahead import steps_ahead
from pipeline.training.distributed import whole_batch_loss
from pipeline.training.examples import Examples

WIDTH, LAYERS = 4, 1
WARM_UP = 2
# Parameters of the systems that only the network's size depends on, and no text that is read.
SMALL = {"synsem": {"dimensions": 1, "pointer_size": 1, "reach": 1}}


def null_system(name: str, params: Path) -> System:
    """The system with the backbone's tokenizer and a network that computes nothing."""
    from transformers import BertConfig, BertModel

    sections = load(params, "encoder", "train", name)
    own = getattr(sections, name)
    own = own.model_copy(update=SMALL.get(name, {}))
    backbone = backbones.load(sections.encoder.model)
    config = BertConfig(
        vocab_size=backbone.model.config.vocab_size, hidden_size=WIDTH, num_hidden_layers=LAYERS,
        num_attention_heads=1, intermediate_size=WIDTH,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        BertModel(config, add_pooling_layer=False).save_pretrained(folder)
        backbone.tokenizer.save_pretrained(folder)
        encoder = sections.encoder.model_copy(update={"model": folder})
        system = registry.create(name, encoder, sections.train, own)
    for module in system.modules():
        if isinstance(module, Encoder):
            module.model.forward = zeros
    system.begin_training()
    return system.train()


def zeros(
    input_ids: torch.Tensor | None = None, inputs_embeds: torch.Tensor | None = None, **_: Any
) -> SimpleNamespace:
    """What a backbone returns for tokens [B, L]: states [B, L, WIDTH], all zero."""
    given = input_ids if inputs_embeds is None else inputs_embeds
    assert given is not None
    states = torch.zeros(*given.shape[:2], WIDTH)
    return SimpleNamespace(last_hidden_state=states, hidden_states=(states,) * (LAYERS + 1))


@torch.no_grad()
def measure(name: str, triplets: Path, params: Path, size: int, steps: int) -> dict[str, float]:
    """Tokens a second by the clock and of processor time, and milliseconds a batch of ``size`` examples."""
    system, examples = null_system(name, params), Examples(triplets, "train")
    planned = batches.stream(examples.texts(), examples.lengths(), batches.Limits(size), 13)
    reading = began = worked = 0.0
    tokens = 0
    for number, numbers in enumerate(islice(planned, WARM_UP + steps)):
        if number == WARM_UP:
            tokens, reading = system.tokenizer.tokens, 0.0
            began, worked = time.perf_counter(), time.process_time()
        start = time.process_time()
        batch = examples.batch(numbers)
        reading += time.process_time() - start
        # Another draw of exchanges in each step, as in training.
        system.begin_step(10**6 + number)
        system.loss(batch)
    taken, worked = time.perf_counter() - began, time.process_time() - worked
    tokens = system.tokenizer.tokens - tokens
    return {
        "examples_a_batch": size,
        "tokens_a_batch": tokens / steps,
        "tokens_per_second": tokens / taken,
        "tokens_per_cpu_second": tokens / worked,
        "ms_a_batch": 1000 * worked / steps,
        "ms_of_them_arrow": 1000 * reading / steps,
    }


@torch.no_grad()
def beside_the_wait(
    name: str, triplets: Path, params: Path, size: int, steps: int, wait: float, ahead: int
) -> dict[str, float]:
    """Median milliseconds that a step takes beside its wait of ``wait`` ms, by the clock and of its thread.

    The time of the thread alone does not depend on others at work on the machine.
    """
    system, examples = null_system(name, params), Examples(triplets, "train")
    planned = batches.stream(examples.texts(), examples.lengths(), batches.Limits(size), 13)
    numbers = range(10**6, 10**6 + WARM_UP + steps)
    taken, worked = [], []
    train = system.settings.train.model_copy(update={"read_ahead": ahead})
    system.settings = replace(system.settings, train=train)
    with steps_ahead(system, examples, planned, numbers) as ready:
        for number in numbers:
            began, work = time.perf_counter(), time.thread_time()
            system.begin_step(number)
            for batch in next(ready):
                whole_batch_loss(system, batch)
            taken.append(time.perf_counter() - began)
            worked.append(time.thread_time() - work)
            time.sleep(wait / 1000)
    clock, thread = (1000 * statistics.median(each[WARM_UP:]) for each in (taken, worked))
    return {f"ms_beside_the_wait_{ahead}_ahead": clock, f"ms_of_the_thread_{ahead}_ahead": thread}


def main(
    triplets: Annotated[Path, typer.Option(help="A folder of examples for each system.")] = Path(
        "data/triplets"
    ),
    params: Path = Path("params.yaml"),
    systems: Annotated[str, typer.Option(help="Comma-separated.")] = "synsem,sscp",
    sizes: Annotated[str, typer.Option(help="Examples a batch, comma-separated.")] = "8,32",
    steps: int = 60,
    wait: Annotated[float, typer.Option(help="Milliseconds that a step waits, as for a GPU.")] = 50.0,
    trains_at: Annotated[float, typer.Option(help="Tokens/s of training, to compare with.")] = 2650.0,
    out: Path = Path("reports/loader.json"),
) -> None:
    """Print and write the table."""
    torch.set_num_threads(1)
    found: dict[str, Any] = {}
    for name in systems.split(","):
        for size in map(int, sizes.split(",")):
            values = measure(name, triplets / name, params, size, steps)
            values["times_training"] = values["tokens_per_cpu_second"] / trains_at
            for ahead in (0, 1):
                values |= beside_the_wait(name, triplets / name, params, size, steps, wait, ahead)
            found[f"{name} {size}"] = {key: round(value, 2) for key, value in values.items()}
            print(f"{name} {size}: {found[f'{name} {size}']}", flush=True)
    facts = {
        "processor": platform.machine(),
        "torch": torch.__version__,
        "training_tokens_per_second": trains_at,
        "wait_ms": wait,
    }
    facts |= {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    write_json(out, {"machine": facts, "results": found})


if __name__ == "__main__":
    import sys

    try:
        typer.run(main)
    except SynsemError as error:
        sys.exit(f"error: {error}")
