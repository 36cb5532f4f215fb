"""A small folder of examples, and systems of a short run on the tiny backbone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from pipeline.core.params import load
from pipeline.core.schemas import TRIPLET
from pipeline.core.store import ShardWriter, read_yaml
from pipeline.systems.base import Settings, System, registry

SYSTEMS = ["synsem", "sscp", "simcse", "cssl", "upos", "ebsim", "parabart"]
Build = Callable[..., System]

NOUNS = ["cat", "dog", "farmer", "queen", "engine", "river", "poet", "doctor", "ship", "teacher"]
VERBS = ["sees", "likes", "finds", "hears", "draws", "moves"]


def side(subject: str, verb: str, thing: str, adverb: str) -> dict[str, object]:
    words = ["The", subject, verb, "the", thing, *([adverb] if adverb else []), "."]
    heads = [2, 3, 0, 5, 3, *([3] if adverb else []), 3]
    deprels = ["det", "nsubj", "root", "det", "obj", *(["advmod"] if adverb else []), "punct"]
    upos = ["DET", "NOUN", "VERB", "DET", "NOUN", *(["ADV"] if adverb else []), "PUNCT"]
    xpos = ["DT", "NN", "VBZ", "DT", "NN", *(["RB"] if adverb else []), "."]
    text = " ".join(words[:-1]) + "."
    return {"text": text, "words": words, "heads": heads, "deprels": deprels, "upos": upos, "xpos": xpos}


@pytest.fixture(scope="session")
def triplets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty training and twelve development examples in several shards; some share an anchor."""
    folder = tmp_path_factory.mktemp("triplets")
    rng = np.random.default_rng(0)
    with ShardWriter(folder, TRIPLET, rows_per_shard=17) as writer:
        for number in range(72):
            subject, thing = rng.choice(NOUNS, 2, replace=False)
            verb = rng.choice(VERBS)
            swapped = number % 2 == 1 or number % 12 == 0
            adverb = str(rng.choice(["", "today", "slowly"]))
            writer.add(
                {
                    "source_id": str(number),
                    "split": "dev" if number % 6 == 0 else "train",
                    "anchor": side(subject, verb, thing, adverb),
                    "positive": side(subject, verb, thing, "now"),
                    "positive_kind": "adverb",
                    "negatives": [side(thing, verb, subject, adverb)] if swapped else [],
                    "negative_kinds": ["swap"] if swapped else [],
                }
            )
    return folder


@pytest.fixture
def params(tiny_backbone: Path, tmp_path: Path) -> Path:
    """params.yaml for a run of twelve steps on the tiny backbone."""
    root = Path(__file__).parent.parent.parent
    values = read_yaml(root / "params.yaml")
    values["encoder"] |= {"model": str(tiny_backbone), "max_tokens": 32}
    values["train"] |= {"evaluate_every": 4, "patience": 9, "precision": "fp32"}
    for name in SYSTEMS:
        values[name] |= {"steps": 12, "batch_size": 8, "learning_rate": 1e-3}
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(values))
    return path


def settings_of(params: Path, name: str, train: dict[str, Any] | None = None, **own: Any) -> Settings:
    """The settings of a system, some of ``train`` and of its own changed."""
    sections = load(params, "encoder", "train", name)
    changed = getattr(sections, name).model_copy(update=own)
    return Settings(sections.encoder, sections.train.model_copy(update=train or {}), changed)


@pytest.fixture
def build(params: Path) -> Build:
    """Make a system by name; ``train`` has changes to that section, keywords those to its own."""

    def make(name: str = "simcse", train: dict[str, Any] | None = None, **own: Any) -> System:
        settings = settings_of(params, name, train, **own)
        return registry.create(name, settings.encoder, settings.train, settings.system)

    return make


def nothing(step: int, values: dict[str, float]) -> None:
    """A log that keeps nothing."""
