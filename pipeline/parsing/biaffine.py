"""The seam for a biaffine parser trained by this project: the module that a model's folder names is loaded.

The folder holds ``parser.json`` with ``{"module": "package.module"}``; that module offers
``load(folder: Path, lang: str, tokens_per_batch: int) -> Backend``.
"""

from importlib import import_module
from pathlib import Path

from pipeline.errors import SynsemError
from pipeline.parsing.base import Backend
from pipeline.store import read_json, sha256


def load(model: str, lang: str, tokens_per_batch: int) -> Backend:
    """The parser in the folder ``model``; a SynsemError where its module cannot be loaded."""
    name = _module(Path(model))
    try:
        backend: Backend = import_module(name).load(Path(model), lang, tokens_per_batch)
    except (ImportError, AttributeError) as error:
        raise SynsemError(f"{model}/parser.json: module '{name}' offers no parser ({error})") from error
    return backend


def version(model: str) -> str:
    """Digests of the model's files."""
    _module(Path(model))
    files = sorted(path for path in Path(model).iterdir() if path.is_file())
    return " ".join(["biaffine", *(sha256(path)[:12] for path in files)])


def _module(folder: Path) -> str:
    name = read_json(folder / "parser.json").get("module")
    if not isinstance(name, str):
        raise SynsemError(f"{folder / 'parser.json'}: has no 'module'; name the module that loads the parser")
    return name
