"""The heads of SynSem against loops over words, in float64."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from pipeline.systems.synsem.heads import (
    SHARPNESS,
    Binding,
    Pointed,
    Pointers,
    Reader,
    Repeats,
    WordFeatures,
    evened,
    shares,
)
from pipeline.systems.synsem.losses import UNKNOWN, link_losses


def certain(successors: list[int], content: list[bool]) -> Pointed:
    """Pointers without doubt: word i is followed by ``successors[i]``, the number of words for none."""
    logits = torch.full((1, len(successors), len(successors) + 1), -1e4)
    for word, after in enumerate(successors):
        logits[0, word, after] = 0.0
    gates = torch.tensor([[1e4 if each else -1e4 for each in content]])
    return Pointed(gates, logits)


def by_hand(features: torch.Tensor, pointed: Pointed, binding: Binding) -> torch.Tensor:
    """The sum over i and j, word by word; features are of length 1."""
    gates, a = pointed.gates.sigmoid().double(), pointed.successors.softmax(dim=2)[..., :-1].double()
    reach = binding.reach.double()
    first, second = (
        torch.cos(features.double() @ matrix.double() + phases.double())
        for matrix, phases in zip((binding.first, binding.second), binding.phases, strict=True)
    )
    rows = []
    for row in range(len(features)):
        p, q, x, step, words = first[row], second[row], features[row].double(), a[row], range(len(a[row]))
        total, power, vector = torch.zeros_like(step), torch.eye(len(p), dtype=torch.float64), 0
        for weight in reach:
            power = power @ step
            total = total + weight * power
        often = [sum(gates[row, j] * torch.exp(16 * (x[i] @ x[j] - 1)) for j in words) for i in words]
        weights = [gates[row, i] / max(1.0, often[i]) for i in words]
        links = [[weights[i] * weights[j] * (total[i, j] - total[j, i]) for j in words] for i in words]
        sizes = [max(0.05, (2 * sum(link**2 for link in links[i])) ** 0.5) for i in words]
        for i in words:
            for j in words:
                vector = vector + links[i][j] / (sizes[i] * sizes[j]) ** 0.25 * p[i] * q[j]
        rows.append(vector / vector.norm())
    return torch.stack(rows)


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 7), st.integers(1, 4), st.integers(0, 1000))
def test_binding_is_the_sum_over_pairs_of_words(words: int, reach: int, seed: int) -> None:
    torch.manual_seed(seed)
    binding = Binding(6, 16, reach)
    with torch.no_grad():
        binding.reach.copy_(torch.rand(reach) + 0.5)
    features = F.normalize(torch.randn(2, words, 6), dim=2)
    if words > 2:
        features[:, -1] = features[:, 0]  # a word repeated
    pointed = Pointed(torch.randn(2, words), torch.randn(2, words, words + 1))
    found = binding(features, pointed)
    torch.testing.assert_close(found.double(), by_hand(features, pointed, binding), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_words_computed_once_bind_the_same_and_learn_the_same(dtype: torch.dtype) -> None:
    torch.manual_seed(7)
    binding, table = Binding(6, 16, 3).to(dtype), F.normalize(torch.randn(4, 6, dtype=dtype), dim=1)
    numbers = torch.tensor([[0, 1, 2, 1, 3], [3, 2, 0, 0, 0]])
    repeats = Repeats(torch.tensor([0, 1, 2, 4]), numbers)  # where each of the four stands first
    pointed = Pointed(torch.randn(2, 5, dtype=dtype), torch.randn(2, 5, 6, dtype=dtype))
    found, gradients = [], []
    for known in (None, repeats):
        binding.zero_grad()
        vectors = binding(table[numbers], pointed, known)
        (vectors * torch.arange(16)).sum().backward()
        found.append(vectors.detach())
        gradients.append([each.grad.clone() for each in binding.parameters()])
    torch.testing.assert_close(found[0], found[1])
    assert min(each.abs().max() for each in gradients[0]) > 0
    for once, each in zip(gradients[1], gradients[0], strict=True):
        torch.testing.assert_close(once, each)


def test_an_exchange_of_two_words_gives_the_opposite_vector() -> None:
    torch.manual_seed(1)
    binding, words = Binding(8, 64, 4), F.normalize(torch.randn(1, 2, 8), dim=2)
    forth = binding(words, certain([1, 2], [True, True]))
    back = binding(words, certain([2, 0], [True, True]))
    exchanged = binding(words.flip(1), certain([1, 2], [True, True]))
    torch.testing.assert_close(back, -forth)
    torch.testing.assert_close(exchanged, -forth)
    # A passive: the words stand the other way round and are read in the same order.
    passive = binding(words.flip(1), certain([2, 0], [True, True]))
    torch.testing.assert_close(passive, forth)


def test_words_that_are_no_content_words_bind_nothing() -> None:
    torch.manual_seed(2)
    binding, words = Binding(8, 64, 4), F.normalize(torch.randn(1, 3, 8), dim=2)
    two = binding(words[:, :2], certain([1, 2], [True, True]))
    three = binding(words, certain([1, 3, 3], [True, True, False]))
    torch.testing.assert_close(two, three)
    alone = binding(words, certain([3, 3, 3], [True, False, False]))
    assert alone.abs().max() == 0
    assert torch.isfinite(alone).all()


def test_a_word_repeated_binds_nothing_and_rounding_is_no_vector() -> None:
    torch.manual_seed(5)
    binding = Binding(384, 1024, 4)
    words = F.normalize(torch.randn(2, 1, 384), dim=2).expand(2, 30, 384).clone()
    words[1, 7] = F.normalize(torch.randn(384), dim=0)
    pointed = Pointed(torch.randn(2, 30), torch.randn(2, 30, 31))
    assert binding(words, pointed)[0].abs().max() == 0
    # One other word among them, with a gate that is nearly closed, is enough.
    gates = pointed.gates.clone()
    gates[1, 7] = -5.0
    found = binding(words, Pointed(gates, pointed.successors))[1]
    assert found.norm().item() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("training", [True, False])
def test_a_reader_passes_over_padding_and_takes_a_text_without_words(training: bool) -> None:
    torch.manual_seed(6)
    reader, states = Reader(8, 16, 2, 2).train(training), torch.randn(3, 5, 8)
    real = torch.tensor([[True] * 5, [True] * 3 + [False] * 2, [False] * 5])
    with torch.set_grad_enabled(training):
        found = reader(states, real)
        alone = reader(states[1:2, :3], real[1:2, :3])
    torch.testing.assert_close(found[1:2, :3], alone)
    assert torch.isfinite(found).all()


def test_a_reader_has_the_gelu_of_training_where_nothing_is_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch's fused layer has another one on CUDA: there vectors were off by 4e-4."""

    def fused(*_: object) -> torch.Tensor:
        raise AssertionError("the fused layer was called")

    monkeypatch.setattr(torch, "_transformer_encoder_layer_fwd", fused)
    plain = torch.nn.TransformerEncoderLayer(
        8, 2, 16, dropout=0.0, activation="gelu", batch_first=True
    ).eval()
    reader, states = Reader(8, 16, 2, 2).eval(), torch.randn(3, 5, 8)
    with torch.no_grad():
        with pytest.raises(AssertionError, match="fused"):
            plain(states)
        found = reader(states, torch.ones(3, 5, dtype=torch.bool))
    assert torch.equal(found, reader(states, torch.ones(3, 5, dtype=torch.bool)))


