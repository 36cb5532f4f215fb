"""Ray: nodes of a cluster write the bytes that one process writes, also where one of them dies.

Here alone, because to start a cluster takes longer than most of what is tested on it.
"""

import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.core.errors import SynsemError
from pipeline.core.parallel import Work, environment
from tests.counting import TASKS, Square, crash, digests, mapped, marked, run
from tests.ray_nodes import PATIENCE, add, kill, nodes

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


def test_a_node_that_dies_is_replaced(cluster: "Cluster", scratch: Path, marks: Path, tmp_path: Path) -> None:
    """Its task is worked on again, every other once, and the bytes are those of one process."""
    hold = tmp_path / "hold"
    hold.touch()
    environment = os.environ | {"SYNSEM_ENGINE": "ray", "SYNSEM_SCRATCH": str(tmp_path / "shared")}
    process = subprocess.Popen(run(marks, tmp_path / "ray", hold=hold), env=environment)

    def wait_for(calls: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while len(list(marks.iterdir())) < calls:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)

    try:
        # The core of each node is taken. The run is connected to the head, which must not die.
        wait_for(2)
        begun = {int(path.name.split("-")[1]): int(path.name.split("-")[0]) for path in marks.iterdir()}
        _, dies = cluster.list_all_nodes()
        (lost,) = (begun[worker] for worker in kill(cluster, dies) if worker in begun)
        add(cluster)
        # Only the new node has a core for the third.
        wait_for(3)
        hold.unlink()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
    assert marked(marks) == Counter(TASKS) + Counter([lost])
    mapped(Square(marks), tmp_path / "local", workers=1)
    assert digests(tmp_path / "local") == digests(tmp_path / "ray")
