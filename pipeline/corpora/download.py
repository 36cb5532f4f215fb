"""The stage: plan, fetch, clean, write; all or nothing."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.corpora.benchmarks import texts_of, write_benchmarks
from pipeline.corpora.cleaning.contamination import Contamination
from pipeline.corpora.corpus import write_corpus
from pipeline.corpora.fetching.cache import Access
from pipeline.corpora.fetching.fetch import Fetched, fetch
from pipeline.corpora.plan import plan
from pipeline.output import replaced
from pipeline.params import Download
from pipeline.store import sha256, write_json


def download(params: Download, corpus: Path, benchmarks: Path) -> None:
    """Write the corpus (``store.DOCUMENT``) and the benchmarks (``store.EXAMPLE``), each with its report.json
    (counts) and origin.json (where the bytes came from).

    Raises SynsemError where a source is unknown, cannot be had, is not what it should be, or leaves no text;
    the two folders are then as they were before.
    """
    chosen = plan(params)
    got = fetch([*chosen.corpus, *chosen.benchmarks], access(params))
    texts, tests = got[: len(chosen.corpus)], got[len(chosen.corpus) :]
    with replaced(corpus) as new_corpus, replaced(benchmarks) as new_benchmarks:
        write_json(new_benchmarks / "report.json", write_benchmarks(tests, new_benchmarks))
        held = texts_of(new_benchmarks, [each.source.name for each in texts])
        contamination = Contamination(held, params.contamination)
        counts = write_corpus(texts, chosen.documents, params, contamination, new_corpus)
        write_json(new_corpus / "report.json", counts)
        write_json(new_benchmarks / "origin.json", _origin(tests))
        write_json(new_corpus / "origin.json", _origin(texts))


def _origin(fetched: Sequence[Fetched]) -> dict[str, Any]:
    """Where each source's bytes came from, and whether they are the ones that sources.yaml knows."""
    return {
        each.source.name: {
            "licence": each.source.licence,
            "location": each.location.at if each.location.kind != "file" else "your own",
            "verified": each.location.verified,
            "sha256": {file.path: file.sha256 or sha256(path) for file, path in each.files()},
        }
        for each in fetched
    }


def access(params: Download) -> Access:
    """The way to the bytes; the variables SYNSEM_MIRROR and SYNSEM_CACHE stand in for keys that are null.

    Neither changes a byte of what the stage writes, so a machine may set them without touching params.yaml.
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
