"""Syntax-aware sentence embeddings: vectors that know who did what to whom.

    import synsem

    model = synsem.load("models/sscp/13")                  # what `dvc repro` or `Pipeline` has trained
    vectors = model.encode(["The dog chased the boy.", "The boy chased the dog."])

``parse`` and ``augment`` need no trained model, and ``Pipeline`` trains one. What goes wrong by a file or a
value of yours is a ``SynsemError``, one sentence with the remedy.
"""

import contextlib
import importlib
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Sentence, Variant
from synsem.model import Found, Model, load

__version__ = "0.1.0"

__all__ = [
    "Found",
    "Model",
    "Pipeline",
    "Sentence",
    "SynsemError",
    "Variant",
    "__version__",
    "augment",
    "load",
    "parse",
]


def parse(text: str, lang: str = "en", params: str | Path | None = None) -> list[Sentence]:
    """Split a text into sentences and parse each to a Universal Dependencies v2 tree.

    ``params`` is a parameter file whose ``parse.models`` names a parser for ``lang``; None: the defaults that
    come with the package, which have English. The parser stays loaded. Raises SynsemError for a text
    without words, for a language without a parser, and if the parser is not installed.
    """
    from pipeline.core.params import DEFAULTS, load_all
    from pipeline.parsing.show import parsed
    from pipeline.systems.cssl.backend import register

    register()
    return parsed(text, lang, load_all(DEFAULTS if params is None else Path(params)).parse)


def augment(text: str | Sentence, params: str | Path | None = None, lang: str = "en") -> list[Variant]:
    """Return every rewriting that the rules of ``augment.transformations`` make of a text.

    Most rules are for English; in another ``lang`` only those that change the word order are tried. A
    ``Sentence`` that is parsed already is taken as it is. A variant has a ``sentence`` with a tree of its own
    and a ``meaning``: ``same`` as the source's, ``different``, or ``order`` if only the word order changed.
    ``params`` and errors are as for ``parse``.
    """
    from pipeline.augment.run import all_variants
    from pipeline.core.params import DEFAULTS, load_all

    names = load_all(DEFAULTS if params is None else Path(params)).augment.transformations
    sentences = parse(text, lang, params) if isinstance(text, str) else [text]
    return [variant for sentence in sentences for variant in all_variants(sentence, names, lang)[0]]


class Pipeline:
    """The stages that ``dvc repro`` runs, without DVC, with parameters and in a folder of your choice.

        Pipeline({"download.sources": ["my.txt"], "sscp.steps": 200}, folder="work").run()
        model = synsem.load("work/models/sscp/13")

    ``params`` is a parameter file; or a mapping of dotted keys to values, which changes the defaults that
    come with the package. Raises SynsemError, which names the key, if they are not valid.
    """

    def __init__(
        self, params: str | Path | Mapping[str, Any] = MappingProxyType({}), folder: str | Path = "."
    ) -> None:
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
        import tempfile

        from pipeline.core.errors import unknown

        for name in stages:
            if name not in self.stages:
                raise unknown("stages", name, self.stages)
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as home, contextlib.chdir(self.folder):
            file = Path(home) / "params.yaml"
            file.write_text(self.params.model_dump_json(), encoding="utf-8")  # JSON is YAML
            for name, arguments in self._calls():
                if name in (stages or self.stages):
                    script = "evaluate" if name == "reference" else name
                    importlib.import_module(f"stages.{script}").main(*arguments, params=file)

    def _calls(self) -> Iterator[tuple[str, tuple[str | int | None, ...]]]:
        """Yield the name and the arguments of every stage of dvc.yaml, one for each item of its matrix."""
        systems = self.params.systems
        models = [(system, seed) for system in systems for seed in self.params.seeds]
        yield from ((name, ()) for name in ("check", "download", "parse", "augment", "treebank"))
        yield from (("mine", (system,)) for system in systems)
        yield from (("pretrain", model) for model in models)
        yield from (("reference", (model,)) for model in self.params.evaluate.references)
        yield from (("evaluate", model) for model in models)
        settings = self.params.finetune
        items = product(("backbone", "ebsim"), settings.tasks, settings.shares, self.params.seeds)
        yield from (("finetune", item) for item in items)
        yield "report", ()
