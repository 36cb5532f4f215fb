"""Mixed precision, if the hardware multiplies a 16-bit type natively; emulation is slower than float32.

Inference uses float16: what a trained encoder computes fits its range, and its three more bits keep vectors
eight times closer to those of float32 than bfloat16's. Training uses ``train.precision``.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeVar

import numpy as np
import torch

Result = TypeVar("Result")
# float32; float16 if that is native; or also bfloat16 if that is native and float16 is not.
Inference = Literal["exact", "fast", "bf16"]


def has_native_fp16(device: torch.device) -> bool:
    """Whether a device multiplies float16 matrices faster than float32: a GPU, or a CPU with AMX-FP16."""
    if device.type == "cpu":
        return bool(getattr(torch.cpu, "_is_amx_fp16_supported", lambda: False)())
    return device.type == "cuda"


def inferred(
    device: torch.device,
    precision: Inference,
    compute: Callable[[], Result],
    arrays: Callable[[Result], Iterable[np.ndarray]],
) -> Result:
    """Return the result of ``compute`` in the precision asked for, or in float32 if the device lacks it.

    Vectors equal those of float32 to 1e-3 in float16; bfloat16 rounds more coarsely. It is computed again in
    float32 if one of its ``arrays`` holds NaN or infinity: the range of float16 was too narrow for the model.
    """
    fp16 = has_native_fp16(device)
    if precision == "exact" or not (fp16 or precision == "bf16" == effective_precision(device, "bf16")):
        return compute()
    with torch.autocast(device.type, dtype=torch.float16 if fp16 else torch.bfloat16):
        found = compute()
    return found if not fp16 or all(np.isfinite(each).all() for each in arrays(found)) else compute()


def effective_precision(device: torch.device, precision: str) -> str:
    """Return the precision of training: ``bf16`` or ``fp16`` if asked for and native, otherwise ``fp32``.

    A CPU never trains in fp16: bf16 is as fast there and has the range of float32.
    """
    if precision == "bf16":
        if device.type == "cuda":
            native = torch.cuda.is_bf16_supported(including_emulation=False)
        else:
            native = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
        return "bf16" if native else "fp32"
    return "fp16" if precision == "fp16" and device.type == "cuda" else "fp32"


def autocast(device: torch.device, precision: str) -> Any:
    """Return the context in which training encodes sentences, in ``effective_precision``."""
    kind = effective_precision(device, precision)
    dtype = torch.float16 if kind == "fp16" else torch.bfloat16
    return torch.autocast(device.type, dtype=dtype, enabled=kind != "fp32")


def full_precision(device: torch.device) -> Any:
    """Return a context without autocast, in which matrix products of float32 stay float32: an objective's.

    Cosines near 1 are 0.004 apart in bfloat16, which is 0.08 in logits at a temperature of 0.05.
    """
    return torch.autocast(device.type, enabled=False)


def grad_scaler(device: torch.device, precision: str) -> torch.amp.GradScaler:
    """Return what scales the loss so that fp16 gradients do not underflow; idle in other precisions."""
    return torch.amp.GradScaler(device.type, enabled=effective_precision(device, precision) == "fp16")
