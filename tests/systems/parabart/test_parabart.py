"""ParaBART: what each update moves, what the decoder is given, saving, chunks, families of backbones."""

import dataclasses
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, BartModel, T5Config, T5Model

from pipeline.core.errors import SynsemError
from pipeline.export.sentence_transformers import export_plain
from pipeline.nn import amp
from pipeline.syntax.constituency import derive, template
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.base import Batch
from pipeline.systems.parabart.adversary import bags
from pipeline.systems.parabart.decoder import subword_losses
from pipeline.systems.parabart.model import System
from pipeline.systems.parabart.words import first_words
from pipeline.training.loop import train_step
from pipeline.training.optimizer import adamw
from tests.systems.parabart.paraphrases import (
    ANCHORS,
    BATCH,
    DEFAULTS,
    TRAIN,
    active,
    build,
    moved,
    passive,
    weights,
    without_dropout,
)


class Watched(torch.optim.AdamW):
    """AdamW that tells what had a gradient at each update, and what had moved after it."""

    def watch(self, system: System) -> list[tuple[set[str], set[str]]]:
        self.system, self.updates = system, list[tuple[set[str], set[str]]]()
        return self.updates

    def step(self, closure: None = None) -> None:  # type: ignore[override]
        named, before = self.system.named_parameters(), weights(self.system)
        graded = {name.split(".")[0] for name, value in named if value.grad is not None}
        super().step()
        self.updates.append((graded, moved(self.system, before)))


@pytest.mark.parametrize("family", ["bert", "bart"])
@pytest.mark.parametrize("changed", [{}, {"chunk": 3}], ids=["whole", "chunks"])
def test_the_discriminator_learns_first_and_alone_then_the_rest_without_it(
    family: str, changed: dict[str, int], tiny_backbone: Path, tiny_bart: Path
) -> None:
    system = build(tiny_backbone if family == "bert" else tiny_bart)
    system.settings = dataclasses.replace(system.settings, train=TRAIN.model_copy(update=changed))
    groups = adamw(system, TRAIN).param_groups
    optimizer = Watched(groups, lr=1e-3, weight_decay=0.1)
    updates = optimizer.watch(system)
    for _ in range(2):
        losses = train_step(system, [BATCH, BATCH], optimizer, amp.grad_scaler(system.device, "fp32"))
    rest = {"semantic", "paraphraser"}
    assert updates == [({"discriminator"}, {"discriminator"}), (rest, rest)] * 2
    assert all(parameter.requires_grad for parameter in system.parameters())
    assert all(parameter.grad is None for parameter in system.parameters())
    assert set(losses) == {"discriminator", "loss", "paraphrase", "adversarial"}


def test_an_overflow_in_fp16_skips_both_updates_and_halves_the_scale_twice(
    tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amp, "effective_precision", lambda device, kind: kind)  # torch can emulate it
    system = build(tiny_backbone)
    train = TRAIN.model_copy(update={"precision": "fp16"})
    system.settings = dataclasses.replace(system.settings, train=train)
    optimizer, scaler = adamw(system, train), amp.grad_scaler(system.device, "fp16")
    before = weights(system)
    scaler.scale(torch.zeros(1))  # makes the scale
    scaler.update(2.0**120)
    train_step(system, [BATCH], optimizer, scaler)
    assert moved(system, before) == set()
    assert scaler.get_scale() == 2.0**118
    scaler.update(2.0**8)
    losses = train_step(system, [BATCH], optimizer, scaler)
    assert moved(system, before) == {"discriminator", "semantic", "paraphraser"}
    assert all(np.isfinite(value) for value in losses.values())


