"""Wikipedia articles, a record a section.

mediawiki      a MediaWiki XML dump, page by page; mwparserfromhell reads the wikitext
wikiextractor  WikiExtractor's output: ``<doc id url title>``, title, paragraphs, maybe headings, ``</doc>``
wikitext       WikiText: tokenised articles with ``= Title =`` and ``= = Section = =`` lines
"""

import contextlib
import html
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import IO, TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from pipeline.core.errors import SynsemError
from pipeline.corpora.readers.base import Part, Record

if TYPE_CHECKING:
    from mwparserfromhell.nodes import Node
    from mwparserfromhell.wikicode import Wikicode

# What every wiki of MediaWiki knows, and Wikipedia's own; a dump names those of its language in <siteinfo>.
_NAMESPACES = (
    "category", "draft", "file", "help", "image", "media", "mediawiki", "module", "portal", "project",
    "special", "talk", "template", "timedtext", "user", "wikipedia",
)  # fmt: skip
# A link to the page of another language has its code before it, in lower case and without a space.
_LANGUAGE = r"(?:[a-z]{2,3}(?:-[a-z]+)*|simple):(?=\S)"
_SKIPPED = {"see also", "references", "external links", "further reading", "notes", "bibliography"}
_TABLE_TAGS = {"table", "ref", "gallery", "math", "timeline", "source", "code"}


def read_mediawiki(part: Part) -> Iterator[Record]:
    """One record a section of an article (namespace 0, no redirect), titled "Article: Section".

    What stands before the first section is titled as the article. A section has its subsections' text, too.
    Lists of references and the like are left out. An article whose markup would take too long to read gives
    an empty record, and a line on stderr. Raises SynsemError where the file is no dump.
    """
    from defusedxml import DefusedXmlException

    for name, stream in part.input.streams():
        try:
            for title, wikitext, special in _articles(stream):
                if effort(wikitext) > _MOST_EFFORT:
                    print(f"{name}: {title!r} is left out: its markup is never closed", file=sys.stderr)
                    yield Record("", title=title)
                else:
                    yield from _article(title, wikitext, special)
        except (ParseError, DefusedXmlException, KeyError) as error:
            reason = f"a page lacks {error}" if isinstance(error, KeyError) else error
            raise SynsemError(f"{name}: not a whole MediaWiki XML dump ({reason}); fetch it again") from error


def _special_links(local: Iterable[str] = ()) -> re.Pattern[str]:
    """What begins the title of a link that is no words of a sentence: a namespace or a language."""
    names = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in (*_NAMESPACES, *local))
    return re.compile(rf"\s*(?:(?i:{names})(?i:[ _]talk)?\s*:|{_LANGUAGE})")


def _articles(stream: IO[bytes]) -> Iterator[tuple[str, str, re.Pattern[str]]]:
    """Every article: title, wikitext of its last revision, and its wiki's special links; in flat memory."""
    from defusedxml.ElementTree import iterparse

    special = _special_links()
    events = iterparse(stream, events=("start", "end"))
    _, root = next(events)
    for event, element in events:
        if event == "end" and element.tag.rpartition("}")[2] == "namespaces":
            special = _special_links(child.text for child in element if child.text)
        if event == "end" and element.tag.rpartition("}")[2] == "page":
            page = {child.tag.rpartition("}")[2]: child for child in element.iter()}
            namespace, title, wikitext = (page[part].text or "" for part in ("ns", "title", "text"))
            if namespace == "0" and "redirect" not in page:
                yield title, wikitext, special
            root.clear()


_MOST_EFFORT = 10**7  # a few seconds; an article of 100,000 characters may leave a hundred open
# What begins and what ends a piece of markup; pieces that end where they begin have no part in this.
_PAIRS = tuple(
    (re.compile(begin), re.compile(end))
    for begin, end in (
        (r"\{\{", r"\}\}"),
        (r"\{\|", r"\|\}"),
        (r"\[\[", r"\]\]"),
        (r"(?<!\[)\[(?!\[)", r"(?<!\])\](?!\])"),
        (r"<[a-zA-Z]", r"</|/>|<(?:br|hr|li|dt|dd|th|td|tr|wbr)\s*>"),
        (r"<!--", r"-->"),
    )
)


def effort(wikitext: str) -> int:
    """About how many characters a parser of wikitext reads: all of them again for each mark never closed."""
    still_open = sum(
        max(0, len(begin.findall(wikitext)) - len(end.findall(wikitext))) for begin, end in _PAIRS
    )
    return still_open * len(wikitext)


def _article(title: str, wikitext: str, special: re.Pattern[str]) -> Iterator[Record]:
    import mwparserfromhell

    for section in _by_section(mwparserfromhell.parse(wikitext)):
        headings = section.filter_headings()
        begun = bool(headings) and section.nodes[0] is headings[0] and headings[0].level <= _SECTION
        heading = headings[0].title.strip_code().strip() if begun else ""
        if heading.lower() not in _SKIPPED:
            yield Record(
                _plain(section, special), title=f"{title}: {heading}" if heading else title, work=title
            )


