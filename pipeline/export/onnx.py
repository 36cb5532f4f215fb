"""Draw a trained model that reads text alone as an ONNX graph, which ``pipeline.export.graph`` runs.

Token ids go in and unit vectors come out; pooling and normalisation are inside. A view that is a transformer
needs only token ids; the other views also need the word of each token.
"""

import json
import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.core.store import atomic_path, write_json
from pipeline.export.graph import GRAPH, INPUTS, TRANSPOSED, WEIGHTS, WORDS, read
from pipeline.nn.encoder import SentenceEncoder
from pipeline.nn.tokenizer import Tokens
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import System
from pipeline.systems.views import require

_TEXTS = (
    "The dog chased the boy.",
    "Rain fell.",
    "The boy was chased across the old bridge by a dog that nobody in the village had ever seen before.",
)
_LEAST = 256  # numbers of a weight that is left out of a graph; smaller ones stay


class _Encoder(nn.Module):
    """A view that needs only token ids."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor]:
        return (F.normalize(self.encoder(Tokens(input_ids, attention_mask.bool(), None, None)), dim=-1),)


class _Outputs(nn.Module):
    """Some of the outputs of a ``text_network``, in this order."""

    def __init__(self, network: nn.Module, names: tuple[str, ...]) -> None:
        super().__init__()
        self.network, self.names = network, names

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, word_ids: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        found = self.network(input_ids, attention_mask, word_ids)
        return tuple(found[name] for name in self.names)


def draw(system: System, view: str | None) -> Any:
    """Return an ``onnx.ModelProto`` of one view; of None all that the system makes of text without a tree.

    Inputs are ``input_ids`` and ``attention_mask``, int64 [n, length], any n and length; if the view is not a
    transformer's also ``word_ids``: the 0-based word of each token, -1 for none. Outputs are views by name,
    float32 [n, D], and what late interaction reads. Raises SynsemError if the system lacks the view, and if
    that reads trees.
    """
    from onnx.helper import set_model_props

    if view is not None:
        require(system, view, f"onnx: {system.name}")
    texts, network, encoder = system.tokenizer, system.text_network(), system.text_encoder
    settings: dict[str, Any] = {"system": system.name, "max_tokens": texts.max_tokens}
    settings["padding"] = texts.hf_tokenizer.pad_token_id or 0
    ids = torch.tensor([[4, 5, 6, 4], [4, 5, 4, 0]])  # any will do
    inputs = {INPUTS[0]: ids, INPUTS[1]: ids.clamp(max=1), WORDS: ids - 4}
    if encoder is not None and (view == system.exported_view or (view is None and network is None)):
        outputs: tuple[str, ...] = (system.exported_view,)
        graph: nn.Module = _Encoder(encoder)
        del inputs[WORDS]
    elif network is not None:
        outputs = tuple(network.eval()(*inputs.values())) if view is None else (view,)
        graph = _Outputs(network, outputs)
        settings |= {"width": system.semantic.width, "weight": network.weight}
    else:
        raise SynsemError(
            f"onnx: the view {view or system.exported_view} of {system.name} reads trees, which a graph "
            f"cannot be given; take --view {system.exported_view}"
        )
    axes = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    with torch.no_grad(), _exporting():
        program: Any = torch.onnx.export(
            graph.eval(),
            tuple(inputs.values()),
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_shapes=dict.fromkeys(inputs, axes),
            dynamo=True,
            verbose=False,
        )
    model = program.model_proto
    for node in model.graph.node:  # where in the code it was drawn
        del node.metadata_props[:]
        node.doc_string = ""
    set_model_props(model, {"settings": json.dumps(settings)})
    return model


def export_onnx(system: System, path: Path, view: str | None = None, int8: bool = False) -> float:
    """Write what ``draw`` draws; return the smallest cosine of its vectors to the system's own.

    With ``int8`` weights are quantised, and activations as they come. The file gets its name once it has been
    run. Raises SynsemError as ``draw`` does, and if the vectors are not the system's.
    """
    model = draw(system, view)
    model.metadata_props.add(key="tokenizer", value=system.tokenizer.hf_tokenizer.backend_tokenizer.to_str())
    with atomic_path(path) as partial:
        partial.write_bytes(model.SerializeToString())
        if int8:
            quantise(partial)
        sentences = [Sentence(text) for text in _TEXTS]
        found = read(partial).embed(sentences)
        encoder, _ = system.embedder(found, "exact")
        expected = encoder(sentences)
        # As the cosine of vectors of length 1, but 1 for two structural ones that are zero.
        least = 1 - max(
            float(((vectors - expected[name]) ** 2).sum(axis=1).max()) / 2 for name, vectors in found.items()
        )
        if least < (0.9 if int8 else 1 - 1e-5):
            raise SynsemError(f"{path}: a vector differs from the model's (cosine {least:.4f}); report it")
    return least


def quantise(path: Path) -> None:
    """Replace a graph's file by one with weights of 8 bits: onnxruntime's dynamic quantisation.

    Channels have their own scales and weights seven bits: with less, cosines on a CPU with AVX2 fall to 0.96.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with _exporting():
        kind = QuantType.QInt8
        quantize_dynamic(path, path, weight_type=kind, per_channel=True, reduce_range=True)


def draw_without_weights(system: System, weights: Mapping[str, torch.Tensor], folder: Path) -> None:
    """Write ``GRAPH`` without the larger ones of some weights, and ``WEIGHTS``, a list of their names.

    A weight that the graph has transposed has ``TRANSPOSED`` behind its name.
    """
    from onnx import TensorProto, numpy_helper

    model, names, renamed = draw(system, None), {}, {}
    for name, weight in weights.items():
        for array, own in ((weight.numpy().T, name + TRANSPOSED), (weight.numpy(), name)):
            names[array.shape, array.tobytes()] = own
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.size >= _LEAST and (found := names.get((array.shape, array.tobytes()))):
            renamed[tensor.name] = found
            tensor.name = found
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value="none")
    for node in model.graph.node:
        node.input[:] = [renamed.get(each, each) for each in node.input]
    del model.graph.value_info[:]
    (folder / GRAPH).write_bytes(model.SerializeToString())
    write_json(folder / WEIGHTS, sorted(renamed.values()))


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
