"""Find a system's dataset builder by name: adding a system is adding a file."""

import importlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pipeline.errors import SynsemError
from pipeline.mining.near import Embed
from pipeline.params import Mine

Builder = Callable[[Path, Path, Path, Mine, Embed], Counter[str]]


def builder(system: str) -> Builder:
    """The function ``mine(parsed, augmented, out, params, embed)`` of ``pipeline/mining/<system>.py``.

    Raises SynsemError where there is no such file.
    """
    name = f"pipeline.mining.{system}"
    try:
        return importlib.import_module(name).mine
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise SynsemError(f"systems: {system} is unknown; there is no pipeline/mining/{system}.py") from error
