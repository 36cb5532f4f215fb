"""The stage ``download``: it plans, fetches and cleans, and writes corpus and benchmarks, all or nothing.

Benchmark examples stay as their authors wrote them, except for regular Unicode and spaces.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.core.atomic import atomic_folder
from pipeline.core.errors import SynsemError, unknown
from pipeline.core.schemas import EXAMPLE, MOST_LABELS
from pipeline.core.store import ShardWriter, read_yaml, rows, sha256, write_json
from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.corpora.cleaning.text import regular
from pipeline.corpora.corpus import write_corpus
from pipeline.corpora.documents import records
from pipeline.corpora.fetching.cache import Access
from pipeline.corpora.fetching.fetch import Fetched, fetch
from pipeline.corpora.sources import Source, Use, find_sources, own_source
from pipeline.params import Download

_BESIDE = ("report.json", "origin.json")  # what the stage writes beside the rows


def download(params: Download, corpus: Path, benchmarks: Path) -> None:
    """Write the corpus (``schemas.DOCUMENT``) and the benchmarks (``schemas.EXAMPLE``).

    Each gets a report.json (counts) and an origin.json (where the bytes came from). Raises SynsemError where
    a source is unknown, unavailable, changed, or leaves no text; the two folders are then as they were.
    """
    for folder, other in ((corpus, benchmarks), (benchmarks, corpus)):
        if folder.resolve().is_relative_to(other.resolve()):
            raise SynsemError(f"{folder}: lies in {other}; name two folders apart")
    chosen = plan(params)
    got = fetch([*chosen.corpus, *chosen.benchmarks], access(params))
    texts, tests = got[: len(chosen.corpus)], got[len(chosen.corpus) :]
    with (
        atomic_folder(corpus, "part-*.arrow", *_BESIDE) as new_corpus,
        atomic_folder(benchmarks, "part-*.arrow", *_BESIDE) as new_benchmarks,
    ):
        write_json(new_benchmarks / "report.json", write_benchmarks(tests, new_benchmarks))
        held = texts_of(new_benchmarks, [each.source.name for each in texts])
        contamination = Contamination(held, params.contamination)
        counts = write_corpus(texts, chosen.documents, params, contamination, new_corpus)
        write_json(new_corpus / "report.json", counts)
        write_json(new_benchmarks / "origin.json", _origin(tests))
        write_json(new_corpus / "origin.json", _origin(texts))


def _origin(fetched: Sequence[Fetched]) -> dict[str, Any]:
    """Where each source's bytes came from, and whether they are those of sources.yaml."""
    return {
        each.source.name: {
            "licence": each.source.licence,
            "location": "your own" if each.source.licence == "your own" else each.location.at,
            "verified": each.location.verified,
            "sha256": {file.path: file.sha256 or sha256(path) for file, path in each.files()},
        }
        for each in fetched
    }


def access(params: Download) -> Access:
    """Where files come from; SYNSEM_MIRROR and SYNSEM_CACHE are used where the keys are null.

    Neither changes a byte of what the stage writes, so a machine may set them without a change of
    params.yaml.
    """
    cache = params.cache or os.environ.get("SYNSEM_CACHE")
    return Access(
        cache=Path(cache).expanduser() if cache else user_cache(),
        mirror=params.mirror or os.environ.get("SYNSEM_MIRROR") or None,
        offline=params.offline,
    )


def user_cache() -> Path:
    """The platform's cache folder for this user."""
    from platformdirs import user_cache_path

    return user_cache_path("synsem", appauthor=False)


def write_benchmarks(fetched: Sequence[Fetched], out: Path) -> dict[str, Any]:
    """Write every example into shards under ``out``; returns the counts for report.json.

    The task is the source's name. An example is dropped only where a text of it is empty. Raises SynsemError
    where there are more labels than the schema can number.
    """
    kept: dict[str, Counter[str]] = {}
    dropped: Counter[str] = Counter()
    labels: set[str | None] = set()
    with ShardWriter(out, EXAMPLE) as writer:
        for each in fetched:
            task = each.source.name
            kept[task] = Counter()
            for row in _examples(each):
                if not row["a"] or row["b"] == "":
                    dropped["empty"] += 1
                    continue
                labels.add(row["label"])
                if len(labels) > MOST_LABELS:
                    raise SynsemError(
                        f"{task}: more than {MOST_LABELS:,} labels; they are classes, so give a score in a"
                        " column 'score', and rename or drop the column of labels"
                    )
                writer.add(row)
                kept[task][row["split"]] += 1
    return {"kept": {task: dict(counts) for task, counts in kept.items()}, "dropped": dict(dropped)}


def texts_of(benchmarks: Path, sources: Collection[str] = ()) -> Iterator[str]:
    """Every text of the written benchmarks, both texts of pairs, with repetitions.

    Where the corpus ``sources`` name a benchmark's training part (``paws-wiki-train``), that part is left
    out: it is there to be trained on.
    """
    for row in rows(benchmarks):
        if row["split"] == "train" and f"{row['task']}-train" in sources:
            continue
        yield row["a"]
        if row["b"] is not None:
            yield row["b"]


def _examples(fetched: Fetched) -> Iterator[dict[str, Any]]:
    for record in records(fetched):
        yield {
            "task": fetched.source.name,
            "subset": record.subset or "",
            "split": record.split or "test",
            "a": regular(record.text, one_line=True),
            "b": None if record.b is None else regular(record.b, one_line=True),
            "score": record.score,
            "label": record.label,
        }


PROFILES = Path(__file__).with_name("profiles.yaml")


@dataclass(frozen=True)
class Plan:
    """What to fetch. ``documents`` is the number to keep of each corpus source, None all of them."""

    corpus: tuple[Source, ...]
    benchmarks: tuple[Source, ...]
    documents: int | None


def plan(params: Download) -> Plan:
    """The profile's choices; a key of the download section that is set replaces the one of the same name.

    Raises SynsemError naming the key whose value is no profile, source, file or folder.
    """
    profile = _profile(params.profile)
    sources = profile["sources"] if params.sources is None else params.sources
    benchmarks = profile["benchmarks"] if params.benchmarks is None else params.benchmarks
    documents = profile["documents"] if params.documents is None else params.documents
    corpus = _resolve(sources, "corpus", "download.sources", params.language)
    tests = _resolve(benchmarks, "benchmark", "download.benchmarks", params.language)
    texts = {source.name: source for source in corpus}
    for source in tests:
        if texts.get(source.name, source) != source:
            raise _same_name("download.benchmarks", source)
    return Plan(corpus, tests, None if documents == "all" else documents)


def _profile(name: str) -> dict[str, Any]:
    profiles: dict[str, dict[str, Any]] = read_yaml(PROFILES)
    if name not in profiles:
        raise unknown("download.profile", name, profiles)
    return profiles[name]


def _resolve(names: list[str], use: Use, key: str, language: str) -> tuple[Source, ...]:
    found: dict[str, Source] = {}
    for name in names:
        for source in own_source(name, use, language) or find_sources(name, key):
            if use not in source.use:
                other = "download.benchmarks" if use == "corpus" else "download.sources"
                raise SynsemError(f"{key}: {source.name} is for {other}; name it there")
            if found.setdefault(source.name, source) != source:
                raise _same_name(key, source)
    return tuple(found.values())


def _same_name(key: str, source: Source) -> SynsemError:
    return SynsemError(
        f"{key}: two sources are called {source.name}; rename one of the files, or leave one out"
    )
