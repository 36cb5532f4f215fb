"""GradCache (Gao et al. 2021): a contrastive batch beyond memory, one chunk of it at a time.

A contrastive loss needs every representation of the batch at once, but not every activation. So the chunks
are represented without a graph, the loss gives the gradient of the representations, and each chunk is then
represented again, with a graph, under the same dropout, to take its part of that gradient to the parameters.
Memory holds the activations of one chunk; the price is a second forward pass.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

import torch

Chunk = TypeVar("Chunk")
Representations = dict[str, torch.Tensor]
Losses = dict[str, torch.Tensor]


class RandomState:
    """The state of the random generators, the CPU's and the current GPU's, to be played again."""

    def __init__(self) -> None:
        self.cpu = torch.get_rng_state()
        self.cuda = torch.cuda.get_rng_state() if torch.cuda.is_available() else None

    @contextmanager
    def replayed(self) -> Iterator[None]:
        """Chance as it was when this was made; afterwards as it was before."""
        devices = [] if self.cuda is None else [torch.cuda.current_device()]
        with torch.random.fork_rng(devices):
            torch.set_rng_state(self.cpu)
            if self.cuda is not None:
                torch.cuda.set_rng_state(self.cuda)
            yield


def backward_in_chunks(
    chunks: Sequence[Chunk],
    represent: Callable[[Chunk], Representations],
    objective: Callable[[Representations], Losses],
    scale: Callable[[torch.Tensor], torch.Tensor],
    context: Callable[[], AbstractContextManager[object]],
) -> Losses:
    """Losses of a batch given as chunks, and their gradient, added to that of the parameters.

    Row for row, the chunks' representations [n, ...], put end to end under each key, must be the batch's.
    ``objective`` sees them all; ``scale`` of its ``loss`` is what is differentiated. ``context`` makes the
    autocast of a pass: a new one each time, for autocast keeps the weights that it cast without a gradient.
    """
    states: list[RandomState] = []
    parts: list[Representations] = []
    with torch.no_grad(), context():
        for chunk in chunks:
            states.append(RandomState())
            parts.append(represent(chunk))
    with torch.enable_grad(), context():
        leaves = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
        for leaf in leaves.values():
            leaf.requires_grad_(leaf.is_floating_point())
        losses = objective(leaves)
    scale(losses["loss"]).backward()

    starts = dict.fromkeys(leaves, 0)
    for chunk, state in zip(chunks, states, strict=True):
        with state.replayed(), context():
            again = represent(chunk)
        tensors, gradients = [], []
        for name, rows in again.items():
            start, starts[name] = starts[name], starts[name] + len(rows)
            gradient = leaves[name].grad
            if rows.requires_grad and gradient is not None:
                tensors.append(rows)
                gradients.append(gradient[start : starts[name]])
        if tensors:
            torch.autograd.backward(tensors, gradients)
    return losses
