"""params.yaml -> frozen pydantic models, one a section; an unknown key or a bad value is named."""

import difflib
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.errors import SynsemError

Fraction = Annotated[float, Field(ge=0, le=1)]
Likeness = Annotated[float, Field(ge=0.5, le=1)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Rate = Annotated[float, Field(gt=0)]


class Section(BaseModel):
    """A section of params.yaml: immutable, no unknown keys, no silent conversions."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Download(Section):
    """Where text comes from and what of it is kept."""

    profile: str  # starter, mirror or full: a name of pipeline/corpora/profiles.yaml
    sources: Annotated[list[str], Field(min_length=1)] | None  # names or paths; null takes the profile's
    documents: Positive | Literal["all"] | None  # kept of each source; null takes the profile's
    benchmarks: list[str] | None  # names or paths; null takes the profile's
    mirror: str | None  # a folder or http(s) address that holds HOST/PATH of every https location
    cache: str | None  # where fetched files are kept; null takes the user's cache folder
    offline: bool  # fetch nothing: all must be in the cache or in a mirror folder
    language: str  # of a user's own files
    min_characters: Positive  # shorter texts are dropped
    max_characters: Positive  # longer texts are dropped
    language_confidence: (
        Fraction | None
    )  # a text is dropped where another language is so likely; null keeps all
    near_duplicate: (
        Likeness | None
    )  # Jaccard similarity from which two texts are one; null drops exact copies only
    contamination: (
        Likeness | None
    )  # the same for a sentence and a benchmark's; null removes exact copies only
    seed: int
    dev_fraction: Fraction
    test_fraction: Fraction


class Parse(Section):
    """Text to Universal Dependencies."""

    backend: Literal["spacy", "stanza", "conllu", "biaffine"]
    models: dict[str, str] = Field(min_length=1)  # language -> name or folder of the model
    benchmark_language: str  # the benchmarks do not say theirs
    min_words: Positive  # shorter sentences are dropped and counted
    max_words: Positive  # longer ones too, or split
    long_sentences: Literal["drop", "split"]
    documents_per_shard: Positive
    tokens_per_batch: Positive


class Neural(Section):
    """Paraphrase models, used where ``augment.transformations`` names back_translation or t5_paraphrase."""

    back_translation: Annotated[list[str], Field(min_length=2, max_length=2)]  # there and back
    t5: str
    t5_prefix: str  # what the model wants in front of the text
    batch_size: Positive
    beams: Positive
    max_tokens: Positive
    device: Literal["auto", "cpu", "cuda"]


class Augment(Section):
    """Syntactic variants of parsed sentences."""

    transformations: list[str]
    per_sentence: Positive
    reparse: (
        Fraction | None
    )  # share of a variant's core roles that the parser must find again; null: not asked
    seed: int
    neural: Neural


class NeighbourNegatives(Section):
    """Near neighbours as negatives: how many, how hard, how safe."""

    per_example: Count
    rank_from: Count  # neighbours nearer than this rank are passed over
    rank_to: Positive
    min_score: float
    max_score: float
    margin: Annotated[float, Field(ge=0)]  # a negative scores at least this much under the positive
    margin_kind: Literal["absolute", "relative"]
    sampling: Literal["nearest", "random"]
    index_above: (
        Positive  # corpus sentences from which an approximate index (faiss) replaces the exact search
    )


class Mine(Section):
    """Training examples from sentences and variants."""

    identity: Literal["all", "with_negatives", "none"]  # sentences whose positive would be themselves
    hard_negatives: Count  # variants of another meaning, an example
    neighbours: NeighbourNegatives
    max_words: Positive
    examples: Positive | None  # cap on training examples; null takes all
    seed: int


class Encoder(Section):
    """The backbone that every system starts from: ``package:NAME``, a folder, or a Hugging Face id."""

    model: str
    max_tokens: Positive  # special tokens included; longer sentences are cut
    pooling: Literal["mean", "cls"]


class Train(Section):
    """The training loop, shared by all systems."""

    steps: Positive
    batch_size: Annotated[int, Field(ge=2)]
    learning_rate: Rate
    weight_decay: Annotated[float, Field(ge=0)]
    warmup: Fraction  # share of the steps
    tau: Rate  # temperature of InfoNCE
    precision: Literal["fp32", "bf16"]
    clip: Rate  # largest gradient norm
    evaluate_every: Positive  # steps between two looks at the validation loss
    patience: Positive  # looks without improvement before training stops
    dev_examples: Positive  # development examples in a look, at most


class Sscp(Section):
    """The two-view system (Adavala & Adavala 2026)."""

    position: Literal["absolute", "graph", "both", "none"]
    bias: Literal["tree", "linear", "shuffled", "none"]
    max_distance: Positive  # longer paths share one bucket
    table_rate: Rate  # learning rate of the bias table, as a multiple of train.learning_rate
    position_rate: Rate  # the same for the depth embedding of position: both
    hard_negatives: bool
    symmetric: bool
    guard: Annotated[float, Field(ge=0)]  # weight of the distillation of the backbone's similarities
    in_view: Annotated[
        float, Field(ge=0)
    ]  # weight of contrasting within each view; above 0 it doubles a step


class Simcse(Section):
    """Unsupervised SimCSE (Gao et al. 2021)."""

    dropout: Fraction


class Evaluate(Section):
    """What the embeddings are judged by."""

    tasks: list[str]
    probe_sentences: Positive  # per split at most
    retrieval_sentences: Positive
    projection_sentences: Positive
    probe_classifiers: list[Literal["logistic", "mlp"]] = Field(min_length=1)
    seed: int


class Report(Section):
    """The HTML page."""

    gallery: Positive  # examples per transformation
    tsne_perplexity: Rate
    seed: int


class Params(Section):
    """The whole file."""

    systems: list[str] = Field(min_length=1)
    seeds: list[int] = Field(min_length=1)
    download: Download
    parse: Parse
    augment: Augment
    mine: Mine
    encoder: Encoder
    train: Train
    sscp: Sscp
    simcse: Simcse
    evaluate: Evaluate
    report: Report


def load(path: Path, *sections: str) -> Any:
    """Read params.yaml, check all of it, and return the named sections alone.

    A stage names the sections that dvc.yaml declares for it, so it cannot read what DVC does not watch.
    Returns a namespace with one attribute a section. Raises SynsemError naming the key that is wrong.
    """
    params = load_all(path)
    if unknown := [name for name in sections if name not in Params.model_fields]:
        raise SynsemError(f"{path}: has no section {unknown[0]!r}; known: {', '.join(Params.model_fields)}")
    return SimpleNamespace(**{name: getattr(params, name) for name in sections})


def load_all(path: Path) -> Params:
    """Read and check params.yaml whole: for a stage that has the file itself among its deps."""
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SynsemError(
            f"{path}: cannot be read ({error.strerror}); run in the project's folder or pass --params"
        ) from error
    except yaml.YAMLError as error:
        raise SynsemError(f"{path}: not valid YAML ({' '.join(str(error).split())})") from error
    return parse(raw, str(path))


def parse(raw: Any, origin: str = "params.yaml") -> Params:
    """Check a mapping as read from params.yaml; raises SynsemError with one clause a wrong key."""
    if not isinstance(raw, dict):
        raise SynsemError(f"{origin}: must be a mapping of sections, such as 'train:'")
    try:
        return Params.model_validate(raw)
    except ValidationError as failure:
        complaints = [_complaint(error["type"], error["loc"], error["msg"]) for error in failure.errors()]
        raise SynsemError(f"{origin}: {'; '.join(complaints)}") from failure


def _complaint(kind: str, location: tuple[int | str, ...], message: str) -> str:
    key = ".".join(str(part) for part in location)
    if kind == "extra_forbidden":
        close = difflib.get_close_matches(key, _keys(Params), n=1, cutoff=0.6)
        return f"{key}: unknown" + (f"; did you mean {close[0]}?" if close else "; remove it")
    if kind == "missing":
        return f"{key}: missing; add it"
    return f"{key}: {message[0].lower()}{message[1:]}"


def _keys(model: type[BaseModel], prefix: str = "") -> list[str]:
    keys = []
    for name, field in model.model_fields.items():
        keys.append(prefix + name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            keys += _keys(field.annotation, f"{prefix}{name}.")
    return keys
