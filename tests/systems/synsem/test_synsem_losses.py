"""What the pointers of ``synsem`` are to learn, and its losses, against plain loops."""

import math

import numpy as np
import pytest
import torch

from pipeline.nn.tokenizer import EncodedSentence
from pipeline.systems.synsem.data import NONE, UNKNOWN, ReadText, link_targets
from pipeline.systems.synsem.heads import Links
from pipeline.systems.synsem.model import SIDES, link_losses, synsem_losses


def sentence(size: int, successors: dict[int, int] | None) -> ReadText:
    """Of so many words; ``successors`` of its content words, None: without a tree."""
    after = None
    if successors is not None:
        after = np.full(size, UNKNOWN, dtype=np.int64)
        after[list(successors)] = list(successors.values())
    return ReadText(EncodedSentence([0] * size, np.arange(size), ()), size, after)


TEXTS = [sentence(4, {0: 2, 2: NONE}), sentence(2, None), sentence(3, {2: 0, 0: 1, 1: NONE}), sentence(0, {})]


def test_targets_are_the_links_padded_and_unknown_without_a_tree() -> None:
    content, successors = link_targets(TEXTS, 4, torch.device("cpu"))
    u, none = UNKNOWN, 4  # the column after the last of four words
    assert content.tolist() == [[1, 0, 1, 0], [u] * 4, [1, 1, 1, u], [u] * 4]
    assert successors.tolist() == [[2, u, none, u], [u] * 4, [1, none, 0, u], [u] * 4]
    bare = link_targets([TEXTS[1]], 2, torch.device("cpu"))
    assert [each.tolist() for each in bare] == [[[u, u]]] * 2
    wider = link_targets(TEXTS[:1], 6, torch.device("cpu"))
    assert [each.tolist() for each in wider] == [[[1, 0, 1, 0, u, u]], [[2, u, 6, u, u, u]]]


def test_losses_are_sums_over_what_is_known() -> None:
    torch.manual_seed(1)
    content, successors = link_targets(TEXTS, 4, torch.device("cpu"))
    found_links = Links(torch.randn(4, 4), torch.randn(4, 4, 5))
    found = link_losses(found_links, content, successors)
    for row, each in enumerate(TEXTS):
        links = gates = right = 0.0
        for word, after in enumerate([] if each.successors is None else each.successors.tolist()):
            chance = 1 / (1 + math.exp(-float(found_links.content[row, word])))
            gates -= math.log(1 - chance if after == UNKNOWN else chance)
            if after != UNKNOWN:
                scores = found_links.successors[row, word]
                target = after % 5  # NONE is the last column
                links -= math.log(float(scores.softmax(dim=0)[target]))
                right += int(scores.argmax()) == target
        values = {"links": links, "content": gates, "right": right}
        assert {name: round(float(found[name][row]), 4) for name in values} == {
            name: round(value, 4) for name, value in values.items()
        }
    assert found["linked"].tolist() == [2, 0, 3, 0]
    assert found["words"].tolist() == [4, 0, 3, 0]


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
