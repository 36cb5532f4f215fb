"""The parsers by name."""

import functools
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from pipeline.errors import SynsemError
from pipeline.params import Parse
from pipeline.parsing.base import Backend

# Each module offers ``load(model, lang, tokens_per_batch) -> Backend`` and ``version(model) -> str``; those
# that can use GPUs offer ``gpus(model) -> int``.
_MODULES = {
    "spacy": "pipeline.parsing.spacy",
    "stanza": "pipeline.parsing.stanza",
    "conllu": "pipeline.parsing.conllu",
    "biaffine": "pipeline.parsing.biaffine",
}


def load(params: Parse, lang: str) -> Backend:
    """The backend for a language, loaded once a process. Raises SynsemError where parse.models lacks it."""
    return _load(params.backend, _model(params, lang), lang, params.tokens_per_batch)


def version(params: Parse, lang: str) -> str:
    """What decides the trees beyond the parameters: library and model with their versions; loads neither."""
    found: str = _module(params.backend).version(_model(params, lang))
    return f"{lang}: {found}"


def gpus(params: Parse, langs: Iterable[str]) -> int:
    """How many GPUs the parsers of these languages would use, a process each; 0 for those of the CPU."""
    module = _module(params.backend)
    return (
        max((module.gpus(_model(params, lang)) for lang in langs), default=0)
        if hasattr(module, "gpus")
        else 0
    )


@functools.cache
def _load(backend: str, model: str, lang: str, tokens_per_batch: int) -> Backend:
    loaded: Backend = _module(backend).load(model, lang, tokens_per_batch)
    return loaded


def _module(backend: str) -> Any:
    return import_module(_MODULES[backend])


def _model(params: Parse, lang: str) -> str:
    if lang not in params.models:
        raise SynsemError(
            f"parse.models.{lang}: missing, but there is text in '{lang}'; name a model for it in params.yaml"
        )
    return params.models[lang]
