"""Bulk embedding against ``SentenceTransformer.encode``: same weights, same sentences, same vectors.

    python benchmarks/encode.py models/sscp/13 --parsed data/parsed

All sides tokenise, run and return NumPy vectors. They take turns, so that other load on the machine slows all
alike. The first round is not timed; medians are compared. ``fast`` is the default of `synsem encode`: float16
if the device has it natively; ``bf16`` takes bfloat16 where that alone is. sentence-transformers is timed by
its defaults, and in either precision too. Of a system that reads text alone the joint vector is timed as
well: what it costs beside its semantic part, which is the backbone's work.
"""

import statistics
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from pipeline.nn.amp import Inference

THEIRS = "sentence-transformers"
PRECISIONS: tuple[Inference, ...] = ("exact", "fast", "bf16")


def main(
    model: Annotated[Path, typer.Argument(help="A trained model's folder.")],
    parsed: Path = Path("data/parsed"),
    sentences: int = 2000,
    rounds: int = 5,
    threads: int = 2,
) -> None:
    import torch
    from sentence_transformers import SentenceTransformer

    from pipeline.core.store import rows
    from pipeline.export.sentence_transformers import parser_of
    from pipeline.export.text_encoder import TextEncoder
    from pipeline.nn.amp import half_autocast, has_native_fp16
    from pipeline.systems import registry

    torch.set_num_threads(threads)
    texts = [row["text"] for row, _ in zip(rows(parsed / "corpus"), range(sentences), strict=False)]
    system, parse = registry.load(model), parser_of(model, None)
    theirs = SentenceTransformer(str(model / "sentence-transformer"), device="cpu")

    def plain() -> np.ndarray:
        return theirs.encode(texts, batch_size=32, show_progress_bar=False)

    def halved(bf16: bool) -> np.ndarray:
        with half_autocast(torch.device("cpu"), bf16):
            return plain().astype(np.float32)

    exact, fast, bf16 = (TextEncoder(system, "semantic", parse, each) for each in PRECISIONS)
    contenders = {
        THEIRS: plain,
        "synsem, exact": lambda: exact(texts)["semantic"],
        "synsem, fast": lambda: fast(texts)["semantic"],
        "synsem, bf16": lambda: bf16(texts)["semantic"],
        f"{THEIRS}, float16": lambda: halved(bf16=False),
        f"{THEIRS}, bf16": lambda: halved(bf16=True),
    }
    if system.reads_text_alone:
        whole, whole_fast, whole_bf16 = (TextEncoder(system, "joint", parse, each) for each in PRECISIONS)
        contenders |= {
            "synsem, joint, exact": lambda: whole(texts)["joint"],
            "synsem, joint, fast": lambda: whole_fast(texts)["joint"],
            "synsem, joint, bf16": lambda: whole_bf16(texts)["joint"],
        }
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    vectors = {name: encode() for name, encode in contenders.items()}
    for _ in range(rounds):
        for name, encode in contenders.items():
            began = time.perf_counter()
            encode()
            seconds[name].append(time.perf_counter() - began)
    native = has_native_fp16(torch.device("cpu"))
    print(f"{len(texts):,} sentences, {threads} threads, native float16: {'yes' if native else 'no'}")
    for name, taken in seconds.items():
        median = statistics.median(taken)
        line = (
            f"{name:32} {median:7.2f} s  {len(texts) / median:7,.0f} sentences/s  "
            f"ratio {statistics.median(seconds[THEIRS]) / median:4.2f}"
        )
        if vectors[name].shape == vectors[THEIRS].shape:
            line += f"  largest difference {np.abs(vectors[name] - vectors[THEIRS]).max():.1e}"
        print(line)


if __name__ == "__main__":
    typer.run(main)
