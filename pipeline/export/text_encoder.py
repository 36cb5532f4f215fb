"""Plain texts to vectors by a trained system: parsed first, where a view reads trees."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.export.sentence_transformers import parser_of, views
from pipeline.nn.encoder import embed
from pipeline.nn.precision import Inference, inferred
from pipeline.params import Parse
from pipeline.syntax.sentence import HasTree, Sentence, Side
from pipeline.systems.base import System, Views

if TYPE_CHECKING:
    from pipeline.parsing.registry import Parser

_CHARACTERS_PER_TOKEN = 16  # prose has four or five; longer texts are cut before they are parsed
_UNPARSED_CHARACTERS = 1 << 15  # the tokenizer reads so many in hundredths of a second


def text_encoder(
    system: System,
    folder: Path,
    view: str | None,
    params: Path | None,
    precision: Inference = "exact",
    lang: str | None = None,
) -> "TextEncoder":
    """The ``TextEncoder`` of a system saved in a folder; ``params`` names a parser, where it needs one.

    ``lang`` is the language of the texts, None that of ``parse.benchmark_language``.
    """
    return TextEncoder(system, view, parse_for(system, folder, params, lang), precision)


def parse_for(system: System, folder: Path, params: Path | None, lang: str | None) -> Parse | None:
    """The section that names the parser of a system saved in a folder; None where it reads text alone.

    Raises SynsemError where ``params`` or ``lang`` choose a parser that such a system does not need.
    """
    if not system.reads_text_alone:
        return in_language(parser_of(folder, params), lang)
    for option, given in (("--params", params), ("--lang", lang)):
        if given is not None:
            raise SynsemError(f"{option}: chooses a parser, which {system.name} does not need; leave it out")
    return None


def in_language(parse: Parse, lang: str | None) -> Parse:
    """The section with the parser of that language for plain texts; unchanged for None."""
    return parse if lang is None else parse.model_copy(update={"benchmark_language": lang})


class TextEncoder:
    """Embeds plain texts, one sentence each, with one view of a system, or all of them for None.

    Only views that read trees parse the texts, in ``parse.benchmark_language``. Vectors of ``precision`` fast
    are equal to 1e-3, those of bf16 to 1e-2. Raises SynsemError for a view that the system lacks, and where a
    parser is needed and not installed.
    """

    def __init__(
        self, system: System, view: str | None, parse: Parse | None, precision: Inference = "exact"
    ) -> None:
        known = views(system)
        if view not in (None, *known):
            raise SynsemError(f"--view: {system.name} has no view {view!r}; choose from {', '.join(known)}")
        self.system, self.precision = system, precision
        self.views = {name: width for name, width in known.items() if view in (None, name)}
        # One view of the words alone: the other views, and their trees, are not needed.
        self._alone = system.text_encoder if set(self.views) == {system.exported_view} else None
        self._parser = None if self._alone is not None or system.reads_text_alone else parse
        if self._parser is not None:
            ready(self._parser)

    @property
    def parses(self) -> bool:
        """Whether the texts are parsed."""
        return self._parser is not None

    def __call__(self, texts: Sequence[str]) -> Views:
        """Unit vectors, float32 [n, D], of the views asked for."""
        sides = readable(texts, self._parser, self.system.tokenizer.max_tokens)
        return inferred(
            self.system.device, self.precision, lambda: self._embed(sides), lambda views: views.values()
        )

    def _embed(self, sides: Sequence[HasTree]) -> Views:
        if self._alone is not None:
            return embed({self.system.exported_view: self._alone}, self.system.tokenizer, sides)
        vectors = self.system.embed(sides)
        return {name: vectors[name] for name in self.views}

    def cut(self, texts: Sequence[str]) -> int:
        """How many texts go on beyond the ``encoder.max_tokens`` tokens that are read of each."""
        if not texts:
            return 0
        tokenizer = self.system.tokenizer
        room = tokenizer.max_tokens
        clipped = [clip(text, room) if self.parses else alone(text).text for text in texts]
        tokens = tokenizer.hf_tokenizer(clipped, truncation=True, max_length=room + 1)["input_ids"]
        return sum(
            len(ids) > room or short.strip() != text.strip()
            for ids, short, text in zip(tokens, clipped, texts, strict=True)
        )


def clip(text: str, max_tokens: int) -> str:
    """The beginning of a text, longer than ``max_tokens`` subwords of any prose; most texts are left whole.

    A line of a megabyte would take minutes to parse, fill the memory with the distances of its tree, and
    then be cut to ``max_tokens``. It is cut at a space, if there is one.
    """
    room = max_tokens * _CHARACTERS_PER_TOKEN
    if len(text) > room:
        text = text.lstrip()  # else white space alone may be all that is left
    if len(text) <= room:
        return text
    beginning = text[:room]
    words = beginning.split()
    if len(words) < 2 or not text[room].strip():
        return beginning
    return beginning.removesuffix(words[-1]).rstrip()


def alone(text: str) -> Side:
    """A text that is not parsed: the tokenizer takes what is read, of 32,768 characters at most."""
    return Side(text[:_UNPARSED_CHARACTERS], (), ())


def demand_direction(text: str, view: str, vector: NDArray[np.float32]) -> None:
    """Raise SynsemError where a query's vector is zero: every text would be equally near."""
    if not vector.any():
        raise SynsemError(
            f"{text!r}: has no {view} vector, for it has no pair of content words; "
            "give a sentence with two, or another view"
        )


def ready(parse: Parse) -> None:
    """Load the parser; a SynsemError where it is not installed or cannot parse plain text."""
    if parse.backend == "conllu":
        raise SynsemError(
            "parse.backend: conllu reads trees that are there already and parses no text; "
            "name a parser with --params, or take --view semantic"
        )
    _parser(parse)


def trees(texts: Sequence[str], parse: Parse) -> Iterator[Sentence | None]:
    """One well-formed tree for each text; None where it has no word."""
    from pipeline.parsing.registry import Passage
    from pipeline.parsing.repair import repair

    passages = [Passage(text, parse.benchmark_language, single=True) for text in texts]
    for sentences in _parser(parse).parse(passages):
        yield repair(sentences[0])[0] if sentences else None


def _parser(parse: Parse) -> "Parser":
    from pipeline.parsing import registry as parsers
    from pipeline.systems.cssl.backend import register

    register()
    return parsers.load(parse, parse.benchmark_language)


def readable(texts: Sequence[str], parse: Parse | None, max_tokens: int) -> list[HasTree]:
    """What a system reads of each text: its tree, too, unless ``parse`` is None."""
    if parse is None:
        return [alone(text) for text in texts]
    return parsed(texts, parse, max_tokens)


def parsed(texts: Sequence[str], parse: Parse, max_tokens: int) -> list[HasTree]:
    """What a system embeds of each text; an empty text is a tree of one empty word."""
    clipped = [clip(text, max_tokens) for text in texts]
    return [
        Side(text, [""], [0], ["root"], ["X"], [""]) if tree is None else Side.of(tree)._replace(text=text)
        for text, tree in zip(clipped, trees(clipped, parse), strict=True)
    ]