@pytest.mark.parametrize(("domain_confusion", "rise"), [(False, 0.1), (True, 0.02)])
def test_both_updates_go_the_way_they_should(
    domain_confusion: bool, rise: float, tiny_backbone: Path
) -> None:
    """Played against a still opponent, the discriminator gets better, and the encoder makes it worse."""
    system = build(tiny_backbone, adversary=50.0, domain_confusion=domain_confusion, word_dropout=0.0).eval()
    adversary = system.adversary
    assert adversary is not None
    nouns = [each._replace(xpos=["NN"] * 6) for each in ANCHORS[2:]]
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
    assert adversary.loss(batch)["loss"].item() > learnt + rise


def test_the_loss_is_that_of_the_paper(tiny_backbone: Path) -> None:
    system = build(tiny_backbone, adversary=0.3, domain_confusion=False, word_dropout=0.0).eval()
    system.training = True  # the system's own flag: its modules are without dropout
    with torch.no_grad():
        losses = system.loss(BATCH)
    expected = losses["paraphrase"] - 0.3 * losses["adversarial"]
    assert losses["loss"].item() == pytest.approx(expected.item(), abs=1e-6)
    with torch.no_grad():
        held = system.eval().loss(BATCH)
    assert held["loss"] == held["paraphrase"]
    assert set(held) == {"loss", "paraphrase", "adversarial", "piece_accuracy"}


