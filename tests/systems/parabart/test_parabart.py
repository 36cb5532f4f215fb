"""ParaBART: its two losses against the formulas, what each update moves, what the decoder is given."""

import dataclasses
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, BartModel, T5Config, T5Model

from pipeline.export.sentence_transformers import export_plain
from pipeline.nn import compute as amp
from pipeline.syntax.constituency import template
from pipeline.syntax.constituency.tree import PHRASES, TAGS
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Batch, registry
from pipeline.systems.parabart import model
from pipeline.systems.parabart.model import LABELS, Discriminator, System, bags, discriminator_loss
from pipeline.training.loop import adamw, train_step
from tests.syntax.constituency.parseval import read
from tests.systems.parabart.paraphrases import (
    ANCHORS,
    BATCH,
    TRAIN,
    active,
    build,
    moved,
    passive,
    weights,
    without_dropout,
)

WORDS, RELATIONS, TAGGED = ["Dogs", "bark", "."], ["nsubj", "root", "punct"], ["NNS", "VBP", "."]
SHORT = Sentence("Dogs bark.", WORDS, [2, 0, 2], RELATIONS, (), TAGGED)


@pytest.fixture(params=["bert", "bart"])
def folder(request: pytest.FixtureRequest, tiny_backbone: Path, tiny_bart: Path) -> Path:
    return tiny_backbone if request.param == "bert" else tiny_bart


@pytest.fixture
def no_word_dropout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "_WORD_DROPOUT", 0.0)


class Watched(torch.optim.AdamW):
    """AdamW that records what had a gradient at each update, and what had moved after it."""

    def watch(self, system: System) -> list[tuple[set[str], set[str]]]:
        self.system, self.updates = system, list[tuple[set[str], set[str]]]()
        return self.updates

    def step(self, closure: None = None) -> None:  # type: ignore[override]
        named, before = self.system.named_parameters(), weights(self.system)
        graded = {name.split(".")[0] for name, value in named if value.grad is not None}
        super().step()
        self.updates.append((graded, moved(self.system, before)))


@pytest.mark.parametrize("changed", [{}, {"chunk": 3}], ids=["whole", "chunks"])
def test_discriminator_and_rest_are_updated_in_turn(folder: Path, changed: dict[str, int]) -> None:
    system = build(folder)
    system.settings = dataclasses.replace(system.settings, train=TRAIN.model_copy(update=changed))
    optimizer = Watched(adamw(system).param_groups, lr=1e-3, weight_decay=0.1)
    updates = optimizer.watch(system)
    for _ in range(2):
        losses = train_step(system, BATCH, optimizer, amp.grad_scaler(system.device, "fp32"))
    rest = {"semantic", "paraphraser"}
    assert updates == [({"discriminator"}, {"discriminator"}), (rest, rest)] * 2
    assert all(parameter.requires_grad for parameter in system.parameters())
    assert set(losses) == {"discriminator", "loss", "paraphrase", "adversarial"}


@pytest.mark.parametrize("chunk", [None, 3])
def test_the_encoder_waits_while_it_is_frozen(chunk: int | None, folder: Path) -> None:
    """A BART's table is the decoder's, too, and waits all the same."""
    system = build(folder, freeze_encoder=0.5, steps=4)
    system.settings = dataclasses.replace(system.settings, train=TRAIN.model_copy(update={"chunk": chunk}))
    optimizer, scaler = adamw(system), amp.grad_scaler(system.device, "fp32")
    rest = {"discriminator", "paraphraser"}
    for step, expected in enumerate([rest, rest, rest | {"semantic"}, rest | {"semantic"}]):
        before = weights(system)
        system.begin_step(step)
        train_step(system, BATCH, optimizer, scaler)
        assert moved(system, before) == expected


@pytest.mark.usefixtures("no_word_dropout")
def test_each_update_works_against_the_other(tiny_backbone: Path) -> None:
    system = build(tiny_backbone, adversary=50.0).eval()
    adversary = system.adversary
    assert adversary is not None
    nouns = [replace(each, xpos=["NN"] * 6) for each in ANCHORS[2:]]
    batch = Batch([*ANCHORS[:2], *nouns], BATCH.positives, [])
    first = adversary.loss(batch)["loss"].item()
    optimizer = torch.optim.Adam(adversary.module.parameters(), lr=0.01)
    for _ in range(40):
        optimizer.zero_grad()
        adversary.loss(batch)["loss"].backward()
        optimizer.step()
    learnt = adversary.loss(batch)["loss"].item()
    assert learnt < first - 0.1
    without_dropout(system).train()
    optimizer = torch.optim.Adam(system.semantic.parameters(), lr=1e-3)
    for _ in range(10):
        optimizer.zero_grad()
        system.loss(batch)["loss"].backward()
        optimizer.step()
    assert adversary.loss(batch)["loss"].item() > learnt + 0.1


