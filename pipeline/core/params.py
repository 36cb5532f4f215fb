"""params.yaml as frozen pydantic models, one for each section; errors name the wrong key.

A stage asks for the sections that dvc.yaml declares for it. The whole file is checked each time. Every key is
described in params.yaml. A field with a default here is one that older saved models lack.
"""

import difflib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from pipeline.core.errors import SynsemError, unknown
from pipeline.core.store import dotted, read_yaml

# The parameters that came with the code: those of the repository, or next to the library in a wheel.
DEFAULTS = Path(__file__).parents[2] / "params.yaml"

Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Dimensions = Annotated[int, Field(ge=1, le=2**16)]  # of a vector
Seed = Annotated[int, Field(ge=0, lt=2**32)]  # that every library takes
Weight = Annotated[float, Field(ge=0)]
Rate = Annotated[float, Field(gt=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Likeness = Annotated[float, Field(ge=0.5, le=1)]  # a similarity threshold
# Of a softmax over cosines. Below about 1e-19 the square of a cosine divided by it is beyond float32.
Temperature = Annotated[float, Field(ge=1e-9)]
Language = Annotated[str, Field(pattern="^[a-z]{2,3}$")]  # a code of ISO 639, such as en or grc
Names = Annotated[list[str], Field(min_length=1)]
Order = Literal["tree", "surface", "mismatched", "shuffled"]


class Section(BaseModel):
    """A section of params.yaml: immutable, no unknown keys, no silent conversions, all numbers finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Download(Section):
    """Where text comes from and what of it is kept."""

    profile: str
    sources: Names | None
    documents: Positive | Literal["all"] | None
    benchmarks: list[str] | None
    mirror: str | None
    language: Language
    min_characters: Positive
    near_duplicate: Likeness | None
    dev_fraction: Fraction
    test_fraction: Fraction


class Encoder(Section):
    """The backbone that every system starts from: ``package:NAME``, a folder, or a Hugging Face id."""

    model: str
    max_tokens: Annotated[int, Field(ge=3)]
    pooling: Literal["mean", "cls"]


class Train(Section):
    """The training loop, shared by all systems."""

    epochs: Positive | None = None
    processes: Positive = 1
    tau: Temperature
    evaluate_every: Positive | Annotated[float, Field(gt=0, lt=1)]
    weight_decay: Weight
    warmup: Fraction
    precision: Literal["fp32", "bf16", "fp16"]
    chunk: Positive | None
    deterministic: bool
    select: Literal["loss", "las"]
    patience: Positive
    dev_examples: Positive


class Mine(Section):
    """Training examples from sentences and variants."""

    variants: bool
    hard_negatives: Count
    overlap_negatives: Count
    pair_share: Annotated[float, Field(ge=0, lt=1)]
    examples: Positive | None
    max_words: Positive


class Parse(Section):
    """Text to Universal Dependencies."""

    backend: Literal["spacy", "stanza", "biaffine"]
    models: dict[str, Annotated[str, Field(min_length=1)]] = Field(min_length=1)
    benchmark_language: Language
    min_words: Positive
    max_words: Positive


class Augment(Section):
    """Syntactic variants of parsed sentences."""

    transformations: list[str]
    per_sentence: Positive


class Evaluate(Section):
    """What the embeddings are judged by."""

    tasks: list[str]
    references: list[Literal["backbone", "pretrained"]]
    probe_sentences: Positive
    probe_classifier: Literal["logistic", "mlp"]


class Finetune(Section):
    """Fine-tuning on labelled pairs: on what, and how."""

    tasks: list[str]
    shares: Annotated[list[Annotated[int, Field(ge=1, le=100)]], Field(min_length=1)]
    epochs: Positive
    learning_rate: Rate


class System(Section):
    """How a system is trained: what every system's section has."""

    steps: Annotated[int, Field(ge=1, le=10**9)]
    batch_size: Annotated[int, Field(ge=2)]
    learning_rate: Rate


class Synsem(System):
    """SynSem's own system: a backbone as it is, a link encoder, a semantic and a structural vector."""

    weight: Weight
    dimensions: Dimensions
    input_layer: Count
    order: Order
    templates: Annotated[float, Field(ge=0, lt=1)] = 0.0
    start: str | None = None


class Sscp(System):
    """The two-view system (Adavala & Adavala 2026)."""

    bias: Literal["tree", "linear", "mismatched", "shuffled", "none"]
    bias_learning_rate: Rate
    position: Literal["absolute", "none"]
    hard_negatives: bool
    symmetric: bool


class Simcse(System):
    """Unsupervised SimCSE (Gao et al. 2021)."""

    positives: Literal["self", "variants", "paraphrases"]


class Parabart(System):
    """The embedding freed of syntax by syntax-guided paraphrasing (Huang et al. 2021)."""

    decoder_learning_rate: Rate
    discriminator_learning_rate: Rate
    adversary: Weight
    guidance: Literal["attention", "none"]
    freeze_encoder: Fraction


class Cssl(System):
    """The dependency parser robust to word order (Ray et al. 2024)."""

    parser_learning_rate: Rate
    treebank: str | None
    augmentation: Literal["none", "rotation", "rotation_and_cropping"]
    encoder: Literal["backbone", "scratch"]
    contrast: Literal["words", "subtrees", "dropout", "none"]
    refinements: Count
    position: Literal["absolute", "none"]


class Ebsim(System):
    """The cross-encoder pretrained for matching (EBSIM, 2024)."""

    aspect_learning_rate: Rate
    aspects: Annotated[list[Literal["relation", "alignment"]], Field(min_length=1)]
    mask_words: Literal["backbone", "corpus"] | None


class Upos(System):
    """The syntactic embedding from tags of translations (Liu et al. 2019)."""

    sources: Names | None
    targets: Names | None
    start: str | None


class Params(Section):
    """All of params.yaml."""

    systems: Names
    seeds: Annotated[list[Seed], Field(min_length=1)]
    download: Download
    encoder: Encoder
    train: Train
    mine: Mine
    parse: Parse
    augment: Augment
    evaluate: Evaluate
    finetune: Finetune
    synsem: Synsem
    sscp: Sscp
    simcse: Simcse
    parabart: Parabart
    cssl: Cssl
    ebsim: Ebsim
    upos: Upos


def load(path: Path, *sections: str) -> Any:
    """Read and check all of a parameter file, and return a namespace of the named sections only.

    A name such as ``finetune.epochs`` gives that value only, as ``epochs``. A stage names what dvc.yaml
    declares for it, so it cannot read what DVC does not track.
    Raises SynsemError, which names the wrong key.
    """
    params = load_all(path)
    return SimpleNamespace(**{name.rpartition(".")[2]: attrgetter(name)(params) for name in sections})


def load_all(path: Path) -> Params:
    """Read and check a parameter file, for a stage that has the file itself among its deps."""
    return parse(read(path), str(path))


def read(path: Path) -> Any:
    """Return what a parameter file holds, not yet checked.

    As for DVC it is YAML 1.2, where 1e-5 is a number and ``no`` is Norwegian. Raises SynsemError if the file
    cannot be read, is not YAML, or has a key twice.
    """
    try:
        return deepcopy(_parsed(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SynsemError(
            f"{path}: cannot be read ({error.strerror}); run in the project's folder, or name another"
        ) from error
    except (YAMLError, ValueError) as error:  # ValueError: not UTF-8, or no such date
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}: " if mark else ""
        raise SynsemError(f"{path}: {place}not valid YAML ({getattr(error, 'problem', error)})") from error


@lru_cache
def _parsed(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)  # a tenth of a second: only it keeps to YAML 1.2


def or_defaults(path: Path) -> Path:
    """Return the file, or ``DEFAULTS`` instead of a params.yaml that the current folder lacks.

    For what needs no project, such as the tree of a typed text. Stages read the file that DVC tracks.
    """
    return DEFAULTS if path == Path("params.yaml") and not path.exists() else path


def changed(raw: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of what ``read`` gave, with other values for the dotted keys of ``changes``."""
    values = deepcopy(dict(raw))
    for key, value in changes.items():
        *path, last = key.split(".")
        section = values
        for part in path:
            section = section.setdefault(part, {})
        section[last] = value
    return values


def parse(raw: Any, origin: str = "params.yaml") -> Params:
    """Check what a parameter file holds. The SynsemError has one clause for each wrong key or name."""
    if not isinstance(raw, dict):
        raise SynsemError(f"{origin}: must be a mapping of sections, such as 'train:'")
    try:
        params = Params.model_validate(raw)
        wrong = list(_wrong_together(params))
    except ValidationError as failure:
        found: dict[str, list[str]] = {}
        for error in failure.errors():
            # Each type that a value may have is a part of its own, such as constrained-int or literal['all'].
            key = ".".join(str(part) for part in error["loc"] if not {"-", "["} & set(str(part)))
            found.setdefault(key, []).append(_complaint(key, error))
        wrong = [f"{key}: {', or '.join(complaints)}" for key, complaints in found.items()]
    if wrong:
        raise SynsemError(f"{origin}: {'; '.join(wrong)}")
    return params


def _complaint(key: str, error: Mapping[str, Any]) -> str:
    """Return what is wrong with a key by one of pydantic's errors."""
    match error["type"]:
        case "missing":
            return "missing; add it"
        case "list_type":
            return f"must be a list, such as [{error['input']}]"
        case "extra_forbidden":
            known = [name for name, _ in dotted(read(DEFAULTS))]
            last = key.rpartition(".")[2]
            close = difflib.get_close_matches(key, known, n=1, cutoff=0.8)
            close += [other for other in known if other.rpartition(".")[2] == last]
            return f"unknown; did you mean {close[0]}?" if close else "unknown; remove it"
    message: str = error["msg"].removeprefix("Value error, ")
    return message[0].lower() + message[1:]


def _wrong_together(params: Params) -> Iterator[str]:
    """Yield a clause for each value that does not fit another, and each name that stands for nothing.

    A misspelt task would otherwise be found after hours, by the stage that runs it.
    """
    download, library = params.download, Path(__file__).parents[1]
    for key, value in dotted(params.model_dump()):
        if isinstance(value, list) and len(set(value)) < len(value):
            yield f"{key}: names something twice; remove one"
    if download.dev_fraction + download.test_fraction >= 1:
        yield "download.test_fraction: with download.dev_fraction it must stay below 1; lower one of them"
    if params.parse.max_words < params.parse.min_words:
        yield "parse.max_words: must not be below parse.min_words"
    profiles = read_yaml(library / "corpora/profiles.yaml")
    groups = read_yaml(library / "corpora/sources.yaml")["groups"]
    tasks = {path.stem for path in library.glob("evaluation/tasks/[!_]*.py")}
    wanted = download.benchmarks
    for entry in wanted or ():
        if _stem(entry) != entry and _stem(entry) in tasks:
            yield f"download.benchmarks: {entry}: is called like a task; rename the file"
    if wanted is None:
        wanted = profiles.get(download.profile, {}).get("benchmarks", [])
    named = {name for each in map(_stem, wanted) for name in (each, *groups.get(each, []))}
    systems = {path.parent.name for path in library.glob("systems/*/mining.py")}
    rewrites = {path.stem for path in library.glob("augment/rewrites/[!_]*.py")}
    for key, names, known in (
        ("systems", params.systems, systems),
        ("augment.transformations", params.augment.transformations, rewrites),
        ("download.profile", [download.profile], set(profiles)),
        ("evaluate.tasks", params.evaluate.tasks, tasks | named),
        ("finetune.tasks", params.finetune.tasks, named - set(groups)),
    ):
        yield from (str(unknown(key, name, sorted(known))) for name in names if name not in known)


def _stem(entry: str) -> str:
    """Return what results call a benchmark of ``download.benchmarks``: its name, or its file's."""
    name = entry.rpartition(":")[2]
    return Path(name).name.partition(".")[0] if "/" in name or "." in name else name


def metric_key(task: str) -> str:
    """Return a benchmark's name in metrics: ``paws`` for ``paws-wiki``, otherwise its own."""
    return task.removesuffix("-wiki")
