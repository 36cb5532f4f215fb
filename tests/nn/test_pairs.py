"""Pairs that are read in blocks: as if each had been read alone, wherever the blocks end."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from pipeline.nn import pairs
from pipeline.nn.pairs import Block, read_in_blocks
from pipeline.syntax.sentence import HasTree, Side

TEXTS = ["a", "four words are here", "two words", "three words here", "b", "c", "six words stand in this one"]
A = [Side(TEXTS[number], (), ()) for number in (0, 1, 2, 0, 4, 6, 3)]
B = [Side(TEXTS[number], (), ()) for number in (1, 2, 2, 5, 0, 3, 6)]


def vector(sentence: HasTree) -> list[float]:
    return [float(len(sentence.text)), float(sum(map(ord, sentence.text)))]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1024])
def test_scores_and_vectors_do_not_depend_on_the_blocks(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "_PAIRS_PER_BLOCK", size)
    blocks: list[list[str]] = []
    longest: list[int] = []

    def read(sentences: Sequence[HasTree], first: torch.Tensor, second: torch.Tensor) -> Block:
        blocks.append([each.text for each in sentences])
        longest.extend(
            max(len(sentences[a].text), len(sentences[b].text)) for a, b in zip(first, second, strict=True)
        )
        rows = torch.tensor([vector(each) for each in sentences])
        return Block(rows[first, 0] - 3 * rows[second, 1], {"one": rows, "other": -rows})

    found = read_in_blocks(read, A, B)
    expected = [vector(a)[0] - 3 * vector(b)[1] for a, b in zip(A, B, strict=True)]
    assert found.scores.tolist() == expected
    assert [each.text for each in found.sentences] == list(dict.fromkeys(each.text for each in [*A, *B]))
    assert found.vectors["one"].tolist() == [vector(each) for each in found.sentences]
    assert found.vectors["other"].tolist() == (-found.vectors["one"]).tolist()
    assert len(blocks) == -(-len(A) // size)
    assert all(len(set(block)) == len(block) for block in blocks)  # each sentence of a block once
    assert longest == sorted(longest, reverse=True)


def test_no_pairs_are_no_scores_and_no_view() -> None:
    def read(*_: object) -> Block:
        raise AssertionError("nothing is there to read")

    scores, sentences, vectors = read_in_blocks(read, [], [])
    assert (scores.shape, scores.dtype, sentences, vectors) == ((0,), np.float32, [], {})
