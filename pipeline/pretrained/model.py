"""The trained model that comes with SynSem: one of ``synsem``, for those who want vectors and no training.

Training leaves the backbone as it is, and that comes as a package. So only the heads are kept here, in
float16, with the settings that they were trained with, the facts of the training and what the card tells.
"""

import shutil
from pathlib import Path

import torch

from pipeline.core.command import run
from pipeline.core.errors import SynsemError
from pipeline.core.store import write_json
from pipeline.export.card import ABOUT, about_model
from pipeline.export.graph import BACKBONE, HEADS_PREFIX
from pipeline.export.onnx import draw_without_weights
from pipeline.nn import backbone as backbones
from pipeline.pretrained import HOME
from pipeline.systems.base import HEADS, registry, saved_paths
from pipeline.systems.synsem.model import System

_FACTS = "training.json"


def pack(model: Path, data: Path = Path("data"), reports: Path = Path("reports"), home: Path = HOME) -> None:
    """Keep a trained model of ``synsem`` as the one that comes with SynSem.

    ``data`` is the text that it was trained on. Scores are kept if ``reports`` has those of this very
    model. Raises SynsemError for another system, and for an encoder that is not as ``encoder.model`` has it.
    """
    from safetensors.torch import save_file

    system = registry.trained(System, model, "model")
    if not backbones.is_untouched(system.semantic.model, system.settings.encoder.model):
        raise SynsemError(
            f"{model}: its encoder is not {system.settings.encoder.model} as that is here; train it again"
        )
    heads = {name: value.to(torch.float16).contiguous() for name, value in system.heads.state_dict().items()}
    save_file(heads, home / HEADS)
    shutil.copyfile(saved_paths(model)[1], saved_paths(home)[1])
    shutil.copyfile(model / _FACTS, home / _FACTS)
    about = about_model(model, data, reports)
    found = {"data": about.data, "languages": about.languages, "scores": about.scores}
    write_json(home / ABOUT, found)


def keep(model: Path, data: Path = Path("data"), reports: Path = Path("reports")) -> None:
    """Pack a model, and draw the graph that runs it without torch; its weights stay where they are."""
    pack(model, data, reports)
    system = registry.load(HOME)
    parts = ((BACKBONE, system.semantic.model), (HEADS_PREFIX, system.get_submodule("heads")))
    weights = {prefix + name: each for prefix, part in parts for name, each in part.state_dict().items()}
    draw_without_weights(system, weights, HOME)


if __name__ == "__main__":
    run(keep)
