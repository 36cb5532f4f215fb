"""SSCP (Adavala & Adavala 2026): two views of a sentence, its words and its tree, contrasted with each other.

    python examples/sscp.py

One encoder reads plain text. The other reads the same text with a bias on attention: a learned number for
each distance between two words in the dependency tree. A rewording shall be near its source in both views,
and the same words with agent and patient exchanged shall not.
"""

import torch
from texts import batches, create, show, steps, told_apart, triplets


def main() -> None:
    count = steps(__doc__, default=30)

    # Data: active sentences, their passives, and exchanges of agent and patient, each with its tree.
    examples = triplets(200)
    train, test = examples[40:], examples[:40]

    # Model: both encoders start as MiniLM, and the bias starts at zero.
    torch.manual_seed(13)
    system = create("sscp")
    system.prepare([each.anchor for each in train])
    system.begin_training()
    optimizer = torch.optim.AdamW(system.parameter_groups())

    views = ("semantic", "syntactic", "joint")
    before = {view: told_apart(system, test, view) for view in views}

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

    print("rewording nearer than exchange of roles, in percent of held-out sentences")
    for view in views:
        print(f"  {view:9}  before {before[view]:3.0f}  after {told_apart(system, test, view):3.0f}")
    show(system, test[0], "joint")


if __name__ == "__main__":
    main()
