"""What a parser learns from trees: its label vocabulary, and gold trees as tensors."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch

from pipeline.nn.tokenizer import NO_HEAD
from pipeline.syntax.sentence import HasTree

UNKNOWN = -100  # the label of padding and of what training never saw; cross-entropy ignores it
ROOT = "root"


class LabelVocabulary(NamedTuple):
    """Relations and tags in sorted order; a label's number is its index."""

    relations: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()

    @classmethod
    def of(cls, sentences: Iterable[HasTree]) -> "LabelVocabulary":
        """The labels of some trees; a tagset with one tag for all words is left out."""
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
        """As bytes, uint8 [n], so that labels and weights are saved together."""
        return torch.tensor(list(json.dumps(self).encode()), dtype=torch.uint8)

    @classmethod
    def from_tensor(cls, tensor: torch.Tensor) -> "LabelVocabulary":
        """The inverse of ``to_tensor``; an empty tensor gives the empty vocabulary of an untrained parser."""
        if not len(tensor):
            return cls()
        return cls(*(tuple(labels) for labels in json.loads(bytes(tensor.tolist()))))


class GoldTrees(NamedTuple):
    """Gold trees over W words, int64 [B, W] each; padding has ``NO_HEAD`` and ``UNKNOWN``."""

    heads: torch.Tensor
    relations: torch.Tensor
    upos: torch.Tensor
    xpos: torch.Tensor

    @property
    def real(self) -> torch.Tensor:
        """Where there is a word, bool [B, W]."""
        return self.heads != NO_HEAD


def gold_trees(
    sentences: Sequence[HasTree], labels: LabelVocabulary, width: int, device: torch.device | str = "cpu"
) -> GoldTrees:
    """Trees as tensors, padded to ``width`` words."""
    numbers = [{label: number for number, label in enumerate(names)} for names in labels]
    columns = [
        torch.tensor(
            [
                [*(number.get(label, UNKNOWN) for label in given), *[UNKNOWN] * (width - len(given))]
                for given in (getattr(sentence, field) for sentence in sentences)
            ],
            dtype=torch.int64,
        ).view(len(sentences), width)
        for number, field in zip(numbers, ("deprels", "upos", "xpos"), strict=True)
    ]
    heads = torch.tensor(
        [[*sentence.heads, *[NO_HEAD] * (width - len(sentence.heads))] for sentence in sentences],
        dtype=torch.int64,
    ).view(len(sentences), width)
    return GoldTrees(*(tensor.to(device) for tensor in (heads, *columns)))
