"""``upos``: its encoder and decoder against torch's own, what it learns, saving, going on from a model."""

import copy
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.core.params import Encoder, load_all
from pipeline.nn.recurrent import Recurrent
from pipeline.nn.tokenizer import Tokens
from pipeline.syntax.sentence import Side
from pipeline.systems.base import Batch, registry
from pipeline.systems.upos import decoder, model
from pipeline.systems.upos.decoder import (
    END,
    LANGUAGES,
    PADDING,
    SAME_LANGUAGE,
    UPOS,
    TagDecoder,
    language_row,
    tag_ids,
    tag_losses,
)
from pipeline.systems.upos.model import System

DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"steps": 4, "batch_size": 4, "precision": "fp32"})
SIDES = [
    Side("The cat sat.", ["The", "cat", "sat", "."], [2, 3, 0, 3], upos=["DET", "NOUN", "VERB", "PUNCT"]),
    Side("Le chat dort.", ["Le", "chat", "dort", "."], [2, 3, 0, 3], upos=["DET", "NOUN", "VERB", "PUNCT"]),
    Side("Rain fell.", ["Rain", "fell", "."], [2, 0, 2], upos=["NOUN", "VERB", "PUNCT"]),
    Side("She wrote it.", ["She", "wrote", "it", "."], [2, 0, 2, 2], upos=["PRON", "VERB", "PRON", "PUNCT"]),
]
KINDS = ["translation-fr", "translation-en", "identity", "pair"]
BATCH = Batch(SIDES, [SIDES[1], SIDES[0], SIDES[2], SIDES[3]], [], (), KINDS)
SEQUENCES = [["DET", "NOUN", "VERB", "PUNCT"], ["VERB"], [], ["X", "nonsense"]]
LENGTHS = torch.tensor([5, 1, 3, 5, 2])


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("_VOCABULARY", 80), ("_EMBEDDING", 8), ("_WIDTH", 6)):
        monkeypatch.setattr(model, name, size)
    for name, size in (("_TAG", 4), ("_LANGUAGE", 3), ("_CELL", 16)):
        monkeypatch.setattr(decoder, name, size)


def create(folder: Path, encoder: str, **changed: object) -> System:
    params = DEFAULTS.upos.model_copy(update={"encoder": encoder} | changed)
    torch.manual_seed(0)
    system = registry.create("upos", Encoder(model=str(folder), max_tokens=32, pooling="mean"), TRAIN, params)
    assert isinstance(system, System)
    system.prepare(SIDES * 4)
    return system


class Doubled(nn.Module):
    """In the place of dropout: what it acts on is twice as large."""

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return 2 * states


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("doubled", [False, True])
def test_a_padded_bilstm_is_a_packed_one(layers: int, doubled: bool) -> None:
    """Outputs and gradients; dropout acts on the input of each layer."""
    torch.manual_seed(layers)
    padded, states = Recurrent(4, 6, layers, 0.0).eval(), torch.randn(5, 5, 4, requires_grad=True)
    oracle = nn.LSTM(4, 3, layers, batch_first=True, bidirectional=True)
    oracle.load_state_dict(copy.deepcopy(padded.plain_weights()))
    if doubled:
        padded.dropout = Doubled()
        with torch.no_grad():
            for name, weight in oracle.named_parameters():
                weight *= 2 if name.startswith("weight_ih") else 1
    packed = nn.utils.rnn.pack_padded_sequence(states, LENGTHS, batch_first=True, enforce_sorted=False)
    expected, _ = nn.utils.rnn.pad_packed_sequence(oracle(packed)[0], batch_first=True)
    real = (torch.arange(5) < LENGTHS[:, None])[..., None]
    found = torch.where(real, padded(states, LENGTHS), 0.0)
    torch.testing.assert_close(found, expected)
    gradients = [torch.autograd.grad(each.pow(3).sum(), states)[0] for each in (found, expected)]
    torch.testing.assert_close(*gradients)


def test_pooled_and_last_states(tiny_backbone: Path) -> None:
    encoder = create(tiny_backbone, "bilstm").eval().syntactic
    assert isinstance(encoder, model.BiLstm)
    mask = torch.arange(5) < LENGTHS[:, None]
    tokens = Tokens(torch.randint(1, 9, (5, 5)), mask, None, None)
    found = encoder.encode(tokens)
    for row, length in enumerate(LENGTHS.tolist()):  # each by itself, so that nothing is padding
        states = encoder.lstm(encoder.embedding(tokens.ids[row : row + 1, :length]), LENGTHS[row : row + 1])[
            0
        ]
        torch.testing.assert_close(found.pooled[row], states.amax(dim=0))
        torch.testing.assert_close(found.last[row], torch.cat([states[-1, :6], states[0, 6:]]))


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


def test_the_decoder_is_the_published_recurrence() -> None:
    """Oracle: step by step with an LSTM cell."""
    torch.manual_seed(3)
    network, tags = TagDecoder(6, 5), tag_ids(SEQUENCES)
    pooled, last, languages = torch.randn(4, 6), torch.randn(4, 5), torch.tensor([0, 5, 27, 5])
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


