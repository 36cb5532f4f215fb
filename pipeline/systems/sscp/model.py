"""SSCP (Adavala & Adavala 2026): one encoder reads the words, one the tree, and a loss aligns them."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pipeline.core.errors import SynsemError
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder, embed, encode_with_words, vectors
from pipeline.nn.late_interaction import LateInteraction, read_pairs, word_links
from pipeline.nn.pairs import PairReadings
from pipeline.nn.sketch import with_joint
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer
from pipeline.nn.tree_controls import CONTROLS
from pipeline.params import Sscp
from pipeline.syntax.sentence import HasTree
from pipeline.systems import base
from pipeline.systems.sscp.losses import sscp_losses

SIDES = ("anchor", "positive", "negative")


class System(base.System):
    """Views: ``semantic``, ``syntactic``, and ``joint``: both and the sketch, concatenated and normalised."""

    name = "sscp"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Sscp)
        self.settings, self.params = settings, settings.system
        pooling, params = settings.encoder.pooling, settings.system
        _demand_sense(params)
        self.tokenizer = SentenceTokenizer(
            backbone.tokenizer,
            settings.encoder.max_tokens,
            control=next((control for control in CONTROLS if control == params.bias), None),
            labels=params.edge_types,
        )
        second = backbone.model if params.views == "one" else copy.deepcopy(backbone.model)
        self.syntactic = Encoder(
            second,
            pooling,
            params.position,
            None if params.bias == "none" else params.max_distance,
            linear=params.bias == "linear",
            edge_types=params.edge_types,
        )
        self.semantic = Encoder(backbone.model, pooling)
        self.late_interaction = LateInteraction().requires_grad_(params.late > 0)
        if params.views == "one":
            _save_once(self)
        self._teacher: list[Encoder] = []  # a list hides it from torch: it is neither trained nor saved

    def begin_training(self) -> None:
        """Freeze a copy of the semantic encoder, the teacher of the distillation."""
        if self.params.distillation:
            self._teacher = [copy.deepcopy(self.semantic).eval().requires_grad_(False)]

    def parameter_groups(self) -> list[dict[str, Any]]:
        """New parameters learn faster than pretrained ones, without weight decay."""
        params = self.params
        rates = {
            "syntactic.bias.": params.bias_learning_rate,
            "syntactic.position.": params.position_learning_rate,
            "late_interaction.": params.late_learning_rate,
        }
        groups: dict[float | None, list[nn.Parameter]] = {}
        for name, parameter in self.named_parameters():
            rate = next((rate for prefix, rate in rates.items() if name.startswith(prefix)), None)
            groups.setdefault(rate, []).append(parameter)
        return [
            {"params": members}
            | ({"lr": params.learning_rate} if rate is None else {"lr": rate, "weight_decay": 0.0})
            for rate, members in groups.items()
        ]

    def _sides(self, batch: base.Batch) -> dict[str, Sequence[HasTree]]:
        negatives = batch.negatives if self.params.hard_negatives else ()
        return {"anchor": batch.anchors, "positive": batch.positives, "negative": negatives}

    def _plan(self) -> dict[str, tuple[str, ...]]:
        """The sides that each encoder reads; see ``encode``."""
        if self.params.in_view or self.params.late:
            return {"semantic": SIDES, "syntactic": SIDES}
        if self.params.views == "one":
            return {"syntactic": SIDES}
        return {"semantic": ("anchor",), "syntactic": ("positive", "negative")}

    def read(self, batch: base.Batch, step: int | None) -> dict[str, list[EncodedSentence]]:
        """See ``base.System``: the sentences of each side, with their trees where an encoder needs them."""
        trees = self._plan()["syntactic"] if self.syntactic.needs_trees else ()
        return {
            side: self.tokenizer.encode(sentences, side in trees or self.params.late > 0)
            for side, sentences in self._sides(batch).items()
        }

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """Anchors through the semantic encoder, positives and negatives through the syntactic one.

        With ``in_view`` or ``late`` all go through both; with one view all go through the syntactic one.
        Vectors are named ``VIEW.SIDE``, the teacher's ``known.SIDE``. With ``late``, ``late.*`` are
        word states and links, and ``key`` and ``owner`` assign hard negatives to anchors.
        """
        params, sides, encoded = self.params, self._sides(batch), self.reading(batch)
        embeddings: base.Embeddings = {}
        for view, names in self._plan().items():
            embeddings |= self._encode_sides(view, {name: encoded[name] for name in names})
        if self._teacher:
            with torch.no_grad():
                for side in ("anchor", "positive"):
                    embeddings[f"known.{side}"] = vectors(self._teacher[0], self.tokenizer, encoded[side])
        if params.late:
            owners = [batch.anchors[number] for number in batch.owners[: len(sides["negative"])]]
            embeddings["key"] = base.text_keys(batch.anchors, self.device)
            embeddings["owner"] = base.text_keys(owners, self.device)
            embeddings |= word_links(sides, self.tokenizer.control, self.device)
        return embeddings

    def _encode_sides(self, view: str, sides: Mapping[str, Sequence[EncodedSentence]]) -> base.Embeddings:
        """Vectors of several sides from one encoder, in one pass; with ``late`` their word states, too."""
        encoder, encoded = self.get_submodule(view), [each for side in sides.values() for each in side]
        embeddings: base.Embeddings = {}
        if self.params.late:
            pooled, words = encode_with_words(encoder, self.tokenizer, encoded)
            counts = [sum(len(each.heads or ()) for each in side) for side in sides.values()]
            names = [f"late.{view}.{name}" for name in sides]
            embeddings |= dict(zip(names, words.split(counts), strict=True))
        else:
            pooled = vectors(encoder, self.tokenizer, encoded)
        parts = pooled.split([len(side) for side in sides.values()])
        return embeddings | {f"{view}.{name}": part for name, part in zip(sides, parts, strict=True)}

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """See ``pipeline.systems.sscp.losses``."""
        return sscp_losses(embeddings, self.params, self.settings.train.tau, self.late_interaction)

    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> NDArray[np.float32]:
        """See ``base.PairScorer``: late interaction."""
        return self._read_pairs(a, b).scores

    def read_pairs(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> PairReadings:
        """See ``base.PairReader``."""
        found = self._read_pairs(a, b)
        joint = with_joint(found.vectors, found.sentences, self.settings.encoder.sketch)
        return found._replace(vectors=joint)

    def _read_pairs(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> PairReadings:
        return read_pairs(self.late_interaction, self.semantic, self.syntactic, self.tokenizer, a, b)

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        views = embed({"semantic": self.semantic, "syntactic": self.syntactic}, self.tokenizer, sentences)
        return with_joint(views, sentences, self.settings.encoder.sketch)


def _demand_sense(params: Sscp) -> None:
    """Raise SynsemError where nothing would be learnt, or a control without a tree would read one."""
    if not any((params.across, params.in_view, params.late, params.distillation)):
        raise SynsemError("sscp: across, in_view, late and distillation are all 0; give one of them a weight")
    for name in ("directed", "edge_types"):
        if params.bias == "linear" and getattr(params, name):
            raise SynsemError(
                f"sscp.{name}: the bias linear reads no tree; set it to false, or sscp.bias to another"
            )


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
