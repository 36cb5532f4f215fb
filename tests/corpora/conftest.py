"""Fixtures: the mirror as the way to real files, a cache of its own for every test, parameters."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.corpora.fetching.cache import Access
from pipeline.params import Download


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path / "cache"
    monkeypatch.setenv("SYNSEM_CACHE", str(cache))
    monkeypatch.delenv("SYNSEM_MIRROR", raising=False)
    return cache


@pytest.fixture
def mirrored(mirror: Path, own_cache: Path) -> Access:
    return Access(cache=own_cache, mirror=str(mirror), offline=True)


@pytest.fixture
def params() -> Callable[..., Download]:
    """The download section for tests: everything kept, nothing fetched; keywords change it."""

    def section(**changes: object) -> Download:
        return DEFAULTS.model_copy(update=changes)

    return section


DEFAULTS = Download(
    profile="starter",
    sources=None,
    documents="all",
    benchmarks=[],
    mirror=None,
    cache=None,
    offline=True,
    language="en",
    min_characters=1,
    max_characters=1_000_000,
    language_confidence=None,
    near_duplicate=None,
    contamination=None,
    seed=13,
    dev_fraction=0.05,
    test_fraction=0.15,
)
