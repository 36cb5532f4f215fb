"""A sentence and the two it was split into (WikiSplit), as a pair: the two are one side, with one tree."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Row, with_sentences
from pipeline.sentences import Side, normalised

_LISTS = tuple(name for name in Side._fields if name not in ("text", "heads", "deprels", "constituents"))


class Split(NamedTuple):
    """A whole sentence's sent_id, the places of its two parts among the parsed sentences, and the source."""

    whole: str
    parts: tuple[int, int]
    source: str


def splits(inputs: Inputs, sources: Sequence[str], dropped: Counter[str]) -> Iterator[Split]:
    """The pair_ids of these sources that have a whole sentence and its two parts, in corpus order.

    The whole comes first in the corpus. A text that cleaning dropped, or that is more than one sentence,
    leaves its pair_id incomplete: counted in ``dropped`` by source.
    """
    found: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    place = 0
    for document, sentences in with_sentences(
        inputs, ("pair_id", "source", "text"), ("sent_id", "split", "text")
    ):
        first = sentences[0]
        if document["source"] in sources and document["pair_id"] and first["split"] in TRAINING_SPLITS:
            whole = normalised(first["text"]) == normalised(document["text"])
            found[document["pair_id"]] += [(place, first["sent_id"], document["source"])] if whole else []
        place += len(sentences)
    for members in found.values():
        if len(members) != 3:
            source = members[0][2] if members else sources[0]
            dropped[f"not a sentence and its two parts: {source}"] += 1
            continue
        (_, whole_id, source), (a, _, _), (b, _, _) = members
        yield Split(whole_id, (a, b), source)


def joined(first: Row, second: Row) -> Row:
    """Two parsed rows as one (fields of ``store.SIDE``): the second root hangs on the first by parataxis."""
    length, root = len(first["words"]), first["heads"].index(0) + 1
    both: Row = {name: list(chain(first[name], second[name])) for name in _LISTS}
    both["text"] = f"{first['text']} {second['text']}"
    both["heads"] = [*first["heads"], *(head + length if head else root for head in second["heads"])]
    labels = (
        "parataxis" if head == 0 else label
        for head, label in zip(second["heads"], second["deprels"], strict=True)
    )
    both["deprels"] = [*first["deprels"], *labels]
    return both
