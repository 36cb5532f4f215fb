"""Syntax-aware sentence embeddings: vectors that know who did what to whom.

    import synsem

    model = synsem.load("models/sscp/13")                  # what `dvc repro` or `Pipeline` has trained
    vectors = model.encode(["The dog chased the boy.", "The boy chased the dog."])

``parse`` and ``augment`` need no trained model, and ``Pipeline`` trains one. What goes wrong by a file or a
value of yours is a ``SynsemError``, one sentence with the remedy.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Sentence
from synsem.model import Found, Model, load
from synsem.running import Pipeline

if TYPE_CHECKING:
    from pipeline.augment.base import Variant

__version__ = "0.1.0"

__all__ = [
    "Found",
    "Model",
    "Pipeline",
    "Sentence",
    "SynsemError",
    "Variant",
    "__version__",
    "augment",
    "load",
    "parse",
]


def parse(text: str, lang: str = "en", params: str | Path | None = None) -> list[Sentence]:
    """Split a text into sentences and parse each to a Universal Dependencies v2 tree.

    ``params`` is a parameter file whose ``parse.models`` names a parser for ``lang``; None: the defaults that
    come with the package, which have English. The parser stays loaded. Raises SynsemError for a text
    without words, for a language without a parser, and if the parser is not installed.
    """
    from pipeline.core.params import DEFAULTS, load_all
    from pipeline.parsing.show import parsed
    from pipeline.systems.cssl.backend import register

    register()
    return parsed(text, lang, load_all(DEFAULTS if params is None else Path(params)).parse)


def augment(text: str | Sentence, params: str | Path | None = None, lang: str = "en") -> "list[Variant]":
    """Return every rewriting that the rules of ``augment.transformations`` make of a text.

    Most rules are for English; in another ``lang`` only those that change the word order are tried. A
    ``Sentence`` that is parsed already is taken as it is. A variant has a ``sentence`` with a tree of its own
    and a ``meaning``: ``same`` as the source's, ``different``, or ``order`` if only the word order changed.
    ``params`` and errors are as for ``parse``.
    """
    from pipeline.augment.run import all_variants
    from pipeline.core.params import DEFAULTS, load_all

    names = load_all(DEFAULTS if params is None else Path(params)).augment.transformations
    sentences = [text] if isinstance(text, Sentence) else parse(text, lang, params)
    return [variant for sentence in sentences for variant in all_variants(sentence, names, lang)[0]]


def __getattr__(name: str) -> Any:
    # Its module loads numpy, and ``import synsem`` should take no time.
    if name == "Variant":
        from pipeline.augment.base import Variant

        return Variant
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
