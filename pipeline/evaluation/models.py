"""Open any model that turns sentences into vectors: our systems and other people's models."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from pipeline.core.errors import SynsemError
from pipeline.nn.backbone import demand_reachable, quiet, reason
from pipeline.nn.encoder import Pooling, has_decoder, pool, room
from pipeline.nn.inference import best_device
from pipeline.syntax.sentence import HasTree
from pipeline.systems.base import Embedder, PairReader, PairScorer, Views


def scores_pairs(embedder: object) -> TypeGuard[PairScorer]:
    """Whether a model has ``late_scores``; where that is None, its settings rule late interaction out."""
    return callable(getattr(embedder, "late_scores", None))


def reads_pairs(embedder: object) -> TypeGuard[PairReader]:
    """Whether a model gives the vectors and the scores of pairs from one pass."""
    return scores_pairs(embedder) and callable(getattr(embedder, "read_pairs", None))


class SentenceTransformerEmbedder:
    """A sentence-transformers folder or id, by its own ``encode``; one view, ``semantic``.

    ``trusted``: Python code of the folder may run.
    """

    def __init__(self, name: str, batch_size: int = 64, trusted: bool = False) -> None:
        from sentence_transformers import SentenceTransformer

        with quiet():
            self.model: Any = SentenceTransformer(name, trust_remote_code=trusted)
        self.batch_size = batch_size

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        """Embed the texts; the trees are not read."""
        texts = [sentence.text for sentence in sentences]
        vectors = self.model.encode(
            texts, batch_size=self.batch_size, convert_to_numpy=True, show_progress_bar=False
        )
        return {"semantic": np.asarray(vectors, dtype=np.float32)}


class PooledEmbedder:
    """Any Hugging Face encoder with a pooling over its last layer; one view, ``semantic``.

    Of an encoder-decoder it is the encoder. Texts are cut to ``max_tokens``, or to the encoder's positions.
    ``trusted``: Python code of the folder may run.
    """

    def __init__(
        self,
        name: str,
        pooling: Pooling,
        batch_size: int = 64,
        max_tokens: int = 128,
        trusted: bool = False,
    ) -> None:
        from transformers import AutoModel, AutoTokenizer

        self.device = best_device()
        with quiet():
            self.tokenizer: Any = AutoTokenizer.from_pretrained(name, trust_remote_code=trusted)
            model = AutoModel.from_pretrained(name, trust_remote_code=trusted)
        if self.tokenizer.pad_token is None:  # as a decoder's; any will do, for padding is masked
            self.tokenizer.pad_token = self.tokenizer.eos_token or self.tokenizer.unk_token
        if has_decoder(model):
            model = model.get_encoder()
        self.model: Any = model.eval().to(self.device)
        self.pooling, self.batch_size = pooling, batch_size
        self.max_tokens = min(max_tokens, room(model) or max_tokens)

    def embed(self, sentences: Sequence[HasTree]) -> Views:
        """Embed n >= 1 texts, shortest first so that batches are dense; the trees are not read."""
        import torch

        texts = [sentence.text for sentence in sentences]
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        found = []
        for start in range(0, len(order), self.batch_size):
            tokens = self.tokenizer(
                [texts[row] for row in order[start : start + self.batch_size]],
                padding=True,
                # Before a sentence, as a decoder may have it, padding would be the state that ``cls`` takes.
                padding_side="right",
                truncation=True,
                max_length=self.max_tokens,
                return_tensors="pt",
            ).to(self.device)
            with torch.inference_mode():
                inputs = {key: tokens[key] for key in ("input_ids", "attention_mask")}
                states = self.model(**inputs).last_hidden_state
            found.append(pool(states, tokens["attention_mask"].bool(), self.pooling).cpu().numpy())
        return {"semantic": np.concatenate(found)[np.argsort(order)]}


def is_system(folder: Path) -> bool:
    """Whether a folder is a SynSem model, as the pretrain stage writes it."""
    return (folder / "training.json").exists() and (folder / "config.json").exists()


def open_model(name: str, pooling: Pooling | None = None, run_code_of: str | None = None) -> Embedder:
    """A SynSem model folder, a sentence-transformers folder or id, or a transformer with a ``pooling``.

    A bare Hugging Face id without ``pooling`` is left to sentence-transformers, which knows how it was
    trained. Python code that a model brings is run only where ``run_code_of`` is its name, too. Raises
    SynsemError where nothing can be loaded.
    """
    if run_code_of not in (None, name):
        raise SynsemError(f"--run-code-of: names {run_code_of} and not the --model, {name}; name that")
    folder, trusted = Path(name), run_code_of is not None
    if is_system(folder) and pooling is None:
        from pipeline.systems import registry

        return registry.load(folder).to(best_device())
    _demand_there(folder, name)
    demand_reachable(name)
    try:
        if pooling is not None:
            return PooledEmbedder(name, pooling, trusted=trusted)
        return SentenceTransformerEmbedder(name, trusted=trusted)
    except Exception as error:  # damaged files raise errors of any type in the library
        remedy = "name a model folder or a Hugging Face id"
        if "trust_remote_code" in str(error):
            remedy = f"read it, and if you trust it add --run-code-of {shlex.quote(name)}"
        raise SynsemError(f"{name}: no model could be loaded from it ({reason(error)}); {remedy}") from error


def _demand_there(folder: Path, name: str) -> None:
    """Raise SynsemError for a path without a folder, and for a folder without a model: models/sscp."""
    if not folder.is_dir() and (folder.is_absolute() or name.startswith(".")):
        raise SynsemError(f"{name}: no such folder; name a model folder or a Hugging Face id")
    if folder.is_dir() and not any((folder / file).exists() for file in ("config.json", "modules.json")):
        from pipeline.systems import registry

        registry.load(folder)  # which says what the folder is, and which one to name


def run_name(model: str, place: Path, pooling: Pooling | None = None) -> str:
    """What a run of a model by folder or id is called: ``sscp-13`` for ``models/sscp/13``.

    ``place`` is where the model lies, be it given as ``.`` or ``..``. Another model than SynSem's is called
    by its folder, or by the last part of its id; a ``pooling`` is named, too.
    """
    folder = Path(model)
    if is_system(place):
        name = f"{place.resolve().parent.name}-{place.resolve().name}"
    else:
        name = Path(os.path.normpath(folder.absolute())).name if folder.is_dir() else folder.name
    return "-".join([name.replace(":", "-"), *([pooling] if pooling else [])])
