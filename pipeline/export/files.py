"""What ``encode``, ``compare`` and ``search`` do with files of text: line by line, in bounded memory."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.metrics import cosines
from pipeline.core.params import Parse
from pipeline.core.progress import track
from pipeline.core.store import atomic_stream
from pipeline.evaluation.models import reads_pairs, scores_pairs
from pipeline.export.text_encoder import TextEncoder, readable, ready
from pipeline.syntax.sentence import HasTree
from pipeline.systems.base import System, Views

LATE = "late_interaction"
_LINES, _CHARACTERS = 4096, 1 << 20  # of a chunk; a single longer line is a chunk of its own

Pair = tuple[str, str]


def encode_lines(encoder: TextEncoder, source: Path | None, out: Path | None, kind: str) -> str:
    """Embed every line of ``source`` (None: standard input) and write a row each to ``out`` (None: output).

    ``kind`` is parquet, jsonl or npy. An empty line is a row as well, so that row numbers are line numbers.
    Returns the counts as one line of text. Raises SynsemError; ``out`` is then left as it was.
    """
    lines = Counter(read=0, empty=0, cut=0)

    def blocks() -> Iterator[tuple[list[str], Views]]:
        for texts in track(chunks(stream, name), "encode", unit="chunks"):
            yield texts, encoder(texts)
            lines.update(read=len(texts), empty=sum(not text.strip() for text in texts))
            lines.update(cut=encoder.cut(texts))

    with _opened(source) as (stream, name), _sink(out, source) as sink:
        WRITERS[kind](sink, encoder.views, blocks())
    return "{read:,} lines, {empty:,} empty, {cut:,} cut".format(**lines)


class Found(NamedTuple):
    """A line that ``search_lines`` found."""

    score: float  # cosine with the query
    number: int  # from 1
    text: str


def search_lines(query: str, source: Path | None, encoder: TextEncoder, count: int = 10) -> list[Found]:
    """Return the ``count`` lines of ``source`` (None: standard input) nearest to the query, nearest first.

    ``encoder`` has one view. Of equally near lines the earlier comes first; empty ones are skipped. Raises
    SynsemError if the query's vector is zero or the source cannot be read.
    """
    (view,) = encoder.views
    own = query_vector(query, encoder)
    nearest: list[Found] = []
    read = 0
    with _opened(source) as (stream, name):
        for texts in track(chunks(stream, name), "search", unit="chunks"):
            numbered = [(number, text) for number, text in enumerate(texts, read + 1) if text.strip()]
            # Equal lines get one score: vectors of two batches differ in their last bits.
            scores = {each.text: each.score for each in nearest}
            unread = list(dict.fromkeys(text for _, text in numbered if text not in scores))
            scores |= zip(unread, np.clip(encoder(unread)[view] @ own, -1, 1).tolist(), strict=True)
            found = [Found(scores[text], number, text) for number, text in numbered]
            nearest = sorted([*nearest, *found], key=lambda each: -each.score)[:count]
            read += len(texts)
    return nearest


def query_vector(query: str, encoder: TextEncoder) -> NDArray[np.float32]:
    """Return the unit vector of a query, [D]; SynsemError if it is zero and all texts are equally near."""
    (view,) = encoder.views
    vector: NDArray[np.float32] = encoder([query])[view][0]
    if not vector.any():
        raise SynsemError(
            f"{query!r}: has no {view} vector, for it has no pair of content words; "
            "give a sentence with two, or another view"
        )
    return vector


def score_lines(system: System, parse: Parse | None, source: Path | None, out: Path | None) -> str:
    """Score every line of ``source`` (None: standard input): two texts separated by a tab.

    ``out`` (None: standard output) is a table of tab-separated values with a header: the two texts, the
    cosine of each view, and late interaction if the system has it. Returns the count as one line of text.
    Raises SynsemError; ``out`` is then left as it was.
    """
    done = 0
    with _opened(source) as (stream, name), _sink(out, source) as table:
        for texts in track(chunks(stream, name), "compare", unit="chunks"):
            pairs = [_pair(line, f"{name}: line {number:,}") for number, line in enumerate(texts, done + 1)]
            scores = pair_scores(pairs, system, parse)
            if not done:
                table.write(_row(["a", "b", *scores]))
            for row, pair in enumerate(pairs):
                table.write(_row([*pair, *(f"{column[row]:.6f}" for column in scores.values())]))
            done += len(pairs)
    return f"{done:,} pairs"


def pair_scores(
    pairs: Sequence[Pair], system: System, parse: Parse | None
) -> dict[str, NDArray[np.floating]]:
    """Return the scores of n >= 1 pairs, [n] each: the cosine of each view, float64, and ``LATE``, float32.

    ``parse`` is None for a system that reads text alone. Higher is more alike; late interaction has no fixed
    range.
    """
    first, second = _sides(pairs, system, parse)
    late: dict[str, NDArray[np.floating]] = {}
    if reads_pairs(system):  # one pass for all
        found = system.read_pairs(first, second)
        sentences, vectors, late[LATE] = found.sentences, found.vectors, found.scores
    else:
        sentences = list({side.text: side for side in [*first, *second]}.values())
        vectors = system.embed(sentences)
        if scores_pairs(system):
            late[LATE] = system.late_scores(first, second)
    row = {sentence.text: number for number, sentence in enumerate(sentences)}
    a, b = ([row[side.text] for side in sides] for sides in (first, second))
    return {view: cosines(matrix[a], matrix[b]).clip(-1, 1) for view, matrix in vectors.items()} | late


def _sides(pairs: Sequence[Pair], system: System, parse: Parse | None) -> tuple[list[HasTree], list[HasTree]]:
    """Return what is read of either side; each distinct text is parsed once."""
    if parse is not None:
        ready(parse)
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    known = dict(zip(texts, readable(texts, parse, system.tokenizer.max_tokens), strict=True))
    return [known[a] for a, _ in pairs], [known[b] for _, b in pairs]


def _pair(line: str, where: str) -> Pair:
    texts = [text.strip() for text in line.split("\t")]
    if len(texts) != 2 or not all(texts):
        raise SynsemError(f"{where} is not two texts; separate them by a tab")
    return texts[0], texts[1]


def _row(cells: Sequence[str]) -> bytes:
    # A table's reader would take what breaks a line within a text for the end of a row.
    return ("\t".join(" ".join(cell.splitlines()) for cell in cells) + "\n").encode()


def chunks(
    stream: BinaryIO, name: str, lines: int = _LINES, characters: int = _CHARACTERS
) -> Iterator[list[str]]:
    """Yield lines of UTF-8 text without their ends (LF or CR LF), empty ones among them, in lists.

    Other line separators of Unicode are part of their line, and a byte order mark is dropped. Raises
    SynsemError naming the line that is not UTF-8.
    """
    chunk: list[str] = []
    size = 0
    for number, raw in enumerate(stream, 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise SynsemError(f"{name}: line {number:,} is not UTF-8; convert it, as with iconv") from error
        if chunk and (len(chunk) == lines or size + len(line) > characters):
            yield chunk
            chunk, size = [], 0
        chunk.append(line)
        size += len(line)
    if chunk:
        yield chunk


@contextmanager
def _opened(path: Path | None) -> Iterator[tuple[BinaryIO, str]]:
    if path is None:
        yield sys.stdin.buffer, "standard input"
        return
    try:
        stream = path.open("rb")
    except OSError as error:
        raise SynsemError(f"{path}: cannot be read ({error.strerror}); name a text file") from error
    with stream:
        yield stream, str(path)


def _sink(path: Path | None, source: Path | None) -> AbstractContextManager[BinaryIO]:
    """Return where to write: a file that appears when it is complete, or standard output for None."""
    if path is None:
        return nullcontext(sys.stdout.buffer)
    if source is not None and path.exists() and path.samefile(source):
        raise SynsemError(f"{path}: is the text itself; name another file with --out")
    return atomic_stream(path)


Blocks = Iterable[tuple[list[str], Views]]  # texts and their vectors, float32 [n, D] a view


def _parquet(sink: BinaryIO, widths: Mapping[str, int], blocks: Blocks) -> None:
    """Write columns ``text`` and a fixed-size list of float32 for each view; a row group a block."""
    fields = [(name, pa.list_(pa.float32(), width)) for name, width in widths.items()]
    schema = pa.schema([("text", pa.string()), *fields])
    with pq.ParquetWriter(sink, schema) as writer:
        for texts, views in blocks:
            vectors = [
                pa.FixedSizeListArray.from_arrays(pa.array(views[name].ravel()), width)
                for name, width in widths.items()
            ]
            writer.write_table(pa.table([pa.array(texts, pa.string()), *vectors], schema=schema))


def _json_lines(sink: BinaryIO, widths: Mapping[str, int], blocks: Blocks) -> None:
    """Write an object a line: ``text``, and a list of numbers for each view, short but exact as float32."""
    for texts, views in blocks:
        for row, text in enumerate(texts):
            lists = (f', "{name}": [{", ".join(map(str, views[name][row]))}]' for name in widths)
            line = f'{{"text": {json.dumps(text, ensure_ascii=False)}{"".join(lists)}}}\n'
            sink.write(line.encode())


def _numpy(sink: BinaryIO, widths: Mapping[str, int], blocks: Blocks) -> None:
    """Write one matrix, float32 [n, D], which is in memory meanwhile."""
    if len(widths) > 1:
        raise SynsemError(f"--format npy: holds one view; choose --view from {', '.join(widths)}")
    ((view, width),) = widths.items()
    empty = np.zeros((0, width), dtype=np.float32)
    np.save(sink, np.concatenate([empty, *(views[view] for _, views in blocks)]))


WRITERS: Mapping[str, Callable[[BinaryIO, Mapping[str, int], Blocks], None]] = {
    "parquet": _parquet,
    "jsonl": _json_lines,
    "npy": _numpy,
}


def format_of(name: str | None, path: Path | None) -> str:
    """Return the format by name, otherwise by the file's suffix, otherwise parquet."""
    chosen = name or (path.suffix.removeprefix(".").lower() if path else "") or "parquet"
    if chosen not in WRITERS:
        raise SynsemError(f"{path}: {chosen!r} is no known format; choose from {', '.join(WRITERS)}")
    return chosen
