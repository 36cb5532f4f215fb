"""The parser's layers: mix, dropout, BiLSTM against torch's packed one, biaffine scorers by equation."""

import pytest
import torch

from pipeline.nn.recurrent import SharedDropout
from pipeline.systems.cssl.parser import Biaffine, Scorers


def test_in_dropout_all_words_of_a_sentence_lose_the_same_dimensions_and_the_mean_stays() -> None:
    torch.manual_seed(0)
    states = torch.ones(200, 7, 50)
    dropped = SharedDropout(0.3)(states)
    assert torch.equal(dropped, dropped[:, :1].expand_as(dropped))
    assert set(dropped.unique().tolist()) == {0.0, (torch.ones(1) / 0.7).item()}
    assert abs(dropped.mean().item() - 1) < 0.03
    assert not torch.equal(dropped[0], dropped[1])


def test_without_training_or_rate_nothing_is_dropped() -> None:
    states = torch.randn(2, 3, 4)
    assert torch.equal(SharedDropout(0.5).eval()(states), states)
    assert torch.equal(SharedDropout(0.0)(states), states)


@pytest.fixture
def scorers() -> Scorers:
    torch.manual_seed(0)
    scorers = Scorers(width=6, arc_size=5, label_size=4, labels=3, dropout=0.5).eval()
    for biaffine in (scorers.arc, scorers.label):
        torch.nn.init.normal_(biaffine.weight)
    return scorers


def test_a_pair_scores_x_u_y_with_ones_appended() -> None:
    torch.manual_seed(0)
    biaffine = Biaffine(3, 2)
    torch.nn.init.normal_(biaffine.weight)
    x, y = torch.randn(2, 4, 3), torch.randn(2, 5, 3)
    every = biaffine.all_pairs(x, y)
    one = torch.ones(1)
    for output in range(2):
        wanted = torch.cat([x[1, 2], one]) @ biaffine.weight[output] @ torch.cat([y[1, 3], one])
        torch.testing.assert_close(every[1, 2, 3, output], wanted)
    torch.testing.assert_close(biaffine.pairs(x, y[:, :4]), every[:, range(4), range(4)])


def test_arcs_and_labels_are_of_word_and_head(scorers: Scorers) -> None:
    states = torch.randn(1, 4, 6)  # the root and three words
    arcs = scorers.arcs(states, torch.ones(1, 3, dtype=torch.bool))
    dependent, head = scorers.arc_dependent(states[:, 1:]), scorers.arc_head(states)
    torch.testing.assert_close(arcs[0, 1, 3], scorers.arc.pairs(dependent[0, 1], head[0, 3])[0])
    labels = scorers.labels(states, torch.tensor([[3, 0, 1]]))
    dependent, head = scorers.label_dependent(states[:, 1:]), scorers.label_head(states)
    torch.testing.assert_close(labels[0, 0], scorers.label.pairs(dependent[0, 0], head[0, 3]))
    torch.testing.assert_close(labels[0, 1], scorers.label.pairs(dependent[0, 1], head[0, 0]))


def test_neither_padding_nor_the_word_itself_is_a_head(scorers: Scorers) -> None:
    real = torch.tensor([[True, True, False]])
    lowest = torch.finfo(torch.float32).min
    arcs = scorers.arcs(torch.randn(1, 4, 6), real)
    assert arcs[0, 0, 1] == arcs[0, 1, 2] == arcs[0, 0, 3] == arcs[0, 1, 3] == lowest
    assert (arcs[0, :2, 0] > lowest).all()
