"""SimCSE's examples: sentences alone, or those of SSCP."""

from pathlib import Path

import pytest
from small_corpus import Doc, no_vectors, params, triples, write

from pipeline.mining import simcse, sscp

DOCUMENTS = [
    Doc(["the dog bit the man"], variants=[("same", "passive", "the man was bitten by the dog"),
                                           ("different", "argument_swap", "the man bit the dog")]),
    Doc(["rain fell all day"]),
]  # fmt: skip


@pytest.mark.parametrize("choice", ["self", "mined"])
def test_positives_are_the_sentences_themselves_or_those_of_sscp(choice: str, tmp_path: Path) -> None:
    inputs, chosen = write(tmp_path, DOCUMENTS), params().model_copy(update={"simcse": choice})
    simcse.mine(inputs, tmp_path / "simcse", chosen, no_vectors)
    sscp.mine(inputs, tmp_path / "sscp", chosen, no_vectors)
    found = triples(tmp_path / "simcse")
    if choice == "mined":
        assert found == triples(tmp_path / "sscp")
        assert [kind for _, kind, _, _ in found] == ["passive"]
    else:
        assert sorted(anchor for anchor, _, _, _ in found) == ["rain fell all day", "the dog bit the man"]
        assert all(anchor == positive and not negatives for anchor, _, positive, negatives in found)
