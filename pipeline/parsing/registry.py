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
    return _load(*_choice(params, lang), lang, params.tokens_per_batch)


def version(params: Parse, lang: str) -> str:
    """What decides the trees beyond the parameters: library and model with their versions; loads neither."""
    backend, model = _choice(params, lang)
    found: str = _module(backend).version(model)
    return f"{lang}: {found}"


def gpus(params: Parse, langs: Iterable[str]) -> int:
    """How many GPUs the parsers of these languages would use, a process each; 0 for those of the CPU."""
    choices = [_choice(params, lang) for lang in langs]
    asked = [(_module(backend), model) for backend, model in choices]
    return max((module.gpus(model) for module, model in asked if hasattr(module, "gpus")), default=0)


@functools.cache
def _load(backend: str, model: str, lang: str, tokens_per_batch: int) -> Backend:
    loaded: Backend = _module(backend).load(model, lang, tokens_per_batch)
    return loaded


def _module(backend: str) -> Any:
    return import_module(_MODULES[backend])


def _choice(params: Parse, lang: str) -> tuple[str, str]:
    """Backend and model of a language; a model ``BACKEND:MODEL`` has a backend of its own."""
    if lang not in params.models:
        raise SynsemError(
            f"parse.models.{lang}: missing, but there is text in '{lang}'; name a model for it in params.yaml"
        )
    backend, colon, model = params.models[lang].partition(":")
    return (backend, model) if colon and backend in _MODULES else (params.backend, params.models[lang])
