"""A small saved system with everything that training exports."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch

from pipeline.core.params import load
from pipeline.core.store import write_json
from pipeline.export.sentence_transformers import export
from pipeline.systems.base import registry

ROOT = Path(__file__).parent.parent.parent
FACTS = {
    "system": "sscp",
    "seed": 13,
    "steps": 12,
    "best_step": 8,
    "best_dev_loss": 0.25,
    "examples": {"train": 1200, "dev": 60},
    "parameters": 12345,
    "device": "cpu",
    "precision": "fp32",
}


def save(
    name: str, backbone: Path, folder: Path, own: Mapping[str, object] | None = None, **encoder: object
) -> None:
    """A system with random weights; ``own`` and ``encoder`` change what params.yaml says of it."""
    params = load(ROOT / "params.yaml", "encoder", "train", "parse", name)
    section = getattr(params, name).model_copy(update=own or {})
    changed = params.encoder.model_copy(update={"model": str(backbone), "max_tokens": 32, **encoder})
    torch.manual_seed(1)  # else new layers depend on which tests ran before
    system = registry.create(name, changed, params.train, section).eval()
    for parameter in system.parameters():  # zero-initialised tables would make the views of a tree alike
        if not parameter.any():
            torch.nn.init.normal_(parameter, std=0.5)
    system.begin_training()  # some take from the backbone what they need
    facts = FACTS | {"system": name}
    registry.save(system, folder)
    write_json(folder / "training.json", facts)
    export(system, folder, facts, params.parse)


@pytest.fixture(scope="session")
def model(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """models/sscp/13 of a project, as pretraining leaves it."""
    project = tmp_path_factory.mktemp("project")
    (project / "params.yaml").write_text((ROOT / "params.yaml").read_text())
    save("sscp", tiny_backbone, project / "models" / "sscp" / "13")
    return project / "models" / "sscp" / "13"


@pytest.fixture(scope="session")
def plain_model(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A system with a semantic view alone."""
    folder = tmp_path_factory.mktemp("plain") / "model"
    save("simcse", tiny_backbone, folder)
    return folder


@pytest.fixture(scope="session")
def text_model(tiny_backbone: Path, model: Path) -> Path:
    """models/synsem/13 of the same project: a system that reads text alone in every view."""
    folder = model.parents[1] / "synsem" / "13"
    save("synsem", tiny_backbone, folder)
    return folder
