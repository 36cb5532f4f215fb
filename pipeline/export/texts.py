"""Plain texts to vectors and scores by a trained system: a list of them, or a file line by line.

Texts are parsed first if a view reads trees. Files are read in bounded memory.
"""

from __future__ import annotations

import heapq
import json
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain, count, islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.metrics import cosines, unit
from pipeline.core.store import atomic_path
from pipeline.evaluation.embeddings import Embeddings
from pipeline.export.same import Scorer, features, load_scorer, semantic_width
from pipeline.pretrained import HOME, SCORER, named
from pipeline.syntax.sentence import Sentence
from pipeline.systems.synsem.similarity import saturated, similarity
from pipeline.systems.views import require, views

if TYPE_CHECKING:
    from pipeline.core.params import Parse
    from pipeline.export.graph import Graph
    from pipeline.nn.compute import Inference
    from pipeline.parsing.base import Parser
    from pipeline.systems.base import System, Views

LATE = "late_interaction"
_REORDERED = 100  # texts of highest cosine that search puts in order again
_LINES = 4096  # of a chunk
_CHARACTERS_PER_TOKEN = 16  # prose has four or five
_WORDS_PER_TOKEN = 0.75  # of English prose
_NO_WORD = Sentence("", [""], [0], ["root"], ["X"], [""])

Pair = tuple[str, str]
Scores = dict[str, NDArray[np.floating]]
Blocks = Iterable[tuple[list[str], "Views"]]  # texts and their vectors, float32 [n, D] per view


def open_system(
    folder: Path, device: str, params: Path | None, lang: str | None = None
) -> tuple[System | Graph, Parse | None]:
    """Load a model onto a device, and the section that names its parser; None if it reads text alone.

    ``folder`` may be ``pretrained``, or a graph that ``synsem export --onnx`` wrote. ``lang`` is the language
    of the texts, by default that of ``parse.benchmark_language``. Raises SynsemError for no model, and for a
    device that this machine lacks.
    """
    folder = named(folder)
    if folder.suffix == ".onnx" or (folder == HOME and _without_torch(device)):
        from pipeline.export import graph

        return (graph.bundled() if folder == HOME else graph.read(folder)), None
    import torch

    from pipeline.export.sentence_transformers import parser_of
    from pipeline.nn.compute import best_device
    from pipeline.systems.base import registry

    try:
        place = best_device() if device == "auto" else torch.zeros(1, device=device).device
    except (RuntimeError, AssertionError) as error:
        raise SynsemError(f"device: {device!r} is not available here; use auto or cpu") from error
    system = registry.load(folder).to(place)
    if system.reads_text_alone:
        return system, None
    parse = parser_of(folder, params)
    return system, parse if lang is None else parse.model_copy(update={"benchmark_language": lang})


def _without_torch(device: str) -> bool:
    """Whether onnxruntime runs the bundled model: it starts sooner than torch, which ``device`` can name."""
    if find_spec("torch") is None:
        return device in ("auto", "cpu")
    return device == "auto" and find_spec("onnxruntime") is not None and shutil.which("nvidia-smi") is None


class TextEncoder:
    """Embed plain texts, one sentence each, with one view of a system, or with all of them for None.

    Texts are parsed, in ``parse.benchmark_language``, only for views that read trees. A longer text gets the
    mean of its ``windows``. Vectors of ``precision`` fast are equal to 1e-3, those of bf16 to 1e-2. Raises
    SynsemError for a view that the system lacks, and if a parser is needed and not installed.
    """

    def __init__(
        self, system: System | Graph, view: str | None, parse: Parse | None, precision: Inference = "exact"
    ) -> None:
        self.system = system
        self.views = {view: require(system, view, system.name)} if view else views(system)
        self._embed, reads_trees = system.embedder(self.views, precision)
        self._parse = parse if reads_trees else None
        if self._parse is not None:
            parser(self._parse)

    def __call__(self, texts: Sequence[str]) -> Views:
        """Return unit vectors, float32 [n, D], of the views asked for."""
        parts = [windows(text, self.system.max_tokens) for text in texts]
        every = list(chain.from_iterable(parts))
        read = self._embed(readable(every, self._parse, self.system.max_tokens))
        if len(every) == len(texts):
            return {name: read[name] for name in self.views}
        starts = np.cumsum([0, *map(len, parts[:-1])])
        return {name: unit(np.add.reduceat(read[name], starts)) for name in self.views}


def windows(text: str, max_tokens: int) -> list[str]:
    """Return the text or, if it has more words than usually fit, parts of it that overlap by a quarter."""
    most = int(max_tokens * _WORDS_PER_TOKEN)
    if len(text) <= most or len(words := text.split()) <= most:
        return [text]
    size, overlap = most * 3 // 4, most * 3 // 16
    return [" ".join(words[at : at + size]) for at in range(0, len(words) - overlap, size - overlap)]


