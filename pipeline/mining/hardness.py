"""How hard a negative is by the backbone's own measure: its cosine with the anchor."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pipeline.mining.spool import replay, spooled
from pipeline.mining.texts import Embed, Texts


def by_embedding(examples: Iterable[dict[str, Any]], embed: Embed) -> Iterator[dict[str, Any]]:
    """The examples with ``negative_hardness`` replaced by cosines, cut to 0..1; a text is embedded once."""
    with spooled(examples) as table:
        texts = Texts(embed)
        numbers = [
            (texts.number(row["anchor"]), [texts.number(negative) for negative in row["negatives"]])
            for row in replay(table.select(["anchor", "negatives"]))
        ]
        vectors = texts.vectors()
        for row, (anchor, negatives) in zip(replay(table), numbers, strict=True):
            cosines = vectors[negatives] @ vectors[anchor] if negatives else np.empty(0)
            row["negative_hardness"] = np.clip(cosines, 0.0, 1.0).tolist()
            yield row
