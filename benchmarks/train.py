"""A training step against sentence-transformers' trainer, and the price of the graph bias.

    pip install accelerate datasets          # what the other trainer needs
    python benchmarks/train.py --triplets data/triplets/sscp
    python benchmarks/train.py --triplets data/triplets/sscp --same-batches

Both sides train MiniLM on the same examples: an anchor, a positive and a hard negative each. Each side has
the batches that it makes itself: ours of similar length, as in training, theirs in random order. With
``--same-batches`` both have the examples in the order of the data, so the sides differ in the step alone.
Theirs is one encoder with MultipleNegativesRankingLoss; ours is ``sscp``, two encoders, each sentence through
one of them, with hard negatives. Steps of all sides take turns, and the mean of each counts. The first steps,
which allocate, do not. On a busy machine the ratios by CPU time say more than those by the clock.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from timing import FOLDER, Seconds, Stopwatch, in_turns, means, record

WARM_UP = 2


def main(
    triplets: Path = Path("data/triplets/sscp"),
    params: Path = Path("params.yaml"),
    steps: Annotated[
        int, typer.Option(help="Of each side. Fewer than 32 make ours of less similar length.")
    ] = 32,
    batch: Annotated[int, typer.Option(help="Examples a step.")] = 32,
    same_batches: Annotated[bool, typer.Option(help="Both sides train on the same batches.")] = False,
    threads: Annotated[int | None, typer.Option(help="Of torch; default: a core each.")] = None,
    out: Path = FOLDER,
) -> None:
    import torch

    from pipeline.nn.compute import effective_precision

    bf16 = effective_precision(torch.device("cpu"), "bf16") == "bf16"
    own, peers = batches(triplets, steps, batch, same_batches)
    sides = {
        "sscp, fp32": partial(ours, params, own, precision="fp32"),
        "sscp, no bias, fp32": partial(ours, params, own, precision="fp32", bias="none"),
        "sentence-transformers, fp32": partial(theirs, params, peers, bf16=False),
    }
    if bf16:
        sides |= {
            "sscp, bf16": partial(ours, params, own),
            "sentence-transformers, bf16": partial(theirs, params, peers, bf16=True),
        }
    threads = threads or len(os.sched_getaffinity(0))
    seconds = in_turns(sides, steps + WARM_UP, threads)
    typical = {name: means(times[WARM_UP:]) for name, times in seconds.items()}
    for name, value in typical.items():
        milliseconds = [1000 * each for each in value.values()]
        print("{:31} {:8.0f} ms a step {:8.0f} ms of CPU".format(name, *milliseconds))
    for name in typical:
        clock, cpu = (
            typical["sentence-transformers, fp32"][kind] / typical[name][kind] for kind in Seconds._fields
        )
        print(f"sentence-transformers, fp32 / {name}: {clock:.2f}, by CPU time {cpu:.2f}")
    name = "train-same-batches" if same_batches else "train"
    record(name, typical, {"steps": steps, "examples": batch, "threads": threads}, out)


def batches(triplets: Path, steps: int, size: int, same: bool) -> tuple[list[Any], list[Any]]:
    """The batches of ours and of theirs: first those to warm up on, then ``steps`` of the same examples.

    Raises SystemExit where the folder has too few examples.
    """
    from pipeline.training.batches import Examples, epoch

    examples, rng = Examples(triplets, "train"), np.random.default_rng(13)
    full = np.array([number for number in range(len(examples)) if examples.batch([number]).negatives])
    if same:
        own = list(full[: len(full) // size * size].reshape(-1, size))
    else:
        # An eighth more than needed: an example whose text its batch has already waits for the next epoch.
        some = rng.permutation(full)[: size * steps * 9 // 8]
        texts = examples.texts()
        own_texts = [texts[number] for number in some]
        own = [some[each] for each in epoch(own_texts, examples.lengths()[some], size, rng)[0]]
    if len(own) < steps:
        raise SystemExit(
            f"{triplets}: too few examples with negatives for {steps} steps of {size}; lower --steps"
        )
    own = own[:steps]
    peers = own if same else list(rng.permutation(np.concatenate(own)).reshape(-1, size))
    warm = [own[0]] * WARM_UP

    def read(side: list[Any]) -> list[Any]:
        return [one_negative(examples.batch(numbers)) for numbers in [*warm, *side]]

    return read(own), read(peers)


def one_negative(batch: Any) -> Any:
    """The batch with the first hard negative of each example alone."""
    first = [batch.owners.index(number) for number in range(len(batch.anchors))]
    return replace(batch, negatives=[batch.negatives[k] for k in first], owners=list(range(len(first))))


def ours(path: Path, batches: list[Any], precision: str = "bf16", **changed: object) -> Iterator[Seconds]:
    """Seconds of each step of the product's own ``train_step``."""
    from pipeline.core.params import load
    from pipeline.nn.compute import grad_scaler
    from pipeline.systems.base import registry
    from pipeline.training.loop import adamw, train_step

    sections = load(path, "encoder", "train", "sscp")
    train = sections.train.model_copy(update={"precision": precision})
    system = registry.create(
        "sscp", sections.encoder, train, sections.sscp.model_copy(update={"hard_negatives": True} | changed)
    )
    system.begin_training()
    optimizer, scaler = adamw(system), grad_scaler(system.device, train.precision)
    for batch in batches:
        began = Stopwatch()
        train_step(system, batch, optimizer, scaler)
        yield began.read()


def theirs(path: Path, batches: list[Any], bf16: bool) -> Iterator[Seconds]:
    """Seconds of each step of SentenceTransformerTrainer: collating, ``training_step``, clipping, AdamW."""
    import tempfile

    import torch
    from datasets import Dataset
    from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer
    from sentence_transformers import SentenceTransformerTrainingArguments as Arguments
    from sentence_transformers.losses import MultipleNegativesRankingLoss

    from pipeline.core.params import load
    from pipeline.nn.backbone import locate

    sections = load(path, "encoder", "train")
    model = SentenceTransformer(locate(sections.encoder.model), device="cpu")
    model.max_seq_length = sections.encoder.max_tokens
    rows = [
        [{"anchor": a.text, "positive": p.text, "negative": n.text}
         for a, p, n in zip(batch.anchors, batch.positives, batch.negatives, strict=True)]
        for batch in batches
    ]  # fmt: skip
    size = len(rows[0])
    trainer = SentenceTransformerTrainer(
        model=model,
        args=Arguments(
            output_dir=tempfile.mkdtemp(), per_device_train_batch_size=size, bf16=bf16, use_cpu=True,
            report_to=[],
            learning_rate=sections.sscp.learning_rate, weight_decay=sections.train.weight_decay,
        ),
        train_dataset=Dataset.from_list([row for batch in rows for row in batch]),
        loss=MultipleNegativesRankingLoss(model, scale=1 / sections.train.tau),
    )  # fmt: skip
    trainer.current_gradient_accumulation_steps = 1  # which train() would set
    wrapped = trainer.accelerator.prepare(trainer.model)
    optimizer = trainer.create_optimizer()
    collate: Callable[..., Any] = trainer.data_collator
    for batch in rows:
        began = Stopwatch()
        trainer.training_step(wrapped, collate(batch))
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        yield began.read()


if __name__ == "__main__":
    typer.run(main)
