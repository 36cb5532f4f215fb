"""Directed steps, first edges and clauses against walks along every tree."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from pipeline.nn.clauses import clause_heads, pool_clauses
from pipeline.nn.graph_path import first_edge, steps
from pipeline.nn.relations import CLAUSAL, CLAUSAL_NUMBERS, RELATIONS, SIZE, UNKNOWN, relation_numbers
from pipeline.nn.tokens import Tokens
from pipeline.nn.tree_distance import tree_distance


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Heads and relations of 1 to 9 words; a word's head stands anywhere, by a random renaming."""
    n = draw(st.integers(1, 9))
    above = [draw(st.integers(0, i)) for i in range(n)]  # 0 or a word made before
    names = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for word, head in enumerate(above):
        heads[names[word] - 1] = names[head - 1] if head else 0
    return heads, [draw(st.integers(1, SIZE - 1)) for _ in range(n)]


def chain(heads: list[int], word: int) -> list[int]:
    """The word and all above it, 0-based."""
    found = [word]
    while heads[found[-1]]:
        found.append(heads[found[-1]] - 1)
    return found


@given(forests())
def test_steps_and_first_edges_are_those_of_a_walk(forest: tuple[list[int], list[int]]) -> None:
    heads, relations = forest
    trees = tree_distance(torch.tensor([heads]))
    up, down = (part[0] for part in steps(trees))
    edge = first_edge(torch.tensor([heads]), torch.tensor([relations]), trees, SIZE)[0]
    for i in range(len(heads)):
        for j in range(len(heads)):
            rise, fall = chain(heads, i), chain(heads, j)
            if rise[-1] != fall[-1]:
                continue
            meeting = next(word for word in rise if word in fall)
            assert (up[i, j], down[i, j]) == (rise.index(meeting), fall.index(meeting))
            if i == j:
                assert edge[i, j] == 0
            elif meeting != i:
                assert edge[i, j] == relations[i]
            else:
                assert edge[i, j] == SIZE + relations[fall[fall.index(i) - 1]]


@given(forests())
def test_the_clause_of_a_word_is_the_nearest_clausal_word_above(forest: tuple[list[int], list[int]]) -> None:
    heads, relations = forest
    found = clause_heads(torch.tensor([heads]), torch.tensor([relations]))[0].tolist()
    for word, clause in enumerate(found):
        walk = chain(heads, word)
        assert clause == next(w for w in walk if relations[w] in CLAUSAL_NUMBERS or heads[w] == 0)


def test_clauses_weigh_alike_whatever_their_length() -> None:
    # "She said that old dogs bark": two clauses, of two words and of four.
    words = torch.tensor([[-1, 0, 1, 2, 3, 4, 5, -1]])
    relations = torch.tensor([relation_numbers(["nsubj", "root", "mark", "amod", "nsubj", "ccomp"])])
    states = torch.randn(1, 8, 3, generator=torch.Generator().manual_seed(0))
    tokens = Tokens(
        torch.zeros_like(words), torch.ones_like(words, dtype=torch.bool), words,
        torch.tensor([[2, 0, 6, 5, 6, 2]]), relations,
    )  # fmt: skip
    expected = (states[0, 1:3].mean(dim=0) + states[0, 3:7].mean(dim=0)) / 2
    torch.testing.assert_close(pool_clauses(states, tokens)[0], expected)


def test_a_sentence_without_words_is_the_mean_of_its_tokens() -> None:
    words = torch.tensor([[-1, 0, -1], [-1, -1, -1]])
    mask = torch.tensor([[True, True, True], [True, True, False]])
    states = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0))
    heads = torch.tensor([[0], [-1]])
    found = pool_clauses(states, Tokens(words, mask, words, heads, torch.tensor([[35], [0]])))
    torch.testing.assert_close(found[0], states[0, 1])
    torch.testing.assert_close(found[1], states[1, :2].mean(dim=0))


def test_relations_are_numbered_without_their_subtypes() -> None:
    assert relation_numbers(["acl:relcl", "xcomp", "ROOT"]) == [1, len(RELATIONS), UNKNOWN]
    assert np.array_equal(relation_numbers(CLAUSAL), CLAUSAL_NUMBERS)
