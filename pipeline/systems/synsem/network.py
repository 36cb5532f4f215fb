"""SynSem's network: a backbone and the heads that read on from one of its layers, as a folder holds them.

An exported model carries a copy of this file and of ``heads.py``, so they import nothing of SynSem.
"""

import json
from numbers import Real
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional as F

# Both files lie side by side, here and in an exported folder.
from .heads import Heads, Sizes, structural_weights

CONFIG, WEIGHTS = "synsem.json", "heads.safetensors"
# Beyond it nothing of the semantic part is left in float32, and soon nothing of a vector.
_LARGEST = 1_000_000
VIEWS = ("joint", "semantic", "structural")


class Network(nn.Module):
    """Token ids to vectors of a view, one of ``VIEWS``: backbone and heads."""

    def __init__(
        self, backbone: Any, heads: Heads, pooling: str, weight: float, growth: float, view: str = "joint"
    ) -> None:
        super().__init__()
        self.backbone, self.heads, self.pooling = backbone, heads, pooling
        self.weight, self.growth, self.view = weight, growth, view

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        word_ids: torch.Tensor,
        view: str | None = None,
    ) -> torch.Tensor:
        """Vectors of ``view``, by default the network's own, float32 [B, D + dimensions] for ``joint``.

        They have length 1; a ``structural`` vector is zero for a text without a pair of words. Tensors given
        are int64 [B, L]; ``word_ids`` is the 0-based word of each token, -1 for none.
        """
        view = view or self.view
        found = self.backbone(
            input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=view != "semantic"
        )
        states = found.last_hidden_state.float()
        mask = attention_mask[..., None].float()
        semantic = F.normalize(self._pooled(states, mask), dim=1)
        if view == "semantic":
            return semantic
        embedded = self.backbone.get_input_embeddings()(input_ids).float()
        # As many words as there are; in a graph, whose shapes follow from its inputs', as many as tokens.
        exporting = torch.compiler.is_exporting()
        size = input_ids.shape[1] if exporting else max(1, int(word_ids.max()) + 1)
        # Which token belongs to which word, float32 [B, W, L].
        place = torch.arange(size, device=input_ids.device)
        share = (word_ids[:, None, :] == place[:, None]).float()
        counts = share.sum(dim=2)
        share = share / counts[..., None].clamp(min=1)
        words = share @ found.hidden_states[self.heads.sizes.reads].float()
        pointed, structural = self.heads(words, self.heads.features(share @ embedded), counts > 0)
        if view == "structural":
            return structural
        weights = structural_weights(pointed, self.weight, self.growth)
        return F.normalize(torch.cat([semantic, weights[:, None] * structural], dim=1), dim=1)

    def __getstate__(self) -> dict[str, Any]:
        """The backbone as configuration and weights: what collects its states belongs to one process."""
        modules = {name: module for name, module in self._modules.items() if name != "backbone"}
        return self.__dict__ | {"_modules": modules, "backbone": packed(self.backbone)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the backbone anew, as in a worker of ``encode`` with several processes."""
        modules = {"backbone": unpacked(state["backbone"])} | state["_modules"]
        others = {name: value for name, value in state.items() if name != "backbone"}
        super().__setstate__(others | {"_modules": modules})

    def _pooled(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self.pooling == "cls":
            return states[:, 0]
        if self.pooling == "max":
            return states.masked_fill(mask == 0, torch.finfo(states.dtype).min).amax(dim=1)
        return (states * mask).sum(dim=1) / mask.sum(dim=1)


def demand_weight(weight: Any) -> float:
    """A weight of the structural vector in the joint one; ValueError for what is none."""
    number = isinstance(weight, Real) and not isinstance(weight, bool)
    if not number or not 0 <= weight <= _LARGEST:
        raise ValueError(
            f"weight: {weight!r} is no weight; give a number from 0 to {_LARGEST:,}, such as 0.55"
        )
    return float(weight)


def packed(backbone: Any) -> tuple[Any, ...]:
    """What ``unpacked`` makes the same backbone of, in another process too."""
    weights = {name: value.detach() for name, value in backbone.state_dict().items()}
    trained = {name for name, value in backbone.named_parameters() if value.requires_grad}
    kept = (type(backbone), backbone.config, backbone.dtype, backbone.device, backbone.training)
    return (*kept, weights, trained)


def unpacked(pack: tuple[Any, ...]) -> Any:
    """The backbone that ``packed`` was given, made anew."""
    kind, config, dtype, device, training, weights, trained = pack
    pooler = {"add_pooling_layer": any(name.startswith("pooler.") for name in weights)}
    try:
        backbone = kind(config, **pooler)
    except TypeError:  # a family that knows no pooler
        backbone = kind(config)
    backbone.to(device=device, dtype=dtype).train(training).load_state_dict(weights)
    for name, parameter in backbone.named_parameters():
        parameter.requires_grad_(name in trained)
    return backbone


def save(network: Network, tokenizer: Any, config: dict[str, Any], folder: Path) -> None:
    """Write what ``restore`` reads."""
    network.backbone.save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    weights = {name: value.contiguous() for name, value in network.heads.state_dict().items()}
    save_file(weights, str(folder / WEIGHTS))
    (folder / CONFIG).write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def restore(folder: Path) -> tuple[Network, Any, dict[str, Any]]:
    """Network, tokenizer and settings from a folder, in evaluation mode."""
    from transformers import AutoModel, AutoTokenizer

    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    try:
        backbone = AutoModel.from_pretrained(str(folder), trust_remote_code=False, add_pooling_layer=False)
    except TypeError:  # a family that has no pooler to leave out
        backbone = AutoModel.from_pretrained(str(folder), trust_remote_code=False)
    heads = Heads(Sizes(*(config[name] for name in Sizes._fields)))
    heads.load_state_dict(load_file(str(folder / WEIGHTS)))
    settings = (config[name] for name in ("pooling", "weight", "growth", "view"))
    network = Network(backbone.float(), heads, *settings)
    tokenizer = AutoTokenizer.from_pretrained(str(folder), trust_remote_code=False)
    return network.eval(), tokenizer, config
