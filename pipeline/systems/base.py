"""What every system can do: embed sentences; and, if it learns, give a loss, be saved and be loaded."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel
from torch import nn

from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokens import Tokeniser
from pipeline.params import Encoder as EncoderParams
from pipeline.params import Train as TrainParams
from pipeline.sentences import HasTree

Views = dict[str, NDArray[np.float32]]


class Embedder(Protocol):
    """Anything that evaluation can judge."""

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        """Unit vectors of n sentences, float32 [n, D], one matrix a view (``semantic`` among them)."""
        ...


@dataclass(frozen=True)
class Batch:
    """N training examples; an example has any number of hard negatives, here in one list."""

    anchors: Sequence[HasTree]
    positives: Sequence[HasTree]
    negatives: Sequence[HasTree]


@dataclass(frozen=True)
class Settings:
    """All that decides what a system is, apart from its weights."""

    encoder: EncoderParams
    train: TrainParams
    system: BaseModel


class System(nn.Module, ABC):
    """A trainable system. A subclass in ``pipeline/systems/NAME.py`` is the system NAME.

    ``__init__(backbone, settings)`` takes what it needs from the backbone, with copies where it trains more
    than one encoder, and raises SynsemError where the backbone or a parameter does not fit.
    """

    name: str
    semantic: Encoder  # the view that needs the plain text alone, and is exported
    tokeniser: Tokeniser
    settings: Settings
    dropout_in_dev = (
        False  # whether the development loss too needs dropout: without it simcse's pairs are equal
    )

    @abstractmethod
    def loss(self, batch: Batch) -> dict[str, torch.Tensor]:
        """Scalars by name; ``loss`` is the one to minimise, the others are for the curves."""

    @abstractmethod
    def embed(self, sentences: Sequence[HasTree]) -> Views:
        """See ``Embedder``."""

    def begin_training(self) -> None:
        """Called once, on the device and before the first step, with the weights of the backbone."""

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Parameters with the multiple of ``train.learning_rate`` at which each group learns."""
        return [{"params": list(self.parameters()), "rate": 1.0}]

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.parameters()).device


def check_length(backbone: Backbone, max_tokens: int) -> None:
    """Refuse an ``encoder.max_tokens`` beyond the backbone's positions."""
    from pipeline.errors import SynsemError

    config = backbone.model.config
    padding = (
        config.pad_token_id if config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet") else None
    )
    room = config.max_position_embeddings - (0 if padding is None else padding + 1)
    if max_tokens > room:
        raise SynsemError(
            f"encoder.max_tokens: {max_tokens} is beyond the encoder's {room} positions; lower it"
        )


def saved_paths(folder: Path) -> tuple[Path, Path, Path]:
    """``model.safetensors``, ``config.json`` and the tokenizer's folder of a saved model."""
    return folder / "model.safetensors", folder / "config.json", folder / "tokenizer"
