"""The two losses of the parser written out: L_CE by biaffine attention, one word at a time, and L_CSSL."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from pipeline.nn.tree_attention import tree_distance
from pipeline.systems.base import Batch
from pipeline.systems.cssl.parser import decode
from tests.systems.cssl.test_cssl import BATCH, TREES, create, small  # noqa: F401 - a fixture


def test_heads_and_relations_have_the_cross_entropy_of_the_biaffine_scores(tiny_backbone: Path) -> None:
    """Dozat & Manning 2017: [x; 1] U [y; 1] of dependent and head; the relation is that to the gold head.

    The best heads are others than the gold ones, so that a relation to those would have another loss.
    """
    system = create(tiny_backbone, contrast="none").eval()
    scorers = system.scorers
    torch.nn.init.normal_(scorers.arc.weight)
    torch.nn.init.normal_(scorers.label.weight)
    one = torch.ones(1)
    heads, relations, best = [], [], []
    with torch.no_grad():
        found = system.loss(BATCH)
        for tree in TREES:  # each by itself, so that nothing is padding
            tokens, real = system._tokens([tree])
            states = system._word_states(system.semantic.states(tokens), tokens, real)[0]
            for word, (gold, relation) in enumerate(zip(tree.heads, tree.deprels, strict=True), start=1):
                dependent = torch.cat([scorers.arc_dependent(states[None, word, None])[0, 0], one])
                scores = [
                    dependent @ scorers.arc.weight[0] @ torch.cat([head, one])
                    for head in scorers.arc_head(states[None])[0]
                ]
                scores[word] = torch.tensor(-torch.inf)  # no word is its own head
                heads.append(-torch.stack(scores).log_softmax(dim=0)[gold])
                best.append(int(torch.stack(scores).argmax()) == gold)
                x = torch.cat([scorers.label_dependent(states[None, word, None])[0, 0], one])
                y = torch.cat([scorers.label_head(states[None, gold, None])[0, 0], one])
                labels = torch.stack([x @ weight @ y for weight in scorers.label.weight])
                relations.append(-labels.log_softmax(dim=0)[system.labels.relations.index(relation)])
    assert not all(best)
    torch.testing.assert_close(found["arc"], torch.stack(heads).mean(), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(found["relation"], torch.stack(relations).mean(), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("number", [0, 3])
def test_the_second_pass_reads_the_labelled_tree_that_the_first_one_found(
    number: int, tiny_backbone: Path
) -> None:
    """RNGTr: the first labelled tree as a bias on the same encoder's attention, then the loss once more."""
    system, tree = create(tiny_backbone, refinements=1, contrast="none").eval(), TREES[number]
    assert system.bias is not None
    for table in (*system.bias.parameters(), system.scorers.label.weight):
        torch.nn.init.normal_(table, std=3)
    torch.nn.init.normal_(system.scorers.arc.weight)
    root = system.labels.relations.index("root")
    gold = torch.tensor(tree.heads)
    with torch.no_grad():
        tokens, real = system._tokens([tree])
        states, losses = system.semantic.states(tokens), []
        for _ in range(2):
            words = system._word_states(states, tokens, real)
            arcs = system.scorers.arcs(words, real)[0]
            losses.append(torch.nn.functional.cross_entropy(arcs, gold))
            heads = torch.from_numpy(decode(arcs[None].numpy(), np.array([len(tree.words)])))
            labels = system.scorers.labels(words, heads)
            labels[..., root] = -torch.inf  # of no word but that under the root
            relations = torch.where(heads == 0, root, labels.argmax(dim=2)) + 1
            read = dataclasses.replace(tokens, heads=heads, relations=relations)
            bias = system.bias(read, tree_distance(heads))
            states = system.semantic.model(input_ids=tokens.ids, attention_mask=bias).last_hidden_state
        found = system.loss(Batch([tree], [tree], []))["arc"]
    assert (losses[0] - losses[1]).abs() > 1e-3
    torch.testing.assert_close(found, (losses[0] + losses[1]) / 2, atol=1e-4, rtol=1e-4)


def test_above_bilstms_z_is_the_mean_of_root_and_words(tiny_backbone: Path) -> None:
    system = create(tiny_backbone, encoder="scratch").eval()
    torch.nn.init.normal_(system.root)
    expected = []
    with torch.no_grad():
        for tree in TREES:  # each by itself, so that nothing is padding
            tokens, real = system._tokens([tree])
            states = system._word_states(system.semantic.states(tokens), tokens, real)[0]
            assert len(states) == 1 + len(tree.words)
            expected.append(torch.nn.functional.normalize(states.mean(dim=0), dim=0))
    found = torch.from_numpy(system.embed(TREES)["semantic"])
    torch.testing.assert_close(found, torch.stack(expected), atol=1e-5, rtol=1e-4)
