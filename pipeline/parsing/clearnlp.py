"""ClearNLP trees, as spaCy's English models give them, to Universal Dependencies v2.

In ClearNLP function words are heads (a preposition of its object, a copula of its predicate) and conjuncts
form a chain; in UD content words are heads. The conversion changes one construction a step and names the
relations on the way. It follows the UD v2 guidelines and, where they leave a choice, UD English-EWT
(``nmod:unmarked``, ``obl:agent`` ...).
"""

from collections.abc import Container

from pipeline.parsing.clearnlp_lexicon import FIXED, MONTHS, PREDICATIVE_ADVERBS, QUANTITIES, TELLING
from pipeline.parsing.clearnlp_tree import MutableTree, amounts, attach_punctuation, personal_names

# Relations that only change their name, whatever stands around them.
_PLAIN = {
    "ROOT": "root",
    "acomp": "xcomp",
    "agent": "obl:agent",
    "attr": "xcomp",
    "auxpass": "aux:pass",
    "csubjpass": "csubj:pass",
    "dative": "iobj",
    "dobj": "obj",
    "intj": "discourse",
    "meta": "discourse",
    "neg": "advmod",
    "nsubjpass": "nsubj:pass",
    "oprd": "xcomp",
    "pcomp": "advcl",
    "pobj": "obl",
    "poss": "nmod:poss",
    "preconj": "cc:preconj",
    "predet": "det:predet",
    "prep": "case",
    "prt": "compound:prt",
    "quantmod": "advmod",
    "relcl": "acl:relcl",
}
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X", "DET"})
_VERBAL = frozenset({"VERB", "AUX"})
_FUNCTION_TAGS = frozenset({"IN", "TO", "RP", "RB", "CC", "JJ", "VBG", "VBN", "RBR"})


def to_ud(tree: MutableTree, nouns: Container[str] = ()) -> tuple[list[int], list[str], list[str]]:
    """Convert one sentence, in place.

    ``nouns`` are lower-case common nouns, which distinguish names of things from names of people. Returns UD
    heads (1-based, 0 for the root), UD relations and UPOS.
    """
    personal_names(tree, nouns)
    amounts(tree)
    _prepositions(tree)
    _obliques(tree)
    _extraposition(tree)
    _copulas(tree)
    _raised_objects(tree)
    _coordination(tree)
    _fixed(tree)
    _names(tree)
    attach_punctuation(tree.heads, tree.relations, tree.words)
    return [head + 1 for head in tree.heads], tree.relations, tree.upos


def _prepositions(tree: MutableTree) -> None:
    """A preposition becomes the ``case`` of its object, or the ``mark`` of its clause."""
    relations, tags = tree.relations, tree.tags
    for word in tree.bottom_up():
        children = tree.children[word]
        if tags[word] not in _FUNCTION_TAGS or relations[word] == "pobj":
            continue
        objects = [child for child in children if relations[child] in ("pobj", "pcomp")]
        if not objects and relations[word] in ("prep", "agent", "dative"):  # from behind the house
            objects = [child for child in children if relations[child] in ("PREP", "PCLAUSE")]
        if not objects:
            continue
        content = objects[0]
        clause = relations[content] in ("pcomp", "PCLAUSE") and tree.upos[content] in _VERBAL
        keep = []
        # "in and around the house" keeps its conjuncts; "in A and on B" hands them to A.
        if any(relations[c] == "conj" and tags[c] in ("IN", "TO") for c in children):
            keep = [
                c
                for c in children
                if relations[c] == "cc" or (relations[c] == "conj" and tags[c] in ("IN", "TO"))
            ]
        for child in objects[1:]:
            relations[child] = "PREP"
        tree.promote(content, "mark" if clause else "case", keep)
        if relations[content] in ("prep", "dative"):
            relations[content] = "PCLAUSE" if clause else "PREP"


def _obliques(tree: MutableTree) -> None:
    """Name prepositional dependents and bare adverbial nouns by what their head is."""
    relations = tree.relations
    for word, relation in enumerate(relations):
        if relation not in ("PREP", "PCLAUSE", "npadvmod"):
            continue
        head = tree.heads[word]
        nominal = tree.upos[head] in _NOMINAL or (tree.words[head] in QUANTITIES and tree.tags[head] != "RB")
        if relation == "PREP":
            relations[word] = "nmod" if nominal else "obl"
        elif relation == "PCLAUSE":
            relations[word] = "acl" if nominal else "advcl"
        else:
            relations[word] = "nmod:unmarked" if nominal else "obl:unmarked"


def _extraposition(tree: MutableTree) -> None:
    """``it is clear that ...``: ``it`` is an expletive, and the clause the subject; ``it seems that ...``."""
    relations = tree.relations
    for word, relation in enumerate(relations):
        verb = tree.heads[word]
        if relation != "nsubj" or tree.words[word] != "it":
            continue
        clause = next(
            (c for c in tree.children[verb] if c > verb and relations[c] in ("ccomp", "xcomp")), None
        )
        if clause is None:
            continue
        if tree.lemmas[verb] == "be" and tree.has(verb, "acomp", "attr"):
            relations[word], relations[clause] = "expl", "csubj"
        elif tree.lemmas[verb] in ("seem", "appear") and relations[clause] == "ccomp":
            relations[word] = "expl"


