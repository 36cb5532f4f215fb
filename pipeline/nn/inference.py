"""Running a model over many inputs: batches of similar length, order restored, evaluation mode."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.nn.kernels import in_16_bits_on_cpu, without_plans

Rows = NDArray[np.int64]  # numbers of inputs
Result = TypeVar("Result")

# Padding included. On a CPU padding costs more than small matrices do, and small ones stay in the cache.
TOKENS_PER_BATCH = {"cpu": 768, "cuda": 32_768}
HALF_TOKENS_PER_BATCH = 4096  # on a CPU in 16 bits, where matrices multiply fast and calls cost more


class HasMode(Protocol):
    """A module, or what acts as one: it is in training mode or in evaluation mode."""

    training: bool

    def train(self, mode: bool = True) -> object:
        """Set the mode."""
        ...


@contextmanager
def evaluation_mode(*modules: HasMode) -> Iterator[None]:
    """Within, the modules are in evaluation mode; afterwards each is in the mode that it was in before."""
    before = [module.training for module in modules]
    for module in modules:
        module.train(False)
    try:
        yield
    finally:
        for module, mode in zip(modules, before, strict=True):
            module.train(mode)


def best_device() -> torch.device:
    """The device to run a model on: the current GPU where there is one, else the CPU.

    Attention runs without cuDNN on it (``without_plans``).
    """
    if not torch.cuda.is_available():
        return torch.device("cpu")
    without_plans()
    return torch.device("cuda")


@contextmanager
def one_thread() -> Iterator[None]:
    """Within, torch computes in one thread on a CPU: how sums are rounded depends on the number."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def on_device(tensor: torch.Tensor, device: torch.device | str) -> torch.Tensor:
    """A tensor of main memory on a device; to a GPU it is copied while both sides go on.

    A plain copy would wait until the GPU has done all that was asked of it before. Torch keeps the pinned
    memory until the copy is over.
    """
    if torch.device(device).type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def token_budget(device: torch.device, many_parts: bool = False) -> int:
    """Tokens of a batch, padding included, that suit a device and the precision it computes in now.

    A network of ``many_parts`` has more and smaller products than an encoder, so calls cost it more. An
    encoder's training has small batches in every precision: there dropout takes the time, by the token.
    """
    if in_16_bits_on_cpu(device) and (many_parts or torch.is_inference_mode_enabled()):
        return HALF_TOKENS_PER_BATCH
    return TOKENS_PER_BATCH.get(device.type, TOKENS_PER_BATCH["cpu"])


def longest_first(lengths: Sequence[int]) -> Rows:
    """Row numbers by falling length; rows of equal length keep their order."""
    return np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")


def length_batches(lengths: Sequence[int], budget: int) -> Iterator[Rows]:
    """Row numbers in batches, longest first: at most ``budget`` tokens with padding, at least one row."""
    order = longest_first(lengths)
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def equal_length_batches(lengths: Sequence[int], budget: int) -> Iterator[Rows]:
    """Row numbers in batches of one length each, longest first: no padding, at most ``budget`` tokens.

    Padding, and a batch of one row, which is multiplied by other instructions, would change the last bits of
    a vector with the sentences beside it. A row that is left alone comes twice.
    """
    order = longest_first(lengths)
    of_length = np.asarray(lengths, dtype=np.int64)[order]
    for alike in np.split(order, np.flatnonzero(np.diff(of_length)) + 1) if len(order) else ():
        size = max(2, budget // max(1, lengths[alike[0]]))
        for start in range(0, len(alike), size):
            rows = alike[start : start + size]
            yield rows if len(rows) > 1 else rows.repeat(2)


def compute_by_length(
    compute: Callable[[Rows], Iterable[Result]], lengths: Sequence[int], budget: int
) -> list[Result]:
    """A result for each row, in the order of the rows; ``compute`` is given one batch of rows at a time."""
    found: dict[int, Result] = {}
    for rows in length_batches(lengths, budget):
        found |= zip(rows.tolist(), compute(rows), strict=True)
    return [found[row] for row in range(len(lengths))]


def in_given_order(parts: Sequence[torch.Tensor], batches: Sequence[Rows]) -> torch.Tensor:
    """Tensors [n_k, ...] of the batches as one tensor [n, ...] in the order of the rows.

    The gradient goes through. ``batches`` are those of ``length_batches``, at least one; of a row that comes
    again, as ``filled`` has it, the last result counts.
    """
    rows = np.concatenate(batches)
    place = np.empty(int(rows.max()) + 1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    return torch.cat(list(parts))[on_device(torch.from_numpy(place), parts[0].device)]
