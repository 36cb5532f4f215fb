"""What a system learns from all training sentences before the first step, without holding them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from pipeline.core.params import load_all
from pipeline.nn import tokenizer
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import System, registry
from pipeline.systems.cssl import model as cssl

DEFAULTS = load_all(Path(__file__).parents[2] / "params.yaml")
LABELS = {
    "deprels": ["nsubj", "root", "punct"],
    "upos": ["NOUN", "VERB", "PUNCT"],
    "xpos": ["NN", "VBD", "."],
}
SUBJECTS = ["cats", "dogs", "poets", "ships", "rivers"]


class Counted(Sentence):
    """A sentence that knows how many of its kind are alive, and were at most."""

    alive = most = 0

    def __new__(cls, *args: Any, **kwargs: Any) -> "Counted":
        cls.alive += 1
        cls.most = max(cls.most, cls.alive)
        return super().__new__(cls)

    def __del__(self) -> None:
        type(self).alive -= 1


class Anchors:
    """Many training sentences, made one by one whenever they are asked for."""

    def __iter__(self) -> Iterator[Counted]:
        for number in range(4000):
            words = [SUBJECTS[number % 5], "slept" if number % 3 else "sat", f"{number}."]
            yield Counted(" ".join(words), words, [2, 0, 2], **LABELS)


def build(name: str, folder: Path) -> System:
    params: Any = getattr(DEFAULTS, name.partition("-")[0])
    if name == "cssl-scratch":
        params = params.model_copy(update={"encoder": "scratch"})
    encoder = DEFAULTS.encoder.model_copy(update={"model": str(folder), "max_tokens": 32})
    torch.manual_seed(0)
    return registry.create(name.partition("-")[0], encoder, DEFAULTS.train, params)


@pytest.mark.parametrize("name", ["cssl", "cssl-scratch", "parabart", "upos"])
def test_a_system_is_prepared_without_all_sentences_in_memory(
    name: str, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, limit in ((cssl, "_READ"), (tokenizer, "MOST_TEXTS")):
        monkeypatch.setattr(module, limit, 100)
    Counted.alive = Counted.most = 0
    build(name, tiny_backbone).prepare(Anchors())
    assert Counted.most <= 2300  # of 4,000: two blocks that are counted at once, and those drawn


@pytest.mark.parametrize("name", ["cssl-scratch", "upos"])
def test_few_enough_sentences_are_all_read(
    name: str, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = []
    for limit in (4000 * 3, 10**9):
        for module, key in ((cssl, "_READ"), (tokenizer, "MOST_TEXTS")):
            monkeypatch.setattr(module, key, limit)
        system = build(name, tiny_backbone)
        torch.manual_seed(1)
        system.prepare(Anchors())
        saved.append(system.state_dict())
    assert saved[0].keys() == saved[1].keys()
    assert all(torch.equal(value, saved[1][key]) for key, value in saved[0].items())
