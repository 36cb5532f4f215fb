"""Open any model that turns sentences into vectors."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.core.errors import SynsemError
from pipeline.core.params import Encoder
from pipeline.nn.backbone import has_decoder, locate, quiet, reason
from pipeline.nn.compute import best_device
from pipeline.nn.encoder import Pooling
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Embedder, Views, registry

# By its path: if it were imported, every `evaluate` would depend on its code.
BUNDLED = Path(__file__).parents[1] / "pretrained"


class SentenceTransformerEmbedder:
    """A sentence-transformers folder or id, or any Hugging Face encoder with a ``pooling``.

    Its one view is ``semantic``. Python code that the model brings runs only if it is ``trusted``.
    """

    def __init__(self, name: str, pooling: Pooling | None = None, trusted: bool = False) -> None:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.models import Pooling as PoolingLayer
        from sentence_transformers.models import Transformer

        trust: Any = {"trust_remote_code": trusted}
        with quiet():
            if pooling is None:
                self.model: Any = SentenceTransformer(name, **trust)
                return
            encoder: Any = Transformer(
                name, max_seq_length=128, model_args=trust, config_args=trust, tokenizer_args=trust
            )
            (attribute, inner), *_ = encoder.named_children()  # its name differs between versions
            if has_decoder(inner):
                setattr(encoder, attribute, inner.get_encoder())
            layer = PoolingLayer(inner.config.hidden_size, pooling_mode=pooling)
            self.model = SentenceTransformer(modules=[encoder, layer], device=str(best_device()))

    def embed(self, sentences: Sequence[Sentence]) -> Views:
        """Embed the texts; the trees are not read."""
        texts = [sentence.text for sentence in sentences]
        vectors = self.model.encode(texts, batch_size=64, convert_to_numpy=True, show_progress_bar=False)
        return {"semantic": np.asarray(vectors, dtype=np.float32)}


def is_system(folder: Path) -> bool:
    """Return whether a folder is a SynSem model, as the pretrain stage writes it."""
    return (folder / "training.json").exists() and (folder / "config.json").exists()


def open_model(name: str, pooling: Pooling | None = None, run_code_of: str | None = None) -> Embedder:
    """Open a SynSem model folder, a sentence-transformers folder or id, or a transformer with a ``pooling``.

    Python code that a model brings runs only if ``run_code_of`` repeats its name. Raises SynsemError if
    nothing can be loaded.
    """
    if run_code_of not in (None, name):
        raise SynsemError(f"--run-code-of: must name the --model, {name} (got {run_code_of})")
    folder = Path(name)
    foreign = any((folder / file).exists() for file in ("config.json", "modules.json"))
    if folder.is_dir() and (is_system(folder) or not foreign) and pooling is None:
        return registry.load(folder).to(best_device())  # or says what the folder is
    try:
        return SentenceTransformerEmbedder(name, pooling, trusted=run_code_of is not None)
    except Exception as error:  # damaged files raise errors of any type in the library
        remedy = "name a model folder or a Hugging Face id"
        if "trust_remote_code" in str(error):
            remedy = f"read it, and if you trust it add --run-code-of {shlex.quote(name)}"
        raise SynsemError(f"{name}: no model could be loaded from it ({reason(error)}); {remedy}") from error


@dataclass(frozen=True)
class ModelUnderTest:
    """A model to evaluate, and the name of its results."""

    run: str
    embedder: Embedder
    needs_trees: bool = False  # a benchmark text without a tree is an error
    baselines: bool = False  # also score a bag of words and the agreement of trees


def open_model_under_test(
    system: str,
    seed: int | None,
    model: str | None,
    pooling: Pooling | None,
    models: Path,
    encoder: Encoder,
    run_code_of: str | None = None,
) -> ModelUnderTest:
    """Open the backbone, the bundled model, a trained system by name and seed, or ``model`` by folder or id.

    Raises SynsemError if the arguments contradict each other or the model is missing.
    """
    if bool(system) == bool(model):
        raise SynsemError("name either a system, such as 'backbone' or 'sscp 13', or a --model, but not both")
    if model:
        place = locate(model)
        embedder = open_model(place, pooling, None if run_code_of is None else locate(run_code_of))
        trees = is_system(Path(place)) and not getattr(embedder, "reads_text_alone", False)
        return ModelUnderTest(_run_name(model, Path(place), pooling), embedder, trees)
    if system == "backbone":
        return ModelUnderTest(system, registry.Baseline(encoder), needs_trees=True, baselines=True)
    if seed is None and system != "pretrained":
        raise SynsemError(f"{system}: name a seed too, as in 'synsem evaluate {system} 13'")
    folder = BUNDLED if seed is None else models / system / str(seed)
    if not folder.is_dir():
        registry.check_name(system)
        raise SynsemError(f"{folder}: no such model; run `dvc repro` or the pretrain stage first")
    trained = registry.load(folder).to(best_device())
    run = system if seed is None else f"{system}-{seed}"
    return ModelUnderTest(run, trained, not trained.reads_text_alone)


def _run_name(model: str, place: Path, pooling: Pooling | None) -> str:
    """Return the run name of a model that is given by folder or id: ``sscp-13`` for ``models/sscp/13``.

    Models of other libraries are named by their folder, or the last part of their id, and ``pooling``.
    """
    name = os.path.normpath(Path(model).absolute()) if Path(model).is_dir() else model
    name = "-".join(place.resolve().parts[-2:]) if is_system(place) else Path(name).name
    return "-".join(filter(None, [name.replace(":", "-"), pooling]))
