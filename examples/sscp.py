"""SSCP (Adavala & Adavala 2026): two views of a sentence, its words and its tree, contrasted with each other.

    python examples/sscp.py

One encoder reads plain text. The other reads the same text with a bias on attention: a learned number for
each distance between two words in the dependency tree. A rewording shall be near its source in both views,
and the same words with agent and patient exchanged shall not.
"""

import torch
from texts import Triplet, batches, create, steps, triplets

from pipeline.systems.base import System


def across(system: System, some: list[Triplet]) -> tuple[float, str]:
    """Percentage of rewordings nearer than exchanges of roles, across the views, and an example."""
    anchors, positives, negatives = (system.embed(side) for side in zip(*some, strict=True))
    near, far = ((anchors["semantic"] * other["syntactic"]).sum(axis=1) for other in (positives, negatives))
    first = some[0]
    shown = f"  {near[0]:.3f}  {first.positive.text}\n  {far[0]:.3f}  {first.negative.text}"
    return 100 * float((near > far).mean()), shown


def main() -> None:
    count = steps(__doc__, default=30)

    # Data: active sentences, their passives, and exchanges of agent and patient, each with its tree.
    examples = triplets(200)
    train, test = examples[40:], examples[:40]

    # Model: both encoders start as MiniLM, and the bias starts at zero.
    torch.manual_seed(13)
    system = create("sscp", hard_negatives=True)
    system.prepare([each.anchor for each in train])
    system.begin_training()
    optimizer = torch.optim.AdamW(system.parameter_groups())

    before, shown_before = across(system, test)

    # Loss: symmetric InfoNCE across the views (eq. 4 and 5), with the exchanges as hard negatives.
    for step, examples_of_step in enumerate(batches(train, 16, count)):
        system.train()
        system.begin_step(step)
        losses = system.loss(examples_of_step)
        optimizer.zero_grad()
        losses["loss"].backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step}:", {name: round(value.item(), 3) for name, value in losses.items()})
    system.eval()

    after, shown_after = across(system, test)
    print("from held-out sentences' words, the rewording's tree is nearer than that of the exchange")
    print(f"before {before:.0f} %\n{shown_before}\nafter {after:.0f} %\n{shown_after}")


if __name__ == "__main__":
    main()
