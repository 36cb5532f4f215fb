"""One pass over pairs gives what two gave: the scores of late interaction, and the vectors of every view."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pipeline.core.params import load_all
from pipeline.evaluation.embeddings import Embeddings
from pipeline.nn import late_interaction
from pipeline.nn.encoder import Encoder
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import registry
from pipeline.systems.synsem.heads import Network
from pipeline.systems.synsem.model import System

DEFAULTS = load_all(Path("params.yaml"))
NAMES = ["the cat", "the old dog", "Ann", "a ship", "the king of the river", "rain"]


def clause(subject: str, thing: str) -> Sentence:
    """*SUBJECT saw THING .*, with a flat tree below the verb."""
    first, second = subject.split(), thing.split()
    words = [*first, "saw", *second, "."]
    verb = len(first) + 1
    heads, deprels, upos = [verb] * len(words), ["dep"] * len(words), ["X"] * len(words)
    for place, role in ((verb - 2, "nsubj"), (len(words) - 2, "obj")):
        deprels[place], upos[place] = role, "NOUN"
    heads[verb - 1], deprels[verb - 1], upos[verb - 1] = 0, "root", "VERB"
    return Sentence(" ".join(words), words, heads, deprels, upos, [""] * len(words), words)


A = [clause(x, y) for x in NAMES for y in NAMES]
B = [clause(y, x) for x in NAMES for y in NAMES]


def backbone(path: Path) -> registry.Baseline:
    encoder = DEFAULTS.encoder.model_copy(update={"model": str(path), "max_tokens": 32})
    return registry.Baseline(encoder)


def synsem(path: Path) -> System:
    encoder = DEFAULTS.encoder.model_copy(update={"model": str(path), "max_tokens": 32})
    torch.manual_seed(0)
    system = registry.create("synsem", encoder, DEFAULTS.train, DEFAULTS.synsem).eval()
    assert isinstance(system, System)
    return system


MODELS: dict[str, Callable[[Path], Any]] = {"backbone": backbone, "synsem": synsem}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sentences of each pass of an encoder."""
    rows: list[int] = []
    for kind, method, run in ((Encoder, "_run", Encoder._run), (Network, "read", Network.read)):

        def counted(self: Any, batch: Any, *rest: Any, run: Any = run, **options: Any) -> Any:
            rows.append(len(batch))
            return run(self, batch, *rest, **options)

        monkeypatch.setattr(kind, method, counted)
    return rows


@pytest.mark.parametrize("name", MODELS)
def test_one_pass_gives_what_embedding_and_scoring_give(
    name: str, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = MODELS[name](tiny_backbone)
    found = model.read_pairs(A, B)
    expected = model.embed(found.sentences)
    assert len(found.sentences) == len({each.text for each in A + B})
    assert list(found.vectors) == list(expected)
    for view, vectors in expected.items():
        np.testing.assert_allclose(found.vectors[view], vectors, atol=1e-5, err_msg=view)
    monkeypatch.setattr(late_interaction, "_PAIRS_PER_BLOCK", 7)
    blocks = model.read_pairs(A, B)
    np.testing.assert_allclose(blocks.scores, found.scores, atol=1e-5)
    for view, vectors in expected.items():
        np.testing.assert_allclose(blocks.vectors[view], vectors, atol=1e-5, err_msg=view)


@pytest.mark.parametrize("name", MODELS)
def test_a_pair_task_reads_each_sentence_once(name: str, tiny_backbone: Path, read: list[int]) -> None:
    model = MODELS[name](tiny_backbone)
    embeddings = Embeddings(model)
    first, second, late = embeddings.pairs(A, B)
    distinct = len({each.text for each in A + B})
    assert sum(read) == distinct
    embeddings.pairs(A, B)  # known by now
    assert sum(read) == distinct
    for side, vectors in ((A, first), (B, second)):
        for view, expected in Embeddings(model)(side).items():
            np.testing.assert_allclose(vectors[view], expected, atol=1e-5)
    np.testing.assert_allclose(late, model.read_pairs(A, B).scores, atol=1e-5)
