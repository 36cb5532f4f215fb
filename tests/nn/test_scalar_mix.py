"""The learnt mean of layers."""

import torch

from pipeline.nn.scalar_mix import ScalarMix


def test_it_starts_as_the_mean_and_follows_its_weights() -> None:
    layers = list(torch.randn(4, 2, 3, 5))
    mix = ScalarMix(4)
    torch.testing.assert_close(mix(layers), torch.stack(layers).mean(dim=0))
    with torch.no_grad():
        mix.weight.copy_(torch.tensor([-100.0, 0.0, -100.0, 0.0]))
        mix.scale.fill_(2.0)
    torch.testing.assert_close(mix(layers), layers[1] + layers[3])


def test_the_type_of_the_states_stays() -> None:
    assert (
        ScalarMix(2)([torch.zeros(1, 1, 2)] * 1 + [torch.zeros(1, 1, 2).bfloat16()]).dtype == torch.bfloat16
    )
