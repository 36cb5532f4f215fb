"""The model card: what a model is, what it was made of, what it scores and how it is used.

A card is a README.md in the format of the Hugging Face hub: metadata by which the hub finds a model (licence,
languages, the model that training started from, results), and text for people, which ``card.md`` has.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from pipeline.core.errors import SynsemError
from pipeline.core.store import languages, read_json, read_metrics, read_yaml
from pipeline.nn.backbone import is_known, locate
from pipeline.systems.base import Settings

ABOUT = "about.json"  # of a model that comes without its text and its results
_OF_TRAINING = ("steps", "best_step", "best_dev_loss", "parameters", "device", "precision", "seed")
# How a card shows that its model is loaded, which is the name it has on the hub.
_LOADED = re.compile(r"""SentenceTransformer\(["']([\w.-]+/[\w.-]+)["']""")
_HUB_NAME = re.compile(r"(?:[\w.-]+/)?[\w.-]+")

MEASURES: dict[str, dict[str, Any]] = read_yaml(Path(__file__).with_name("measures.yaml"))
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
    from jinja2 import Template  # as torch needs it, every machine has it

    base, system = base_model(settings), str(facts["system"])
    scores = {name: row for name, row in (about.scores or {}).items() if row.keys() & MEASURES.keys()}
    training = {name: facts[name] for name in _OF_TRAINING if name in facts}
    sections = {"encoder": settings.encoder, "train": settings.train, system: settings.system}
    for section, params in sections.items():
        training |= {f"{section}.{name}": value for name, value in params.model_dump().items()}
    source = Path(__file__).with_name("card.md").read_text(encoding="utf-8")
    return Template(source, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True).render(
        facts,
        metadata=_metadata(base or Base(), facts, about, view),
        view=view,
        description=type(settings.system).__doc__,
        home=about.home or f"models/{system}/{facts['seed']}",
        runs=runs,
        base=base,
        encoder=settings.encoder,
        data=about.data,
        training=training,
        scores=None if about.scores is None else scores,
        shown={key: MEASURES[key] for key in MEASURES if any(key in row for row in scores.values())},
    )


def read_about(path: Path) -> About:
    """Read ``about.json`` of a model that comes with SynSem."""
    found = read_json(path, "data", "languages", "scores")
    return About(found["data"], found["languages"], found["scores"], "path/to/this/folder")


def about_model(model: Path, data: Path, reports: Path) -> About:
    """Return what the text in ``data`` and the results in ``reports`` say of a trained model.

    A model that comes with SynSem brings both. Results count if the stage ``evaluate`` has run here: a clone
    comes with metrics of other models.
    """
    if (model / ABOUT).exists():
        return read_about(model / ABOUT)
    facts = read_json(model / "training.json", "system", "seed")
    run = f"{facts['system']}-{facts['seed']}"
    evaluated = (reports / "evaluation" / run).is_dir()
    scores = read_metrics(reports / "metrics" / f"{run}.json") if evaluated else {}
    # None of these files is there if the card is written elsewhere.
    origin, parsed = (
        read_json(path) if path.exists() else {}
        for path in (data / "corpus" / "origin.json", data / "parsed" / "report.json")
    )
    lines = [f"`{name}`: {each['location']}, licence: {each['licence']}" for name, each in origin.items()]
    lines += [f"parsed with {parser}" for parser in parsed.get("parsers", ())]
    return About(lines, languages(data / "corpus"), dict(sorted(scores.items())))


def base_model(settings: Settings) -> Base | None:
    """Return the backbone of a system; None if its encoder started from random weights."""
    from huggingface_hub import ModelCard

    if getattr(settings.system, "encoder", "backbone") != "backbone":
        return None
    name = settings.encoder.model
    if not is_known(name):  # to locate a package is to import it, and the model may be somebody else's
        return Base()
    try:
        folder = Path(locate(name))
        if not folder.is_dir():
            return Base(name if _HUB_NAME.fullmatch(name) else None)
        readme = ModelCard.load(folder / "README.md", ignore_metadata_errors=True)
    except (SynsemError, OSError, ValueError, yaml.YAMLError):  # not here, or with a card of its own kind
        return Base()
    loaded, spoken = _LOADED.search(readme.text), readme.data.language or ()
    spoken = (spoken,) if isinstance(spoken, str) else tuple(spoken)
    return Base(loaded[1] if loaded else None, readme.data.license, spoken)


def _metadata(base: Base, facts: Mapping[str, Any], about: About, view: str | None) -> str:
    """Return the metadata as YAML; what is not known is left out."""
    from huggingface_hub import EvalResult, ModelCardData

    results = [
        EvalResult(
            **measure | {"metric_name": f"{measure['metric_name']}, {name} view, points"},
            dataset_split="test",
            metric_value=round(row[key], 2),
        )
        for key, measure in MEASURES.items()
        for name, row in (about.scores or {}).items()
        if key in row and view in (None, name)
    ]
    return ModelCardData(
        language=list(about.languages or base.languages) or None,
        license=base.licence,
        base_model=base.name,
        library_name="sentence-transformers",
        pipeline_tag="sentence-similarity",
        tags=["sentence-transformers", "sentence-similarity", "feature-extraction", "syntax"],
        model_name=f"synsem-{facts['system']}-{facts['seed']}" if results else None,
        eval_results=results or None,
    ).to_yaml()
