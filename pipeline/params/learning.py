"""What every system shares: the sections encoder and train."""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.params.section import Fraction, Positive, Rate, Section


class Sketch(Section):
    """Who does what, as a part of the joint vector (``pipeline/nn/sketch.py``)."""

    weight: Rate  # beside the rest of the joint vector, which has length 1
    dimensions: Positive
    reach: Positive  # content words that stand at most so far apart are a pair
    order: Literal["tree", "surface", "shuffled"]  # of the content words; the last two are controls


class Encoder(Section):
    """The backbone that every system starts from: ``package:NAME``, a folder, or a Hugging Face id."""

    model: str
    max_tokens: Positive  # special tokens included; longer sentences are cut
    pooling: Literal["mean", "cls"]
    sketch: Sketch | None = None  # null: the joint vector is that of the encoders alone


class Curriculum(Section):
    """Easy negatives first: the allowed hardness rises evenly from ``start`` to 1."""

    start: Fraction  # hardness (store.TRIPLET's negative_hardness) allowed at the first step
    until: Annotated[float, Field(gt=0, le=1)]  # share of the steps after which every negative is allowed


class Train(Section):
    """The training loop, shared by all systems."""

    steps: Positive  # updates
    batch_size: Annotated[int, Field(ge=2)]  # examples, over all processes
    batch_words: Positive | None = None  # of anchors and positives, with padding; may end a batch sooner
    learning_rate: Rate
    weight_decay: Annotated[float, Field(ge=0)]
    warmup: Fraction  # share of the steps
    tau: Rate  # temperature of InfoNCE
    precision: Literal["fp32", "bf16", "fp16"]
    clip: Rate  # largest gradient norm
    chunk: Positive | None  # examples whose activations are held at once; null holds the whole batch's
    accumulate: Positive  # batches whose gradients are averaged for an update; each contrasts within itself
    curriculum: Curriculum | None
    compile: bool
    deterministic: bool
    evaluate_every: Positive  # steps between two looks at the development examples
    select: Literal["loss", "triplet_accuracy", "mrr", "las"]  # which development metric says what is best
    patience: Positive  # looks without improvement before training stops
    dev_examples: Positive  # development examples in a look, at most
