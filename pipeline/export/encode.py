"""``synsem encode``: a stream of lines to a stream of vectors, chunk by chunk, in bounded memory."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import torch

from pipeline.core.atomic import atomic_stream
from pipeline.core.errors import SynsemError
from pipeline.core.progress import track
from pipeline.export.text_encoder import text_encoder
from pipeline.export.writers import FORMATS
from pipeline.nn.inference import best_device
from pipeline.nn.precision import Inference
from pipeline.systems import registry


@dataclass
class EncodeResult:
    """What was encoded: counts of lines, and the time that they took."""

    lines: int = 0
    empty: int = 0
    cut: int = 0  # longer than what is read; see TextEncoder.cut
    seconds: float = 0.0

    def __str__(self) -> str:
        rate = self.lines / self.seconds if self.seconds else 0
        odd = [f"{self.empty:,} empty"] * bool(self.empty) + [f"{self.cut:,} cut"] * bool(self.cut)
        lines = f"{self.lines:,} line{'s' * (self.lines != 1)}"
        return ", ".join([lines, *odd, f"{self.seconds:.1f} s, {rate:,.0f} a second"])


def encode_stream(
    model: Path,
    source: Path | None,
    out: Path | None,
    kind: str,
    view: str | None,
    device: str,
    params: Path | None,
    precision: Inference = "exact",
    lang: str | None = None,
) -> EncodeResult:
    """Embed every line of ``source`` (None: standard input) and write a row each to ``out`` (None: output).

    ``kind`` is a key of ``writers.FORMATS``, ``precision`` and ``lang`` as in ``text_encoder``. An empty line
    is a row too, so that row numbers are line numbers. Raises SynsemError; ``out`` is then left as it was.
    """
    if out is not None and same_file(source, out):
        raise SynsemError(f"{out}: is the text itself; name another file with --out")
    demand_lines(source)
    system = registry.load(model).to(device_of(device))
    encoder = text_encoder(system, model, view, params, precision, lang)
    result = EncodeResult()
    began = time.monotonic()
    with opened(source) as (stream, name), sink(out) as place, FORMATS[kind](place, encoder.views) as writer:
        for texts in track(
            chunks(stream, name), "encode", note=lambda: f"{result.lines:,} lines", unit="chunks"
        ):
            writer.write(texts, encoder(texts))
            result.lines += len(texts)
            result.empty += sum(not text.strip() for text in texts)
            result.cut += encoder.cut(texts)
    result.seconds = time.monotonic() - began
    return result


def device_of(name: str) -> torch.device:
    """The device of that name, the best one for ``auto``; a SynsemError where this machine lacks it."""
    if name == "auto":
        return best_device()
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
        if device.type == "meta":
            raise RuntimeError("it computes nothing")
    except (RuntimeError, AssertionError) as error:
        reason = str(error).split("\n")[0].split(". ")[0].rstrip(".")
        remedy = "take auto or cpu"
        if reason.startswith("Expected one of"):  # all devices of torch, which hardly any machine has
            reason, remedy = "torch has no such device", "take auto, cpu, or cuda for a GPU"
        raise SynsemError(f"--device: {name!r} cannot be used here ({reason}); {remedy}") from error
    return device


def demand_lines(source: Path | None) -> None:
    """Raise SynsemError for a file whose name is that of a table, because its rows are no sentences."""
    if source is not None and source.suffix.lower() in _TABLES:
        raise SynsemError(
            f"{source}: is a table by its name; give its column of texts, one a line, or the file by < "
            "where each of its lines is one text"
        )


@contextmanager
def opened(path: Path | None) -> Iterator[tuple[BinaryIO, str]]:
    """A file of text, or standard input for None, with its name; SynsemError where it cannot be read."""
    if path is None:
        if sys.stdin is None:
            raise SynsemError("standard input: is closed; name a text file")
        yield sys.stdin.buffer, "standard input"
        return
    try:
        stream = path.open("rb")
    except OSError as error:
        raise SynsemError(f"{path}: cannot be read ({error.strerror}); name a text file") from error
    with stream:
        yield stream, str(path)


def same_file(source: Path | None, out: Path) -> bool:
    """Whether a text, in a file or by redirection, would be overwritten by what is made of it."""
    try:
        given = os.fstat(sys.stdin.fileno()) if source is None else source.stat()
        return out.is_file() and os.path.samestat(out.stat(), given)
    except (OSError, AttributeError):  # what cannot be read or written is said where that is tried
        return False


def sink(path: Path | None) -> AbstractContextManager[BinaryIO]:
    """Where to write: a file that appears when it is complete, or standard output for None.

    Raises SynsemError where standard output is closed.
    """
    if path is not None:
        return atomic_stream(path)
    if sys.stdout is None:
        raise SynsemError("standard output: is closed; give --out")
    return nullcontext(sys.stdout.buffer)


# How a file begins that is no UTF-8, what it is, and what to do about it.
_NO_TEXT = {
    b"\x1f\x8b": "is packed by gzip; unpack it, as with zcat",
    b"PAR1": "is a Parquet table; give its column of texts, one a line",
}
# Files of which a line is a row. Read as a sentence, its header and other columns would be embedded, too.
_TABLES = (".csv", ".tsv", ".jsonl")

LINES, CHARACTERS = 4096, 1 << 20  # of a chunk; a single longer line is a chunk of its own


def chunks(
    stream: BinaryIO, name: str, lines: int = LINES, characters: int = CHARACTERS
) -> Iterator[list[str]]:
    """Lines of UTF-8 text without their ends (LF or CR LF), empty ones among them.

    Other line separators of Unicode are part of their line, and a byte order mark is dropped. Raises
    SynsemError naming the line that is not UTF-8, or what is no text at all.
    """
    chunk: list[str] = []
    size = 0
    for number, raw in enumerate(stream, 1):
        line = _decode(raw, name, number)
        if chunk and (len(chunk) == lines or size + len(line) > characters):
            yield chunk
            chunk, size = [], 0
        chunk.append(line)
        size += len(line)
    if chunk:
        yield chunk


def _decode(raw: bytes, name: str, number: int) -> str:
    try:
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        for start, told in _NO_TEXT.items():
            if number == 1 and raw.startswith(start):
                raise SynsemError(f"{name}: {told}") from error
        raise SynsemError(
            f"{name}: line {number:,} is not UTF-8 ({error.reason} at byte {error.start + 1}); "
            "convert it, as with iconv"
        ) from error
    return line.removesuffix("\n").removesuffix("\r")
