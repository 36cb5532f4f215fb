"""One pair under the eyes of a matcher, or of ``ebsim`` as it came from pretraining."""

from pathlib import Path

from rich.table import Table

from pipeline.errors import SynsemError
from pipeline.matching import matcher
from pipeline.sentences import Side
from pipeline.store import read_json
from pipeline.systems import ebsim, registry
from pipeline.systems.base import saved_paths

_SHADES = " ░▒▓█"


def pretrained(folder: Path) -> ebsim.System | None:
    """The system saved in a folder; None where it holds a matcher. SynsemError for a system but ``ebsim``."""
    config = saved_paths(folder)[1]
    if not config.exists() or "system" not in read_json(config):
        return None
    system = registry.load(folder)
    if not isinstance(system, ebsim.System):
        raise SynsemError(f"{folder}: {system.name} reads no pairs; name an ebsim model or a matcher")
    return system


def score(a: str, b: str, model: ebsim.System | Path) -> float:
    """How far two texts match: 0 to 1 by a matcher's folder; the sum of the aspects by ``ebsim``."""
    if isinstance(model, ebsim.System):
        return float(model.late_scores([Side(a, (), ())], [Side(b, (), ())])[0])
    return float(matcher.load(model).scores([a], [b])[0])


def picture(a: str, b: str, system: ebsim.System | None, folder: Path) -> Table:
    """Tokens of ``a`` (rows) against tokens of ``b``: the darker, the more of the row's attention."""
    if system is None:
        raise SynsemError(f"--align: {folder} is a matcher; the alignment is that of an ebsim model")
    found = system.aligned(Side(a, (), ()), Side(b, (), ()))
    table = Table(box=None)
    for heading in ("", *found.second):
        table.add_column(heading, justify="center")
    for token, weights in zip(found.first, found.weights, strict=True):
        shades = (_SHADES[min(len(_SHADES) - 1, int(len(_SHADES) * weight))] * 2 for weight in weights)
        table.add_row(token, *shades)
    return table
