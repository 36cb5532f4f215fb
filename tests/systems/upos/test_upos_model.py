import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.core.errors import SynsemError
from pipeline.params import BiLstm as BiLstmParams
from pipeline.params import Encoder, load_all
from pipeline.syntax.sentence import Side
from pipeline.syntax.tag_sequences import normalised_distances
from pipeline.systems import registry
from pipeline.systems.base import Batch
from pipeline.systems.upos.bilstm import BiLstm
from pipeline.systems.upos.decoder import padded_tags
from pipeline.systems.upos.model import System
from pipeline.training.loop import adamw

DEFAULTS = load_all(Path(__file__).parents[3] / "params.yaml")
TRAIN = DEFAULTS.train.model_copy(update={"evaluate_every": 2, "precision": "fp32"})
BILSTM = BiLstmParams(vocabulary=80, embedding=8, width=6, layers=2)
SMALL = {
    "bilstm": BILSTM,
    "tag_size": 4, "language_size": 3, "decoder_size": 16,
}  # fmt: skip
SIDES = [
    Side("The cat sat.", ["The", "cat", "sat", "."], [2, 3, 0, 3], upos=["DET", "NOUN", "VERB", "PUNCT"]),
    Side("Le chat dort.", ["Le", "chat", "dort", "."], [2, 3, 0, 3], upos=["DET", "NOUN", "VERB", "PUNCT"]),
    Side("Rain fell.", ["Rain", "fell", "."], [2, 0, 2], upos=["NOUN", "VERB", "PUNCT"]),
    Side("She wrote it.", ["She", "wrote", "it", "."], [2, 0, 2, 2], upos=["PRON", "VERB", "PRON", "PUNCT"]),
]
KINDS = ["translation-fr", "translation-en", "identity", "pair"]
BATCH = Batch(SIDES, [SIDES[1], SIDES[0], SIDES[2], SIDES[3]], [], (), KINDS)


def create(folder: Path, encoder: str, **changed: object) -> System:
    params = DEFAULTS.upos.model_copy(update=SMALL | {"encoder": encoder} | changed)
    torch.manual_seed(0)
    system = registry.create("upos", Encoder(model=str(folder), max_tokens=32, pooling="mean"), TRAIN, params)
    assert isinstance(system, System)
    system.prepare(SIDES * 4)
    return system


