"""Recurrent layers without packing: the same states as torch's packed ones."""

import pytest
import torch
from torch import nn

from pipeline.nn.recurrent import Recurrent


def packed(layers: Recurrent, states: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """The same layers as torch's own bidirectional LSTM over a packed sequence."""
    width, count = states.shape[-1], len(layers.forwards)
    oracle = nn.LSTM(width, width // 2, count, batch_first=True, bidirectional=True)
    with torch.no_grad():
        for number in range(count):
            for part, suffix in ((layers.forwards, ""), (layers.backwards, "_reverse")):
                for name, weight in part[number].named_parameters():
                    getattr(oracle, name.removesuffix("0") + f"{number}{suffix}").copy_(weight)
    sequence = nn.utils.rnn.pack_padded_sequence(states, lengths, batch_first=True, enforce_sorted=False)
    found, _ = nn.utils.rnn.pad_packed_sequence(oracle(sequence)[0], batch_first=True)
    return found


@pytest.mark.parametrize("layers", [1, 2])
def test_states_are_those_of_a_packed_lstm_whatever_the_padding_holds(layers: int) -> None:
    torch.manual_seed(layers)
    recurrent = Recurrent(8, layers, 0.0).eval()
    lengths = torch.tensor([5, 1, 3, 5])
    states = torch.randn(4, 5, 8)
    real = torch.arange(5) < lengths[:, None]
    oracle = packed(recurrent, states, lengths)
    for padding in (0.0, 1e3):
        found = recurrent(states.masked_fill(~real[..., None], padding), lengths)
        torch.testing.assert_close(found[real], oracle[real])


def test_an_odd_width_cannot_be_halved() -> None:
    with pytest.raises(ValueError, match="even"):
        Recurrent(7, 1, 0.0)