def test_pointers_pass_over_padding_and_the_word_itself() -> None:
    torch.manual_seed(3)
    pointers, states = Pointers(8, 4), torch.randn(2, 5, 8)
    real = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    pointed = pointers(states, real)
    probabilities = pointed.successors.softmax(dim=2)
    assert probabilities[0].diagonal().abs().max() == 0
    assert probabilities[1, :, 3:5].abs().max() == 0
    assert (probabilities[1, :3, 5] > 0).all()
    assert pointed.gates[1, 3:].sigmoid().max() == 0
    alone = pointers(states[1:, :3], real[1:, :3])
    torch.testing.assert_close(pointed.successors[1:, :3, [0, 1, 2, 5]], alone.successors)
    # The logit of a pair is the scaled product of query and key, each behind a GELU.
    query, key = F.gelu(pointers.query(states[0])), F.gelu(pointers.key(states[0]))
    torch.testing.assert_close(pointed.successors[0, 1, 2], query[1] @ key[2] / 2.0)


def test_link_losses_count_what_a_tree_says_and_nothing_else() -> None:
    torch.manual_seed(4)
    pointed = Pointed(torch.randn(2, 3), torch.randn(2, 3, 4))
    content = torch.tensor([[1, 0, 1], [1, UNKNOWN, UNKNOWN]])
    successors = torch.tensor([[2, UNKNOWN, 3], [3, UNKNOWN, UNKNOWN]])
    found = link_losses(pointed, content, successors)
    entropy = -pointed.successors.log_softmax(dim=2)
    expected = torch.stack([entropy[0, 0, 2] + entropy[0, 2, 3], entropy[1, 0, 3]])
    torch.testing.assert_close(found["links"], expected)
    assert found["linked"].tolist() == [2, 1]
    assert found["words"].tolist() == [3, 1]
    gates = F.logsigmoid(pointed.gates * torch.tensor([[1, -1, 1], [1, 1, 1]]))
    torch.testing.assert_close(found["gates"], -torch.stack([gates[0].sum(), gates[1, 0]]))
    right = [
        int(pointed.successors[0, 0].argmax() == 2) + int(pointed.successors[0, 2].argmax() == 3),
        int(pointed.successors[1, 0].argmax() == 3),
    ]
    assert found["right"].tolist() == right


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


