"""The metadata of a model card: what a hub, or a search on it, knows of a model without reading the card.

The format is that of Hugging Face: licence, languages, the model that training started from, and the results
(``model-index``). What is not known is left out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from pipeline.core.errors import SynsemError
from pipeline.nn.backbone import is_known, locate
from pipeline.systems.base import Settings

_TAGS = ("sentence-transformers", "sentence-similarity", "feature-extraction", "syntax")
_FRONT = re.compile(r"\A---\n(.*?)^---$", flags=re.DOTALL | re.MULTILINE)
# How a card shows that its model is loaded, which is the name it has on the hub.
_NAMED = re.compile(r"""SentenceTransformer\(["']([\w.-]+/[\w.-]+)["']""")
_HUB_NAME = re.compile(r"(?:[\w.-]+/)?[\w.-]+")


class Measure(NamedTuple):
    """A metric that a card shows: its name and, for ``model-index``, its task, data and kind."""

    data: str
    metric: str
    task: str  # of the hub
    dataset: str  # on the hub, or where the data come from
    kind: str  # of metric, as the hub knows it


_STS, _PAIRS = "semantic-similarity", "binary-classification"
# Held-out sentences of the run's own text: comparable between models of one run alone.
_OWN = "held-out-text-of-the-run"
# In this order, those that were measured. Everything is on test data, zero-shot.
MEASURES = {
    "sts12.test.spearman_all": Measure("STS12", "Spearman", _STS, "mteb/sts12-sts", "cosine_spearman"),
    "sts14.test.spearman_all": Measure("STS14", "Spearman", _STS, "mteb/sts14-sts", "cosine_spearman"),
    "sts16.test.spearman_all": Measure("STS16", "Spearman", _STS, "mteb/sts16-sts", "cosine_spearman"),
    "stsb.test.spearman": Measure("STS-B", "Spearman", _STS, "mteb/stsbenchmark-sts", "cosine_spearman"),
    "stsb.test.spearman_late": Measure(
        "STS-B", "Spearman, late interaction", _STS, "mteb/stsbenchmark-sts", "spearman"
    ),
    "paws.test.ap": Measure("PAWS-Wiki", "AP", _PAIRS, "google-research-datasets/paws", "cosine_ap"),
    "paws.test.ap_late": Measure(
        "PAWS-Wiki", "AP, late interaction", _PAIRS, "google-research-datasets/paws", "average_precision"
    ),
    "retrieval.test.accuracy": Measure(
        "retrieval among lookalikes", "accuracy", "retrieval", _OWN, "accuracy"
    ),
}


@dataclass(frozen=True)
class Base:
    """What training started from, as far as its own card says."""

    name: str | None  # on the hub
    licence: str | None  # as the hub writes it: apache-2.0
    languages: tuple[str, ...]


def base_model(settings: Settings) -> Base | None:
    """The backbone of a system; None for a system whose encoder started from random weights."""
    if getattr(settings.system, "encoder", "backbone") != "backbone":
        return None
    name = settings.encoder.model
    try:
        # The name may be of somebody else's model, and to locate a package is to import it.
        folder = Path(locate(name)) if is_known(name) else None
    except SynsemError:  # the package is not installed where the card is printed
        folder = None
    if folder is None:
        return Base(None, None, ())
    if not folder.is_dir():
        return Base(name if _HUB_NAME.fullmatch(name) else None, None, ())
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8", errors="replace") if readme.is_file() else ""
    said, named = _metadata(text), _NAMED.search(text)
    languages = said.get("language") or ()
    return Base(
        named[1] if named else None,
        said["license"] if isinstance(said.get("license"), str) else None,
        (languages,) if isinstance(languages, str) else tuple(map(str, languages)),
    )


def _metadata(text: str) -> dict[str, Any]:
    found = _FRONT.match(text)
    try:
        content = yaml.safe_load(found[1]) if found else None
    except yaml.YAMLError:  # another's card; ours does without
        return {}
    return content if isinstance(content, dict) else {}


def front_matter(
    base: Base | None,
    name: str,
    rows: Mapping[str, Mapping[str, float]],
    languages: Sequence[str] = (),
) -> str:
    """The metadata as YAML between its lines of dashes.

    ``rows`` maps each view that the card is of to its metrics, in points. ``languages`` are those of the text
    that the model was trained with; where they are not known, those of its base are named.
    """
    content: dict[str, Any] = {}
    spoken = list(languages or (base.languages if base else ()))
    if spoken:
        content["language"] = spoken if len(spoken) > 1 else spoken[0]
    if base and base.licence:
        content["license"] = base.licence
    if base and base.name:
        content["base_model"] = base.name
    content |= {"library_name": "sentence-transformers", "pipeline_tag": "sentence-similarity"}
    content["tags"] = list(_TAGS)
    if results := list(_results(rows)):
        content["model-index"] = [{"name": name, "results": results}]
    return f"---\n{yaml.safe_dump(content, sort_keys=False, allow_unicode=True)}---"


def _results(rows: Mapping[str, Mapping[str, float]]) -> Iterator[dict[str, Any]]:
    for key, measure in MEASURES.items():
        metrics = [
            {
                "type": measure.kind,
                "value": round(row[key], 2),
                "name": f"{measure.metric}, {view} view, points",
            }
            for view, row in rows.items()
            if key in row
        ]
        if metrics:
            yield {
                "task": {"type": measure.task},
                "dataset": {"type": measure.dataset, "name": measure.data, "split": "test"},
                "metrics": metrics,
            }


def origin_of_weights(base: Base | None, model: str) -> str:
    """A sentence for the card: what training started from, under which licence, and what is left to add."""
    share = "add `license:` to this card's metadata before you share the model"
    if base is None:
        return f"Training started from random weights; {share}."
    if base.licence is None:
        return f"Training started from `{base.name or model}`, whose licence is not known here; {share}."
    return f"Training started from `{base.name or model}`, licence: {base.licence}."