@pytest.mark.parametrize(("encoder", "width"), [("bilstm", 12), ("backbone", 32)])
def test_a_saved_system_gives_the_same_vectors_and_losses(
    encoder: str, width: int, tiny_backbone: Path, tmp_path: Path
) -> None:
    system = create(tiny_backbone, encoder).eval()
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    before, after = system.embed(SIDES), loaded.embed(SIDES)
    assert list(before) == ["syntactic"]
    assert before["syntactic"].shape == (4, width)
    np.testing.assert_allclose(np.linalg.norm(before["syntactic"], axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(before["syntactic"], after["syntactic"])
    with torch.no_grad():
        assert system.loss(BATCH)["loss"] == loaded.loss(BATCH)["loss"]
    own = ["sentencepiece.model"] if encoder == "bilstm" else ["tokenizer.json", "tokenizer_config.json"]
    assert sorted(path.name for path in (tmp_path / "model" / "tokenizer").iterdir()) == own
    saved = (tmp_path / "model" / "config.json").read_text()
    assert ('"backbone": null' in saved) == (encoder == "bilstm")


@pytest.mark.parametrize("encoder", ["bilstm", "backbone"])
def test_it_learns_the_tags_of_a_few_sentences(encoder: str, tiny_backbone: Path) -> None:
    system = create(tiny_backbone, encoder).train()
    optimizer = torch.optim.Adam(system.parameters(), lr=0.02 if encoder == "bilstm" else 5e-3)
    for _ in range(200):
        optimizer.zero_grad()
        system.loss(BATCH)["loss"].backward()
        optimizer.step()
    with torch.no_grad():
        assert system.eval().loss(BATCH)["translation_accuracy"] == 1


@pytest.mark.parametrize("encoder", ["bilstm", "backbone"])
def test_parts_of_a_batch_put_end_to_end_are_the_batch(encoder: str, tiny_backbone: Path) -> None:
    system = create(tiny_backbone, encoder, own_tags=1.0, distances=1.0).eval()
    parts = [
        system.encode(Batch(BATCH.anchors[i : i + 2], BATCH.positives[i : i + 2], [], (), KINDS[i : i + 2]))
        for i in (0, 2)
    ]
    for name, rows in system.encode(BATCH).items():
        torch.testing.assert_close(torch.cat([part[name] for part in parts]), rows)


def test_the_decoder_gets_the_language_and_the_encoder_does_not(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, "bilstm").eval()
    other = Batch(BATCH.anchors, BATCH.positives, [], (), ["translation-de", *KINDS[1:]])
    with torch.no_grad():
        a, b = (system.encode(batch)["translation_loss"] for batch in (BATCH, other))
    assert a[0] != b[0]
    torch.testing.assert_close(a[1:], b[1:])
    again = system.embed([Side("The cat sat.", (), ())])
    np.testing.assert_array_equal(again["syntactic"][0], system.embed(SIDES[:1])["syntactic"][0])


def test_subwords_are_learnt_from_the_text(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, "bilstm")
    assert isinstance(system.syntactic, BiLstm)
    assert system.syntactic.embedding.num_embeddings == len(system.tokenizer.hf_tokenizer) <= 80


@pytest.mark.parametrize(("encoder", "rates"), [("bilstm", {9e-4}), ("backbone", {3e-5, 9e-4})])
def test_what_is_pretrained_learns_slowly(encoder: str, rates: set[float], tiny_backbone: Path) -> None:
    system = create(tiny_backbone, encoder)
    groups = system.parameter_groups()
    assert {group["lr"] for group in groups} == rates
    members = [id(p) for group in groups for p in group["params"]]
    assert sorted(members) == sorted(id(p) for p in system.parameters())


def test_examples_without_tags_are_refused(tiny_backbone: Path) -> None:
    plain = Side("Rain fell.", ["Rain", "fell", "."], [2, 0, 2])
    with pytest.raises(SynsemError, match="carry no UPOS tags; mine them again"):
        create(tiny_backbone, "bilstm").loss(Batch([plain], [plain], []))


def test_a_run_may_start_from_a_trained_model(tiny_backbone: Path, tmp_path: Path) -> None:
    trained = create(tiny_backbone, "bilstm")
    registry.save(trained, tmp_path / "model")
    with torch.no_grad():
        again = create(tiny_backbone, "bilstm", start=str(tmp_path / "model")).eval()
        assert again.loss(BATCH)["loss"] == trained.eval().loss(BATCH)["loss"]
    vocabulary = trained.tokenizer.hf_tokenizer.get_vocab()
    assert again.tokenizer.hf_tokenizer.get_vocab() == vocabulary
    with pytest.raises(SynsemError, match=r"is of another shape; set upos and encoder"):
        create(tiny_backbone, "bilstm", start=str(tmp_path / "model"), tag_size=5)


@pytest.mark.parametrize("damage", ["missing", "cut"])
def test_a_saved_model_with_a_damaged_vocabulary_is_named(
    damage: str, tiny_backbone: Path, tmp_path: Path
) -> None:
    registry.save(create(tiny_backbone, "bilstm"), tmp_path / "model")
    path = tmp_path / "model" / "tokenizer" / "sentencepiece.model"
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(SynsemError, match=r"sentencepiece\.model.*; run the pretrain stage of this model"):
        registry.load(tmp_path / "model")


def test_text_of_more_characters_than_subwords_is_refused_by_the_parameters_name(tiny_backbone: Path) -> None:
    with pytest.raises(SynsemError, match=r"^upos\.bilstm\.vocabulary: 9 subwords cannot hold"):
        create(tiny_backbone, "bilstm", bilstm=BILSTM.model_copy(update={"vocabulary": 9}))


def test_own_tags_are_those_of_the_anchors_that_have_any(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, "bilstm", own_tags=0.5).eval()
    plain = Side("Rain fell.", (), ())
    # The first one has none, so that the rows with tags are not the first rows.
    batch = Batch([plain, SIDES[3]], [SIDES[2], SIDES[1]], [], (), ["pair", "translation-fr"])
    with torch.no_grad():
        losses = system.loss(batch)
        alone = system.loss(Batch([SIDES[3]], [SIDES[3]], []))
        translation = create(tiny_backbone, "bilstm").eval().loss(batch)["loss"]
    assert losses["own"].item() == pytest.approx(alone["translation"].item(), abs=1e-5)
    assert losses["translation"].item() == pytest.approx(translation.item(), abs=1e-5)
    expected = losses["translation"] + 0.5 * losses["own"]
    assert losses["loss"].item() == pytest.approx(expected.item(), abs=1e-5)
    with torch.no_grad():
        untagged = system.loss(Batch([plain], [SIDES[2]], []))
    assert untagged["own"] == 0


def test_padding_changes_nothing_however_long_weights_have_decayed(tiny_backbone: Path) -> None:
    """What closes the gates at padding has no gradient, but weight decay shrinks it as any other weight."""
    system = create(tiny_backbone, "bilstm", learning_rate=0.03).train()
    train = TRAIN.model_copy(update={"weight_decay": 16.0})
    system.settings = dataclasses.replace(system.settings, train=train)
    optimizer = adamw(system)
    for step in range(20):  # each halves all weights
        system.begin_step(step)
        optimizer.zero_grad()
        system.loss(BATCH)["loss"].backward()
        optimizer.step()
    short, long = SIDES[2], Side("The cat sat. " * 5, ["The", "cat", "sat", "."] * 5, [])
    assert isinstance(system.eval().syntactic, BiLstm)
    with torch.no_grad():
        together, alone = (
            system.syntactic.encode(system.tokenizer(sides, trees=False))
            for sides in ([short, long], [short])
        )
    torch.testing.assert_close(together.pooled[:1], alone.pooled)
    torch.testing.assert_close(together.last[:1], alone.last)


def test_the_view_of_a_transformer_is_the_largest_value_of_each_dimension(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, "backbone").eval()
    expected = []
    for side in SIDES:  # each by itself, so that nothing is padding
        tokens = system.tokenizer([side], trees=False)
        with torch.no_grad():
            states = system.exported.model(input_ids=tokens.ids).last_hidden_state[0]
        expected.append(torch.nn.functional.normalize(states.amax(dim=0), dim=0).numpy())
    np.testing.assert_allclose(system.embed(SIDES)["syntactic"], expected, atol=1e-5)


def test_each_objective_counts_by_its_weight(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, "bilstm", translation=0.3, own_tags=0.5, distances=0.7).eval()
    with torch.no_grad():
        losses = {name: value.item() for name, value in system.loss(BATCH).items()}
    expected = 0.3 * losses["translation"] + 0.5 * losses["own"] + 0.7 * losses["distances"]
    assert losses["loss"] == pytest.approx(expected, rel=1e-5)


def test_what_is_predicted_are_the_positives_tags(tiny_backbone: Path) -> None:
    """In BATCH every positive has its anchor's tags, so no loss of it shows whose tags are learnt."""
    system = create(tiny_backbone, "bilstm").eval()
    anchors, positives = SIDES[:2], [SIDES[2], SIDES[3]]
    other_tags = [side._replace(upos=["X"] * len(side.words)) for side in anchors]
    with torch.no_grad():
        found = system.loss(Batch(anchors, positives, []))["translation"]
        assert system.loss(Batch(other_tags, positives, []))["translation"] == found
        assert system.loss(Batch(anchors, positives[::-1], []))["translation"] != found
        retagged = [side._replace(upos=["X"] * len(side.words)) for side in positives]
        assert system.loss(Batch(anchors, retagged, []))["translation"] != found


def test_embeddings_may_be_as_far_apart_as_their_tag_sequences(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, "bilstm", translation=0.0, distances=1.0).train()
    optimizer = torch.optim.Adam(system.parameters(), lr=0.02)
    for _ in range(100):
        optimizer.zero_grad()
        losses = system.loss(BATCH)
        losses["loss"].backward()
        optimizer.step()
    assert set(losses) == {"loss", "distances"}
    vectors = system.eval().embed(SIDES)["syntactic"]
    found = 1 - vectors @ vectors.T
    edits = normalised_distances([side.upos for side in SIDES])
    np.testing.assert_allclose(found, edits, atol=0.1)


def test_without_any_objective_there_is_no_system(tiny_backbone: Path) -> None:
    with pytest.raises(SynsemError, match="translation, own_tags and distances are all 0"):
        create(tiny_backbone, "bilstm", translation=0.0)


def test_distances_are_of_the_sentences_own_tags_and_not_of_its_translation(tiny_backbone: Path) -> None:
    other = [SIDES[0], SIDES[2], SIDES[3]]  # translations of other tags
    own = [SIDES[2], SIDES[3], SIDES[0]._replace(upos=[])]  # the last has none
    system = create(tiny_backbone, "bilstm", translation=0.0, own_tags=0.0, distances=1.0)
    found = system.encode(Batch(own, other, [], (), ["translation-fr"] * 3))["tag_sequences"]
    expected = padded_tags([SIDES[2].upos, SIDES[3].upos, SIDES[3].upos])
    assert torch.equal(found, expected)
