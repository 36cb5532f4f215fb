"""EBSIM (2024): a cross-encoder for semantic matching, pretrained on triplets from titled documents.

It reads two sentences at once. A title (anchor) is to be more similar to the sentence nearest to it
(positive) than to another (hard negative), by the relation of the pair and by the alignment of its tokens.
The encoder is then fine-tuned as usual (``finetune``).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pipeline.core.errors import SynsemError
from pipeline.core.params import Ebsim
from pipeline.nn.backbone import Backbone, room
from pipeline.nn.compute import evaluation_mode, full_precision, in_given_order, on_device, token_budget
from pipeline.nn.encoder import Encoder
from pipeline.nn.length_batches import Rows, length_batches
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Sentence
from pipeline.systems import base
from pipeline.systems.ebsim import MASK

PAIR_TOKENS = 128  # of a pair at most, as published (4.1.2)
_MARGIN = 1.0  # as published (4.1.2)


class PairTokens(NamedTuple):
    """A padded batch on one device: B pairs of at most L tokens, special ones included."""

    inputs: dict[str, torch.Tensor]  # int64 [B, L] each: ids, mask and, if the backbone has them, segments
    first: torch.Tensor  # bool [B, L], True at the tokens of a, special ones excluded
    second: torch.Tensor  # bool [B, L], True at those of b


class PairTokenizer(SentenceTokenizer):
    """A fast Hugging Face tokenizer of texts and of pairs; in a pair that is too long the longer text is cut.

    ``pair_tokens`` is the limit of a pair, ``max_tokens`` that of a single text; both count special tokens.
    """

    def __init__(self, tokenizer: Any, max_tokens: int, pair_tokens: int) -> None:
        super().__init__(tokenizer, max_tokens)
        self.pair_tokens = pair_tokens

    def pairs(self, a: Sequence[str], b: Sequence[str], device: torch.device | str = "cpu") -> PairTokens:
        """Token ids of n pairs, padded on the right, n >= 1."""
        encoding = self._encoding(a, b, padding=True, padding_side="right", return_tensors="pt")
        side = torch.tensor(
            [[-1 if part is None else part for part in encoding.sequence_ids(row)] for row in range(len(a))]
        )
        self.tokens += int(encoding["attention_mask"].sum())
        self.padded_tokens += side.numel()
        inputs = {name: on_device(tensor, device) for name, tensor in encoding.items()}
        return PairTokens(inputs, on_device(side == 0, device), on_device(side == 1, device))

    def lengths(self, a: Sequence[str], b: Sequence[str]) -> list[int]:
        """Tokens of each pair, special ones included."""
        if not a:  # which the tokenizer refuses
            return []
        encoding = self._encoding(a, b, return_attention_mask=False)
        return [len(ids) for ids in encoding["input_ids"]]

    def _encoding(self, a: Sequence[str], b: Sequence[str], **options: Any) -> Any:
        first, second = ([self._masked(text) for text in side] for side in (a, b))
        return self.hf_tokenizer(
            first, second, truncation="longest_first", max_length=self.pair_tokens, **options
        )

    def _masked(self, text: str) -> str:
        own = self.hf_tokenizer.mask_token or self.hf_tokenizer.unk_token
        return text if own in (None, MASK) else text.replace(MASK, own)


class RelationAspect(nn.Module):
    """Eq. 7 and 8: minus a distance, which is the sigmoid of a linear map of the ``[CLS]`` state."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.distance = nn.Linear(width, 1)

    def forward(self, states: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """Similarity in (-1, 0) of B pairs, float32 [B], from states [B, L, D]."""
        with full_precision(states.device):
            return -torch.sigmoid(self.distance(states[:, 0].float()).squeeze(-1))


def align(
    states: torch.Tensor, first: torch.Tensor, second: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Eq. 10: each token of one sentence as a mixture of the other's, by dot-product attention.

    ``first`` and ``second``, bool [B, L], mark the states [B, L, D] of either sentence. Returns the mixtures,
    [B, L, D], and the weights of the other sentence's tokens (columns), float32 [B, L, L]; both are zeros for
    other tokens, and if the other sentence has none.
    """
    other = (first.unsqueeze(2) & second.unsqueeze(1)) | (second.unsqueeze(2) & first.unsqueeze(1))
    with full_precision(states.device):
        scores = states.float() @ states.float().transpose(1, 2)
    # One softmax does both directions: each row has only the other sentence's tokens.
    weights = scores.masked_fill(~other, torch.finfo(scores.dtype).min).softmax(dim=2)
    weights = weights * other.any(dim=2, keepdim=True)
    return weights.to(states.dtype) @ states, weights


class AlignmentAspect(nn.Module):
    """Eq. 10 to 13: tokens fused with their aligned mixtures, max-pooled, and compared."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.fusion = nn.Linear(4 * width, width)
        self.similarity = nn.Linear(2 * width, 1)

    def forward(self, states: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        """Similarity in (0, 1) of B pairs, float32 [B]; the arguments are those of ``align``."""
        other, _ = align(states, first, second)
        fused = self.fusion(torch.cat([states, other, states * other, states - other], dim=2))
        a, b = _max_pool(fused, first), _max_pool(fused, second)
        with full_precision(states.device):
            a, b = a.float(), b.float()
            return torch.sigmoid(self.similarity(torch.cat([a * b, a - b], dim=1)).squeeze(-1))


def _max_pool(fused: torch.Tensor, of_sentence: torch.Tensor) -> torch.Tensor:
    """The largest value over a sentence's tokens, [B, D]; zeros for a sentence without a token."""
    pooled = fused.masked_fill(~of_sentence.unsqueeze(-1), torch.finfo(fused.dtype).min).amax(dim=1)
    return pooled * of_sentence.any(dim=1).unsqueeze(-1)


_ASPECTS: dict[str, Any] = {"relation": RelationAspect, "alignment": AlignmentAspect}


class System(base.System):
    """View: ``semantic``, the pooled states of a sentence read alone. ``late_scores`` reads pairs."""

    name = "ebsim"
    tokenizer: PairTokenizer

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Ebsim)
        self.settings, self.params = settings, settings.system
        longest = min(PAIR_TOKENS, room(backbone.model) or PAIR_TOKENS)
        self.tokenizer = PairTokenizer(backbone.tokenizer, settings.encoder.max_tokens, longest)
        self.semantic = Encoder(backbone.model, settings.encoder.pooling)
        width = self.semantic.width
        self.aspects = nn.ModuleDict(
            {name: aspect(width) for name, aspect in _ASPECTS.items() if name in self.params.aspects}
        )

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The aspects' new weights have a learning rate of their own."""
        return [
            {"params": list(self.semantic.parameters()), "lr": self.params.learning_rate},
            {"params": list(self.aspects.parameters()), "lr": self.params.aspect_learning_rate},
        ]

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """``gap``, [M, aspects]: similarity of anchor and positive minus that of anchor and hard negative."""
        owners = batch.owners
        if not batch.anchors:  # a process may have no part of a small batch
            return {"gap": torch.zeros(0, len(self.aspects), device=self.device)}
        a = [*batch.anchors, *(batch.anchors[owner] for owner in owners)]
        rows, scores = zip(*self._grouped(a, [*batch.positives, *batch.negatives]), strict=True)
        near, far = in_given_order(scores, rows).split([len(batch.anchors), len(owners)])
        return {"gap": near[on_device(torch.tensor(owners, dtype=torch.int64), self.device)] - far}

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """Eq. 5, 9, 13 and 14: the sum of a triplet loss for each aspect, ``max(0, margin - gap)``.

        Both similarities are sigmoids, one of them negated (eq. 7, 8 and 12), so a gap lies in (-1, 1). With
        the paper's margin of 1 the hinge therefore never closes: the loss is ``1 - gap`` of every triplet,
        also of those in the right order. When not training, the share of these comes with it.
        """
        gap = embeddings["gap"]
        if not len(gap):
            raise SynsemError("ebsim: a batch has no hard negative; mine again")
        hinge = (_MARGIN - gap).clamp(min=0).mean(dim=0)
        losses = {"loss": hinge.sum()} | dict(zip(self.aspects, hinge, strict=True))
        return losses if self.training else losses | {"ordered": (gap.sum(dim=1) > 0).float().mean()}

    def _pairs(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> PairTokens:
        return self.tokenizer.pairs([each.text for each in a], [each.text for each in b], self.device)

    def _grouped(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> Iterator[tuple[Rows, torch.Tensor]]:
        """Rows of pairs of similar length, for little padding, and their similarity by each aspect."""
        lengths = self.tokenizer.lengths([each.text for each in a], [each.text for each in b])
        for rows in length_batches(lengths, token_budget(self.device)):
            tokens = self._pairs([a[row] for row in rows], [b[row] for row in rows])
            states = self.semantic.model(**tokens.inputs).last_hidden_state
            found = [aspect(states, tokens.first, tokens.second) for aspect in self.aspects.values()]
            yield rows, torch.stack(found, dim=1)

    @torch.inference_mode()
    def late_scores(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> NDArray[np.float32]:
        """Sum of the aspects' similarities of n pairs, read in the order given; see ``base.Embedder``."""
        found = np.zeros(len(a), dtype=np.float32)
        with evaluation_mode(self):
            for rows, scores in self._grouped(a, b):
                found[rows] = scores.sum(dim=1).cpu().numpy()
        return found
