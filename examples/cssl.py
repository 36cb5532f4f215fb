"""CSSL (Ray et al. 2024): a dependency parser that is made robust to word order.

    python examples/cssl.py

A biaffine parser learns trees. At the same time the pooled states of a sentence and of the same words in
another order that keeps its tree are contrasted, with the other sentences of the batch as negatives.
"""

from random import Random

import torch
from texts import create, parsed, steps

from pipeline.syntax.attachment_scores import compare
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree, permuted
from pipeline.systems.base import Batch, System


def scores(system: System, gold: list[Sentence]) -> str:
    """UAS and LAS of the parser, in the order of the text and in another."""
    rng = Random(13)
    moved = [permuted(each, rng) or each for each in gold]
    found = []
    for name, sentences in (("as written", gold), ("permuted", moved)):
        points = compare(sentences, system.parse(sentences)).score()
        found.append(f"{name} UAS {points.uas:.0f} LAS {points.las:.0f}")
    return ", ".join(found)


def main() -> None:
    count = steps(__doc__, default=40)

    # Data: trees to learn; here another parser made them.
    sentences = parsed(200)
    train, test = sentences[40:], sentences[:40]

    # Model: MiniLM, biaffine scorers of heads and relations, taggers. Decoding finds the best tree.
    torch.manual_seed(13)
    system = create("cssl")
    system.prepare(train)  # takes relations and tags from the trees
    optimizer = torch.optim.AdamW(system.parameter_groups())

    print("before:", scores(system, test))
    rng = Random(13)
    for step in range(count):
        system.train()
        # Loss: cross-entropy of heads, relations and tags, plus InfoNCE of a sentence and its permutation,
        # which the system draws itself.
        anchors = rng.sample(train, 16)
        losses = system.loss(Batch(anchors, anchors, []))
        optimizer.zero_grad()
        losses["loss"].backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step}:", {name: round(value.item(), 3) for name, value in losses.items()})
    system.eval()
    print("after: ", scores(system, test))

    [tree] = system.parse(test[:1])
    print(DependencyTree.of(tree).drawn())


if __name__ == "__main__":
    main()
