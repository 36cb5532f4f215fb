"""Paraphrases that the corpus marks: sentences of documents with the same pair_id.

Also a sentence and the two that it was split into (WikiSplit), the two joined to one tree.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from pipeline.core.schemas import OTHER_PARTS
from pipeline.core.seeding import stable_hash
from pipeline.core.store import read_file, shards
from pipeline.mining.examples import same_text, word_overlap
from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Lookup, Row, with_sentences
from pipeline.mining.partners import groups
from pipeline.params import Mine, PairPositives
from pipeline.syntax.sentence import Side, normalised

KIND = "pair"
MAX_MEMBERS = 8  # sentences of one pair_id that are paired: their pairs grow with the square
_LISTS = tuple(name for name in Side._fields if name not in ("text", "heads", "deprels", "constituents"))


class Member(NamedTuple):
    """A document that is one sentence; ``place`` is its row number among the parsed sentences."""

    place: int
    sent_id: str
    lang: str
    split: str
    source: str


class PairOf:
    """The pair_id of sentences, as a number, by sent_id: 16 bytes for each sentence that has one."""

    def __init__(self) -> None:
        self._given = array("Q")
        self._ids = self._pairs = np.empty(0, dtype=np.uint64)

    def __len__(self) -> int:
        return len(self._given) // 2 + len(self._ids)

    def add(self, sent_id: str, pair: int) -> None:
        """Add a sentence; all are added before one is read."""
        self._given.extend((stable_hash(0, sent_id), pair))

    def shared(self, one: str, other: str) -> bool:
        """Whether two sentences, by sent_id, have the same pair_id."""
        pair = self.get(one)
        return pair is not None and pair == self.get(other)

    def get(self, sent_id: str) -> int | None:
        """The number of the sentence's pair_id, or None."""
        if self._given:
            rows = np.frombuffer(self._given, dtype=np.uint64).reshape(-1, 2)
            order = np.argsort(rows[:, 0])
            self._ids, self._pairs, self._given = rows[order, 0], rows[order, 1], array("Q")
        key = np.uint64(stable_hash(0, sent_id))
        at = int(np.searchsorted(self._ids, key))
        return int(self._pairs[at]) if at < len(self._ids) and self._ids[at] == key else None


class Paired:
    """Which sentences share a pair_id: ``pair_of`` by sent_id, and the members of each pair_id."""

    def __init__(self, inputs: Inputs) -> None:
        self.pair_of = PairOf()
        self._inputs = inputs
        self._places, self._pairs = array("q"), array("Q")
        self._labels: list[tuple[str, str, str]] = []  # lang, split and source: few of them differ
        self._label = array("I")

    def add(self, pair: int, member: Member) -> None:
        """Add a member of a pair_id; all are added before the members are read."""
        label = (member.lang, member.split, member.source)
        if label not in self._labels:
            self._labels.append(label)
        self._places.append(member.place)
        self._pairs.append(pair)
        self._label.append(self._labels.index(label))

    def members(self) -> Iterator[list[Member]]:
        """The members of each pair_id that has two or more, in corpus order; pair_ids by their first."""
        sentences = Lookup(self._inputs)
        for group in groups(np.frombuffer(self._pairs, dtype=np.uint64)):
            if len(group) > 1:
                yield [self._member(number, sentences) for number in group.tolist()]

    def _member(self, number: int, sentences: Lookup) -> Member:
        place = self._places[number]
        return Member(place, sentences.sent_id(place), *self._labels[self._label[number]])


def read_pairs(inputs: Inputs, params: Mine) -> Paired:
    """Read which sentences share a pair_id: none where the corpus has no pair_id.

    A document is a member if its only sentence is its whole text, because texts of several sentences cannot
    be aligned by sentence. Sources in ``mine.pairs.exclude`` are in ``pair_of`` but have no members. Memory:
    36 bytes for each sentence of a document with a pair_id.
    """
    paired = Paired(inputs)
    pair_ids = (read_file(path)["pair_id"] for path in shards(inputs.corpus))
    if all(column.null_count == len(column) for column in pair_ids):
        return paired
    place = 0
    for document, sentences in with_sentences(
        inputs, ("pair_id", "source", "lang", "text"), ("sent_id", "split", "text")
    ):
        if document["pair_id"] is not None:
            pair = stable_hash(0, document["pair_id"])
            for sentence in sentences:
                paired.pair_of.add(sentence["sent_id"], pair)
            first = sentences[0]
            whole = normalised(first["text"]) == normalised(document["text"])
            source = document["source"]
            if whole and first["split"] in TRAINING_SPLITS and source not in params.pairs.exclude:
                paired.add(pair, Member(place, first["sent_id"], document["lang"], first["split"], source))
        place += len(sentences)
    return paired


