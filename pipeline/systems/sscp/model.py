"""SSCP (Adavala & Adavala 2026): one encoder reads the words, one the tree, and a loss aligns them."""

import copy
from collections.abc import Sequence
from typing import Any

from pipeline.core.params import Sscp
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder, embed, vectors
from pipeline.nn.losses import info_nce
from pipeline.nn.structure import CONTROLS, concatenated
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer
from pipeline.syntax.sentence import Sentence
from pipeline.systems import base

MAX_DISTANCE = 8  # longer paths share one bucket of the bias table


class System(base.System):
    """Views: ``semantic``, ``syntactic``, and ``joint``: both, concatenated and normalised."""

    name = "sscp"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Sscp)
        self.settings, self.params = settings, settings.system
        pooling, params = settings.encoder.pooling, settings.system
        control = next((control for control in CONTROLS if control == params.bias), None)
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, settings.encoder.max_tokens, control)
        self.syntactic = Encoder(
            copy.deepcopy(backbone.model),
            pooling,
            params.position,
            None if params.bias == "none" else MAX_DISTANCE,
            linear=params.bias == "linear",
        )
        self.semantic = Encoder(backbone.model, pooling)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The bias learns faster than the encoders, without weight decay."""
        bias = [] if self.syntactic.bias is None else list(self.syntactic.bias.parameters())
        others = [each for each in self.parameters() if each not in set(bias)]
        groups = [
            {"params": others, "lr": self.params.learning_rate},
            {"params": bias, "lr": self.params.bias_learning_rate, "weight_decay": 0.0},
        ]
        return groups if bias else groups[:1]

    def read(self, batch: base.Batch, step: int | None) -> dict[str, list[EncodedSentence]]:
        """See ``base.System``: the words of the anchors; of the other sides the trees, if they are needed."""
        negatives = batch.negatives if self.params.hard_negatives else ()
        trees = self.syntactic.needs_trees
        return {
            "anchor": self.tokenizer.encode(batch.anchors, trees=False),
            "positive": self.tokenizer.encode(batch.positives, trees),
            "negative": self.tokenizer.encode(negatives, trees),
        }

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """Vectors of each side: anchors by the semantic encoder, the others by the syntactic one."""
        sides = self.reading(batch)
        anchors = vectors(self.semantic, self.tokenizer, sides["anchor"])
        others = vectors(self.syntactic, self.tokenizer, sides["positive"] + sides["negative"])
        positives, negatives = others.split([len(sides["positive"]), len(sides["negative"])])
        return {"anchor": anchors, "positive": positives, "negative": negatives}

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """InfoNCE of an anchor against positives and negatives of the other view (eq. 4 and 5)."""
        a, b, negatives = (embeddings[side] for side in ("anchor", "positive", "negative"))
        return {"loss": info_nce(a, b, self.settings.train.tau, negatives, self.params.symmetric)}

    def embed(self, sentences: Sequence[Sentence]) -> base.Views:
        """See ``base.Embedder``."""
        views = embed({"semantic": self.semantic, "syntactic": self.syntactic}, self.tokenizer, sentences)
        return views | {"joint": concatenated(*views.values())}
