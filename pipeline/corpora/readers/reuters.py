"""Reuters-21578: SGML, an article's <TITLE> and <BODY>; a paragraph begins with an indented line."""

import html
import re
from collections.abc import Iterator

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

_TITLE = re.compile(r"<TITLE>(.*?)</TITLE>", re.DOTALL)
_BODY = re.compile(r"<BODY>(.*?)</BODY>", re.DOTALL)
_SIGNED = re.compile(r"\s*\bREUTER\b\W*$", re.IGNORECASE)


def read(part: Part) -> Iterator[Record]:
    """One record an article, empty where it has no body; SynsemError where the last one is cut short."""
    for name, stream in part.input.streams():
        article: list[str] = []
        for _, line in part.input.decoded(name, stream):
            if line.startswith("<REUTERS"):
                article = []
            article.append(line)
            if line.startswith("</REUTERS>"):
                yield _record("\n".join(article))
                article = []
        if any(line.strip() for line in article):
            raise SynsemError(f"{name}: its last article is never closed; the file is cut short")


def _record(article: str) -> Record:
    title, body = _TITLE.search(article), _BODY.search(article)
    text = html.unescape(body[1]) if body else ""
    paragraphs = re.split(r"\n\s{2,}", _SIGNED.sub("", re.sub(r"[\x00-\x08\x0e-\x1f]", " ", text)))
    return Record(
        "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs),
        title=" ".join(html.unescape(title[1]).split()) if title else None,
    )
