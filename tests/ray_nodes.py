"""A Ray cluster of two nodes with one core each, on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster


@contextmanager
def two_nodes() -> Iterator["Cluster"]:
    """The cluster, which RAY_ADDRESS names meanwhile; the test is skipped where Ray is not installed.

    The first of its ``worker_nodes`` is the node that is not the head.
    """
    ray = pytest.importorskip("ray", reason="ray is an optional extra and not installed")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        try:
            cluster.add_node(num_cpus=1)
            cluster.wait_for_nodes(300)
            patch.setenv("RAY_ADDRESS", cluster.address)
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()
