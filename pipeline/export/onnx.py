"""The semantic view as an ONNX graph: token ids in, unit vectors out, pooling and normalisation inside."""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F

from pipeline.core.atomic import atomic_path
from pipeline.core.errors import SynsemError
from pipeline.nn.embedding import embed
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokenizer import Tokens
from pipeline.syntax.sentence import Side
from pipeline.systems.base import System

INPUTS, OUTPUT = ("input_ids", "attention_mask"), "sentence_embedding"
_TEXTS = (
    "The dog chased the boy.",
    "Rain fell.",
    "The boy was chased across the old bridge by a dog that nobody in the village had ever seen before.",
)


@dataclass(frozen=True)
class Fidelity:
    """How close a graph's vectors are to the system's own, on a few sentences."""

    difference: float  # largest, of any component
    cosine: float  # smallest, of any sentence


class _Graph(nn.Module):
    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.encoder(Tokens(input_ids, attention_mask.bool(), None, None)), dim=-1)


def export_onnx(system: System, path: Path) -> Fidelity:
    """Write a graph of inputs ``input_ids`` and ``attention_mask``, int64 [n, length], any n and length.

    Its output ``sentence_embedding`` is float32 [n, D]. The file is written beside its place and run with
    onnxruntime; it gets its name once its vectors equal the system's own. Raises SynsemError
    where a library is missing or the semantic view reads trees.
    """
    runtime = _require()
    encoder = system.exported
    if encoder is None or encoder.needs_trees:
        raise SynsemError(
            f"onnx: {system.name} has no view of the words alone, and a graph cannot be given trees"
        )
    tokens = system.tokenizer.hf_tokenizer(list(_TEXTS), padding=True, return_tensors="pt")
    example = tuple(tokens[name] for name in INPUTS)
    axes = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    graph = _Graph(encoder).eval()
    with atomic_path(path) as partial:
        with torch.no_grad(), _quiet():
            torch.onnx.export(
                graph,
                example,
                str(partial),
                input_names=list(INPUTS),
                output_names=[OUTPUT],
                dynamic_shapes=dict.fromkeys(INPUTS, axes),
                dynamo=True,
                external_data=False,
                verbose=False,
            )
        found = fidelity(system, runtime.InferenceSession(str(partial), providers=["CPUExecutionProvider"]))
        if found.difference > 1e-4:
            raise SynsemError(f"{path}: the graph's vectors are off by {found.difference:.1e}; report it")
    return found


def quantise(system: System, path: Path, target: Path) -> Fidelity:
    """Write a copy of a graph with int8 weights (dynamic quantisation); return how close its vectors are."""
    runtime = _require()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with atomic_path(target) as partial:
        with _quiet():
            quantize_dynamic(path, partial, weight_type=QuantType.QInt8, per_channel=True)
        return fidelity(system, runtime.InferenceSession(str(partial), providers=["CPUExecutionProvider"]))


def fidelity(system: System, session: Any, texts: Sequence[str] = _TEXTS) -> Fidelity:
    """Compare a loaded graph with the semantic view, text by text and as one batch."""
    expected = _vectors(system, texts)
    batches = [list(texts), *([text] for text in texts)]
    found = np.concatenate([run(session, system, batch) for batch in batches])
    wanted = np.concatenate([expected, expected])
    return Fidelity(float(np.abs(found - wanted).max()), float((found * wanted).sum(axis=1).min()))


def run(session: Any, system: System, texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of texts by a graph loaded with onnxruntime, float32 [n, D]."""
    tokens = system.tokenizer.hf_tokenizer(
        list(texts),
        padding=True,
        truncation=True,
        max_length=system.tokenizer.max_tokens,
        return_tensors="np",
    )
    feed = {name: tokens[name].astype(np.int64) for name in INPUTS}
    vectors: NDArray[np.float32] = session.run([OUTPUT], feed)[0]
    return vectors


def _vectors(system: System, texts: Sequence[str]) -> NDArray[np.float32]:
    assert system.exported is not None
    sides = [Side(text, (), ()) for text in texts]
    return embed({"semantic": system.exported}, system.tokenizer, sides)["semantic"]


def _require() -> Any:
    try:
        import onnx  # noqa: F401
        import onnxruntime
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise SynsemError(f"onnx: {error.name} is not installed; pip install 'synsem[onnx]'") from error
    return onnxruntime


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the exporter's log and warnings."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
