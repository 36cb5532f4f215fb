"""What training costs: time, tokens, padding, memory. Never part of a file whose bytes must not change."""

import ctypes
import functools
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import torch

from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.systems.base import Batch
from pipeline.training.distributed import all_reduce_sum, world_size


@dataclass
class Cost:
    """Sums since the first step, of this process alone; a run that continues adds to them."""

    step_seconds: float = 0.0
    validation_seconds: float = 0.0
    examples: int = 0  # of all processes
    tokens: int = 0  # encoded in steps; a second pass, such as a teacher's or GradCache's, counts again
    padded_tokens: int = 0  # the same, padding included
    joules: float = 0.0  # of this process's GPU, where NVML tells
    metered: float | None = None  # the GPU's meter when it was last read; of this process alone

    def read_meter(self, device: torch.device) -> None:
        """Add what the GPU has used since the last call; the first call of a process begins to count."""
        now = energy(device)
        if now is not None and self.metered is not None:
            self.joules += max(0.0, now - self.metered)
        self.metered = now

    @contextmanager
    def training(self, tokenizer: SentenceTokenizer) -> Iterator[list[Batch]]:
        """Count what happens within as a training step, on the batches that are put into the list given."""
        began, tokens, padded = time.perf_counter(), tokenizer.tokens, tokenizer.padded_tokens
        batches: list[Batch] = []
        yield batches
        self.step_seconds += time.perf_counter() - began
        self.tokens += tokenizer.tokens - tokens
        self.padded_tokens += tokenizer.padded_tokens - padded
        self.examples += sum(len(batch.anchors) for batch in batches)

    @contextmanager
    def validation(self) -> Iterator[None]:
        """Count the time of what happens within as validation."""
        began = time.perf_counter()
        yield
        self.validation_seconds += time.perf_counter() - began

    def __str__(self) -> str:
        return f"{self.tokens * world_size() / max(self.step_seconds, 1e-9):,.0f} tokens/s"

    def rates(self, device: torch.device) -> dict[str, float]:
        """The curves: tokens and examples a second, share of padding, peak memory of a process in MB.

        Also the energy of all GPUs in joules, validation included, where NVML tells it.
        """
        self.read_meter(device)
        tokens, padded, joules = all_reduce_sum([self.tokens, self.padded_tokens, self.joules], device)
        seconds = max(self.step_seconds, 1e-9)
        known = {} if self.metered is None else {"energy_joules": joules}
        return known | {
            "tokens_per_second": tokens / seconds,
            "examples_per_second": self.examples / seconds,
            "padding": 1 - tokens / max(padded, 1),
            "peak_memory_mb": peak_memory(device) / 1e6,
        }

    def table(self, device: torch.device) -> dict[str, Any]:
        """Sums, rates and the machine that they were measured on: the content of ``cost.json``.

        Tokens are those of all processes, as in the rates; seconds are this process's.
        """
        tokens, padded = all_reduce_sum([self.tokens, self.padded_tokens], device)
        return {
            "seconds": self.step_seconds + self.validation_seconds,
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
            "threads": torch.get_num_threads(),
            "processes": world_size(),
            **self.rates(device),
            **{name: value for name, value in asdict(self).items() if name not in ("joules", "metered")},
            "tokens": int(tokens),
            "padded_tokens": int(padded),
        }


def energy(device: torch.device) -> float | None:
    """Joules that a GPU has used since its driver was loaded, by NVML; None where there is no such count.

    NVML comes with the driver, so no Python package is needed. A GPU from before Volta, or one that is
    divided, has no count.
    """
    library = _nvml() if device.type == "cuda" else None
    if library is None:
        return None
    # By its identifier: NVML numbers the GPUs of the machine, torch those that this process may see.
    uuid = f"GPU-{torch.cuda.get_device_properties(device).uuid}".encode()
    handle, millijoules = ctypes.c_void_p(), ctypes.c_ulonglong()
    failed = library.nvmlDeviceGetHandleByUUID(uuid, ctypes.byref(handle))
    failed = failed or library.nvmlDeviceGetTotalEnergyConsumption(handle, ctypes.byref(millijoules))
    return None if failed else millijoules.value / 1000


@functools.cache
def _nvml() -> Any | None:
    """The driver's library, whose functions return 0 or an error; None where there is none."""
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    return None if library.nvmlInit_v2() else library


def peak_memory(device: torch.device) -> int:
    """Most bytes that this process held: of GPU memory allocated by torch, without a GPU of main memory."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # kilobytes on Linux
