"""Which number format inference computes in."""

import pytest
import torch

from pipeline.nn.precision import Inference, inference_type

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("native", "precision", "expected"),
    [
        ((), "fast", torch.float32),
        ((), "bf16", torch.float32),
        (("bf16",), "fast", torch.float32),
        (("bf16",), "bf16", torch.bfloat16),
        (("fp16",), "fast", torch.float16),
        (("fp16", "bf16"), "bf16", torch.float16),
        (("fp16", "bf16"), "exact", torch.float32),
    ],
)
def test_a_half_precision_is_computed_in_where_it_is_native_and_wanted(
    native: tuple[str, ...], precision: Inference, expected: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.nn.precision.has_native_fp16", lambda device: "fp16" in native)
    monkeypatch.setattr(
        "pipeline.nn.precision.effective_precision",
        lambda device, kind: kind if kind in native else "fp32",
    )
    assert inference_type(CPU, precision) == expected
