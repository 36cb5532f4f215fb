"""A Ray cluster of nodes with one core each, on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster


@contextmanager
def nodes(count: int) -> Iterator["Cluster"]:
    """The cluster, which RAY_ADDRESS names meanwhile; the test is skipped where Ray is not installed."""
    ray = pytest.importorskip("ray", reason="ray is an optional extra and not installed")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_raylet_start_wait_time_s", "300")  # of a machine that is busy
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            for _ in range(count - 1):
                cluster.add_node(num_cpus=1)
            cluster.wait_for_nodes(300)
            patch.setenv("RAY_ADDRESS", cluster.address)
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()
