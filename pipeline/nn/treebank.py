"""What a parser learns from trees: the labels there are, and gold trees as tensors."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch

from pipeline.nn.tokens import NO_HEAD
from pipeline.sentences import HasTree

UNKNOWN = -100  # the label of padding and of what training never saw: cross-entropy passes it over
ROOT = "root"


class Inventory(NamedTuple):
    """Relations and tags in sorted order; a label's number is its place."""

    relations: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()

    @classmethod
    def of(cls, sentences: Iterable[HasTree]) -> "Inventory":
        """The labels of some trees; a tagset that says the same of every word is no tagset."""
        relations: set[str] = set()
        upos: set[str] = set()
        xpos: set[str] = set()
        for sentence in sentences:
            relations.update(sentence.deprels)
            upos.update(sentence.upos)
            xpos.update(sentence.xpos)
        tagsets = (tuple(sorted(tags)) if len(tags) > 1 else () for tags in (upos, xpos))
        return cls(tuple(sorted(relations)), *tagsets)

    def to_tensor(self) -> torch.Tensor:
        """As bytes, uint8 [n]: so that the labels are saved with the weights they belong to."""
        return torch.tensor(list(json.dumps(self).encode()), dtype=torch.uint8)

    @classmethod
    def from_tensor(cls, tensor: torch.Tensor) -> "Inventory":
        """Back from ``to_tensor``; an empty tensor is the inventory of an untrained parser."""
        if not len(tensor):
            return cls()
        return cls(*(tuple(labels) for labels in json.loads(bytes(tensor.tolist()))))


class Gold(NamedTuple):
    """Gold trees over W words, int64 [B, W] each; padding has ``NO_HEAD`` and ``UNKNOWN``."""

    heads: torch.Tensor
    relations: torch.Tensor
    upos: torch.Tensor
    xpos: torch.Tensor

    @property
    def real(self) -> torch.Tensor:
        """Where there is a word, bool [B, W]."""
        return self.heads != NO_HEAD


def gold(
    sentences: Sequence[HasTree], inventory: Inventory, width: int, device: torch.device | str = "cpu"
) -> Gold:
    """Trees as tensors, padded to ``width`` words."""
    places = [{label: number for number, label in enumerate(labels)} for labels in inventory]
    columns = [
        torch.tensor(
            [
                [*(place.get(label, UNKNOWN) for label in labels), *[UNKNOWN] * (width - len(labels))]
                for labels in (getattr(sentence, field) for sentence in sentences)
            ],
            dtype=torch.int64,
        ).view(len(sentences), width)
        for place, field in zip(places, ("deprels", "upos", "xpos"), strict=True)
    ]
    heads = torch.tensor(
        [[*sentence.heads, *[NO_HEAD] * (width - len(sentence.heads))] for sentence in sentences],
        dtype=torch.int64,
    ).view(len(sentences), width)
    return Gold(*(tensor.to(device) for tensor in (heads, *columns)))
