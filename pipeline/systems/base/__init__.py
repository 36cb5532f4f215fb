"""The interface of a system: it embeds sentences, and for training it gives a loss."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pipeline.core import params
from pipeline.core.errors import SynsemError
from pipeline.nn.backbone import Backbone, room
from pipeline.nn.compute import Inference, full_precision, inferred
from pipeline.nn.encoder import Encoder, SentenceEncoder, embed
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Sentence

if TYPE_CHECKING:
    from rich.tree import Tree

TextEmbedder = Callable[[Sequence[Sentence]], "Views"]
Views = dict[str, NDArray[np.float32]]  # vectors [n, D] by the name of the view: semantic, joint, ...
Embeddings = dict[str, torch.Tensor]
Losses = dict[str, torch.Tensor]
HEADS = "heads.safetensors"  # of a model whose backbone was not trained: that is its package's


class Embedder(Protocol):
    """Anything that turns sentences into vectors: what evaluation needs of a model.

    One that also scores n pairs of sentences has either ``late_scores(a, b)``, which reads both sentences at
    once and returns float32 [n], higher for more similar ones; or ``read_pairs(a, b)``, which reads each
    sentence alone, so that one pass gives ``PairReadings``: scores and vectors.
    """

    def embed(self, sentences: Sequence[Sentence]) -> Views:
        """Vectors of n sentences, in order: float32 [n, D] for each view, such as ``semantic``.

        Those of a system have unit length.
        """
        ...


@dataclass(frozen=True)
class Batch:
    """N training examples: anchor, positive and any number of hard negatives each.

    ``negatives`` has the hard negatives of all examples, and ``owners[k]`` the number of the example that
    ``negatives[k]`` belongs to. ``kinds[i]`` is the kind of positive i, such as its transformation.
    Made ahead of its step: ``parts`` is this process's share of it, in chunks, and ``reading`` what
    ``System.read`` gave.
    """

    anchors: Sequence[Sentence]
    positives: Sequence[Sentence]
    negatives: Sequence[Sentence]
    owners: Sequence[int] = ()
    kinds: Sequence[str] = ()
    parts: Sequence["Batch"] = ()
    reading: Any = None


@dataclass(frozen=True)
class Settings:
    """The parameters that a system is built and trained with; saved with its weights."""

    encoder: params.Encoder
    train: params.Train
    system: params.System


@dataclass(frozen=True)
class Adversary:
    """A part of a system that is trained against the rest (adversarial training).

    Each step updates it first, with the rest frozen; then the rest, with the adversary frozen. ``encode``
    gives its ``loss`` for each example, float [n], with a gradient for ``module`` alone.
    """

    name: str  # names its loss in the curves
    module: nn.Module
    encode: Callable[[Batch], Embeddings]

    def loss_from_embeddings(self, embeddings: Embeddings) -> Losses:
        """The mean over the batch."""
        return {"loss": embeddings["loss"].mean()}

    def loss(self, batch: Batch) -> Losses:
        """``loss_from_embeddings`` of ``encode``."""
        return objective(self, self.encode(batch))


class System(nn.Module):
    """A trainable system: the class ``System`` in ``pipeline/systems/NAME/model.py`` is the system NAME.

    ``__init__(backbone, settings)`` builds the encoders from the backbone, copied where there are several,
    and raises SynsemError where the backbone or a parameter does not fit.
    """

    name: str
    semantic: Encoder  # of the view that reads plain text; not every system has one
    tokenizer: SentenceTokenizer
    settings: Settings
    reads_text_alone = False  # whether every view, not the semantic one alone, needs no tree of a sentence
    exported_view = "semantic"  # of which ``exported`` is the encoder
    alone_code: tuple[str, ...] = ()  # files next to ``model.py`` that a folder of ``export_alone`` runs
    alone_note = ""  # what the card of such a folder says of its use
    dropout_in_dev = False  # whether the development loss needs dropout, as where positives are the anchors

    def read(self, batch: Batch, step: int | None) -> Any:
        """What ``encode`` needs of a batch before it needs the network, such as token ids; None: nothing.

        ``step`` is that of training, 0-based; None in validation. Another thread or process calls this ahead
        of the step. So it follows from batch, step and parameters alone: not from weights, from ``training``,
        from torch's random numbers. It touches no GPU, and what it gives can be pickled.
        """
        return None

    def reading(self, batch: Batch, step: int | None = None) -> Any:
        """``read`` of a batch, if that was not done ahead."""
        return self.read(batch, step) if batch.reading is None else batch.reading

    def encode(self, batch: Batch) -> Embeddings:
        """What ``loss_from_embeddings`` needs of a batch: tensors [rows, ...] by name.

        For each name, the rows of two batches, concatenated, must be the rows of the two batches in one. Then
        a batch can be encoded in chunks or by several processes; of a small batch one of these may have no
        example. Rows never refer to each other by position. A system without this method trains on whole
        batches, in one process.
        """
        raise NotImplementedError

    def loss_from_embeddings(self, embeddings: Embeddings) -> Losses:
        """The losses of ``loss``, from the embeddings of the whole batch; called by ``objective``."""
        raise NotImplementedError

    def loss(self, batch: Batch) -> Losses:
        """Scalars by name: ``loss`` is minimised, the others are for the curves."""
        return objective(self, self.encode(batch))

    def embed(self, sentences: Sequence[Sentence]) -> Views:
        """See ``Embedder``. Without a method of its own, a system has one view: that of ``text_encoder``."""
        assert self.text_encoder is not None
        return embed({self.exported_view: self.text_encoder}, self.tokenizer, sentences)

    def prepare(self, sentences: Iterable[Sentence]) -> None:
        """Called once, before training, with the anchors of the training examples; builds vocabularies.

        ``sentences`` may be iterated more than once, and may be more than memory holds.
        Modules whose size depends on these are built here, and again by ``load_state_dict``.
        """

    def begin_training(self) -> None:
        """Called once, on the device and before the first step, while the weights are the backbone's."""

    def begin_step(self, step: int) -> None:
        """Called before every training step with its number, from 0; not always from the first one."""

    def phase(self, step: int) -> int:
        """A number for what a step (0-based) trains, where that depends on the length of the run."""
        return 0

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Groups of parameters for the optimizer, each with its learning rate ``lr``."""
        return [{"params": list(self.parameters()), "lr": self.settings.system.learning_rate}]

    @property
    def adversary(self) -> Adversary | None:
        """The part that is trained against the rest; None for most systems."""
        return None

    @property
    def exported(self) -> Encoder | None:
        """The encoder for export, of the view ``exported_view``; None where that is not a transformer."""
        return getattr(self, "semantic", None)

    @property
    def text_encoder(self) -> SentenceEncoder | None:
        """What gives ``exported_view`` of token ids alone; None where the view reads trees."""
        encoder = self.exported
        return None if encoder is None or encoder.needs_trees else encoder

    def embedder(self, views: Collection[str], precision: Inference) -> tuple[TextEmbedder, bool]:
        """Return what embeds sentences for the sake of some views, and whether it reads their trees."""
        # One view of the words alone: the other views, and their trees, are not needed.
        alone = self.text_encoder is not None and set(views) == {self.exported_view}
        run = System.embed if alone else type(self).embed

        def embedded(sentences: Sequence[Sentence]) -> Views:
            return inferred(self.device, precision, lambda: run(self, sentences), lambda each: each.values())

        return embedded, not (alone or self.reads_text_alone)

    def draw(self, text: str) -> "Tree | None":
        """What the network itself reads in a text, without a parser, for the terminal; None: nothing.

        Raises SynsemError for a text without a word.
        """
        return None

    def weigh(self, weight: float) -> None:
        """Let the structural vector have another weight in the joint one, from now on.

        Raises SynsemError for anything but a weight, and where the system has no such vector.
        """
        raise SynsemError(f"weight: {self.name} has no structural vector to weigh; leave it out")

    def text_network(self) -> nn.Module | None:
        """What reads text alone as one network, for export; None where ``text_encoder`` is all of that.

        From ``input_ids``, ``attention_mask`` and ``word_ids``, int64 [n, length] each, ``forward`` makes
        tensors by name, float32: each view, [n, D] of length 1, and what late
        interaction reads of words (``late_interaction.collected``). ``word_ids`` is the 0-based word of each
        token, -1 for none. It has a ``weight``, of the structural vector in the joint one.
        """
        return None

    def export_alone(self, folder: Path, view: str) -> str | None:
        """Write what the files of ``alone_code`` load of a view; None where it needs SynSem.

        Returns the ``type`` of its only module in sentence-transformers' ``modules.json``.
        """
        return None

    @property
    def max_tokens(self) -> int:
        """Tokens of a text that are read, special tokens included."""
        return self.tokenizer.max_tokens

    def backbone_config(self) -> dict[str, Any] | None:
        """The configuration that ``load`` rebuilds the backbone from; None without a backbone."""
        encoder = getattr(self, "semantic", None)
        return None if encoder is None else encoder.model.config.to_dict()

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.parameters()).device


def objective(learner: System | Adversary, embeddings: Embeddings) -> Losses:
    """``loss_from_embeddings`` in float32, outside autocast, whatever precision the encoders have.

    Rows of 16 bits are converted; the gradient goes back to them as they were.
    """
    device, halves = next(iter(embeddings.values())).device, (torch.bfloat16, torch.float16)
    with full_precision(device):
        exact = {name: rows.float() if rows.dtype in halves else rows for name, rows in embeddings.items()}
        return learner.loss_from_embeddings(exact)


def check_length(backbone: Backbone, max_tokens: int, key: str = "encoder.max_tokens") -> None:
    """SynsemError if ``max_tokens``, the parameter named ``key``, exceeds the backbone's positions."""
    positions = None if backbone.model is None else room(backbone.model)
    if positions is not None and max_tokens > positions:
        raise SynsemError(f"{key}: {max_tokens} is beyond the encoder's {positions} positions; lower it")


def saved_paths(folder: Path) -> tuple[Path, Path, Path]:
    """``model.safetensors``, ``config.json`` and the tokenizer's folder of a saved model."""
    return folder / "model.safetensors", folder / "config.json", folder / "tokenizer"


def weights_of(folder: Path) -> Path:
    """The file with a saved model's weights: all of them, or ``HEADS`` where the folder has that."""
    heads = folder / HEADS
    return heads if heads.is_file() else saved_paths(folder)[0]
