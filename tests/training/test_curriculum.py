from pathlib import Path

import pytest
import yaml

from pipeline.errors import SynsemError
from pipeline.params import Curriculum, Train, load
from pipeline.store import rows
from pipeline.training import curriculum
from pipeline.training.examples import Examples


def with_curriculum(params: Path, start: float, until: float) -> Train:
    section: Train = load(params, "train").train
    return section.model_copy(update={"steps": 20, "curriculum": Curriculum(start=start, until=until)})


def test_the_allowed_hardness_rises_evenly_with_the_step_alone(params: Path) -> None:
    train = with_curriculum(params, 0.2, 0.5)
    allowed = [curriculum.allowed_hardness(step, train) for step in range(20)]
    assert allowed[:10] == pytest.approx([0.2 + 0.08 * step for step in range(10)])
    assert allowed[10:] == [None] * 10
    assert curriculum.allowed_hardness(0, load(params, "train").train) is None


def test_a_batch_holds_the_negatives_that_are_easy_enough(triplets: Path) -> None:
    examples = Examples(triplets, "train")
    train = [row for row in rows(triplets) if row["split"] == "train"]
    hardness = [value for row in train for value in row["negative_hardness"]]
    assert len(set(hardness)) > 3
    for hardest in (None, 1.0, 0.5, 0.1, 0.0):
        batch = examples.batch(range(60), hardest)
        expected = [
            (number, side["text"])
            for number, row in enumerate(train)
            for side, value in zip(row["negatives"], row["negative_hardness"], strict=True)
            if hardest is None or value <= hardest
        ]
        assert [
            (owner, side.text) for owner, side in zip(batch.owners, batch.negatives, strict=True)
        ] == expected
        assert len(batch.anchors) == len(batch.positives) == 60  # the examples themselves stay


def test_what_it_left_out_is_logged(triplets: Path) -> None:
    update = [Examples(triplets, "train").batch(range(60), 0.1)]
    assert curriculum.values(0.1, update) == {"hardness": 0.1, "negatives": len(update[0].negatives)}
    assert curriculum.values(None, update) == {}


def test_a_curriculum_of_no_length_is_refused(params: Path) -> None:
    content = yaml.safe_load(params.read_text())
    content["train"]["curriculum"] = {"start": 0.5, "until": 0.0}
    params.write_text(yaml.safe_dump(content))
    with pytest.raises(SynsemError, match=r"train\.curriculum\.until"):
        load(params, "train")
