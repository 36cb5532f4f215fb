"""The model card: what a model is, what it was made of, what it scores and how it is used.

A card is a README.md in the format of the Hugging Face hub: metadata by which the hub finds a model (licence,
languages, the model that training started from, results), and text for people.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_file, read_json, read_metrics
from pipeline.nn.backbone import is_known, locate
from pipeline.systems.base import Settings

ABOUT = "about.json"  # of a model that comes without its text and its results
_OF_TRAINING = ("steps", "best_step", "best_dev_loss", "parameters", "device", "precision", "seed")
_NOT_YET = "This card was written when training ended, before evaluation (`synsem evaluate {system} {seed}`)."
_FRONT = re.compile(r"\A---\n(.*?)^---$", flags=re.DOTALL | re.MULTILINE)
# How a card shows that its model is loaded, which is the name it has on the hub.
_LOADED = re.compile(r"""SentenceTransformer\(["']([\w.-]+/[\w.-]+)["']""")
_HUB_NAME = re.compile(r"(?:[\w.-]+/)?[\w.-]+")


class Measure(NamedTuple):
    """A metric that a card shows: its name and, for the hub, its task, data and kind."""

    data: str
    metric: str
    task: str
    dataset: str
    kind: str


_STS, _PAIRS = ("Spearman", "semantic-similarity"), ("AP", "binary-classification")
# In this order, those that were measured: on test data, zero-shot.
MEASURES = {
    "sts12.test.spearman_all": Measure("STS12", *_STS, "mteb/sts12-sts", "cosine_spearman"),
    "sts14.test.spearman_all": Measure("STS14", *_STS, "mteb/sts14-sts", "cosine_spearman"),
    "sts16.test.spearman_all": Measure("STS16", *_STS, "mteb/sts16-sts", "cosine_spearman"),
    "stsb.test.spearman": Measure("STS-B", *_STS, "mteb/stsbenchmark-sts", "cosine_spearman"),
    "paws.test.ap": Measure("PAWS-Wiki", *_PAIRS, "google-research-datasets/paws", "cosine_ap"),
}
Scores = Mapping[str, Mapping[str, float]]  # in points, by view and metric


@dataclass(frozen=True)
class About:
    """What a card says of a model beyond its settings: its text, what it scores, where it lies."""

    data: Sequence[str] = ()  # a line for each source of text
    languages: Sequence[str] = ()  # of the text, if that is at hand
    scores: Scores | None = None  # None before evaluation
    home: str = ""  # the folder as commands name it; by default that of its system and seed


NOTHING_KNOWN = About()


@dataclass(frozen=True)
class Runs:
    """What an exported view needs: sentence-transformers only, ``code`` in its folder, or a parser."""

    code: tuple[str, ...] = ()
    note: str = ""  # on the other views
    parses: bool = False  # then it needs SynSem as well


@dataclass(frozen=True)
class Base:
    """What training started from, as far as its own card says."""

    name: str | None = None  # on the hub
    licence: str | None = None  # as the hub writes it: apache-2.0
    languages: tuple[str, ...] = ()


def card(
    settings: Settings,
    facts: Mapping[str, Any],
    view: str | None,
    about: About = NOTHING_KNOWN,
    runs: Runs = Runs(parses=True),
) -> str:
    """Return the README.md of a model; the same bytes for the same input.

    ``facts`` is a model's ``training.json``. ``view`` is that of an exported folder; None is the card of
    the system's own folder.
    """
    base, scores, system = base_model(settings), about.scores, str(facts["system"])
    rows = {name: row for name, row in (scores or {}).items() if view in (None, name)}
    parts = [
        _metadata(base, f"synsem-{system}-{facts['seed']}", rows, about.languages),
        f"# SynSem: {system}" + (f", {view} view" if view else ""),
        str(type(settings.system).__doc__),
        "## Use",
        _use(about.home or f"models/{system}/{facts['seed']}", view, runs),
        "## Data",
        f"{_origin(base, settings.encoder.model)}\n\n{_data(facts, about.data)}",
        "## Training",
        _training(settings, facts),
        "## Numbers",
        _NOT_YET.format(**facts) if scores is None else table(scores),
        "## Limits",
        _limits(settings, runs.parses),
    ]
    return "\n\n".join(parts) + "\n"


def full_card(
    model: Path, settings: Settings, view: str | None, data: Path, reports: Path, runs: Runs
) -> str:
    """Return the card with the sources of the text and what evaluation measured, as far as these are there.

    The card in a model's own folder is without them: it is written once, by the stage that trains. A model
    that comes with SynSem brings both.
    """
    own = model / ABOUT
    about = read_about(own) if own.exists() else look_up(model, data, reports)
    return card(settings, read_json(model / "training.json", "system", "seed"), view, about, runs)


def read_about(path: Path) -> About:
    """Read ``about.json`` of a model that comes with SynSem."""
    found = read_json(path, "data", "languages", "scores")
    return About(found["data"], found["languages"], found["scores"], "path/to/this/folder")


def look_up(model: Path, data: Path, reports: Path) -> About:
    """Return what the text in ``data`` and the results in ``reports`` say of a trained model.

    Results count if the stage ``evaluate`` has run here: a clone comes with metrics of other models.
    """
    facts = read_json(model / "training.json", "system", "seed")
    scores: dict[str, Mapping[str, float]] = {}
    run = f"{facts['system']}-{facts['seed']}"
    if (reports / "evaluation" / run).is_dir():
        scores |= sorted(read_metrics(reports / "metrics" / f"{run}.json").items())
    return About(list(_sources(data)), _languages(data), scores)


def _sources(data: Path) -> Iterator[str]:
    origin, parsed = data / "corpus" / "origin.json", data / "parsed" / "report.json"
    if origin.exists():
        for name, source in sorted(read_json(origin).items()):
            yield f"`{name}`: {source['location']}, licence: {source['licence']}"
    if parsed.exists():
        yield from (f"parsed with {parser}" for parser in read_json(parsed).get("parsers", ()))


def _languages(data: Path) -> list[str]:
    files = sorted((data / "corpus").glob("part-*.arrow"))  # none if the card is written elsewhere
    return sorted({lang for path in files for lang in read_file(path)["lang"].unique().to_pylist()})


def base_model(settings: Settings) -> Base | None:
    """Return the backbone of a system; None if its encoder started from random weights."""
    if getattr(settings.system, "encoder", "backbone") != "backbone":
        return None
    name = settings.encoder.model
    if not is_known(name):  # to locate a package is to import it, and the model may be somebody else's
        return Base()
    try:
        folder = Path(locate(name))
    except SynsemError:  # the package is not installed here
        return Base()
    if not folder.is_dir():
        return Base(name if _HUB_NAME.fullmatch(name) else None)
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8", errors="replace") if readme.is_file() else ""
    front, loaded = _FRONT.match(text), _LOADED.search(text)
    try:
        said = yaml.safe_load(front[1]) if front else {}
    except yaml.YAMLError:  # another's card; ours does without
        said = {}
    languages = said.get("language") or ()
    return Base(
        loaded[1] if loaded else None,
        said.get("license"),
        (languages,) if isinstance(languages, str) else tuple(languages),
    )


def _metadata(base: Base | None, name: str, rows: Scores, languages: Sequence[str]) -> str:
    """Return the metadata as YAML between its lines of dashes; what is not known is left out."""
    from huggingface_hub import EvalResult, ModelCardData

    base = base or Base()
    results = [
        EvalResult(
            task_type=measure.task,
            dataset_type=measure.dataset,
            dataset_name=measure.data,
            dataset_split="test",
            metric_type=measure.kind,
            metric_value=round(row[key], 2),
            metric_name=f"{measure.metric}, {view} view, points",
        )
        for key, measure in MEASURES.items()
        for view, row in rows.items()
        if key in row
    ]
    content = ModelCardData(
        language=list(languages or base.languages) or None,
        license=base.licence,
        base_model=base.name,
        library_name="sentence-transformers",
        pipeline_tag="sentence-similarity",
        tags=["sentence-transformers", "sentence-similarity", "feature-extraction", "syntax"],
        model_name=name if results else None,
        eval_results=results or None,
    )
    return f"---\n{content.to_yaml()}\n---"


def table(scores: Scores) -> str:
    """Return a table with a row a view, a dash for what was not measured."""
    shown = [key for key in MEASURES if any(key in row for row in scores.values())]
    if not shown:
        return "No results of this model are known: `synsem evaluate` measures it."
    titles = [f"{MEASURES[key].data} {MEASURES[key].metric}" for key in shown]
    lines = [["", *titles], ["---", *["---:"] * len(shown)]]
    for name, row in scores.items():
        if row.keys() & MEASURES.keys():
            lines.append([name, *(f"{row[key]:.2f}" if key in row else "–" for key in shown)])
    rows = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"Zero-shot, test data, the vectors as they are; in points, higher is better.\n\n{rows}"


_CODE = """```python
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("path/to/this/folder"{options})
vectors = model.encode(["The dog chased the boy.", "The boy was chased by the dog."])
model.similarity(vectors, vectors)
```"""


def _use(home: str, view: str | None, runs: Runs) -> str:
    if view is None:
        return (
            f"```sh\nsynsem encode {home} < sentences.txt > embeddings.parquet\n"
            f"synsem compare A B --model {home}\n```"
        )
    note = "It needs sentence-transformers and nothing of SynSem."
    if runs.code:
        files = ", ".join(f"`{name}`" for name in runs.code)
        note += f" `trust_remote_code` runs the code in this folder, {files}. {runs.note}"
    elif runs.parses:
        note = (
            "It parses its input, so it needs SynSem and its parser (`pip install '.[pipeline]'` in the "
            "folder of its code); `trust_remote_code` lets sentence-transformers import the installed one. "
            'Another view of the same model: `model_kwargs={"view": "syntactic"}`.'
        )
    options = ", trust_remote_code=True" if runs.code or runs.parses else ""
    return f"{_CODE.format(options=options)}\n\n{note.strip()}"


def _origin(base: Base | None, model: str) -> str:
    share = "add `license:` to this card's metadata before you share the model"
    if base is None:
        return f"Training started from random weights; {share}."
    if base.licence is None:
        return f"Training started from `{base.name or model}`, whose licence is not known here; {share}."
    return f"Training started from `{base.name or model}`, licence: {base.licence}."


def _data(facts: Mapping[str, Any], data: Sequence[str]) -> str:
    examples = facts["examples"]
    counts = f"{examples['train']:,} training and {examples['dev']:,} development examples."
    if not data:
        return f"{counts} Their text and its licences: `data/corpus/origin.json` of the run."
    return "\n".join([counts, "", *(f"- {line}" for line in data)])


def _training(settings: Settings, facts: Mapping[str, Any]) -> str:
    rows = {name: facts[name] for name in _OF_TRAINING if name in facts}
    sections = {"encoder": settings.encoder, "train": settings.train, str(facts["system"]): settings.system}
    for section, params in sections.items():
        rows |= {f"{section}.{name}": value for name, value in params.model_dump().items()}
    shown = {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in rows.items()}
    return "\n".join(["| | |", "|---|---|", *(f"| `{name}` | {value} |" for name, value in shown.items())])


def _limits(settings: Settings, reads_trees: bool) -> str:
    limits = [
        f"Texts are single sentences; what lies beyond {settings.encoder.max_tokens} tokens is not read.",
        "It knows the languages and registers of its backbone and of the data above, with their biases.",
        "Before relying on who did what to whom see the numbers on PAWS, paraphrases with swapped arguments.",
    ]
    if reads_trees:
        limits.append("Views that read trees are only as good as the parser's trees for the text at hand.")
    return "\n".join(f"- {limit}" for limit in limits)
