"""The system as a whole: texts alone are read, batches can be cut, training binds, an export stands alone."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from pipeline.core.errors import SynsemError
from pipeline.core.params import Encoder as EncoderParams
from pipeline.core.params import load_all
from pipeline.mining import pairs
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Batch, registry
from pipeline.systems.synsem import model
from pipeline.systems.synsem.heads import LinkEncoder
from pipeline.systems.synsem.model import PARAPHRASE, TAU_SCALE, System, start_from, synsem_losses
from pipeline.systems.synsem.scoring import chains, read_words
from pipeline.training.loop import forward_backward

ROOT = Path(__file__).parents[3]
DEFAULTS = load_all(ROOT / "params.yaml")
NAMES = [("cat", "dog"), ("king", "queen"), ("ship", "river"), ("man", "horse"), ("child", "book")]


def active(subject: str, thing: str) -> Sentence:
    words = ["The", subject, "saw", "the", thing, "."]
    return Sentence(
        " ".join(words[:-1]) + ".", words, [2, 3, 0, 5, 3, 3],
        ["det", "nsubj", "root", "det", "obj", "punct"], ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"],
    )  # fmt: skip


def passive(subject: str, thing: str) -> Sentence:
    words = ["The", thing, "was", "saw", "by", "the", subject, "."]
    return Sentence(
        " ".join(words[:-1]) + ".", words, [2, 4, 4, 0, 7, 7, 4, 4],
        ["det", "nsubj:pass", "aux:pass", "root", "case", "det", "obl:agent", "punct"],
        ["DET", "NOUN", "AUX", "VERB", "ADP", "DET", "NOUN", "PUNCT"],
    )  # fmt: skip


BATCH = Batch(
    anchors=[active(a, b) for a, b in NAMES],
    positives=[passive(a, b) for a, b in NAMES],
    negatives=[passive(b, a) for a, b in NAMES[:3]],
    owners=[0, 1, 2],
    kinds=["passive"] * 4 + [PARAPHRASE],
)


@pytest.fixture(autouse=True)
def without_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "CONTEXT_PROB", 0.0)


def create(folder: Path, **changed: Any) -> System:
    torch.manual_seed(0)
    params = DEFAULTS.synsem.model_copy(update={"dimensions": 64, "steps": 10} | changed)
    encoder = EncoderParams(model=str(folder), max_tokens=32, pooling="mean")
    train = DEFAULTS.train.model_copy(update={"precision": "fp32", "evaluate_every": 3})
    system = registry.create("synsem", encoder, train, params)
    assert isinstance(system, System)
    system.begin_training()
    return system


def test_training_continues_from_the_heads_of_a_model(tiny_backbone: Path, tmp_path: Path) -> None:
    torch.manual_seed(1)
    trained = create(tiny_backbone)
    torch.nn.init.normal_(trained.heads.content_head.weight)
    registry.save(trained, tmp_path / "model")
    for name, weight in create(tiny_backbone, start=str(tmp_path / "model")).heads.state_dict().items():
        assert torch.equal(weight, trained.heads.state_dict()[name]), name
    with pytest.raises(SynsemError, match="sizes"):
        create(tiny_backbone, start=str(tmp_path / "model"), dimensions=32)


@pytest.mark.parametrize(("share", "marks"), [(0.0, True), (1.0, False)])
def test_training_reads_a_share_of_all_sides_without_their_final_mark(
    share: float, marks: bool, tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so does the development loss."""
    monkeypatch.setattr(model, "PUNCT_DROPOUT", share)
    system = create(tiny_backbone)
    stop = system.tokenizer.hf_tokenizer.convert_tokens_to_ids(".")
    for step in (None, 0, 100_000):
        sides = system.read(BATCH, step).values()
        assert {stop in each.ids for some in sides for each in some} == {marks}


def test_the_structural_part_weighs_more_in_a_longer_sentence(tiny_backbone: Path) -> None:
    system = create(tiny_backbone).eval()
    torch.nn.init.constant_(system.heads.content_head.bias, 1.0)  # an untrained one may see no content word
    texts = [
        active("cat", "dog"),
        Sentence("A longer text about the river and its boats in the town."),
    ]
    views = system.embed(texts)
    width = system.semantic.width
    for row, text in enumerate(texts):
        words = sum(each.content for each in read_words(system, text.text))
        weight = system.params.weight * (max(words, 1) / 6) ** 0.25
        own = np.concatenate([views["semantic"][row], weight * views["structural"][row]])
        np.testing.assert_allclose(views["joint"][row], own / np.linalg.norm(own), atol=1e-5)
    shares = np.linalg.norm(views["joint"][:, width:], axis=1)
    assert shares[0] < shares[1]


def test_parts_of_a_batch_put_end_to_end_are_the_batch(tiny_backbone: Path) -> None:
    system = create(tiny_backbone).eval()
    halves = [
        Batch(BATCH.anchors[:2], BATCH.positives[:2], BATCH.negatives[:2], [0, 1], BATCH.kinds[:2]),
        Batch(BATCH.anchors[2:], BATCH.positives[2:], BATCH.negatives[2:], [0], BATCH.kinds[2:]),
    ]
    with torch.no_grad():
        whole, parts = system.encode(BATCH), [system.encode(half) for half in halves]
        joined = {name: torch.cat([part[name] for part in parts]) for name in whole}
        expected, found = system.loss_from_embeddings(whole), system.loss_from_embeddings(joined)
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        assert found[name].item() == pytest.approx(value.item(), abs=1e-4), name


