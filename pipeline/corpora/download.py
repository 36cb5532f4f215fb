"""The stage ``download``: it plans, fetches and cleans, and writes corpus and benchmarks, all or nothing.

The corpus takes two passes. The first cleans the documents and writes them to a temporary folder; a few
numbers of each decide what is dropped, and the second pass copies the rest. Benchmark examples stay as their
authors wrote them, except for regular Unicode and spaces.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.core import store
from pipeline.core.errors import SynsemError, unknown
from pipeline.core.parallel import track
from pipeline.core.params import Download
from pipeline.core.schemas import DOCUMENT, EXAMPLE, MOST_LABELS
from pipeline.core.seeding import SEED, stable_hash
from pipeline.core.store import ShardWriter, atomic_folder, read_yaml, sha256, write_json
from pipeline.corpora.clean import regular
from pipeline.corpora.documents import Cleaner, read_documents
from pipeline.corpora.duplicates import Contamination, near_duplicates, sign
from pipeline.corpora.fetch import Fetched, access, fetch
from pipeline.corpora.sources import Source, Use, find_sources, own_source
from pipeline.syntax.words import words

_BESIDE = ("report.json", "origin.json")  # what the stage writes next to the rows
_REASONS = ("kept", "duplicate", "near_duplicate", "not_drawn")
_KEPT, _DUPLICATE, _NEAR, _NOT_DRAWN = range(len(_REASONS))


class Plan(NamedTuple):
    """What to fetch. ``documents`` is the number to keep of each corpus source, None all of them."""

    corpus: list[Source]
    benchmarks: list[Source]
    documents: int | None


def plan(params: Download) -> Plan:
    """Return the profile's choices; a key of the download section that is set replaces the profile's.

    Raises SynsemError naming the key whose value is not a profile, source, file or folder.
    """
    profiles: dict[str, dict[str, Any]] = read_yaml(Path(__file__).with_name("profiles.yaml"))
    if params.profile not in profiles:
        raise unknown("download.profile", params.profile, profiles)
    chosen = profiles[params.profile] | {key: value for key, value in params if value is not None}
    known: dict[str, Source] = {}
    uses: dict[Use, str] = {"corpus": "sources", "benchmark": "benchmarks"}
    for use, key in uses.items():
        found: dict[str, Source] = {}
        for name in chosen[key]:
            for source in own_source(name, use, params.language) or find_sources(name, f"download.{key}"):
                if use not in source.use:
                    other = "benchmarks" if use == "corpus" else "sources"
                    raise SynsemError(f"download.{key}: {source.name} is for download.{other}; name it there")
                if known.setdefault(source.name, source) != source:
                    raise SynsemError(
                        f"download.{key}: two sources are called {source.name}; rename one of the files,"
                        " or leave one out"
                    )
                found[source.name] = source
        chosen[key] = list(found.values())
    documents = None if chosen["documents"] == "all" else chosen["documents"]
    return Plan(chosen["sources"], chosen["benchmarks"], documents)


def download(params: Download, corpus: Path, benchmarks: Path) -> None:
    """Write the corpus (``schemas.DOCUMENT``) and the benchmarks (``schemas.EXAMPLE``).

    Each gets a report.json (counts) and an origin.json (where the bytes came from). Raises SynsemError if
    a source is unknown, unavailable, changed, or leaves no text; the two folders are then as they were.
    """
    chosen = plan(params)
    got = fetch([*chosen.corpus, *chosen.benchmarks], access(params))
    texts, tests = got[: len(chosen.corpus)], got[len(chosen.corpus) :]
    with (
        atomic_folder(corpus, "part-*.arrow", *_BESIDE) as new_corpus,
        atomic_folder(benchmarks, "part-*.arrow", *_BESIDE) as new_benchmarks,
    ):
        write_json(new_benchmarks / "report.json", write_benchmarks(tests, new_benchmarks))
        trained_on = {each.source.name for each in texts}  # such as paws-wiki-train
        held = (
            text
            for row in store.rows(new_benchmarks)
            if row["split"] != "train" or f"{row['task']}-train" not in trained_on
            for text in (row["a"], row["b"])
            if text
        )
        contamination = Contamination(held, params.near_duplicate)
        counts = write_corpus(texts, chosen.documents, params, contamination, new_corpus)
        write_json(new_corpus / "report.json", counts)
        write_json(new_benchmarks / "origin.json", _origin(tests))
        write_json(new_corpus / "origin.json", _origin(texts))


def _origin(fetched: Sequence[Fetched]) -> dict[str, Any]:
    """Return where each source's bytes came from, and whether they are those of sources.yaml."""
    return {
        each.source.name: {
            "licence": each.source.licence,
            "location": "your own" if each.source.licence == "your own" else each.location.at,
            "verified": each.location.verified,
            "sha256": {file.path: file.sha256 or sha256(path) for file, path in each.files},
        }
        for each in fetched
    }


