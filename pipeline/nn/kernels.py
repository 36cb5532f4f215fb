"""What torch's kernels cost: which compute attention, how dropout is drawn, in which shapes batches come.

For short sentences torch's own choice of attention is often a slow one. On a CPU it draws a random number for
each element of dropout. And where a library makes a kernel or a plan for each new shape, batches of
sentences, which have many, wait for it.
"""

from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

_LEVELS = 2**16  # of the 16 bits that decide on an element of dropout


def attention_of_training(device: torch.device) -> AbstractContextManager[None]:
    """For the forward pass of training: plain products on a CPU, else torch's choice.

    The backward pass of torch's fused kernel for CPUs takes far longer in bf16 where sentences are short
    (benchmarks/step_forms.py).
    """
    return sdpa_kernel(SDPBackend.MATH) if device.type == "cpu" else nullcontext()


def without_plans() -> None:
    """Let attention of this process run without cuDNN from now on; torch has other kernels for a GPU.

    cuDNN makes a plan for every new shape of a batch, and batches of sentences have many. On an H100 small
    training steps of new shapes took several times as long as the same steps again (docs/gpu.md).
    """
    torch.backends.cuda.enable_cudnn_sdp(False)


class QuickDropout(nn.Dropout):
    """``nn.Dropout`` that on a CPU takes about half of torch's time or less; ``p`` is a multiple of 2^-16.

    Torch draws a random number for each element, an eighth of a training step in 16 bits. Here one number of
    64 bits decides on four (benchmarks/step_forms.py). On other devices it is torch's.
    """

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """In training some elements are zero and the others scaled up to keep the mean; shape as given."""
        dropped = round(self.p * _LEVELS)
        if not self.training or states.device.type != "cpu" or not 0 < dropped < _LEVELS:
            return super().forward(states)
        count = states.numel()
        draws = torch.empty(-(-count // 4), dtype=torch.int64).random_(-(2**63), None)
        kept = draws.view(torch.int16)[:count].view(states.shape) >= dropped - _LEVELS // 2
        return states * kept.to(states.dtype).mul_(_LEVELS / (_LEVELS - dropped))


def quicken_dropout(model: nn.Module) -> None:
    """Make every ``nn.Dropout`` of a model a ``QuickDropout``, but those that work in place."""
    for parent in list(model.modules()):
        for name, module in parent.named_children():
            if type(module) is nn.Dropout and not module.inplace:
                setattr(parent, name, QuickDropout(module.p).train(module.training))


def in_16_bits_on_cpu(device: torch.device) -> bool:
    """Whether the current context multiplies matrices in 16 bits on a CPU."""
    return device.type == "cpu" and torch.is_autocast_enabled("cpu")


def shape_unit(device: torch.device) -> int:
    """What the tokens and words of a padded sentence should be a multiple of: 8 on a CPU in 16 bits, else 1.

    There oneDNN makes a kernel for each new shape of a matrix product, which takes longer than the product.
    So batches come in few shapes: see ``filled``, too.
    """
    return 8 if in_16_bits_on_cpu(device) else 1


def filled(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Row numbers, the last one repeated until their count has four significant bits: 36 of 33 rows.

    So batches have few sizes, at the cost of an eighth more rows at most.
    """
    size = rounded_up(len(rows), unit=1 << max(0, len(rows).bit_length() - 4))
    return np.concatenate([rows, rows[-1:].repeat(size - len(rows))])


def rounded_up(size: int, unit: int) -> int:
    """The least multiple of ``unit`` that is no less."""
    return -(-size // unit) * unit