def test_links_alone_are_learnt_first(tiny_backbone: Path) -> None:
    system = create(tiny_backbone).train()
    system.begin_step(4)
    early = forward_backward(system, BATCH)
    assert "contrast" not in early
    assert system.heads.structural_pooling.first.grad is None
    assert system.heads.successor_head.query.weight.grad.abs().sum() > 0
    assert system.heads.link_encoder.body.layers[0].linear1.weight.grad.abs().sum() > 0
    assert all(parameter.grad is None for parameter in system.semantic.parameters())
    system.zero_grad()
    system.begin_step(5)
    late = forward_backward(system, BATCH)
    total = late["links"] + late["content"] + late["contrast"]
    assert late["loss"].item() == pytest.approx(total.item(), abs=1e-4)
    assert system.heads.structural_pooling.first.grad.abs().sum() > 0
    assert "contrast" in system.eval().loss(BATCH)  # development losses are comparable from the first step on


def test_the_backbone_stays_as_it_was_and_so_does_its_vector(tiny_backbone: Path) -> None:
    system = create(tiny_backbone).train()
    before = {name: value.clone() for name, value in system.semantic.state_dict().items()}
    optimizer = torch.optim.AdamW((p for group in system.parameter_groups() for p in group["params"]), lr=0.1)
    forward_backward(system, BATCH)
    optimizer.step()
    for name, value in system.semantic.state_dict().items():
        assert torch.equal(value, before[name]), name
    backbone = registry.Baseline(system.settings.encoder).embed(BATCH.anchors)["semantic"]
    np.testing.assert_allclose(system.eval().embed(BATCH.anchors)["semantic"], backbone, atol=1e-6)


SMALL = {"vocab_size": 50, "max_position_embeddings": 40}
WIDE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}


@pytest.mark.parametrize("family", ["Bert", "Roberta", "Electra", "MPNet", "DistilBert"])
def test_the_link_encoder_starts_from_the_layers_of_every_usual_family(family: str) -> None:
    torch.manual_seed(0)
    sizes = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24} if family == "DistilBert" else WIDE
    model = getattr(transformers, f"{family}Model")(
        getattr(transformers, f"{family}Config")(**SMALL, **sizes)
    ).eval()
    if family == "MPNet":  # only its layers have attention by relative position
        torch.nn.init.zeros_(model.encoder.relative_attention_bias.weight)
    encoder = LinkEncoder(16, 24, layers=1, heads=2).eval()
    assert start_from(encoder, model, 1) == 1
    ids = torch.randint(5, 50, (3, 9))
    with torch.no_grad():
        states = model(input_ids=ids, output_hidden_states=True).hidden_states
        torch.testing.assert_close(encoder(states[1], ids > 0), states[2], atol=1e-4, rtol=0)


def test_layers_of_another_form_start_at_random(capsys: pytest.CaptureFixture[str]) -> None:
    config = transformers.ModernBertConfig(**SMALL, **WIDE, pad_token_id=0)
    model = transformers.ModernBertModel(config)
    assert start_from(LinkEncoder(16, 24, layers=2, heads=2), model, 0) == 0
    assert capsys.readouterr().err.startswith("modernbert: 2 of")


def test_a_paraphrase_is_no_rewording(tiny_backbone: Path) -> None:
    assert PARAPHRASE == pairs.KIND  # what mining writes
    system = create(tiny_backbone).eval()
    found = system.encode(BATCH)
    assert found["reworded"].tolist() == [1, 1, 1, 1, 0]
    with torch.no_grad():
        before = system.loss_from_embeddings(found)["contrast"]
        found["structural.positive"][4] = -found["structural.positive"][4]
        assert system.loss_from_embeddings(found)["contrast"] == before


def test_the_temperature_follows_that_of_training(tiny_backbone: Path) -> None:
    system = create(tiny_backbone).eval()
    train = system.settings.train.model_copy(update={"tau": 0.3})
    system.settings = replace(system.settings, train=train)
    with torch.no_grad():
        found = system.encode(BATCH)
        losses = system.loss_from_embeddings(found)
        expected = synsem_losses(found, TAU_SCALE * 0.3)
    assert losses["contrast"].item() == expected["contrast"].item()


def test_training_tells_a_passive_from_its_exchange(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, steps=100).train()
    optimizer = torch.optim.AdamW(system.parameters(), lr=3e-3)
    for step in range(100):
        torch.manual_seed(step)
        system.begin_step(step)
        losses = forward_backward(system, BATCH)
        optimizer.step()
        optimizer.zero_grad()
    assert losses["link_accuracy"].item() > 0.9
    for text in ("The cat saw the dog.", "The dog was saw by the cat."):
        read = read_words(system, text)
        assert [[read[word].text for word in chain] for chain in chains(read)] == [["cat", "saw", "dog"]]
    system.eval()
    a, p = (system.embed(side)["structural"] for side in (BATCH.anchors, BATCH.positives))
    n = system.embed([passive(b, a) for a, b in NAMES])["structural"]
    assert ((a * p).sum(1) > (a * n).sum(1) + 0.5).all()


def test_an_encoder_decoder_is_refused(tiny_bart: Path) -> None:
    with pytest.raises(SynsemError, match="synsem reads no encoder-decoder, such as this bart"):
        create(tiny_bart)
