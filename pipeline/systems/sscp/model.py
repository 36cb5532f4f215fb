"""SSCP (Adavala & Adavala 2026): one encoder reads the words, one the tree, and a loss aligns them."""

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from pipeline.core.params import Sscp
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder, embed, vectors
from pipeline.nn.losses import info_nce, similarity_distillation
from pipeline.nn.structure import CONTROLS, concatenated
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer
from pipeline.syntax.sentence import Sentence
from pipeline.systems import base

MAX_DISTANCE = 8  # longer paths share one bucket of the bias table
BIAS_LEARNING_RATE = 1.5e-2  # the bias table starts at zero and needs a far higher rate than the encoder


class System(base.System):
    """Views: ``semantic``, ``syntactic``, and ``joint``: both, concatenated and normalised.

    The weights are chosen by the contrast alone: the distillation, if it is on, only grows from its start.
    """

    name = "sscp"
    selected_loss = "contrast"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Sscp)
        self.settings, self.params = settings, settings.system
        pooling, params = settings.encoder.pooling, settings.system
        self.tokenizer = SentenceTokenizer(
            backbone.tokenizer,
            settings.encoder.max_tokens,
            control=next((control for control in CONTROLS if control == params.bias), None),
            labels=params.bias == "labelled_tree",
        )
        second = backbone.model if params.views == "one" else copy.deepcopy(backbone.model)
        self.syntactic = Encoder(
            second,
            pooling,
            params.position,
            None if params.bias == "none" else MAX_DISTANCE,
            linear=params.bias == "linear",
            edge_types=params.bias == "labelled_tree",
        )
        self.semantic = Encoder(backbone.model, pooling)
        if params.views == "one":
            _save_once(self)
        self._teacher: list[Encoder] = []  # a list hides it from torch: it is neither trained nor saved

    def begin_training(self) -> None:
        """Freeze a copy of the semantic encoder, the teacher of the distillation."""
        if self.params.distillation:
            self._teacher = [copy.deepcopy(self.semantic).eval().requires_grad_(False)]

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The bias learns faster than the encoders, without weight decay."""
        bias = [] if self.syntactic.bias is None else list(self.syntactic.bias.parameters())
        new = set(bias)
        groups = [
            {
                "params": [each for each in self.parameters() if each not in new],
                "lr": self.params.learning_rate,
            },
            {"params": bias, "lr": BIAS_LEARNING_RATE, "weight_decay": 0.0},
        ]
        return groups if bias else groups[:1]

    def read(self, batch: base.Batch, step: int | None) -> dict[str, list[EncodedSentence]]:
        """See ``base.System``: the sentences of each side, with their trees if the encoder needs them."""
        sides: dict[str, Sequence[Sentence]] = {
            "anchor": batch.anchors,
            "positive": batch.positives,
            "negative": batch.negatives if self.params.hard_negatives else (),
        }
        return {
            side: self.tokenizer.encode(
                sentences, self.syntactic.needs_trees and self._view(side) == "syntactic"
            )
            for side, sentences in sides.items()
        }

    def _view(self, side: str) -> str:
        """The encoder that reads a side: the anchor's words, but the trees of the others."""
        return "semantic" if side == "anchor" and self.params.views == "two" else "syntactic"

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """Vectors of each side; the teacher's of anchors and positives are named ``known.SIDE``."""
        encoded = self.reading(batch)
        embeddings: base.Embeddings = {}
        for view in ("semantic", "syntactic"):
            sides = {side: some for side, some in encoded.items() if self._view(side) == view}
            together = [each for some in sides.values() for each in some]
            if sides:
                pooled = vectors(self.get_submodule(view), self.tokenizer, together)
                parts = pooled.split([len(some) for some in sides.values()])
                embeddings |= dict(zip(sides, parts, strict=True))
        if self._teacher:
            with torch.no_grad():
                for side in ("anchor", "positive"):
                    embeddings[f"known.{side}"] = vectors(self._teacher[0], self.tokenizer, encoded[side])
        return embeddings

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """Losses by name; ``loss`` is their weighted sum.

        - ``contrast``: an anchor against positives and negatives of the other view (eq. 4 and 5);
        - ``distillation``: the backbone's similarities among the anchors and among the positives; 0 while
          both encoders are the backbone with its positions.
        """
        params, tau = self.params, self.settings.train.tau
        a, b, negatives = (embeddings[side] for side in ("anchor", "positive", "negative"))
        losses = {"contrast": info_nce(a, b, tau, negatives, params.symmetric)}
        loss = losses["contrast"]
        if params.distillation and "known.anchor" in embeddings:
            kept = [similarity_distillation(a, embeddings["known.anchor"], tau)]
            kept.append(similarity_distillation(b, embeddings["known.positive"], tau))
            losses["distillation"] = (kept[0] + kept[1]) / 2
            loss = loss + params.distillation * losses["distillation"]
        return {"loss": loss} | losses

    def embed(self, sentences: Sequence[Sentence]) -> base.Views:
        """See ``base.Embedder``."""
        views = embed({"semantic": self.semantic, "syntactic": self.syntactic}, self.tokenizer, sentences)
        return views | {"joint": concatenated(*views.values())}


def _save_once(module: nn.Module) -> None:
    """Let ``state_dict`` hold shared weights under one name only, and ``load_state_dict`` expect that.

    A safetensors file refuses one tensor under two names.
    """
    aliases: dict[str, str] = {}
    known: dict[int, str] = {}
    for name, value in module.state_dict(keep_vars=True).items():
        first = known.setdefault(id(value), name)
        if first != name:
            aliases[name] = first

    def drop(_: nn.Module, state: dict[str, torch.Tensor], prefix: str, __: Any) -> None:
        for name in aliases:
            state.pop(prefix + name, None)

    def restore(_: nn.Module, state: dict[str, torch.Tensor], prefix: str, *__: Any) -> None:
        for name, first in aliases.items():
            if prefix + first in state:
                state[prefix + name] = state[prefix + first]

    module.register_state_dict_post_hook(drop)
    module.register_load_state_dict_pre_hook(restore)
