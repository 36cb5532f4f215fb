"""What training takes: time, tokens, padding, memory. Never part of a file whose bytes must not change."""

import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import torch

from pipeline.nn.gather import world_size
from pipeline.nn.tokens import Tokeniser
from pipeline.systems.base import Batch
from pipeline.training.ranks import summed


@dataclass
class Cost:
    """Sums since the first step, over all attempts of a run that was killed; of this process alone."""

    step_seconds: float = 0.0
    look_seconds: float = 0.0  # at the development examples
    examples: int = 0  # of this process's share and the others'
    tokens: int = 0  # put through an encoder in steps: a second pass, as of a teacher or GradCache, counts
    slots: int = 0  # the same with padding

    @contextmanager
    def step(self, tokeniser: Tokeniser, update: Sequence[Batch]) -> Iterator[None]:
        """Count what happens within as a training step."""
        began, tokens, slots = time.perf_counter(), tokeniser.tokens, tokeniser.slots
        yield
        self.step_seconds += time.perf_counter() - began
        self.tokens += tokeniser.tokens - tokens
        self.slots += tokeniser.slots - slots
        self.examples += sum(len(batch.anchors) for batch in update)

    @contextmanager
    def look(self) -> Iterator[None]:
        """Count what happens within as a look at the development examples."""
        began = time.perf_counter()
        yield
        self.look_seconds += time.perf_counter() - began

    def __str__(self) -> str:
        return f"{self.tokens * world_size() / max(self.step_seconds, 1e-9):,.0f} tokens/s"

    def rates(self, device: torch.device) -> dict[str, float]:
        """The curves: tokens and examples a second, share of padding, peak memory of a process in MB."""
        tokens, slots = summed([self.tokens, self.slots], device)
        seconds = max(self.step_seconds, 1e-9)
        return {
            "tokens_per_second": tokens / seconds,
            "examples_per_second": self.examples / seconds,
            "padding": 1 - tokens / max(slots, 1),
            "peak_memory_mb": peak_memory(device) / 1e6,
        }

    def table(self, device: torch.device) -> dict[str, Any]:
        """All of it, with the machine that it is true of: ``cost.json``."""
        return {
            "seconds": self.step_seconds + self.look_seconds,
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
            "threads": torch.get_num_threads(),
            "processes": world_size(),
            **asdict(self),
            **self.rates(device),
        }


def peak_memory(device: torch.device) -> int:
    """Most bytes that this process held: of the GPU's memory by torch, else of the machine's."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # kilobytes on Linux
