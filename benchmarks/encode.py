"""Bulk embedding against ``SentenceTransformer.encode``: same weights, same sentences, same vectors.

    python benchmarks/encode.py models/sscp/13 --parsed data/parsed

All sides tokenise, run and return NumPy vectors. They take turns, so that other load on the machine slows all
alike. The first round is not timed; medians are compared. ``fast``, the default of `synsem encode`, is in
float16; it and ``bf16`` are timed where the device has that type, and sentence-transformers in it, too.
The system's joint vector is timed from plain text, so with the parsing where it reads trees.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from timing import FOLDER, in_rounds, medians, record

from pipeline.nn.compute import Inference

if TYPE_CHECKING:
    from pipeline.export.texts import TextEncoder

THEIRS = "sentence-transformers"


def main(
    model: Annotated[Path, typer.Argument(help="A trained model's folder.")],
    parsed: Path = Path("data/parsed"),
    sentences: int = 2000,
    rounds: int = 5,
    threads: int = 2,
    out: Path = FOLDER,
) -> None:
    import torch
    from sentence_transformers import SentenceTransformer

    from pipeline.core.store import rows
    from pipeline.export.sentence_transformers import parser_of
    from pipeline.export.texts import TextEncoder
    from pipeline.nn.compute import effective_precision, has_native_fp16
    from pipeline.systems.base import registry

    torch.set_num_threads(threads)
    texts = [row["text"] for row, _ in zip(rows(parsed / "corpus"), range(sentences), strict=False)]
    system, parse = registry.load(model), parser_of(model, None)
    theirs = SentenceTransformer(str(model / "sentence-transformer"), device="cpu")

    def plain() -> np.ndarray:
        return theirs.encode(texts, batch_size=32, show_progress_bar=False)

    def halved(bf16: bool) -> np.ndarray:
        with torch.autocast("cpu", dtype=torch.bfloat16 if bf16 else torch.float16):
            return plain().astype(np.float32)

    cpu = torch.device("cpu")
    native = {"fast": has_native_fp16(cpu), "bf16": effective_precision(cpu, "bf16") == "bf16"}
    contenders: dict[str, Callable[[], np.ndarray]] = {THEIRS: plain}
    precisions: tuple[Inference, ...] = ("exact", "fast", "bf16")
    for precision in precisions:
        if native.get(precision, True):
            for view, name in (("semantic", "synsem"), ("joint", "synsem, joint")):
                encoder = TextEncoder(system, view, parse, precision)
                contenders[f"{name}, {precision}"] = partial(one_view, encoder, texts)
    if native["fast"]:
        contenders[f"{THEIRS}, float16"] = lambda: halved(bf16=False)
    if native["bf16"]:
        contenders[f"{THEIRS}, bf16"] = lambda: halved(bf16=True)
    vectors = {name: encode() for name, encode in contenders.items()}
    seconds = in_rounds(contenders, rounds)
    print(f"{len(texts):,} sentences, {threads} threads, native precisions: {native}")
    sides: dict[str, dict[str, float]] = {}
    for name, taken in seconds.items():
        sides[name] = medians(taken)
        if vectors[name].shape == vectors[THEIRS].shape:
            sides[name]["difference"] = float(np.abs(vectors[name] - vectors[THEIRS]).max())
    for name, found in sides.items():
        print(
            f"{name:32} {found['seconds']:7.2f} s  {len(texts) / found['seconds']:7,.0f} sentences/s  "
            f"ratio {sides[THEIRS]['seconds'] / found['seconds']:4.2f}"
            + (f"  largest difference {found['difference']:.1e}" if "difference" in found else "")
        )
    work = {"system": system.name, "sentences": len(texts), "threads": threads, "rounds": rounds}
    record(
        f"encode-{system.name}", sides, work | {f"native {name}": each for name, each in native.items()}, out
    )


def one_view(encoder: "TextEncoder", texts: list[str]) -> np.ndarray:
    """The vectors of the one view that an encoder gives."""
    [vectors] = encoder(texts).values()
    return vectors


if __name__ == "__main__":
    typer.run(main)
