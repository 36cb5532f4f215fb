"""How a finished phrase stands below its head: bare, in a phrase of its own, or with more brackets around it.

*dogs* is bare in *dogs and cats* and a noun phrase as a subject; a verb phrase is itself after an auxiliary,
a clause after another verb, and *that* is understood where the clause is finite.
"""

from collections.abc import Iterable

from pipeline.constituency.skeleton import BE_OR_HAVE, NOMINAL, NOT, NOUNS, WH, Skeleton
from pipeline.constituency.tree import Tree

QUANTITY = frozenset({"CD", "RB", "RBR", "JJR", "JJS", "IN", "$", "#", "DT", "TO", "CC", "JJ"})
_DO = frozenset({"do", "does", "did"})
_AMOUNTS = frozenset({"much", "more", "most", "many", "less", "enough"})
# Participles that have become prepositions.
_PARTICIPLE_PREPOSITIONS = frozenset({
    "including", "according", "excluding", "regarding", "concerning", "following", "depending", "based",
    "compared",
})  # fmt: skip


def place(sentence: Skeleton, word: int, head: int | None) -> tuple[Tree, ...]:
    """The constituents that a word's phrase contributes to its head's; ``head`` is None above the root."""
    phrase, tag = sentence.phrases[word], sentence.tags[word]
    if sentence.punctuation(word):
        return (phrase,)
    if sentence.verbal(word):
        return _verb(sentence, word, head)
    if sentence.leaf(word) and tag in WH:
        return (_wh(phrase, None if head is None else sentence.tags[head]),)
    before_noun = head is not None and word < head and _heads_noun_phrase(sentence, head)
    if before_noun and head is not None:
        return _before_noun(sentence, word, head)
    if phrase.label == "QP":
        return (Tree("NP", (phrase,)),)
    return (_leaf(sentence, word, head) if sentence.leaf(word) else phrase,)


def placed(sentence: Skeleton, words: Iterable[int], head: int) -> tuple[Tree, ...]:
    """The constituents that several words contribute, in their order."""
    return tuple(tree for word in words for tree in place(sentence, word, head))


def flat(sentence: Skeleton, word: int, label: str) -> Tree:
    """A phrase over the bare parts of speech of a word and all below it."""
    return Tree(label, tuple(map(sentence.own, sentence.yield_of(word))))


def is_quantity(sentence: Skeleton, word: int) -> bool:
    """Whether a word and all below it are an amount, such as *more than a hundred*."""
    words = sentence.yield_of(word)
    tags = {sentence.tags[each] for each in words}
    return len(words) > 1 and tags <= QUANTITY and "CD" in tags


def _heads_noun_phrase(sentence: Skeleton, head: int) -> bool:
    tag = sentence.tags[head]
    return not (sentence.verbal(head) or tag in ("IN", "TO", "JJ", "JJR") or tag.startswith("RB"))


def _wh(leaf: Tree, head_tag: str | None) -> Tree:
    if leaf.label == "WRB":
        return leaf if head_tag in ("JJ", "RB") else Tree("WHADVP", (leaf,))
    return leaf if leaf.label == "WP$" else Tree("WHNP", (leaf,))


def _before_noun(sentence: Skeleton, word: int, head: int) -> tuple[Tree, ...]:
    phrase, tag = sentence.phrases[word], sentence.tags[word]
    if sentence.leaf(word):
        return (phrase,)
    if phrase.label == "QP":
        return (phrase,) if sentence.tags[head] != "$" else (Tree("NP", (phrase,)),)
    if tag == "IN" and sentence.tags[head] != "POS" and is_quantity(sentence, word):
        return (flat(sentence, word, "QP"),)
    if phrase.label == "NP":
        if tag == "$" or sentence.words[word] == "%":
            return (Tree("ADJP", phrase.children),)
        bare = all(not child.children and child.label in NOUNS | {"JJ", "CC"} for child in phrase.children)
        if bare and tag in NOUNS and sentence.tags[head] in NOUNS:
            return phrase.children
    return (phrase,)


