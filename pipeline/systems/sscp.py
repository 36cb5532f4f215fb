"""SSCP (Adavala & Adavala 2026): one encoder reads the words, one the tree, and the two are aligned."""

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pipeline.nn.agreement import Agreement
from pipeline.nn.alignment import alignment
from pipeline.nn.backbone import Backbone
from pipeline.nn.embedding import embed, vectors
from pipeline.nn.encoder import Encoder
from pipeline.nn.late import facts, score_sentences
from pipeline.nn.sharing import save_once, share_layers
from pipeline.nn.sketch import with_joint
from pipeline.nn.tokens import Encoded, Tokeniser
from pipeline.nn.word_rows import read
from pipeline.params import Sscp
from pipeline.sentences import HasTree
from pipeline.systems import base

COLDEST = 0.01  # a learnt temperature goes no lower


class System(base.System):
    """Views: ``semantic``, ``syntactic``, and ``joint``: both and the sketch, concatenated and normalised."""

    name = "sscp"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Sscp)
        self.settings, self.params = settings, settings.system
        pooling, params = settings.encoder.pooling, settings.system
        self.tokeniser = Tokeniser(
            backbone.tokenizer,
            settings.encoder.max_tokens,
            shuffled=params.bias == "shuffled",
            labels=params.edge_types or params.pooling == "hierarchical",
        )
        second = backbone.model if params.views == "one" else copy.deepcopy(backbone.model)
        self.syntactic = Encoder(
            second,
            params.pooling or pooling,
            params.position,
            None if params.bias == "none" else params.max_distance,
            linear=params.bias == "linear",
            directed=params.directed,
            edge_types=params.edge_types,
        )
        self.semantic = Encoder(backbone.model, pooling)
        if params.shared_layers and params.views == "two":
            share_layers(self.semantic.model, second, params.shared_layers)
        self.agreement = Agreement().requires_grad_(params.late > 0)
        self.log_tau = nn.Parameter(torch.tensor(math.log(settings.train.tau)), params.learn_tau)
        save_once(self)
        self._teacher: list[Encoder] = []  # in a list, so that it is neither trained nor saved

    @property
    def tau(self) -> float | torch.Tensor:
        """Temperature of the contrast: ``train.tau``, or what became of it where it is learnt."""
        return self.log_tau.exp().clamp(min=COLDEST) if self.params.learn_tau else self.settings.train.tau

    def begin_training(self) -> None:
        """Freeze a copy of the semantic encoder, for the guard and to tell false negatives."""
        if self.params.guard or self.params.false_negatives is not None:
            self._teacher = [copy.deepcopy(self.semantic).eval().requires_grad_(False)]

    def parameter_groups(self) -> list[dict[str, Any]]:
        """What is new learns faster than the pretrained weights, and does not decay."""
        params = self.params
        rates = {
            "syntactic.bias.": params.table_rate,
            "syntactic.position.": params.position_rate,
            "agreement.": params.late_rate,
            "log_tau": params.late_rate,
        }
        groups: dict[float, list[nn.Parameter]] = {}
        for name, parameter in self.named_parameters():
            rate = next((rate for prefix, rate in rates.items() if name.startswith(prefix)), 1.0)
            groups.setdefault(rate, []).append(parameter)
        return [
            {"params": members, "rate": rate} | ({} if rate == 1.0 else {"weight_decay": 0.0})
            for rate, members in groups.items()
        ]

    def represent(self, batch: base.Batch) -> base.Representations:
        """Anchors through the semantic encoder, positives and negatives through the syntactic one.

        With ``in_view`` or ``late`` each goes through the other one, too; with one view all go through the
        syntactic one. Vectors are named ``VIEW.SIDE``, the teacher's ``known.SIDE``; ``key`` and ``owner``
        say whose a negative is; ``late.*`` are words and their links.
        """
        params = self.params
        negatives = batch.negatives if params.hard_negatives else ()
        sides = {"anchor": batch.anchors, "positive": batch.positives, "negative": negatives}
        plan = {"semantic": ("anchor",), "syntactic": ("positive", "negative")}
        if params.views == "one":
            plan = {"syntactic": tuple(sides)}
        if params.in_view or params.late:
            plan = {"semantic": tuple(sides), "syntactic": tuple(sides)}
        trees = set(plan["syntactic"]) if self.syntactic.needs_trees else set()
        encoded = {
            side: self.tokeniser.encode(sentences, side in trees or params.late > 0)
            for side, sentences in sides.items()
        }
        found: base.Representations = {}
        for view, names in plan.items():
            found |= self._read(view, {name: encoded[name] for name in names})
        if self._teacher:
            known = tuple(sides) if params.false_negatives is not None else ("anchor",)
            with torch.no_grad():
                for side in known:
                    found[f"known.{side}"] = vectors(self._teacher[0], self.tokeniser, encoded[side])
        if params.late or params.false_negatives is not None:
            owners = [batch.anchors[number] for number in batch.owners[: len(negatives)]]
            found["key"] = base.text_keys(batch.anchors, self.device)
            found["owner"] = base.text_keys(owners, self.device)
        if params.late:
            found |= facts(sides, self.tokeniser.shuffled, self.device)
        return found

    def _read(self, view: str, sides: Mapping[str, Sequence[Encoded]]) -> base.Representations:
        """Vectors of several sides from one encoder, in one go; with ``late`` also states of their words."""
        encoder, encoded = self.get_submodule(view), [each for side in sides.values() for each in side]
        found: base.Representations = {}
        if self.params.late:
            pooled, words = read(encoder, self.tokeniser, encoded)
            counts = [sum(len(each.heads or ()) for each in side) for side in sides.values()]
            names = [f"late.{view}.{name}" for name in sides]
            found |= dict(zip(names, words.split(counts), strict=True))
        else:
            pooled = vectors(encoder, self.tokeniser, encoded)
        parts = pooled.split([len(side) for side in sides.values()])
        return found | {f"{view}.{name}": part for name, part in zip(sides, parts, strict=True)}

    def objective(self, representations: base.Representations) -> base.Losses:
        """See ``pipeline.nn.alignment``."""
        return alignment(representations, self.params, self.tau, self.agreement)

    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> NDArray[np.float32]:
        """See ``base.PairScorer``: structural agreement, and the weighted cosine of the semantic view."""
        return score_sentences(self.agreement, self.semantic, self.syntactic, self.tokeniser, a, b)

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        views = embed({"semantic": self.semantic, "syntactic": self.syntactic}, self.tokeniser, sentences)
        return with_joint(views, sentences, self.settings.encoder.sketch)
