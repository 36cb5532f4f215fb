"""Fixtures: a cache of its own for every test, the mirror as the way to real files, parameters."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.core.params import DEFAULTS, Download, load_all
from pipeline.corpora.fetch import Access, Fetched, fetch
from pipeline.corpora.sources import Use, own_source


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path / "cache"
    monkeypatch.setenv("SYNSEM_CACHE", str(cache))
    monkeypatch.delenv("SYNSEM_MIRROR", raising=False)
    return cache


@pytest.fixture
def params() -> Callable[..., Download]:
    """The download section for tests: everything kept, no benchmarks; keywords change it."""
    kept = {"documents": "all", "benchmarks": [], "min_characters": 1}
    section = load_all(DEFAULTS).download.model_copy(update=kept | {"near_duplicate": None})
    return lambda **changes: section.model_copy(update=changes)


def fetched(name: str, use: Use = "corpus") -> Fetched:
    """A file or folder of one's own, as the stage reads it."""
    (one,) = fetch(own_source(str(name), use, "en"), Access(Path("nowhere")))
    return one
