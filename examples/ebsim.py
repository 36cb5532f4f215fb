"""EBSIM (2024): a cross-encoder for matching, pretrained on titled documents without a single label.

    python examples/ebsim.py

A title is closer to the sentence that says most about it than to a later sentence of its document. Read
together, a pair is compared by the state of [CLS] (relation) and by softly aligned tokens (alignment).
"""

import torch
from texts import PEOPLE, PLACES, create, steps, texts

from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Batch, System


def documents() -> list[tuple[str, str, str]]:
    """Titles, each with a first sentence about it and a later one about something else."""
    found = []
    later = iter(texts(200))
    for person in PEOPLE:
        for place in PLACES:
            for word in ("arrest", "marriage", "journey", "portrait", "speech"):
                title = f"The {person}'s {word}"
                first = f"This is about the {word} of a {person}, which took place {place}."
                found.append((title, first, next(later)))
    return found


def batch(some: list[tuple[str, str, str]]) -> Batch:
    """Triplets as training examples; no trees are read."""
    anchors, positives, negatives = ([Sentence(text) for text in side] for side in zip(*some, strict=True))
    return Batch(anchors, positives, negatives, owners=range(len(some)))


@torch.no_grad()
def ordered(system: System, some: Batch) -> float:
    """Percentage of held-out triplets in the right order."""
    return 100 * float(system.eval().loss(some)["ordered"])


def main() -> None:
    count = steps(__doc__, default=25)
    found = documents()
    order = torch.randperm(len(found), generator=torch.Generator().manual_seed(13)).tolist()
    test, train = batch([found[row] for row in order[:40]]), [found[row] for row in order[40:]]

    # Model: MiniLM as a cross-encoder, and the two aspects with random weights.
    torch.manual_seed(13)
    system = create("ebsim")
    optimizer = torch.optim.AdamW(system.parameter_groups())

    before = ordered(system, test)
    for step in range(count):
        system.train()
        # Loss: for each aspect a triplet loss, margin 1 (eq. 5).
        rows = torch.randint(len(train), (16,)).tolist()
        losses = system.loss(batch([train[row] for row in rows]))
        optimizer.zero_grad()
        losses["loss"].backward()
        optimizer.step()
        if step % 5 == 0:
            print(f"step {step}:", {name: round(value.item(), 3) for name, value in losses.items()})

    print(f"triplets in the right order: before {before:.0f} %, after {ordered(system, test):.0f} %")
    title, first, later = test.anchors[0], test.positives[0], test.negatives[0]
    print(f"  {title.text}")
    for score, sentence in zip(
        system.late_scores([title, title], [first, later]), (first, later), strict=True
    ):
        print(f"  {score:.3f}  {sentence.text}")


if __name__ == "__main__":
    main()
