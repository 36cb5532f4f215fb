"""Files and folders that a stage reads by path: what DVC sees, and keys by their content."""

from pathlib import Path

import pytest
import yaml

from pipeline.core.errors import SynsemError
from pipeline.core.tracked import OWN_MODELS, demand_tracked, folder_digest, named_content
from pipeline.params import load_all

ROOT = Path(__file__).parents[2]


def test_a_digest_is_that_of_every_file_below_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "weights").write_bytes(b"one")
    found = [folder_digest(folder)]
    (folder / "inner" / "weights").write_bytes(b"two")
    found.append(folder_digest(folder))
    (folder / "inner" / "weights").rename(folder / "weights")
    found.append(folder_digest(folder))
    (folder / "cost.json").write_text("3 s")  # times say nothing about a model
    assert folder_digest(folder) == found[-1]
    assert len(set(found)) == 3


def test_the_content_of_a_folder_that_a_parameter_names_is_part_of_the_key(tmp_path: Path) -> None:
    params = load_all(ROOT / "params.yaml")
    assert named_content(params.upos, params.encoder) == []
    (tmp_path / "weights").write_bytes(b"one")
    upos = params.upos.model_copy(update={"start": str(tmp_path)})
    encoder = params.encoder.model_copy(update={"model": str(tmp_path)})
    before = named_content(upos, encoder)
    (tmp_path / "weights").write_bytes(b"two")
    assert all(old != new for old, new in zip(before, named_content(upos, encoder), strict=True))
    assert len(before) == 2


def test_under_dvc_a_folder_lies_where_dvc_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    inside, outside = OWN_MODELS / "tagger", Path("models/cssl/13")
    for folder in (inside, outside):
        folder.mkdir(parents=True)
    (OWN_MODELS / "linked").symlink_to(tmp_path / outside)
    demand_tracked(outside, OWN_MODELS)
    monkeypatch.setenv("DVC_STAGE", "parse")
    demand_tracked(inside, OWN_MODELS)
    demand_tracked(tmp_path / inside, OWN_MODELS)
    for path in (outside, OWN_MODELS / "linked", OWN_MODELS / ".." / "x"):
        with pytest.raises(SynsemError, match="DVC would not see a change of it; move it into data/own-mo"):
            demand_tracked(path, OWN_MODELS)


def test_a_parser_a_backbone_and_a_start_must_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.nn import backbone
    from pipeline.parsing import registry
    from pipeline.systems import registry as systems

    params = load_all(ROOT / "params.yaml")
    monkeypatch.setenv("DVC_STAGE", "parse")
    with pytest.raises(SynsemError, match="DVC would not see"):
        registry.version(params.parse.model_copy(update={"models": {"en": str(tmp_path)}}), "en")
    with pytest.raises(SynsemError, match="DVC would not see"):
        backbone.load(str(tmp_path))
    upos = params.upos.model_copy(update={"start": str(tmp_path)})
    system = systems.create("upos", params.encoder, params.train, upos)
    with pytest.raises(SynsemError, match="DVC would not see"):
        system.prepare([])


def test_the_stages_that_read_own_files_depend_on_them() -> None:
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    texts = {name for name, stage in stages.items() if "data/own" in stage["deps"]}
    models = {name for name, stage in stages.items() if "data/own-models" in stage["deps"]}
    assert texts == {"check", "download", "treebank"}
    assert models == {"check", "parse", "mine", "pretrain", "baseline", "evaluate"}


def test_another_spacy_pipeline_in_the_same_folder_is_another_parser(tmp_path: Path) -> None:
    from pipeline.parsing.spacy import SpacyBackend

    (tmp_path / "meta.json").write_text('{"version": "1.0", "pipeline": []}')
    (tmp_path / "parser").mkdir()
    (tmp_path / "parser" / "model").write_bytes(b"one")
    before = SpacyBackend.version(str(tmp_path))
    (tmp_path / "parser" / "model").write_bytes(b"two")
    assert SpacyBackend.version(str(tmp_path)) != before


def test_a_parser_of_ones_own_is_known_by_all_its_files(tmp_path: Path) -> None:
    from pipeline.systems.cssl.backend import BiaffineBackend

    (tmp_path / "parser.json").write_text('{"module": "mine"}')
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "en").write_bytes(b"one")
    before = BiaffineBackend.version(str(tmp_path))
    (tmp_path / "rules" / "en").write_bytes(b"two")
    assert BiaffineBackend.version(str(tmp_path)) != before
