"""SynSem models in mteb 2, https://github.com/embeddings-benchmark/mteb: the extra ``synsem[mteb]``.

import mteb
from pipeline.export.mteb import open_for_mteb

mteb.evaluate(open_for_mteb("models/sscp/13", view="joint"), mteb.get_tasks(tasks=["STSBenchmark"]))
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mteb.models.abs_encoder import AbsEncoder
from mteb.models.model_meta import ModelMeta, ScoringFunction
from numpy.typing import NDArray

from pipeline.core.disk_cache import model_digest
from pipeline.core.errors import SynsemError, naming_arguments
from pipeline.evaluation.data import chain
from pipeline.evaluation.embed import check_finite
from pipeline.evaluation.models import is_system, open_model, run_name
from pipeline.nn.encoder import Pooling
from pipeline.systems.base import Embedder, Views

EmbedTexts = Callable[[Sequence[str]], Views]  # texts to one matrix [n, D] a view


class MtebModel(AbsEncoder):
    """One view of what embeds texts, as an mteb encoder; cosine is its similarity."""

    def __init__(
        self, embed: EmbedTexts, view: str = "semantic", name: str = "synsem/model", revision: str = "local"
    ) -> None:
        self.embed, self.view = embed, view
        self.mteb_model_meta = ModelMeta.create_empty(
            {"name": name, "revision": revision, "similarity_fn_name": ScoringFunction.COSINE}
        )

    def encode(self, inputs: Iterable[Mapping[str, Any]], **_: Any) -> NDArray[np.float32]:
        """Vectors of all texts of mteb's batches, float32 [n, D]; prompts and task names are ignored.

        Each distinct text is embedded once. Raises SynsemError for a view that is not there and for a
        vector that is not finite.
        """
        texts = [text for batch in inputs for text in batch["text"]]
        distinct = list(dict.fromkeys(texts))
        vectors = self.embed(distinct)
        if self.view not in vectors:
            raise SynsemError(f"the model has no view {self.view!r}; choose from {', '.join(vectors)}")
        check_finite(f"view {self.view}", vectors[self.view], distinct)
        row = {text: number for number, text in enumerate(distinct)}
        return vectors[self.view][[row[text] for text in texts]]


def without_trees(embedder: Embedder) -> EmbedTexts:
    """Texts through a model that reads no trees."""
    return lambda texts: embedder.embed([chain(text) for text in texts])


def open_for_mteb(
    model: str,
    view: str = "semantic",
    pooling: Pooling | None = None,
    params: Path | None = None,
    run_code_of: str | None = None,
) -> MtebModel:
    """A SynSem model folder, a sentence-transformers one or a Hugging Face id, for ``mteb.evaluate``.

    A view that reads trees has its texts parsed by the parser of ``params``, or else the one that the model
    was exported with. mteb keeps results by a model's name and revision: the name has the system and the
    seed, and the revision is a digest of the files and, where the view reads trees, of the parser's section.
    Python code that a folder brings, such as that of a joint vector, is run where ``run_code_of`` is
    ``model``, too. Raises SynsemError where the model, the view or the parser is missing.
    """
    from pipeline.nn.backbone import locate

    place = locate(model)
    name = f"synsem/{run_name(model, Path(place), pooling)}-{view}"
    if not is_system(Path(place)) or pooling is not None:
        return MtebModel(without_trees(open_model(place, pooling, run_code_of)), view, name, _revision(place))
    from pipeline.export.sentence_transformers import parser_of
    from pipeline.export.text_encoder import text_encoder
    from pipeline.systems import registry

    folder = Path(place)
    with naming_arguments():
        encoder = text_encoder(registry.load(folder), folder, view, params)
    parser = [parser_of(folder, params).model_dump_json()] if encoder.parses else []
    return MtebModel(encoder, view, name, _revision(place, *parser))


def _revision(place: str, *settings: str) -> str:
    from pipeline.nn.backbone import pinned

    return model_digest(pinned(place) or place, *settings)[:12]
