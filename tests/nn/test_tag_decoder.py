import itertools
import string

import torch
from torch.nn import functional as F

from pipeline.nn.tag_decoder import (
    END,
    LANGUAGES,
    OWN_LANGUAGE,
    PADDING,
    UPOS,
    Shape,
    TagDecoder,
    language_row,
    surprise,
    tag_numbers,
)

SEQUENCES = [["DET", "NOUN", "VERB", "PUNCT"], ["VERB"], [], ["X", "nonsense"]]


def decoder() -> TagDecoder:
    torch.manual_seed(3)
    return TagDecoder(Shape(pooled=6, last=5, tag=4, language=3, cell=7))


def test_tags_are_numbered_ended_and_padded() -> None:
    numbers = tag_numbers(SEQUENCES)
    assert numbers.tolist() == [
        [UPOS.index("DET"), UPOS.index("NOUN"), UPOS.index("VERB"), UPOS.index("PUNCT"), END],
        [UPOS.index("VERB"), END, *[PADDING] * 3],
        [END, *[PADDING] * 4],
        [UPOS.index("X"), UPOS.index("X"), END, *[PADDING] * 2],
    ]


def test_all_steps_at_once_are_the_steps_one_by_one() -> None:
    """Oracle: the published recurrence, written out with an LSTM cell."""
    model, tags = decoder(), tag_numbers(SEQUENCES)
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
    tags = tag_numbers(SEQUENCES)
    scores = torch.randn(*tags.shape, END + 1)
    found = surprise(scores, tags)
    for row, sequence in enumerate(SEQUENCES):
        length = len(sequence) + 1
        expected = F.cross_entropy(scores[row, :length], tags[row, :length], reduction="sum")
        torch.testing.assert_close(found.loss[row], expected)
        assert found.tags[row] == length
        assert found.right[row] == (scores[row, :length].argmax(1) == tags[row, :length]).sum()


def test_every_two_letter_code_has_a_row_of_its_own() -> None:
    rows = {language_row(a + b) for a, b in itertools.product(string.ascii_lowercase, repeat=2)}
    assert len(rows) == 26 * 26
    assert min(rows) == OWN_LANGUAGE + 1
    assert max(rows) == LANGUAGES - 1
    assert {language_row(code) for code in ("", "deu", "D1", "é")} == {OWN_LANGUAGE}
