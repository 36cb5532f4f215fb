"""Bulk embedding against ``SentenceTransformer.encode``: same weights, same sentences, same vectors.

    python benchmarks/encode.py models/sscp/13 --parsed data/parsed

Both sides tokenise, run and return NumPy vectors. They take turns, and the fastest round of each counts, so
that what else the machine does weighs on both alike.
"""

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer


def main(
    model: Annotated[Path, typer.Argument(help="A trained model's folder.")],
    parsed: Path = Path("data/parsed"),
    sentences: int = 2000,
    rounds: int = 3,
) -> None:
    from sentence_transformers import SentenceTransformer

    from pipeline.nn.embedding import embed
    from pipeline.sentences import Side
    from pipeline.store import rows
    from pipeline.systems import registry

    texts = [row["text"] for row, _ in zip(rows(parsed / "corpus"), range(sentences), strict=False)]
    sides = [Side(text, (), ()) for text in texts]
    system = registry.load(model)
    theirs = SentenceTransformer(str(model / "sentence-transformer"), device="cpu")

    def ours() -> np.ndarray:
        return embed({"semantic": system.semantic}, system.tokeniser, sides)["semantic"]

    def other() -> np.ndarray:
        return theirs.encode(texts, batch_size=32, show_progress_bar=False)

    best = {"ours": float("inf"), "sentence-transformers": float("inf")}
    for _ in range(rounds):
        for name, function in (("ours", ours), ("sentence-transformers", other)):
            began = time.perf_counter()
            vectors = function()
            best[name] = min(best[name], time.perf_counter() - began)
            if name == "ours":
                expected = vectors
    difference = np.abs(expected - vectors).max()
    for name, seconds in best.items():
        print(f"{name:22} {seconds:7.2f} s  {len(texts) / seconds:8.0f} sentences/s")
    print(f"ratio {best['sentence-transformers'] / best['ours']:.2f}, largest difference {difference:.1e}")


if __name__ == "__main__":
    typer.run(main)
