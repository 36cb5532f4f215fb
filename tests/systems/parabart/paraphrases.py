"""Four sentences with their passives, and a ParaBART to predict them."""

from pathlib import Path

import torch

from pipeline.core.params import Encoder, load_all
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Batch, registry
from pipeline.systems.parabart.model import System

DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"precision": "fp32"})


def active(subject: str, verb: str, thing: str) -> Sentence:
    words = ["The", subject, verb, "the", thing, "."]
    tags = ["DT", "NN", "VBD", "DT", "NN", "."]
    relations = ["det", "nsubj", "root", "det", "obj", "punct"]
    return Sentence(" ".join(words), words, [2, 3, 0, 5, 3, 3], relations, (), tags)


def passive(subject: str, verb: str, thing: str) -> Sentence:
    words = ["The", thing, "was", verb, "by", "the", subject, "."]
    tags = ["DT", "NN", "VBD", "VBN", "IN", "DT", "NN", "."]
    relations = ["det", "nsubj:pass", "aux:pass", "root", "case", "det", "obl", "punct"]
    return Sentence(" ".join(words), words, [2, 4, 4, 0, 7, 7, 4, 4], relations, (), tags)


SENTENCES = [
    ("cat", "saw", "dog"),
    ("king", "met", "queen"),
    ("ship", "left", "river"),
    ("man", "lost", "book"),
]
ANCHORS = [active(*each) for each in SENTENCES]
BATCH = Batch(ANCHORS, [passive(*each) for each in SENTENCES], [])


def build(folder: Path, **changed: object) -> System:
    params = DEFAULTS.parabart.model_copy(update=changed)
    torch.manual_seed(0)
    encoder = Encoder(model=str(folder), max_tokens=32, pooling="mean")
    system = registry.create("parabart", encoder, TRAIN, params)
    assert isinstance(system, System)
    system.prepare(ANCHORS)
    return system


def without_dropout(system: System) -> System:
    for module in system.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        elif isinstance(getattr(module, "dropout", None), float):
            module.dropout = 0.0  # BART's layers
    return system


def weights(system: System) -> dict[str, torch.Tensor]:
    return {name: value.detach().clone() for name, value in system.named_parameters()}


def moved(system: System, before: dict[str, torch.Tensor]) -> set[str]:
    """The parts of the system whose weights have changed."""
    after = dict(system.named_parameters())
    return {name.split(".")[0] for name, value in before.items() if not torch.equal(value, after[name])}
