"""How attention is computed, where and when, and in which shapes batches come."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from pipeline.nn.backbone import load
from pipeline.nn.inference import best_device
from pipeline.nn.kernels import attention_of_training, filled, plain_attention, shape_unit
from pipeline.training.distributed import process_group

CPU = torch.device("cpu")


Options = dict[str, Any]


def attend(options: Options) -> list[torch.Tensor]:
    """What attention gives of 3 sentences of 7 words, and the gradients of its inputs."""
    torch.manual_seed(0)
    query, key, value = (torch.randn(3, 2, 7, 8, requires_grad=True) for _ in range(3))
    found = F.scaled_dot_product_attention(query, key, value, **options)
    return [found, *torch.autograd.grad(found.square().sum(), (query, key, value))]


SEEN = torch.rand(3, 1, 7, 7, generator=torch.Generator().manual_seed(1)) > 0.3
SEEN[..., 0] = True


@pytest.mark.parametrize(
    "options",
    [{}, {"attn_mask": SEEN}, {"attn_mask": -3.0 * SEEN}, {"scale": 0.5}, {"is_causal": True}],
    ids=["plain", "hidden", "added", "scaled", "causal"],
)
def test_plain_products_are_the_same_attention(options: Options) -> None:
    expected = attend(options)
    with attention_of_training(CPU):
        found = attend(options)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-5)


def test_a_query_that_may_see_nothing_sees_all_alike_and_has_finite_gradients() -> None:
    hidden = SEEN.clone()
    hidden[0, 0, 2] = False
    torch.manual_seed(0)
    query, key, value = (torch.randn(3, 2, 7, 8, requires_grad=True) for _ in range(3))
    found = plain_attention(query, key, value, hidden)
    torch.testing.assert_close(found[0, :, 2], value[0].mean(dim=1))
    found.sum().backward()
    assert all(each.grad.isfinite().all() for each in (query, key, value))


def test_weights_of_attention_are_dropped_and_the_mean_kept() -> None:
    torch.manual_seed(0)
    states, eye = torch.zeros(4, 1, 50, 8), torch.eye(50).expand(4, 1, 50, 50)
    found = plain_attention(states, states, eye, dropout_p=0.25)  # of equal weights, one for each place
    torch.testing.assert_close(found.unique(), torch.tensor([0.0, 1 / 50 / 0.75]))
    assert (found == 0).float().mean().item() == pytest.approx(0.25, abs=0.02)


def test_torchs_attention_comes_back_after_training_and_stays_on_other_devices() -> None:
    torchs = F.scaled_dot_product_attention
    with attention_of_training(torch.device("meta")):
        assert F.scaled_dot_product_attention is torchs
    with pytest.raises(KeyError), attention_of_training(CPU), attention_of_training(CPU):
        assert F.scaled_dot_product_attention is plain_attention
        raise KeyError
    assert F.scaled_dot_product_attention is torchs


def test_layers_of_transformers_and_torch_take_it(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[int, ...]] = []

    def counted(query: torch.Tensor, *rest: Any, **options: Any) -> torch.Tensor:
        calls.append(query.shape)
        return plain_attention(query, *rest, **options)

    monkeypatch.setattr("pipeline.nn.kernels.plain_attention", counted)
    model = load(str(tiny_backbone)).model.train()
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).train()
    with attention_of_training(CPU):
        model(input_ids=torch.arange(6)[None])
        assert len(calls) == model.config.num_hidden_layers
        layer(torch.randn(1, 5, 16))
    assert len(calls) == model.config.num_hidden_layers + 1


def test_attention_of_a_gpu_runs_without_cudnn_in_use_and_in_training(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = torch.backends.cuda.cudnn_sdp_enabled()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    try:
        torch.backends.cuda.enable_cudnn_sdp(True)
        assert best_device() == torch.device("cpu")
        assert torch.backends.cuda.cudnn_sdp_enabled()  # nothing is set where there is no GPU
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
        monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
        assert best_device() == torch.device("cuda")
        assert not torch.backends.cuda.cudnn_sdp_enabled()
        torch.backends.cuda.enable_cudnn_sdp(True)
        with process_group() as device:
            assert device == torch.device("cuda", 0)
            assert not torch.backends.cuda.cudnn_sdp_enabled()
    finally:
        torch.backends.cuda.enable_cudnn_sdp(given)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 3000))
def test_a_batch_is_filled_up_to_one_of_few_sizes(size: int) -> None:
    rows = np.random.default_rng(size).permutation(size)
    found = filled(rows).tolist()
    assert found[:size] == rows.tolist()
    assert set(found[size:]) <= {rows[-1]}
    assert size <= len(found) <= size * 9 / 8
    digits = f"{len(found):b}"
    assert set(digits[4:]) <= {"0"}


def test_there_are_few_sizes() -> None:
    # The first 15, and eight of each doubling.
    assert len({len(filled(np.arange(size))) for size in range(1, 1024)}) == 15 + 6 * 8 + 1


def test_shapes_are_few_in_16_bits_on_a_cpu_alone() -> None:
    cpu = torch.device("cpu")
    assert shape_unit(cpu) == 1
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert shape_unit(cpu) > 1
        assert shape_unit(torch.device("cuda")) == 1
