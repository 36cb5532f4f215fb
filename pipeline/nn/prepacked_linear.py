"""Weight prepacking: linear layers on a CPU, float32, with weights in the layout that oneDNN prefers.

Torch packs a layer's weights again in every product. For an encoder that reads many sentences once is enough;
GELU is applied in the same pass. Encoding takes two thirds of the time or less (benchmarks/encode.py).
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard

import torch
from torch import nn
from torch.nn import functional as F

# Packing the weights costs as much time as some 500 tokens save, so it is done from this number on.
WORTH_TOKENS = 2048
_SMALL = 2**14  # weights of a layer, whose product costs little in any layout
_ROWS = 768  # tokens of a batch, for which oneDNN chooses the layout; it serves batches of any size
# The parts of a linear layer with GELU and nothing else: in BERT, RoBERTa, ELECTRA and MPNet.
_LINEAR, _ACTIVATION = "dense", "intermediate_act_fn"

Forward = Callable[[torch.Tensor], torch.Tensor]


@contextmanager
def prepacked(tokens: int, *modules: nn.Module) -> Iterator[None]:
    """Let linear layers of ``modules`` use prepacked weights within; results are equal up to rounding.

    For inference over ``tokens`` tokens. Nothing changes if they are few, if gradients are on, in 16 bits, on
    another device, or if torch has no oneDNN. The weights must not change meanwhile. Several threads may run
    the same modules.
    """
    in_use = not torch.is_grad_enabled() and not torch.is_autocast_enabled("cpu")
    given: list[tuple[nn.Module, Forward]] = []
    if tokens >= WORTH_TOKENS and in_use and available():
        given = [each for module in modules for each in _forwards(module)]
    for module, forward in given:
        module.forward = forward
    try:
        yield
    finally:
        for module, forward in given:
            # Another thread may have put its own in the place, and takes it out again.
            if module.__dict__.get("forward") is forward:
                module.__dict__.pop("forward", None)


@functools.cache
def available() -> bool:
    """Whether torch has oneDNN's product with prepacked weights, and it computes what it should."""
    if not torch.backends.mkldnn.is_available():
        return False
    weight, states = _waves(8, 24), _waves(3, 24)
    try:
        found = _product(weight, weight[:, 0], gelu=True)(states)
        return torch.allclose(found, F.gelu(F.linear(states, weight, weight[:, 0])), rtol=0, atol=1e-5)
    except (AttributeError, RuntimeError, TypeError):  # an operator of torch's own, not of its interface
        return False


@functools.cache
def batch_invariant() -> bool:
    """Whether a row of a product has the same bits in any batch of two rows or more; found by trying."""
    if not available():
        return False
    for width, inner in ((384, 1536), (1536, 384), (384, 384)):
        product, states = _product(_waves(width, inner), None, gelu=False), _waves(_ROWS, inner)
        whole = product(states)
        for rows in (slice(2), slice(3, 10), slice(5, 36), slice(1, 130), slice(_ROWS // 2)):
            if not torch.equal(product(states[rows]), whole[rows]):
                return False
    return True


def _waves(rows: int, columns: int) -> torch.Tensor:
    """Numbers that vary; not random ones, for a training may be under way."""
    return torch.linspace(-1e4, 1e4, rows * columns).sin().view(rows, columns)


def _forwards(root: nn.Module) -> Iterator[tuple[nn.Module, Forward]]:
    """Modules of ``root`` and what each is to compute in place of its own ``forward``."""
    if any(module._compiled_call_impl is not None for module in root.modules()):
        return  # it would be compiled anew
    fused: set[nn.Module] = set()
    for module in root.modules():
        if set(module._modules) == {_LINEAR, _ACTIVATION} and _untouched(module):
            linear, activation = module._modules[_LINEAR], module._modules[_ACTIVATION]
            if _suits(linear) and _is_gelu(activation) and _untouched(activation):
                fused.add(linear)
                yield module, _product(linear.weight, linear.bias, gelu=True)
    for module in root.modules():
        if module not in fused and _suits(module):
            yield module, _product(module.weight, module.bias, gelu=False)


def _suits(module: nn.Module | None) -> TypeGuard[nn.Linear]:
    """Whether it is a linear layer, of a type, device and size that prepacked weights serve."""
    return (
        isinstance(module, nn.Linear)
        and type(module) is nn.Linear  # a subclass may compute something else
        and _untouched(module)
        and module.weight.dtype == torch.float32
        and module.weight.device.type == "cpu"
        and module.weight.numel() >= _SMALL
    )


def _untouched(module: nn.Module) -> bool:
    """Whether a call of the module is its class's ``forward`` and nothing else."""
    return "forward" not in module.__dict__ and not (module._forward_hooks or module._forward_pre_hooks)


def _is_gelu(activation: nn.Module | None) -> TypeGuard[nn.Module]:
    """Whether it is GELU by the error function, transformers' or torch's."""
    if isinstance(activation, nn.GELU):
        return activation.approximate == "none"
    return type(activation).__name__ == "GELUActivation" and getattr(activation, "act", None) is F.gelu


def _product(weight: torch.Tensor, bias: torch.Tensor | None, gelu: bool) -> Forward:
    """What a linear layer computes, or GELU of it, with prepacked weights; without a gradient."""
    operators: Any = torch.ops.mkldnn
    packed = operators._reorder_linear_weight(weight.detach(), _ROWS)
    kind, algorithm = ("gelu", "none") if gelu else ("none", "")

    def forward(states: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = operators._linear_pointwise(states, packed, bias, kind, [], algorithm)
        return found

    return forward
