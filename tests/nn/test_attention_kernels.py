"""Which kernels compute attention, where, and when."""

import pytest
import torch
from torch.nn import functional as F

from pipeline.nn.attention_kernels import attention_of_training
from pipeline.nn.inference import best_device
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
