"""ParaBART: its two losses against the formulas, what each update moves, what the decoder is given."""

import dataclasses
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F
from transformers import AutoTokenizer, BartModel, T5Config, T5Model

from pipeline.export.sentence_transformers import export_plain
from pipeline.nn import compute as amp
from pipeline.syntax.constituency import Tree, derive, template, tokens
from pipeline.syntax.constituency.tree import PHRASES, TAGS
from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Batch, registry
from pipeline.systems.parabart import model
from pipeline.systems.parabart.decoder import leaf_positions
from pipeline.systems.parabart.model import LABELS, Discriminator, System, bags, discriminator_loss
from pipeline.training.loop import adamw, train_step
from tests.syntax.constituency.parseval import leaves, read
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
WHOLE = st.recursive(
    st.sampled_from(TAGS).map(Tree),
    lambda inner: st.builds(
        Tree,
        st.sampled_from(PHRASES),
        st.lists(inner, min_size=1, max_size=4).map(lambda inner: tuple(inner)),
    ),
    max_leaves=15,
).filter(lambda tree: bool(tree.children))


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
@pytest.mark.parametrize(("domain_confusion", "rise"), [(False, 0.1), (True, 0.02)])
def test_each_update_works_against_the_other(
    domain_confusion: bool, rise: float, tiny_backbone: Path
) -> None:
    system = build(tiny_backbone, adversary=50.0, domain_confusion=domain_confusion).eval()
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
    assert adversary.loss(batch)["loss"].item() > learnt + rise


def predicted_one_by_one(system: System, vector: torch.Tensor, target: Sentence) -> torch.Tensor:
    """log P of each subword of the target and of the end, given only the subwords before it."""
    memory = system.paraphraser.memory(vector[None], [template(target)])
    [(ids, next_word)] = system._targets([target])
    found = []
    for number, subword in enumerate(ids):
        before = torch.tensor([[system.start, *ids[:number]]])
        states = system.paraphraser.states(memory, before, torch.tensor([next_word[: number + 1]]))
        found.append(system.paraphraser.logits(states[0, -1]).log_softmax(dim=0)[subword])
    return torch.stack(found)


@pytest.mark.usefixtures("no_word_dropout")
@pytest.mark.parametrize("guidance", ["leaves", "attention"])
def test_the_loss_is_the_papers(folder: Path, guidance: str) -> None:
    """Section 3, L_para as a mean over subwords, each given only those before it, less lambda L_adv."""
    system = build(folder, guidance=guidance, adversary=0.3, domain_confusion=False)
    without_dropout(system).train()
    batch = Batch([ANCHORS[0], ANCHORS[1]], [SHORT, BATCH.positives[1]], [])
    with torch.no_grad():
        losses = system.loss(batch)
        vectors = system._source_vectors(system._sources(batch.anchors))
        pairs = zip(vectors, batch.positives, strict=True)
        predicted = torch.cat([predicted_one_by_one(system, *each) for each in pairs])
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


