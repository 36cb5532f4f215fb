"""A Ray cluster of nodes with one core each, on this machine."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ray._private.node import Node
    from ray.cluster_utils import Cluster

# Seconds that a busy machine has for each step.
PATIENCE = 300
# Ray's own limits, in its units; 30, 30 and 60 seconds otherwise.
LIMITS = {
    "RAY_gcs_server_port_wait_time_s": PATIENCE,
    "RAY_agent_register_timeout_ms": PATIENCE * 1000,
    "RAY_worker_register_timeout_seconds": PATIENCE,
}
# A node that was not told the ports of its agent for metrics waits 15 seconds for them, whatever the
# settings, and then crashes (https://github.com/ray-project/ray/issues/65983). Here no one needs metrics.
NO_METRICS = ("--metrics_agent_port=-1", "--metrics_export_port=-1", "--dashboard_agent_listen_port=-1")


@contextmanager
def nodes(count: int) -> Iterator["Cluster"]:
    """The cluster, which RAY_ADDRESS names meanwhile; the test is skipped where Ray is not installed."""
    ray = pytest.importorskip("ray", reason="ray is an optional extra and not installed")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
        make_patient(patch)
        cluster = Cluster()
        try:
            add(cluster, include_dashboard=False)
            for _ in range(count - 1):
                add(cluster)
            cluster.wait_for_nodes(PATIENCE)
            patch.setenv("RAY_ADDRESS", cluster.address)
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()


def make_patient(patch: pytest.MonkeyPatch) -> None:
    """Let nodes start on a busy machine, where Ray would give them up."""
    from ray._private import ray_constants, services

    start, find = services.start_ray_process, services.get_node

    def start_without_metrics(command: list[str], kind: str, *given: Any, **settings: Any) -> Any:
        more = NO_METRICS if kind == ray_constants.PROCESS_TYPE_RAYLET else ()
        return start([*command, *more], kind, *given, **settings)

    def find_patiently(*given: str) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with suppress(RuntimeError):  # the node has not said that it is there
                return find(*given)
            time.sleep(0.1)
        return find(*given)

    for name, limit in LIMITS.items():
        patch.setenv(name, str(limit))
    patch.setattr(ray_constants, "RAY_DASHBOARD_STARTUP_TIMEOUT_S", PATIENCE)
    patch.setattr(services, "start_ray_process", start_without_metrics)
    patch.setattr(services, "get_node", find_patiently)


def add(cluster: "Cluster", **settings: bool) -> "Node":
    """Start a node of one core; the first is the head.

    In the main thread alone: Ray sets a signal handler for each node.
    """
    with socket.socket() as free:
        free.bind(("", 0))
        port = free.getsockname()[1]
    # For the port of this agent, too, a node waits 15 seconds, unless it is told.
    return cluster.add_node(num_cpus=1, runtime_env_agent_port=port, **settings)
