"""Parsers by name: what a parser takes and gives, and which backends there are."""

import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Protocol

from pipeline.core.errors import OWN_MODELS, SynsemError, demand_tracked, unknown
from pipeline.core.params import Parse
from pipeline.syntax.sentence import Sentence

TOKENS_PER_BATCH = 10_000


class Parser(Protocol):
    """A loaded parser; each process keeps one per language."""

    def parse(self, texts: Sequence[str | Sentence]) -> Iterator[list[Sentence]]:
        """Yield the parsed sentences of each text, in order.

        A string is split into sentences. A ``Sentence`` stays one: it is tokenised if it has no words. Trees
        are in UD v2. They need not be well formed: ``repair`` makes them so.
        """
        ...


class Backend(Protocol):
    """A kind of parser: a class with these functions, which other processes can import by its name."""

    def load(self, model: str, lang: str) -> Parser:
        """Return the parser of a model, which takes some ``TOKENS_PER_BATCH`` words at a time.

        Raises SynsemError if the model or a library is missing.
        """
        ...

    def version(self, model: str) -> str:
        """Return what decides the trees: library and model with their versions. It loads neither."""
        ...

    def gpus(self, model: str) -> int:
        """Return how many GPUs the parser would use, one per process; 0 on the CPU."""
        ...


# By name: a class, or the place of one that is imported on first use. A layer above adds its own.
BACKENDS: dict[str, Backend | str] = {
    "spacy": "pipeline.parsing.spacy:SpacyBackend",
    "stanza": "pipeline.parsing.stanza:StanzaBackend",
}


def load(params: Parse, lang: str) -> Parser:
    """Return the parser of a language, loaded once per process; SynsemError if parse.models lacks it."""
    return _load(*_choice(params, lang), lang)


def version(params: Parse, lang: str) -> str:
    """Return the language and the version of its parser, for report.json and the key of finished shards.

    Raises SynsemError if DVC runs this process and would not see a change of the model's folder.
    """
    backend, model = _choice(params, lang)
    if Path(model).is_dir():
        demand_tracked(Path(model), OWN_MODELS)
    return f"{lang}: {_backend(backend).version(model)}"


def gpus(params: Parse, langs: Iterable[str]) -> int:
    """Return how many GPUs the parsers of these languages would use, one per process; 0 on the CPU."""
    choices = [_choice(params, lang) for lang in langs]
    return max((_backend(backend).gpus(model) for backend, model in choices), default=0)


@functools.cache
def _load(backend: str, model: str, lang: str) -> Parser:
    parser = _backend(backend).load(model, lang)
    return _Apostrophes(parser) if lang == "en" else parser


class _Apostrophes:
    """A parser of English that reads curved apostrophes as straight ones; the words keep the author's."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser

    def parse(self, texts: Sequence[str | Sentence]) -> Iterator[list[Sentence]]:
        """See ``Parser.parse``."""
        plain = [
            _straight(text)
            if isinstance(text, str)
            else dataclasses.replace(text, text=_straight(text.text), words=tuple(map(_straight, text.words)))
            for text in texts
        ]
        for given, read, sentences in zip(texts, plain, self._parser.parse(plain), strict=True):
            yield sentences if given == read else _as_written(sentences, given)


# Within a word, of an ending that is a word, or after a plural where no quotation can end.
_CURVED = re.compile(r"(?<=\w)’(?=\w)|’(?=(?:s|d|m|ll|re|ve)\b)")
_CURVED_OR_LAST = re.compile(rf"{_CURVED.pattern}|(?<=s)’")
_APOSTROPHE = re.compile("['’]")


def _straight(text: str) -> str:
    """The text with straight apostrophes, as long as it was."""
    return (_CURVED if "‘" in text else _CURVED_OR_LAST).sub("'", text)


def _as_written(sentences: list[Sentence], given: str | Sentence) -> list[Sentence]:
    """The sentences with the apostrophes of the text that was given, which are as many."""
    written = given if isinstance(given, str) else " ".join(given.words) or given.text
    marks = iter(_APOSTROPHE.findall(written))
    return [
        dataclasses.replace(
            each,
            text="",
            words=tuple(_APOSTROPHE.sub(lambda mark: next(marks, mark[0]), word) for word in each.words),
        )
        for each in sentences
    ]


def _backend(name: str) -> Backend:
    if name not in BACKENDS:
        raise unknown("parse.backend", name, BACKENDS)
    found = BACKENDS[name]
    return resolve_name(found) if isinstance(found, str) else found


def _choice(params: Parse, lang: str) -> tuple[str, str]:
    """Backend and model of a language; a model ``BACKEND:MODEL`` has a backend of its own."""
    if lang not in params.models:
        raise SynsemError(
            f"parse.models.{lang}: missing, but there is text in '{lang}'; name a spaCy package or"
            " stanza:default for it in params.yaml, or give the text as trees in CoNLL-U"
        )
    backend, colon, model = params.models[lang].partition(":")
    if colon and backend in BACKENDS:
        return backend, model
    return params.backend, params.models[lang]


def repair(sentence: Sentence) -> tuple[Sentence, bool]:
    """Return the sentence with a well-formed tree, and whether that had to be repaired.

    A tree has one root, heads in range and no cycle; ``root`` is the relation of the root only. All other
    arcs stay. The first root stays, or the first word becomes it. Words with a further root, with a head out
    of range, and one word of every cycle are attached to it as ``parataxis`` or ``dep``.
    """
    heads = list(sentence.heads)
    deprels = list(sentence.deprels)
    root = heads.index(0) if 0 in heads else 0
    heads[root] = 0
    for word, head in enumerate(heads):
        if word == root:
            continue
        if head == 0:
            heads[word], deprels[word] = root + 1, "parataxis"
        elif not 0 < head <= len(heads) or head == word + 1:
            heads[word], deprels[word] = root + 1, "dep"
    sound = {root}
    for word in range(len(heads)):
        path = dict[int, None]()
        at = word
        while at not in sound and at not in path:
            path[at] = None
            at = heads[at] - 1
        if at not in sound:  # the path is a cycle that closes at ``at``
            heads[at], deprels[at] = root + 1, "dep"
        sound.update(path)
    for word, head in enumerate(heads):
        if head == 0:
            deprels[word] = "root"
        elif deprels[word] == "root":
            deprels[word] = "parataxis"
    if heads == list(sentence.heads) and deprels == list(sentence.deprels):
        return sentence, False
    return dataclasses.replace(sentence, heads=tuple(heads), deprels=tuple(deprels)), True
