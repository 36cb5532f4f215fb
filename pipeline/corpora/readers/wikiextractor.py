"""WikiExtractor output: ``<doc id url title>``, the title, paragraphs and maybe headings, ``</doc>``."""

import html
import re
from collections.abc import Iterator

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

_OPEN = re.compile(r'<doc id="[^"]*" .*?title="(.*)">$')
_LINK = re.compile(r"</?(?:a|b|i|br)\b[^>]*>")
# A heading is a short line that ends in a full stop and holds no other mark of a sentence.
_HEADING = re.compile(r"(?=.{2,70}$)[^\s\W].*[^.:;?!]\.$")
_HEADING_WORDS = 8


def read(part: Part) -> Iterator[Record]:
    """One record a section, titled "Article: Section"; the opening has the article's title alone.

    Without headings an article is one record. An article without text gives an empty one.
    """
    for name, stream in part.input.streams():
        title, lines = None, list[str]()
        for number, line in part.input.decoded(name, stream):
            opening = _OPEN.match(line)
            if opening is not None and title is None:
                title = html.unescape(opening[1])
            elif title is None:
                if line.strip():
                    raise SynsemError(f"{name}:{number}: text outside of <doc>; is it by WikiExtractor?")
            elif line == "</doc>":
                yield from _sections(title, lines)
                title, lines = None, []
            elif line.strip():
                lines.append(html.unescape(_LINK.sub("", line)).strip())
        if title is not None:
            raise SynsemError(f"{name}: its last <doc> is never closed; the file is cut short")


def _sections(article: str, lines: list[str]) -> Iterator[Record]:
    if lines and lines[0] == article:
        del lines[0]
    title, paragraphs, any_text = article, list[str](), False
    for position, line in enumerate(lines):
        if 0 < position < len(lines) - 1 and is_heading(line):
            if paragraphs:
                any_text = True
                yield Record("\n".join(paragraphs), title=title)
            title, paragraphs = f"{article}: {line[:-1]}", []
        else:
            paragraphs.append(line)
    if paragraphs or not any_text:
        yield Record("\n".join(paragraphs), title=title)


def is_heading(line: str) -> bool:
    """Whether a line looks like a section's heading as WikiExtractor prints it."""
    return _HEADING.match(line) is not None and len(line.split()) <= _HEADING_WORDS and ". " not in line
