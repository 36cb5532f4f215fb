"""Syntactic sentence embeddings (Liu et al. 2019): a vector that holds the tags of a translation.

    python examples/upos.py

A BiLSTM reads subwords, its outputs are max-pooled to a vector, and a decoder writes the sequence of
universal tags from it. Here source and target are the same sentence; with translations the vectors of both
must agree. The vector ends up knowing the shape of a sentence, and forgets its words.
"""

import torch
from texts import create, parsed, steps

from pipeline.syntax.sentence import Sentence
from pipeline.systems.base import Batch, System


@torch.no_grad()
def accuracy(system: System, sentences: list[Sentence]) -> float:
    """Percentage of held-out tags that the decoder predicts right."""
    return 100 * float(system.eval().loss(Batch(sentences, sentences, []))["accuracy"])


def nearest(system: System, sentences: list[Sentence]) -> tuple[Sentence, Sentence]:
    """The first sentence, and the nearest of the others by cosine."""
    found = system.embed(sentences)["syntactic"]
    return sentences[0], sentences[1 + int((found[1:] @ found[0]).argmax())]


def main() -> None:
    count = steps(__doc__, default=60)

    # Data: sentences with their tags. For a language pair the positives would be translations.
    sentences = parsed(200)
    train, test = sentences[40:], sentences[:40]

    # Model: subwords are learnt from the sentences; BiLSTM and decoder start from random weights.
    torch.manual_seed(13)
    system = create("upos")
    system.prepare(train)
    optimizer = torch.optim.AdamW(system.parameter_groups())

    before = accuracy(system, test)
    for step in range(count):
        system.train()
        # Loss: cross-entropy of each tag, given the vector and the tags before it.
        rows = torch.randint(len(train), (16,)).tolist()
        some = [train[row] for row in rows]
        loss = system.loss(Batch(some, some, []))["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step}: loss {loss.item():.3f}")

    print(f"tags predicted right: before {before:.0f} %, after {accuracy(system, test):.0f} %")
    for sentence in nearest(system, test):
        print(f"  {sentence.text}\n    {' '.join(sentence.upos)}")


if __name__ == "__main__":
    main()
