"""The reader's first weights: those of the backbone's next layers, where these are of the usual form."""

import torch
from transformers import PreTrainedModel

from pipeline.nn.layers import layers_of
from pipeline.systems.synsem.network import Reader

# Parts of a layer of torch and where BERT and its kin (RoBERTa, XLM-R, ELECTRA) have them.
_PARTS = {
    "self_attn.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm2": "output.LayerNorm",
}
_ATTENTION = tuple(f"attention.self.{name}" for name in ("query", "key", "value"))
_KINDS = ("weight", "bias")
_NAMES = {f"{part}.{kind}" for part in (*_PARTS.values(), *_ATTENTION) for kind in _KINDS}


@torch.no_grad()
def start_from(reader: Reader, model: PreTrainedModel, after: int) -> int:
    """Copy the layers that follow the first ``after`` of a backbone; how many were copied.

    Where the backbone has no more layers, or layers of another form, the reader's keep their random weights
    and take more steps to learn.
    """
    copied = 0
    for own, its in zip(reader.body.layers, list(layers_of(model) or ())[after:], strict=False):
        found = its.state_dict()
        if found.keys() != _NAMES:
            break
        new = {f"{to}.{kind}": found[f"{part}.{kind}"] for to, part in _PARTS.items() for kind in _KINDS}
        for kind in _KINDS:
            new[f"self_attn.in_proj_{kind}"] = torch.cat([found[f"{name}.{kind}"] for name in _ATTENTION])
        own.load_state_dict(new)
        copied += 1
    return copied
