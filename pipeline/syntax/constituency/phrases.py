"""Phrases headed by nouns, prepositions, subordinators, adverbs and adjectives, and their places in others.

A base noun phrase is flat: the noun and what stands before it. Modifiers after it make a phrase around it:
``(NP (NP the dog) (PP of ...))``. Head rules take the last noun of a coordination as its head, UD takes the
first, so further conjuncts may stand on both sides.

A finished phrase gets brackets below its head: none, a phrase of its own, or more. *dogs* has none in *dogs
and cats* and is a noun phrase as a subject. A verb phrase has none after an auxiliary and is a clause after
another verb, with ``SBAR`` around a finite one.

In a clause, what follows the verb goes into its verb phrase, what precedes it into the clause around that.
The head of a clause is its finite verb or first auxiliary. The head of an infinitive is *to* or the verb.
"""

from collections.abc import Iterable, Sequence

from pipeline.syntax.constituency.penn import BE_OR_HAVE, NOMINAL, NOT, NOUNS, WH, PennTree
from pipeline.syntax.constituency.tree import Tree

Words = Sequence[int]  # positions
Trees = tuple[Tree, ...]

_DO = frozenset({"do", "does", "did"})
_AMOUNTS = frozenset({"much", "more", "most", "many", "less", "enough"})
# Participles that have become prepositions.
_PARTICIPLE_PREPOSITIONS = frozenset({
    "including", "according", "excluding", "regarding", "concerning", "following", "depending", "based",
    "compared",
})  # fmt: skip


def place(sentence: PennTree, word: int, head: int | None) -> Trees:
    """Return the constituents that a word's phrase adds to that of its head (None for the root)."""
    phrase, tag = sentence.phrases[word], sentence.tags[word]
    if sentence.punctuation(word):
        return (phrase,)
    if sentence.verbal(word):
        return _verb(sentence, word, head)
    if sentence.leaf(word) and tag in WH:
        return (_wh(phrase, None if head is None else sentence.tags[head]),)
    if head is not None and word < head and _heads_noun_phrase(sentence, head):
        return _before_noun(sentence, word, head)
    return (_leaf(sentence, word, head) if sentence.leaf(word) else phrase,)


def placed(sentence: PennTree, words: Iterable[int], head: int) -> Trees:
    """Return the constituents that several words add, in their order."""
    return tuple(tree for word in words for tree in place(sentence, word, head))


def _heads_noun_phrase(sentence: PennTree, head: int) -> bool:
    tag = sentence.tags[head]
    return not (sentence.verbal(head) or tag in ("IN", "TO", "JJ", "JJR") or tag.startswith("RB"))


def _wh(leaf: Tree, head_tag: str | None) -> Tree:
    if leaf.label == "WRB":
        return leaf if head_tag in ("JJ", "RB") else Tree("WHADVP", (leaf,))
    return leaf if leaf.label == "WP$" else Tree("WHNP", (leaf,))


def _before_noun(sentence: PennTree, word: int, head: int) -> Trees:
    phrase, tag = sentence.phrases[word], sentence.tags[word]
    if sentence.leaf(word):
        return (phrase,)
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
        measure = above in ("JJ", "JJR", "RB", "RBR") and not after and tag in ("NN", "NNP")
        return leaf if measure else Tree("NP", (leaf,))
    if tag.startswith("JJ"):
        if below_verb and (not after or lower in _AMOUNTS):
            return Tree("NP", (leaf,))
        return Tree("ADJP", (leaf,)) if below_verb or head is None or (above == "IN" and after) else leaf
    if tag.startswith("RB"):
        adverb = below_verb or (after and (below_preposition or below_noun))
        return Tree("ADVP", (leaf,)) if adverb and lower not in NOT else leaf
    if tag == "RP":
        return Tree("PRT", (leaf,))
    if tag == "IN":
        return Tree("ADVP", (leaf,)) if below_verb or (below_noun and after) else leaf
    if tag == "UH":
        return Tree("INTJ", (leaf,))
    return Tree("FRAG", (leaf,)) if head is None else leaf


def _verb(sentence: PennTree, word: int, head: int | None) -> Trees:
    phrase = sentence.phrases[word]
    leaf = sentence.leaf(word)
    inner = Tree("VP", (phrase,)) if leaf else phrase
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
        return (clause,)
    if sentence.finite(word):
        reduced = sentence.tags[word] == "VBD" and word not in sentence.subjects and inner.label == "VP"
        return (inner if reduced else Tree("SBAR", (clause,)),)
    if above.startswith(("JJ", "RB")) or sentence.infinitive(word):
        return (clause,)
    return (inner,)


