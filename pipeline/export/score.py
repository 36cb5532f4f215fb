"""``synsem score``: pairs of sentences, one pair a line, to a table of how alike they are."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError
from pipeline.core.metrics import cosines
from pipeline.core.progress import track
from pipeline.evaluation.models import reads_pairs, scores_pairs
from pipeline.export.encode import chunks, device_of, opened, same_file, sink
from pipeline.export.text_encoder import parse_for, readable, ready
from pipeline.params import Parse
from pipeline.syntax.sentence import HasTree
from pipeline.systems import registry
from pipeline.systems.base import System

LATE = "late_interaction"

Pair = tuple[str, str]


def score_stream(
    model: Path,
    source: Path | None,
    out: Path | None,
    device: str = "auto",
    params: Path | None = None,
    lang: str | None = None,
) -> str:
    """Score every line of ``source`` (None: standard input), two texts separated by a tab; return a summary.

    ``out`` (None: standard output) is a table of tab-separated values with a header: the two texts, the
    cosine of each view, and late interaction where the system has it. ``params`` names another parser than
    the model's own, ``lang`` the language of the texts. Raises SynsemError; ``out`` is then left as it was.
    """
    if out is not None and same_file(source, out):
        raise SynsemError(f"{out}: holds the pairs themselves; name another file with --out")
    system = registry.load(model).to(device_of(device))
    parse = parse_for(system, model, params, lang)
    if parse is not None:
        ready(parse)
    began = time.monotonic()
    done: list[int] = []  # pairs of each chunk
    with opened(source) as (stream, name), sink(out) as table:
        chunked = track(_pairs(stream, name), "score", note=lambda: f"{sum(done):,} pairs", unit="chunks")
        for pairs in chunked:
            scores = pair_scores(pairs, system, parse)
            if not done:
                table.write(_row(["a", "b", *scores]))
            for row, pair in enumerate(pairs):
                table.write(_row([*pair, *(f"{column[row]:.6f}" for column in scores.values())]))
            done.append(len(pairs))
        if not done:
            raise SynsemError(f"{name}: holds no pair; give two texts a line, separated by a tab")
    seconds = time.monotonic() - began
    count = sum(done)
    many = f"{count:,} pair{'s' * (count != 1)}"
    return f"{many}, {seconds:.1f} s, {count / max(seconds, 1e-9):,.0f} a second"


def pair_scores(
    pairs: Sequence[Pair], system: System, parse: Parse | None
) -> dict[str, NDArray[np.floating]]:
    """Scores of n >= 1 pairs, [n] each: the cosine of each view, float64, and ``LATE``, float32.

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


def late_scores(pairs: Sequence[Pair], system: System, parse: Parse | None) -> NDArray[np.float32]:
    """Late-interaction scores of n pairs, float32 [n]; ``parse`` is None for a system that reads text alone.

    Raises SynsemError where the system has no late interaction, and where a parser is needed and not there.
    """
    scorer: object = system
    if not scores_pairs(scorer):
        raise SynsemError(f"{system.name} has no late interaction; compare its vectors in place of that")
    if parse is not None:
        ready(parse)
    return scorer.late_scores(*_sides(pairs, system, parse))


def _sides(pairs: Sequence[Pair], system: System, parse: Parse | None) -> tuple[list[HasTree], list[HasTree]]:
    """What is read of either side; each distinct text is parsed once."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    known = dict(zip(texts, readable(texts, parse, system.tokenizer.max_tokens), strict=True))
    return [known[a] for a, _ in pairs], [known[b] for _, b in pairs]


def _pairs(stream: BinaryIO, name: str) -> Iterator[list[Pair]]:
    """The lines in chunks; SynsemError naming one that is not two texts."""
    before = 0
    for lines in chunks(stream, name):
        yield [_pair(line, f"{name}: line {before + place:,}") for place, line in enumerate(lines, 1)]
        before += len(lines)


def _pair(line: str, where: str) -> Pair:
    texts = [text.strip() for text in line.split("\t")]
    if len(texts) != 2 or not all(texts):
        count = sum(map(bool, texts))
        raise SynsemError(
            f"{where} has {count} text{'s' * (count != 1)} in {len(texts)} column{'s' * (len(texts) != 1)}; "
            "give two texts, separated by a tab"
        )
    return texts[0], texts[1]


def _row(cells: Sequence[str]) -> bytes:
    # A table's reader would take what breaks a line within a text for the end of a row.
    return ("\t".join(" ".join(cell.splitlines()) for cell in cells) + "\n").encode()
