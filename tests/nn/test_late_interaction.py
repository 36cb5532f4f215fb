"""Late interaction against plain loops over words, links and pairs."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.func import functional_call

from pipeline.core.errors import SynsemError
from pipeline.nn import backbone
from pipeline.nn.encoder import Encoder, encode_with_words
from pipeline.nn.late_interaction import (
    IN_BATCH_NEGATIVES,
    LateInteraction,
    SentenceStates,
    WordStates,
    late_contrast,
    pair_scores,
    read_pairs,
    word_links,
)
from pipeline.nn.links import CONTENT, HEAD, NEXT, NO_LINK, ROLE, link_rows, links
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.relations import relation_numbers
from pipeline.syntax.sentence import Side


def sentence(text: str, heads: str, deprels: str, upos: str) -> Side:
    words = text.split()
    return Side(text, words, [int(head) for head in heads.split()], deprels.split(), upos.split())


ACTIVE = sentence(
    "The old dog bit Ann .", "3 3 4 0 4 4", "det amod nsubj root obj punct", "DET ADJ NOUN VERB PROPN PUNCT"
)
PASSIVE = sentence(
    "Ann was bitten by the old dog .",
    "3 3 0 7 7 7 3 3",
    "nsubj:pass aux:pass root case det amod obl punct",
    "PROPN AUX VERB ADP DET ADJ NOUN PUNCT",
)
SWAPPED = sentence(
    "Ann bit the old dog .", "2 0 5 5 2 2", "nsubj root det amod obj punct", "PROPN VERB DET ADJ NOUN PUNCT"
)
RAIN = sentence("Rain fell .", "2 0 2", "nsubj root punct", "NOUN VERB PUNCT")


def test_links_of_active_and_passive_are_the_same() -> None:
    found = links(ACTIVE)
    assert found[:, CONTENT].tolist() == [0, 1, 1, 1, 1, 0]
    assert found[:, HEAD].tolist() == [NO_LINK, 2, 3, NO_LINK, 3, NO_LINK]
    assert found[:, NEXT].tolist() == [NO_LINK, 3, 1, 4, NO_LINK, NO_LINK]
    assert found[1:5, ROLE].tolist() == relation_numbers(["amod", "nsubj", "root", "obj"])
    passive = links(PASSIVE)
    assert passive[:, HEAD].tolist() == [2, NO_LINK, NO_LINK, NO_LINK, NO_LINK, 6, 2, NO_LINK]
    assert passive[:, NEXT].tolist() == [NO_LINK, NO_LINK, 0, NO_LINK, NO_LINK, 2, 5, NO_LINK]
    assert passive[[0, 6], ROLE].tolist() == relation_numbers(["obj", "nsubj"])


def test_a_tree_without_labels_is_refused_and_a_shuffled_one_differs() -> None:
    with pytest.raises(SynsemError, match="carries no relations or tags"):
        links(Side("Rain fell.", ["Rain", "fell", "."], [2, 0, 2]))
    assert len(link_rows([])) == 0
    assert link_rows([ACTIVE, RAIN]).tolist() == [*links(ACTIVE).tolist(), *links(RAIN).tolist()]
    assert not torch.equal(link_rows([PASSIVE], "shuffled"), link_rows([PASSIVE]))


@st.composite
def words(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """States in two views and random links of one sentence."""
    n = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    states = rng.normal(size=(2, n, 3)).astype(np.float32)
    rows = np.stack(
        [rng.integers(0, 2, n), rng.integers(-1, n, n), rng.integers(-1, n, n), rng.integers(0, 4, n)], axis=1
    )
    return states[0], states[1], rows


def by_hand(
    model: LateInteraction, a: tuple[np.ndarray, ...], b: tuple[np.ndarray, ...], cosine: float
) -> float:
    """The score of one pair, word by word."""

    def near(x: np.ndarray, y: np.ndarray) -> float:
        return float(x @ y / math.sqrt((x @ x) * (y @ y)))

    def degree(nearness: float, view: int) -> float:
        slope = math.exp(model.sharpness[view].item())
        return 1 / (1 + math.exp(-(nearness - model.threshold[view].item()) * slope))

    content = [[bool(x[CONTENT] and y[CONTENT]) for y in b[2]] for x in a[2]]
    nearness = [
        [near(x, y) if content[i][j] else -1.0 for j, y in enumerate(b[0])] for i, x in enumerate(a[0])
    ]
    match = {}
    for i, row in enumerate(nearness):
        for j, value in enumerate(row):
            mutual = value == max(row) == max(other[j] for other in nearness)
            match[i, j] = degree(value, 0) if content[i][j] and mutual else 0.0
    shared = (
        [max(match[i, j] for j in range(len(b[0]))) for i in range(len(a[0]))],
        [max(match[i, j] for i in range(len(a[0]))) for j in range(len(b[0]))],
    )
    weight = [[2 / (1 + math.exp(-model.role[row[ROLE]].item())) for row in side[2]] for side in (a, b)]
    common, total = [0.0] * 4, [0.0] * 4
    for (i, j), value in match.items():
        x, y = a[2][i], b[2][j]
        if x[HEAD] >= 0 and y[HEAD] >= 0:
            link = value * match[x[HEAD], y[HEAD]] * math.sqrt(weight[0][i] * weight[1][j])
            common[0] += link if x[ROLE] == y[ROLE] else 0.0
            common[1] += link
        if x[NEXT] >= 0 and y[NEXT] >= 0:
            common[2] += value * match[x[NEXT], y[NEXT]]
        common[3] += value * degree(near(a[1][i], b[1][j]), 1)
        total[3] += 2 * value
    for share, side, weights in zip(shared, (a, b), weight, strict=True):
        for i, row in enumerate(side[2]):
            if row[HEAD] >= 0:
                total[0] += weights[i] * share[i] * share[row[HEAD]]
            if row[NEXT] >= 0:
                total[2] += share[i] * share[row[NEXT]]
    total[1] = total[0]
    parts = [(c + 0.5) / (max(0.0, t - c) + 1) for c, t in zip(common, total, strict=True)]
    mixture = model.mixture.softmax(dim=0).tolist()
    return sum(m * part for m, part in zip(mixture, parts, strict=True)) + model.topic.item() * cosine


def padded(sentences: list[tuple[np.ndarray, ...]]) -> WordStates:
    semantic, syntactic, rows = (
        torch.from_numpy(np.concatenate(column)) for column in zip(*sentences, strict=True)
    )
    return WordStates.pad(semantic, syntactic, rows, torch.tensor([len(each[0]) for each in sentences]))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(words(), words()), min_size=1, max_size=4), st.integers(0, 1000))
def test_scores_of_a_padded_batch_are_those_of_loops_over_its_words(pairs: list, seed: int) -> None:
    model = LateInteraction()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
        cosines = torch.randn(len(pairs), generator=generator)
        found = model(padded([a for a, _ in pairs]), padded([b for _, b in pairs]), cosines)
        back = model(padded([b for _, b in pairs]), padded([a for a, _ in pairs]), cosines)
    expected = [by_hand(model, a, b, cosine) for (a, b), cosine in zip(pairs, cosines.tolist(), strict=True)]
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(back.numpy(), found.numpy(), rtol=1e-4, atol=1e-5)


def test_parameters_and_states_have_the_gradient_of_the_function() -> None:
    torch.manual_seed(0)
    model = LateInteraction().double()
    with torch.no_grad():  # away from saturation, where a gradient is but rounding
        model.sharpness.fill_(1.0)
    rows = [link_rows([each])[None] for each in (ACTIVE, SWAPPED)]
    names, values = zip(*model.named_parameters(), strict=True)
    states = torch.randn(2, 1, 6, 5, dtype=torch.float64)
    states[1] = states[0] + 0.3 * torch.randn(1, 6, 5, dtype=torch.float64)

    def score(first: torch.Tensor, second: torch.Tensor, *parameters: torch.Tensor) -> torch.Tensor:
        a, b = WordStates(first, first, rows[0]), WordStates(second, second, rows[1])
        named = dict(zip(names, parameters, strict=True))
        found: torch.Tensor = functional_call(model, named, (a, b, torch.ones(1, dtype=torch.float64)))
        return found

    unit = torch.nn.functional.normalize(states, dim=-1)
    wanted = [value.detach().clone().requires_grad_() for value in (unit[0], unit[1], *values)]
    assert torch.autograd.gradcheck(score, wanted)
    gradients = torch.autograd.grad(score(*wanted).sum(), wanted)
    assert all(gradient.abs().sum() > 0 for gradient in gradients)


@pytest.fixture
def parts(tiny_backbone: Path) -> tuple[Encoder, Encoder, SentenceTokenizer]:
    plain = backbone.load(str(tiny_backbone))
    other = backbone.load(str(tiny_backbone))
    return (
        Encoder(plain.model).eval(),
        Encoder(other.model, position="both", max_distance=3).eval(),
        SentenceTokenizer(plain.tokenizer, 32),
    )


SENTENCES = [ACTIVE, RAIN, PASSIVE, SWAPPED, ACTIVE, RAIN] * 9


def test_word_rows_come_in_order_and_with_the_vectors(
    parts: tuple[Encoder, Encoder, SentenceTokenizer],
) -> None:
    _, encoder, tokenizer = parts
    found = encode_with_words(encoder, tokenizer, tokenizer.encode(SENTENCES))
    start = 0
    for number, each in enumerate(SENTENCES):
        tokens = tokenizer([each])
        with torch.no_grad():
            states = encoder.states(tokens)[0]
            torch.testing.assert_close(found.vectors[number], encoder(tokens)[0], rtol=0, atol=1e-5)
        for word in range(len(each.words)):
            subwords = states[tokens.words[0] == word]  # type: ignore[index]
            torch.testing.assert_close(found.words[start + word], subwords.mean(dim=0), rtol=0, atol=1e-5)
        start += len(each.words)
    assert len(found.words) == start
    assert encode_with_words(encoder, tokenizer, []).vectors.shape == (0, encoder.width)


def test_pairs_score_alike_in_any_company(parts: tuple[Encoder, Encoder, SentenceTokenizer]) -> None:
    semantic, syntactic, tokenizer = parts
    model = LateInteraction()
    a, b = SENTENCES, SENTENCES[1:] + SENTENCES[:1]
    together = read_pairs(model, semantic, syntactic, tokenizer, a * 3, b * 3).scores
    alone = np.concatenate(
        [
            read_pairs(model, semantic, syntactic, tokenizer, [x], [y]).scores
            for x, y in zip(a, b, strict=True)
        ]
    )
    assert together.dtype == np.float32
    np.testing.assert_allclose(together, np.tile(alone, 3), atol=2e-5)
    assert len(read_pairs(model, semantic, syntactic, tokenizer, [], []).scores) == 0


def test_one_text_with_two_trees_has_two_scores(parts: tuple[Encoder, Encoder, SentenceTokenizer]) -> None:
    model = LateInteraction()
    other = ACTIVE._replace(heads=[4, 1, 2, 0, 3, 5])
    together = read_pairs(model, *parts, [ACTIVE, other, PASSIVE], [PASSIVE, PASSIVE, other]).scores
    alone = [
        read_pairs(model, *parts, [a], [b]).scores[0]
        for a, b in ((ACTIVE, PASSIVE), (other, PASSIVE), (PASSIVE, other))
    ]
    np.testing.assert_allclose(together, alone, atol=2e-5)
    assert abs(alone[0] - alone[1]) > 0.01


def test_a_score_is_of_the_words_in_both_views(
    parts: tuple[Encoder, Encoder, SentenceTokenizer],
) -> None:
    semantic, syntactic, tokenizer = parts
    model, pair = LateInteraction(), [ACTIVE, PASSIVE]
    with torch.no_grad():
        model.mixture.copy_(torch.tensor([-9.0, -9.0, -9.0, 0.0]))  # nearly all on the syntactic states
        for parameter in syntactic.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
        one, other = (encode_with_words(each, tokenizer, tokenizer.encode(pair)) for each in parts[:2])
    lengths = torch.tensor([len(each.words) for each in pair])

    def score(first: torch.Tensor, second: torch.Tensor) -> float:
        states = SentenceStates(one.vectors, first, second, link_rows(pair), lengths)
        return pair_scores(model, states, torch.tensor([0]), torch.tensor([1])).item()

    found = float(read_pairs(model, semantic, syntactic, tokenizer, [ACTIVE], [PASSIVE]).scores[0])
    assert found == pytest.approx(score(one.words, other.words), abs=1e-5)
    for wrong in ((one.words, one.words), (other.words, other.words), (other.words, one.words)):
        assert abs(found - score(*wrong)) > 1e-3


def test_the_contrast_is_infonce_over_the_scores_of_its_pairs(
    parts: tuple[Encoder, Encoder, SentenceTokenizer],
) -> None:
    semantic, syntactic, tokenizer = parts
    model = LateInteraction()
    sides = {
        "anchor": [ACTIVE, RAIN, SWAPPED], "positive": [PASSIVE, RAIN, ACTIVE],
        "negative": [SWAPPED, PASSIVE, ACTIVE],
    }  # fmt: skip
    owner = [0, 0, 2]
    found = word_links(sides, None, torch.device("cpu"))
    for side, sentences in sides.items():
        reads = [
            encode_with_words(encoder, tokenizer, tokenizer.encode(sentences))
            for encoder in (semantic, syntactic)
        ]
        found[f"semantic.{side}"] = reads[0].vectors
        found[f"late.semantic.{side}"], found[f"late.syntactic.{side}"] = reads[0].words, reads[1].words
    found["key"], found["owner"] = torch.tensor([7, 8, 9]), torch.tensor([7, 7, 9])
    loss = late_contrast(model, found, 0.3)

    def score(x: Side, y: Side) -> float:
        return float(read_pairs(model, semantic, syntactic, tokenizer, [x], [y]).scores[0]) / 0.3

    total = 0.0
    for i, anchor in enumerate(sides["anchor"]):
        right = score(anchor, sides["positive"][i])
        wrong = [
            score(anchor, sides["positive"][(i + step) % 3])
            for step in range(1, min(IN_BATCH_NEGATIVES, 2) + 1)
        ]
        wrong += [score(anchor, each) for each, of in zip(sides["negative"], owner, strict=True) if of == i]
        total += math.log(sum(map(math.exp, [right, *wrong]))) - right
    assert loss.item() == pytest.approx(total / 3, rel=1e-4)
    loss.backward()
    for part in (
        model.threshold,
        model.mixture,
        model.role,
        next(semantic.parameters()),
        next(syntactic.parameters()),
    ):
        assert part.grad is not None
        assert part.grad.isfinite().all()
        assert part.grad.abs().sum() > 0


def test_a_negation_counts_for_late_interaction_though_it_is_a_function_word() -> None:
    """Without it *no dog barked* and *the dog barked* would have the same links."""
    words, upos = ["No", "dog", "barked", "."], ["DET", "NOUN", "VERB", "PUNCT"]
    side = Side("No dog barked.", words, [2, 3, 0, 3], ["det", "nsubj", "root", "punct"], upos)
    found = links(side)
    assert found[:, CONTENT].tolist() == [1, 1, 1, 0]
    assert found[:, NEXT].tolist() == [1, 2, NO_LINK, NO_LINK]
    plain = links(side._replace(text="The dog barked.", words=["The", *words[1:]]))
    assert plain[:, CONTENT].tolist() == [0, 1, 1, 0]
    assert plain[:, NEXT].tolist() == [NO_LINK, 2, NO_LINK, NO_LINK]
