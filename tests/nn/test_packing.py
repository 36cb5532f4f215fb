"""Linear layers whose weights are laid out once: equal to plain ones, and gone afterwards."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from pipeline.nn import backbone, packing
from pipeline.nn.embedding import embed
from pipeline.nn.encoder import Encoder
from pipeline.nn.packing import WORTH_TOKENS, available, quick_products
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Side
from tests.nn.test_families import DISTIL, FAMILIES

WIDE = {"hidden_size": 128, "intermediate_size": 256}
IDS = torch.randint(5, 100, (3, 20), generator=torch.Generator().manual_seed(0))


@pytest.fixture(autouse=True)
def _has_it() -> None:
    if not available():
        pytest.skip("this build of torch has no oneDNN")


@pytest.fixture
def small_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_SMALL", 0)
    monkeypatch.setattr(packing, "WORTH_TOKENS", 1)


def wide(family: str) -> nn.Module:
    config, sizes = FAMILIES[family]
    larger = {"dim": 128, "hidden_dim": 256} if sizes is DISTIL else WIDE
    torch.manual_seed(0)
    model: nn.Module = transformers.AutoModel.from_config(config(**sizes | larger))
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.2)
    return model.eval()


def taken_over(model: nn.Module) -> list[str]:
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
    with torch.inference_mode(), quick_products(WORTH_TOKENS, model):
        assert taken_over(model)
        torch.testing.assert_close(states(model), before, rtol=0, atol=2e-5)
    assert taken_over(model) == []
    assert torch.equal(states(model), before)


@pytest.mark.parametrize(
    ("family", "fused"),
    [("bert", True), ("roberta", True), ("electra", True), ("mpnet", True), ("minilm", False)],
)
def test_gelu_by_the_error_function_is_applied_with_the_product(family: str, fused: bool) -> None:
    """The other family here has the approximation by tanh."""
    model = wide(family)
    with torch.inference_mode(), quick_products(WORTH_TOKENS, model):
        parts = [kind for kind in taken_over(model) if kind.endswith("Intermediate")]
    assert len(parts) == (2 if fused else 0)


def test_the_product_is_that_of_float64() -> None:
    torch.manual_seed(0)
    linear = nn.Linear(200, 150)
    for shape in ((0, 200), (1, 200), (5, 7, 200), (900, 200)):
        given = torch.randn(shape)
        exact = given.double() @ linear.weight.double().T + linear.bias.double()
        with torch.inference_mode(), quick_products(WORTH_TOKENS, linear):
            assert taken_over(linear) == ["Linear"]
            torch.testing.assert_close(linear(given).double(), exact, rtol=0, atol=1e-5)
            turned = given.transpose(0, -1).contiguous().transpose(0, -1)  # not contiguous
            torch.testing.assert_close(linear(turned).double(), exact, rtol=0, atol=1e-5)


def test_a_layer_without_a_bias_has_none() -> None:
    linear, given = nn.Linear(128, 128, bias=False), torch.randn(9, 128)
    with torch.inference_mode():
        expected = linear(given)
        with quick_products(WORTH_TOKENS, linear):
            torch.testing.assert_close(linear(given), expected, rtol=0, atol=1e-5)


def test_nothing_changes_where_it_does_not_pay_or_would_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    model = nn.Sequential(nn.Linear(128, 128), nn.Linear(128, 2))
    with torch.inference_mode(), quick_products(WORTH_TOKENS, model):
        assert "forward" in model[0].__dict__
        assert "forward" not in model[1].__dict__  # few weights
    with torch.inference_mode(), quick_products(WORTH_TOKENS - 1, model):
        assert taken_over(model) == []
    with quick_products(WORTH_TOKENS, model):  # a gradient is asked for
        assert taken_over(model) == []
    halved = torch.autocast("cpu", dtype=torch.bfloat16)
    with torch.inference_mode(), halved, quick_products(WORTH_TOKENS, model):
        assert taken_over(model) == []
    for other in (nn.Linear(128, 128, dtype=torch.float64), nn.Linear(128, 128, device="meta")):
        with torch.inference_mode(), quick_products(WORTH_TOKENS, other):
            assert taken_over(other) == []
    monkeypatch.setattr(packing, "available", lambda: False)
    with torch.inference_mode(), quick_products(WORTH_TOKENS, model):
        assert taken_over(model) == []


def test_hooks_and_compiled_or_changed_layers_are_left_alone() -> None:
    hooked, compiled, own = (nn.Linear(128, 128) for _ in range(3))
    seen: list[int] = []
    hooked.register_forward_hook(lambda *_: seen.append(1))
    compiled.compile()
    own.forward = lambda states: states
    bert = wide("bert")
    bert.encoder.layer[0].intermediate.intermediate_act_fn.register_forward_hook(lambda *_: seen.append(2))
    whole = nn.Sequential(compiled, nn.Linear(128, 128))
    with torch.inference_mode(), quick_products(WORTH_TOKENS, hooked, whole, own, bert):
        assert taken_over(whole) == []
        hooked(torch.zeros(1, 128))
        states(bert)
        assert own(7) == 7
        assert taken_over(bert).count("BertIntermediate") == 1
    assert seen == [1, 2]
    assert own(7) == 7


def test_weights_are_those_of_now() -> None:
    linear, given = nn.Linear(128, 128), torch.randn(4, 128)
    for _ in range(2):
        with torch.inference_mode():
            expected = linear(given)
            with quick_products(WORTH_TOKENS, linear):
                torch.testing.assert_close(linear(given), expected, rtol=0, atol=1e-5)
        linear.weight.data.mul_(2.0)  # which torch does not count as a change


@pytest.mark.parametrize("wrong", ["no GELU", "no bias", "an error"])
def test_a_product_that_is_wrong_is_not_used(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    product = packing._product

    def of_another_torch(weight: torch.Tensor, bias: torch.Tensor | None, gelu: bool) -> packing.Forward:
        if wrong == "an error":
            raise RuntimeError("no such operator")
        return product(weight, None if wrong == "no bias" else bias, gelu and wrong != "no GELU")

    monkeypatch.setattr(packing, "_product", of_another_torch)
    available.cache_clear()
    try:
        assert not available()
    finally:
        available.cache_clear()


def test_finding_out_draws_no_random_number() -> None:
    """Else the first inference would change what a training draws next."""
    before = torch.get_rng_state()
    available.cache_clear()
    assert available()
    assert torch.equal(torch.get_rng_state(), before)


def test_an_error_within_leaves_nothing_behind() -> None:
    linear = nn.Linear(128, 128)
    with pytest.raises(KeyError), torch.inference_mode(), quick_products(WORTH_TOKENS, linear):
        raise KeyError
    assert taken_over(linear) == []


def test_threads_that_overlap_leave_nothing_behind() -> None:
    linear, given = nn.Linear(128, 128), torch.randn(4, 128)

    def thread() -> Iterator[torch.Tensor]:
        with quick_products(WORTH_TOKENS, linear):
            yield linear(given)
        yield linear(given)

    with torch.inference_mode():
        first, second = thread(), thread()
        results = [next(first), next(second), next(first), next(second)]
    for found in results[1:]:
        torch.testing.assert_close(found, results[0], rtol=0, atol=1e-5)
    assert taken_over(linear) == []


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("invariant", [True, False])
@pytest.mark.usefixtures("small_is_enough")
def test_exact_vectors_are_made_with_it_where_no_row_depends_on_others(
    exact: bool, invariant: bool, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoders, tokenizer, sides = small(tiny_backbone)
    used: list[str] = []
    plain = embed(encoders, tokenizer, sides[:1])
    monkeypatch.setattr(packing, "_product", spied(used))
    monkeypatch.setattr("pipeline.nn.embedding.batch_invariant", lambda: invariant)
    found = embed(encoders, tokenizer, sides, exact=exact)
    assert bool(used) == (invariant or not exact)
    np.testing.assert_allclose(found["semantic"][:1], plain["semantic"], atol=1e-6)


@pytest.mark.usefixtures("small_is_enough")
def test_exact_vectors_have_the_same_bits_in_a_short_call(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One text alone is too little to pack weights for, but rounds as among many."""
    for module in ("packing", "embedding"):
        monkeypatch.setattr(f"pipeline.nn.{module}.WORTH_TOKENS", 40)
    _, tokenizer, sides = small(tiny_backbone)
    config = transformers.BertConfig(
        vocab_size=6000, hidden_size=384, intermediate_size=1536, num_hidden_layers=1
    )
    encoders = {"semantic": Encoder(transformers.BertModel(config)).eval()}
    together = embed(encoders, tokenizer, sides, exact=True)["semantic"]
    for number, each in enumerate(sides):
        alone = embed(encoders, tokenizer, [each], exact=True)["semantic"]
        np.testing.assert_array_equal(alone, together[number : number + 1])


