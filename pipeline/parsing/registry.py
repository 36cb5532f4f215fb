"""Parsers by name: what a parser takes and gives, which backends there are, and how to add one.

``spacy``, ``stanza`` and ``conllu`` are built in. A layer above adds another with ``register``.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from pipeline.core.errors import OWN_MODELS, SynsemError, demand_tracked
from pipeline.params import Parse
from pipeline.syntax.sentence import Sentence


class Passage(NamedTuple):
    """Text to be parsed.

    The parser tokenises raw text and, unless ``single``, splits it into sentences. Where ``words`` are given
    the text is one sentence of just these words; ``space_after`` says which of them a space follows. A
    ``gold`` text is CoNLL-U: its trees are read whatever the parser of its language. ``document`` is the id
    of the document that it is from, for messages.
    """

    text: str
    lang: str
    single: bool = False
    words: tuple[str, ...] | None = None
    space_after: tuple[bool, ...] | None = None
    gold: bool = False
    document: str = ""


class Parser(Protocol):
    """A loaded parser; each process keeps one a language."""

    def parse(self, passages: Sequence[Passage]) -> Iterator[list[Sentence]]:
        """The sentences of each passage, in order; one list a passage, at most one sentence where ``single``.

        Trees are in UD v2. They need not be well formed: ``repair`` makes them so.
        """
        ...


class Backend(Protocol):
    """A kind of parser: a class with these functions, which other processes can import by its name."""

    def load(self, model: str, lang: str, tokens_per_batch: int) -> Parser:
        """The parser of a model; raises SynsemError where the model or a library is missing."""
        ...

    def version(self, model: str) -> str:
        """What decides the trees: library and model with their versions. It loads neither."""
        ...

    def gpus(self, model: str) -> int:
        """How many GPUs the parser would use, one a process; 0 for a parser of the CPU."""
        ...


_BUILT_IN = frozenset({"spacy", "stanza", "conllu"})
_added: dict[str, Backend] = {}


def register(name: str, backend: Backend) -> None:
    """Add a backend, which ``parse.backend`` and ``parse.models`` can then name."""
    _added[name] = backend


def registered() -> dict[str, Backend]:
    """The backends that were added: work for other processes carries them along."""
    return dict(_added)


def register_all(backends: Mapping[str, Backend]) -> None:
    """Add in this process, maybe a fresh worker, what ``registered`` gave where the work was made."""
    _added.update(backends)


def load(params: Parse, lang: str) -> Parser:
    """The parser of a language, loaded once a process. Raises SynsemError where parse.models lacks it."""
    return _load(*_choice(params, lang), lang, params.tokens_per_batch)


def version(params: Parse, lang: str) -> str:
    """The language and the version of its parser, for report.json and the key of finished shards.

    Raises SynsemError where DVC runs this process and would not see a change of the model's folder.
    """
    backend, model = _choice(params, lang)
    if Path(model).is_dir():
        demand_tracked(Path(model), OWN_MODELS)
    return f"{lang}: {_backend(backend).version(model)}"


def gpus(params: Parse, langs: Iterable[str]) -> int:
    """How many GPUs the parsers of these languages would use, one a process; 0 for parsers of the CPU."""
    choices = [_choice(params, lang) for lang in langs]
    return max((_backend(backend).gpus(model) for backend, model in choices), default=0)


def libraries(params: Parse, langs: Iterable[str]) -> list[str]:
    """The modules that parsers of these languages import; a built-in backend is named after its library."""
    names = sorted({_choice(params, lang)[0] for lang in langs})
    return [_added[name].__module__ if name in _added else name for name in names if name != "conllu"]


@functools.cache
def _load(backend: str, model: str, lang: str, tokens_per_batch: int) -> Parser:
    return _backend(backend).load(model, lang, tokens_per_batch)


def _backend(name: str) -> Backend:
    """The class of a backend, imported when it is first asked for."""
    if name in _added:
        return _added[name]
    match name:
        case "spacy":
            from pipeline.parsing.spacy import SpacyBackend

            return SpacyBackend
        case "stanza":
            from pipeline.parsing.stanza import StanzaBackend

            return StanzaBackend
        case "conllu":
            from pipeline.parsing.conllu import ConlluBackend

            return ConlluBackend
    known = ", ".join(sorted(_BUILT_IN | _added.keys()))
    raise SynsemError(f"parse.backend: no backend '{name}' is registered here; choose from {known}")


def _choice(params: Parse, lang: str) -> tuple[str, str]:
    """Backend and model of a language; a model ``BACKEND:MODEL`` has a backend of its own."""
    if lang not in params.models:
        raise SynsemError(
            f"parse.models.{lang}: missing, but there is text in '{lang}'; name a spaCy package or"
            " stanza:default for it in params.yaml, or give the text as trees in CoNLL-U"
        )
    backend, colon, model = params.models[lang].partition(":")
    if colon and backend in _BUILT_IN | _added.keys():
        return backend, model
    return params.backend, params.models[lang]
