"""Which kernels compute attention, where and when, and in which shapes batches come."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from pipeline.nn.inference import best_device
from pipeline.nn.kernels import attention_of_training, filled, shape_unit
from pipeline.training.distributed import process_group

CPU = torch.device("cpu")


def fused() -> bool:
    """Whether torch may take its fused kernel of a CPU."""
    return torch.backends.cuda.flash_sdp_enabled()


def test_plain_products_are_the_same_attention() -> None:
    torch.manual_seed(0)
    query, key, value = (torch.randn(3, 2, 7, 8, requires_grad=True) for _ in range(3))
    mask = torch.rand(3, 1, 7, 7) > 0.3
    mask[..., 0] = True

    def attend() -> list[torch.Tensor]:
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return [found, *torch.autograd.grad(found.square().sum(), (query, key, value))]

    with attention_of_training(CPU):
        assert not fused()
        plain = attend()
    assert fused()
    for one, other in zip(plain, attend(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-5)
    with attention_of_training(torch.device("meta")):
        assert fused()


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
