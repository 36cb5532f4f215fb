"""Alignment of tokens as evaluation keeps it for the report, by a real system on a tiny encoder."""

from pathlib import Path

import numpy as np
import pytest
import torch
from small_world import PARAMS, BagOfHashes, context

from pipeline.core.errors import SynsemError
from pipeline.core.store import read_file, write_rows
from pipeline.evaluation.records import ALIGNMENT
from pipeline.evaluation.results import Folders
from pipeline.evaluation.run import ModelUnderTest, evaluate
from pipeline.evaluation.tasks import token_alignment as task
from pipeline.params import Encoder, load_all
from pipeline.systems import registry
from pipeline.systems.ebsim.model import System

DEFAULTS = load_all(Path(__file__).parents[2] / "params.yaml")


@pytest.fixture
def system(tiny_backbone: Path) -> System:
    encoder = Encoder(model=str(tiny_backbone), max_tokens=32, pooling="mean")
    params = DEFAULTS.ebsim.model_copy(update={"max_tokens": 64})
    made = registry.create("ebsim", encoder, DEFAULTS.train, params)
    assert isinstance(made, System)
    with torch.no_grad():  # as if it had been trained
        for parameter in made.semantic.parameters():
            parameter.mul_(1.1)
    return made.eval()


def test_rows_are_the_systems_own_and_the_backbones(system: System, world: Path, tmp_path: Path) -> None:
    here = context(world, system)
    rows = task.token_alignment(here).alignments
    assert (rows[0]["a"], rows[0]["b"]) == task.PAIR
    assert [row["view"] for row in rows] == ["trained", "backbone"] * (len(rows) // 2)
    variants = {
        (each.sentence.text, variant.side.text): variant.transformation
        for each in here.corpus.sentences
        for variant in here.corpus.variants.get(each.sent_id, [])
    }
    drawn = {(row["a"], row["b"]): row["kind"] for row in rows[2:]}
    assert drawn
    assert drawn.items() <= variants.items()
    for row in rows:
        weights = np.array(row["weights"]).reshape(len(row["first"]), len(row["second"]))
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
    trained, untouched = (np.array(row["weights"]) for row in rows[:2])
    assert not np.allclose(trained, untouched)
    untrained = system.untouched().semantic.model.state_dict()
    torch.testing.assert_close(
        {name: 1.1 * value for name, value in untrained.items() if value.is_floating_point()},
        {name: value for name, value in system.semantic.model.state_dict().items() if name in untrained},
    )
    write_rows(tmp_path / "alignments.arrow", rows, ALIGNMENT)


def test_without_its_backbone_a_system_stands_alone(
    system: System, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> None:
        raise SynsemError("encoder.model: cannot be loaded")

    monkeypatch.setattr(system, "untouched", gone)
    assert {row["view"] for row in task.token_alignment(context(world, system)).alignments} == {"trained"}


def test_only_a_system_that_aligns_leaves_the_file(system: System, world: Path, tmp_path: Path) -> None:
    folders = Folders(world / "parsed", world / "augmented", world / "benchmarks", tmp_path)
    params = PARAMS.model_copy(update={"tasks": []})
    evaluate(ModelUnderTest("ebsim-13", system), folders, params).demand_success()
    evaluate(ModelUnderTest("bag", BagOfHashes()), folders, params).demand_success()
    assert len(read_file(folders.evaluation("ebsim-13") / "alignments.arrow"))
    assert not (folders.evaluation("bag") / "alignments.arrow").exists()
    with pytest.raises(SynsemError, match="aligns no pairs; choose one that does, such as ebsim"):
        task.token_alignment(context(world, BagOfHashes()))
