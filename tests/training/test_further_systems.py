"""``upos``, ``ebsim`` and ``parabart`` through the whole of pretraining: loop, saving, export."""

from functools import partial
from pathlib import Path

import pytest
import yaml

from pipeline.core import schemas, store
from pipeline.export.sentence_transformers import export
from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.base import Settings
from pipeline.training.curves import Curves
from pipeline.training.run import pretrain


@pytest.fixture
def complete(triplets: Path, tmp_path: Path) -> Path:
    """The small examples, each with a hard negative."""
    rows = list(store.rows(triplets))
    with store.ShardWriter(tmp_path / "complete", schemas.TRIPLET) as writer:
        for number, row in enumerate(rows):
            other = rows[(number + 7) % len(rows)]["positive"]
            writer.add(row | {"negatives": [other], "negative_kinds": ["later"], "negative_hardness": [0.5]})
    return tmp_path / "complete"


def run(system: str, complete: Path, params: Path, out: Path) -> dict[str, bytes]:
    sections = load(params, "encoder", "train", "parse", system)
    with Curves(out.with_name(out.name + "-curves")) as log:
        pretrain(
            system, 13, complete, out, log,
            Settings(sections.encoder, sections.train, getattr(sections, system)),
            export=partial(export, parse=sections.parse),
        )  # fmt: skip
    return {
        str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()
    }


@pytest.mark.parametrize(
    ("system", "changed"),
    [
        ("upos", {"encoder": "bilstm"}),
        ("upos", {"encoder": "backbone", "own_tags": 0.5}),
        ("ebsim", {"max_tokens": 48}),
        ("parabart", {"steps": 2.0}),
    ],
)
def test_two_runs_give_the_same_bytes_and_the_loss_falls(
    system: str, changed: dict[str, object], complete: Path, params: Path, tmp_path: Path, scratch: Path
) -> None:
    values = yaml.safe_load(params.read_text())
    values[system] |= changed
    values["upos"]["bilstm"]["steps"] = 2.0
    params.write_text(yaml.safe_dump(values))
    first = run(system, complete, params, tmp_path / "a")
    assert run(system, complete, params, tmp_path / "b") == first
    history = (tmp_path / "a-curves" / "plots" / "metrics" / "dev" / "loss.tsv").read_text().splitlines()[1:]
    losses = [float(line.split("\t")[1]) for line in history]
    assert min(losses) < losses[0]
    steps = 24 if changed.get("encoder") == "bilstm" or "steps" in changed else 12
    assert history[-1].startswith(f"{steps}\t")
    assert "sentence-transformer/modules.json" in first
    assert registry.load(tmp_path / "a").name == system
