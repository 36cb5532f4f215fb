"""The small world, on disk."""

from pathlib import Path

import pytest
import torch
from small_world import held_out_rows
from threadpoolctl import threadpool_limits

from pipeline.core.schemas import EXAMPLE, SENTENCE, VARIANT
from pipeline.core.store import shard_path, write_rows


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders parsed/, augmented/ and an empty benchmarks/."""
    home = tmp_path_factory.mktemp("world")
    parsed, variants = held_out_rows()
    write_rows(shard_path(home / "parsed" / "corpus", 0), parsed, SENTENCE)
    write_rows(shard_path(home / "parsed" / "benchmarks", 0), [], SENTENCE)
    write_rows(shard_path(home / "augmented", 0), variants, VARIANT)
    write_rows(shard_path(home / "benchmarks", 0), [], EXAMPLE)
    return home


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    """Small problems are quicker without a thread pool, the more so on a busy machine."""
    torch.set_num_threads(1)
    threadpool_limits(1)
