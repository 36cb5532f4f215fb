"""The pipeline from Python: its stages one after another, in a folder, without DVC."""

import contextlib
import importlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

_DEFAULTS: Mapping[str, Any] = MappingProxyType({})


class Pipeline:
    """The stages that ``dvc repro`` runs, with parameters of your choice, in a folder of your choice.

        Pipeline({"download.sources": ["my.txt"], "synsem.steps": 200}, folder="work").run()
        model = synsem.load("work/models/sscp/13")

    ``params`` is a parameter file; or a mapping of dotted keys to values, which changes the defaults that
    come with the package. Raises SynsemError, which names the key, if they are not valid.
    """

    def __init__(self, params: str | Path | Mapping[str, Any] = _DEFAULTS, folder: str | Path = ".") -> None:
        from pipeline.core.params import DEFAULTS, changed, load_all, parse, read

        self.folder = Path(folder)
        if isinstance(params, Mapping):
            self.params = parse(changed(read(DEFAULTS), params), "params")
        else:
            self.params = load_all(Path(params))

    @property
    def stages(self) -> list[str]:
        """The stages in the order in which they run."""
        return list(dict.fromkeys(name for name, _ in self._calls()))

    def run(self, *stages: str) -> None:
        """Run all stages, or those named, in the order of ``stages``.

        A stage replaces what it wrote before in the folder's ``data``, ``models`` and ``reports``. The folder
        is the current one meanwhile, so paths in the parameters start from it. Nothing is skipped; a stage
        that was killed goes on where it was. Raises SynsemError for an unknown stage, and what a stage
        raises.
        """
        from pipeline.core.errors import unknown

        for name in stages:
            if name not in self.stages:
                raise unknown("stages", name, self.stages)
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as home:
            file = Path(home) / "params.yaml"
            values = json.loads(self.params.model_dump_json())
            file.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
            with contextlib.chdir(self.folder):
                for name, arguments in self._calls():
                    if name in (stages or self.stages):
                        script = "evaluate" if name == "baseline" else name
                        importlib.import_module(f"stages.{script}").main(*arguments, params=file)

    def _calls(self) -> Iterator[tuple[str, tuple[str | int, ...]]]:
        """Yield the name and the arguments of every stage of dvc.yaml, one for each item of its matrix."""
        systems = self.params.systems
        models = [(system, seed) for system in systems for seed in self.params.seeds]
        yield from ((name, ()) for name in ("check", "download", "parse", "augment", "treebank"))
        yield from (("mine", (system,)) for system in systems)
        yield from (("pretrain", model) for model in models)
        yield "baseline", ("backbone",)
        yield from (("evaluate", model) for model in models)
        yield "report", ()
