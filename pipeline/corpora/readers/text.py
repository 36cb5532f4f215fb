"""Running text.

text         documents between blank lines, one a line, or one a file
lines        one sentence a line, as it stands
tagged       ``word/tag`` between spaces, a sentence a line, a document a file (Brown corpus)
summaries    Wikipedia introductions: a JSON object of title -> {title, extract, ...}
pythonbible  a Bible of the pythonbible packages: a Python module, which is parsed and never run
reuters      Reuters-21578: SGML with an article's <TITLE> and <BODY>; an indented line begins a paragraph
"""

import ast
import html
import json
import re
from collections.abc import Iterator
from itertools import groupby, pairwise

from pipeline.core.errors import SynsemError
from pipeline.corpora.readers.base import Part, Record
from pipeline.syntax.sentence import ENDS

# Characters after which a block without a blank line ends with the next line that ends like a sentence: so a
# file of one sentence a line is read in flat memory.
_BLOCK = 4_000
_LONGEST = 10 * _BLOCK  # where no line ends like a sentence
_FINAL = tuple(".!?:;…\"'”’»)]" + ENDS)


def read_text(part: Part) -> Iterator[Record]:
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
        ends = block and block[-1].endswith(_FINAL)
        if block and (not line.strip() or (size >= _BLOCK and ends) or size >= _LONGEST):
            yield block
            block, size = [], 0
    if block:
        yield block


def _unwrapped(lines: list[str]) -> str:
    return "".join(line + ("\n" if line.endswith(_FINAL) else " ") for line in lines).rstrip()


def read_lines(part: Part) -> Iterator[Record]:
    """One record a line that is not blank."""
    for _, _, line in part.input.lines():
        if line.strip():
            yield Record(line, presplit=True)


_TWICE = set(";?!,:()")  # marks of which the Brown corpus often has two where the text had one


def read_tagged(part: Part) -> Iterator[Record]:
    """One record a file: its sentences, a line each; after a semicolon a line runs on in the next."""
    for _, lines in groupby(part.input.lines(), key=lambda line: line[0]):
        text = "\n".join(_untagged(line) for _, _, line in lines if line.strip())
        yield Record(text.replace(" ;\n", " ; "))


def _untagged(line: str) -> str:
    words = [token.rpartition("/")[0] for token in line.split()]
    return " ".join(word for last, word in pairwise(["", *words]) if word != last or word not in _TWICE)


def read_summaries(part: Part) -> Iterator[Record]:
    """One record an article: its introduction and title."""
    for name, stream in part.input.streams():
        try:
            entries = json.load(stream)
            for entry in entries.values():
                text, title = entry["extract"], entry["title"]
                if not isinstance(text, str) or not isinstance(title, str):
                    raise TypeError(f"{title!r} is no text")
                yield Record(text, title=title)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise SynsemError(
                f"{name}: not a JSON object of title to {{title, extract}} ({error})"
            ) from error


_TOO_DEEP = (RecursionError, MemoryError)  # what Python raises of brackets nested without end


# Where the Open English Bible has two lines of verse and nothing between them.
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[,;:.!?])(?=[A-Za-z‘“])|(?<=[,;:.!?][’”])(?=[A-Za-z])")


def read_pythonbible(part: Part) -> Iterator[Record]:
    """One record a verse; its pair_id is the same in every translation (``shared:bible:40001001``)."""
    for name, stream in part.input.streams():
        try:
            calls = [node for node in ast.walk(ast.parse(stream.read())) if isinstance(node, ast.Call)]
            text, starts = ast.literal_eval(calls[0].args[1]), ast.literal_eval(calls[0].args[2])
            verses = sorted(starts.items(), key=lambda item: (item[1], item[0]))
            if not isinstance(text, str) or not all(isinstance(start, int) for _, start in verses):
                raise TypeError("no text with the places of its verses")
        except (SyntaxError, ValueError, TypeError, IndexError, AttributeError, *_TOO_DEEP) as error:
            raise SynsemError(f"{name}: not a module of pythonbible ({error}); fetch it again") from error
        ends = [start for _, start in verses[1:]] + [len(text)]
        for (verse, start), end in zip(verses, ends, strict=True):
            yield Record(_JOINED.sub(" ", text[start:end]), pair_id=f"shared:bible:{verse}")


_TITLE = re.compile(r"<TITLE>(.*?)</TITLE>", re.DOTALL)
_BODY = re.compile(r"<BODY>(.*?)</BODY>", re.DOTALL)
_SIGNED = re.compile(r"\s*\bREUTER\b\W*$", re.IGNORECASE)


def read_reuters(part: Part) -> Iterator[Record]:
    """One record an article, empty where it has no body; SynsemError where one is never closed."""
    for name, stream in part.input.streams():
        article: list[str] = []
        start = 0
        for number, line in part.input.decoded(name, stream):
            if line.startswith("<REUTERS"):
                if article:
                    raise _unclosed(name, start)
                start = number
            if start:
                article.append(line)
            elif line.strip() and not line.startswith("<!"):
                raise SynsemError(f"{name}:{number}: text outside of <REUTERS>; choose another reader")
            if line.startswith("</REUTERS>"):
                yield _article("\n".join(article))
                article, start = [], 0
        if article:
            raise _unclosed(name, start)


def _unclosed(name: str, start: int) -> SynsemError:
    return SynsemError(f"{name}:{start}: an article is never closed; the file is cut short")


def _article(article: str) -> Record:
    title, body = _TITLE.search(article), _BODY.search(article)
    text = html.unescape(body[1]) if body else ""
    paragraphs = re.split(r"\n\s{2,}", _SIGNED.sub("", re.sub(r"[\x00-\x08\x0e-\x1f]", " ", text)))
    return Record(
        "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs),
        title=" ".join(html.unescape(title[1]).split()) if title else None,
    )
