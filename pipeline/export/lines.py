"""A stream of lines in chunks that fit into memory, however long the stream is."""

from collections.abc import Iterator
from typing import BinaryIO

from pipeline.errors import SynsemError

LINES, CHARACTERS = 4096, 1 << 20  # of a chunk; a single longer line is a chunk of its own


def chunks(
    stream: BinaryIO, name: str, lines: int = LINES, characters: int = CHARACTERS
) -> Iterator[list[str]]:
    """Lines of UTF-8 text without their ends (LF or CR LF), empty ones among them.

    Other line separators of Unicode are part of their line, and a byte order mark is dropped. Raises
    SynsemError naming the line that is not UTF-8.
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
        raise SynsemError(
            f"{name}: line {number:,} is not UTF-8 ({error.reason} at byte {error.start + 1}); "
            "convert it, as with iconv"
        ) from error
    return line.removesuffix("\n").removesuffix("\r")
