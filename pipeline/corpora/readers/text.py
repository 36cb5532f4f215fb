"""Running text, articles, and texts that belong together.

text           documents between blank lines, one a line, or one a file
lines          one sentence a line, as it stands
aligned        files whose lines belong together: translations (Multi30k, LASER) or rewrites (ASSET)
wikisplit      a sentence, a tab, and the sentences it was split into, with ``<::::>`` between them
wikiextractor  WikiExtractor's output: ``<doc id url title>``, title, paragraphs, maybe headings, ``</doc>``
summaries      Wikipedia introductions: a JSON object of title -> {title, extract, ...}
tagged         ``word/tag`` between spaces, a sentence a line, a document a file (Brown corpus)
pythonbible    a Bible of the pythonbible packages: a Python module, which is parsed and never run
reuters        Reuters-21578: SGML with an article's <TITLE> and <BODY>; an indented line begins a paragraph
"""

import ast
import html
import json
import re
from collections.abc import Iterator
from itertools import chain, pairwise

from pipeline.core.errors import SynsemError
from pipeline.core.schemas import OTHER_PARTS
from pipeline.corpora.files import Document, Part, fields, side_by_side
from pipeline.syntax.sentence import ENDS

# Characters after which a block without a blank line ends with the next line that ends like a sentence: so a
# file of one sentence a line is read in flat memory.
_BLOCK = 4_000
_LONGEST = 10 * _BLOCK  # if no line ends like a sentence
_FINAL = tuple(".!?:;…\"'”’»)]" + ENDS)


def read_text(part: Part) -> Iterator[Document]:
    """Yield every document; the option ``unit`` is block (default), line or file.

    In a block a line that does not end like a sentence runs on in the next one, as in text wrapped at a fixed
    width; otherwise a line end ends a paragraph.
    """
    unit = part.options.get("unit", "block")
    for _, lines in part.input.texts():
        texts = (text for _, text in lines)
        if unit == "line":
            yield from (Document(text) for text in texts if text.strip())
        elif unit == "file":
            yield Document("\n".join(texts))
        else:
            yield from map(Document, _blocks(texts))


def _blocks(lines: Iterator[str]) -> Iterator[str]:
    block: list[str] = []
    size = 0
    for line in chain(lines, [""]):
        if line.strip():
            block.append(line.strip())
            size += len(line)
        whole = not line.strip() or size >= _LONGEST or (size >= _BLOCK and block[-1].endswith(_FINAL))
        if block and whole:
            yield "".join(each + ("\n" if each.endswith(_FINAL) else " ") for each in block).rstrip()
            block, size = [], 0


def read_lines(part: Part) -> Iterator[Document]:
    """Yield a document for each line that is not blank."""
    for _, _, line in part.input.lines():
        if line.strip():
            yield Document(line, presplit=True)


def read_aligned(part: Part) -> Iterator[Document]:
    """Yield a document for each line of every file, linked by pair_id; two files give pairs.

    With the option ``languages`` the roles are languages.
    """
    named = part.options.get("languages")
    for lines in side_by_side(part):
        name, number, _ = next(iter(lines.values()))
        texts = [(text, role if named else None) for role, (_, _, text) in lines.items()]
        if len(texts) == 2:
            (a, lang), (b, b_lang) = texts
            yield Document(a, b, lang=lang, b_lang=b_lang, presplit=True)
            continue
        pair = f"{part.folder}{name.rpartition('/')[2]}.{number}"
        for text, lang in texts:
            yield Document(text, lang=lang, presplit=True, pair_id=pair)


def read_wikisplit(part: Part) -> Iterator[Document]:
    """Yield the long sentence and each of its parts, linked by pair_id."""
    for where, (whole, split) in fields(part, 2):
        parts = split.split("<::::>")
        pair = part.folder + where.rpartition("/")[2] + ("" if len(parts) == 2 else OTHER_PARTS)
        yield Document(whole, presplit=True, pair_id=pair)
        for short in parts:
            yield Document(short, presplit=True, pair_id=pair)


_OPEN = re.compile(r'<doc id="[^"]*" .*?title="(.*)">$')
_LINK = re.compile(r"</?(?:a|b|i|br)\b[^>]*>")
# A heading is a short line that ends in a full stop and holds no other mark of a sentence.
_HEADING = re.compile(r"(?=.{2,70}$)[^\s\W].*[^.:;?!]\.$")
_HEADING_WORDS = 8
# What makes a short line a sentence: a pronoun that begins it, or an auxiliary.
_SENTENCE = re.compile(r"(?:He|She|It|They|We|I|There|This)\b|.* (?:is|are|was|were|has|had|have|been)\b")
# Gaps that removed templates leave: ``Achilles ( ) was (; born in`` -> ``Achilles was (born in``.
_GAPS = (
    (re.compile(r"[ \t]+\([\s,;]*\)"), ""),
    (re.compile(r"\(\s*[,;][\s,;]*"), "("),
    (re.compile(r",(?:[ \t]*,)+"), ","),
)


