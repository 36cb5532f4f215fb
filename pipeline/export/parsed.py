"""A view that reads trees as a sentence-transformers folder, which loads where SynSem is installed."""

import os
import shutil
from pathlib import Path

from pipeline.params import Parse
from pipeline.store import write_json
from pipeline.systems.base import saved_paths

# Named and not imported: it needs sentence-transformers, and training does not.
MODULE = "pipeline.export.module.ParsedEncoder"
JOINT = "sentence-transformer-joint"  # the folder of the joint view, in a system's own
SUBFOLDER = "0_ParsedEncoder"
CONFIG = "view.json"


def export_with_parser(model: Path, folder: Path, view: str, parse: Parse, link: bool = False) -> None:
    """Write what ``SentenceTransformer(folder, trust_remote_code=True)`` loads; its vectors are the view's.

    ``model`` is the folder of a saved system. Its weights are copied, or with ``link`` shared with it where
    the file system can; the folder is complete by itself. ``parse`` names the parser.
    """
    inner = folder / SUBFOLDER
    inner.mkdir(parents=True, exist_ok=True)
    weights, config, tokenizer = saved_paths(model)
    _copy(weights, inner / weights.name, link)
    shutil.copyfile(config, inner / config.name)
    shutil.copytree(tokenizer, inner / tokenizer.name, dirs_exist_ok=True)
    write_json(inner / CONFIG, {"view": view, "parse": parse.model_dump()})
    write_json(folder / "modules.json", [{"idx": 0, "name": "0", "path": SUBFOLDER, "type": MODULE}])
    write_json(folder / "config_sentence_transformers.json", {"similarity_fn_name": "cosine"})


def _copy(source: Path, target: Path, link: bool) -> None:
    if link:
        try:
            os.link(source, target)
            return
        except OSError:  # another file system, or one without hard links
            pass
    shutil.copyfile(source, target)
