"""Paraphrases that the corpus marks: sentences of documents with the same pair_id.

Also a sentence and the two that it was split into (WikiSplit), the two joined to one tree.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import NamedTuple

from pipeline.core.seeding import stable_hash
from pipeline.core.store import read
from pipeline.mining.examples import same_text, word_overlap
from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Lookup, Row, with_sentences
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


class Paired(NamedTuple):
    """``pair_of``: the number of each sentence's pair_id, by sent_id; ``members``: by that number."""

    pair_of: dict[str, int]
    members: dict[int, list[Member]]


def read_pairs(inputs: Inputs, params: Mine) -> Paired:
    """Read which sentences share a pair_id; both mappings are empty where the corpus has none.

    A document is a member if its only sentence is its whole text, because texts of several sentences cannot
    be aligned by sentence. Sources in ``mine.pairs.exclude`` are in ``pair_of`` but have no members.
    """
    paired = Paired({}, defaultdict(list))
    pair_ids = read(inputs.corpus)["pair_id"]
    if pair_ids.null_count == len(pair_ids):
        return paired
    numbers: dict[str, int] = {}
    place = 0
    for document, sentences in with_sentences(
        inputs, ("pair_id", "source", "lang", "text"), ("sent_id", "split", "text")
    ):
        if document["pair_id"] is not None:
            pair = numbers.setdefault(document["pair_id"], len(numbers))
            paired.pair_of.update((sentence["sent_id"], pair) for sentence in sentences)
            first = sentences[0]
            whole = normalised(first["text"]) == normalised(document["text"])
            source = document["source"]
            if whole and first["split"] in TRAINING_SPLITS and source not in params.pairs.exclude:
                member = Member(place, first["sent_id"], document["lang"], first["split"], source)
                paired.members[pair].append(member)
        place += len(sentences)
    return paired


def paraphrases(
    inputs: Inputs, paired: Paired, params: Mine, dropped: Counter[str]
) -> Iterator[tuple[str, int]]:
    """Each pair of paraphrases once: the sent_id of the earlier sentence, the row number of the later.

    Both are of one language and split. Pairs that teach nothing are left out and counted in ``dropped``.
    """
    sentences = Lookup(inputs)
    for members in paired.members.values():
        some = limited(members, params.seed, dropped)
        rows = {member.place: sentences[member.place] for member in some}
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
                yield a.sent_id, b.place


def limited(members: list[Member], seed: int, dropped: Counter[str]) -> list[Member]:
    """Up to ``MAX_MEMBERS`` members of a pair_id, drawn by content, in corpus order."""
    if len(members) > MAX_MEMBERS:
        dropped[f"pair: beyond {MAX_MEMBERS} texts of one pair_id"] += len(members) - MAX_MEMBERS
        members = sorted(members, key=lambda member: stable_hash(seed, member.sent_id))[:MAX_MEMBERS]
    return sorted(members)


def no_paraphrase(a: Row, b: Row, rule: PairPositives, max_words: int) -> str | None:
    """Why two parsed rows of one pair_id are not a pair of paraphrases to learn from, or None."""
    shorter, longer = sorted((len(a["words"]), len(b["words"])))
    if longer > max_words:
        return f"longer than {max_words} words"
    if same_text(a, b):
        return "equal text"
    if shorter < rule.min_length_ratio * longer:
        return "lengths differ"
    similarity = word_overlap(a, b)
    if similarity > rule.max_overlap:
        return "near copy"
    return "too few words shared" if similarity < rule.min_overlap else None


class SplitSentence(NamedTuple):
    """The sent_id of a whole sentence, the row numbers of its two parts, and the source."""

    whole: str
    parts: tuple[int, int]
    source: str


def split_sentences(inputs: Inputs, sources: Sequence[str], dropped: Counter[str]) -> Iterator[SplitSentence]:
    """The pair_ids of these sources that hold a whole sentence and its two parts, in corpus order.

    The whole comes first in the corpus. A text that cleaning dropped or that has several sentences leaves its
    pair_id incomplete; ``dropped`` counts these by source.
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
        yield SplitSentence(whole_id, (a, b), source)


def join_trees(first: Row, second: Row) -> Row:
    """Two parsed rows as one (fields of ``store.SIDE``): the second root becomes parataxis of the first."""
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
