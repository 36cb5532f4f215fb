"""Examples of ``synsem``: those of the corpus as they are, and a share of alternations among them."""

from pathlib import Path

import pytest
from small_corpus import Doc, no_vectors, params, write

from pipeline.core.store import rows
from pipeline.systems.synsem.alternations.drawn import KIND
from pipeline.systems.synsem.mining import mine


def test_mining_mixes_them_in_and_leaves_the_other_examples_as_they_are(tmp_path: Path) -> None:
    texts = ((f"dog {n} sees cat {n} now", f"cat {n} is seen by dog {n} now") for n in range(60))
    inputs = write(tmp_path, [Doc([text], variants=[("same", "passive", other)]) for text, other in texts])
    found = {}
    for share in (0.0, 0.25):
        kept = mine(inputs, tmp_path / str(share), params(synsem={"alternations": share}), no_vectors)
        found[share] = list(rows(tmp_path / str(share)))
        assert kept[f"positive: {KIND}"] == sum(row["positive_kind"] == KIND for row in found[share])
    assert [row for row in found[0.25] if row["positive_kind"] != KIND] == found[0.0]
    assert len(found[0.25]) == pytest.approx(len(found[0.0]) / 0.75, abs=2)
    assert len(found[0.25]) > len(found[0.0]) > 0
