"""The sections of the stages: download, encoder, train, mine, parse, augment, evaluate, report.

Every key is described in params.yaml. A field with a default here is one that older saved models lack.
"""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from pipeline.core.params.section import (
    Count,
    Dimensions,
    Fraction,
    Language,
    Likeness,
    Positive,
    Rate,
    Section,
    Seed,
    Temperature,
    Unique,
    Weight,
    not_below,
)


class Download(Section):
    """Where text comes from and what of it is kept."""

    profile: str
    sources: Annotated[Unique[str], Field(min_length=1)] | None
    documents: Positive | Literal["all"] | None
    benchmarks: Unique[str] | None
    mirror: str | None
    language: Language
    min_characters: Positive
    language_confidence: Fraction | None
    near_duplicate: Likeness | None
    dev_fraction: Fraction
    test_fraction: Fraction

    @field_validator("test_fraction")
    @classmethod
    def _leaves_some_to_train_on(cls, value: float, others: ValidationInfo) -> float:
        if value + others.data.get("dev_fraction", 0.0) >= 1:
            raise PydanticCustomError(
                "nothing_to_train_on",
                "together with download.dev_fraction it must stay below 1, or none is left to train on",
            )
        return value


class Parse(Section):
    """Text to Universal Dependencies."""

    backend: Literal["spacy", "stanza", "biaffine"]
    models: dict[str, Annotated[str, Field(min_length=1)]] = Field(min_length=1)
    benchmark_language: Language
    min_words: Positive
    max_words: Annotated[Positive, not_below("min_words")]


class Augment(Section):
    """Syntactic variants of parsed sentences."""

    transformations: Unique[str]
    per_sentence: Positive
    seed: Seed


class Sketch(Section):
    """Who does what, as a part of the joint vector (``pipeline/nn/sketch.py``)."""

    weight: Rate
    dimensions: Dimensions
    order: Literal["tree", "surface", "mismatched", "shuffled"]


class Encoder(Section):
    """The backbone that every system starts from: ``package:NAME``, a folder, or a Hugging Face id."""

    model: str
    max_tokens: Annotated[int, Field(ge=3)]
    pooling: Literal["mean", "cls"]
    sketch: Sketch | None = None


class Train(Section):
    """The training loop, shared by all systems."""

    tau: Temperature
    evaluate_every: Positive | Annotated[float, Field(gt=0, lt=1)]
    weight_decay: Weight
    warmup: Fraction
    precision: Literal["fp32", "bf16", "fp16"]
    chunk: Positive | None
    compile: bool
    deterministic: bool
    select: Literal["loss", "triplet_accuracy", "mrr", "las"]
    patience: Positive
    dev_examples: Positive


class Evaluate(Section):
    """What the embeddings are judged by."""

    tasks: Unique[str]
    probe_sentences: Positive
    probe_classifier: Literal["logistic", "mlp"]
    retrieval_sentences: Positive
    seed: Seed


class Mine(Section):
    """Training examples from sentences and variants."""

    variants: bool
    hard_negatives: Count
    kind_share: Annotated[float, Field(gt=0, le=1)] | None
    overlap_negatives: Count
    pair_share: Annotated[float, Field(ge=0, lt=1)]
    examples: Positive | None
    max_words: Positive
    identity: Literal["all", "with_negatives", "none"]
    contamination: Likeness | None
    seed: Seed