def test_domain_confusion_is_least_where_nothing_is_predicted(tiny_backbone: Path) -> None:
    """It adds lambda KL(mean bag, prediction): zero, with zero gradient, for the mean bag everywhere."""
    tags = [["DT", "NN", "VBD", "DT", "NN", "."], ["NN", "NN", "NN", "NN", "NN", "NN"]]
    anchors = [replace(ANCHORS[0], xpos=each) for each in tags]
    system = build(tiny_backbone, domain_confusion=True, adversary=0.3).eval()
    with torch.no_grad():
        found = system.encode(Batch(anchors, BATCH.positives[:2], []))
    system.training = True  # the system's own flag
    mean = bags([derive(each) for each in anchors]).mean(dim=0)

    def added(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What the adversary adds to the loss, and the gradient of it."""
        predicted = logits.requires_grad_(True).log_softmax(dim=1)
        losses = system.loss_from_embeddings(found | {"tags": predicted})
        more = losses["loss"] - losses["paraphrase"]
        torch.testing.assert_close(more, 0.3 * F.kl_div(predicted, mean.expand(2, -1), reduction="batchmean"))
        return more.detach(), torch.autograd.grad(more, logits)[0]

    nothing, still = added((mean + 1e-9).log().repeat(2, 1))
    torch.testing.assert_close(nothing, torch.zeros(()), atol=1e-5, rtol=0)
    torch.testing.assert_close(still, torch.zeros_like(still), atol=1e-5, rtol=0)
    right, _ = added((found["bags"] + 1e-3).log())
    wrong, _ = added((found["bags"].flip(0) + 1e-3).log())
    assert min(right, wrong) > 0.05


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


@given(WHOLE)
@settings(max_examples=80, deadline=None)
def test_every_word_of_a_tree_has_its_leaf(tree: Tree) -> None:
    linear = tokens(tree)
    *places, end = leaf_positions(linear)
    assert [linear[place] for place in places] == [f"({leaf.label}" for leaf in leaves(tree)]
    assert end == len(linear) - 1


def test_the_next_word_is_that_of_the_tree(tiny_backbone: Path) -> None:
    words = ["Dr.", "O'Grady", "'s", "dog", "ca", "n't", "see", "3.5", "ships", "."]
    [(ids, next_word)] = build(tiny_backbone, guidance="leaves")._targets(
        [Sentence("Dr. O'Grady's dog can't see 3.5 ships.", words, [])]
    )
    tokenizer = build(tiny_backbone).tokenizer.hf_tokenizer
    assert len(next_word) == len(ids)  # of the start, and of all but the end
    assert next_word[0] == 0
    assert list(next_word) == sorted(next_word)
    begun = dict(zip(tokenizer.convert_ids_to_tokens(ids[:-1]), next_word[1:], strict=True))
    assert (begun["dr"], begun["dog"], begun["see"], next_word[-1]) == (1, 4, 7, len(words))


@pytest.mark.parametrize("guidance", ["leaves", "attention", "none"])
def test_what_the_decoder_reads_with_each_subword(folder: Path, guidance: str) -> None:
    system = build(folder, guidance=guidance).eval()
    writer, linear = system.paraphraser, template(BATCH.positives[0])  # DT NN VBD VBN IN DT NN .
    subwords, next_word = torch.tensor([[system.start, 40, 41, 42]]), torch.tensor([[0, 1, 1, 8]])
    tags = [place for place, token in enumerate(linear[:-1]) if token != ")" and linear[place + 1] == ")"]
    with torch.no_grad():
        memory = writer.memory(torch.randn(1, 32), [linear])
        norm = system.semantic.model.get_input_embeddings().weight.norm(dim=1).mean()
        read = writer.table(subwords)
        if guidance != "attention":
            read = read + norm * F.normalize(memory.states[:, :1], dim=2)
        if guidance == "leaves":
            states = memory.states[0, [1 + place for place in (tags[0], tags[1], tags[1], len(linear) - 1)]]
            read = read + norm * F.normalize(states, dim=1)
        expected = writer.decoder(
            inputs_embeds=read,
            encoder_hidden_states=memory.states,
            encoder_attention_mask=memory.mask.long(),
        ).last_hidden_state
        torch.testing.assert_close(writer.states(memory, subwords, next_word), expected)
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
    [(whole, _)] = system._targets([sentence])
    assert whole[-1] == system.end
    longest = system.paraphraser.config.max_position_embeddings
    monkeypatch.setattr(model, "_MOST_WORDS", 3)
    assert model._first_words(sentence) == "The cat saw"
    assert system._targets([sentence])[0].subwords == whole[:3]
    monkeypatch.setattr(model, "_MOST_WORDS", 400)
    for words in (longest - 1, longest):  # the first has room for the end
        [target] = system._targets([Sentence(" ".join(["cat"] * words), ["cat"] * words, [])])
        assert len(target.subwords) == longest
        assert (target.subwords[-1] == system.end) == (words < longest)


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
