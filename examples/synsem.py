"""SynSem: a frozen encoder, and beside it a small reader that learns who did what to whom.

    python examples/synsem.py

The reader learns from trees which content word follows which in role order (agent, verb, patient, the rest),
so an active and its passive have the same links. The structural vector binds linked words. No tree is needed
later: the reader predicts the links from text.
"""

import torch
from texts import batches, create, show, steps, told_apart, triplets


def main() -> None:
    count = steps(__doc__, default=120)

    # Data: active sentences, their passives, and exchanges of agent and patient, each with its tree.
    examples = triplets(200)
    train, test = examples[40:], examples[:40]

    # Model: MiniLM stays as it is; link encoder, heads and structural pooling are new.
    torch.manual_seed(13)
    system = create("synsem", steps=count)
    system.prepare([each.anchor for each in train])
    system.begin_training()
    optimizer = torch.optim.AdamW(system.parameter_groups())

    views = ("semantic", "joint")
    before = {view: told_apart(system, test, view) for view in views}

    # Loss: predict the next content word; in the second half of the steps, also contrast structural vectors.
    for step, examples_of_step in enumerate(batches(train, 8, count)):
        system.train()
        system.begin_step(step)
        losses = system.loss(examples_of_step)
        optimizer.zero_grad()
        losses["loss"].backward()
        optimizer.step()
        if step % 30 == 0:
            print(f"step {step}:", {name: round(value.item(), 3) for name, value in losses.items()})
    system.eval()

    print("rewording nearer than exchange of roles, in percent of held-out sentences")
    for view in views:
        print(f"  {view:9}  before {before[view]:3.0f}  after {told_apart(system, test, view):3.0f}")
    show(system, test[0], "joint")


if __name__ == "__main__":
    main()
