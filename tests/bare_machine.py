"""A machine that has some libraries and what they need, and nothing else of what is installed here.

Python runs ``sitecustomize`` at every start. So processes that a process starts, such as torchrun's, lack the
same modules.
"""

import re
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
_OURS = {"synsem"}  # the project itself is run from its folder
# Code after which Python finds no module of LACKING.
SITE = """
import sys

LACKING = {lacking!r}


class Bare:  # a finder of modules that does not find some
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in LACKING:
            return self.finder.find_spec(name, path, target)

    def find_distributions(self, *context):
        found = getattr(self.finder, "find_distributions", lambda *_: ())(*context)
        return (each for each in found if each.metadata["Name"].replace("-", "_") not in LACKING)


sys.meta_path[:] = map(Bare, sys.meta_path)
"""


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def needed_by(libraries: Iterable[str]) -> set[str]:
    """The libraries and all that they need without extras, of what is installed; plain names."""
    found: set[str] = set()
    waiting = [_plain(each) for each in libraries]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            requirements = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        found.add(name)
        parsed = [Requirement(each) for each in requirements]
        waiting += [
            _plain(each.name) for each in parsed if each.marker is None or each.marker.evaluate({"extra": ""})
        ]
    return found


def lacking(*libraries: str) -> set[str]:
    """The top-level modules installed here that a machine with those libraries alone would not have."""
    kept = needed_by(libraries) | _OURS
    return {
        module
        for module, owners in packages_distributions().items()
        if not {_plain(owner) for owner in owners} & kept
    }


def bare_python(folder: Path, *libraries: str) -> dict[str, str]:
    """The environment in which Python, and whatever it starts, finds those libraries alone."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(SITE.format(lacking=lacking(*libraries)))
    return {"PYTHONPATH": f"{folder}:{ROOT}"}