def readable(texts: Sequence[str], parse: Parse | None, max_tokens: int) -> list[Sentence]:
    """Return what a system reads of each text: with its tree unless ``parse`` is None.

    Texts are cut to what is longer than ``max_tokens`` subwords of any prose: a line of a megabyte would take
    minutes to parse. A text without a word is a tree of one empty word. A warning says, once, that texts may
    be too long: two that differ only at their ends would have one vector.
    """
    most = max_tokens * _CHARACTERS_PER_TOKEN
    usual = int(max_tokens * _WORDS_PER_TOKEN)
    if any(len(text) > max_tokens and len(text[:most].split()) > usual for text in texts):
        warnings.warn(
            f"a text has more than {usual} words; what is beyond {max_tokens} tokens is not read: split it",
            stacklevel=2,
        )
    sides = [Sentence(text if len(text) <= most else text.lstrip()[:most]) for text in texts]
    if parse is None:
        return sides
    from pipeline.parsing.base import repair

    trees = [repair(found[0])[0] if found else _NO_WORD for found in parser(parse).parse(sides)]
    return [replace(tree, text=side.text) for side, tree in zip(sides, trees, strict=True)]


def parser(parse: Parse) -> Parser:
    """Return the parser, loaded once; SynsemError if it is not installed."""
    from pipeline.parsing import base as parsers
    from pipeline.systems.cssl.backend import register

    register()
    return parsers.load(parse, parse.benchmark_language)


def encode_lines(encoder: TextEncoder, source: Path | None, out: Path | None, kind: str) -> str:
    """Embed ``source`` (None: standard input) and write one row per line to ``out`` (None: standard output).

    ``kind`` is parquet, jsonl or npy. An empty line is a row as well, so that row numbers are line numbers.
    Returns the counts as one line of text. Raises SynsemError; ``out`` is then left as it was.
    """
    from pipeline.core.parallel import track

    lines = empty = 0

    def blocks() -> Blocks:
        nonlocal lines, empty
        for texts in track(chunks(source), "encode", unit="chunks"):
            yield texts, encoder(texts)
            lines, empty = lines + len(texts), empty + sum(not text.strip() for text in texts)

    with _sink(out, source) as sink:
        WRITERS[kind](sink, encoder.views, blocks())
    return f"{lines:,} lines, {empty:,} empty"


def nearest(
    query: str, encoder: TextEncoder, blocks: Iterable[Sequence[str]], top: int
) -> list[tuple[float, int, str]]:
    """Return the ``top`` texts nearest to the query, nearest first: score, number from 1 and text of each.

    ``encoder`` has one view, and the score is the cosine; with joint vectors ``similarity``, which orders the
    hundred texts of highest cosine. Of equally near texts the earlier comes first; empty ones are
    skipped. Raises SynsemError if the query's vector is zero, so that all texts are equally near.
    """
    (view,) = encoder.views
    own = encoder([query])[view][0]
    if not own.any():
        raise SynsemError(
            f"{query!r}: has no {view} vector, for it has no pair of content words; "
            "give a sentence with two, or another view"
        )
    number = count(1)
    lines = chain.from_iterable(
        zip((vectors @ own).clip(-1, 1).tolist(), number, texts, map(np.copy, vectors), strict=False)
        for texts in blocks
        for vectors in (encoder(texts)[view],)
    )
    width = semantic_width(views(encoder.system), view)
    kept = top if width is None else max(top, _REORDERED)
    best = heapq.nlargest(kept, (line for line in lines if line[2].strip()), key=lambda line: line[0])
    if width is None or not best:
        return [line[:3] for line in best]
    scores = similarity(own, np.stack([line[3] for line in best]), width).tolist()
    again = [(score, *line[1:3]) for score, line in zip(scores, best, strict=True)]
    return sorted(again, key=lambda line: -line[0])[:top]


def score_lines(system: System | Graph, parse: Parse | None, source: Path | None, out: Path | None) -> str:
    """Score every line of ``source`` (None: standard input): two texts separated by a tab.

    ``out`` (None: standard output) is a table of tab-separated values with a header: the two texts and the
    scores of ``pair_scores``. Returns the count as one line of text. Raises SynsemError; ``out`` is then left
    as it was.
    """
    from pipeline.core.parallel import track

    done, place = 0, source or "standard input"
    with _sink(out, source) as table:
        for lines in track(chunks(source), "compare", unit="chunks"):
            pairs = [_pair(line, f"{place}: line {number:,}") for number, line in enumerate(lines, done + 1)]
            scores = pair_scores(pairs, system, parse)
            if not done:
                table.write(_row(["a", "b", *scores]))
            for row, pair in enumerate(pairs):
                table.write(_row([*pair, *(f"{column[row]:.6f}" for column in scores.values())]))
            done += len(pairs)
    return f"{done:,} pairs"


def pair_scores(
    pairs: Sequence[Pair], system: System | Graph, parse: Parse | None, scorer: Scorer | None = None
) -> Scores:
    """Return the scores of n >= 1 pairs, [n] each: the cosine of each view, float64, and ``LATE``, float32.

    A system with a structural view and late interaction has two more, float64: ``similarity``, at most 1, and
    ``same``, a probability. ``parse`` is None for a system that needs no trees. Higher means more alike; late
    interaction has no fixed range.
    """
    scores, known = pair_features(pairs, system, parse)
    if known is None:
        return scores
    similar = saturated(scores["semantic"], scores["structural"])
    equal = [a.strip().casefold() == b.strip().casefold() for a, b in pairs]
    same = np.where(equal, 1.0, (scorer or load_scorer(SCORER))(known))
    return scores | {"similarity": similar, "same": same}


