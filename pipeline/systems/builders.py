"""Find the dataset builder of a system by name; not in ``registry``, which imports models."""

import importlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pipeline.core.errors import SynsemError
from pipeline.mining.inputs import Embed, Inputs
from pipeline.params import Mine

Builder = Callable[[Inputs, Path, Mine, Embed], Counter[str]]


def builder(system: str) -> Builder:
    """The function ``mine(inputs, out, params, embed)`` of ``pipeline/systems/<system>/mining.py``.

    Raises SynsemError where there is no such file.
    """
    name = f"pipeline.systems.{system}.mining"
    unknown = SynsemError(f"systems: {system} is unknown; there is no pipeline/systems/{system}/mining.py")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        raise unknown from error
    found: Builder = module.mine
    return found
