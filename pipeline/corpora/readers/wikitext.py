"""WikiText: tokenised articles, ``= Title =`` and ``= = Section = =`` headings on lines of their own."""

import re
from collections.abc import Iterator

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record

_HEADING = re.compile(r" ((?:= )+)(.+?) \1$")  # the lines keep one space at each end
_ESCAPED = re.compile(r" @([-,.])@ ")


def read(part: Part) -> Iterator[Record]:
    """One record a section, titled "Article: Section"; the opening has the article's title alone."""
    article = title = ""
    lines: list[str] = []
    for _, _, line in part.input.lines():
        heading = _HEADING.match(line)
        if heading is None:
            if line.strip():
                lines.append(_ESCAPED.sub(r"\1", line))
            continue
        if lines:
            yield Record("\n".join(lines), title=title)
            lines = []
        if heading[1] == "= ":
            article = title = heading[2]
        else:
            title = f"{article}: {heading[2]}"
    if lines:
        yield Record("\n".join(lines), title=title)
