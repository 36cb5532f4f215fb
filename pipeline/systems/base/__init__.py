"""The interface of a system: it embeds sentences, and for training it gives a loss."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import nn

from pipeline.core import params
from pipeline.core.errors import SynsemError
from pipeline.nn.backbone import Backbone, room
from pipeline.nn.compute import Inference, full_precision, inferred
from pipeline.nn.compute import Views as Views
from pipeline.nn.encoder import Encoder, SentenceEncoder, embed
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Sentence

if TYPE_CHECKING:
    from rich.tree import Tree

TextEmbedder = Callable[[Sequence[Sentence]], Views]
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
        """Return vectors of n sentences, in order: float32 [n, D] for each view; a system's have length 1."""
        ...


@dataclass(frozen=True)
class Batch:
    """N training examples: anchor, positive and any number of hard negatives each.

    ``negatives[k]`` belongs to the example ``owners[k]``; ``kinds[i]`` is the kind of positive i, such as its
    transformation. If the batch was made ahead of its step, ``parts`` is this process's share of it, in
    chunks, and ``reading`` the result of ``System.read``.
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
    returns its ``loss`` for each example, float [n], with a gradient only for ``module``.
    """

    name: str  # names its loss in the curves
    module: nn.Module
    encode: Callable[[Batch], Embeddings]

    def loss_from_embeddings(self, embeddings: Embeddings) -> Losses:
        """Return the mean over the batch."""
        return {"loss": embeddings["loss"].mean()}

    def loss(self, batch: Batch) -> Losses:
        """Return ``loss_from_embeddings`` of ``encode``."""
        return objective(self, self.encode(batch))


