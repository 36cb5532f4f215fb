"""Paraphrases and translations that the corpus marks: sentences of documents with the same pair_id.

Also the training examples made only of paraphrases, for ``parabart`` (Huang et al. 2021) and for ``simcse``
on the same data. The paper learns from back-translated pairs (ParaNMT); here the pairs are the corpus's and
the sentences' ``same`` variants. Pairs that share too many word n-grams teach copying and are left out; the
paper drops words of the source for the same reason. Which of the two is the source is drawn, so that neither
the older translation nor the rule-made variant is always on one side.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from operator import itemgetter

from pipeline.core.params import Mine
from pipeline.core.schemas import OTHER_PARTS
from pipeline.core.seeding import SEED, stable_hash
from pipeline.core.store import rows
from pipeline.mining.filter import Example, jaccard, of_sentences, same_text, word_set
from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Lookup, Row, with_sentences
from pipeline.syntax.sentence import normalised

KIND = "pair"
SPLIT_SENTENCES = ("wikisplit",)  # sources whose pair_id ties a sentence to the two that it was split into
# The same, and captions of one picture, which need not say the same.
NO_PARAPHRASES = (*SPLIT_SENTENCES, "flickr8k")
MAX_MEMBERS = 8  # sentences of one pair_id that are paired: their pairs grow with the square
# The least Jaccard similarity of a pair's words, and the shorter's number of words by the longer's.
MIN_OVERLAP, MIN_LENGTH_RATIO = 0.1, 0.5
# Of pairs that a decoder learns from: their number for each pair_id, which may hold many texts; the least
# overlap, as captions of one picture may share little; and how many of their trigrams they may share.
PER_PAIR_ID, MIN_OVERLAP_TO_WRITE, MAX_SHARED, NGRAM = 4, 0.2, 0.6, 3


def pair_ids(inputs: Inputs) -> dict[str, str]:
    """Return the pair_id of every document that has one, by doc_id."""
    return {
        row["doc_id"]: row["pair_id"]
        for row in rows(inputs.corpus, "doc_id", "pair_id")
        if row["pair_id"] is not None
    }


def members(inputs: Inputs, exclude: Sequence[str] = NO_PARAPHRASES) -> list[tuple[str, list[Row]]]:
    """Return the texts of each pair_id, in corpus order, pair_ids in that of their first text.

    Rows have the columns of document and sentence, but not the text; ``place`` is the sentence's row number.
    Only documents of the training splits whose only sentence is their whole text count, because texts of
    several sentences cannot be aligned by sentence; and none of a source in ``exclude``.
    """
    found: dict[str, list[Row]] = {}
    if not pair_ids(inputs):
        return []
    names = ("pair_id", "source", "lang", "text"), ("sent_id", "split", "text")
    for document, sentences in with_sentences(inputs, *names):
        if document["pair_id"] is None or document["source"] in exclude:
            continue
        first = sentences[0]
        whole = normalised(first["text"]) == normalised(document["text"])
        if whole and first["split"] in TRAINING_SPLITS:
            each = first | document
            del each["text"]
            found.setdefault(each["pair_id"], []).append(each)
    return list(found.items())


def some_of(texts: Sequence[Row], dropped: Counter[str]) -> list[Row]:
    """Return up to ``MAX_MEMBERS`` members of a pair_id, drawn by content, in corpus order."""
    if len(texts) <= MAX_MEMBERS:
        return list(texts)
    dropped[f"pair: beyond {MAX_MEMBERS} texts of one pair_id"] += len(texts) - MAX_MEMBERS
    drawn = sorted(texts, key=lambda each: stable_hash(SEED, each["sent_id"]))[:MAX_MEMBERS]
    return sorted(drawn, key=itemgetter("place"))


def paraphrases(
    inputs: Inputs,
    corpus: Lookup,
    params: Mine,
    dropped: Counter[str],
    exclude: Sequence[str] = NO_PARAPHRASES,
    overlap: float = MIN_OVERLAP,
) -> Iterator[list[tuple[Row, Row]]]:
    """Yield the pairs of paraphrases of each pair_id, the earlier sentence first.

    Both are of one language and split, and neither is of a source in ``exclude``; the similarity of their
    words is at least ``overlap``.
    """
    for _, texts in members(inputs, exclude):
        found = []
        for a, b in combinations(some_of(texts, dropped), 2):
            if a["lang"] != b["lang"]:
                reason: str | None = "another language"
            elif a["split"] != b["split"]:
                reason = "another split"
            else:
                reason = _no_paraphrase(corpus[a["place"]], corpus[b["place"]], params.max_words, overlap)
            if reason:
                dropped[f"pair: {reason}"] += 1
            else:
                found.append((a, b))
        yield found


def _no_paraphrase(a: Row, b: Row, max_words: int, least: float) -> str | None:
    """Return why two sentences of one pair_id are not paraphrases to learn from, or None."""
    shorter, longer = sorted((len(a["words"]), len(b["words"])))
    if longer > max_words:
        return f"longer than {max_words} words"
    if same_text(a, b):
        return "equal text"
    if shorter < MIN_LENGTH_RATIO * longer:
        return "lengths differ"
    return "too few words shared" if jaccard(word_set(a), word_set(b)) < least else None


def paraphrase_examples(inputs: Inputs, params: Mine, dropped: Counter[str]) -> Iterator[Example]:
    """Return examples of a source sentence and its paraphrase, which a decoder writes from it.

    Kinds are ``pair-SOURCE`` and the names of transformations.
    """
    corpus = Lookup(inputs.sentences)
    targets: dict[int, list[tuple[tuple[int, ...], str]]] = {}  # by row number: rows to join, and source
    for pairs in paraphrases(inputs, corpus, params, dropped, SPLIT_SENTENCES, MIN_OVERLAP_TO_WRITE):
        drawn = sorted(pairs, key=lambda pair: stable_hash(SEED, *(each["sent_id"] for each in pair)))
        dropped[f"pair: beyond {PER_PAIR_ID} of one pair_id"] += len(drawn[PER_PAIR_ID:])
        for first, other in drawn[:PER_PAIR_ID]:
            targets.setdefault(first["place"], []).append(((other["place"],), other["source"]))
    for whole, parts, source in split_sentences(inputs, dropped):
        targets.setdefault(whole, []).append((parts, source))

    def make(sentence: Row, variants: list[Row], dropped: Counter[str]) -> Iterator[Example]:
        found = [
            (join_trees([corpus[place] for place in places]), f"{KIND}-{source}")
            for places, source in targets.get(sentence["place"], [])
        ]
        same = (row for row in variants if params.variants and row["meaning"] == "same")
        found += [(row, row["transformation"]) for row in same]
        for target, kind in found:
            if reason := _nothing_to_write(sentence, target, kind, params):
                dropped[f"{reason}: {kind}"] += 1
            elif stable_hash(SEED, "direction", sentence["sent_id"], target["text"]) % 2:
                anchor = target | {name: sentence[name] for name in ("sent_id", "split")}
                yield Example(anchor, sentence, kind)
            else:
                yield Example(sentence, target, kind)

    return of_sentences(make, inputs, params, dropped)


def _nothing_to_write(sentence: Row, target: Row, kind: str, params: Mine) -> str | None:
    if same_text(sentence, target):
        return "equal text"
    if shared_ngrams(sentence["words"], target["words"], NGRAM) > MAX_SHARED:
        return "near copy"
    if kind.startswith(KIND):
        return _no_paraphrase(sentence, target, params.max_words, MIN_OVERLAP_TO_WRITE)
    return None


def shared_ngrams(a: Sequence[str], b: Sequence[str], n: int) -> float:
    """Return the Jaccard similarity of the word n-grams, without case; a shorter text is one n-gram."""
    return jaccard(_ngrams(a, n), _ngrams(b, n))


def _ngrams(words: Sequence[str], n: int) -> frozenset[str]:
    lower = [word.casefold() for word in words]
    return frozenset("\x1f".join(lower[start : start + n]) for start in range(max(1, len(lower) - n + 1)))


def split_sentences(inputs: Inputs, dropped: Counter[str]) -> Iterator[tuple[int, tuple[int, int], str]]:
    """Yield row numbers of a sentence and of the two that it was split into (WikiSplit), and the source.

    The whole comes first in the corpus. A text that cleaning dropped or that has several sentences leaves its
    pair_id incomplete, and one marked by ``OTHER_PARTS`` has other parts; ``dropped`` counts these.
    """
    for pair_id, texts in members(inputs, exclude=()):
        source = texts[0]["source"]
        if source not in SPLIT_SENTENCES:
            continue
        if len(texts) != 3 or pair_id.endswith(OTHER_PARTS):
            dropped[f"not a sentence and its two parts: {source}"] += 1
            continue
        whole, a, b = (text["place"] for text in texts)
        yield whole, (a, b), source


def join_trees(trees: Iterable[Row]) -> Row:
    """Return one or two parsed rows as one: the second root becomes parataxis of the first."""
    first, *others = trees
    if not others:
        return first
    (second,) = others
    length, root = len(first["words"]), first["heads"].index(0) + 1
    arcs = zip(second["heads"], second["deprels"], strict=True)
    return {
        "text": f"{first['text']} {second['text']}",
        "heads": [*first["heads"], *(head + length if head else root for head in second["heads"])],
        "deprels": [*first["deprels"], *(label if head else "parataxis" for head, label in arcs)],
        **{name: [*first[name], *second[name]] for name in ("words", "upos", "xpos", "lemmas")},
    }
