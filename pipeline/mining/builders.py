"""Find a system's dataset builder by name: adding a system is adding a file."""

import importlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pipeline.errors import SynsemError
from pipeline.mining.inputs import Inputs
from pipeline.mining.texts import Embed
from pipeline.params import Mine

Builder = Callable[[Inputs, Path, Mine, Embed], Counter[str]]


def builder(system: str) -> Builder:
    """The function ``mine(inputs, out, params, embed)`` of ``pipeline/mining/<system>.py``.

    Raises SynsemError where there is no such file.
    """
    name = f"pipeline.mining.{system}"
    unknown = SynsemError(f"systems: {system} is unknown; there is no builder in pipeline/mining/{system}.py")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise unknown from error
    if not hasattr(module, "mine"):  # a shared part, such as near.py
        raise unknown
    found: Builder = module.mine
    return found