def test_the_loss_of_a_row_is_that_of_its_tags() -> None:
    tags = tag_ids(SEQUENCES)
    scores = torch.randn(*tags.shape, END + 1)
    found = tag_losses(scores, tags)
    for row, sequence in enumerate(SEQUENCES):
        length = len(sequence) + 1
        expected = F.cross_entropy(scores[row, :length], tags[row, :length], reduction="sum")
        torch.testing.assert_close(found.loss[row], expected)
        assert found.tags[row] == length
        assert found.correct[row] == (scores[row, :length].argmax(1) == tags[row, :length]).sum()


@pytest.mark.parametrize(("encoder", "width"), [("bilstm", 12), ("backbone", 32)])
def test_a_saved_system_gives_the_same(encoder: str, width: int, tiny_backbone: Path, tmp_path: Path) -> None:
    system = create(tiny_backbone, encoder).eval()
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    before, after = system.embed(SIDES), loaded.embed(SIDES)
    assert before["syntactic"].shape == (4, width)
    np.testing.assert_array_equal(before["syntactic"], after["syntactic"])
    with torch.no_grad():
        assert system.loss(BATCH)["loss"] == loaded.loss(BATCH)["loss"]


@pytest.mark.parametrize("encoder", ["bilstm", "backbone"])
def test_it_learns_the_tags_of_a_few_sentences(encoder: str, tiny_backbone: Path) -> None:
    system = create(tiny_backbone, encoder).train()
    optimizer = torch.optim.Adam(system.parameters(), lr=0.02 if encoder == "bilstm" else 5e-3)
    for _ in range(120):
        optimizer.zero_grad()
        system.loss(BATCH)["loss"].backward()
        optimizer.step()
    with torch.no_grad():
        assert system.eval().loss(BATCH)["accuracy"] == 1


@pytest.mark.parametrize("encoder", ["bilstm", "backbone"])
def test_parts_of_a_batch_are_the_batch(encoder: str, tiny_backbone: Path) -> None:
    system = create(tiny_backbone, encoder).eval()
    parts = [
        system.encode(Batch(BATCH.anchors[i : i + 2], BATCH.positives[i : i + 2], [], (), KINDS[i : i + 2]))
        for i in (0, 2)
    ]
    for name, rows in system.encode(BATCH).items():
        torch.testing.assert_close(torch.cat([part[name] for part in parts]), rows)
    assert all(len(rows) == 0 for rows in system.encode(Batch([], [], [])).values())


def test_the_decoder_gets_the_language_and_the_encoder_does_not(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, "bilstm").eval()
    other = Batch(BATCH.anchors, BATCH.positives, [], (), ["translation-de", *KINDS[1:]])
    with torch.no_grad():
        a, b = (system.encode(batch)["loss"] for batch in (BATCH, other))
    assert a[0] != b[0]
    torch.testing.assert_close(a[1:], b[1:])


def test_what_is_predicted_are_the_positives_tags(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, "bilstm").eval()
    anchors, positives = SIDES[:2], [SIDES[2], SIDES[3]]
    other_tags, retagged = (
        [side._replace(upos=["X"] * len(side.words)) for side in sides] for sides in (anchors, positives)
    )
    with torch.no_grad():
        found = system.loss(Batch(anchors, positives, []))["loss"]
        assert system.loss(Batch(other_tags, positives, []))["loss"] == found
        assert system.loss(Batch(anchors, retagged, []))["loss"] != found


@pytest.mark.parametrize("encoder", ["bilstm", "backbone"])
def test_every_weight_is_trained_once(encoder: str, tiny_backbone: Path) -> None:
    system = create(tiny_backbone, encoder)
    members = [id(p) for group in system.parameter_groups() for p in group["params"]]
    assert sorted(members) == sorted(id(p) for p in system.parameters())


def test_examples_without_tags_are_refused(tiny_backbone: Path) -> None:
    plain = Side("Rain fell.", ["Rain", "fell", "."], [2, 0, 2])
    with pytest.raises(SynsemError, match="no UPOS tags"):
        create(tiny_backbone, "bilstm").loss(Batch([plain], [plain], []))


def test_a_run_may_start_from_a_trained_model(
    tiny_backbone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = create(tiny_backbone, "bilstm")
    registry.save(trained, tmp_path / "model")
    with torch.no_grad():
        again = create(tiny_backbone, "bilstm", start=str(tmp_path / "model")).eval()
        assert again.loss(BATCH)["loss"] == trained.eval().loss(BATCH)["loss"]
    with pytest.raises(SynsemError, match=r"upos\.start"):
        create(tiny_backbone, "backbone", start=str(tmp_path / "model"))


def test_the_view_of_a_transformer_is_max_pooled(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, "backbone").eval()
    expected = []
    for side in SIDES:  # each by itself, so that nothing is padding
        tokens = system.tokenizer([side], trees=False)
        with torch.no_grad():
            states = system.exported.model(input_ids=tokens.ids).last_hidden_state[0]
        expected.append(F.normalize(states.amax(dim=0), dim=0).numpy())
    np.testing.assert_allclose(system.embed(SIDES)["syntactic"], expected, atol=1e-5)
