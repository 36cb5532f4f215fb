"""Files and folders that a stage reads by path: what DVC sees, and keys by their content."""

from pathlib import Path

import pytest

from pipeline.core.errors import OWN_MODELS, SynsemError, demand_tracked
from pipeline.core.params import load_all

ROOT = Path(__file__).parents[2]


def test_under_dvc_a_folder_lies_where_dvc_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    inside, outside = OWN_MODELS / "tagger", Path("models/cssl/13")
    for folder in (inside, outside):
        folder.mkdir(parents=True)
    demand_tracked(outside, OWN_MODELS)
    monkeypatch.setenv("DVC_STAGE", "parse")
    demand_tracked(inside, OWN_MODELS)
    demand_tracked(tmp_path / inside, OWN_MODELS)
    for path in (outside, OWN_MODELS / ".." / "x"):
        with pytest.raises(SynsemError, match="DVC would not see a change of it; move it into data/own-mo"):
            demand_tracked(path, OWN_MODELS)


def test_a_parser_a_backbone_and_a_start_must_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.nn import backbone
    from pipeline.parsing import base as registry
    from pipeline.systems.base import registry as systems

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
