"""The reader's first weights: those of the backbone's next layers, where these are of the usual form."""

import sys
from typing import Any

import torch
from transformers import PreTrainedModel

from pipeline.nn.backbone import layers_of
from pipeline.systems.synsem.heads import Reader

# Parts of a layer of torch, query, key and value apart; below, where a family's layers have them.
_PARTS = ("q", "k", "v", "self_attn.out_proj", "norm1", "linear1", "linear2", "norm2")
_KINDS = ("weight", "bias")
_BERT = ("intermediate.dense", "output.dense", "output.LayerNorm")
_FORMS = (
    # BERT, RoBERTa, XLM-R, ELECTRA
    (*(f"attention.{name}" for name in ("self.query", "self.key", "self.value", "output.dense")),
     "attention.output.LayerNorm", *_BERT),
    (*(f"attention.attn.{name}" for name in "qkvo"), "attention.LayerNorm", *_BERT),  # MPNet
    # DistilBERT
    (*(f"attention.{name}_lin" for name in ("q", "k", "v", "out")),
     "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"),
)  # fmt: skip


@torch.no_grad()
def start_from(reader: Reader, model: PreTrainedModel, after: int) -> int:
    """Copy the layers that follow the first ``after`` of a backbone; how many were copied.

    Where the backbone has no more layers, or layers of another form, the reader's keep their random weights
    and take more steps to learn, which is told on stderr.
    """
    copied, wanted = 0, len(reader.body.layers)
    for own, its in zip(reader.body.layers, list(layers_of(model) or ())[after:], strict=False):
        new = _as_torch_has_it(its.state_dict())
        if new is None:
            break
        own.load_state_dict(new)
        copied += 1
    if copied < wanted:
        which = f"{wanted - copied} of the reader's {wanted} layers"
        print(f"{model.config.model_type}: {which} start at random and need more steps", file=sys.stderr)
    return copied


def is_usual(model: PreTrainedModel) -> bool:
    """Whether a backbone's layers are those of BERT, RoBERTa, ELECTRA, MPNet or DistilBERT."""
    layers = layers_of(model)
    return layers is not None and _as_torch_has_it(layers[0].state_dict()) is not None


def inner_size(config: Any) -> int:
    """The width of the feed-forward parts of a backbone's layers; DistilBERT has another name for it."""
    size = getattr(config, "intermediate_size", None) or getattr(config, "hidden_dim", None)
    return int(size or 4 * config.hidden_size)


def _as_torch_has_it(layer: dict[str, torch.Tensor]) -> dict[str, torch.Tensor] | None:
    """The weights of a layer by torch's names; None for a layer of another form."""
    for form in _FORMS:
        if layer.keys() != {f"{place}.{kind}" for place in form for kind in _KINDS}:
            continue
        found = {}
        for kind in _KINDS:
            new = {part: layer[f"{place}.{kind}"] for part, place in zip(_PARTS, form, strict=True)}
            found[f"self_attn.in_proj_{kind}"] = torch.cat([new.pop(part) for part in "qkv"])
            found |= {f"{part}.{kind}": value for part, value in new.items()}
        return found
    return None