def test_a_word_counts_once_however_often_a_sentence_has_it() -> None:
    words = torch.eye(4)[[0, 1, 0, 2, 0]][None]
    # The last is no content word, and so takes no share.
    gates = torch.tensor([[1.0, 1.0, 1.0, 1.0, 0.0]])
    torch.testing.assert_close(shares(words, gates)[0, :4], torch.tensor([0.5, 1, 0.5, 1]), atol=1e-6, rtol=0)


def test_a_word_in_the_middle_counts_little_more_than_one_at_an_end() -> None:
    links = torch.zeros(1, 5, 5)
    links[0, [0, 1, 2, 3], [1, 2, 3, 4]] = 1.0
    before, after = (
        each[0].square().sum(dim=1) + each[0].square().sum(dim=0) for each in (links, evened(links))
    )
    assert (before[2] / before[0]).item() == pytest.approx(2)
    assert 1 < (after[2] / after[0]).item() < 1.8
    # As a whole stronger links stay stronger, but for words that hardly have any.
    torch.testing.assert_close(evened(9 * links), 3 * evened(links))
    assert evened(1e-6 * links).max() < 1e-5


def test_before_training_words_are_alike_as_by_a_gaussian_kernel() -> None:
    torch.manual_seed(7)
    binding = Binding(6, 40_000, 1)
    words = F.normalize(torch.randn(5, 6), dim=1)
    found = torch.cos(words @ binding.first + binding.phases[0])
    expected = torch.exp(SHARPNESS * (words @ words.T - 1))
    torch.testing.assert_close(2 * found @ found.T / 40_000, expected, atol=0.03, rtol=0)


def test_before_training_a_pair_counts_less_the_further_it_is_apart() -> None:
    torch.manual_seed(3)
    binding, words = Binding(6, 4096, 2), torch.eye(6)[None, :3]
    whole = binding(words, certain([1, 2, 3], [True, True, True]))
    near, far = (
        (whole @ binding(words[:, pair], certain([1, 2], [True, True])).T).item() for pair in ([0, 1], [0, 2])
    )
    assert near > far + 0.05
    assert far > 0.2