def write_benchmarks(fetched: Sequence[Fetched], out: Path) -> dict[str, Any]:
    """Write every example into shards under ``out``; return the counts for report.json.

    The task is the source's name. An example is dropped only if a text of it is empty. Raises SynsemError if
    there are more labels than the schema can number.
    """
    kept: dict[str, Counter[str]] = {each.source.name: Counter() for each in fetched}
    dropped, labels = Counter[str](), set[str | None]()
    with ShardWriter(out, EXAMPLE) as writer:
        for each in fetched:
            task = each.source.name
            for pair in read_documents(each):
                a = regular(pair.text, one_line=True)
                b = None if pair.b is None else regular(pair.b, one_line=True)
                if not a or b == "":
                    dropped["empty"] += 1
                    continue
                split = pair.split or "test"
                kept[task][split] += 1
                labels.add(pair.label)
                if len(labels) > MOST_LABELS:
                    raise SynsemError(
                        f"{task}: more than {MOST_LABELS:,} labels; they are classes, so give a score in a"
                        " column 'score', and rename or drop the column of labels"
                    )
                row = {"task": task, "subset": pair.subset or "", "split": split, "a": a, "b": b}
                writer.add(row | {"score": pair.score, "label": pair.label})
    return {"kept": kept, "dropped": dropped}


def write_corpus(
    fetched: Sequence[Fetched],
    documents: int | None,
    params: Download,
    contamination: Contamination,
    out: Path,
) -> dict[str, Any]:
    """Write the kept documents into shards under ``out``; return the counts for report.json.

    ``documents`` is the number to keep of each source, None all. Raises SynsemError if none is for training.
    """
    cleaner = Cleaner(params, contamination)
    counts: dict[str, Counter[str]] = {each.source.name: Counter() for each in fetched}
    read: dict[str, int] = dict.fromkeys(counts, 0)
    with tempfile.TemporaryDirectory(dir=out, prefix=".spool-") as folder:
        facts: list[tuple[int, int, int, int, bool]] = []
        signatures: list[NDArray[np.uint32]] = []
        with ShardWriter(Path(folder), DOCUMENT) as writer:
            for number, (each, name) in enumerate(zip(fetched, counts, strict=True)):
                for document in track(cleaner.documents(each, documents), f"clean {name}", unit="texts"):
                    read[name] += 1
                    if isinstance(document, str):
                        counts[name][document] += 1
                        continue
                    # Translations and paraphrases of each other stay together.
                    unit = document.pair_id or document.doc_id
                    hashes = (stable_hash(0, "text", document.text), stable_hash(0, "unit", unit))
                    facts.append((number, *hashes, stable_hash(SEED, "draw", unit), document.gold))
                    if params.near_duplicate is not None:  # a gold tree is compared with nothing
                        signatures.append(sign([] if document.gold else words(document.text)))
                    row = {field: getattr(document, field) for field in DOCUMENT.names}
                    writer.add(row | {"split": document.split or _split(document.whole, params)})
        decision = _decide(facts, signatures, documents, params.near_duplicate)
        for (source, *_), choice in zip(facts, decision, strict=True):
            counts[fetched[source].source.name][_REASONS[choice]] += 1
        licences = {each.source.name: each.source.licence for each in fetched}
        meta = {"licences": json.dumps(licences, sort_keys=True, ensure_ascii=False)}
        splits: Counter[str] = Counter()
        with ShardWriter(out, DOCUMENT.with_metadata(meta)) as writer:
            for row in compress(store.rows(Path(folder)), decision == _KEPT):
                splits[row["split"]] += 1
                writer.add(row)
    kept = {name: own.pop("kept", 0) for name, own in counts.items()}
    dropped = sum(counts.values(), Counter())
    if not splits["train"]:
        reasons = {"read": sum(read.values()), "kept": sum(kept.values())} | dropped
        raise SynsemError(
            "download.sources: no document is left to train on"
            f" ({', '.join(f'{reason}: {n:,}' for reason, n in reasons.items())}); take more text, set"
            " download.language to its language, or lower download.min_characters or the fractions of dev"
            " and test"
        )
    return {
        "read": read,
        "kept": kept,
        "dropped": dropped,
        "dropped_by_source": counts,
        "contaminated_sentences": +cleaner.removed,
        "sentences_with_gaps": +cleaner.gaps,
        "splits": splits,
    }


def _decide(
    facts: Sequence[tuple[int, int, int, int, bool]],
    signatures: Sequence[NDArray[np.uint32]],
    documents: int | None,
    threshold: float | None,
) -> NDArray[np.uint8]:
    """Return the decision on each document: a position in ``_REASONS``, uint8 [n].

    ``facts`` are its source and the hashes of its text, of its unit, and of seed and unit, and whether it is
    gold, a near copy of nothing. ``documents`` is the number to keep of each source, None all: those of the
    lowest rank, and the translations of the last of them. ``threshold`` is the Jaccard similarity of near
    copies; None: exact copies only.
    """
    decision = np.full(len(facts), _DUPLICATE, dtype=np.uint8)
    source, text, unit, rank, gold = np.array(facts, dtype=np.uint64).reshape(-1, 5).T
    decision[np.unique(text, return_index=True)[1]] = _KEPT
    if threshold is not None and signatures:
        alive = (decision == _KEPT) & (gold == 0)
        decision[near_duplicates(np.stack(signatures), alive, unit, threshold)] = _NEAR
    if documents is not None:
        for number in np.unique(source):
            own = np.flatnonzero((source == number) & (decision == _KEPT))
            if len(own) > documents:
                highest = np.partition(rank[own], documents - 1)[documents - 1]
                decision[own[rank[own] > highest]] = _NOT_DRAWN
    return decision


def _split(whole: str, params: Download) -> str:
    """Return train, dev or test: a pure function of ``Document.whole`` and the two fractions."""
    place = stable_hash(0, "split", whole) / 2**64
    if place < params.test_fraction:
        return "test"
    return "dev" if place < params.test_fraction + params.dev_fraction else "train"
