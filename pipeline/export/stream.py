"""``synsem encode``: a stream of lines to a stream of vectors, in memory that does not grow with it."""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import torch

from pipeline.errors import SynsemError
from pipeline.export.encoding import TextEncoder, parser_of
from pipeline.export.lines import chunks
from pipeline.export.places import opened
from pipeline.export.writers import FORMATS
from pipeline.progress import track
from pipeline.systems import registry


@dataclass
class Done:
    """What went through."""

    lines: int = 0
    empty: int = 0
    cut: int = 0  # longer than what is parsed; see encoding.clip
    seconds: float = 0.0

    def __str__(self) -> str:
        rate = self.lines / self.seconds if self.seconds else 0
        odd = [f"{self.empty:,} empty"] * bool(self.empty) + [f"{self.cut:,} cut"] * bool(self.cut)
        return ", ".join([f"{self.lines:,} lines", *odd, f"{self.seconds:.1f} s, {rate:,.0f} a second"])


def encode_stream(
    model: Path,
    source: Path | None,
    out: Path | None,
    kind: str,
    view: str | None,
    device: str,
    params: Path | None,
    exact: bool = True,
) -> Done:
    """Embed every line of ``source`` (None: standard input) and write a row each to ``out`` (None: output).

    ``kind`` is a key of ``writers.FORMATS``, ``exact`` as in ``TextEncoder``. An empty line is a row too, so
    that row numbers are line numbers. Raises SynsemError; ``out`` is then left as it was.
    """
    system = registry.load(model).to(device_of(device))
    encoder = TextEncoder(system, view, parser_of(model, params), exact)
    done = Done()
    began = time.monotonic()
    with _source(source) as (stream, name), _sink(out) as sink, FORMATS[kind](sink, encoder.views) as writer:
        for texts in track(chunks(stream, name), "encode", note=lambda: f"{done.lines:,} lines"):
            writer.write(texts, encoder(texts))
            done.lines += len(texts)
            done.empty += sum(not text.strip() for text in texts)
            done.cut += sum(map(encoder.clips, texts))
    done.seconds = time.monotonic() - began
    return done


def device_of(name: str) -> torch.device:
    """The device of that name, the best one for ``auto``; a SynsemError where this machine lacks it."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise SynsemError(f"--device: {name!r} cannot be used here ({reason}); take auto or cpu") from error
    return device


@contextmanager
def _source(path: Path | None) -> Iterator[tuple[BinaryIO, str]]:
    if path is None:
        yield sys.stdin.buffer, "standard input"
        return
    try:
        stream = path.open("rb")
    except OSError as error:
        raise SynsemError(f"{path}: cannot be read ({error.strerror}); name a text file") from error
    with stream:
        yield stream, str(path)


def _sink(path: Path | None) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdout.buffer) if path is None else opened(path)
