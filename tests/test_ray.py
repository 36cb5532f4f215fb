"""Ray writes the bytes that one process writes, and passes errors on."""

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from pipeline.core.errors import SynsemError
from pipeline.core.parallel import Work
from tests.counting import Square, digests, mapped

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def _cluster() -> Iterator[None]:
    ray = pytest.importorskip("ray", reason="pip install '.[ray]'")
    root = str(Path(__file__).parents[1])  # inherited: with a ``runtime_env``, other workers would be started
    with patch.dict(os.environ, {"RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": root}):
        ray.init(num_cpus=2, include_dashboard=False)
        yield
        ray.shutdown()


def on_ray(work: Work[int], out: Path) -> None:
    with patch.dict(os.environ, {"SYNSEM_ENGINE": "ray"}):
        mapped(work, out, key=out.name)


@pytest.mark.usefixtures("_cluster")
def test_ray_writes_the_same_bytes(scratch: Path, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    mapped(Square(marks), tmp_path / "local", workers=1)
    on_ray(Square(marks), tmp_path / "ray")
    assert digests(tmp_path / "local") == digests(tmp_path / "ray")
    with pytest.raises(SynsemError, match="task 3: cannot be squared"):
        on_ray(Square(marks, fails_at=3), tmp_path / "no")
    assert not (tmp_path / "no").exists()
