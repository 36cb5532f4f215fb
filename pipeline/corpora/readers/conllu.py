"""Universal Dependencies in CoNLL-U; the text is the sentence's own, or its words with their spaces."""

from collections.abc import Iterator

import conllu

from pipeline.corpora.readers.part import Part
from pipeline.corpora.records import Record
from pipeline.errors import SynsemError


def read(part: Part) -> Iterator[Record]:
    """One record a sentence. Multiword tokens give their surface form once; empty nodes give nothing.

    Raises SynsemError where the file is no CoNLL-U.
    """
    for name, start, block in blocks(part):
        try:
            (sentence,) = conllu.parse(block)
        except (conllu.exceptions.ParseException, ValueError) as error:
            reason = " ".join(str(error).split())
            raise SynsemError(
                f"{name}:{start}: not CoNLL-U ({reason}); mend it or choose another reader"
            ) from error
        yield Record(sentence.metadata.get("text") or surface(sentence), presplit=True)


def blocks(part: Part) -> Iterator[tuple[str, int, str]]:
    """Every sentence as it stands: (name, number of its first line, its lines and a blank one)."""
    held: list[str] = []
    before, start = "", 0
    for name, number, line in part.input.lines():
        if held and (not line.strip() or name != before):
            yield before, start, "\n".join(held) + "\n\n"
            held = []
        if line.strip():
            start = start if held else number
            held.append(line)
            if not line.startswith("#") and line.count("\t") != 9:
                raise SynsemError(
                    f"{name}:{number}: not CoNLL-U ({line.count(chr(9)) + 1} columns where 10 belong);"
                    " mend it or choose another reader"
                )
        before = name
    if held:
        yield before, start, "\n".join(held) + "\n\n"


def surface(sentence: conllu.TokenList) -> str:
    """The sentence's text from its tokens: multiword tokens stand for the words they cover."""
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
