"""What may be in a training example, and the one filter that all examples pass."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from pipeline.core.params import Mine
from pipeline.core.seeding import stable_hash
from pipeline.core.store import rows
from pipeline.corpora.duplicates import SHORTEST, Contamination
from pipeline.mining.inputs import TRAINING_SPLITS, Inputs, Row, with_variants
from pipeline.syntax.sentence import Sentence, normalised
from pipeline.syntax.similarity import structural_similarity, triples
from pipeline.syntax.tree import lemma, universal
from pipeline.syntax.words import words

# Structural similarity of trees up to which sentences of the same words are taken to mean something else.
OTHER_STRUCTURE = 0.45
# Jaccard similarity of words and word pairs from which a text counts as a benchmark's.
CONTAMINATION = 0.8
IDENTITY = "identity"  # the kind of a positive that is the anchor itself


class Example(NamedTuple):
    """A training example: rows with the columns of ``schemas.SIDE``, and what they are to the anchor.

    The anchor also has ``sent_id`` and ``split``. ``kind`` is that of the positive: a transformation,
    ``IDENTITY``, ... ``negatives`` are hard negatives, each with its kind.
    """

    anchor: Row
    positive: Row
    kind: str
    negatives: Sequence[tuple[Row, str]] = ()


# The examples of one sentence, of its variants; what they leave out is counted.
Make = Callable[[Row, list[Row], Counter[str]], Iterator[Example]]


def of_sentences(make: Make, inputs: Inputs, params: Mine, dropped: Counter[str]) -> Iterator[Example]:
    """Yield the examples that ``make`` yields of each sentence of the training splits.

    Sentences that are too long or repeated are left out, and ``clean`` drops texts that models are tested on.
    """
    sentences = distinct(with_variants(inputs), params, dropped)
    made = (example for sentence, variants in sentences for example in make(sentence, variants, dropped))
    return clean(made, inputs, dropped)


def distinct(
    sentences: Iterable[tuple[Row, list[Row]]], params: Mine, dropped: Counter[str]
) -> Iterator[tuple[Row, list[Row]]]:
    """Yield the sentences of the training splits that are short enough and repeat no earlier one."""
    seen: set[int] = set()
    for sentence, variants in sentences:
        if sentence["split"] not in TRAINING_SPLITS:
            continue
        text = stable_hash(0, normalised(sentence["text"]))
        if len(sentence["words"]) > params.max_words:
            dropped[f"longer than {params.max_words} words"] += 1
        elif text in seen:
            dropped["duplicate sentence"] += 1
        else:
            seen.add(text)
            yield sentence, variants


def clean(examples: Iterable[Example], inputs: Inputs, dropped: Counter[str]) -> Iterator[Example]:
    """Yield the examples without texts that models are tested on, and without repeated negatives.

    An example goes if its anchor or positive is such a text; otherwise only the negatives that are one. These
    are the benchmarks' texts: cleaning removed them from the corpus, but a variant can turn into one, and a
    user's own parses need not have been cleaned. The training part of a benchmark that is itself a source of
    the corpus (``paws-wiki-train``) passes. These are also the sentences of the corpus's test split, because
    two documents can have one sentence; a treebank keeps its published splits. Texts of fewer than
    ``SHORTEST`` words always pass.
    """
    reason = barred(inputs)
    for example in examples:
        if found := reason(example.anchor["text"]) or reason(example.positive["text"]):
            dropped[f"{found}: anchor or positive"] += 1
            continue
        negatives: dict[str, tuple[Row, str]] = {}
        for negative, kind in example.negatives:
            if found := reason(negative["text"]):
                dropped[f"{found}: negative"] += 1
            else:
                negatives.setdefault(normalised(negative["text"]), (negative, kind))
        yield example._replace(negatives=list(negatives.values()))


@lru_cache(maxsize=1)
def barred(inputs: Inputs) -> Callable[[str], str]:
    """Return a function that says why a text is barred from examples; empty if it is not."""
    sources = {row["source"] for row in rows(inputs.corpus, "source")}
    benchmarks = [
        text
        for row in rows(inputs.benchmarks, "task", "split", "a", "b")
        if row["split"] != "train" or f"{row['task']}-train" not in sources
        for text in (row["a"], row["b"])
        if text
    ]
    gold = inputs.parsed == inputs.treebank
    sentences = () if gold else rows(inputs.sentences, "split", "text")
    tested = {normalised(row["text"]) for row in sentences if row["split"] == "test"}
    index = Contamination(benchmarks, CONTAMINATION)

    @lru_cache(maxsize=1000)  # an anchor and its negatives come again with its next positive
    def reason(text: str) -> str:
        if len(words(text)) >= SHORTEST and normalised(text) in tested:
            return "text of the test split"
        return "benchmark text" if index.holds(text) else ""

    return reason


def word_set(row: Row) -> frozenset[str]:
    """Return the distinct words of a sentence, without case and punctuation."""
    return frozenset(word.casefold() for word in row["words"] if any(map(str.isalnum, word)))


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return |a ∩ b| / |a ∪ b|; 0 if both are empty."""
    union = len(a | b)
    return len(a & b) / union if union else 0.0


def tree_similarity(a: Row, b: Row) -> float:
    """Return the structural similarity of the trees of two sentences, 0 to 1."""
    return structural_similarity(triples(Sentence.from_row(a)), triples(Sentence.from_row(b)))


def same_text(a: Row, b: Row) -> bool:
    """Return whether two sentences have the same text, without case and spacing."""
    return normalised(a["text"]) == normalised(b["text"])


def may_mean_the_same(a: Row, b: Row, similarity: float) -> str | None:
    """Return why two sentences of nearly the same words may mean the same, or None.

    They are equal; one has all words of the other and more; the ``similarity`` of their trees is above
    ``OTHER_STRUCTURE``; or they are one copular clause, turned round.
    """
    if same_text(a, b):
        return "equal text"
    x, y = word_set(a), word_set(b)
    # Equal sets pass: the same words in another structure are what is looked for.
    if x < y or y < x:
        return "one text contains the other"
    if similarity > OTHER_STRUCTURE:
        return "the same structure"
    one, other = _copular(Sentence.from_row(a)), _copular(Sentence.from_row(b))
    return "a copular clause turned round" if one is not None and one[::-1] == other else None


def _copular(tree: Sentence) -> tuple[str, str] | None:
    """Return the lemmas of subject and predicate if the main clause says that one noun is another."""
    deprels = [universal(deprel) for deprel in tree.deprels]
    for root, deprel in enumerate(deprels):
        if deprel != "root" or not tree.upos or tree.upos[root] not in ("NOUN", "PROPN"):
            continue
        below = {deprels[word]: word for word, head in enumerate(tree.heads) if head == root + 1}
        if "cop" in below and "nsubj" in below:
            return lemma(tree, below["nsubj"]), lemma(tree, root)
    return None