_SECTION = 2  # the level of headings that begin a section; a few articles have higher ones


def _by_section(article: "Wikicode") -> Iterator["Wikicode"]:
    """The text before the first section, and each section with its subsections."""
    from mwparserfromhell.nodes import Heading
    from mwparserfromhell.wikicode import Wikicode

    nodes = list(article.nodes)  # its own slices would change with it
    starts = [n for n, node in enumerate(nodes) if isinstance(node, Heading) and node.level <= _SECTION]
    for start, stop in pairwise([0, *starts, len(nodes)]):
        yield Wikicode(nodes[start:stop])


def _plain(section: "Wikicode", special: re.Pattern[str]) -> str:
    for heading in section.filter_headings():
        section.remove(heading)
    for link in section.filter_wikilinks(recursive=True):
        title = str(link.title).strip()
        if special.match(title):
            _remove(section, link)
        elif title.startswith(":"):  # so it is shown, as any other link
            link.title = title[1:]
    for tag in section.filter_tags(recursive=True):
        if str(tag.tag).lower() in _TABLE_TAGS:
            _remove(section, tag)
    text = _without_gaps(section.strip_code(normalize=True, collapse=True))
    lines = (line.lstrip(" *#:;").rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _remove(section: "Wikicode", node: "Node") -> None:
    with contextlib.suppress(ValueError):  # it went with the node that held it
        section.remove(node)


# Gaps that templates leave when they are removed: of a pronunciation, a date or a foreign name.
_EMPTY = re.compile(r"[ \t]+\([\s,;]*\)")
_BEGINS_EMPTY = re.compile(r"\(\s*[,;][\s,;]*")
_COMMAS = re.compile(r",(?:[ \t]*,)+")


def _without_gaps(text: str) -> str:
    """The text without gaps: ``Achilles ( ) was (; born in`` -> ``Achilles was (born in``."""
    return _COMMAS.sub(",", _BEGINS_EMPTY.sub("(", _EMPTY.sub("", text)))


_OPEN = re.compile(r'<doc id="[^"]*" .*?title="(.*)">$')
_LINK = re.compile(r"</?(?:a|b|i|br)\b[^>]*>")
# A heading is a short line that ends in a full stop and holds no other mark of a sentence.
_HEADING = re.compile(r"(?=.{2,70}$)[^\s\W].*[^.:;?!]\.$")
_HEADING_WORDS = 8
# What makes a short line a sentence: a pronoun that begins it, or an auxiliary.
_SENTENCE = re.compile(r"(?:He|She|It|They|We|I|There|This)\b|.* (?:is|are|was|were|has|had|have|been)\b")


def read_wikiextractor(part: Part) -> Iterator[Record]:
    """One record a section, titled "Article: Section"; the opening has the article's title alone.

    Without headings an article is one record. An article without text gives an empty one.
    """
    for name, stream in part.input.streams():
        title, lines = None, list[str]()
        for number, line in part.input.decoded(name, stream):
            opening = _OPEN.match(line)
            if opening is not None and title is not None:
                raise SynsemError(
                    f"{name}:{number}: <doc> within the <doc> of {title!r}, which is never closed;"
                    " write the file again"
                )
            if opening is not None:
                title = html.unescape(opening[1])
            elif title is None:
                if line.strip():
                    raise SynsemError(f"{name}:{number}: text outside of <doc>; is it by WikiExtractor?")
            elif line == "</doc>":
                yield from _sections(title, lines)
                title, lines = None, []
            elif line.strip():
                lines.append(_without_gaps(_LINK.sub("", html.unescape(line))).strip())
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
                yield Record("\n".join(paragraphs), title=title, work=article)
            title, paragraphs = f"{article}: {line[:-1]}", []
        else:
            paragraphs.append(line)
    if paragraphs or not any_text:
        yield Record("\n".join(paragraphs), title=title, work=article)


def is_heading(line: str) -> bool:
    """Whether a line looks like a section's heading as WikiExtractor prints it."""
    short = _HEADING.match(line) is not None and len(line.split()) <= _HEADING_WORDS and ". " not in line
    return short and _SENTENCE.match(line) is None


_WIKITEXT_HEADING = re.compile(r" ((?:= )+)(.+?) \1$")  # the lines keep one space at each end
_ESCAPED = re.compile(r" @([-,.])@ ")


def read_wikitext(part: Part) -> Iterator[Record]:
    """One record a section, titled "Article: Section"; the opening has the article's title alone."""
    article = title = ""
    lines: list[str] = []
    for _, _, line in part.input.lines():
        heading = _WIKITEXT_HEADING.match(line)
        if heading is None:
            if line.strip():
                lines.append(_ESCAPED.sub(r"\1", line))
            continue
        if lines:
            yield Record("\n".join(lines), title=title, work=article)
            lines = []
        name = _ESCAPED.sub(r"\1", heading[2])
        if heading[1] == "= ":
            article = title = name
        else:
            title = f"{article}: {name}" if article else name
    if lines:
        yield Record("\n".join(lines), title=title, work=article)
