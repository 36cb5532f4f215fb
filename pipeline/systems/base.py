"""What every system can do: embed sentences; and, if it learns, give a loss, be saved and be loaded."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel
from torch import nn

from pipeline.errors import SynsemError
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokens import Tokeniser
from pipeline.params import Encoder as EncoderParams
from pipeline.params import Train as TrainParams
from pipeline.sentences import HasTree

Views = dict[str, NDArray[np.float32]]
Representations = dict[str, torch.Tensor]
Losses = dict[str, torch.Tensor]


class Embedder(Protocol):
    """Anything that evaluation can judge."""

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        """Unit vectors of n sentences, float32 [n, D], one matrix a view (``semantic`` among them)."""
        ...


class PairScorer(Protocol):
    """An embedder that also scores pairs by more than one vector each (late interaction)."""

    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> NDArray[np.float32]:
        """Scores of n pairs, float32 [n]; higher is nearer in meaning."""
        ...


@dataclass(frozen=True)
class Batch:
    """N training examples; an example has any number of hard negatives, here in one list.

    ``owners[k]`` is the example whose hard negative ``negatives[k]`` is; ``kinds[i]`` is what positive i is.
    """

    anchors: Sequence[HasTree]
    positives: Sequence[HasTree]
    negatives: Sequence[HasTree]
    owners: Sequence[int] = ()
    kinds: Sequence[str] = ()


@dataclass(frozen=True)
class Settings:
    """All that decides what a system is, apart from its weights."""

    encoder: EncoderParams
    train: TrainParams
    system: BaseModel


class Learner(Protocol):
    """What the loop makes an update of: a system, or its rival."""

    def represent(self, batch: Batch) -> Representations:
        """See ``System``."""
        ...

    def objective(self, representations: Representations) -> Losses:
        """See ``System``."""
        ...

    def loss(self, batch: Batch) -> Losses:
        """See ``System``."""
        ...


@dataclass(frozen=True)
class Rival:
    """A part of a system that learns against the rest: first in every step, and frozen while the rest does.

    ``represent`` gives its ``loss`` of each example, float [n], with a gradient for ``module`` alone.
    """

    name: str  # of its loss in the curves
    module: nn.Module
    represent: Callable[[Batch], Representations]

    def objective(self, representations: Representations) -> Losses:
        """The mean over the batch."""
        return {"loss": representations["loss"].mean()}

    def loss(self, batch: Batch) -> Losses:
        """``objective`` of ``represent``."""
        return self.objective(self.represent(batch))


class System(nn.Module, ABC):
    """A trainable system. A subclass in ``pipeline/systems/NAME.py`` is the system NAME.

    ``__init__(backbone, settings)`` takes what it needs from the backbone, with copies where it trains more
    than one encoder, and raises SynsemError where the backbone or a parameter does not fit.
    """

    name: str
    semantic: Encoder  # the view that needs the plain text alone; a system may do without one
    tokeniser: Tokeniser
    settings: Settings
    dropout_in_dev = (
        False  # whether the development loss too needs dropout: without it simcse's pairs are equal
    )

    def represent(self, batch: Batch) -> Representations:
        """All that ``objective`` needs of a batch: tensors [rows, ...] by name.

        Under each name, the rows of two batches put end to end are the rows of the joint batch; so a batch
        larger than memory can be represented in chunks, or by several processes. Which rows belong together
        is said by numbers that stand for texts (``text_keys``), never by places. What needs no gradient has
        none. A system without it cannot be trained so.
        """
        raise SynsemError(f"train: {self.name} cannot be trained in chunks or by several processes")

    def objective(self, representations: Representations) -> Losses:
        """The losses of ``loss`` from the representations of the whole batch; nothing is encoded here."""
        raise SynsemError(f"train: {self.name} cannot be trained in chunks or by several processes")

    def loss(self, batch: Batch) -> Losses:
        """Scalars by name; ``loss`` is the one to minimise, the others are for the curves."""
        return self.objective(self.represent(batch))

    @abstractmethod
    def embed(self, sentences: Sequence[HasTree]) -> Views:
        """See ``Embedder``."""

    def prepare(self, sentences: Iterable[HasTree]) -> None:
        """Called once, before training, with the anchors of the training examples: for labels and the like.

        Modules whose size depends on them are made here, and made again by ``load_state_dict``.
        """

    def begin_training(self) -> None:
        """Called once, on the device and before the first step, with the weights of the backbone."""

    def begin_step(self, step: int) -> None:
        """Called before every training step with its number, from 0; a run that goes on comes in between."""

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Parameters with the multiple of ``train.learning_rate`` at which each group learns."""
        return [{"params": list(self.parameters()), "rate": 1.0}]

    def schedule(self) -> TrainParams:
        """What the loop follows: ``settings.train``, or a multiple of its steps where one costs little."""
        return self.settings.train

    @property
    def rival(self) -> Rival | None:
        """The part that is updated by itself, before the rest, in every step; most systems have none."""
        return None

    @property
    def exported(self) -> Encoder | None:
        """The encoder of the semantic view; None for a system without that view: it is not exported."""
        return self.semantic

    def backbone_config(self) -> dict[str, Any] | None:
        """What ``load`` makes the backbone of; None for a system whose encoder is its own."""
        config: dict[str, Any] = self.semantic.model.config.to_dict()
        return config

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.parameters()).device


def text_keys(sentences: Sequence[HasTree], device: torch.device) -> torch.Tensor:
    """A number for each text, int64 [n]: equal where the texts are, on any machine and in any chunk."""
    digests = [hashlib.blake2b(each.text.encode(), digest_size=8).digest() for each in sentences]
    return torch.from_numpy(np.frombuffer(b"".join(digests), dtype=np.int64).copy()).to(device)


def check_length(backbone: Backbone, max_tokens: int, key: str = "encoder.max_tokens") -> None:
    """Refuse a ``max_tokens`` (the parameter named ``key``) beyond the backbone's positions."""
    if backbone.model is None:
        return
    config = backbone.model.config
    padding = (
        config.pad_token_id if config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet") else None
    )
    positions = getattr(config, "max_position_embeddings", None)
    if positions is None:  # a T5 counts distances
        return
    room = positions - (0 if padding is None else padding + 1)
    if max_tokens > room:
        raise SynsemError(f"{key}: {max_tokens} is beyond the encoder's {room} positions; lower it")


def saved_paths(folder: Path) -> tuple[Path, Path, Path]:
    """``model.safetensors``, ``config.json`` and the tokenizer's folder of a saved model."""
    return folder / "model.safetensors", folder / "config.json", folder / "tokenizer"
