"""What torch's kernels cost: how attention is computed and dropout drawn, in which shapes batches come.

For short sentences torch's own forms of attention are slow ones. On a CPU it draws a random number for each
element of dropout. And where a library makes a kernel or a plan for each new shape, batches of
sentences, which have many, wait for it.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

_LEVELS = 2**16  # of the 16 bits that decide on an element of dropout
_TORCHS = F.scaled_dot_product_attention


def attention_of_training(device: torch.device) -> AbstractContextManager[None]:
    """For the forward pass of training: on a CPU attention is ``plain_attention``, else torch's choice.

    Where sentences are short, the backward pass of torch's fused kernel for CPUs takes far longer in bf16.
    Torch's own plain products take longer, too (benchmarks/step_forms.py).
    """
    return attention_by(plain_attention) if device.type == "cpu" else nullcontext()


@contextmanager
def attention_by(function: Callable[..., torch.Tensor]) -> Iterator[None]:
    """Within, ``F.scaled_dot_product_attention`` is another function."""
    functional: Any = F  # where transformers and torch's own layers look attention up
    before = functional.scaled_dot_product_attention
    functional.scaled_dot_product_attention = function
    try:
        yield
    finally:
        functional.scaled_dot_product_attention = before


def plain_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    **others: Any,
) -> torch.Tensor:
    """``F.scaled_dot_product_attention`` as matrix products, with ``quick_dropout``.

    ``query`` is [..., L, D], ``key`` and ``value`` [..., S, D]; ``attn_mask`` [..., L, S] is bool,
    true where a key takes part, or added to the logits. A query that may see nothing sees all keys alike.
    """
    if is_causal or any(others.values()):
        with sdpa_kernel(SDPBackend.MATH):
            return _TORCHS(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, **others)
    logits = (query * (query.shape[-1] ** -0.5 if scale is None else scale)) @ key.transpose(-2, -1)
    if attn_mask is not None and attn_mask.dtype is torch.bool:
        logits = logits.masked_fill(~attn_mask, torch.finfo(logits.dtype).min)
    elif attn_mask is not None:
        logits = logits + attn_mask
    return quick_dropout(logits.softmax(dim=-1), dropout_p) @ value


def without_plans() -> None:
    """Let attention of this process run without cuDNN from now on; torch has other kernels for a GPU.

    cuDNN makes a plan for every new shape of a batch, and batches of sentences have many. On an H100 small
    training steps of new shapes took several times as long as the same steps again (docs/gpu.md).
    """
    torch.backends.cuda.enable_cudnn_sdp(False)


def quick_dropout(states: torch.Tensor, p: float) -> torch.Tensor:
    """``F.dropout``, which on a CPU takes half of torch's time or less; ``p`` is a multiple of 2^-16.

    Torch draws a random number for each element, an eighth of a training step in 16 bits. Here one number of
    64 bits decides on four (benchmarks/step_forms.py). On other devices it is torch's.
    """
    dropped = round(p * _LEVELS)
    if states.device.type != "cpu" or not 0 < dropped < _LEVELS:
        return F.dropout(states, p)
    count = states.numel()
    draws = torch.empty(-(-count // 4), dtype=torch.int64).random_(-(2**63), None)
    kept = draws.view(torch.int16)[:count].view(states.shape) >= dropped - _LEVELS // 2
    return states * kept.to(states.dtype).mul_(_LEVELS / (_LEVELS - dropped))


class QuickDropout(nn.Dropout):
    """``nn.Dropout`` by ``quick_dropout``."""

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """In training some elements are zero and the others scaled up to keep the mean; shape as given."""
        return quick_dropout(states, self.p) if self.training else states


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