def read_wikiextractor(part: Part) -> Iterator[Document]:
    """Yield a document for each section, titled "Article: Section"; the opening has only the article's title.

    Without headings an article is one document. An article without text gives an empty one.
    """
    for name, numbered in part.input.texts():
        title, lines = None, list[str]()
        for number, line in numbered:
            opening = _OPEN.match(line)
            if opening is not None and title is None:
                title = html.unescape(opening[1])
            elif line == "</doc>" and title is not None:
                yield from _sections(title, lines)
                title, lines = None, []
            elif opening is not None or (title is None and line.strip()):
                raise SynsemError(
                    f"{name}:{number}: <doc> and </doc> do not alternate; is it WikiExtractor's?"
                )
            elif line.strip():
                plain = _LINK.sub("", html.unescape(line))
                for gap, filled in _GAPS:
                    plain = gap.sub(filled, plain)
                lines.append(plain.strip())
        if title is not None:
            raise SynsemError(f"{name}: its last <doc> is never closed; the file is cut short")


def _sections(article: str, lines: list[str]) -> Iterator[Document]:
    if lines and lines[0] == article:
        del lines[0]
    title, paragraphs, any_text = article, list[str](), False
    for position, line in enumerate(lines):
        if 0 < position < len(lines) - 1 and is_heading(line):
            if paragraphs:
                any_text = True
                yield Document("\n".join(paragraphs), title=title, work=article)
            title, paragraphs = f"{article}: {line[:-1]}", []
        else:
            paragraphs.append(line)
    if paragraphs or not any_text:
        yield Document("\n".join(paragraphs), title=title, work=article)


def is_heading(line: str) -> bool:
    """Return whether a line looks like a section's heading as WikiExtractor prints it."""
    short = _HEADING.match(line) is not None and len(line.split()) <= _HEADING_WORDS and ". " not in line
    return short and _SENTENCE.match(line) is None


def read_summaries(part: Part) -> Iterator[Document]:
    """Yield a document for each article: its introduction and title."""
    for _, stream in part.input.streams():
        for entry in json.load(stream).values():
            yield Document(entry["extract"], title=entry["title"])


_TWICE = set(";?!,:()")  # marks of which the Brown corpus often has two where the text had one


def read_tagged(part: Part) -> Iterator[Document]:
    """Yield a document for each file, a sentence a line; after a semicolon a line runs on in the next."""
    for _, lines in part.input.texts():
        text = "\n".join(_untagged(line) for _, line in lines if line.strip())
        yield Document(text.replace(" ;\n", " ; "))


def _untagged(line: str) -> str:
    words = [token.rpartition("/")[0] for token in line.split()]
    return " ".join(word for last, word in pairwise(["", *words]) if word != last or word not in _TWICE)


# Where the Open English Bible has two lines of verse and nothing between them.
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[,;:.!?])(?=[A-Za-z‘“])|(?<=[,;:.!?][’”])(?=[A-Za-z])")


def read_pythonbible(part: Part) -> Iterator[Document]:
    """Yield each verse; its pair_id is one for all translations (``shared:bible:40001001``)."""
    for _, stream in part.input.streams():
        call = next(node for node in ast.walk(ast.parse(stream.read())) if isinstance(node, ast.Call))
        text, starts = ast.literal_eval(call.args[1]), ast.literal_eval(call.args[2])
        verses = sorted(starts.items(), key=lambda item: (item[1], item[0]))
        ends = [start for _, start in verses[1:]] + [len(text)]
        for (verse, start), end in zip(verses, ends, strict=True):
            yield Document(_JOINED.sub(" ", text[start:end]), pair_id=f"shared:bible:{verse}")


_ARTICLE = re.compile(r"^<REUTERS.*?^</REUTERS>", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r"<TITLE>(.*?)</TITLE>", re.DOTALL)
_BODY = re.compile(r"<BODY>(.*?)</BODY>", re.DOTALL)
_SIGNED = re.compile(r"\s*\bREUTER\b\W*$", re.IGNORECASE)


def read_reuters(part: Part) -> Iterator[Document]:
    """Yield a document for each article, empty if it has no body."""
    for name, lines in part.input.texts():
        whole = "\n".join(line for _, line in lines)
        for article in _ARTICLE.findall(whole):
            title, body = _TITLE.search(article), _BODY.search(article)
            text = html.unescape(body[1]) if body else ""
            text = _SIGNED.sub("", re.sub(r"[\x00-\x08\x0e-\x1f]", " ", text))
            yield Document(
                "\n".join(" ".join(paragraph.split()) for paragraph in re.split(r"\n\s{2,}", text)),
                title=" ".join(html.unescape(title[1]).split()) if title else None,
            )
        if whole.rfind("<REUTERS") > whole.rfind("</REUTERS>"):
            raise SynsemError(f"{name}: its last article is never closed; the file is cut short")
