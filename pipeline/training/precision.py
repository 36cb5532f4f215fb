"""Mixed precision where it pays."""

from typing import Any

import torch


def effective(device: torch.device, precision: str) -> str:
    """``bf16`` or ``fp16`` if asked for and the hardware multiplies it natively, else ``fp32``.

    Emulation is slower than float32, and a CPU has no use for fp16's narrow range.
    """
    if precision == "bf16":
        if device.type == "cuda":
            native = torch.cuda.is_bf16_supported(including_emulation=False)
        else:
            native = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
        return "bf16" if native else "fp32"
    return "fp16" if precision == "fp16" and device.type == "cuda" else "fp32"


def autocast(device: torch.device, precision: str) -> Any:
    """The context in which a loss is computed."""
    kind = effective(device, precision)
    dtype = torch.float16 if kind == "fp16" else torch.bfloat16
    return torch.autocast(device.type, dtype=dtype, enabled=kind != "fp32")


def grad_scaler(device: torch.device, precision: str) -> torch.amp.GradScaler:
    """Scales the loss so that fp16 gradients do not vanish; does nothing for the other precisions."""
    return torch.amp.GradScaler(device.type, enabled=effective(device, precision) == "fp16")
