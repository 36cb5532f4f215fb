"""GradCache (Gao et al. 2021): a contrastive batch larger than memory, one chunk at a time.

A contrastive loss needs all embeddings of the batch at once, but not all activations. Chunks are first
encoded without a graph, and the loss gives the gradient of the embeddings. Then each chunk is encoded again,
with a graph and the same dropout, and its part of that gradient goes back to the parameters. Memory holds the
activations of one chunk; the price is a second forward pass.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

import torch

Chunk = TypeVar("Chunk")
Tensors = dict[str, torch.Tensor]


class RandomState:
    """A snapshot of the random generators of CPU and current GPU, to draw the same numbers again."""

    def __init__(self) -> None:
        self.cpu = torch.get_rng_state()
        self.cuda = torch.cuda.get_rng_state() if torch.cuda.is_available() else None

    @contextmanager
    def replayed(self) -> Iterator[None]:
        """Within, the generators start from the snapshot; afterwards they are as they were before."""
        devices = [] if self.cuda is None else [torch.cuda.current_device()]
        with torch.random.fork_rng(devices):
            torch.set_rng_state(self.cpu)
            if self.cuda is not None:
                torch.cuda.set_rng_state(self.cuda)
            yield


def backward_in_chunks(
    chunks: Sequence[Chunk],
    encode: Callable[[Chunk], Tensors],
    loss_from_embeddings: Callable[[Tensors], Tensors],
    scale: Callable[[torch.Tensor], torch.Tensor],
    context: Callable[[], AbstractContextManager[object]],
) -> Tensors:
    """Losses of a batch given as chunks; adds the gradient of ``scale`` of their ``loss`` to the parameters'.

    ``encode`` gives a chunk's embeddings [n, ...] by name; concatenated they must be those of the batch.
    ``context`` makes the autocast of an encoding pass; the loss is computed outside it. It is called for each
    pass, because autocast keeps the weights that it cast, and those of the first pass have no gradient.
    """
    states: list[RandomState] = []
    parts: list[Tensors] = []
    with torch.no_grad(), context():
        for chunk in chunks:
            states.append(RandomState())
            parts.append(encode(chunk))
    with torch.enable_grad():
        leaves = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
        for leaf in leaves.values():
            leaf.requires_grad_(leaf.is_floating_point())
        losses = loss_from_embeddings(leaves)
    scale(losses["loss"]).backward()

    starts = dict.fromkeys(leaves, 0)
    for chunk, state in zip(chunks, states, strict=True):
        with state.replayed(), context():
            again = encode(chunk)
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
