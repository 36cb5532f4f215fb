"""Contextual states of words, layer by layer: what token-level probes read, from any model with encoders of
ours inside."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.nn.embedding import by_length, token_budget
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokens import Tokeniser
from pipeline.nn.words import pool_words
from pipeline.sentences import HasTree

States = list[NDArray[np.floating]]  # one matrix [words, D] a sentence; float16, for there are many
TokenEncoders = tuple[Mapping[str, Encoder], Tokeniser]


@runtime_checkable
class WordReader(Protocol):
    """A model that gives the states of words by its own means."""

    def word_states(self, sentences: Sequence[HasTree]) -> dict[str, list[States]]:
        """For each view and layer, each sentence's words' states; NaN in the row of a word cut off."""
        ...


@runtime_checkable
class TokenReader(Protocol):
    """A model that names its encoders by view, and the tokeniser that they share."""

    def token_encoders(self) -> TokenEncoders:
        """Encoders by view, and their tokeniser."""
        ...


def word_states(model: object, sentences: Sequence[HasTree]) -> dict[str, list[States]]:
    """States of the words of every sentence, by view and by layer from the first to the last.

    A word's state is the mean of its pieces'; a word beyond the tokeniser's limit has a row of NaN. A system
    needs no method for this: its ``Encoder`` parts are its views. SynsemError for a model that shows none.
    """
    if isinstance(model, WordReader):
        return model.word_states(sentences)
    encoders, tokeniser = _parts(model)
    if not encoders or tokeniser is None:
        raise SynsemError("the model shows no states of words, so what they hold cannot be probed")
    return {name: _read(encoder, tokeniser, sentences) for name, encoder in encoders.items()}


def _parts(model: object) -> tuple[Mapping[str, Encoder], Tokeniser | None]:
    if isinstance(model, TokenReader):
        return model.token_encoders()
    named = dict(model.named_children()) if isinstance(model, torch.nn.Module) else vars(model)
    encoders = {
        "semantic" if name == "encoder" else name: part
        for name, part in named.items()
        if isinstance(part, Encoder)
    }
    return encoders, getattr(model, "tokeniser", None)


@torch.inference_mode()
def _read(encoder: Encoder, tokeniser: Tokeniser, sentences: Sequence[HasTree]) -> list[States]:
    device = next(encoder.parameters()).device
    encoded = tokeniser.encode(sentences)
    found: list[States] = []
    training = encoder.training
    encoder.eval()
    for rows in by_length([len(each.ids) for each in encoded], token_budget(device)):
        tokens = tokeniser.pad([encoded[row] for row in rows], device)
        assert tokens.words is not None
        lengths = [len(sentences[row].words) for row in rows]
        there = (tokens.words[:, None] == torch.arange(max(lengths), device=device)[:, None]).any(2)
        with _watched(encoder.model) as layers:
            last = encoder.states(tokens)
        inner = [states for states in layers[:-1] if states.shape == last.shape]
        found = found or [[np.empty((0, 0), np.float16)] * len(sentences) for _ in (*inner, last)]
        for layer, states in zip(found, (*inner, last), strict=True):
            pooled = pool_words(states.float(), tokens.words, max(lengths), "mean")
            blocks = pooled.masked_fill(~there[..., None], float("nan")).half().cpu().numpy()
            for row, matrix, length in zip(rows, blocks, lengths, strict=True):
                layer[row] = matrix[:length].copy()
    encoder.train(training)
    return found


@contextmanager
def _watched(model: torch.nn.Module) -> Iterator[list[torch.Tensor]]:
    """The output of every layer of a transformer, in a list that its next pass fills."""
    stacks = [part for part in model.modules() if isinstance(part, torch.nn.ModuleList)]
    outputs: list[torch.Tensor] = []

    def take(_: torch.nn.Module, __: Any, output: Any) -> None:
        outputs.append(output if isinstance(output, torch.Tensor) else output[0])

    hooks = [layer.register_forward_hook(take) for layer in max(stacks, key=len, default=())]
    try:
        yield outputs
    finally:
        for hook in hooks:
            hook.remove()
