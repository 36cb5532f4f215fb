"""What training costs: time, tokens, padding, memory. Never part of a file whose bytes must not change."""

import resource
import sys
import time
from collections.abc import Iterator, Sequence
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

    @contextmanager
    def training(self, tokenizer: SentenceTokenizer, batches: Sequence[Batch]) -> Iterator[None]:
        """Count what happens within as a training step on the batches."""
        began, tokens, padded = time.perf_counter(), tokenizer.tokens, tokenizer.padded_tokens
        yield
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
        """The curves: tokens and examples a second, share of padding, peak memory of a process in MB."""
        tokens, padded = all_reduce_sum([self.tokens, self.padded_tokens], device)
        seconds = max(self.step_seconds, 1e-9)
        return {
            "tokens_per_second": tokens / seconds,
            "examples_per_second": self.examples / seconds,
            "padding": 1 - tokens / max(padded, 1),
            "peak_memory_mb": peak_memory(device) / 1e6,
        }

    def table(self, device: torch.device) -> dict[str, Any]:
        """Sums, rates and the machine that they were measured on: the content of ``cost.json``."""
        return {
            "seconds": self.step_seconds + self.validation_seconds,
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
            "threads": torch.get_num_threads(),
            "processes": world_size(),
            **asdict(self),
            **self.rates(device),
        }


def peak_memory(device: torch.device) -> int:
    """Most bytes that this process held: of GPU memory allocated by torch, without a GPU of main memory."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # kilobytes on Linux