class System(nn.Module):
    """A trainable system: the class ``System`` in ``pipeline/systems/NAME/model.py`` is the system NAME.

    ``__init__(backbone, settings)`` builds the encoders from the backbone, copied if there are several, and
    raises SynsemError if the backbone or a parameter does not fit.
    """

    name: str
    semantic: Encoder  # of the view that reads plain text; not every system has one
    tokenizer: SentenceTokenizer
    settings: Settings
    reads_text_alone = False  # whether no view needs the trees of sentences
    exported_view = "semantic"  # of which ``exported`` is the encoder
    alone_code: tuple[str, ...] = ()  # files next to ``model.py`` that a folder of ``export_alone`` runs
    alone_note = ""  # how to use such a folder, for its model card
    rate_falls = True  # whether the learning rate falls to zero after its warm-up, or stays
    dropout_in_dev = False  # whether the development loss needs it: anchors may be their own positives

    def read(self, batch: Batch, step: int | None) -> Any:
        """Return what ``encode`` needs of a batch before the network runs, such as token ids; None: nothing.

        ``step`` is that of training, 0-based; None in validation. Another thread or process calls this ahead
        of the step. So the result depends only on batch, step and parameters, not on weights, ``training`` or
        torch's random numbers; it is not on a GPU and can be pickled.
        """
        return None

    def reading(self, batch: Batch, step: int | None = None) -> Any:
        """Return what ``read`` gave ahead of the step; otherwise read the batch now."""
        return self.read(batch, step) if batch.reading is None else batch.reading

    def encode(self, batch: Batch) -> Embeddings:
        """Return what ``loss_from_embeddings`` needs of a batch: tensors [rows, ...] by name.

        The rows of two batches, concatenated, must be those of the two batches in one; so rows never refer to
        each other by position. Then a batch can be encoded in chunks or by several processes, some perhaps
        without an example. A system without this method trains on whole batches, in one process.
        """
        raise NotImplementedError

    def loss_from_embeddings(self, embeddings: Embeddings) -> Losses:
        """Return the losses of ``loss`` from the embeddings of the whole batch; ``objective`` calls it."""
        raise NotImplementedError

    def loss(self, batch: Batch) -> Losses:
        """Return scalars by name: ``loss`` is minimised, the others are for the curves."""
        return objective(self, self.encode(batch))

    def embed(self, sentences: Sequence[Sentence]) -> Views:
        """See ``Embedder``. Without a method of its own, a system has one view: that of ``text_encoder``."""
        assert self.text_encoder is not None, "a system whose view reads trees needs its own `embed`"
        return embed({self.exported_view: self.text_encoder}, self.tokenizer, sentences)

    def prepare(self, sentences: Iterable[Sentence]) -> None:
        """Build vocabularies from the anchors of the training examples; called once, before training.

        ``sentences`` may be iterated more than once, and may be more than memory holds. Modules whose size
        depends on a vocabulary are built here, and again by ``load_state_dict``.
        """

    def begin_training(self) -> None:
        """Called once, on the device and before the first step, while the weights are the backbone's."""

    def begin_step(self, step: int) -> None:
        """Called before every training step with its number, from 0; not always from the first one."""

    def phase(self, step: int) -> int:
        """Return a number for what a step (0-based) trains, if that depends on the length of the run."""
        return 0

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Return groups of parameters for the optimizer, each with its learning rate ``lr``."""
        return [{"params": list(self.parameters()), "lr": self.settings.system.learning_rate}]

    @property
    def adversary(self) -> Adversary | None:
        """The part that is trained against the rest; None for most systems."""
        return None

    @property
    def exported(self) -> Encoder | None:
        """The encoder for export, of the view ``exported_view``; None if that is not a transformer."""
        return getattr(self, "semantic", None)

    @property
    def text_encoder(self) -> SentenceEncoder | None:
        """The encoder of ``exported_view``, if that needs only token ids; None if the view reads trees."""
        encoder = self.exported
        return None if encoder is None or encoder.needs_trees else encoder

    def embedder(self, views: Collection[str], precision: Inference) -> tuple[TextEmbedder, bool]:
        """Return what embeds sentences for the sake of some views, and whether it reads their trees."""
        # If this is the only view asked for, the other views and their trees are not needed.
        alone = self.text_encoder is not None and set(views) == {self.exported_view}
        run = partial(System.embed, self) if alone else self.embed

        def embedded(sentences: Sequence[Sentence]) -> Views:
            return inferred(self.device, precision, lambda: run(sentences))

        return embedded, not (alone or self.reads_text_alone)

    def draw(self, text: str) -> "Tree | None":
        """Draw for the terminal what the network itself reads in a text, without a parser; None: nothing.

        Raises SynsemError for a text without a word.
        """
        return None

    def weigh(self, weight: float) -> None:
        """Set the weight of the structural vector in the joint one.

        Raises SynsemError if the weight is out of range or the system has no structural vector.
        """
        raise SynsemError(f"weight: {self.name} has no structural vector to weigh; leave it out")

    def text_network(self) -> nn.Module | None:
        """Return all that reads only text as one network, for export; None if that is ``text_encoder``.

        From ``input_ids``, ``attention_mask`` and ``word_ids``, int64 [n, length] each, ``forward`` makes
        tensors by name, float32: each view, [n, D] of length 1, and what late interaction reads of words
        (``late_interaction.collected``). ``word_ids`` is the 0-based word of each token, -1 for none. The
        network's ``weight`` is that of the structural vector in the joint one.
        """
        return None

    def export_alone(self, folder: Path, view: str) -> str | None:
        """Write what the files of ``alone_code`` load of a view; None if it needs SynSem.

        Returns the ``type`` of its only module in sentence-transformers' ``modules.json``.
        """
        return None

    @property
    def max_tokens(self) -> int:
        """Tokens of a text that are read, special tokens included."""
        return self.tokenizer.max_tokens

    def backbone_config(self) -> dict[str, Any] | None:
        """Return the configuration that ``load`` rebuilds the backbone from; None without a backbone."""
        encoder = getattr(self, "semantic", None)
        return None if encoder is None else encoder.model.config.to_dict()

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.parameters()).device


def objective(learner: System | Adversary, embeddings: Embeddings) -> Losses:
    """Return ``loss_from_embeddings`` in float32, outside autocast, whatever precision the encoders have.

    Rows of 16 bits are converted, and so is their gradient on the way back.
    """
    device, halves = next(iter(embeddings.values())).device, (torch.bfloat16, torch.float16)
    with full_precision(device):
        exact = {name: rows.float() if rows.dtype in halves else rows for name, rows in embeddings.items()}
        return learner.loss_from_embeddings(exact)


def check_length(backbone: Backbone, max_tokens: int, key: str = "encoder.max_tokens") -> None:
    """Raise SynsemError if ``max_tokens``, the parameter named ``key``, exceeds the backbone's positions."""
    positions = None if backbone.model is None else room(backbone.model)
    if positions is not None and max_tokens > positions:
        raise SynsemError(f"{key}: {max_tokens} is beyond the encoder's {positions} positions; lower it")


def saved_paths(folder: Path) -> tuple[Path, Path, Path]:
    """Return ``model.safetensors``, ``config.json`` and the tokenizer's folder of a saved model."""
    return folder / "model.safetensors", folder / "config.json", folder / "tokenizer"


def weights_of(folder: Path) -> Path:
    """Return the file with a saved model's weights: all of them, or ``HEADS`` if the folder has that."""
    heads = folder / HEADS
    return heads if heads.is_file() else saved_paths(folder)[0]
