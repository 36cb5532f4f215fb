"""Open any model that turns sentences into vectors, and embed each sentence of a run once."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.params import Encoder
from pipeline.nn.backbone import has_decoder, locate, quiet, reason
from pipeline.nn.compute import best_device
from pipeline.nn.encoder import Pooling
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Embedder, PairReader, PairScorer, Views

Floats = NDArray[np.float32]


def scores_pairs(embedder: object) -> TypeGuard[PairScorer]:
    """Return whether a model has ``late_scores``; it is None if its settings rule late interaction out."""
    return callable(getattr(embedder, "late_scores", None))


def reads_pairs(embedder: object) -> TypeGuard[PairReader]:
    """Return whether a model gives the vectors and the scores of pairs in one pass."""
    return scores_pairs(embedder) and callable(getattr(embedder, "read_pairs", None))


class Embeddings:
    """Vectors by text and late-interaction scores by pair of texts, each computed once, on demand.

    Two sentences with one text share the tree of the first.
    """

    def __init__(self, model: Embedder) -> None:
        self.model = model
        self._row: dict[str, int] = {}
        self._vectors: Views = {}
        self._late: dict[tuple[str, str], float] = {}
        self._alignment: dict[tuple[str, str], Floats] = {}

    def __len__(self) -> int:
        return len(self._row)

    def __call__(self, sentences: Sequence[Sentence]) -> Views:
        """Return the vectors of n sentences, float32 [n, d] for each view.

        Raises SynsemError if the model gives NaN or infinity.
        """
        if new := [sentences[row] for row in self._unknown(sentences).values()]:
            self._keep(new, self.model.embed(new))
        rows = [self._row[each.text] for each in sentences]
        return {view: matrix[rows] for view, matrix in self._vectors.items()}

    def pairs(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> tuple[Views, Views, Floats | None]:
        """Return the vectors of both sides of n pairs, and their late-interaction scores, float32 [n].

        The scores are None for a model that has none.
        """
        late = self._scores(a, b)  # first: one pass may give vectors and scores
        vectors = self([*a, *b])
        first = {view: matrix[: len(a)] for view, matrix in vectors.items()}
        return first, {view: matrix[len(a) :] for view, matrix in vectors.items()}, late

    def alignment(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> dict[str, Floats]:
        """Return how well the words of pairs that were scored are found in each other, float32 [n] each.

        See ``late_interaction.alignment``; for a model that reads pairs.
        """
        found = np.stack([self._alignment[x.text, y.text] for x, y in zip(a, b, strict=True)])
        return {"weakest": found[:, 0], "covered": found[:, 1]}

    def _scores(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> Floats | None:
        model = self.model
        if not scores_pairs(model):
            return None
        keys = [(x.text, y.text) for x, y in zip(a, b, strict=True)]
        new = {key: row for row, key in enumerate(keys) if key not in self._late}
        if new:
            first, second = ([side[row] for row in new.values()] for side in (a, b))
            if reads_pairs(model):
                found = model.read_pairs(first, second)
                scores = found.scores
                self._alignment |= dict(zip(new, found.alignment, strict=True))
                self._keep(found.sentences, found.vectors)
            else:
                scores = model.late_scores(first, second)
            _check_finite("late scores", scores, [text for text, _ in new])
            self._late |= dict(zip(new, scores.tolist(), strict=True))
        return np.array([self._late[key] for key in keys], dtype=np.float32)

    def _unknown(self, sentences: Sequence[Sentence]) -> dict[str, int]:
        """Return the texts that are not known, and of each the first place."""
        first: dict[str, int] = {}
        for row, sentence in enumerate(sentences):
            if sentence.text not in self._row:
                first.setdefault(sentence.text, row)
        return first

    def _keep(self, sentences: Sequence[Sentence], vectors: Views) -> None:
        """Add the vectors of sentences whose texts were not known before."""
        first = self._unknown(sentences)
        for view, matrix in vectors.items():
            new = np.asarray(matrix, dtype=np.float32)[list(first.values())]
            _check_finite(f"view {view}", new, list(first))
            self._vectors[view] = np.concatenate([self._vectors.get(view, new[:0]), new])
        self._row |= {text: len(self._row) + number for number, text in enumerate(first)}


def _check_finite(what: str, values: NDArray[np.floating], texts: Sequence[str]) -> None:
    """Raise SynsemError if a row of values, [n] or [n, d], of n texts holds NaN or infinity."""
    bad = ~np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
    if bad.any():
        raise SynsemError(
            f"{what}: {int(bad.sum())} of {len(bad)} hold NaN or infinity, first for "
            f"'{texts[int(bad.argmax())][:60]}'; the model is broken or its precision too low"
        )


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
        raise SynsemError(f"--run-code-of: names {run_code_of} and not the --model, {name}; name that")
    folder = Path(name)
    foreign = any((folder / file).exists() for file in ("config.json", "modules.json"))
    if folder.is_dir() and (is_system(folder) or not foreign) and pooling is None:
        from pipeline.systems.base import registry

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
    """A model to be judged, and the name of its results."""

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
    """Open the backbone, a trained system by name and seed, or any ``model`` by folder or id.

    Raises SynsemError if the arguments contradict each other or the model is missing.
    """
    from pipeline.systems.base import registry

    if bool(system) == bool(model):
        raise SynsemError("name either a system, such as 'backbone' or 'sscp 13', or a --model, and not both")
    if model:
        place = locate(model)
        embedder = open_model(place, pooling, None if run_code_of is None else locate(run_code_of))
        trees = is_system(Path(place)) and not getattr(embedder, "reads_text_alone", False)
        return ModelUnderTest(_run_name(model, Path(place), pooling), embedder, trees)
    if system == "backbone":
        return ModelUnderTest(system, registry.Baseline(encoder), needs_trees=True, baselines=True)
    if seed is None:
        raise SynsemError(f"{system}: name a seed too, as in 'synsem evaluate {system} 13'")
    folder = models / system / str(seed)
    if not folder.is_dir():
        registry.check_name(system)
        raise SynsemError(f"{folder}: no such model; run `dvc repro` or the pretrain stage first")
    trained = registry.load(folder).to(best_device())
    return ModelUnderTest(f"{system}-{seed}", trained, not trained.reads_text_alone)


def _run_name(model: str, place: Path, pooling: Pooling | None) -> str:
    """Return what the run of a model by folder or id is called: ``sscp-13`` for ``models/sscp/13``.

    Another model than SynSem's is called by its folder, or by the last part of its id, and its ``pooling``.
    """
    name = os.path.normpath(Path(model).absolute()) if Path(model).is_dir() else model
    name = "-".join(place.resolve().parts[-2:]) if is_system(place) else Path(name).name
    return "-".join(filter(None, [name.replace(":", "-"), pooling]))
