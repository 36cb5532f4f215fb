"""EBSIM (2024): a cross-encoder for semantic matching, pretrained on triplets from titled documents.

It reads two sentences at once and is to find a title (anchor) more like the sentence nearest to it (positive)
than like another (hard negative), by two aspects: the relation of the pair, and the alignment of its tokens.
What follows is ordinary fine-tuning of the encoder (``pipeline.matching``).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.nn import backbone as backbones
from pipeline.nn.aspects import AlignmentAspect, RelationAspect, align
from pipeline.nn.backbone import Backbone
from pipeline.nn.embedding import by_length, embed, token_budget
from pipeline.nn.encoder import Encoder
from pipeline.nn.pairs import PairTokeniser, PairTokens
from pipeline.params import Ebsim
from pipeline.sentences import HasTree
from pipeline.systems import base

Rows = NDArray[np.int64]  # places of pairs in a batch


class Alignment(NamedTuple):
    """How the tokens of one sentence are matched with those of another."""

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
        self.tokeniser: PairTokeniser = PairTokeniser(
            backbone.tokenizer, settings.encoder.max_tokens, params.max_tokens
        )
        self.semantic = Encoder(backbone.model, settings.encoder.pooling)
        width = self.semantic.width
        self.relation = RelationAspect(width) if params.relation else None
        self.alignment = AlignmentAspect(width) if params.alignment else None

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The aspects' new weights learn ``head_rate`` times as fast as the pretrained ones."""
        aspects = [aspect for aspect in (self.relation, self.alignment) if aspect is not None]
        new = [parameter for aspect in aspects for parameter in aspect.parameters()]
        return [
            {"params": list(self.semantic.parameters()), "rate": 1.0},
            {"params": new, "rate": self.params.head_rate},
        ]

    def represent(self, batch: base.Batch) -> base.Representations:
        """For each hard negative and aspect, how much more like the anchor its positive is, [M, aspects]."""
        owners = batch.owners
        a = [*batch.anchors, *(batch.anchors[owner] for owner in owners)]
        rows, scores = zip(*self._grouped(a, [*batch.positives, *batch.negatives]), strict=True)
        place = torch.from_numpy(np.argsort(np.concatenate(rows))).to(self.device)
        near, far = torch.cat(scores)[place].split([len(batch.anchors), len(owners)])
        return {"gap": near[torch.tensor(owners, dtype=torch.int64, device=self.device)] - far}

    def objective(self, representations: base.Representations) -> base.Losses:
        """Eq. 5 and 14: a triplet loss an aspect, summed; when not training, also the share in order."""
        gap = representations["gap"]
        if not len(gap):
            raise SynsemError(
                "ebsim: a batch has no hard negative; mine again, or leave out train.curriculum"
            )
        hinge = (self.params.margin - gap).clamp(min=0).mean(dim=0)
        losses = {"loss": hinge.sum()} | dict(zip(self._names(), hinge, strict=True))
        return losses if self.training else losses | {"ordered": (gap.sum(dim=1) > 0).float().mean()}

    def _names(self) -> list[str]:
        return [name for name in ("relation", "alignment") if getattr(self, name) is not None]

    def _pairs(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> PairTokens:
        return self.tokeniser.pairs([each.text for each in a], [each.text for each in b], self.device)

    def _states(self, tokens: PairTokens) -> torch.Tensor:
        states: torch.Tensor = self.semantic.model(**tokens.inputs()).last_hidden_state
        return states

    def _grouped(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> Iterator[tuple[Rows, torch.Tensor]]:
        """Pairs of like length together, for little padding: their rows, and similarity by each aspect."""
        if not len(a):
            return
        lengths = self.tokeniser.lengths([each.text for each in a], [each.text for each in b])
        for rows in by_length(lengths, token_budget(self.device)):
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
        training = self.training
        self.eval()
        found = np.zeros(len(a), dtype=np.float32)
        for rows, scores in self._grouped(a, b):
            found[rows] = scores.sum(dim=1).cpu().numpy()
        self.train(training)
        return found

    @torch.inference_mode()
    def aligned(self, a: HasTree, b: HasTree) -> Alignment:
        """Which tokens of ``b`` each token of ``a`` is matched with (eq. 10), for a picture of a pair.

        Dot products are divided by the root of the width, as those of attention are: the model's own leave
        nearly all weight on one token, the same that has the most here.
        """
        training = self.training
        self.eval()
        tokens = self._pairs([a], [b])
        scale = self.semantic.width**-0.5
        weights = align(self._states(tokens), tokens.first, tokens.second, scale).weights[0]
        self.train(training)
        first, second = tokens.first[0], tokens.second[0]
        names = self.tokeniser.tokenizer.convert_ids_to_tokens
        matrix = weights[first][:, second].cpu().numpy()
        return Alignment(names(tokens.ids[0, first].tolist()), names(tokens.ids[0, second].tolist()), matrix)

    def untouched(self) -> "System":
        """The same with the backbone's weights, to be compared with; SynsemError where it is out of reach."""
        return System(backbones.load(self.settings.encoder.model), self.settings).to(self.device).eval()

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        return embed({"semantic": self.semantic}, self.tokeniser, sentences)
