"""Vectors of a corpus are computed once for all systems, and what is kept of them changes no example."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from small_corpus import Doc, params, write

from pipeline.core.errors import SynsemError
from pipeline.mining.inputs import Inputs
from pipeline.params import Encoder
from pipeline.syntax.sentence import Side
from pipeline.systems import corpus_vectors, registry
from pipeline.systems.builders import builder
from pipeline.systems.corpus_vectors import CorpusVectors

WORDS = ["the", "rain", "fell", "on", "a", "small", "town", "and", "people", "ran", "home", "under"]
SETTINGS = params(
    ebsim={"mask_similarity": 0.5},
    identity="all",
    similarity_sample=20,
)


def texts(count: int) -> list[str]:
    draw = np.random.default_rng(3)
    return [
        " ".join(draw.choice(WORDS, size)) + f" {number}"
        for number, size in enumerate(draw.integers(2, 30, count))
    ]


def sides(found: Sequence[str]) -> list[Side]:
    return [Side(text, text.split(), [0, *[1] * (len(text.split()) - 1)]) for text in found]


@pytest.fixture
def encoder(tiny_backbone: Path) -> Encoder:
    return Encoder(model=str(tiny_backbone), max_tokens=48, pooling="mean", sketch=None)


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one whenever the backbone is loaded."""
    found: list[int] = []
    load = registry.backbone

    def counted(*arguments: object, **options: object) -> object:
        found.append(1)
        return load(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(registry, "backbone", counted)
    return found


def test_a_vector_has_the_same_bits_whatever_texts_are_beside_it(encoder: Encoder) -> None:
    model = registry.backbone(encoder, exact=True)
    all_texts = sides(texts(60))
    together = model.embed(all_texts)["semantic"]
    for some in ([0], [59], [5, 6], list(range(0, 60, 7)), list(range(59, -1, -1))):
        np.testing.assert_array_equal(
            model.embed([all_texts[row] for row in some])["semantic"], together[some]
        )
    plain = registry.backbone(encoder).embed(all_texts)["semantic"]
    np.testing.assert_allclose(together, plain, atol=1e-5)


def test_known_texts_are_read_and_the_model_is_not_even_loaded(
    encoder: Encoder, loads: list[int], tmp_path: Path
) -> None:
    some = sides(texts(40))
    cold = CorpusVectors(encoder, tmp_path / "a")(some)
    CorpusVectors(encoder, tmp_path / "b")(some[10:20])
    halfway = CorpusVectors(encoder, tmp_path / "b")(some)
    assert len(loads) == 3
    warm = CorpusVectors(encoder, tmp_path / "b")(some[::-1])
    assert len(loads) == 3
    np.testing.assert_array_equal(halfway, cold)
    np.testing.assert_array_equal(warm[::-1], cold)
    CorpusVectors(encoder.model_copy(update={"max_tokens": 20}), tmp_path / "b")(some)
    assert len(loads) == 4


def documents(folder: Path) -> Inputs:
    drawn = texts(72)
    return write(
        folder,
        [
            Doc(
                drawn[at : at + 3], title=" ".join(WORDS[at % 9 : at % 9 + 2]), split="train" if at else "dev"
            )
            for at in range(0, 72, 3)
        ],
    )


def test_examples_are_the_same_bytes_with_and_without_vectors_of_other_systems(
    encoder: Encoder, loads: list[int], tmp_path: Path
) -> None:
    inputs = documents(tmp_path / "data")

    def mined(system: str, cache: str) -> dict[str, bytes]:
        out = tmp_path / "out" / system
        builder(system)(inputs, out, SETTINGS, CorpusVectors(encoder, tmp_path / cache))
        return {path.name: path.read_bytes() for path in sorted(out.iterdir())}

    alone = {system: mined(system, f"cache of {system}") for system in ("sscp", "ebsim")}
    assert len(loads) == 2
    assert mined("ebsim", "shared") == alone["ebsim"]
    assert mined("sscp", "shared") == alone["sscp"]
    assert len(loads) == 3, "the sentences of ebsim are the anchors of sscp"
    assert mined("ebsim", "shared") == alone["ebsim"]
    assert len(loads) == 3


def test_a_killed_run_leaves_nothing_that_counts_and_damage_is_one_clear_line(
    encoder: Encoder, tmp_path: Path
) -> None:
    some = sides(texts(8))
    cold = CorpusVectors(encoder, tmp_path)(some)
    [kept] = tmp_path.rglob("part-*.arrow")
    (kept.with_name("part-of.arrow.partial")).write_bytes(b"half of")
    np.testing.assert_array_equal(CorpusVectors(encoder, tmp_path)(some), cold)
    kept.write_bytes(kept.read_bytes()[:200])
    with pytest.raises(SynsemError, match=rf"{kept.name}: not a readable Arrow file .* delete it"):
        CorpusVectors(encoder, tmp_path)(some)


def test_the_cache_has_a_limit_and_keeps_no_name_of_a_hub(
    encoder: Encoder, loads: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_vectors, "_TEXTS_KEPT", 5)
    some = sides(texts(8))
    first = CorpusVectors(encoder, tmp_path / "cache")(some)
    assert CorpusVectors(encoder, tmp_path / "cache")(some[:5]).shape == (5, first.shape[1])
    assert len(loads) == 1
    np.testing.assert_array_equal(CorpusVectors(encoder, tmp_path / "cache")(some), first)
    assert len(loads) == 2
    unknown = CorpusVectors(encoder.model_copy(update={"model": "someone/name"}), tmp_path / "other")
    assert unknown._disk is None
    assert not (tmp_path / "other").exists()
