"""ParaBART (Huang, Huang & Chang 2021): a vector of what is said, freed of how it is said.

    python examples/parabart.py

A decoder predicts the paraphrase from the source's vector and the paraphrase's constituency tree. The tree
says how, so the vector need only say what. A discriminator reads the source's syntax off the vector, and the
encoder is trained to leave it nothing to read.
"""

from dataclasses import replace

import torch
from texts import batch, batches, create, steps, triplets

from pipeline.syntax.constituency import template
from pipeline.systems.base import Batch, System


@torch.no_grad()
def losses(system: System, some: Batch) -> dict[str, float]:
    """Nats per subword of held-out paraphrases, with their own trees and with those of the sources."""
    system.eval()
    found = {}
    for name, trees in (("own tree", some.positives), ("tree of the source", some.anchors)):
        reading = system.read(some, None)._replace(templates=list(map(template, trees)))
        found[name] = float(system.loss(replace(some, reading=reading))["paraphrase"])
    found["discriminator"] = float(system.adversary.loss(some)["loss"])
    return found


def main() -> None:
    count = steps(__doc__, default=40)

    # Data: a sentence and its passive, each with a constituency tree derived from its dependencies.
    examples = triplets(200)
    train, test = examples[40:], batch(examples[:40])
    print(f"source  {test.anchors[0].text}\ntarget  {test.positives[0].text}")

    # Model: MiniLM as the semantic encoder; one layer each of BART's encoder (of trees) and decoder, from
    # random weights, so that the semantic encoder is frozen at first (freeze_encoder).
    torch.manual_seed(13)
    system = create("parabart", steps=count)
    print("tree    " + " ".join(template(test.positives[0])))
    system.prepare([each.anchor for each in train])
    optimizer = torch.optim.AdamW(system.parameter_groups())
    adversary = system.adversary

    before = losses(system, test)
    for step, examples_of_step in enumerate(batches(train, 16, count)):
        system.train()
        system.begin_step(step)

        # The discriminator learns to predict the source's bag of constituents from its vector ...
        optimizer.zero_grad()
        adversary.loss(examples_of_step)["loss"].backward()
        optimizer.step()

        # ... and then the rest learns to predict the paraphrase while misleading the discriminator.
        adversary.module.requires_grad_(False)
        optimizer.zero_grad()
        found = system.loss(examples_of_step)
        found["loss"].backward()
        optimizer.step()
        adversary.module.requires_grad_(True)
        if step % 10 == 0:
            print(f"step {step}:", {name: round(value.item(), 3) for name, value in found.items()})

    after = losses(system, test)
    print("nats per subword of held-out paraphrases, and loss of the discriminator")
    for name, value in before.items():
        print(f"  {name:18}  before {value:6.2f}  after {after[name]:6.2f}")


if __name__ == "__main__":
    main()