def _verb_below_verb(sentence: PennTree, word: int, head: int, inner: Tree, clause: Tree) -> Tree:
    tag, above = sentence.tags[word], sentence.lower[head]
    if word < head:
        return clause
    between = [sentence.tags[each] for each in sentence.children[head] if head < each < word]
    if sentence.finite(word):
        mistagged = tag == "VBD" and above in BE_OR_HAVE and word not in sentence.subjects
        if mistagged and inner.label == "VP":
            return inner
        quoted = "``" in between or ":" in between or clause.label == "SINV"
        return clause if quoted else Tree("SBAR", (clause,))
    if sentence.infinitive(word):
        return clause
    if tag == "VB" and (sentence.tags[head] in ("MD", "TO") or above in _DO):
        return inner
    if tag in ("VBN", "VBG") and above in BE_OR_HAVE and "," not in between:
        return inner
    return clause


_SEPARATORS = frozenset({"CC", ",", ":"})


def noun_phrase(sentence: PennTree, head: int) -> Tree:
    """``NP``; ``WHNP`` if a wh-word is in it, with its clause an ``SBAR``: *who left*."""
    left, right = sentence.sides(head)
    label = "WHNP" if sentence.tags[head] in WH or any(map(sentence.questioning, left)) else "NP"
    if sentence.tags[head] == "POS":
        return _possessive(sentence, head, label, left, right)
    tail: list[int] = []
    while head == sentence.root and right and sentence.tags[right[-1]] in (".", "''"):
        tail.insert(0, right.pop())
    closing: list[int] = []  # of the base
    while right and _closes_base(sentence, head, right[0]):
        closing.append(right.pop(0))
    phrase = _phrase(sentence, head, label, left, closing, right)
    return Tree(phrase.label, phrase.children + placed(sentence, tail, head)) if tail else phrase


def _phrase(sentence: PennTree, head: int, label: str, left: Words, closing: Words, right: Words) -> Tree:
    core = (sentence.own(head), *(sentence.phrases[word] for word in closing))
    separators = _separators(sentence, left)
    if separators:
        return _coordinated(sentence, head, label, (left, separators), core, right)
    base = Tree(label, (*placed(sentence, left, head), *core))
    verb = next((at for at, word in enumerate(right) if sentence.verbal(word)), None)
    if label == "WHNP" and verb is not None:
        wh = Tree(label, (base, *placed(sentence, right[:verb], head))) if verb else base
        return Tree("SBAR", (wh, *placed(sentence, right[verb:], head)))
    return _modified(sentence, head, base, right)


def _possessive(sentence: PennTree, head: int, label: str, left: Words, right: Words) -> Tree:
    """*the dog 's*: the owner and the mark in one flat phrase."""
    owner: list[Tree] = []
    for tree in placed(sentence, left, head):
        nested = any(child.label in ("NP", "PP", "SBAR", "VP") for child in tree.children)
        owner += tree.children if tree.label == "NP" and not nested else [tree]
    return Tree(label, (*owner, sentence.own(head), *placed(sentence, right, head)))


def _closes_base(sentence: PennTree, head: int, word: int) -> bool:
    """Whether a word after the noun is in its base phrase: *Nov. 29*, and the number after ``$``."""
    if sentence.tags[head] in ("$", "#") and sentence.tags[word] == "CD":
        return True
    return sentence.leaf(word) and sentence.tags[word] in ("CD", "POS", "NNP", "NNPS")


def _modified(sentence: PennTree, head: int, base: Tree, right: Words) -> Tree:
    """The base phrase with complement clauses inside it, and modifiers and conjuncts around it."""
    if not right:
        return base
    joined = next((at for at, word in enumerate(right) if sentence.tags[word] == "CC"), None)
    if joined is not None and all(map(sentence.leaf, right)):  # a list of single words
        return Tree(base.label, base.children + tuple(sentence.phrases[word] for word in right))
    cut = len(right)
    if joined is not None and joined + 1 < len(right) and any(map(sentence.nominal, right[joined + 1 :])):
        cut = joined
        while cut and (
            sentence.tags[right[cut - 1]] == "," or (cut > 1 and sentence.nominal(right[cut - 1]))
        ):
            cut -= 1
    if not 0 < cut < len(right):
        return _around(sentence, head, base, right)
    first = _around(sentence, head, base, right[:cut])
    return Tree(base.label, (first, *placed(sentence, right[cut:], head)))


def _around(sentence: PennTree, head: int, base: Tree, right: Words) -> Tree:
    first = place(sentence, right[0], head)[0]
    completes = (first.label == "S" and sentence.infinitive(right[0])) or (
        first.label == "SBAR" and sentence.tags[right[0]] == "IN" and sentence.lower[right[0]] == "that"
    )
    if completes and not sentence.leaf(right[0]):
        base, right = Tree(base.label, (*base.children, first)), right[1:]
    items = placed(sentence, right, head)
    if all(not item.children for item in items):
        return Tree(base.label, base.children + items)
    return Tree(base.label, (base, *items))


