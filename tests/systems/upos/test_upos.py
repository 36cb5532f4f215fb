"""``upos``: its encoder and decoder against torch's own, what it learns, saving."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.core.params import Encoder, load_all
from pipeline.nn.tokenizer import Tokens
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Batch, registry
from pipeline.systems.upos import model
from pipeline.systems.upos.model import (
    END,
    LANGUAGES,
    PADDING,
    SAME_LANGUAGE,
    UPOS,
    System,
    TagDecoder,
    language_row,
    tag_ids,
    tag_losses,
)

DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"precision": "fp32"})
SIDES = [
    Sentence("The cat sat.", ["The", "cat", "sat", "."], [2, 3, 0, 3], upos=["DET", "NOUN", "VERB", "PUNCT"]),
    Sentence(
        "Le chat dort.", ["Le", "chat", "dort", "."], [2, 3, 0, 3], upos=["DET", "NOUN", "VERB", "PUNCT"]
    ),
    Sentence("Rain fell.", ["Rain", "fell", "."], [2, 0, 2], upos=["NOUN", "VERB", "PUNCT"]),
    Sentence(
        "She wrote it.", ["She", "wrote", "it", "."], [2, 0, 2, 2], upos=["PRON", "VERB", "PRON", "PUNCT"]
    ),
]
KINDS = ["translation-fr", "translation-en", "identity", "pair"]
BATCH = Batch(SIDES, [SIDES[1], SIDES[0], SIDES[2], SIDES[3]], [], (), KINDS)
SEQUENCES = [["DET", "NOUN", "VERB", "PUNCT"], ["VERB"], [], ["X", "nonsense"]]
LENGTHS = torch.tensor([5, 1, 3, 5, 2])


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"_VOCABULARY": 80, "_EMBEDDING": 8, "_WIDTH": 6, "_TAG": 4, "_LANGUAGE": 3, "_CELL": 16}
    for name, size in sizes.items():
        monkeypatch.setattr(model, name, size)


def create(folder: Path, **changed: object) -> System:
    torch.manual_seed(0)
    encoder = Encoder(model=str(folder), max_tokens=32, pooling="mean")
    system = registry.create("upos", encoder, TRAIN, DEFAULTS.upos.model_copy(update=changed))
    assert isinstance(system, System)
    system.prepare(SIDES * 4)
    return system.eval()


class Doubled(nn.Module):
    """In the place of dropout: what it acts on is twice as large."""

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return 2 * states


@pytest.mark.parametrize("doubled", [False, True])
def test_pooled_and_last_states(doubled: bool, tiny_backbone: Path) -> None:
    """Oracle: torch's BiLSTM of both layers, on each sentence by itself, so that nothing is padding.

    Outputs and gradients; dropout acts on the input of each layer.
    """
    encoder = create(tiny_backbone).syntactic
    oracle = nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True)
    oracle.load_state_dict(
        {
            name.replace("l0", f"l{layer}"): weight * (2 if doubled and name.startswith("weight_ih") else 1)
            for layer, lstm in enumerate(encoder.lstm.layers)
            for name, weight in lstm.state_dict().items()
        }
    )
    if doubled:
        encoder.lstm.dropout = Doubled()
    mask = torch.arange(5) < LENGTHS[:, None]
    ids = torch.randint(1, 9, (5, 5))
    pooled, last = encoder.encode(Tokens(ids, mask, None, None), LENGTHS)
    found, expected = encoder.lstm(encoder.embedding(ids), LENGTHS)[0], []
    for row, length in enumerate(LENGTHS.tolist()):
        [states], (hidden, cell) = oracle(encoder.embedding(ids[row : row + 1, :length]))
        torch.testing.assert_close(pooled[row], states.amax(dim=0))
        torch.testing.assert_close(last[row], torch.cat([hidden[-2:], cell[-2:]]).flatten())
        expected.append(states)
    padded = nn.utils.rnn.pad_sequence(expected, batch_first=True)
    torch.testing.assert_close(found, padded)
    weight = encoder.embedding.weight
    torch.testing.assert_close(
        *(torch.autograd.grad(each.pow(3).sum(), weight)[0] for each in (found, padded))
    )


def test_tags_are_numbered_ended_and_padded() -> None:
    assert tag_ids(SEQUENCES).tolist() == [
        [UPOS.index("DET"), UPOS.index("NOUN"), UPOS.index("VERB"), UPOS.index("PUNCT"), END],
        [UPOS.index("VERB"), END, *[PADDING] * 3],
        [END, *[PADDING] * 4],
        [UPOS.index("X"), UPOS.index("X"), END, *[PADDING] * 2],
    ]


def test_languages_have_rows_of_their_own() -> None:
    rows = {language_row(code) for code in ("aa", "az", "de", "en", "fr", "zz")}
    assert len(rows) == 6
    assert max(rows) == LANGUAGES - 1
    assert {language_row(code) for code in ("", "e", "eng", "É1")} == {SAME_LANGUAGE}


def test_decoder_is_the_published_recurrence() -> None:
    """Oracle: step by step with an LSTM cell."""
    torch.manual_seed(3)
    network, tags = TagDecoder(6), tag_ids(SEQUENCES)
    pooled, last, languages = torch.randn(4, 6), torch.randn(4, 12), torch.tensor([0, 5, 27, 5])
    scores = network(pooled, last, languages, tags)
    cell = nn.LSTMCell(4 + 3 + 6, 16)
    weights = network.lstm.state_dict().items()
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in weights})
    for row, sequence in enumerate(tags.tolist()):
        hidden, state = network.start(last[row : row + 1]).chunk(2, dim=1)
        before = END
        for step, tag in enumerate(sequence):
            if tag == PADDING:
                break
            read = [network.tag.weight[before], network.language.weight[languages[row]], pooled[row]]
            hidden, state = cell(torch.cat(read)[None], (hidden, state))
            torch.testing.assert_close(network.scores(hidden)[0], scores[row, step])
            before = tag


def test_loss_of_a_row_is_that_of_its_tags() -> None:
    tags = tag_ids(SEQUENCES)
    scores = torch.randn(*tags.shape, END + 1)
    found = tag_losses(scores, tags)
    for row, sequence in enumerate(SEQUENCES):
        length = len(sequence) + 1
        expected = F.cross_entropy(scores[row, :length], tags[row, :length], reduction="sum")
        torch.testing.assert_close(found["loss"][row], expected)
        assert found["tags"][row] == length
        assert found["correct"][row] == (scores[row, :length].argmax(1) == tags[row, :length]).sum()


def test_saved_system_gives_the_same_and_can_be_continued(tiny_backbone: Path, tmp_path: Path) -> None:
    system = create(tiny_backbone)
    registry.save(system, tmp_path / "model")
    loaded, again = registry.load(tmp_path / "model"), create(tiny_backbone, start=str(tmp_path / "model"))
    for other in (loaded, again):
        np.testing.assert_array_equal(system.embed(SIDES)["syntactic"], other.embed(SIDES)["syntactic"])
        with torch.no_grad():
            assert system.loss(BATCH)["loss"] == other.loss(BATCH)["loss"]


def test_it_learns_the_tags_of_a_few_sentences(tiny_backbone: Path) -> None:
    system = create(tiny_backbone).train()
    optimizer = torch.optim.Adam(system.parameters(), lr=0.02)
    for _ in range(80):
        optimizer.zero_grad()
        system.loss(BATCH)["loss"].backward()
        optimizer.step()
    with torch.no_grad():
        assert system.eval().loss(BATCH)["accuracy"] == 1


def test_parts_of_a_batch_are_the_batch(tiny_backbone: Path) -> None:
    system = create(tiny_backbone)
    parts = [
        system.encode(Batch(BATCH.anchors[i : i + 2], BATCH.positives[i : i + 2], [], (), KINDS[i : i + 2]))
        for i in (0, 2)
    ]
    for name, rows in system.encode(BATCH).items():
        torch.testing.assert_close(torch.cat([part[name] for part in parts]), rows)
    assert all(len(rows) == 0 for rows in system.encode(Batch([], [], [])).values())


def test_decoder_gets_the_language_and_predicts_the_positives_tags(tiny_backbone: Path) -> None:
    system = create(tiny_backbone)
    german = ["translation-de", *KINDS[1:]]
    without = [replace(side, upos=["X"] * len(side.words)) for side in SIDES]
    changed = [
        Batch(SIDES, BATCH.positives, [], (), german),
        Batch(without, BATCH.positives, [], (), KINDS),
        Batch(SIDES, [without[1], *BATCH.positives[1:]], [], (), KINDS),
    ]
    with torch.no_grad():
        expected, *found = (system.encode(batch)["loss"] for batch in (BATCH, *changed))
    for losses, equal in zip(found, (False, True, False), strict=True):
        assert bool(losses[0] == expected[0]) == equal
        torch.testing.assert_close(losses[1:], expected[1:])
    plain = Sentence("Rain fell.", ["Rain", "fell", "."], [2, 0, 2])
    with pytest.raises(SynsemError, match="no UPOS tags"):
        system.loss(Batch([plain], [plain], []))
