"""How a model is run: on which device and in which precision.

Inference uses float16 if the hardware multiplies it natively: what a trained encoder computes fits its range,
and its three more bits keep vectors eight times closer to those of float32 than bfloat16's. Training uses
``train.precision``. Emulation of 16 bits would be slower than float32.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from pipeline.nn.length_batches import Rows

Views = dict[str, NDArray[np.float32]]  # vectors [n, D] by the name of the view: semantic, joint, ...
# float32; float16 if that is native; or also bfloat16 if that is native and float16 is not.
Inference = Literal["exact", "fast", "bf16"]


@contextmanager
def evaluation_mode(*modules: nn.Module) -> Iterator[None]:
    """Keep modules in evaluation mode within; afterwards each is in its former mode."""
    before = [module.training for module in modules]
    for module in modules:
        module.eval()
    try:
        yield
    finally:
        for module, mode in zip(modules, before, strict=True):
            module.train(mode)


def best_device() -> torch.device:
    """Return the device to run a model on: the current GPU if there is one, otherwise the CPU."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    # cuDNN's attention plans every new shape of a batch, which made small steps several times slower.
    torch.backends.cuda.enable_cudnn_sdp(False)
    return torch.device("cuda")


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread on a CPU within: how sums are rounded depends on the number."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def on_device(tensor: torch.Tensor, device: torch.device | str) -> torch.Tensor:
    """Copy a tensor of main memory to a device; a GPU goes on meanwhile, unlike with a plain copy."""
    if torch.device(device).type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def token_budget(device: torch.device) -> int:
    """Return how many tokens of a batch, padding included, suit a device and the current precision."""
    if device.type == "cuda":
        return 32_768
    # On a CPU padding costs more than small matrices do; in 16 bits, where these are fast, calls cost more.
    in_16_bits = torch.is_autocast_enabled("cpu") and torch.is_inference_mode_enabled()
    return 4096 if in_16_bits else 768


# Precision


def has_native_fp16(device: torch.device) -> bool:
    """Whether a device multiplies float16 matrices faster than float32: a GPU, or a CPU with AMX-FP16."""
    return device.type == "cuda" or torch.cpu._is_amx_fp16_supported()


def inferred(device: torch.device, precision: Inference, compute: Callable[[], Views]) -> Views:
    """Return the vectors of ``compute`` in the precision asked for, or in float32 if the device lacks it.

    They equal those of float32 to 1e-3 in float16; bfloat16 rounds more coarsely. They are computed again
    in float32 if one holds NaN or infinity: the range of float16 was too narrow for the model.
    """
    fp16 = has_native_fp16(device)
    if precision == "exact" or not (fp16 or precision == "bf16" == effective_precision(device, "bf16")):
        return compute()
    with torch.autocast(device.type, dtype=torch.float16 if fp16 else torch.bfloat16):
        found = compute()
    return found if not fp16 or all(np.isfinite(each).all() for each in found.values()) else compute()


def effective_precision(device: torch.device, precision: str) -> str:
    """Return the precision of training: ``bf16`` or ``fp16`` if asked for and native, otherwise ``fp32``.

    A CPU never trains in fp16: bf16 is as fast there and has the range of float32.
    """
    if device.type == "cuda":
        native = precision == "fp16" or torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        native = precision == "bf16" and (
            torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
        )
    return precision if native else "fp32"


def autocast(device: torch.device, precision: str) -> Any:
    """Return the context in which training encodes sentences, in ``effective_precision``."""
    kind = effective_precision(device, precision)
    dtype = torch.float16 if kind == "fp16" else torch.bfloat16
    return torch.autocast(device.type, dtype=dtype, enabled=kind != "fp32")


def full_precision(device: torch.device) -> Any:
    """Return a context without autocast, for objectives: cosines near 1 are 0.004 apart in bfloat16."""
    return torch.autocast(device.type, enabled=False)


def grad_scaler(device: torch.device, precision: str) -> torch.amp.GradScaler:
    """Return what scales the loss so that fp16 gradients do not underflow; idle in other precisions."""
    return torch.amp.GradScaler(device.type, enabled=effective_precision(device, precision) == "fp16")


def in_given_order(parts: Sequence[torch.Tensor], batches: Sequence[Rows]) -> torch.Tensor:
    """Return tensors [n_k, ...] of the batches as one tensor [n, ...] in the order of the rows.

    The gradient goes through. ``batches`` are those of ``length_batches``, at least one.
    """
    place = np.argsort(np.concatenate(batches))
    return torch.cat(list(parts))[on_device(torch.from_numpy(place), parts[0].device)]
