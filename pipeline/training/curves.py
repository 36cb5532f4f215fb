"""Training curves in DVCLive's layout: ``plots/metrics/train/loss.tsv``, last values in ``metrics.json``."""

import shutil
from pathlib import Path
from typing import Any

from pipeline.errors import SynsemError
from pipeline.store import write_json


class Curves:
    """A log of scalars: call it with a step and values named ``part/name``. Replaces the folder.

    Raises SynsemError where the disk is full.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._last: dict[str, Any] = {}
        shutil.rmtree(folder, ignore_errors=True)

    def __enter__(self) -> "Curves":
        return self

    def __call__(self, step: int, values: dict[str, float]) -> None:
        """Append one row to the file of each value."""
        for name, value in values.items():
            part, _, leaf = name.rpartition("/")
            path = self.folder / "plots" / "metrics" / part / f"{leaf}.tsv"
            try:
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(f"step\t{leaf}\n", encoding="utf-8")
                with path.open("a", encoding="utf-8") as stream:
                    stream.write(f"{step}\t{value}\n")
            except OSError as error:
                raise SynsemError(
                    f"{path}: could not be written ({error.strerror}); free space or choose other --curves"
                ) from error
            self._last.setdefault(part, {})[leaf] = value
        self._last["step"] = step

    def __exit__(self, *_: object) -> None:
        write_json(self.folder / "metrics.json", self._last)
