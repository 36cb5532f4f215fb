"""Plain text in documents parted by blank lines, one a line, or one a file."""

from collections.abc import Iterator
from itertools import groupby

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record

# A block without a blank line is cut at the next line end after so many characters, so that a file of one
# sentence a line streams through in flat memory.
BLOCK = 4_000
_FINAL = tuple(".!?:;…。！？\"'”’»)]")


def read(part: Part) -> Iterator[Record]:
    """One record a document; the option ``unit`` is block (default), line or file.

    In a block a line that does not end like a sentence runs on in the next one, as in text wrapped at a fixed
    width; otherwise a line end ends a paragraph.
    """
    unit = part.options.get("unit", "block")
    for _, lines in groupby(part.input.lines(), key=lambda line: line[0]):
        texts = (text for _, _, text in lines)
        if unit == "line":
            yield from (Record(text) for text in texts if text.strip())
        elif unit == "file":
            yield Record("\n".join(texts))
        else:
            yield from (Record(_unwrapped(block)) for block in _blocks(texts))


def _blocks(lines: Iterator[str]) -> Iterator[list[str]]:
    block: list[str] = []
    size = 0
    for line in lines:
        if line.strip():
            block.append(line.strip())
            size += len(line)
        if block and (not line.strip() or size >= BLOCK):
            yield block
            block, size = [], 0
    if block:
        yield block


def _unwrapped(lines: list[str]) -> str:
    return "".join(line + ("\n" if line.endswith(_FINAL) else " ") for line in lines).rstrip()