def test_rows_that_depend_on_others_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    product = packing._product

    def worse(weight: torch.Tensor, bias: torch.Tensor | None, gelu: bool) -> packing.Forward:
        forward = product(weight, bias, gelu)
        return lambda states: forward(states) + 1e-6 * (len(states) == 31)

    packing.batch_invariant.cache_clear()
    monkeypatch.setattr(packing, "_product", worse)
    assert not packing.batch_invariant()
    packing.batch_invariant.cache_clear()


def small(folder: Path) -> tuple[dict[str, Encoder], SentenceTokenizer, list[Side]]:
    plain = backbone.load(str(folder))
    texts = ("rain", "rain fell", "snow", "the rain fell on the town and people ran", "rain " * 20)
    sides = [Side(text, text.split(), (0, *range(1, len(text.split())))) for text in texts]
    return {"semantic": Encoder(plain.model).eval()}, SentenceTokenizer(plain.tokenizer, 32), sides


def spied(used: list[str]) -> object:
    product = packing._product

    def called(weight: torch.Tensor, bias: torch.Tensor | None, gelu: bool) -> packing.Forward:
        forward = product(weight, bias, gelu)

        def noted(states: torch.Tensor) -> torch.Tensor:
            used.append("gelu" if gelu else "linear")
            return forward(states)

        return noted

    return called