def _copulas(tree: MutableTree) -> None:
    """``be`` becomes the ``cop`` of its predicate; after ``there`` it stays, with a subject."""
    relations = tree.relations
    for word in tree.bottom_up():
        if tree.lemmas[word] != "be" or relations[word] in ("aux", "auxpass"):
            continue
        children = tree.children[word]
        if any(relations[c] == "expl" and tree.words[c] == "there" for c in children):
            for child in children:
                if relations[child] == "attr":
                    relations[child] = "nsubj"
                    break
            continue
        predicate = _predicate(tree, word)
        if predicate is None:
            continue
        if relations[predicate] in ("ccomp", "xcomp") or tree.has(predicate, "nsubj", "nsubjpass"):
            for child in children:
                if relations[child] == "nsubj":
                    relations[child] = "nsubj:outer"
        tree.promote(predicate, "cop")
        tree.upos[word] = "AUX"


def _predicate(tree: MutableTree, copula: int) -> int | None:
    """The predicate of a form of ``be``, or None where that is a full verb."""
    relations = tree.relations
    children = tree.children[copula]
    for wanted in (("attr", "acomp"), ("obl",), ("advmod",), ("ccomp", "xcomp", "PREDICATE")):
        for child in children:
            if relations[child] not in wanted:
                continue
            if wanted == ("obl",) and child < copula and tree.has(copula, "nsubj"):
                continue
            if wanted == ("advmod",) and tree.words[child] not in PREDICATIVE_ADVERBS:
                continue
            if wanted[0] == "ccomp" and (child < copula or not tree.has(copula, "nsubj", "csubj")):
                continue
            return child
    return None


def _raised_objects(tree: MutableTree) -> None:
    """``let him go``, ``want him to go``: the subject of the lower verb is the object of the upper one."""
    relations, tags = tree.relations, tree.tags
    for word, relation in enumerate(relations):
        if (
            relation != "ccomp"
            or tags[word] not in ("VB", "VBG", "VBN", "JJ")
            or tree.has(word, "mark", "cop")
        ):
            continue
        head = tree.heads[word]
        if head > word or tree.upos[head] != "VERB":
            continue
        below = tree.children[word]
        if any(relations[c] in ("aux", "auxpass") and tags[c] in ("MD", "VBZ", "VBP", "VBD") for c in below):
            continue
        subject = next((c for c in below if relations[c] in ("nsubj", "nsubjpass") and head < c < word), None)
        if subject is None:
            continue
        tree.move(subject, head)
        relations[subject] = "dobj"
        relations[word] = "xcomp"


def _coordination(tree: MutableTree) -> None:
    """All conjuncts depend on the first; a conjunction depends on the conjunct that follows it."""
    relations, heads = tree.relations, tree.heads
    for word, relation in enumerate(relations):
        if relation == "punct" and tree.words[word] == "/" and tree.has(heads[word], "conj"):
            relation = relations[word] = "cc"
        if relation == "cc":
            following = [c for c in tree.children[heads[word]] if relations[c] == "conj" and c > word]
            if following:
                tree.move(word, min(following))
    for word, relation in enumerate(relations):
        if relation == "conj":
            first = heads[word]
            while relations[first] == "conj" and heads[first] < first:
                first = heads[first]
            if first != heads[word]:
                tree.move(word, first)


def _fixed(tree: MutableTree) -> None:
    """``because of``, ``such as``: two words that are one function word."""
    for first, pair in enumerate(zip(tree.words, tree.words[1:], strict=False)):
        second = first + 1
        if pair not in FIXED or tree.relations[second] == "fixed":
            continue
        if tree.heads[first] == second and tree.heads[second] >= 0:
            tree.promote(first, "fixed")
        elif tree.heads[second] == first or (
            tree.heads[first] == tree.heads[second]
            and tree.heads[first] >= 0
            and tree.relations[first] in ("case", "mark", "advmod", "prep")
            and not tree.children[second]
        ):
            if tree.heads[second] != first:
                tree.move(second, first)
            tree.relations[second] = "fixed"


def _names(tree: MutableTree) -> None:
    """Give every relation its UD name."""
    relations, heads, tags = tree.relations, tree.heads, tree.tags
    for word, relation in enumerate(relations):
        head = heads[word]
        if relation == "aux" and tags[word] == "TO":
            relations[word] = "mark"
        elif relation == "relcl" and tags[word] == "VB" and any(tags[c] == "TO" for c in tree.children[word]):
            relations[word] = "acl"
        elif relation == "nmod" and word < head and not tree.has(word, "case"):
            relations[word] = "compound"
        elif relation == "nummod" and word > head and tags[head] != "$":
            relations[word] = "nmod:unmarked" if tree.words[head] in MONTHS else "flat"
        elif relation == "prep" and tags[word] in ("IN", "TO") and tree.upos[head] in ("VERB", "ADJ"):
            relations[word] = "obl"  # stranded: the house I live in
        elif (
            relation == "advmod"
            and tags[word] == "IN"
            and head == word + 1
            and tags[head] in ("RB", "DT", "JJ")
        ):
            relations[word] = "case"  # at all, in there
            if relations[head] == "advmod":
                relations[head] = "obl"
        elif relation == "dobj" and tree.lemmas[head] in TELLING:
            relations[word] = "iobj"
        else:
            relations[word] = _PLAIN.get(relation, relation)
        _category(tree, word)


def _category(tree: MutableTree, word: int) -> None:
    """UPOS where UD decides by function: subordinators, adverbial question words, determiners."""
    relation, tag = tree.relations[word], tree.tags[word]
    if relation == "mark" and tag == "IN":
        tree.upos[word] = "SCONJ"
    elif relation == "case" and tree.upos[word] == "SCONJ":
        tree.upos[word] = "ADP"
    elif tag == "WRB" and relation != "mark":
        tree.upos[word] = "ADV"
    elif relation in ("det", "det:predet") and tree.upos[word] == "PRON":
        tree.upos[word] = "DET"
