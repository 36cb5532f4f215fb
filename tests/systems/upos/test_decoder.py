"""The tag decoder against its recurrence written out, and the loss on distances."""

import itertools
import string

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from pipeline.syntax.tag_sequences import normalised_distances
from pipeline.systems.upos.decoder import (
    END,
    LANGUAGES,
    MAX_TAGS,
    PADDING,
    SAME_LANGUAGE,
    UPOS,
    DecoderSizes,
    TagDecoder,
    distance_loss,
    language_row,
    padded_tags,
    tag_ids,
    tag_losses,
)

SEQUENCES = [["DET", "NOUN", "VERB", "PUNCT"], ["VERB"], [], ["X", "nonsense"]]
LIKE_TWICE = [["DET", "NOUN"], ["DET", "NOUN", "VERB"], ["VERB"], ["DET", "NOUN"]]


def decoder() -> TagDecoder:
    torch.manual_seed(3)
    return TagDecoder(DecoderSizes(pooled=6, last=5, tag=4, language=3, cell=7))


def test_tags_are_numbered_ended_and_padded() -> None:
    numbers = tag_ids(SEQUENCES)
    assert numbers.tolist() == [
        [UPOS.index("DET"), UPOS.index("NOUN"), UPOS.index("VERB"), UPOS.index("PUNCT"), END],
        [UPOS.index("VERB"), END, *[PADDING] * 3],
        [END, *[PADDING] * 4],
        [UPOS.index("X"), UPOS.index("X"), END, *[PADDING] * 2],
    ]


def test_all_steps_at_once_are_the_steps_one_by_one() -> None:
    """Oracle: the published recurrence, written out with an LSTM cell."""
    model, tags = decoder(), tag_ids(SEQUENCES)
    pooled, last, languages = torch.randn(4, 6), torch.randn(4, 5), torch.tensor([0, 5, 27, 5])
    scores = model(pooled, last, languages, tags)
    cell = torch.nn.LSTMCell(4 + 3 + 6, 7)
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in model.lstm.state_dict().items()})
    for row, sequence in enumerate(tags.tolist()):
        hidden, state = model.start(last[row : row + 1]).chunk(2, dim=1)
        before = END
        for step, tag in enumerate(sequence):
            if tag == PADDING:
                break
            told = [model.tag.weight[before], model.language.weight[languages[row]], pooled[row]]
            hidden, state = cell(torch.cat(told)[None], (hidden, state))
            torch.testing.assert_close(model.scores(hidden)[0], scores[row, step])
            before = tag


def test_the_loss_of_a_row_is_that_of_its_tags_alone() -> None:
    tags = tag_ids(SEQUENCES)
    scores = torch.randn(*tags.shape, END + 1)
    found = tag_losses(scores, tags)
    for row, sequence in enumerate(SEQUENCES):
        length = len(sequence) + 1
        expected = F.cross_entropy(scores[row, :length], tags[row, :length], reduction="sum")
        torch.testing.assert_close(found.loss[row], expected)
        assert found.tags[row] == length
        assert found.correct[row] == (scores[row, :length].argmax(1) == tags[row, :length]).sum()


def test_every_two_letter_code_has_a_row_of_its_own() -> None:
    rows = {language_row(a + b) for a, b in itertools.product(string.ascii_lowercase, repeat=2)}
    assert len(rows) == 26 * 26
    assert min(rows) == SAME_LANGUAGE + 1
    assert max(rows) == LANGUAGES - 1
    assert {language_row(code) for code in ("", "deu", "D1", "é")} == {SAME_LANGUAGE}


def test_the_distance_loss_is_the_mean_squared_difference_over_all_pairs() -> None:
    vectors = torch.from_numpy(np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))
    edits = normalised_distances(LIKE_TWICE)
    expected = np.mean(
        [
            (1 - torch.cosine_similarity(vectors[i], vectors[j], dim=0).item() - edits[i, j]) ** 2
            for i in range(4)
            for j in range(i)
        ]
    )
    assert distance_loss(vectors, padded_tags(LIKE_TWICE)).item() == pytest.approx(expected, abs=1e-6)
    assert distance_loss(vectors[:1], padded_tags(LIKE_TWICE[:1])) == 0


def test_learning_it_puts_like_tag_sequences_together() -> None:
    torch.manual_seed(0)
    vectors = torch.randn(4, 8, requires_grad=True)
    optimizer = torch.optim.Adam([vectors], lr=0.05)
    for _ in range(300):
        optimizer.zero_grad()
        distance_loss(vectors, padded_tags(LIKE_TWICE)).backward()
        optimizer.step()
    assert torch.cosine_similarity(vectors[0], vectors[3], dim=0) > 0.98
    assert distance_loss(vectors, padded_tags(LIKE_TWICE)) < 0.01


def test_a_tag_sequence_that_is_too_long_is_cut() -> None:
    assert padded_tags([["NOUN"] * 500, ["VERB"]]).shape == (2, MAX_TAGS)
