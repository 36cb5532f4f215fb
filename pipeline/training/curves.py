"""Training curves on disk, as ``dvc plots`` and the report read them.

Written without DVCLive: a GPU box without DVC writes them too, and every run writes the same bytes.
"""

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pipeline.core.atomic import demand_own, exclusive_lock, remove
from pipeline.core.errors import SynsemError
from pipeline.core.store import write_json

COST = "cost"  # the part of a value's name that says that the clock or the machine decides it
Log = Callable[[int, dict[str, float]], None]  # step, and values by name (train/loss, dev/loss, ...)


class Curves:
    """A log of scalars: call it with a step and values by name, such as ``train/loss``.

    The first call replaces the folder, so that a run which is refused before it has a value harms nothing.
    From then on the folder is held against other runs. Each value has a table
    ``plots/metrics/train/loss.tsv`` of step and value, which grows with the run; on exit ``metrics.json``
    gets the last values. What the clock decides, the values ``cost/NAME``, goes to ``NAME.tsv`` in the folder
    ``cost`` (replaced, too; None: nowhere), so that the same run gives the same bytes in ``folder``. Raises
    SynsemError where a file cannot be written, another run is at work there, or one of the two folders holds
    other files.
    """

    def __init__(self, folder: Path, cost: Path | None = None) -> None:
        self.folder, self.cost = folder, cost
        self._last: dict[str, Any] = {}
        self._held, self._begun = ExitStack(), False

    def __enter__(self) -> "Curves":
        demand_own(self.folder, "metrics.json", "plots")
        if self.cost is not None:
            demand_own(self.cost, "cost.json", "*.tsv")
        return self

    def __call__(self, step: int, values: dict[str, float]) -> None:
        """Append one row to the table of each value."""
        self._begin()
        for name, value in values.items():
            part, _, leaf = name.rpartition("/")
            home = self.cost if part == COST else self.folder / "plots" / "metrics" / part
            if home is None:
                continue
            path = home / f"{leaf}.tsv"
            try:
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(f"step\t{leaf}\n", encoding="utf-8")
                with path.open("a", encoding="utf-8") as stream:
                    stream.write(f"{step}\t{value}\n")
            except OSError as error:
                raise self._unwritten(path, error) from error
            if part != COST:
                self._last.setdefault(part, {})[leaf] = value
        self._last["step"] = step

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        with self._held:
            if failure is None:
                self._begin()
                write_json(self.folder / "metrics.json", self._last)

    def _begin(self) -> None:
        if self._begun:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # The folder itself stays: it is what is locked.
            self._held.enter_context(exclusive_lock(self.folder))
            for old in self.folder.iterdir():
                remove(old)
        except OSError as error:
            raise self._unwritten(self.folder, error) from error
        if self.cost is not None:
            shutil.rmtree(self.cost, ignore_errors=True)
        self._begun = True

    @staticmethod
    def _unwritten(path: Path, error: OSError) -> SynsemError:
        return SynsemError(
            f"{path}: could not be written ({error.strerror}); free space or choose other --curves"
        )
