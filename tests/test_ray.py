"""Ray: nodes of a cluster write the bytes that one process writes, also where one of them dies.

Here alone, because to start a cluster takes longer than most of what is tested on it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.core.errors import SynsemError
from pipeline.core.parallel import Work, environment
from tests.counting import TASKS, Square, crash, digests, mapped
from tests.ray_nodes import nodes

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

pytestmark = pytest.mark.slow


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def cluster() -> Iterator["Cluster"]:
    """Two nodes of one core each."""
    with nodes(2) as cluster:
        yield cluster


def on_ray(work: Work[int], tasks: list[int], out: Path) -> None:
    with environment({"SYNSEM_ENGINE": "ray"}):
        mapped(work, out, key=out.name, tasks=tasks)


@pytest.mark.usefixtures("cluster")
def test_two_nodes_write_the_same_bytes(scratch: Path, marks: Path, tmp_path: Path) -> None:
    mapped(Square(marks), tmp_path / "local", workers=1)
    import ray

    on_ray(Square(marks, 0.5), TASKS, tmp_path / "ray")
    assert len(ray.nodes()) == 2
    assert digests(tmp_path / "local") == digests(tmp_path / "ray")
    with pytest.raises(SynsemError, match="task 3: cannot be squared"):
        on_ray(Square(marks, fails_at=3), TASKS, tmp_path / "no")
    assert not (tmp_path / "no").exists()
    with pytest.raises(SynsemError, match=r"SYNSEM_ENGINE: Ray gave a task up .*finished shards are kept"):
        on_ray(crash, [0], tmp_path / "none")
    assert not (tmp_path / "none").exists()
