"""A view as an ONNX graph: token ids in, unit vectors out, pooling and normalisation inside.

A view that is a transformer reads token ids alone. The other views of a system that reads text alone need the
word of each token as well.
"""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.core.store import atomic_path
from pipeline.export.sentence_transformers import require, views
from pipeline.export.texts import TextEncoder
from pipeline.nn.encoder import SentenceEncoder
from pipeline.nn.tokenizer import NO_WORD, Tokens
from pipeline.systems.base import System, usual_view

INPUTS, WORDS, OUTPUT = ("input_ids", "attention_mask"), "word_ids", "sentence_embedding"
_TEXTS = (
    "The dog chased the boy.",
    "Rain fell.",
    "The boy was chased across the old bridge by a dog that nobody in the village had ever seen before.",
)


class _Graph(nn.Module):
    def __init__(self, encoder: SentenceEncoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.encoder(Tokens(input_ids, attention_mask.bool(), None, None)), dim=-1)


def default_view(system: System) -> str:
    """Return the view of a graph if none is named: the usual one, or the system's ``exported_view``."""
    usual = usual_view(views(system))
    return system.exported_view if system.text_network(usual) is None else usual


def export_onnx(system: System, path: Path, view: str) -> float:
    """Write a graph of a view; return the largest difference of its vectors to the system's own.

    Inputs are ``input_ids`` and ``attention_mask``, int64 [n, length], any n and length. If the view binds
    words there is a third, ``word_ids``: the 0-based word of each token, -1 for none. The output
    ``sentence_embedding`` is float32 [n, D]. The file gets its name once onnxruntime has given the vectors.
    Raises SynsemError if the system lacks the view, and if that reads trees.
    """
    import onnxruntime
    import onnxscript  # noqa: F401

    require(system, view, f"onnx: {system.name}")
    graph, names = system.text_network(view), [*INPUTS, WORDS]
    if view == system.exported_view and system.text_encoder is not None:
        graph, names = _Graph(system.text_encoder), list(INPUTS)
    if graph is None:
        raise SynsemError(
            f"onnx: the view {view} of {system.name} reads trees, which a graph cannot be given; "
            f"take --view {system.exported_view}"
        )
    fed = feed(system, _TEXTS, names)
    axes = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    with atomic_path(path) as partial:
        with torch.no_grad(), _exporting():
            torch.onnx.export(
                graph.eval(),
                tuple(torch.from_numpy(fed[name]) for name in names),
                str(partial),
                input_names=names,
                output_names=[OUTPUT],
                dynamic_shapes=dict.fromkeys(names, axes),
                dynamo=True,
                external_data=False,
                verbose=False,
            )
        session = onnxruntime.InferenceSession(str(partial), providers=["CPUExecutionProvider"])
        expected = TextEncoder(system, view, parse=None)(_TEXTS)[view]
        batches = [list(_TEXTS), *([text] for text in _TEXTS)]
        found = np.concatenate([run(session, system, batch) for batch in batches])
        difference = float(np.abs(found - np.tile(expected, (2, 1))).max())
        if difference > 1e-4:
            raise SynsemError(f"{path}: the graph's vectors are off by {difference:.1e}; report it")
    return difference


def run(session: Any, system: System, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return vectors of texts by a graph loaded with onnxruntime, float32 [n, D]."""
    fed = feed(system, texts, [each.name for each in session.get_inputs()])
    vectors: NDArray[np.float32] = session.run([OUTPUT], fed)[0]
    return vectors


def feed(system: System, texts: Sequence[str], names: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Return what a graph with inputs of these names reads of texts, int64 [n, length] each."""
    tokenizer, room = system.tokenizer.hf_tokenizer, system.tokenizer.max_tokens
    tokens = tokenizer(list(texts), padding=True, truncation=True, max_length=room, return_tensors="np")
    places = [tokens.word_ids(row) for row in range(len(texts))]
    words = np.array([[NO_WORD if word is None else word for word in row] for row in places])
    return {name: (words if name == WORDS else tokens[name]).astype(np.int64) for name in names}


@contextmanager
def _exporting() -> Iterator[None]:
    """Keep torch's transformer layers from one fused operator, which ONNX has not, and the exporter quiet."""
    # The second LSTM of a process would be unrolled to the first one's length, which torch 2.13 has cached.
    torch.ops.aten.lstm.input._dispatch_cache.clear()
    fast, level = torch.backends.mha.get_fastpath_enabled(), logging.root.manager.disable
    torch.backends.mha.set_fastpath_enabled(False)
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
        logging.disable(level)
