"""The brackets that a finished phrase gets below its head: none, a phrase of its own, or more.

*dogs* has none in *dogs and cats* and is a noun phrase as a subject. A verb phrase has none after an
auxiliary and is a clause after another verb, with ``SBAR`` around a finite one. Parentheses (``PRN``) are
text in brackets, and *he said* between commas.
"""

from collections.abc import Iterable, Sequence

from pipeline.syntax.constituency.penn import BE_OR_HAVE, NOMINAL, NOT, NOUNS, WH, PennTree
from pipeline.syntax.constituency.tree import Tree

QUANTITY = frozenset({"CD", "RB", "RBR", "JJR", "JJS", "IN", "$", "#", "DT", "TO", "CC", "JJ"})
_DO = frozenset({"do", "does", "did"})
_AMOUNTS = frozenset({"much", "more", "most", "many", "less", "enough"})
# Participles that have become prepositions.
_PARTICIPLE_PREPOSITIONS = frozenset({
    "including", "according", "excluding", "regarding", "concerning", "following", "depending", "based",
    "compared",
})  # fmt: skip


def place(sentence: PennTree, word: int, head: int | None) -> tuple[Tree, ...]:
    """The constituents that the phrase of a word adds to that of its head; ``head`` is None for the root."""
    phrase, tag = sentence.phrases[word], sentence.tags[word]
    if sentence.punctuation(word):
        return (phrase,)
    if sentence.verbal(word):
        return _verb(sentence, word, head)
    if sentence.leaf(word) and tag in WH:
        return (_wh(phrase, None if head is None else sentence.tags[head]),)
    if head is not None and word < head and _heads_noun_phrase(sentence, head):
        return _before_noun(sentence, word, head)
    if phrase.label == "QP":
        return (Tree("NP", (phrase,)),)
    return (_leaf(sentence, word, head) if sentence.leaf(word) else phrase,)


def placed(sentence: PennTree, words: Iterable[int], head: int) -> tuple[Tree, ...]:
    """The constituents that several words add, in their order."""
    return tuple(tree for word in words for tree in place(sentence, word, head))


def flat(sentence: PennTree, word: int, label: str) -> Tree:
    """A phrase over the bare parts of speech of a word and all below it."""
    return Tree(label, tuple(map(sentence.own, sentence.subtree(word))))


def is_quantity(sentence: PennTree, word: int) -> bool:
    """Whether a word and all below it are an amount, such as *more than a hundred*."""
    words = sentence.subtree(word)
    tags = {sentence.tags[each] for each in words}
    return len(words) > 1 and tags <= QUANTITY and "CD" in tags


def _heads_noun_phrase(sentence: PennTree, head: int) -> bool:
    tag = sentence.tags[head]
    return not (sentence.verbal(head) or tag in ("IN", "TO", "JJ", "JJR") or tag.startswith("RB"))


def _wh(leaf: Tree, head_tag: str | None) -> Tree:
    if leaf.label == "WRB":
        return leaf if head_tag in ("JJ", "RB") else Tree("WHADVP", (leaf,))
    return leaf if leaf.label == "WP$" else Tree("WHNP", (leaf,))


def _before_noun(sentence: PennTree, word: int, head: int) -> tuple[Tree, ...]:
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


def _leaf(sentence: PennTree, word: int, head: int | None) -> Tree:
    """The constituent of a single word that does not stand before a noun."""
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


def _verb(sentence: PennTree, word: int, head: int | None) -> tuple[Tree, ...]:
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


def _verb_below_verb(sentence: PennTree, word: int, head: int, inner: Tree, clause: Tree) -> Tree:
    tag, above = sentence.tags[word], sentence.lower[head]
    if word < head:
        return clause
    between = [sentence.tags[each] for each in sentence.children[head] if head < each < word]
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


_REPORTING = frozenset({
    "say", "says", "said", "think", "thinks", "thought", "believe", "believes", "believed", "add",
    "adds", "added", "argue", "argues", "argued", "contend", "contends", "insists", "explains", "noted",
    "notes", "know", "guess", "hope", "suggests"
})  # fmt: skip


def with_parentheses(sentence: PennTree, words: Sequence[int], head: int) -> tuple[Tree, ...]:
    """The constituents of some children of ``head``, with ``PRN`` around parentheses."""
    items = [(word, tree) for word in words for tree in place(sentence, word, head)]
    found: list[Tree] = []
    at = 0
    while at < len(items):
        end = _bracketed(items, at) or _reported(sentence, items, at)
        if end:
            found.append(Tree("PRN", tuple(_without_sbar(tree) for _, tree in items[at:end])))
        else:
            found.append(items[at][1])
        at = end or at + 1
    return tuple(found)


def _bracketed(items: Sequence[tuple[int, Tree]], at: int) -> int | None:
    """The item after the parenthesis in brackets that opens at ``at``; None where none opens or closes."""
    if items[at][1].label != "-LRB-":
        return None
    return next((end + 1 for end in range(at + 1, len(items)) if items[end][1].label == "-RRB-"), None)


def _reported(sentence: PennTree, items: Sequence[tuple[int, Tree]], at: int) -> int | None:
    if items[at][1].label != "," or at + 1 == len(items):
        return None
    verb = items[at + 1][0]
    closed = at + 2 == len(items) or items[at + 2][1].label == ","
    if closed and sentence.finite(verb) and sentence.lower[verb] in _REPORTING:
        return min(at + 3, len(items))
    return None


def _without_sbar(tree: Tree) -> Tree:
    """The clause alone: a parenthesis has no ``SBAR``."""
    return tree.children[0] if tree.label == "SBAR" and len(tree.children) == 1 else tree
