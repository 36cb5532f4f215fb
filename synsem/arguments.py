"""Arguments of callers, checked: each complaint is a SynsemError of one sentence that names the argument."""

import os
import reprlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pipeline.core.errors import SynsemError


def text_of(value: Any, name: str, remedy: str = "give a string") -> str:
    """The value as a plain ``str``, also where it is of a subclass, such as NumPy's, that parsers refuse."""
    if not isinstance(value, str):
        raise SynsemError(f"{name} is {_shown(value)} and no string; {remedy}")
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise SynsemError(f"{name} has half a character (a lone surrogate); mend {_shown(value)}")
    return str.__str__(value)


def texts_of(values: Any, name: str = "texts") -> list[str]:
    """The texts of the argument ``name`` as a list, by position whatever the index of a column is.

    Raises SynsemError for what is no text, naming its number, and for what holds other things than texts.
    """
    kind = type(values).__name__
    if isinstance(values, bytes | bytearray):
        raise SynsemError(f"{name}: bytes and no text; decode them to a string")
    if isinstance(values, str):
        raise SynsemError(f"{name}: one {kind} and no list of strings; put it in a list")
    # A table or a mapping would give its names, a parsed sentence has words.
    if isinstance(values, Mapping) or getattr(values, "ndim", 1) != 1 or hasattr(values, "columns"):
        raise SynsemError(f"{name}: a {kind} and no list of strings; give one column of it as a list")
    if not isinstance(values, Iterable):
        raise SynsemError(f"{name}: {_shown(values)} and no list of strings; give a string or a list of them")
    if hasattr(values, "to_pylist"):  # a column of Arrow gives objects of its own
        values = values.to_pylist()
    remedy = "leave it out or give a string"
    return [text_of(value, f"{name}: number {number}", remedy) for number, value in enumerate(values)]


def path_of(value: Any, name: str, remedy: str = "give a string or a pathlib.Path") -> Path:
    """The value as a path; ``remedy`` says what to give."""
    if not isinstance(value, str | os.PathLike):
        raise SynsemError(f"{name}: {_shown(value)} is no path; {remedy}")
    return Path(value)


def name_of(value: Any, name: str, remedy: str) -> str:
    """The value, which is a name; ``remedy`` says what to take."""
    if not isinstance(value, str):
        raise SynsemError(f"{name}: {_shown(value)} is no name; {remedy}")
    return str.__str__(value)


def _shown(value: Any) -> str:
    return " ".join(reprlib.repr(value).split())