def _leaf(sentence: Skeleton, word: int, head: int | None) -> Tree:
    """A single word that stands before no noun."""
    leaf, tag, lower = sentence.phrases[word], sentence.tags[word], sentence.lower[word]
    above = "" if head is None else sentence.tags[head]
    below_verb = head is not None and sentence.verbal(head)
    below_preposition = not below_verb and above in ("IN", "TO")
    below_noun = head is not None and _heads_noun_phrase(sentence, head)
    after = head is not None and word > head
    if tag in NOMINAL:
        if tag in ("DT", "PDT", "PRP$") and not (below_verb or below_preposition or head is None):
            return leaf
        return (
            leaf
            if above in ("JJ", "JJR", "RB", "RBR") and not after and tag in ("NN", "NNP")
            else _phrase("NP", leaf)
        )
    if tag.startswith("JJ"):
        if below_verb and (not after or lower in _AMOUNTS):
            return _phrase("NP", leaf)
        return _phrase("ADJP", leaf) if below_verb or head is None or (above == "IN" and after) else leaf
    if tag.startswith("RB"):
        adverb = below_verb or (after and (below_preposition or below_noun))
        return _phrase("ADVP", leaf) if adverb and lower not in NOT else leaf
    if tag == "RP":
        return _phrase("PRT", leaf)
    if tag == "IN":
        return _phrase("ADVP", leaf) if below_verb or (below_noun and after) else leaf
    if tag == "UH":
        return _phrase("INTJ", leaf)
    return _phrase("FRAG", leaf) if head is None else leaf


def _phrase(label: str, leaf: Tree) -> Tree:
    return Tree(label, (leaf,))


def _verb(sentence: Skeleton, word: int, head: int | None) -> tuple[Tree, ...]:
    phrase = sentence.phrases[word]
    leaf = sentence.leaf(word)
    inner = Tree("VP", (phrase,)) if leaf else phrase
    if inner.label == "PRN":
        return (inner,)
    clause = Tree("S", (inner,)) if inner.label == "VP" else inner
    if head is None:
        return (clause,)
    if not leaf and inner.label == "VP" and sentence.lower[word] in _PARTICIPLE_PREPOSITIONS:
        return (Tree("PP", inner.children),)
    if sentence.verbal(head):
        return (_verb_below_verb(sentence, word, head, inner, clause),)
    above = sentence.tags[head]
    if above in ("IN", "TO") or above in WH:
        return (clause,)
    if word < head:
        if leaf:
            return (phrase,)
        if inner.label == "VP" and sentence.tags[word] in ("VBN", "VBG"):
            return (Tree("ADJP", inner.children),)
        return _modifying_clause(clause)
    if sentence.finite(word):
        reduced = sentence.tags[word] == "VBD" and word not in sentence.subjects and inner.label == "VP"
        return (inner if reduced else Tree("SBAR", (clause,)),)
    if above.startswith(("JJ", "RB")) or sentence.infinitive(word):
        return (clause,)
    return (inner,)


def _modifying_clause(clause: Tree) -> tuple[Tree, ...]:
    """*bank holding* before *company* is no clause."""
    if clause.label == "S" and len(clause.children) == 2 and clause.children[1].label == "VP":
        words = [leaf for part in clause.children for leaf in part.children]
        if all(not leaf.children for leaf in words) and len(words) == 2 and words[0].label in NOUNS:
            return tuple(words)
    return (clause,)


def _verb_below_verb(sentence: Skeleton, word: int, head: int, inner: Tree, clause: Tree) -> Tree:
    tag, above = sentence.tags[word], sentence.lower[head]
    if word < head:
        return clause
    between = [sentence.tags[each] for each in sentence.below[head] if head < each < word]
    if sentence.finite(word):
        mistagged = tag == "VBD" and above in BE_OR_HAVE and word not in sentence.subjects
        if mistagged and inner.label == "VP":
            return inner
        quoted = "``" in between or ":" in between or clause.label in ("SINV", "SQ", "SBARQ")
        return clause if quoted else Tree("SBAR", (clause,))
    if sentence.infinitive(word):
        return clause
    if tag == "VB" and (sentence.tags[head] in ("MD", "TO") or above in _DO):
        return inner
    if tag in ("VBN", "VBG") and above in BE_OR_HAVE and "," not in between:
        return inner
    return clause
