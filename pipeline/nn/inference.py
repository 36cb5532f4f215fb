"""Running a model over many inputs: batches of similar length, order restored, evaluation mode."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

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
    """Keep modules in evaluation mode within; afterwards each is in its former mode."""
    before = [module.training for module in modules]
    for module in modules:
        module.train(False)
    try:
        yield
    finally:
        for module, mode in zip(modules, before, strict=True):
            module.train(mode)


def best_device() -> torch.device:
    """Return the device to run a model on: the current GPU if there is one, otherwise the CPU."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    # cuDNN's attention makes a plan for every new shape of a batch, and batches of sentences have many: small
    # steps took several times as long on an H100. Torch has other kernels for a GPU.
    torch.backends.cuda.enable_cudnn_sdp(False)
    return torch.device("cuda")


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread on a CPU within: how sums are rounded depends on the number."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def on_device(tensor: torch.Tensor, device: torch.device | str) -> torch.Tensor:
    """Copy a tensor of main memory to a device; a GPU goes on meanwhile, unlike with a plain copy."""
    if torch.device(device).type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def token_budget(device: torch.device) -> int:
    """Return how many tokens of a batch, padding included, suit a device and the precision of now."""
    if device.type == "cpu" and torch.is_autocast_enabled("cpu") and torch.is_inference_mode_enabled():
        return HALF_TOKENS_PER_BATCH
    return TOKENS_PER_BATCH.get(device.type, TOKENS_PER_BATCH["cpu"])


def longest_first(lengths: Sequence[int]) -> Rows:
    """Return row numbers by falling length; rows of equal length keep their order."""
    return np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")


def length_batches(lengths: Sequence[int], budget: int) -> Iterator[Rows]:
    """Yield row numbers in batches, longest first: at most ``budget`` padded tokens, at least one row."""
    order = longest_first(lengths)
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def equal_length_batches(lengths: Sequence[int], budget: int) -> Iterator[Rows]:
    """Yield row numbers in batches of one length each, longest first: no padding, at most ``budget`` tokens.

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
    """Return a result for each row, in order; ``compute`` is given one batch of rows at a time."""
    found: dict[int, Result] = {}
    for rows in length_batches(lengths, budget):
        found |= zip(rows.tolist(), compute(rows), strict=True)
    return [found[row] for row in range(len(lengths))]


def in_given_order(parts: Sequence[torch.Tensor], batches: Sequence[Rows]) -> torch.Tensor:
    """Return tensors [n_k, ...] of the batches as one tensor [n, ...] in the order of the rows.

    The gradient goes through. ``batches`` are those of ``length_batches``, at least one.
    """
    place = np.argsort(np.concatenate(batches))
    return torch.cat(list(parts))[on_device(torch.from_numpy(place), parts[0].device)]
