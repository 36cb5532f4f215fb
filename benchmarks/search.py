"""The index of `synsem like` and of neighbour mining: recall against the exact search, and queries a second.

    python benchmarks/search.py --corpus data/parsed/corpus --vectors words      # seconds
    python benchmarks/search.py --corpus data/parsed/corpus --vectors encoder    # minutes: the backbone's

``words`` are means of the backbone's input vectors over the subwords of a sentence: real text without a pass
of the backbone. Recall@10 is the share of a sentence's ten nearest, itself excepted, that the index finds.
One thread; both searches read the same memory-mapped vectors. Writes ``reports/search.json``.
"""

import os
import platform
import re
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import numpy as np
import torch
import typer
from numpy.typing import NDArray

from pipeline.core import store
from pipeline.core.store import write_json
from pipeline.mining.nearest import top_k
from pipeline.mining.vector_index import Rows, VectorIndex
from pipeline.nn import backbone
from pipeline.params import load
from pipeline.syntax.sentence import Side
from pipeline.systems import registry

K = 10
PROBED = (4, 8, 16, 32, 64, 128)


def texts(corpus: Path, most: int) -> list[str]:
    """The first distinct sentences."""
    found: dict[str, None] = {}
    for path in store.shards(corpus):
        found.update(dict.fromkeys(store.read_file(path)["text"].to_pylist()))
        if len(found) >= most:
            break
    return list(found)[:most]


def vectors(kind: str, sentences: list[str], params: Path) -> Iterator[NDArray[np.float32]]:
    """Unit vectors float32 [n, D] of a thousand sentences at a time."""
    encoder = load(params, "encoder").encoder
    found, embedder = backbone.load(encoder.model), registry.backbone(encoder)
    table = found.model.get_input_embeddings().weight.detach()
    for start in range(0, len(sentences), 1000):
        some = sentences[start : start + 1000]
        if kind == "encoder":
            yield embedder.embed([Side(text, (), ()) for text in some])["semantic"]
            continue
        ids = found.tokenizer(some, add_special_tokens=False)["input_ids"]
        sums = np.stack([table[torch.tensor(row or [0])].mean(dim=0).numpy() for row in ids])
        yield (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)


def private_mb() -> float:
    """Anonymous memory of the process (RssAnon)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(r"RssAnon:\s+(\d+)", status)[0]) / 1000


def main(
    corpus: Annotated[Path, typer.Option(help="Parsed sentences.")] = Path("data/parsed/corpus"),
    vectors_of: Annotated[Literal["words", "encoder"], typer.Option("--vectors")] = "words",
    sentences: Annotated[int, typer.Option(help="At most.")] = 200_000,
    queries: int = 500,
    params: Path = Path("params.yaml"),
    out: Path = Path("reports/search.json"),
) -> None:
    """Print and write the table."""
    torch.set_num_threads(1)
    with TemporaryDirectory() as home:
        path = Path(home) / "vectors.npy"
        np.save(path, np.concatenate(list(vectors(vectors_of, texts(corpus, sentences), params))))
        rows: NDArray[np.float32] = np.load(path, mmap_mode="c")
        own = np.random.default_rng(0).permutation(len(rows))[:queries]
        asked = np.ascontiguousarray(rows[own])
        began = time.process_time()
        exact = top_k(asked, np.asarray(rows), K, own=own)
        results: dict[str, Any] = {"exact": {"queries_per_second": queries / (time.process_time() - began)}}
        before, began = private_mb(), time.process_time()
        index = VectorIndex(Path(home) / "index", Rows([rows]))
        built = {"cpu_seconds": time.process_time() - began, "private_mb": private_mb() - before}
        size = sum(path.stat().st_size for path in (Path(home) / "index").iterdir())
        results["index"] = built | {"bytes_a_vector": size / len(rows)}
        for probed in PROBED:
            began = time.process_time()
            found = index.search(asked, K, own, probed=probed)
            taken = time.process_time() - began
            same = [len(set(a) & set(b)) / K for a, b in zip(found.rows, exact.rows, strict=True)]
            results[f"{probed} lists"] = {
                "recall_at_10": np.mean(same),
                "queries_per_second": queries / taken,
            }
    table = {
        name: {key: round(float(value), 4) for key, value in row.items()} for name, row in results.items()
    }
    for name, row in table.items():
        print(f"{name}: {row}")
    machine = {"processor": platform.machine(), "load": round(os.getloadavg()[0], 1), "threads": 1}
    facts = {"vectors": vectors_of, "rows": len(rows), "width": rows.shape[1], "queries": queries}
    write_json(out, {"machine": machine, "data": facts, "results": table})


if __name__ == "__main__":
    typer.run(main)
