"""Evaluation's embedding against ``SentenceTransformer.encode``: same weights, same texts, in the same run.

    python benchmarks/embedding.py --parsed data/parsed
    python benchmarks/embedding.py models/sscp/13 --parsed data/parsed

Each two sentences of the corpus in a row are a pair. ``vectors`` gives every view of all of them, ``vectors
and scores`` the late-interaction scores of the pairs, too, in one pass; ``one after the other`` computes the
same without sharing a pass. sentence-transformers gives the semantic vectors alone. All sides tokenise, cut
at ``encoder.max_tokens`` and return NumPy arrays. They take turns, so that other load on the machine slows
all alike. The first round is not timed; medians are compared, of the clock and of the processor's time.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from timing import FOLDER, Seconds, in_rounds, medians, record

THEIRS = "sentence-transformers"


def main(
    model: Annotated[Path | None, typer.Argument(help="A trained model's folder; default: backbone.")] = None,
    parsed: Path = Path("data/parsed"),
    sentences: int = 2000,
    rounds: int = 5,
    threads: int = 2,
    params: Path = Path("params.yaml"),
    out: Path = FOLDER,
) -> None:
    import torch
    from sentence_transformers import SentenceTransformer

    from pipeline.core.store import rows
    from pipeline.evaluation.embedding_cache import EmbeddingCache
    from pipeline.evaluation.models import scores_pairs
    from pipeline.nn.amp import has_native_fp16
    from pipeline.nn.backbone import locate
    from pipeline.params import load
    from pipeline.syntax.sentence import Sentence
    from pipeline.systems import registry

    torch.set_num_threads(threads)
    first = zip(rows(parsed / "corpus"), range(sentences), strict=False)
    texts = [Sentence.from_row(row) for row, _ in first]
    texts = list({each.text: each for each in texts}.values())
    a, b = texts[: len(texts) // 2 * 2 : 2], texts[1::2]
    both = [*a, *b]
    encoder = load(params, "encoder").encoder
    embedder: Any = registry.backbone(encoder) if model is None else registry.load(model)
    folder = locate(encoder.model) if model is None else str(model / "sentence-transformer")
    theirs = SentenceTransformer(folder, device="cpu")
    theirs.max_seq_length = embedder.tokenizer.max_tokens

    def separate() -> np.ndarray:
        if scores_pairs(embedder):
            embedder.late_scores(a, b)
        return EmbeddingCache(embedder)(both)["semantic"]

    def together() -> np.ndarray:
        found, others, _ = EmbeddingCache(embedder).pairs(a, b)
        return np.concatenate([found["semantic"], others["semantic"]])

    contenders: dict[str, Callable[[], np.ndarray]] = {
        THEIRS: lambda: theirs.encode(
            [each.text for each in both], batch_size=32, show_progress_bar=False, normalize_embeddings=True
        ),
        "vectors": lambda: EmbeddingCache(embedder)(both)["semantic"],
    }
    if scores_pairs(embedder):
        contenders |= {"vectors and scores": together, "one after the other": separate}
    vectors = {name: encode() for name, encode in contenders.items()}
    seconds = in_rounds(contenders, rounds)
    native = "yes" if has_native_fp16(torch.device("cpu")) else "no"
    print(f"{len(both):,} sentences, {threads} threads, native float16: {native}")
    sides = {name: medians(taken) for name, taken in seconds.items()}
    for name, found in sides.items():
        clock, cpu = (sides[THEIRS][kind] / found[kind] for kind in Seconds._fields)
        difference = float(np.abs(vectors[name] - vectors[THEIRS]).max())
        print(
            f"{name:22} {found['seconds']:7.2f} s  {len(both) / found['seconds']:6,.0f} texts/s  "
            f"ratio {clock:4.2f}, by processor time {cpu:4.2f}  largest difference {difference:.1e}"
        )
        found["difference"] = difference
    name = "embedding" if model is None else f"embedding-{embedder.name}"
    work = {"sentences": len(both), "threads": threads, "rounds": rounds, "native_float16": native}
    record(name, sides, work, out)


if __name__ == "__main__":
    typer.run(main)
