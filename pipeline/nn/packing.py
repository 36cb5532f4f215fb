"""Linear layers on a CPU in float32, multiplied by weights in the layout that oneDNN multiplies fastest.

Torch lays weights out anew in every product, as if they had changed since the last one. For an encoder that
reads many sentences once is enough. GELU is then applied where its input is still in the cache
(benchmarks/encode.py).
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard

import torch
from torch import nn
from torch.nn import functional as F

# Laying out the weights costs as much as some 500 tokens save. With fewer than this it is not done.
WORTH_TOKENS = 2048
_SMALL = 2**14  # weights of a layer, whose product costs little in any layout
_ROWS = 768  # tokens of a batch for which oneDNN chooses the layout; others are multiplied by it, too
# Where a part of a layer is a linear layer and GELU, and nothing else: in BERT, RoBERTa, ELECTRA and MPNet.
_LINEAR, _ACTIVATION = "dense", "intermediate_act_fn"

Forward = Callable[[torch.Tensor], torch.Tensor]


@contextmanager
def quick_products(tokens: int, *modules: nn.Module) -> Iterator[None]:
    """Within, the linear layers of ``modules`` are quicker; what they compute is equal to rounding.

    For inference over ``tokens`` tokens. Nothing changes where they are few, where a gradient is asked for,
    in 16 bits, on another device, or where torch has no oneDNN. The weights must not change meanwhile.
    Several threads may run the same modules.
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
    """Whether torch has oneDNN's product with such weights, and that computes what it should."""
    if not torch.backends.mkldnn.is_available():
        return False
    # No random numbers: a training may be under way.
    weight, states = torch.linspace(-1, 1, 192).sin().view(8, 24), torch.linspace(-1, 1, 72).cos().view(3, 24)
    bias = torch.linspace(-1, 1, 8)
    try:
        found = _product(weight, bias, gelu=True)(states)
        return torch.allclose(found, F.gelu(F.linear(states, weight, bias)), rtol=0, atol=1e-5)
    except (AttributeError, RuntimeError, TypeError):  # an operator of torch's own, not of its interface
        return False


def _forwards(root: nn.Module) -> Iterator[tuple[nn.Module, Forward]]:
    """Modules of ``root`` and what each is to compute in place of its own ``forward``."""
    if any(module._compiled_call_impl is not None for module in root.modules()):
        return  # it would be compiled anew
    fused: set[nn.Module] = set()
    for module in root.modules():
        if set(module._modules) == {_LINEAR, _ACTIVATION}:
            linear, activation = module._modules[_LINEAR], module._modules[_ACTIVATION]
            plain = _is_gelu(activation) and _untouched(activation) and _untouched(module)
            if plain and isinstance(linear, nn.Linear) and _suits(linear):
                fused.add(linear)
                yield module, _product(linear.weight, linear.bias, gelu=True)
    for module in root.modules():
        if isinstance(module, nn.Linear) and module not in fused and _suits(module):
            yield module, _product(module.weight, module.bias, gelu=False)


def _suits(linear: nn.Linear) -> bool:
    weight = linear.weight
    return (
        type(linear) is nn.Linear
        and _untouched(linear)
        and weight.dtype == torch.float32
        and weight.device.type == "cpu"
        and weight.numel() >= _SMALL
    )


def _untouched(module: nn.Module) -> bool:
    """Whether a call of the module is its class's ``forward`` and nothing else."""
    hooks = (module._forward_hooks, module._forward_pre_hooks)
    return "forward" not in module.__dict__ and not any(hooks)


def _is_gelu(activation: nn.Module | None) -> TypeGuard[nn.Module]:
    """Whether it is GELU by the error function, transformers' or torch's."""
    if isinstance(activation, nn.GELU):
        return activation.approximate == "none"
    return type(activation).__name__ == "GELUActivation" and getattr(activation, "act", None) is F.gelu


def _product(weight: torch.Tensor, bias: torch.Tensor | None, gelu: bool) -> Forward:
    """The product of a linear layer, or GELU of it, by weights laid out once; without a gradient."""
    operators: Any = torch.ops.mkldnn
    packed = operators._reorder_linear_weight(weight.detach(), _ROWS)
    kind, algorithm = ("gelu", "none") if gelu else ("none", "")

    def forward(states: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = operators._linear_pointwise(states, packed, bias, kind, [], algorithm)
        return found

    return forward