def paraphrases(
    inputs: Inputs, paired: Paired, params: Mine, dropped: Counter[str]
) -> Iterator[list[tuple[Member, Member]]]:
    """The pairs of paraphrases of each pair_id, each pair once, the earlier sentence first.

    Both are of one language and split. Pairs that teach nothing are left out and counted in ``dropped``.
    """
    sentences = Lookup(inputs)
    for members in paired.members():
        some = limited(members, params.seed, dropped)
        rows = {member.place: sentences[member.place] for member in some}
        found = []
        for a, b in combinations(some, 2):
            if a.lang != b.lang:
                reason: str | None = "another language"
            elif a.split != b.split:
                reason = "another split"
            else:
                reason = no_paraphrase(rows[a.place], rows[b.place], params.pairs, params.max_words)
            if reason:
                dropped[f"pair: {reason}"] += 1
            else:
                found.append((a, b))
        yield found


def limited(members: list[Member], seed: int, dropped: Counter[str]) -> list[Member]:
    """Up to ``MAX_MEMBERS`` members of a pair_id, drawn by content, in corpus order."""
    if len(members) > MAX_MEMBERS:
        dropped[f"pair: beyond {MAX_MEMBERS} texts of one pair_id"] += len(members) - MAX_MEMBERS
        members = sorted(members, key=lambda member: stable_hash(seed, member.sent_id))[:MAX_MEMBERS]
    return sorted(members)


def no_paraphrase(a: Row, b: Row, settings: PairPositives, max_words: int) -> str | None:
    """Why two parsed rows of one pair_id are not a pair of paraphrases to learn from, or None."""
    shorter, longer = sorted((len(a["words"]), len(b["words"])))
    if longer > max_words:
        return f"longer than {max_words} words"
    if same_text(a, b):
        return "equal text"
    if shorter < settings.min_length_ratio * longer:
        return "lengths differ"
    similarity = word_overlap(a, b)
    if similarity > settings.max_overlap:
        return "near copy"
    return "too few words shared" if similarity < settings.min_overlap else None


class SplitSentence(NamedTuple):
    """The row numbers of a whole sentence and of its two parts, and the source."""

    whole: int
    parts: tuple[int, int]
    source: str


def split_sentences(inputs: Inputs, sources: Sequence[str], dropped: Counter[str]) -> Iterator[SplitSentence]:
    """The pair_ids of these sources that hold a whole sentence and its two parts, in corpus order.

    The whole comes first in the corpus. A text that cleaning dropped or that has several sentences leaves its
    pair_id incomplete, and one that is marked by ``OTHER_PARTS`` has other parts; ``dropped`` counts these by
    source.
    """
    places, pairs, of_source = array("q"), array("Q"), array("i")
    place = 0
    for document, sentences in with_sentences(
        inputs, ("pair_id", "source", "text"), ("sent_id", "split", "text")
    ):
        first = sentences[0]
        if document["source"] in sources and document["pair_id"] and first["split"] in TRAINING_SPLITS:
            # Cleaning may leave three texts of more.
            fits = not document["pair_id"].endswith(OTHER_PARTS)
            whole = normalised(first["text"]) == normalised(document["text"])
            places.append(place if whole and fits else -1)
            pairs.append(stable_hash(0, document["pair_id"]))
            of_source.append(sources.index(document["source"]))
        place += len(sentences)
    for group in groups(np.frombuffer(pairs, dtype=np.uint64)):
        members = [number for number in group.tolist() if places[number] >= 0]
        source = sources[of_source[int(group[0])]]
        if len(members) != 3:
            dropped[f"not a sentence and its two parts: {source}"] += 1
            continue
        whole_place, a, b = (places[number] for number in members)
        yield SplitSentence(whole_place, (a, b), source)


def join_trees(first: Row, second: Row) -> Row:
    """Two parsed rows as one (fields of ``schemas.SIDE``): the second root becomes parataxis of the first."""
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
