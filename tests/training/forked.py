"""Processes that train, without the wait for imports: forked from one that has imported and has no thread."""

import os
import socket
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from pipeline.core import scratch
from tests.forkserver import context


def pair(work: Callable[..., object], *arguments: Any, scratch: Path, log: Path) -> list[BaseProcess]:
    """Begin ``work(*arguments)`` in two processes that train together, with the variables of torchrun.

    Their stderr goes to the end of ``log``.
    """
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    together = {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    processes = []
    for rank in ("0", "1"):
        variables = together | {"RANK": rank, "LOCAL_RANK": rank, "OMP_NUM_THREADS": "1"}
        given = (work, arguments, variables, scratch, log)
        processes.append(context().Process(target=_work, args=given))
        processes[-1].start()
    return processes


def _work(
    work: Callable[..., object], arguments: tuple[Any, ...], variables: dict[str, str], home: Path, log: Path
) -> None:
    import torch

    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    os.environ |= variables
    torch.set_num_threads(1)
    scratch.ROOT = home
    work(*arguments)
