"""SynSem's late interaction against loops over words, and as the system offers it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from test_synsem_model import NAMES, active, create, passive
from torch.nn import functional as F

from pipeline.evaluation.models import scores_pairs
from pipeline.nn import pairs as pair_blocks
from pipeline.syntax.sentence import HasTree, Side
from pipeline.systems.synsem import late
from pipeline.systems.synsem.heads import Pointed
from pipeline.systems.synsem.late import DECAY, TIE, TOPIC, WordLinks, links, scores, stack

REACH = 4
TEXTS = [
    "The cat saw the dog.",
    "Rain fell.",
    "In May, the old ship left the river - at last, they said!",
    "The dog was seen by the cat, and the cat, they said, was seen by the old, old dog of the king.",
    "",
]


def sentence(words: int, seed: int) -> WordLinks:
    """Random words; the last of three or more is the first again, with another contextual state."""
    torch.manual_seed(seed)
    features = F.normalize(torch.randn(words, 3), dim=1)
    if words > 2:
        features[-1] = features[0]
    pointed = Pointed(torch.randn(1, words), 3 * torch.randn(1, words, words + 1))
    states, vector = (F.normalize(torch.randn(*shape), dim=-1) for shape in ((words, 4), (4,)))
    return WordLinks(vector, states, features, links(pointed, REACH)[0])


def links_by_hand(pointed: Pointed, reach: int) -> list[list[float]]:
    """Walks from word i to word j, each as likely as its pointers; one of k steps weighs DECAY^(k - 1).

    Over the fourth root of the product of the norms of all that each of the two words has.
    """
    gates, a = pointed.gates[0].sigmoid().tolist(), pointed.successors[0].softmax(dim=1).tolist()
    words = range(len(gates))

    def walks(i: int, j: int, steps: int) -> float:
        return a[i][j] if steps == 1 else sum(a[i][k] * walks(k, j, steps - 1) for k in words)

    plain = [
        [
            gates[i] * gates[j] * sum(DECAY ** (k - 1) * walks(i, j, k) for k in range(1, reach + 1))
            for j in words
        ]
        for i in words
    ]
    norms = [sum(plain[i][j] ** 2 + plain[j][i] ** 2 for j in words) ** 0.5 for i in words]
    return [[plain[i][j] / (norms[i] * norms[j]) ** 0.25 for j in words] for i in words]


def by_hand(a: WordLinks, b: WordLinks) -> float:
    """The score of one pair, word by word."""
    first, second = range(len(a.features)), range(len(b.features))
    alike = [[float(a.features[i] @ b.features[j]) for j in second] for i in first]
    near = [[alike[i][j] + TIE * float(a.states[i] @ b.states[j]) for j in second] for i in first]
    match = [[0.0 for _ in second] for _ in first]
    for i in first:
        for j in second:
            if near[i][j] == max(near[i]) == max(row[j] for row in near):
                match[i][j] = max(0.0, alike[i][j])
    common = total = 0.0
    for i in first:
        for j in first:
            for k in second:
                for m in second:
                    common += float(a.links[i, j]) * match[i][k] * match[j][m] * float(b.links[k, m])
    for i in first:
        for j in first:
            total += max(match[i]) * max(match[j]) * float(a.links[i, j]) ** 2
    for k in second:
        for m in second:
            shares = [max(row[word] for row in match) for word in (k, m)]
            total += shares[0] * shares[1] * float(b.links[k, m]) ** 2
    return (common + 0.5) / (max(0.0, total - common) + 1) + TOPIC * float(a.vector @ b.vector)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=4), st.integers(0, 999))
def test_the_score_is_the_sum_over_words_and_links(sizes: list[tuple[int, int]], seed: int) -> None:
    pairs = [
        (sentence(a, seed + 2 * row), sentence(b, seed + 2 * row + 1)) for row, (a, b) in enumerate(sizes)
    ]
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    found = scores(stack(a), stack(b))
    # Sentences of several lengths are padded here.
    expected = torch.tensor([by_hand(x, y) for x, y in pairs])
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(scores(stack(b), stack(a)), found, atol=1e-5, rtol=1e-5)
    further = sentence(9, seed + 100)
    torch.testing.assert_close(
        scores(stack([*a, further]), stack([*b, further]))[:-1], found, atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize("reach", [1, 2, 4])
def test_links_are_walks_along_the_pointers(reach: int) -> None:
    torch.manual_seed(1)
    pointed = Pointed(torch.randn(1, 4), torch.randn(1, 4, 5))
    expected = torch.tensor(links_by_hand(pointed, reach))
    torch.testing.assert_close(links(pointed, reach)[0], expected, atol=1e-6, rtol=1e-5)


def told(words: list[int], successors: list[int]) -> WordLinks:
    """Words of these kinds, each followed by the word at the place ``successors[i]``, without doubt."""
    n = len(words)
    logits = torch.full((1, n, n + 1), -1e4)
    for word, after in enumerate(successors):
        logits[0, word, after] = 0.0
    features = torch.eye(8)[words]
    return WordLinks(torch.ones(1), features, features, links(Pointed(torch.full((1, n), 9.0), logits), 4)[0])


def test_a_passive_scores_above_an_exchange_and_as_the_sentence_itself() -> None:
    # 0 agent, 1 verb, 2 patient; a passive has its words the other way round, and its pointers do not.
    forth, back = told([0, 1, 2], [1, 2, 3]), told([2, 1, 0], [3, 0, 1])
    exchanged, other = told([2, 1, 0], [1, 2, 3]), told([4, 5, 6], [1, 2, 3])
    found = scores(stack([forth] * 4), stack([forth, back, exchanged, other])).tolist()
    assert found[1] == pytest.approx(found[0], abs=1e-5)
    assert found[1] > found[2] + 0.5
    # Where no word matches, there is nothing to agree or to disagree on.
    assert found[3] == pytest.approx(0.5 + TOPIC)
    assert found[2] < found[3]


def test_a_repeated_word_is_matched_by_its_context() -> None:
    first = told([0, 1, 0], [1, 2, 3])
    states = torch.eye(8)[[3, 4, 5]]
    a, b = first._replace(states=states), first._replace(states=states.flip(0))
    itself, crossed = scores(stack([a, a]), stack([a, b])).tolist()
    assert itself > crossed + 0.5


def test_scores_are_computed_in_float32_whatever_the_encoder_is() -> None:
    known = {str(words): sentence(words, words) for words in (3, 5, 7)}
    bare = [Side(text, (), ()) for text in known]

    def words(sentences: Sequence[HasTree]) -> tuple[dict[str, torch.Tensor], list[WordLinks]]:
        return {}, [known[each.text] for each in sentences]

    expected = late.read_pairs(words, bare, bare[::-1]).scores
    with torch.autocast("cpu", dtype=torch.bfloat16):
        np.testing.assert_array_equal(late.read_pairs(words, bare, bare[::-1]).scores, expected)


def test_the_system_scores_pairs_of_bare_texts(tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = create(tiny_backbone)
    with torch.no_grad():
        for parameter in system.heads.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    assert scores_pairs(system)
    system.train()
    bare = [Side(text, (), ()) for text in TEXTS]
    a, b = [x for x in bare for _ in bare], [y for _ in bare for y in bare]
    found = system.late_scores(a, b)
    assert found.dtype == np.float32
    assert found.shape == (25,)
    assert np.isfinite(found).all()
    assert system.training  # as before, and dropout had no part in it
    np.testing.assert_allclose(found, found.reshape(5, 5).T.ravel(), atol=1e-5)
    alone = [system.late_scores([x], [y])[0] for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(found, alone, atol=1e-5)
    monkeypatch.setattr(pair_blocks, "_PAIRS_PER_BLOCK", 4)
    monkeypatch.setattr(late, "PAIRS_AT_ONCE", 3)
    np.testing.assert_allclose(system.late_scores(a, b), found, atol=1e-5)
    assert system.late_scores([], []).shape == (0,)


def test_the_system_reads_no_tree(tiny_backbone: Path) -> None:
    system = create(tiny_backbone).eval()
    trees = [active(*names) for names in NAMES], [passive(*names) for names in NAMES]
    bare = [[Side(each.text, (), ()) for each in side] for side in trees]
    np.testing.assert_allclose(system.late_scores(*trees), system.late_scores(*bare), atol=1e-5)
