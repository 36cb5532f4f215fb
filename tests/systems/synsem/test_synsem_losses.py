"""What the pointers of ``synsem`` are to learn, and its losses, against plain loops."""

import math

import pytest
import torch

from pipeline.nn.tokenizer import stack
from pipeline.systems.synsem.data import NONE, OTHER, UNKNOWN
from pipeline.systems.synsem.heads import Links
from pipeline.systems.synsem.model import SIDES, link_losses, synsem_losses


def test_losses_are_sums_over_what_is_known() -> None:
    torch.manual_seed(1)
    texts = [[2, OTHER, NONE, OTHER], [], [1, NONE, 0], [OTHER]]
    found_links = Links(torch.randn(4, 4), torch.randn(4, 4, 5))
    found = link_losses(found_links, stack(texts, UNKNOWN))
    for row, successors in enumerate(texts):
        links = gates = right = 0.0
        for word, after in enumerate(successors):
            chance = 1 / (1 + math.exp(-float(found_links.content[row, word])))
            gates -= math.log(1 - chance if after == OTHER else chance)
            if after != OTHER:
                scores = found_links.successors[row, word]
                target = after % 5  # NONE is the last column
                links -= math.log(float(scores.softmax(dim=0)[target]))
                right += int(scores.argmax()) == target
        values = {"links": links, "content": gates, "right": right}
        assert {name: round(float(found[name][row]), 4) for name in values} == {
            name: round(value, 4) for name, value in values.items()
        }
    assert found["linked"].tolist() == [2, 0, 3, 0]
    assert found["words"].tolist() == [4, 0, 3, 1]


def test_the_contrast_is_of_each_reworded_anchor_against_all_that_says_another_thing() -> None:
    """One way alone: from the anchors. A paraphrase's vector is neither a pair nor a negative."""
    torch.manual_seed(1)
    found = {name: torch.zeros(3) for name in ("links", "linked", "right", "content", "words")}
    found |= {f"structural.{side}": torch.randn(3, 8) for side in ("anchor", "positive")}
    found |= {f"structural.{side}": torch.randn(n, 8) for side, n in (("swap", 2), ("negative", 1))}
    reworded, tau = [1, 0, 1], 0.07
    losses = synsem_losses(found | {"reworded": torch.tensor(reworded)}, tau)
    unit = {name: torch.nn.functional.normalize(found[f"structural.{name}"], dim=1) for name in SIDES}
    pairs = [number for number, said in enumerate(reworded) if said]
    others = torch.cat([unit["positive"][pairs], unit["swap"], unit["negative"]])
    expected = 0.0
    for place, number in enumerate(pairs):
        logits = others @ unit["anchor"][number] / tau
        expected -= math.log(float(logits.softmax(dim=0)[place])) / len(pairs)
    assert losses["contrast"].item() == pytest.approx(expected, rel=1e-5)
    assert losses["loss"].item() == pytest.approx(expected, rel=1e-5)
