"""Plain texts to vectors by a trained system: parsed first if a view reads trees."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from pipeline.core.errors import SynsemError
from pipeline.core.params import Parse
from pipeline.export.sentence_transformers import parser_of, views
from pipeline.nn.encoder import embed
from pipeline.nn.inference import best_device
from pipeline.nn.precision import Inference, inferred
from pipeline.syntax.sentence import HasTree, Sentence, Side
from pipeline.systems.base import System, Views

if TYPE_CHECKING:
    from pipeline.parsing.base import Parser

_CHARACTERS_PER_TOKEN = 16  # prose has four or five; longer texts are cut before they are parsed
_UNPARSED_CHARACTERS = 1 << 15  # the tokenizer reads so many in hundredths of a second


def device_of(name: str) -> torch.device:
    """Return the device of that name, the best one for ``auto``; SynsemError if this machine lacks it."""
    if name == "auto":
        return best_device()
    try:
        return torch.zeros(1, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise SynsemError(f"device: {name!r} cannot be used here; take auto or cpu") from error


def parse_for(system: System, folder: Path, params: Path | None, lang: str | None) -> Parse | None:
    """Return the section that names the parser of a system saved in a folder; None if it reads text alone.

    ``lang`` is the language of the texts, by default that of ``parse.benchmark_language``. Raises SynsemError
    if ``params`` or ``lang`` choose a parser that the system does not need.
    """
    if not system.reads_text_alone:
        parse = parser_of(folder, params)
        return parse if lang is None else parse.model_copy(update={"benchmark_language": lang})
    for option, given in (("params", params), ("lang", lang)):
        if given is not None:
            raise SynsemError(f"{option}: chooses a parser, which {system.name} does not need; leave it out")
    return None


class TextEncoder:
    """Embed plain texts, one sentence each, with one view of a system, or with all of them for None.

    Texts are parsed, in ``parse.benchmark_language``, only for views that read trees. Vectors of
    ``precision`` fast are equal to 1e-3, those of bf16 to 1e-2. Raises SynsemError for a view that the
    system lacks, and if a parser is needed and not installed.
    """

    def __init__(
        self, system: System, view: str | None, parse: Parse | None, precision: Inference = "exact"
    ) -> None:
        known = views(system)
        if view not in (None, *known):
            raise SynsemError(f"view: {system.name} has no view {view!r}; choose from {', '.join(known)}")
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
        """Return unit vectors, float32 [n, D], of the views asked for."""
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
        """Count the texts that go on beyond the ``encoder.max_tokens`` tokens that are read of each."""
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


def readable(texts: Sequence[str], parse: Parse | None, max_tokens: int) -> list[HasTree]:
    """Return what a system reads of each text: with its tree unless ``parse`` is None.

    A text without a word is a tree of one empty word.
    """
    if parse is None:
        return [alone(text) for text in texts]
    clipped = [clip(text, max_tokens) for text in texts]
    return [
        Side(text, [""], [0], ["root"], ["X"], [""]) if tree is None else Side.of(tree)._replace(text=text)
        for text, tree in zip(clipped, trees(clipped, parse), strict=True)
    ]


def alone(text: str) -> Side:
    """Return a text that is not parsed; the tokenizer takes what is read, of 32,768 characters at most."""
    return Side(text[:_UNPARSED_CHARACTERS], (), ())


def clip(text: str, max_tokens: int) -> str:
    """Return the beginning of a text, longer than ``max_tokens`` subwords of any prose.

    Most texts are left whole. A line of a megabyte would take minutes to parse, fill the memory with the
    distances of its tree, and then be cut to ``max_tokens``. It is cut at a space, if there is one.
    """
    room = max_tokens * _CHARACTERS_PER_TOKEN
    if len(text) > room:
        text = text.lstrip()  # or only white space may be left
    if len(text) <= room:
        return text
    beginning = text[:room]
    words = beginning.split()
    if len(words) < 2 or not text[room].strip():
        return beginning
    return beginning.removesuffix(words[-1]).rstrip()


def ready(parse: Parse) -> None:
    """Load the parser; raise SynsemError if it is not installed."""
    _parser(parse)


def trees(texts: Sequence[str], parse: Parse) -> Iterator[Sentence | None]:
    """Yield a well-formed tree for each text; None for one without a word."""
    from pipeline.parsing.base import Passage, repair

    passages = [Passage(text, parse.benchmark_language, single=True) for text in texts]
    for sentences in _parser(parse).parse(passages):
        yield repair(sentences[0])[0] if sentences else None


def _parser(parse: Parse) -> "Parser":
    from pipeline.parsing import base as parsers
    from pipeline.systems.cssl.backend import register

    register()
    return parsers.load(parse, parse.benchmark_language)
