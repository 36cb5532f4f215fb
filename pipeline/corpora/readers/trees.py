"""Treebanks: as sentences without their trees, or with trees that stay with their sentences.

conllu    Universal Dependencies in CoNLL-U: the sentence's own text, or its words with their spaces
columns   dependency trees as plain columns, a word a line, a blank line between sentences (STBC, NLTK)
treebank  gold dependency trees: a document is a sentence in CoNLL-U; the parse stage reads its tree
"""

import re
from collections.abc import Iterator
from itertools import groupby

from pipeline.core.errors import SynsemError
from pipeline.corpora.files import Document, Part
from pipeline.syntax.sentence import check_conllu


def read_conllu(part: Part) -> Iterator[Document]:
    """Yield each sentence; multiword tokens give their surface form once, empty nodes nothing."""
    for name, start, block in _blocks(part):
        yield Document(_spelt(block, f"{name}:{start}"), presplit=True)


def _blocks(part: Part) -> Iterator[tuple[str, int, str]]:
    """Every sentence as it stands: (name, number of its first line, its lines and a blank one).

    Comments that no sentence follows, such as a ``# newdoc`` with a blank line after it, are left out.
    """
    for name, start, lines in _paragraphs(part):
        words = [(number, line) for number, line in enumerate(lines, start) if not line.startswith("#")]
        for number, line in words:
            if line.count("\t") != 9:
                raise SynsemError(f"{name}:{number}: not CoNLL-U's 10 columns; choose another reader")
        if words:
            yield name, start, "\n".join(lines) + "\n\n"


def _paragraphs(part: Part) -> Iterator[tuple[str, int, list[str]]]:
    """Yield every run of lines without a blank one: (name of the file, number of the first, lines)."""
    for name, lines in part.input.texts():
        for filled, some in groupby(lines, key=lambda line: bool(line[1].strip())):
            if filled:
                numbers, texts = zip(*some, strict=True)
                yield name, numbers[0], list(texts)


_MULTIWORD = re.compile(r"^\d+-\d+\t", re.MULTILINE)


def contracted_text(tree: str) -> str:
    """Return the text of a gold tree that has multiword tokens (``au`` for ``à le``), otherwise ``""``.

    Joining the words of such a tree need not give its text. An unreadable tree gives ``""``; the parse stage
    reports what is wrong with it.
    """
    if not _MULTIWORD.search(tree):
        return ""
    try:
        return _spelt(tree, "")
    except SynsemError:
        return ""


def _spelt(tree: str, where: str) -> str:
    """The text of a sentence in CoNLL-U; multiword tokens stand for the words they cover."""
    import conllu

    try:
        (sentence,) = conllu.parse(tree)
    except (conllu.exceptions.ParseException, ValueError) as error:
        raise SynsemError(f"{where}: not CoNLL-U ({error}); fix it") from error
    if given := sentence.metadata.get("text"):
        return str(given)
    text, covered = "", 0
    for token in sentence:
        match token["id"]:
            case (_, ".", _):
                continue
            case (_, "-", last):
                covered = last
            case int(position) if position <= covered:
                continue
        spaced = (token["misc"] or {}).get("SpaceAfter") != "No"
        text += token["form"] + (" " if spaced else "")
    return text.rstrip()


# CoNLL-U column -> option that names the column of plain rows which holds it, counted from 0.
_COLUMNS = {1: "form", 2: "lemma", 3: "upos", 4: "xpos", 6: "head", 7: "deprel"}


def read_treebank(part: Part) -> Iterator[Document]:
    """Yield each sentence of CoNLL-U, or of plain columns if options name at least form and head."""
    if "form" not in part.options:
        for name, start, block in _blocks(part):
            if part.options.get("trees"):  # of one's own corpus, where a tree that is wrong can be mended
                check_conllu(block, name, start)
            yield Document(block, gold=True)
        return
    columns = {place: part.options[name] for place, name in _COLUMNS.items() if name in part.options}
    for count, (name, rows) in enumerate(_rows(part, max(columns.values())), 1):
        tree = [f"# sent_id = {name.rpartition('/')[2]}-{count}"]
        for position, given in enumerate(rows, 1):
            row = [str(position), *["_"] * 9]
            for place, column in columns.items():
                row[place] = given[column] or "_"
            if row[7] == "_":
                row[7] = "root" if row[6] == "0" else "dep"
            tree.append("\t".join(row))
        yield Document("\n".join(tree) + "\n\n", gold=True)


def read_columns(part: Part) -> Iterator[Document]:
    """Yield a document for each sentence; the option ``form`` is the column of the word, counted from 0."""
    column = part.options.get("form", 1)
    for _, rows in _rows(part, column):
        yield Document(" ".join(row[column] for row in rows), presplit=True)


def _rows(part: Part, last: int) -> Iterator[tuple[str, list[list[str]]]]:
    for name, start, lines in _paragraphs(part):
        rows = [line.split("\t") for line in lines]
        for number, row in enumerate(rows, start):
            if len(row) <= last:
                raise SynsemError(f"{name}:{number}: no column {last + 1}; choose another reader")
        yield name, rows