def test_domain_confusion_rewards_a_discriminator_that_predicts_nothing_and_not_one_that_is_wrong(
    tiny_backbone: Path,
) -> None:
    """Its part in the loss is lowest, and the gradient zero, where the mean bag is predicted everywhere."""
    tags = [["DT", "NN", "VBD", "DT", "NN", "."], ["NN", "NN", "NN", "NN", "NN", "NN"]]
    anchors = [ANCHORS[0]._replace(xpos=each) for each in tags]
    batch = Batch(anchors, BATCH.positives[:2], [])
    system = build(tiny_backbone, domain_confusion=True, adversary=0.3, word_dropout=0.0).eval()
    system.training = True  # the system's own flag: its modules are without dropout
    mean = bags([derive(each) for each in anchors]).mean(dim=0)
    with torch.no_grad():
        found = system.encode(batch)

    def adversarial(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What the adversary adds to the loss, and the gradient of it."""
        logits = logits.requires_grad_(True)
        predicted = logits.log_softmax(dim=1)
        losses = system.loss_from_embeddings(found | {"tags": predicted})
        torch.testing.assert_close(losses["adversarial"], -(found["bags"] * predicted).sum(dim=1).mean())
        added = losses["loss"] - losses["paraphrase"]
        torch.testing.assert_close(
            added,
            0.3 * torch.nn.functional.kl_div(predicted, mean.expand(2, -1), reduction="batchmean"),
        )
        return added.detach(), torch.autograd.grad(added, logits)[0]

    nothing, still = adversarial((mean + 1e-9).log().repeat(2, 1))
    torch.testing.assert_close(nothing, torch.zeros(()), atol=1e-5, rtol=0)
    torch.testing.assert_close(still, torch.zeros_like(still), atol=1e-5, rtol=0)
    right, _ = adversarial((found["bags"] + 1e-3).log())
    wrong, _ = adversarial((found["bags"].flip(0) + 1e-3).log())
    assert min(right, wrong) > 0.05


def test_a_limited_table_has_the_frequent_subwords_and_predicts_the_others_as_unknown(
    tiny_backbone: Path, tmp_path: Path
) -> None:
    whole, system = build(tiny_backbone).eval(), build(tiny_backbone, decoder_subwords=14).eval()
    tokenizer = system.tokenizer.hf_tokenizer
    table = system.semantic.model.get_input_embeddings().weight
    kept = system.paraphraser.kept.tolist()
    assert system.paraphraser.table.weight.shape == (14, 32)
    torch.testing.assert_close(system.paraphraser.table.weight, table[kept])
    assert {system.start, system.end, tokenizer.unk_token_id} <= set(kept)
    seen = Counter(each for target in system._targets(ANCHORS) for each in target)
    assert {subword for subword, count in seen.items() if count > 1} <= set(kept)
    # Logits of the rows are those of the whole table, but for the bias, which spreads the same counts
    states = torch.randn(3, 32)
    system.paraphraser.bias.data.zero_()
    whole.paraphraser.bias.data.zero_()
    torch.testing.assert_close(system.paraphraser.logits(states), whole.paraphraser.logits(states)[:, kept])
    # A subword outside counts as the unknown one, both as input and as output
    memory = system.memory(torch.randn(1, 32), [system.template(ANCHORS[0])])
    outside = next(each for each in range(len(table)) if each not in kept)
    with torch.no_grad():
        a, b = (
            subword_losses(system.paraphraser, memory, [[subword, system.end]], system.start)
            for subword in (outside, tokenizer.unk_token_id)
        )
    assert a == b
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    with torch.no_grad():
        assert loaded.loss(BATCH) == system.loss(BATCH)


@pytest.mark.parametrize("family", ["bert", "bart"])
def test_logits_are_divided_by_the_norm_of_a_row_where_the_table_was_not_made_for_output(
    family: str, tiny_backbone: Path, tiny_bart: Path
) -> None:
    paraphraser = build(tiny_backbone if family == "bert" else tiny_bart).paraphraser
    states, table = torch.randn(3, 32), paraphraser.table.weight.detach()
    norm = table.norm(dim=1).mean() if family == "bert" else 1.0
    with torch.no_grad():
        found = paraphraser.logits(states)
    torch.testing.assert_close(found, states @ table.T / norm + paraphraser.bias.detach())


def test_a_bart_keeps_its_whole_table(tiny_bart: Path) -> None:
    with pytest.raises(SynsemError, match=r"parabart\.decoder_subwords: with a BART the table is shared"):
        build(tiny_bart, decoder_subwords=14)


@pytest.mark.parametrize("family", ["bert", "bart"])
@pytest.mark.parametrize(
    "changed", [{}, {"adversary": 0.0, "vector_every_step": True}, {"guidance": False, "adversary": 0.0}]
)
def test_a_saved_system_gives_the_same_vectors_and_losses(
    family: str, changed: dict[str, object], tiny_backbone: Path, tiny_bart: Path, tmp_path: Path
) -> None:
    system = build(tiny_backbone if family == "bert" else tiny_bart, **changed).eval()
    registry.save(system, tmp_path / "model")
    loaded = registry.load(tmp_path / "model")
    views, again = system.embed(ANCHORS), loaded.embed(ANCHORS)
    assert list(views) == ["semantic"]
    np.testing.assert_array_equal(views["semantic"], again["semantic"])
    with torch.no_grad():
        losses, reloaded = system.loss(BATCH), loaded.loss(BATCH)
    assert losses == reloaded
    assert ("adversarial" in losses) == ("adversary" not in changed)


def test_it_learns_to_predict_a_few_paraphrases(tiny_bart: Path) -> None:
    system = without_dropout(build(tiny_bart, word_dropout=0.0)).train()
    optimizer = torch.optim.Adam(system.parameters(), lr=5e-3)
    for _ in range(220):
        optimizer.zero_grad()
        system.loss(BATCH)["paraphrase"].backward()
        optimizer.step()
    with torch.no_grad():
        losses = system.eval().loss(BATCH)
    assert losses["piece_accuracy"] > 0.8
    assert losses["loss"] < 0.5


def test_the_decoder_sees_the_vector_and_the_tree_and_nothing_else(tiny_backbone: Path) -> None:
    system = build(tiny_backbone).eval()
    blind = build(tiny_backbone, guidance=False).eval()
    vectors = torch.randn(2, 32)
    trees = [template(ANCHORS[0]), template(BATCH.positives[0])]
    memory = system.memory(vectors, trees)
    assert memory.states.shape == (2, 1 + max(map(len, trees)), 32)
    torch.testing.assert_close(memory.states[:, 0], vectors)
    assert memory.mask.sum(dim=1).tolist() == [1 + len(tree) for tree in trees]
    assert blind.memory(vectors, None).states.shape == (2, 1, 32)
    assert blind.paraphraser.syntactic is None
    other = Batch(BATCH.anchors, [each._replace(xpos=["NN"] * 8) for each in BATCH.positives], [])  # type: ignore[attr-defined]
    with torch.no_grad():
        assert system.loss(BATCH)["loss"] != system.loss(other)["loss"]
        assert blind.loss(BATCH)["loss"] == blind.loss(other)["loss"]


@pytest.mark.parametrize("family", ["bert", "bart"])
def test_a_subword_is_predicted_from_those_before_it_alone(
    family: str, tiny_backbone: Path, tiny_bart: Path
) -> None:
    """Of L_para the target up to a subword is the condition: no later one may reveal it."""
    folder = {"bert": tiny_backbone, "bart": tiny_bart}[family]
    system = build(folder, vector_every_step=True, leaf_every_step=True).eval()
    memory = system.memory(torch.randn(1, 32), [template(BATCH.positives[0])])
    begun = system.tokenizer.hf_tokenizer("the dog of", add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        states = [
            system.paraphraser.states(memory, torch.tensor([[system.start, *begun, *rest]]))
            for rest in ([], [1037] * 3, [1012] * 3, [2015] * 3)
        ]
    read = 1 + len(begun)
    for each in states[1:]:
        torch.testing.assert_close(each[:, :read], states[0], rtol=0, atol=1e-5)


def test_vector_every_step_adds_the_vector_to_every_subword(tiny_backbone: Path) -> None:
    plain, added = (
        build(tiny_backbone, leaf_every_step=False, **changed).eval()
        for changed in ({"vector_every_step": False}, {"vector_every_step": True})
    )
    added.load_state_dict(plain.state_dict())
    subwords, tree = torch.tensor([[plain.start, 40, 41]]), [template(ANCHORS[0])]
    with torch.no_grad():
        memory = plain.memory(torch.randn(1, 32), tree)
        words = plain.paraphraser.table
        length = plain.semantic.model.get_input_embeddings().weight.norm(dim=1).mean()
        expected = plain.paraphraser.decoder(
            inputs_embeds=words(subwords) + memory.states[0, 0] * length / memory.states[0, 0].norm(),
            encoder_hidden_states=memory.states,
            encoder_attention_mask=memory.mask.long(),
        ).last_hidden_state
        torch.testing.assert_close(added.paraphraser.states(memory, subwords), expected)
        assert not torch.allclose(plain.paraphraser.states(memory, subwords), expected, atol=1e-3)


def test_given_constituents_are_read_unless_all_are_to_be_derived(tiny_backbone: Path) -> None:
    given = ANCHORS[0]._replace(
        constituents="gold (S (NP (DT The) (NN cat)) (VP (VBD saw) (NP (DT the) (NN dog))) (. .))"
    )
    other = given._replace(constituents="gold (FRAG (X The) (X cat) (X saw) (X the) (X dog) (X .))")
    assert build(tiny_backbone).template(other) == ("(FRAG", *["(X", ")"] * 6, ")")
    derived = build(tiny_backbone, trees="derived")
    assert derived.template(other) == derived.template(given) == derived.template(ANCHORS[0])


def test_padding_changes_nothing(tiny_backbone: Path) -> None:
    system = build(tiny_backbone).eval()
    longer = Batch(
        [*BATCH.anchors, passive("x", "y", "z")], [*BATCH.positives, active("very", "long", "tree")], []
    )
    with torch.no_grad():
        rows, more = system.encode(BATCH), system.encode(longer)
        alone = system.encode(Batch(BATCH.anchors[:1], BATCH.positives[:1], []))
    for name in rows:
        torch.testing.assert_close(more[name][:4], rows[name], atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(alone[name], rows[name][:1], atol=1e-4, rtol=1e-4)


def test_word_dropout_is_of_the_source_in_training_alone(tiny_backbone: Path) -> None:
    system = build(tiny_backbone, word_dropout=1.0)
    seen: list[torch.Tensor] = []
    system.semantic.register_forward_hook(lambda module, inputs, output: seen.append(inputs[0].ids))
    tokenizer = system.tokenizer.hf_tokenizer
    system.train().source_vectors(ANCHORS)
    assert set(seen.pop().unique().tolist()) == {
        tokenizer.cls_token_id, tokenizer.mask_token_id, tokenizer.sep_token_id,
    }  # fmt: skip
    system.eval().source_vectors(ANCHORS)
    assert tokenizer.mask_token_id not in seen.pop()


def test_a_bart_gives_its_encoder_first_decoder_layer_and_table(tiny_bart: Path) -> None:
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


@pytest.fixture(scope="module")
def tiny_t5(tiny_backbone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny-t5")
    AutoTokenizer.from_pretrained(str(tiny_backbone)).save_pretrained(str(folder))
    config = T5Config(vocab_size=6000, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4)
    T5Model(config).save_pretrained(str(folder))
    return folder


def test_a_t5_gives_its_encoder(tiny_t5: Path, tmp_path: Path) -> None:
    system = build(tiny_t5).eval()
    registry.save(system, tmp_path / "model")
    with torch.no_grad():
        assert registry.load(tmp_path / "model").loss(BATCH) == system.loss(BATCH)


@pytest.mark.parametrize("family", ["bart", "t5"])
def test_the_encoder_of_an_encoder_decoder_loads_in_sentence_transformers(
    family: str, tiny_bart: Path, tiny_t5: Path, tmp_path: Path
) -> None:
    from sentence_transformers import SentenceTransformer

    system = build(tiny_bart if family == "bart" else tiny_t5).eval()
    export_plain(system, tmp_path / "st")
    loaded = SentenceTransformer(str(tmp_path / "st"), device="cpu")
    texts = [each.text for each in (*ANCHORS, active("very", "long", "sentence of other length"))]
    expected = system.embed([Side(text, (), ()) for text in texts])["semantic"]
    np.testing.assert_allclose(loaded.encode(texts), expected, atol=1e-5)


def test_two_rates_as_published(tiny_backbone: Path) -> None:
    system = build(tiny_backbone, decoder_lr_scale=5.0, discriminator_lr_scale=1.0)
    groups = system.parameter_groups()
    assert [group["lr_scale"] for group in groups] == [1.0, 5.0, 1.0]
    members = [id(p) for group in groups for p in group["params"]]
    assert sorted(members) == sorted(id(p) for p in system.parameters())
    assert system.schedule().steps == round(DEFAULTS.parabart.steps * TRAIN.steps)


def test_long_sources_and_targets_are_cut_at_a_word(tiny_backbone: Path) -> None:
    sentence = active("cat", "saw", "dog")
    assert first_words(sentence, 6) == sentence.text
    assert first_words(sentence, 3) == "The cat saw"
    system = build(tiny_backbone, max_words=3)
    whole, cut = build(tiny_backbone)._targets([sentence])[0], system._targets([sentence])[0]
    assert cut == whole[:3]
    assert whole[-1] == system.end
    with pytest.raises(SynsemError, match="is not in the text; parse it again"):
        first_words(Side("The cat", ["The", "dog", "saw"], [0, 1, 1]), 2)


def test_a_target_has_no_more_subwords_than_the_decoder_has_positions(tiny_backbone: Path) -> None:
    system = build(tiny_backbone, max_words=400)
    longest = system.paraphraser.config.max_position_embeddings
    for words in (longest - 1, longest, longest + 50):  # the first has room for the end
        [target] = system._targets([Side(" ".join(["cat"] * words), ["cat"] * words, [])])
        assert len(target) == longest
        assert (target[-1] == system.end) == (words < longest)
