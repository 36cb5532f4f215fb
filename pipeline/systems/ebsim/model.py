"""EBSIM (2024): a cross-encoder for semantic matching, pretrained on triplets from titled documents.

It reads two sentences at once. A title (anchor) shall be more similar to the sentence nearest to it
(positive) than to another (hard negative), by the relation of the pair and by the alignment of its tokens.
The encoder is then fine-tuned as usual (``finetune``).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.nn import backbone as backbones
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder, embed
from pipeline.nn.inference import (
    Rows,
    evaluation_mode,
    in_given_order,
    length_batches,
    on_device,
    token_budget,
)
from pipeline.nn.prepacked_linear import prepacked
from pipeline.params import Ebsim
from pipeline.syntax.sentence import HasTree
from pipeline.systems import base
from pipeline.systems.ebsim.aspects import AlignmentAspect, RelationAspect, align
from pipeline.systems.ebsim.pair_tokenizer import PairTokenizer, PairTokens


class TokenAlignment(NamedTuple):
    """The soft alignment of one sentence's tokens with another's."""

    first: list[str]
    second: list[str]
    weights: NDArray[np.float32]  # [first, second], rows sum to 1


class System(base.System):
    """View: ``semantic``, the pooled states of a sentence read alone. ``late_scores`` reads pairs."""

    name = "ebsim"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Ebsim)
        self.settings, self.params = settings, settings.system
        params = settings.system
        if not (params.relation or params.alignment):
            raise SynsemError(
                "ebsim: without relation and alignment nothing is learnt; that ablation is the backbone"
            )
        base.check_length(backbone, params.max_tokens, "ebsim.max_tokens")
        self.tokenizer: PairTokenizer = PairTokenizer(
            backbone.tokenizer, settings.encoder.max_tokens, params.max_tokens
        )
        self.semantic = Encoder(backbone.model, settings.encoder.pooling)
        width = self.semantic.width
        self.relation = RelationAspect(width) if params.relation else None
        self.alignment = AlignmentAspect(width) if params.alignment else None

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The aspects' new weights have a learning rate of their own."""
        aspects = [aspect for aspect in (self.relation, self.alignment) if aspect is not None]
        new = [parameter for aspect in aspects for parameter in aspect.parameters()]
        return [
            {"params": list(self.semantic.parameters()), "lr": self.params.learning_rate},
            {"params": new, "lr": self.params.aspect_learning_rate},
        ]

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """``gap``, [M, aspects]: similarity of anchor and positive minus that of anchor and hard negative."""
        owners = batch.owners
        if not batch.anchors:  # a process may have no part of a small batch
            return {"gap": torch.zeros(0, len(self._names()), device=self.device)}
        a = [*batch.anchors, *(batch.anchors[owner] for owner in owners)]
        rows, scores = zip(*self._grouped(a, [*batch.positives, *batch.negatives]), strict=True)
        near, far = in_given_order(scores, rows).split([len(batch.anchors), len(owners)])
        return {"gap": near[on_device(torch.tensor(owners, dtype=torch.int64), self.device)] - far}

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """Eq. 5, 9, 13 and 14: the sum of a triplet loss for each aspect, ``max(0, margin - gap)``.

        Both similarities are sigmoids, one of them negated (eq. 7, 8 and 12), so a gap lies in (-1, 1). With
        the paper's margin of 1 the hinge therefore never closes: the loss is ``1 - gap`` of every triplet,
        also of those in the right order. A smaller margin closes it.
        When not training, the share of triplets in the right order comes with it.
        """
        gap = embeddings["gap"]
        if not len(gap):
            raise SynsemError("ebsim: a batch has no hard negative; mine again")
        hinge = (self.params.margin - gap).clamp(min=0).mean(dim=0)
        losses = {"loss": hinge.sum()} | dict(zip(self._names(), hinge, strict=True))
        return losses if self.training else losses | {"ordered": (gap.sum(dim=1) > 0).float().mean()}

    def _names(self) -> list[str]:
        return [name for name in ("relation", "alignment") if getattr(self, name) is not None]

    def _pairs(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> PairTokens:
        return self.tokenizer.pairs([each.text for each in a], [each.text for each in b], self.device)

    def _states(self, tokens: PairTokens) -> torch.Tensor:
        states: torch.Tensor = self.semantic.model(**tokens.inputs()).last_hidden_state
        return states

    def _grouped(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> Iterator[tuple[Rows, torch.Tensor]]:
        """Rows of pairs of similar length, for little padding, and their similarity by each aspect."""
        if not len(a):
            return
        lengths = self.tokenizer.lengths([each.text for each in a], [each.text for each in b])
        with prepacked(sum(lengths), self):
            for rows in length_batches(lengths, token_budget(self.device)):
                yield rows, self._scores(self._pairs([a[row] for row in rows], [b[row] for row in rows]))

    def _scores(self, tokens: PairTokens) -> torch.Tensor:
        """Similarity by each aspect, float32 [B, aspects]."""
        states = self._states(tokens)
        found = []
        if self.relation is not None:
            found.append(self.relation(states))
        if self.alignment is not None:
            found.append(self.alignment(states, tokens.first, tokens.second))
        return torch.stack(found, dim=1)

    @torch.inference_mode()
    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> NDArray[np.float32]:
        """Sum of the aspects' similarities of n pairs, read in the order given; see ``base.PairScorer``."""
        found = np.zeros(len(a), dtype=np.float32)
        with evaluation_mode(self):
            for rows, scores in self._grouped(a, b):
                found[rows] = scores.sum(dim=1).cpu().numpy()
        return found

    @torch.inference_mode()
    def align_tokens(self, a: HasTree, b: HasTree) -> TokenAlignment:
        """The weights of ``b``'s tokens for each token of ``a`` (eq. 10), to be drawn (section 4.6).

        Dot products are divided by the root of the width, as in attention. Without it nearly all weight is on
        one token, the one that has most of it here, too.
        """
        tokens = self._pairs([a], [b])
        scale = self.semantic.width**-0.5
        with evaluation_mode(self):
            weights = align(self._states(tokens), tokens.first, tokens.second, scale).weights[0]
        first, second = tokens.first[0], tokens.second[0]
        names = self.tokenizer.hf_tokenizer.convert_ids_to_tokens
        matrix = weights[first][:, second].cpu().numpy()
        return TokenAlignment(
            names(tokens.ids[0, first].tolist()), names(tokens.ids[0, second].tolist()), matrix
        )

    def untouched(self) -> "System":
        """The same system with the backbone's weights; SynsemError where the backbone cannot be loaded."""
        return System(backbones.load(self.settings.encoder.model), self.settings).to(self.device).eval()

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        return embed({"semantic": self.semantic}, self.tokenizer, sentences)
