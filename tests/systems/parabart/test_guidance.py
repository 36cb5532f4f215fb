"""What makes ParaBART's decoder read the tree: the next word's leaf, and a frozen encoder at first."""

import dataclasses
from pathlib import Path

import pytest
import torch

from pipeline.nn import amp
from pipeline.syntax.constituency import Tree, constituents, template
from pipeline.syntax.sentence import HasTree
from pipeline.systems.base import Batch
from pipeline.training.loop import train_step
from pipeline.training.optimizer import adamw
from tests.systems.parabart.paraphrases import ANCHORS, BATCH, TRAIN, build, moved, weights, without_dropout


@pytest.mark.parametrize("family", ["bert", "bart"])
def test_leaf_every_step_adds_the_state_of_the_next_words_leaf_to_every_subword(
    family: str, tiny_backbone: Path, tiny_bart: Path
) -> None:
    system = build(
        tiny_backbone if family == "bert" else tiny_bart, leaf_every_step=True, vector_every_step=False
    ).eval()
    writer, tokenizer = system.paraphraser, system.tokenizer.hf_tokenizer
    ids = tokenizer("the cat, the", add_special_tokens=False)["input_ids"]
    linear = template(BATCH.positives[0])  # DT NN VBD VBN IN DT NN .
    with torch.no_grad():
        memory = system.memory(torch.randn(1, 32), [linear])
        subwords = torch.tensor([[system.start, *ids]])
        count = writer.word_count
        assert count is not None
        begun = count(subwords)[0].tolist()
        tags = [place for place, token in enumerate(linear[:-1]) if token != ")" and linear[place + 1] == ")"]
        length = system.semantic.model.get_input_embeddings().weight.norm(dim=1).mean()

        def expected(subwords: torch.Tensor, places: list[int]) -> torch.Tensor:
            states = memory.states[0, [1 + place for place in places]]
            found: torch.Tensor = writer.decoder(
                inputs_embeds=writer.table(subwords) + length * states / states.norm(dim=1, keepdim=True),
                encoder_hidden_states=memory.states,
                encoder_attention_mask=memory.mask.long(),
            ).last_hidden_state
            return found

        leaves = [tags[word] for word in begun]
        torch.testing.assert_close(writer.states(memory, subwords), expected(subwords, leaves))
        # After the last word it is the state at the tree's end
        many = torch.tensor([[system.start, *(ids * 6)]])
        assert count(many).max() > len(tags)
        assert memory.leaves is not None
        assert memory.leaves[0, -1] == len(linear)
        leaves = [tags[word] if word < len(tags) else len(linear) - 1 for word in count(many)[0].tolist()]
        torch.testing.assert_close(writer.states(memory, many), expected(many, leaves))


def test_with_the_leaf_it_soon_predicts_what_the_tree_asks_for(tiny_bart: Path) -> None:
    """Of one sentence, the active and the passive voice: only the tree tells which."""
    both = Batch([*ANCHORS, *ANCHORS], [*BATCH.positives, *ANCHORS], [])
    crossed = [template(each) for each in (*ANCHORS, *BATCH.positives)]
    lost = {}
    for leaf_every_step in (False, True):
        system = build(
            tiny_bart,
            leaf_every_step=leaf_every_step,
            vector_every_step=True,
            word_dropout=0.0,
            adversary=0.0,
        )
        optimizer = torch.optim.Adam(without_dropout(system).train().parameters(), lr=5e-3)
        for _ in range(25):
            optimizer.zero_grad()
            system.loss(both)["loss"].backward()
            optimizer.step()
        with torch.no_grad():
            right, wrong = (
                system.eval().score_targets(both.anchors, both.positives, trees).loss.sum().item()
                for trees in ([template(each) for each in both.positives], crossed)
            )
        lost[leaf_every_step] = wrong - right
    assert lost[True] > max(0.0, 2 * lost[False])


@pytest.mark.parametrize("family", ["bert", "bart"])
@pytest.mark.parametrize("chunk", [None, 3])
def test_the_encoder_waits_for_the_others(
    chunk: int | None, family: str, tiny_backbone: Path, tiny_bart: Path
) -> None:
    """A BART's table is the decoder's, too, and waits all the same."""
    folder = tiny_backbone if family == "bert" else tiny_bart
    system = build(folder, freeze_encoder=0.5, steps=1.0)  # of four steps
    system.settings = dataclasses.replace(system.settings, train=TRAIN.model_copy(update={"chunk": chunk}))
    optimizer, scaler = adamw(system, TRAIN), amp.grad_scaler(system.device, "fp32")
    rest = {"discriminator", "paraphraser"}
    for step, expected in enumerate([rest, rest, rest | {"semantic"}, rest | {"semantic"}]):
        before = weights(system)
        system.begin_step(step)
        train_step(system, [BATCH], optimizer, scaler)
        assert moved(system, before) == expected
    system.begin_step(0)  # vectors have a gradient outside training in any case
    assert system.eval().source_vectors(ANCHORS).requires_grad


def test_a_source_tree_is_made_once_a_step(tiny_backbone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(sentence: HasTree) -> Tree:
        made.append(sentence.text)
        return constituents(sentence)

    system = build(tiny_backbone)
    monkeypatch.setattr(system._tree, "_make", counted)
    optimizer, scaler = adamw(system, TRAIN), amp.grad_scaler(system.device, "fp32")
    for step in range(2):
        system.begin_step(step)
        train_step(system, [BATCH, BATCH], optimizer, scaler)
    sources, targets = [each.text for each in ANCHORS], [each.text for each in BATCH.positives]
    assert sorted(made) == sorted(2 * sources + 4 * targets)
    system.begin_step(2)
    with torch.no_grad():
        for _ in range(2):
            system.eval().loss(BATCH)  # outside training nothing is kept
    assert sorted(made) == sorted((2 + 2) * sources + (4 + 2) * targets)