def pair_features(
    pairs: Sequence[Pair], system: System | Graph, parse: Parse | None
) -> tuple[Scores, NDArray[np.float64] | None]:
    """Return the cosines and late interaction of n >= 1 pairs, and what ``same`` is computed from, [n, F].

    The latter is None for a system without a structural view.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))  # each is parsed once
    known = dict(zip(texts, readable(texts, parse, system.max_tokens), strict=True))
    first, second = ([known[text] for text in column] for column in zip(*pairs, strict=True))
    embeddings = Embeddings(system)
    a, b, late = embeddings.pairs(first, second)
    scores: Scores = {view: cosines(a[view], b[view]).clip(-1, 1) for view in a}
    if late is None:
        return scores, None
    scores[LATE] = late
    if "structural" not in scores:
        return scores, None
    return scores, features(pairs, scores | embeddings.alignment(first, second))


def _pair(line: str, where: str) -> Pair:
    match [text.strip() for text in line.split("\t")]:
        case [a, b] if a and b:
            return a, b
    raise SynsemError(f"{where} is not two texts; separate them by a tab")


def _row(cells: Sequence[str]) -> bytes:
    # A table's reader would take what breaks a line within a text for the end of a row.
    return ("\t".join(" ".join(cell.splitlines()) for cell in cells) + "\n").encode()


def chunks(source: Path | None, lines: int = _LINES) -> Iterator[list[str]]:
    """Yield the lines of a file, or of standard input, without their ends (LF or CR LF), in lists.

    Other line separators of Unicode are part of their line, and a byte order mark is dropped. Raises
    SynsemError if the file cannot be read or is not UTF-8.
    """
    try:
        with open(source or 0, encoding="utf-8-sig", newline="\n", closefd=source is not None) as stream:
            while chunk := [line.removesuffix("\n").removesuffix("\r") for line in islice(stream, lines)]:
                yield chunk
    except (OSError, UnicodeDecodeError) as error:
        place = source or "standard input"
        raise SynsemError(f"{place}: cannot be read ({error}); name a text file in UTF-8") from error


@contextmanager
def _sink(path: Path | None, source: Path | None) -> Iterator[BinaryIO]:
    """Yield where to write: a file that appears when it is complete, or standard output for None."""
    if path is None:
        yield sys.stdout.buffer
    elif source is not None and path.resolve() == source.resolve():
        raise SynsemError(f"{path}: is the input itself; name another file with --out")
    else:
        with atomic_path(path) as partial, partial.open("wb") as sink:
            yield sink


def _parquet(sink: BinaryIO, widths: Mapping[str, int], blocks: Blocks) -> None:
    """Write columns ``text`` and a fixed-size list of float32 for each view; one row group per block."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise SynsemError("--format parquet: needs `pip install pyarrow`; or take jsonl or npy") from error
    vector_types = {name: pa.list_(pa.float32(), width) for name, width in widths.items()}
    schema = pa.schema({"text": pa.string()} | vector_types)
    with pq.ParquetWriter(sink, schema) as writer:
        for texts, vectors in blocks:
            rows = {name: pa.array(list(vectors[name]), kind) for name, kind in vector_types.items()}
            writer.write_table(pa.table({"text": texts} | rows, schema=schema))


def _json_lines(sink: BinaryIO, widths: Mapping[str, int], blocks: Blocks) -> None:
    """Write one object per line: ``text``, and each view as a list of numbers, short but exact as float32."""
    for texts, vectors in blocks:
        for row, text in enumerate(texts):
            lists = (f', "{name}": [{", ".join(map(str, vectors[name][row]))}]' for name in widths)
            line = f'{{"text": {json.dumps(text, ensure_ascii=False)}{"".join(lists)}}}\n'
            sink.write(line.encode())


def _numpy(sink: BinaryIO, widths: Mapping[str, int], blocks: Blocks) -> None:
    """Write one matrix, float32 [n, D], which is in memory meanwhile."""
    if len(widths) > 1:
        raise SynsemError(f"--format npy: holds one view; choose --view from {', '.join(widths)}")
    ((view, width),) = widths.items()
    empty = np.zeros((0, width), dtype=np.float32)
    np.save(sink, np.concatenate([empty, *(vectors[view] for _, vectors in blocks)]))


WRITERS: Mapping[str, Callable[[BinaryIO, Mapping[str, int], Blocks], None]] = {
    "parquet": _parquet,
    "jsonl": _json_lines,
    "npy": _numpy,
}


def format_of(name: str | None, path: Path | None) -> str:
    """Return the format by name, otherwise by the file's suffix, otherwise parquet."""
    chosen = name or (path.suffix.removeprefix(".").lower() if path else "") or "parquet"
    if chosen not in WRITERS:
        raise SynsemError(f"{path}: {chosen!r} is not a known format; choose from {', '.join(WRITERS)}")
    return chosen