def _separators(sentence: PennTree, left: Words) -> list[int]:
    """Places in ``left`` of the conjunctions and commas between conjuncts or appositions."""
    found = []
    for at, word in enumerate(left):
        mark = sentence.leaf(word) and sentence.tags[word] in _SEPARATORS
        if at and (mark or sentence.phrases[word].label == "CONJP"):
            before = next((each for each in reversed(left[:at]) if not sentence.punctuation(each)), left[0])
            if _conjunct(sentence, before):
                found.append(at)
    return found


def _conjunct(sentence: PennTree, word: int) -> bool:
    tag = sentence.tags[word]
    return tag != "POS" and (
        tag in NOUNS | {"PRP", "$", "CD", "DT", "JJS"} or sentence.phrases[word].label == "NP"
    )


def _coordinated(
    sentence: PennTree, head: int, label: str, before: tuple[Words, Words], core: Trees, right: Words
) -> Tree:
    """Conjuncts or appositions before the head, each a phrase; the last one holds the head's modifiers."""
    left, separators = before
    found: list[Tree] = []
    start = 0
    for at in separators:
        found += placed(sentence, left[start:at], head)
        found.append(sentence.phrases[left[at]])
        start = at + 1
    last = Tree(label, (*placed(sentence, left[start:], head), *core))
    return Tree(label, (*found, _modified(sentence, head, last, right)))


_SUBORDINATORS = frozenset({
    "as", "if", "unless", "though", "although", "while", "than", "because", "once", "until", "whether",
    "that"
})  # fmt: skip


def prepositional(sentence: PennTree, head: int) -> Tree:
    """``PP``, or ``SBAR`` over a clause: *that he left*; ``ADVP`` for *years ago*."""
    left, right = sentence.sides(head)
    opening = (*placed(sentence, left, head), sentence.own(head))
    if not right:
        return Tree("ADVP" if left else "PP", opening)
    verbs = [word for word in right if sentence.verbal(word)]
    if any(map(sentence.questioning, right)):
        return _relative(sentence, head, "WHPP", opening, right, verbs)
    governs = any(sentence.phrases[word].label == "NP" for word in right)
    subordinates = sentence.lower[head] in _SUBORDINATORS and not governs
    clause = verbs and (subordinates or sentence.infinitive(verbs[0]) or any(map(sentence.finite, verbs)))
    return Tree("SBAR" if clause else "PP", opening + placed(sentence, right, head))


def _relative(sentence: PennTree, head: int, label: str, opening: Trees, right: Words, verbs: Words) -> Tree:
    """A wh-phrase, inside ``SBAR`` with its clause if it has one: *in which he lives*."""
    cut = right.index(verbs[0]) if verbs else len(right)
    phrase = Tree(label, (*opening, *placed(sentence, right[:cut], head)))
    return Tree("SBAR", (phrase, *placed(sentence, right[cut:], head))) if verbs else phrase


def adverbial(sentence: PennTree, head: int) -> Tree:
    """``ADVP``; ``WHADVP`` or its ``SBAR`` with a wh-word in it; ``PP`` if it governs a noun or a verb."""
    left, right = sentence.sides(head)
    opening = (*placed(sentence, left, head), sentence.own(head))
    verbs = [word for word in right if sentence.verbal(word)]
    if sentence.tags[head] == "WRB" or any(sentence.tags[word] == "WRB" for word in left):
        return _relative(sentence, head, "WHADVP", opening, right, verbs)
    closing = placed(sentence, right, head)
    governs = bool(right) and (sentence.verbal(right[0]) or closing[0].label == "NP")
    return Tree("PP" if governs else "ADVP", opening + closing)


def adjectival(sentence: PennTree, head: int) -> Tree:
    """``ADJP``; a noun phrase if it has a determiner: *the poor*."""
    left, right = sentence.sides(head)
    superlative = sentence.tags[head] == "JJS" and any(sentence.tags[word] == "IN" for word in right)
    if superlative or any(sentence.tags[word] in ("DT", "PRP$") for word in left):
        return noun_phrase(sentence, head)
    opening = (*placed(sentence, left, head), sentence.own(head))
    if any(sentence.tags[word] == "WRB" for word in left):
        verbs = [word for word in right if sentence.verbal(word) and sentence.finite(word)]
        return _relative(sentence, head, "WHADJP", opening, right, verbs)
    return Tree("ADJP", opening + placed(sentence, right, head))


def other(sentence: PennTree, head: int, label: str) -> Tree:
    """One flat phrase over the head and the constituents of its children."""
    left, right = sentence.sides(head)
    return Tree(label, (*placed(sentence, left, head), sentence.own(head), *placed(sentence, right, head)))


