"""``synsem search``: the lines of a text that are most like a query, chunk by chunk, in bounded memory.

For a parsed corpus whose vectors are kept there is ``pipeline.export.search``.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.core.errors import SynsemError
from pipeline.core.progress import track
from pipeline.export.encode import chunks, demand_lines, opened
from pipeline.export.text_encoder import TextEncoder, demand_direction


class FoundLine(NamedTuple):
    """A line of the text."""

    score: float  # cosine with the query
    number: int  # from 1
    text: str


def search_lines(query: str, source: Path | None, encoder: TextEncoder, count: int = 10) -> list[FoundLine]:
    """The ``count`` lines of ``source`` (None: standard input) nearest to the query, nearest first.

    ``encoder`` has one view. Of equally near lines the earlier comes first; empty ones are passed over.
    Raises SynsemError where the query's vector is zero, and where the source cannot be read or has no text.
    """
    (view,) = encoder.views
    demand_lines(source)
    own = encoder([query])[view][0]
    demand_direction(query, view, own)
    nearest: list[FoundLine] = []
    read = 0
    with opened(source) as (stream, name):
        for texts in track(chunks(stream, name), "search", unit="chunks"):
            numbered = [(number, text) for number, text in enumerate(texts, read + 1) if text.strip()]
            # Equal lines get one score: vectors of two batches differ in their last bits.
            scores = {each.text: each.score for each in nearest}
            unread = list(dict.fromkeys(text for _, text in numbered if text not in scores))
            cosines = np.clip(encoder(unread)[view] @ own, -1, 1).tolist()
            scores |= zip(unread, cosines, strict=True)
            found = [FoundLine(scores[text], number, text) for number, text in numbered]
            nearest = sorted([*nearest, *found], key=lambda each: -each.score)[:count]
            read += len(texts)
    if not nearest:
        raise SynsemError(f"{name}: holds no text; give one sentence a line")
    return nearest
