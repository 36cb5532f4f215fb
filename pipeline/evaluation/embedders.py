"""Anything that turns sentences into vectors, behind one interface: our systems and other people's models."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.nn.backbone import quiet
from pipeline.sentences import HasTree
from pipeline.systems.base import PairScorer

if TYPE_CHECKING:
    from pipeline.evaluation.word_states import TokenEncoders

Pooling = Literal["mean", "cls", "max"]
Vectors = dict[str, NDArray[np.float32]]


class Embedder(Protocol):
    """Sentences to one float32 matrix [n, d] a view; a view is a name such as ``semantic`` or ``joint``."""

    def embed(self, sentences: Sequence[HasTree]) -> Vectors:
        """Embed sentences, in order."""
        ...


def scores_pairs(embedder: object) -> TypeGuard[PairScorer]:
    """Whether it has ``late_scores``; a ``late_scores`` of None says that the settings rule it out."""
    return callable(getattr(embedder, "late_scores", None))


class SentenceTransformerEmbedder:
    """A sentence-transformers folder or id, as its own ``encode`` has it; one view, ``semantic``."""

    def __init__(self, name: str, batch_size: int = 64) -> None:
        from sentence_transformers import SentenceTransformer

        with quiet():
            self.model: Any = SentenceTransformer(name)
        self.batch_size = batch_size

    def embed(self, sentences: Sequence[HasTree]) -> Vectors:
        """Embed the texts; the trees are not looked at."""
        texts = [sentence.text for sentence in sentences]
        vectors = self.model.encode(
            texts, batch_size=self.batch_size, convert_to_numpy=True, show_progress_bar=False
        )
        return {"semantic": np.asarray(vectors, dtype=np.float32)}

    def token_encoders(self) -> "TokenEncoders":
        """The transformer inside, for probes of words; SynsemError where there is none."""
        transformer = getattr(self.model[0], "auto_model", None)
        if transformer is None:
            raise SynsemError(
                "the model begins with no transformer, so there are no states of words to probe"
            )
        return _encoders(transformer, self.model.tokenizer, int(self.model.max_seq_length))


class PooledEmbedder:
    """Any Hugging Face encoder with a pooling over its last layer; one view, ``semantic``."""

    def __init__(self, name: str, pooling: Pooling, batch_size: int = 64, max_tokens: int = 128) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer

        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.tokenizer: Any = AutoTokenizer.from_pretrained(name)
        self.model: Any = AutoModel.from_pretrained(name).eval().to(self.device)
        self.pooling, self.batch_size, self.max_tokens = pooling, batch_size, max_tokens

    def embed(self, sentences: Sequence[HasTree]) -> Vectors:
        """Embed the texts, shortest first so that batches are dense; the trees are not looked at."""
        import torch

        texts = [sentence.text for sentence in sentences]
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        out = np.zeros((len(texts), self.model.config.hidden_size), dtype=np.float32)
        for start in range(0, len(order), self.batch_size):
            rows = order[start : start + self.batch_size]
            tokens = self.tokenizer(
                [texts[row] for row in rows],
                padding=True,
                truncation=True,
                max_length=self.max_tokens,
                return_tensors="pt",
            ).to(self.device)
            with torch.inference_mode():
                states = self.model(**tokens).last_hidden_state
            out[rows] = self._pool(states, tokens["attention_mask"]).float().cpu().numpy()
        return {"semantic": out}

    def token_encoders(self) -> "TokenEncoders":
        """The transformer itself, for probes of words."""
        return _encoders(self.model, self.tokenizer, self.max_tokens)

    def _pool(self, states: Any, mask: Any) -> Any:
        keep = mask.unsqueeze(-1).to(states.dtype)
        if self.pooling == "cls":
            return states[:, 0]
        if self.pooling == "max":
            return states.masked_fill(keep == 0, float("-inf")).amax(1)
        return (states * keep).sum(1) / keep.sum(1)


def _encoders(transformer: Any, tokenizer: Any, max_tokens: int) -> "TokenEncoders":
    from pipeline.nn.encoder import Encoder
    from pipeline.nn.tokens import Tokeniser

    return {"semantic": Encoder(transformer).eval()}, Tokeniser(tokenizer, max_tokens)


def is_system(folder: Path) -> bool:
    """Whether a folder is a SynSem model, as the pretrain stage writes it."""
    return (folder / "training.json").exists() and (folder / "config.json").exists()


def open_model(name: str, pooling: Pooling | None = None) -> Embedder:
    """A model by folder or id: a SynSem model folder, a sentence-transformers one, else a transformer with
    a pooling.

    A bare Hugging Face id without ``pooling`` is handed to sentence-transformers, which knows how it was
    trained. Raises SynsemError where nothing can be loaded.
    """
    folder = Path(name)
    if is_system(folder) and pooling is None:
        from pipeline.systems import registry

        return registry.load(folder)
    try:
        if pooling is not None:
            return PooledEmbedder(name, pooling)
        return SentenceTransformerEmbedder(name)
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SynsemError(
            f"{name}: no model could be loaded from it ({reason}); name a model folder or a Hugging Face id"
        ) from error
