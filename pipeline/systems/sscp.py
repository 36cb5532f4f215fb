"""SSCP (Adavala & Adavala 2026): one encoder reads the words, one the tree, and the two are aligned."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from pipeline.nn.backbone import Backbone
from pipeline.nn.embedding import embed, vectors
from pipeline.nn.encoder import Encoder
from pipeline.nn.guard import similarity_guard
from pipeline.nn.infonce import info_nce
from pipeline.nn.tokens import Tokeniser
from pipeline.params import Sscp
from pipeline.sentences import HasTree
from pipeline.systems import base


class System(base.System):
    """Views: ``semantic``, ``syntactic``, and ``joint``, both halves concatenated and normalised."""

    name = "sscp"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Sscp)
        self.settings, self.params, self.tau = settings, settings.system, settings.train.tau
        pooling, params = settings.encoder.pooling, settings.system
        self.tokeniser = Tokeniser(
            backbone.tokenizer, settings.encoder.max_tokens, shuffled=params.bias == "shuffled"
        )
        self.syntactic = Encoder(
            copy.deepcopy(backbone.model),
            pooling,
            params.position,
            None if params.bias == "none" else params.max_distance,
            linear=params.bias == "linear",
        )
        self.semantic = Encoder(backbone.model, pooling)
        self._teacher: list[Encoder] = []  # in a list, so that it is neither trained nor saved

    def begin_training(self) -> None:
        """Freeze a copy of the semantic encoder for the guard."""
        if self.params.guard:
            self._teacher = [copy.deepcopy(self.semantic).eval().requires_grad_(False)]

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The new, zero-initialised tables learn faster than the pretrained weights."""
        tables = {"bias.table": self.params.table_rate, "position.depth.weight": self.params.position_rate}
        new = {name: p for name, p in self.syntactic.named_parameters() if name in tables}
        old = [p for p in self.parameters() if not any(p is table for table in new.values())]
        return [
            {"params": old, "rate": 1.0},
            *({"params": [table], "rate": tables[name], "weight_decay": 0.0} for name, table in new.items()),
        ]

    def loss(self, batch: base.Batch) -> dict[str, torch.Tensor]:
        """Anchors go through the semantic encoder, positives and negatives through the syntactic one.

        ``contrast`` is eq. 4 and 5; ``guard`` acts on both views if ``begin_training`` set one up;
        ``in_view`` contrasts an anchor with its positive within each view.
        """
        params = self.params
        negatives = batch.negatives if params.hard_negatives else ()
        sizes = [len(batch.positives), len(negatives)]
        trees = self.syntactic.needs_trees
        anchors = self.tokeniser.encode(batch.anchors, trees and params.in_view > 0)
        variants = self.tokeniser.encode([*batch.positives, *negatives], trees)
        semantic = vectors(self.semantic, self.tokeniser, anchors)
        positive, negative = vectors(self.syntactic, self.tokeniser, variants).split(sizes)
        losses = {"contrast": info_nce(semantic, positive, self.tau, negative, params.symmetric)}
        loss = losses["contrast"]
        if self._teacher:
            with torch.no_grad():
                known = vectors(self._teacher[0], self.tokeniser, anchors)
            guards = [similarity_guard(view, known, self.tau) for view in (semantic, positive)]
            losses["guard"] = sum(guards) / 2
            loss = loss + params.guard * losses["guard"]
        if params.in_view:
            same, different = vectors(self.semantic, self.tokeniser, variants).split(sizes)
            syntactic = vectors(self.syntactic, self.tokeniser, anchors)
            within = info_nce(semantic, same, self.tau, different, params.symmetric)
            within = within + info_nce(syntactic, positive, self.tau, negative, params.symmetric)
            losses["in_view"] = within / 2
            loss = loss + params.in_view * losses["in_view"]
        return {"loss": loss} | losses

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        views = embed({"semantic": self.semantic, "syntactic": self.syntactic}, self.tokeniser, sentences)
        joint = np.concatenate([views["semantic"], views["syntactic"]], axis=1) / np.sqrt(np.float32(2))
        return views | {"joint": joint}
