"""The padded BiLSTM: the vectors and last states of torch's own, packed one."""

import copy

import pytest
import torch
from torch import nn

from pipeline.nn.tokenizer import Tokens
from pipeline.systems.upos.bilstm import BiLstm, BiLstmStates

LENGTHS = torch.tensor([5, 1, 3, 5, 2])


def tokens(padding: int = 0) -> Tokens:
    torch.manual_seed(3)
    mask = torch.arange(5) < LENGTHS[:, None]
    return Tokens(torch.where(mask, torch.randint(1, 9, (5, 5)), padding), mask, None, None)


def packed(encoder: BiLstm, batch: Tokens) -> BiLstmStates:
    """The same weights in one packed nn.LSTM, which never sees padding."""
    width, inputs, count = encoder.width // 2, encoder.embedding.embedding_dim, len(encoder.layers)
    oracle = nn.LSTM(inputs, width, count, batch_first=True, bidirectional=True)
    with torch.no_grad():
        for number, layer in enumerate(encoder.layers):
            for name, weight in layer.named_parameters():
                own = weight[:, 1:] if name.startswith("weight_ih") else weight
                getattr(oracle, name.replace("l0", f"l{number}")).copy_(own)
    sequence = nn.utils.rnn.pack_padded_sequence(
        encoder.embedding(batch.ids), LENGTHS, batch_first=True, enforce_sorted=False
    )
    outputs, (hidden, cell) = oracle(sequence)
    states, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, padding_value=-9.0)
    return BiLstmStates(states.amax(dim=1), torch.cat([hidden[-2], hidden[-1], cell[-2], cell[-1]], dim=1))


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("padding", [0, 8])
def test_vectors_and_last_states_are_those_of_a_packed_lstm(layers: int, padding: int) -> None:
    torch.manual_seed(layers)
    encoder = BiLstm(9, 4, 3, layers, 0.0).eval()
    found, expected = encoder.encode(tokens(padding)), packed(encoder, tokens(padding))
    torch.testing.assert_close(found.pooled, expected.pooled)
    torch.testing.assert_close(found.last, expected.last)
    assert (found.pooled.shape[1], found.last.shape[1]) == (encoder.width, encoder.last_width)


class Doubled(nn.Module):
    """In the place of dropout: what it acts on is twice as large."""

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return 2 * states


def test_dropout_acts_on_embeddings_and_between_layers_and_not_on_the_mark_of_padding() -> None:
    torch.manual_seed(0)
    encoder = BiLstm(9, 4, 3, 2, 0.3)
    assert encoder.dropout.p == 0.3
    oracle = copy.deepcopy(encoder).eval()
    with torch.no_grad():
        for name, weight in oracle.layers.named_parameters():
            if "weight_ih" in name:
                weight[:, 1:] *= 2
    encoder.dropout = Doubled()
    found, expected = encoder.encode(tokens(8)), oracle.encode(tokens(8))
    torch.testing.assert_close(found.pooled, expected.pooled)
    torch.testing.assert_close(found.last, expected.last)


def test_so_are_the_gradients_and_what_marks_padding_is_not_trained() -> None:
    torch.manual_seed(0)
    encoder = BiLstm(9, 4, 3, 2, 0.0)
    gradients = []
    for encode in (encoder.encode, lambda batch: one_by_one(encoder, batch)):
        encoder.zero_grad()
        states = encode(tokens(8))
        (states.pooled.square().sum() + states.last.pow(3).sum()).backward()
        gradients.append({name: weight.grad.clone() for name, weight in encoder.named_parameters()})
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradient, gradients[1][name], msg=name)
        if "weight_ih" in name:
            assert not gradient[:, 0].any()


def one_by_one(encoder: BiLstm, batch: Tokens) -> BiLstmStates:
    """Sentence by sentence, so that nothing is padded."""
    rows = [
        encoder.encode(
            Tokens(batch.ids[row : row + 1, :length], batch.mask[row : row + 1, :length], None, None)
        )
        for row, length in enumerate(LENGTHS.tolist())
    ]
    return BiLstmStates(torch.cat([row.pooled for row in rows]), torch.cat([row.last for row in rows]))
