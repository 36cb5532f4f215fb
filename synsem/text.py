"""Sentences to trees, and trees to rewritten sentences; no trained model is needed."""

from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.core.errors import naming_arguments
from pipeline.syntax.sentence import Sentence
from synsem.arguments import name_of, path_of, text_of

if TYPE_CHECKING:
    from pipeline.augment.base import Variant
    from pipeline.params import Params


def parse(text: str, lang: str = "en", params: str | Path | None = None) -> list[Sentence]:
    """Split a text into sentences and parse each to a Universal Dependencies v2 tree.

    ``params`` is a parameter file whose ``parse.models`` names a parser for ``lang``; None: the defaults that
    come with the package, which have English. The parser stays loaded. Raises SynsemError for a text
    without words and what is no text, for a language without a parser, and where the parser is not installed.
    """
    from pipeline.parsing.show import parsed
    from pipeline.systems.cssl.backend import register

    text = text_of(text, "text:")
    lang = name_of(lang, "lang", "take one such as en")
    register()
    return parsed(text, lang, _read(params).parse)


def augment(text: str | Sentence, params: str | Path | None = None, lang: str = "en") -> "list[Variant]":
    """Every rewriting that the rules of ``augment.transformations`` make of a text.

    Most rules are for English; in another ``lang`` only those that change the word order alone are tried.
    A ``Sentence`` that is parsed already is taken as it is. A variant has a ``sentence`` with a tree of its
    own and a ``meaning``: ``same`` as the source's, ``different``, or ``order`` where only the word order
    changed. ``params`` and errors are as for ``parse``.
    """
    from pipeline.augment.show import all_variants

    if not isinstance(text, Sentence):
        text = text_of(text, "text:", "give a string or a Sentence")
    lang = name_of(lang, "lang", "take one such as en")
    names = _read(params).augment.transformations
    sentences = [text] if isinstance(text, Sentence) else parse(text, lang, params)
    return [variant for sentence in sentences for variant in all_variants(sentence, names, lang)[0]]


def _read(params: str | Path | None) -> "Params":
    from pipeline.params import DEFAULTS, load_all

    with naming_arguments():
        return load_all(DEFAULTS if params is None else path_of(params, "params"))
