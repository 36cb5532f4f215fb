"""The heads of SynSem against loops over words, in float64."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from pipeline.systems.synsem.heads import (
    SHARPNESS,
    LinkEncoder,
    Links,
    StructuralPooling,
    SuccessorHead,
    WordFeatures,
)


def certain(successors: list[int], content: list[bool]) -> Links:
    """Pointers without doubt: word i is followed by ``successors[i]``, the number of words for none."""
    logits = torch.full((1, len(successors), len(successors) + 1), -1e4)
    for word, after in enumerate(successors):
        logits[0, word, after] = 0.0
    gates = torch.tensor([[1e4 if each else -1e4 for each in content]])
    return Links(gates, logits)


def by_hand(features: torch.Tensor, links: Links, pooling: StructuralPooling) -> torch.Tensor:
    """The sum over i and j, word by word; features are of length 1."""
    gates, a = links.content.sigmoid().double(), links.successors.softmax(dim=2)[..., :-1].double()
    distance = pooling.decay.double()
    first, second = (
        torch.cos(features.double() @ matrix.double() + phases.double())
        for matrix, phases in zip((pooling.first, pooling.second), pooling.phases, strict=True)
    )
    rows = []
    for row in range(len(features)):
        p, q, x, step, words = first[row], second[row], features[row].double(), a[row], range(len(a[row]))
        total, power, vector = torch.zeros_like(step), torch.eye(len(p), dtype=torch.float64), 0
        for weight in distance:
            power = power @ step
            total = total + weight * power
        often = [sum(gates[row, j] * torch.exp(16 * (x[i] @ x[j] - 1)) for j in words) for i in words]
        weights = [gates[row, i] / max(1.0, often[i]) for i in words]
        linked = [[weights[i] * weights[j] * (total[i, j] - total[j, i]) for j in words] for i in words]
        sizes = [max(0.05, (2 * sum(link**2 for link in linked[i])) ** 0.5) for i in words]
        for i in words:
            for j in words:
                vector = vector + linked[i][j] / (sizes[i] * sizes[j]) ** 0.25 * p[i] * q[j]
        rows.append(vector / vector.norm())
    return torch.stack(rows)


@settings(max_examples=8, deadline=None)
@given(st.integers(2, 7), st.integers(1, 4), st.integers(0, 1000))
def test_pooling_is_the_sum_over_pairs_of_words(words: int, distance: int, seed: int) -> None:
    torch.manual_seed(seed)
    pooling = StructuralPooling(6, 16, distance)
    with torch.no_grad():
        pooling.decay.copy_(torch.rand(distance) + 0.5)
    features = F.normalize(torch.randn(2, words, 6), dim=2)
    if words > 2:
        features[:, -1] = features[:, 0]  # a word repeated
    links = Links(torch.randn(2, words), torch.randn(2, words, words + 1))
    found = pooling(features, links)
    torch.testing.assert_close(found.double(), by_hand(features, links, pooling), atol=1e-5, rtol=1e-4)


def test_an_exchange_of_two_words_gives_the_opposite_vector() -> None:
    torch.manual_seed(1)
    pooling, words = StructuralPooling(8, 64, 4), F.normalize(torch.randn(1, 2, 8), dim=2)
    forth = pooling(words, certain([1, 2], [True, True]))
    back = pooling(words, certain([2, 0], [True, True]))
    exchanged = pooling(words.flip(1), certain([1, 2], [True, True]))
    torch.testing.assert_close(back, -forth)
    torch.testing.assert_close(exchanged, -forth)
    # A passive: the words stand the other way round and are read in the same order.
    passive = pooling(words.flip(1), certain([2, 0], [True, True]))
    torch.testing.assert_close(passive, forth)


def test_words_that_are_no_content_words_bind_nothing() -> None:
    torch.manual_seed(2)
    pooling, words = StructuralPooling(8, 64, 4), F.normalize(torch.randn(1, 3, 8), dim=2)
    two = pooling(words[:, :2], certain([1, 2], [True, True]))
    three = pooling(words, certain([1, 3, 3], [True, True, False]))
    torch.testing.assert_close(two, three)
    alone = pooling(words, certain([3, 3, 3], [True, False, False]))
    assert alone.abs().max() == 0
    assert torch.isfinite(alone).all()


def test_a_word_repeated_binds_nothing_and_rounding_is_no_vector() -> None:
    torch.manual_seed(5)
    pooling = StructuralPooling(384, 1024, 4)
    words = F.normalize(torch.randn(2, 1, 384), dim=2).expand(2, 30, 384).clone()
    words[1, 7] = F.normalize(torch.randn(384), dim=0)
    links = Links(torch.randn(2, 30), torch.randn(2, 30, 31))
    assert pooling(words, links)[0].abs().max() == 0
    # One other word among them, with a gate that is nearly closed, is enough.
    gates = links.content.clone()
    gates[1, 7] = -5.0
    found = pooling(words, Links(gates, links.successors))[1]
    assert found.norm().item() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("training", [True, False])
def test_a_reader_passes_over_padding_and_takes_a_text_without_words(training: bool) -> None:
    torch.manual_seed(6)
    reader, states = LinkEncoder(8, 16, 2, 2).train(training), torch.randn(3, 5, 8)
    real = torch.tensor([[True] * 5, [True] * 3 + [False] * 2, [False] * 5])
    with torch.set_grad_enabled(training):
        found = reader(states, real)
        alone = reader(states[1:2, :3], real[1:2, :3])
    torch.testing.assert_close(found[1:2, :3], alone)
    assert torch.isfinite(found).all()


def test_successors_pass_over_padding_and_the_word_itself() -> None:
    torch.manual_seed(3)
    head, states = SuccessorHead(8, 4), torch.randn(2, 5, 8)
    real = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    found = head(states, real)
    probabilities = found.softmax(dim=2)
    assert probabilities[0].diagonal().abs().max() == 0
    assert probabilities[1, :, 3:5].abs().max() == 0
    assert (probabilities[1, :3, 5] > 0).all()
    torch.testing.assert_close(found[1:, :3, [0, 1, 2, 5]], head(states[1:, :3], real[1:, :3]))
    # The logit of a pair is the scaled product of query and key, each behind a GELU.
    query, key = F.gelu(head.query(states[0])), F.gelu(head.key(states[0]))
    torch.testing.assert_close(found[0, 1, 2], query[1] @ key[2] / 2.0)


def test_word_features_lack_what_all_words_share() -> None:
    torch.manual_seed(5)
    shared = torch.randn(12)
    table = torch.randn(300, 12) + 5 * shared + 20 * torch.randn(300, 1) * F.normalize(torch.randn(12), dim=0)
    features = WordFeatures(12)
    features.learn(table)
    found = features(table[None])[0]
    assert found.norm(dim=1) == pytest.approx(1, abs=1e-5)
    centred = table - table.mean(dim=0)
    main = torch.linalg.svd(centred, full_matrices=False).Vh[:2]
    assert (found @ main.T).abs().max() < 1e-4


def test_before_training_words_are_alike_as_by_a_gaussian_kernel() -> None:
    torch.manual_seed(7)
    pooling = StructuralPooling(6, 40_000, 1)
    words = F.normalize(torch.randn(5, 6), dim=1)
    found = torch.cos(words @ pooling.first + pooling.phases[0])
    expected = torch.exp(SHARPNESS * (words @ words.T - 1))
    torch.testing.assert_close(2 * found @ found.T / 40_000, expected, atol=0.03, rtol=0)
