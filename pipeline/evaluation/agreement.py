"""Conditional structural agreement of two parsed sentences: a symbolic, untrained baseline for paraphrase
pairs.

A sentence becomes its set of dependency triples (lemma, lemma of the head, role), with three normalisations
that make rewordings alike: the passive's subject is an object and its agent a subject, function words are
skipped, and a conjunct takes the role of the first conjunct. Of two sentences only the triples whose two
words occur in both count, since lexical difference says little where word overlap is high; agreement is
(shared + 0.5) / (united + 1).
"""

from collections.abc import Set

from pipeline.sentences import Sentence

Triple = tuple[str, str, str]
ROOT = ""  # the head of the root; it is no word, so a triple with it never has both words shared
_FUNCTION = {"det", "case", "aux", "cop", "mark", "cc", "punct", "expl", "clf"}
_PASSIVE_SUBJECTS = {"nsubj:pass": "obj", "csubj:pass": "obj", "obl:agent": "nsubj"}


def triples(sentence: Sentence) -> frozenset[Triple]:
    """The normalised triples of a sentence's content words."""
    lemmas = [
        lemma.lower() or word.lower() for lemma, word in zip(sentence.lemmas, sentence.words, strict=True)
    ]
    found = set()
    for word, deprel in enumerate(sentence.deprels):
        if deprel.split(":")[0] in _FUNCTION:
            continue
        head, role = _lifted(sentence, word)
        head = _content(sentence, head)
        found.add((lemmas[word], ROOT if head < 0 else lemmas[head], role))
    return frozenset(found)


def _lifted(sentence: Sentence, word: int) -> tuple[int, str]:
    """Head (0-based, -1 above the root) and normalised role; a conjunct has those of the first conjunct."""
    while sentence.deprels[word].split(":")[0] == "conj" and sentence.heads[word]:
        word = sentence.heads[word] - 1
    return sentence.heads[word] - 1, _role(sentence, word)


def _role(sentence: Sentence, word: int) -> str:
    deprel, head = sentence.deprels[word], sentence.heads[word]
    if deprel in _PASSIVE_SUBJECTS:
        return _PASSIVE_SUBJECTS[deprel]
    if deprel.split(":")[0] == "obl" and head and "nsubj:pass" in _relations(sentence, head):
        cases = [
            sentence.words[i].lower()
            for i, (h, d) in enumerate(zip(sentence.heads, sentence.deprels, strict=True))
            if h == word + 1 and d == "case"
        ]
        if cases == ["by"]:
            return "nsubj"
    return deprel.split(":")[0]


def _relations(sentence: Sentence, head: int) -> set[str]:
    return {d for h, d in zip(sentence.heads, sentence.deprels, strict=True) if h == head}


def _content(sentence: Sentence, word: int) -> int:
    """The word itself, or the first content word above it."""
    while word >= 0 and sentence.deprels[word].split(":")[0] in _FUNCTION:
        word = sentence.heads[word] - 1
    return word


def agreement(a: frozenset[Triple], b: frozenset[Triple]) -> float:
    """Conditional structural agreement, from 0 to 1; labelled and unlabelled triples count alike."""
    shared_words = {word for word, _, _ in a} & {word for word, _, _ in b}

    def conditioned(side: frozenset[Triple]) -> set[Triple]:
        return {t for t in side if t[0] in shared_words and t[1] in shared_words}

    x, y = conditioned(a), conditioned(b)
    bare = [{(word, head) for word, head, _ in side} for side in (x, y)]
    return (_smoothed(x, y) + _smoothed(*bare)) / 2


def _smoothed(x: Set[object], y: Set[object]) -> float:
    return (len(x & y) + 0.5) / (len(x | y) + 1)
