"""Switches of torch that a run may turn: compiled encoders, and algorithms that always give the same bits."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from pipeline.nn.encoder import Encoder
from pipeline.systems.base import System


def compile_encoders(system: System) -> None:
    """Compile the backbones in place, for any batch shape; the names of the weights stay as they are."""
    for module in system.modules():
        if isinstance(module, Encoder):
            module.model.compile(dynamic=True)


@contextmanager
def determinism(wanted: bool) -> Iterator[None]:
    """Within, the same input gives the same bits on a GPU too; an operation that cannot do so is an error."""
    before = torch.are_deterministic_algorithms_enabled()
    if wanted:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS is first used
        torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        if wanted:  # the call alone takes a second
            torch.use_deterministic_algorithms(before)
