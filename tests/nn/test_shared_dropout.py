"""One dropout mask a sentence."""

import torch

from pipeline.nn.shared_dropout import SharedDropout


def test_all_words_of_a_sentence_lose_the_same_dimensions_and_the_mean_stays() -> None:
    torch.manual_seed(0)
    states = torch.ones(200, 7, 50)
    dropped = SharedDropout(0.3)(states)
    assert torch.equal(dropped, dropped[:, :1].expand_as(dropped))
    assert set(dropped.unique().tolist()) == {0.0, (torch.ones(1) / 0.7).item()}
    assert abs(dropped.mean().item() - 1) < 0.03
    assert not torch.equal(dropped[0], dropped[1])


def test_without_training_or_rate_nothing_changes() -> None:
    states = torch.randn(2, 3, 4)
    assert torch.equal(SharedDropout(0.5).eval()(states), states)
    assert torch.equal(SharedDropout(0.0)(states), states)
