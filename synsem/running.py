"""The pipeline from Python: its stages one after another, in a folder, without DVC."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from synsem.arguments import name_of, path_of

_COMMANDS = {"baseline": "evaluate"}  # stages whose command has another name
_DEFAULTS: Mapping[str, Any] = MappingProxyType({})


class Pipeline:
    """The stages that ``dvc repro`` runs, with parameters of your choice, in a folder of your choice.

        Pipeline({"download.sources": ["my.txt"], "synsem.steps": 200}, folder="work").run()
        model = synsem.load("work/models/sscp/13")

    ``params`` is a parameter file; or a mapping of dotted keys to values, which changes the defaults that
    come with the package. Raises SynsemError, which names the key, where they are not valid.
    """

    def __init__(self, params: str | Path | Mapping[str, Any] = _DEFAULTS, folder: str | Path = ".") -> None:
        from pipeline.core.errors import naming_arguments
        from pipeline.params import DEFAULTS, changed, parse, read

        self.folder = path_of(folder, "folder")
        if not isinstance(params, Mapping):
            file = path_of(params, "params", "give a parameter file, or a mapping of dotted keys to values")
            with naming_arguments():
                self.params = parse(read(file), str(file))
        else:
            for key in params:
                name_of(key, "params", "give dotted keys, such as train.tau")
            changes = {key: _plain(value) for key, value in params.items()}
            self.params = parse(changed(read(DEFAULTS), changes), "params")

    @property
    def stages(self) -> list[str]:
        """The stages in the order in which they run."""
        return list(dict.fromkeys(name for name, _ in self._calls()))

    def run(self, *stages: str) -> None:
        """Run all stages, or those named, in the order of ``stages``.

        A stage replaces what it wrote before in the folder's ``data``, ``models`` and ``reports``. The folder
        is the current one meanwhile, so paths in the parameters start from it. Nothing is skipped; a stage
        that was killed goes on where it was. Raises SynsemError for an unknown stage, and
        what a stage raises.
        """
        from pipeline.core.errors import SynsemError, unknown
        from stages.cli import call

        for name in stages:
            if name_of(name, "stages", f"choose from {', '.join(self.stages)}") not in self.stages:
                raise unknown("stages", name, self.stages)
        if self.folder.exists() and not self.folder.is_dir():
            raise SynsemError(f"{self.folder}: is a file; name a folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as home:
            file = Path(home) / "params.yaml"
            values = json.loads(self.params.model_dump_json())
            file.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
            with contextlib.chdir(self.folder):
                for name, arguments in self._calls():
                    if name in (stages or self.stages):
                        call(_COMMANDS.get(name, name), *arguments, "--params", file)

    def _calls(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The name and the arguments of every stage of dvc.yaml, one for each item of its matrix."""
        systems = self.params.systems
        models = [(system, str(seed)) for system in systems for seed in self.params.seeds]
        yield from ((name, ()) for name in ("check", "download", "parse", "augment", "treebank"))
        yield from (("mine", (system,)) for system in systems)
        yield from (("pretrain", model) for model in models)
        yield "baseline", ("backbone",)
        yield from (("evaluate", model) for model in models)
        yield "report", ()


def _plain(value: Any) -> Any:
    """A value of a parameter as YAML would give it: one of NumPy's types, a path or a tuple may be given."""
    import numpy as np

    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