def clause(sentence: PennTree, head: int) -> Tree:
    """``S`` or ``SINV`` if the verb has a subject or other words before it, otherwise its ``VP``."""
    left, right = sentence.sides(head)
    tail: list[int] = []
    while head == sentence.root and right and sentence.tags[right[-1]] in (".", "''", "``"):
        tail.insert(0, right.pop())
    closing = placed(sentence, tail, head)
    subject = _subject(sentence, head, left)
    if subject is not None:
        sentence.subjects.add(head)
    quotes = subject is None and _quotes(sentence, head, left)
    inverted: list[int] = []
    if quotes:
        nominal = next((at for at, word in enumerate(right) if sentence.nominal(word)), len(right))
        right, inverted = right[:nominal], right[nominal:]
    phrase, conjuncts, coordinated = _verb_phrase(sentence, head, right, subject)
    rest = conjuncts + closing
    to = next(
        (at for at, word in enumerate(left) if sentence.tags[word] == "TO" and sentence.leaf(word)), None
    )
    if to is not None:
        between = placed(sentence, left[to + 1 :], head)
        inner = Tree("VP", between + ((phrase,) if coordinated else phrase.children)) if between else phrase
        phrase = Tree("VP", (sentence.own(left[to]), inner))
        left = left[:to]
        if not left and not rest:
            return phrase
        if subject is None or subject not in left:
            return Tree("S", (*placed(sentence, left, head), phrase, *rest))
    elif subject is None and not sentence.finite(head) and not any(map(sentence.finite, left)):
        return _participial(sentence, head, left, phrase, rest, coordinated)
    if not left and not rest:
        return phrase
    label = "SINV" if quotes else "S"
    body = Tree(label, (*placed(sentence, left, head), phrase, *placed(sentence, inverted, head)))
    if conjuncts:
        return Tree("S", (body, *conjuncts, *closing))
    return Tree(label, body.children + closing)


def _quotes(sentence: PennTree, head: int, left: Words) -> bool:
    """Whether a finite clause before the verb is reported speech: *"Sell," said the broker*."""
    return (
        sentence.finite(head)
        and any(map(sentence.finite, left))
        and not any(sentence.tags[word] == "CC" for word in left)
    )


def _subject(sentence: PennTree, head: int, left: Words) -> int | None:
    """The last noun phrase before the verb, or an adjective, clause or gerund just before a finite verb."""
    nominal = [word for word in left if sentence.nominal(word)]
    if nominal:
        return nominal[-1]
    if not left or not sentence.finite(head):
        return None
    last = left[-1]
    bare = sentence.leaf(last) and sentence.tags[last] in ("JJ", "JJR")
    clausal = (sentence.verbal(last) and not sentence.finite(last)) or sentence.phrases[last].label == "SBAR"
    return last if bare or clausal else None


def _participial(
    sentence: PennTree, head: int, left: Words, phrase: Tree, rest: Trees, coordinated: bool
) -> Tree:
    """A verb phrase without subject, with the adverbs before the verb."""
    opening = placed(sentence, left, head)
    if any(sentence.tags[word] == "," for word in left):
        return Tree("S", (*opening, phrase, *rest))
    if opening:
        phrase = Tree("VP", (*opening, phrase) if coordinated else opening + phrase.children)
    return Tree("S", (phrase, *rest)) if rest else phrase


def _verb_phrase(
    sentence: PennTree, head: int, right: Words, subject: int | None
) -> tuple[Tree, Trees, bool]:
    """The verb with what follows it, conjuncts that are clauses, and whether verb phrases are conjoined."""
    for at, word in reversed(list(enumerate(right))):
        last = next(filter(sentence.verbal, right[at + 1 :]), None)
        joins = sentence.tags[word] == "CC" or sentence.words[word] == ";"
        if not joins or last is None or sentence.finite(head) != sentence.finite(last):
            continue
        start = at - 1 if at and sentence.tags[right[at - 1]] == "," else at
        own = placed(sentence, right[:start], head)
        phrase = Tree("VP", (sentence.phrases[last],)) if sentence.leaf(last) else sentence.phrases[last]
        place_of_last = right.index(last)
        before = placed(sentence, right[start:place_of_last], head)
        after = placed(sentence, right[place_of_last + 1 :], head)
        if subject is not None and last in sentence.subjects and phrase.label in ("S", "SINV"):
            return Tree("VP", (sentence.own(head), *own)), (*before, phrase, *after), False
        if not own and sentence.leaf(last) and right[at + 1] == last:  # bought and sold stocks
            return Tree("VP", (sentence.own(head), *before, sentence.own(last), *after)), (), False
        return Tree("VP", (Tree("VP", (sentence.own(head), *own)), *before, phrase, *after)), (), True
    return Tree("VP", (sentence.own(head), *placed(sentence, right, head))), (), False
