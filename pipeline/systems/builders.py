"""Find the dataset builder of a system by name; not in ``registry``, which imports models."""

import importlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pipeline.core.errors import SynsemError, unknown
from pipeline.mining.inputs import Embed, Inputs
from pipeline.params import Mine

Builder = Callable[[Inputs, Path, Mine, Embed, int | None], Counter[str]]


def builder(system: str) -> Builder:
    """The function ``mine(inputs, out, params, embed, workers)`` of ``pipeline/systems/<system>/mining.py``.

    Raises SynsemError, which names the nearest system, where there is no such file, and where it lacks the
    function.
    """
    known = [path.parent.name for path in Path(__file__).parent.glob("*/mining.py")]
    if system not in known:
        raise unknown("systems", system, known)
    module = importlib.import_module(f"pipeline.systems.{system}.mining")
    found: Builder | None = getattr(module, "mine", None)
    if found is None:
        raise SynsemError(f"pipeline/systems/{system}/mining.py: has no function mine; write it")
    return found
