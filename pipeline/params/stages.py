"""The sections that all systems share: download, parse, augment, encoder, train, evaluate, report.

A field with a default here is one that older saved models lack; params.yaml itself holds every value.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from pipeline.params.section import (
    Count,
    Dimensions,
    Fraction,
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


def _number_or_all(value: Any) -> Any:
    """One complaint in place of one for each type that the value may have."""
    if value is None or value == "all" or (type(value) is int and value >= 1):
        return value
    raise PydanticCustomError("number_or_all", "must be a whole number of 1 or more, 'all' or null")


def _steps_or_share(value: Any) -> Any:
    if (type(value) is int and value >= 1) or (type(value) is float and 0 < value < 1):
        return value
    raise PydanticCustomError("steps_or_share", "must be a whole number of 1 or more, or a share below 1")


def _code(value: str) -> str:
    # Another name for a language would turn the filter of languages off and find no parser.
    if not re.fullmatch("[a-z]{2,3}", value):
        raise PydanticCustomError("language", "must be a language's code of ISO 639, such as en or grc")
    return value


Language = Annotated[str, AfterValidator(_code)]


class Download(Section):
    """Where text comes from and what of it is kept."""

    profile: str  # starter, mirror or full: a name of pipeline/corpora/profiles.yaml
    sources: Annotated[Unique[str], Field(min_length=1)] | None  # names or paths; null: the profile's
    documents: Annotated[
        int | Literal["all"] | None, BeforeValidator(_number_or_all)
    ]  # kept of each source; null: the profile's
    benchmarks: Unique[str] | None  # names or paths; null: the profile's
    mirror: str | None  # a folder or http(s) address that holds HOST/PATH of every https location
    cache: str | None  # where fetched files are kept; null: the user's cache folder
    offline: bool  # fetch nothing: all files must be in the cache or in a mirror folder
    language: Language  # of the user's own files
    min_characters: Positive  # shorter texts are dropped
    max_characters: Annotated[Positive, not_below("min_characters")]  # longer texts are dropped
    # Probability of another language from which a text is dropped; null: keep all.
    language_confidence: Fraction | None
    # Jaccard similarity from which two texts count as one; null: exact copies only.
    near_duplicate: Likeness | None
    # The same for a sentence and the text of a benchmark.
    contamination: Likeness | None
    seed: Seed  # which documents are drawn
    dev_fraction: Fraction  # of the documents, for validation while training
    test_fraction: Fraction  # of the documents, for evaluation

    @field_validator("test_fraction")
    @classmethod
    def _leaves_some_to_train_on(cls, value: float, others: ValidationInfo) -> float:
        if value + others.data.get("dev_fraction", 0.0) >= 1:
            raise PydanticCustomError(
                "nothing_to_train_on",
                "together with download.dev_fraction it must stay below 1, or none is left to train on",
            )
        return value


def _model(value: str) -> str:
    # The empty path is the working directory, which a backend would take for a model's folder.
    if not value.rpartition(":")[2].strip():
        raise PydanticCustomError(
            "model", "must name a package or folder, alone or after BACKEND:, such as stanza:default"
        )
    return value


_Model = Annotated[str, AfterValidator(_model)]


class Parse(Section):
    """Text to Universal Dependencies."""

    backend: Literal["spacy", "stanza", "conllu", "biaffine"]
    models: dict[str, _Model] = Field(min_length=1)  # language -> name or folder of the model
    benchmark_language: Language  # benchmarks do not say theirs
    min_words: Positive  # shorter sentences are dropped and counted
    max_words: Annotated[Positive, not_below("min_words")]  # longer ones too, or they are split
    long_sentences: Literal["drop", "split"]
    documents_per_shard: Positive  # a unit of work, kept after a kill; files hold many of them
    tokens_per_batch: Positive


class Augment(Section):
    """Syntactic variants of parsed sentences."""

    transformations: Unique[str]  # files of pipeline/augment/rewrites/
    per_sentence: Positive  # variants at most
    seed: Seed


class Sketch(Section):
    """Who does what, as a part of the joint vector (``pipeline/nn/sketch.py``)."""

    weight: Rate  # beside the rest of the joint vector, which has length 1
    dimensions: Dimensions
    reach: Positive  # content words at most so far apart are a pair
    order: Literal["tree", "surface", "random", "other", "shuffled"]  # all but the first are controls


class Encoder(Section):
    """The backbone that every system starts from: ``package:NAME``, a folder, or a Hugging Face id."""

    model: str
    max_tokens: Annotated[int, Field(ge=3)]  # special tokens included; longer sentences are cut
    pooling: Literal["mean", "cls"]
    sketch: Sketch | None = None  # null: the joint vector is that of the encoders alone


class Train(Section):
    """The training loop, shared by all systems."""

    steps: Annotated[int, Field(ge=1, le=10**9)]  # updates
    batch_size: Annotated[int, Field(ge=2)]  # examples, over all processes
    learning_rate: Rate
    tau: Temperature  # of InfoNCE
    # Steps between two validation passes; below 1: a share of the steps, so that patience is one, too.
    evaluate_every: Annotated[int | float, BeforeValidator(_steps_or_share)]
    batch_words: Positive | None = (
        None  # words of anchors and positives, with padding, that end a batch early
    )
    weight_decay: Weight
    warmup: Fraction  # share of the steps
    warmup_steps: Positive | None = None  # in place of that share, whatever the length of the run
    schedule: Literal["linear", "wsd"] = "linear"  # of the learning rate (pipeline/training/schedule.py)
    decay: Fraction = 0.2  # wsd: share of the steps, the last ones, in which the rate falls
    precision: Literal["fp32", "bf16", "fp16"]
    clip: Rate  # largest gradient norm
    chunk: Positive | None  # examples whose activations are in memory at once (GradCache); null: the batch
    accumulate: Positive  # batches whose gradients are averaged for an update; each contrasts within itself
    compile: bool  # torch.compile
    deterministic: bool  # the same bits on a GPU too
    select: Literal["loss", "triplet_accuracy", "mrr", "las"]  # development metric of the best weights
    patience: Positive  # validation passes without improvement before training stops
    dev_examples: Positive  # development examples of a validation pass, at most
    read_ahead: Count = 1  # steps whose batches are read ahead; decides nothing of the result
    readers: Count = 0  # processes that read ahead; 0: a thread; decides nothing of the result


class Evaluate(Section):
    """What the embeddings are judged by."""

    tasks: Unique[str]  # files of pipeline/evaluation/tasks/
    probe_sentences: Positive  # of each split at most
    retrieval_sentences: Positive
    projection_sentences: Positive
    probe_classifiers: Unique[Literal["logistic", "mlp"]] = Field(min_length=1)
    bf16: bool = False  # embed in bfloat16 where a CPU multiplies that natively, and not float16
    seed: Seed


class Report(Section):
    """The HTML page."""

    gallery: Positive  # examples of each transformation
    tsne_perplexity: Rate
    bootstrap_draws: Annotated[int, Field(ge=100)]  # for the confidence intervals of the headline table
    worst_errors: Positive  # shown of each task, to either side
    seed: Seed