def predicted_one_by_one(system: System, vector: torch.Tensor, target: Sentence) -> torch.Tensor:
    """log P of each subword of the target and of the end, given only the subwords before it."""
    memory = system.paraphraser.memory(vector[None], [template(target)])
    [ids] = system._targets([target])
    found = []
    for number, subword in enumerate(ids):
        before = torch.tensor([[system.start, *ids[:number]]])
        states = system.paraphraser.states(memory, before)
        found.append(system.paraphraser.logits(states[0, -1]).log_softmax(dim=0)[subword])
    return torch.stack(found)


@pytest.mark.usefixtures("no_word_dropout")
def test_the_loss_is_the_papers(folder: Path) -> None:
    """Section 3: L_para, summed over subwords, each given only those before it, less lambda L_adv."""
    system = build(folder, adversary=0.3)
    without_dropout(system).train()
    batch = Batch([ANCHORS[0], ANCHORS[1]], [SHORT, BATCH.positives[1]], [])
    with torch.no_grad():
        losses = system.loss(batch)
        vectors = system._source_vectors(system._sources(batch.anchors))
        pairs = zip(vectors, batch.positives, strict=True)
        predicted = torch.stack([predicted_one_by_one(system, *each).sum() for each in pairs])
        assert system.discriminator is not None
        labels = system.discriminator.linear(vectors).softmax(dim=1)
    # (S (NP (DT) (NN)) (VP (VBD) (NP (DT) (NN))) (.)) has ten constituents.
    counts = {"S": 1, "NP": 2, "VP": 1, "DT": 2, "NN": 2, "VBD": 1, ".": 1}
    bag = torch.tensor([counts.get(label, 0) / 10 for label in (*PHRASES, *TAGS)])
    adversarial = torch.stack([-(bag * each.log()).sum() for each in labels]).mean()
    torch.testing.assert_close(losses["paraphrase"], -predicted.mean(), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(losses["adversarial"], adversarial, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(losses["loss"], -predicted.mean() - 0.3 * adversarial, atol=1e-4, rtol=1e-4)
    with torch.no_grad():
        held_out = system.eval().loss(batch)
    assert held_out["loss"] == held_out["paraphrase"]  # by which the paper chooses


def test_the_discriminators_loss_is_a_cross_entropy_of_bags() -> None:
    found = bags(
        [read("(S (NP (DT the) (NN boy)) (VP (VBD ate)))"), read("(S (NP (NN rain)) (VP (VBD fell)))")]
    )
    expected = {"S": 1, "NP": 1, "DT": 1, "NN": 1, "VP": 1, "VBD": 1}
    for label, share in zip(LABELS, found[0].tolist(), strict=True):
        assert share == pytest.approx(expected.get(label, 0) / 6)
    discriminator, vectors = Discriminator(4), torch.randn(2, 4)
    y = torch.softmax(vectors @ discriminator.linear.weight.T + discriminator.linear.bias, dim=1)
    expected_loss = -(found * y.log()).sum(dim=1)
    torch.testing.assert_close(discriminator_loss(found, discriminator(vectors)), expected_loss)


@pytest.mark.parametrize("guidance", ["attention", "none"])
def test_the_decoder_attends_to_the_vector_and_the_tree(folder: Path, guidance: str) -> None:
    writer, linear = build(folder, guidance=guidance).eval().paraphraser, template(BATCH.positives[0])
    with torch.no_grad():
        memory = writer.memory(torch.randn(1, 32), [linear])
    assert memory.states.shape == (1, 1 if guidance == "none" else 1 + len(linear), 32)
    assert (writer.syntactic is None) == (guidance == "none")


def test_padding_changes_nothing(tiny_backbone: Path) -> None:
    system = build(tiny_backbone).eval()
    longer = Batch(
        [*BATCH.anchors, passive("x", "y", "z")], [*BATCH.positives, active("very", "long", "tree")], []
    )
    with torch.no_grad():
        rows, more = system.encode(BATCH), system.encode(longer)
        one = system.encode(Batch(BATCH.anchors[:1], BATCH.positives[:1], []))
    for name in rows:
        torch.testing.assert_close(more[name][:4], rows[name], atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(one[name], rows[name][:1], atol=1e-4, rtol=1e-4)


def test_word_dropout_is_of_the_source_in_training(tiny_backbone: Path) -> None:
    torch.manual_seed(0)
    system = build(tiny_backbone)
    seen: list[torch.Tensor] = []
    system.semantic.register_forward_hook(lambda module, inputs, output: seen.append(inputs[0].ids))
    sources, mask = system._sources(ANCHORS * 200), system.tokenizer.hf_tokenizer.mask_token_id
    system.train()._source_vectors(sources)
    ids = seen.pop()
    assert (ids[:, 1:-1] == mask).float().mean().item() == pytest.approx(0.2, abs=0.03)
    assert not (ids[:, [0, -1]] == mask).any()
    system.eval()._source_vectors(sources)
    assert mask not in seen.pop()


def test_long_sources_and_targets_are_cut(tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system, sentence = build(tiny_backbone), active("cat", "saw", "dog")
    [whole] = system._targets([sentence])
    assert whole[-1] == system.end
    longest = system.paraphraser.config.max_position_embeddings
    monkeypatch.setattr(model, "_MOST_WORDS", 3)
    assert model._first_words(sentence) == "The cat saw"
    assert system._targets([sentence])[0] == whole[:3]
    monkeypatch.setattr(model, "_MOST_WORDS", 400)
    for words in (longest - 1, longest):  # the first has room for the end
        [target] = system._targets([Sentence(" ".join(["cat"] * words), ["cat"] * words, [])])
        assert len(target) == longest
        assert (target[-1] == system.end) == (words < longest)


@pytest.mark.parametrize("changed", [{}, {"guidance": "none", "adversary": 0.0}])
def test_a_saved_system_gives_the_same(folder: Path, changed: dict[str, object], tmp_path: Path) -> None:
    system = build(folder, **changed).eval()
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    np.testing.assert_array_equal(system.embed(ANCHORS)["semantic"], loaded.embed(ANCHORS)["semantic"])
    with torch.no_grad():
        losses, reloaded = system.loss(BATCH), loaded.loss(BATCH)
    assert losses == reloaded
    assert ("adversarial" in losses) == ("adversary" not in changed)


def test_a_bart_gives_encoder_decoder_layer_and_table(tiny_bart: Path) -> None:
    system, whole = build(tiny_bart), BartModel.from_pretrained(str(tiny_bart))
    ours, theirs = system.paraphraser.decoder.state_dict(), whole.decoder.state_dict()
    assert {name for name in ours if name.startswith("layers.")} == {
        name for name in theirs if name.startswith("layers.0.")
    }
    for name, value in ours.items():
        torch.testing.assert_close(value, theirs[name])
    assert system.paraphraser.table is system.semantic.model.get_input_embeddings()
    ids = torch.tensor([[2, 40, 41, 3]])
    with torch.no_grad():
        found = system.semantic.eval().model(input_ids=ids).last_hidden_state
        torch.testing.assert_close(found, whole.eval().encoder(input_ids=ids).last_hidden_state)


@pytest.mark.parametrize("family", ["bart", "t5"])
def test_the_encoder_of_an_encoder_decoder_is_exported(
    family: str, tiny_bart: Path, tiny_backbone: Path, tmp_path: Path
) -> None:
    from sentence_transformers import SentenceTransformer

    folder = tiny_bart
    if family == "t5":
        folder = tmp_path / "t5"
        AutoTokenizer.from_pretrained(str(tiny_backbone)).save_pretrained(str(folder))
        config = T5Config(vocab_size=6000, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)
        T5Model(config).save_pretrained(str(folder))
    system = build(folder).eval()
    export_plain(system, tmp_path / "st")
    loaded = SentenceTransformer(str(tmp_path / "st"), device="cpu")
    texts = [each.text for each in (*ANCHORS, active("very", "long", "sentence of other length"))]
    expected = system.embed([Sentence(text) for text in texts])["semantic"]
    np.testing.assert_allclose(loaded.encode(texts), expected, atol=1e-5)
