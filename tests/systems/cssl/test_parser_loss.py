"""L_CE of the parser against biaffine attention written out, one word and one head at a time."""

from pathlib import Path

import pytest
import torch

from tests.systems.cssl.test_cssl import BATCH, TREES, create


@pytest.mark.parametrize("subwords", ["mean", "embeddings"])
def test_heads_and_relations_have_the_cross_entropy_of_the_biaffine_scores(
    subwords: str, tiny_backbone: Path
) -> None:
    """Dozat & Manning 2017: [x; 1] U [y; 1] of dependent and head; the relation is that to the gold head.

    The best heads are others than the gold ones, so that a relation to those would have another loss.
    """
    system = create(tiny_backbone, contrast=0.0, subwords=subwords).eval()
    scorers = system.scorers
    torch.nn.init.normal_(scorers.arc.weight)
    torch.nn.init.normal_(scorers.label.weight)
    one = torch.ones(1)
    heads, relations, best = [], [], []
    with torch.no_grad():
        found = system.loss(BATCH)
        for tree in TREES:  # each by itself, so that nothing is padding
            tokens, real = system._tokens([tree])
            states = system._word_states(system._states(tokens), tokens, real)[0]
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
