"""Mixed precision where it pays."""

from typing import Any

import torch


def effective(device: torch.device, precision: str) -> str:
    """``bf16`` if asked for and the hardware multiplies it natively, else ``fp32``: emulation is slower."""
    if precision != "bf16":
        return "fp32"
    if device.type == "cuda":
        native = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        native = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return "bf16" if native else "fp32"


def autocast(device: torch.device, precision: str) -> Any:
    """The context in which a loss is computed."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=effective(device, precision) == "bf16")
