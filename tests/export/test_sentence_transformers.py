"""Views that read trees, through sentence-transformers alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_json
from pipeline.export.sentence_transformers import export_folder, export_plain, is_plain, parser_of
from pipeline.export.texts import readable
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import registry

ROOT = Path(__file__).parents[2]
TEXTS = [
    "The old dog chased the boy.", "", "Rain fell, and it did not stop for a whole week.", " \t",
    "Ünïcödé — 😀 \u2028 fine", "word " * 500,
]  # fmt: skip


def load(folder: Path, **changes: Any) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), trust_remote_code=True, device="cpu", model_kwargs=changes)


@pytest.fixture(scope="module")
def expected(model: Path) -> dict[str, np.ndarray]:
    return registry.load(model).embed(readable(TEXTS, parser_of(model, None), 32))


def test_joint_folder_gives_the_systems_vectors(
    model: Path, expected: dict[str, np.ndarray], tmp_path: Path
) -> None:
    loaded = load(model / "sentence-transformer-joint")
    np.testing.assert_allclose(loaded.encode(TEXTS), expected["joint"], atol=1e-5)
    np.testing.assert_allclose(loaded.encode(TEXTS[0], batch_size=1), expected["joint"][0], atol=1e-5)
    assert (loaded.get_embedding_dimension(), loaded.max_seq_length) == (32 + 32, 32)
    loaded.save(str(tmp_path / "again"))
    np.testing.assert_allclose(load(tmp_path / "again").encode(TEXTS), expected["joint"], atol=1e-5)


def test_shorter_length_is_saved(model: Path, tmp_path: Path) -> None:
    loaded = load(model / "sentence-transformer-joint")
    loaded.max_seq_length = 6
    assert loaded.max_seq_length == 6
    loaded.save(str(tmp_path / "shorter"))
    again = load(tmp_path / "shorter")
    assert again.max_seq_length == 6
    long, short = "Rain fell on the old bridge.", "Rain fell on the"
    semantic = load(tmp_path / "shorter", view="semantic")
    np.testing.assert_allclose(semantic.encode(long), semantic.encode(short), atol=1e-5)
    with pytest.raises(SynsemError, match="max_seq_length"):
        loaded.max_seq_length = 5000


def test_every_view_is_there(model: Path, expected: dict[str, np.ndarray]) -> None:
    assert np.abs(expected["syntactic"] - expected["semantic"]).max() > 0.01
    for view in ("semantic", "syntactic"):
        vectors = load(model / "sentence-transformer-joint", view=view).encode(TEXTS)
        np.testing.assert_allclose(vectors, expected[view], atol=1e-5)
    with pytest.raises(SynsemError, match=r"has no view 'nonsense'; choose from semantic, syntactic, joint"):
        load(model / "sentence-transformer-joint", view="nonsense")


def test_missing_parser_is_an_error_at_once(model: Path) -> None:
    folder = model / "sentence-transformer-joint"
    with pytest.raises(SynsemError, match=r"no_such_model"):
        load(folder, parse={"models": {"en": "no_such_model"}})


def test_system_without_joint_view_has_no_joint_folder(plain_model: Path) -> None:
    assert (plain_model / "sentence-transformer").is_dir()
    assert not (plain_model / "sentence-transformer-joint").exists()


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
def test_plain_folder_pools_as_the_system_does(pooling: str, plain_model: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    system = registry.load(plain_model)
    system.semantic.pooling = pooling  # type: ignore[assignment]
    export_plain(system, tmp_path / "plain")
    vectors = SentenceTransformer(str(tmp_path / "plain"), device="cpu").encode(TEXTS)
    sides = [Sentence(text) for text in TEXTS]
    np.testing.assert_allclose(vectors, system.embed(sides)["semantic"], atol=1e-5)


def test_view_without_positions_is_not_plain(plain_model: Path) -> None:
    system = registry.load(plain_model)
    system.semantic.position = "none"  # order is invisible, which a plain folder would not know
    assert not is_plain(system.exported)


def test_folder_to_share_is_new_and_readable(text_model: Path, tmp_path: Path) -> None:
    export_folder(text_model, tmp_path / "a", "structural", None, tmp_path, tmp_path)
    assert read_json(tmp_path / "a" / "modules.json")[0]["type"] == "standalone.SynsemEncoder"
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "a").rglob("*") if path.is_file()} == {0o644}
    with pytest.raises(SynsemError, match="new folder"):
        export_folder(text_model, tmp_path / "a", None, None, tmp_path, tmp_path)
    with pytest.raises(SynsemError, match="nonsense"):
        export_folder(text_model, tmp_path / "b", "nonsense", None, tmp_path, tmp_path)
    assert not (tmp_path / "b").exists()
