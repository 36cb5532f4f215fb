"""A MediaWiki XML dump, page by page; the wikitext is read by mwparserfromhell."""

import contextlib
import re
from collections.abc import Iterator
from typing import IO
from xml.etree.ElementTree import ParseError

import mwparserfromhell
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse
from mwparserfromhell.nodes import Node
from mwparserfromhell.wikicode import Wikicode

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError

_SPECIAL = re.compile(r"^\s*:?(?:[a-z-]{2,12}|file|image|category|wikipedia|media|template):", re.IGNORECASE)
_SKIPPED = {"see also", "references", "external links", "further reading", "notes", "bibliography"}
_TABLE_TAGS = {"table", "ref", "gallery", "math", "timeline", "source", "code"}


def read(part: Part) -> Iterator[Record]:
    """One record a section of an article (namespace 0, no redirect), titled "Article: Section".

    Lists of references and the like are left out. Raises SynsemError where the file is no dump.
    """
    for name, stream in part.input.streams():
        try:
            for title, wikitext in _articles(stream):
                yield from _article(title, wikitext)
        except (ParseError, DefusedXmlException, KeyError) as error:
            reason = f"a page lacks {error}" if isinstance(error, KeyError) else error
            raise SynsemError(f"{name}: not a whole MediaWiki XML dump ({reason}); fetch it again") from error


def _articles(stream: IO[bytes]) -> Iterator[tuple[str, str]]:
    """(title, wikitext) of every article, in flat memory; the last revision where a page has several."""
    events = iterparse(stream, events=("start", "end"))
    _, root = next(events)
    for event, element in events:
        if event == "end" and element.tag.rpartition("}")[2] == "page":
            page = {child.tag.rpartition("}")[2]: child for child in element.iter()}
            namespace, title, wikitext = (page[part].text or "" for part in ("ns", "title", "text"))
            if namespace == "0" and "redirect" not in page:
                yield title, wikitext
            root.clear()


def _article(title: str, wikitext: str) -> Iterator[Record]:
    sections = mwparserfromhell.parse(wikitext).get_sections(levels=[2], include_lead=True)
    for section in sections:
        headings = section.filter_headings()
        heading = headings[0].title.strip_code().strip() if headings and section.startswith("==") else ""
        if heading.lower() not in _SKIPPED:
            yield Record(_plain(section), title=f"{title}: {heading}" if heading else title)


def _plain(section: Wikicode) -> str:
    for heading in section.filter_headings():
        section.remove(heading)
    for link in section.filter_wikilinks(recursive=True):
        if _SPECIAL.match(str(link.title)):
            _remove(section, link)
    for tag in section.filter_tags(recursive=True):
        if str(tag.tag).lower() in _TABLE_TAGS:
            _remove(section, tag)
    lines = (line.strip(" *#:;") for line in section.strip_code(normalize=True, collapse=True).splitlines())
    return "\n".join(line for line in lines if line)


def _remove(section: Wikicode, node: Node) -> None:
    with contextlib.suppress(ValueError):  # it went with the node that held it
        section.remove(node)
