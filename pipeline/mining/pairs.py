"""True paraphrases in the corpus: sentences of documents that share a pair_id."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Lookup, Row, with_sentences
from pipeline.mining.words import overlap, same_text
from pipeline.params import Mine, PairPositives
from pipeline.seeding import rank
from pipeline.sentences import normalised
from pipeline.store import read

KIND = "pair"
LARGEST = 8  # members of one pair_id that are paired with each other: a crowd would make too many pairs


class Member(NamedTuple):
    """A document that is one sentence: its place among the parsed sentences, and what tells whom it fits."""

    place: int
    sent_id: str
    lang: str
    split: str
    source: str


class Paired(NamedTuple):
    """``unit`` numbers the pair_id of every sentence that has one, by sent_id; ``members`` by that number."""

    unit: dict[str, int]
    members: dict[int, list[Member]]


def read_pairs(inputs: Inputs, params: Mine) -> Paired:
    """What the corpus says of pairs; both parts are empty, at no cost, where it has no pair_id.

    A document counts as a member where its only sentence is all its text, for verses and lines of several
    sentences cannot be aligned by sentence. Sources in ``mine.pairs.exclude`` have units and no members.
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
            unit = numbers.setdefault(document["pair_id"], len(numbers))
            paired.unit.update((sentence["sent_id"], unit) for sentence in sentences)
            first = sentences[0]
            whole = normalised(first["text"]) == normalised(document["text"])
            source = document["source"]
            if whole and first["split"] in TRAINING_SPLITS and source not in params.pairs.exclude:
                member = Member(place, first["sent_id"], document["lang"], first["split"], source)
                paired.members[unit].append(member)
        place += len(sentences)
    return paired


def paraphrases(
    inputs: Inputs, paired: Paired, params: Mine, dropped: Counter[str]
) -> Iterator[tuple[str, int]]:
    """Every pair once: the earlier sentence's sent_id and the other's place among the parsed sentences.

    Of one language and split; near copies, equal texts and pairs too unlike to be paraphrases are counted in
    ``dropped`` and left out.
    """
    sentences = Lookup(inputs)
    for members in paired.members.values():
        some = chosen(members, params.seed, dropped)
        rows = {member.place: sentences[member.place] for member in some}
        for a, b in combinations(some, 2):
            if a.lang != b.lang:
                reason: str | None = "another language"
            elif a.split != b.split:
                reason = "another split"
            else:
                reason = unfit(rows[a.place], rows[b.place], params.pairs, params.max_words)
            if reason:
                dropped[f"pair: {reason}"] += 1
            else:
                yield a.sent_id, b.place


def chosen(members: list[Member], seed: int, dropped: Counter[str]) -> list[Member]:
    """The members of a pair_id that are paired, in corpus order; of a crowd some, drawn by content."""
    if len(members) > LARGEST:
        dropped[f"pair: beyond {LARGEST} texts of one pair_id"] += len(members) - LARGEST
        members = sorted(members, key=lambda member: rank(seed, member.sent_id))[:LARGEST]
    return sorted(members)


def unfit(a: Row, b: Row, rule: PairPositives, max_words: int) -> str | None:
    """Why two parsed rows are no pair of paraphrases to learn from, or None."""
    shorter, longer = sorted((len(a["words"]), len(b["words"])))
    if longer > max_words:
        return f"longer than {max_words} words"
    if same_text(a, b):
        return "equal text"
    if shorter < rule.min_length_ratio * longer:
        return "lengths differ"
    similarity = overlap(a, b)
    if similarity > rule.max_overlap:
        return "near copy"
    return "too few words shared" if similarity < rule.min_overlap else None
