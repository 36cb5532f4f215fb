"""Two encoders with layers in common: which, and how they are saved once."""

from typing import Any

import torch
from torch import nn

from pipeline.errors import SynsemError


def share_layers(source: nn.Module, target: nn.Module, count: int) -> None:
    """Let ``target`` use the embeddings and the first ``count`` layers of ``source``, a model like it.

    Raises SynsemError where the models have fewer layers.
    """
    lower, own = layers(source), layers(target)
    if count > len(lower):
        raise SynsemError(
            f"sscp.shared_layers: {count} is beyond the encoder's {len(lower)} layers; lower it"
        )
    target.embeddings = source.embeddings
    for number in range(count):
        own[number] = lower[number]


def layers(model: nn.Module) -> nn.ModuleList:
    """A transformer's layers, lowest first."""
    stacks = [part for part in model.modules() if isinstance(part, nn.ModuleList)]
    return max(stacks, key=len)


def save_once(module: nn.Module) -> None:
    """Make ``state_dict`` hold what is shared under one name only, and ``load_state_dict`` expect that."""
    aliases: dict[str, str] = {}
    known: dict[int, str] = {}
    for name, value in [
        *module.named_parameters(remove_duplicate=False),
        *module.named_buffers(remove_duplicate=False),
    ]:
        first = known.setdefault(id(value), name)
        if first != name:
            aliases[name] = first

    def drop(_: nn.Module, state: dict[str, torch.Tensor], prefix: str, __: Any) -> None:
        for name in aliases:
            state.pop(prefix + name, None)

    def restore(_: nn.Module, state: dict[str, torch.Tensor], prefix: str, *__: Any) -> None:
        for name, first in aliases.items():
            if prefix + first in state:
                state[prefix + name] = state[prefix + first]

    module.register_state_dict_post_hook(drop)
    module.register_load_state_dict_pre_hook(restore)
