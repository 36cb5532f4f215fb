"""ClearNLP trees, as spaCy's English models give them, to Universal Dependencies v2.

In ClearNLP function words are heads (a preposition of its object, a copula of its predicate) and conjuncts
form a chain; in UD content words are heads. The conversion changes one construction a step and names the
relations on the way. It follows the UD v2 guidelines and, if they leave a choice, UD English-EWT
(``nmod:unmarked``, ``obl:agent`` ...).

Names, amounts and dates: ClearNLP makes them compounds, UD distinguishes them. Punctuation is attached as the
guidelines ask (https://universaldependencies.org/u/dep/punct.html): as high as it can be without crossing an
arc. A mark between two units belongs to the lower one (the conjunct that follows, the clause that is set
off), a pair of marks to the head of what it encloses.
"""

from collections.abc import Container, Sequence
from pathlib import Path

from pipeline.core.store import read_yaml
from pipeline.syntax.tree import DependencyTree

_DATA = read_yaml(Path(__file__).with_name("clearnlp.yaml"))
# Lower-case words by class, pairs of words that are one function word, relations that only change their name.
_WORDS = {name: frozenset(words.split()) for name, words in _DATA["words"].items()}
_FIXED = {tuple(pair.split()) for pair in _DATA["fixed"]}
_PLAIN: dict[str, str] = _DATA["relations"]
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X", "DET"})
_VERBAL = frozenset({"VERB", "AUX"})
_FUNCTION_TAGS = frozenset({"IN", "TO", "RP", "RB", "CC", "JJ", "VBG", "VBN", "RBR"})


class MutableTree:
    """A tree on its way to UD: 0-based heads, -1 for the root, dependents in no fixed order.

    ``heads`` must form a tree, ``tags`` are Penn Treebank tags. Nothing that is given is changed.
    """

    def __init__(
        self,
        words: Sequence[str],
        tags: Sequence[str],
        upos: Sequence[str],
        lemmas: Sequence[str],
        heads: Sequence[int],
        relations: Sequence[str],
    ) -> None:
        self.words = [word.lower() for word in words]
        self.tags, self.lemmas = tags, lemmas
        self.upos, self.heads, self.relations = list(upos), list(heads), list(relations)
        self.children: list[list[int]] = [[] for _ in words]
        for word, head in enumerate(heads):
            if head >= 0:
                self.children[head].append(word)

    def move(self, word: int, head: int) -> None:
        """Attach ``word`` to ``head``."""
        self.children[self.heads[word]].remove(word)
        self.heads[word] = head
        self.children[head].append(word)

    def promote(self, content: int, function: str, keep: Sequence[int] = ()) -> None:
        """Let ``content`` take the place of its head, which becomes its dependent as ``function``.

        The other dependents of the head follow, except those to ``keep``.
        """
        below = self.heads[content]
        above = self.heads[below]
        self.relations[content] = self.relations[below]
        self.relations[below] = function
        self.heads[content] = above
        if above >= 0:
            siblings = self.children[above]
            siblings[siblings.index(below)] = content
        for child in self.children[below]:
            if child != content and child not in keep:
                self.heads[child] = content
                self.children[content].append(child)
        self.heads[below] = content
        self.children[content].append(below)
        self.children[below] = list(keep)

    def bottom_up(self) -> list[int]:
        """Return the words in an order in which each comes after its dependents."""
        order = [word for word, head in enumerate(self.heads) if head < 0]
        for word in order:
            order += self.children[word]
        return order[::-1]

    def has(self, word: int, *relations: str) -> bool:
        """Return whether a dependent of ``word`` has one of the relations."""
        return any(self.relations[child] in relations for child in self.children[word])


def to_ud(tree: MutableTree, nouns: Container[str] = ()) -> tuple[list[int], list[str], list[str]]:
    """Convert one sentence, in place.

    ``nouns`` are lower-case common nouns, which distinguish names of things from names of people. Returns UD
    heads (1-based, 0 for the root), UD relations and UPOS.
    """
    _personal_names(tree, nouns)
    _amounts(tree)
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


_DAYS = frozenset(map(str, range(1, 32)))
_HALVES_OF_DAY = frozenset({"am", "pm", "a.m.", "p.m.", "a.m", "p.m"})


def _personal_names(tree: MutableTree, nouns: Container[str]) -> None:
    """``Marie Curie``: the first part heads, the others are ``flat``; other names keep their last as head."""
    for last, tag in enumerate(tree.tags):
        if tag not in ("NNP", "NNPS"):
            continue
        parts = [
            child
            for child in tree.children[last]
            if tree.relations[child] == "compound" and child < last and tree.tags[child] in ("NNP", "NNPS")
        ]
        name = list(parts)
        while name and tree.words[name[0]] in _WORDS["titles"]:
            tree.relations[name.pop(0)] = "nmod:desc"
        if not name:
            continue
        for part in name:
            if tree.words[part] in _WORDS["name_adjectives"]:
                tree.relations[part] = "amod"
                tree.upos[part] = "ADJ"
        first = name[0]
        whole = tree.relations[first] != "amod" and len(name) == last - first
        if whole and _personal(tree, first, last, nouns):
            tree.promote(first, "flat")
            for part in name[1:]:
                tree.relations[part] = "flat"


def _personal(tree: MutableTree, first: int, last: int, nouns: Container[str]) -> bool:
    word = tree.words[last]
    if word in _WORDS["name_heads"]:
        return False
    if tree.words[first] in _WORDS["name_starts"]:
        return True
    known = word in nouns or (word.endswith("s") and (word[:-1] in nouns or word[:-2] in nouns))
    return not known and word.isalpha()


def _amounts(tree: MutableTree) -> None:
    """``$ 65``: the unit heads, the number counts it. ``May 4``, ``2 pm``: the number heads."""
    for word, tag in enumerate(tree.tags):
        head = tree.heads[word]
        if tree.relations[word] == "nummod" and head >= 0 and tree.tags[head] != "CD":
            day = (
                word > head
                and tree.words[head] in _WORDS["months"]
                and tree.words[word].rstrip("stndrh") in _DAYS
            )
            if day or (word < head and tree.words[head] in _HALVES_OF_DAY):
                tree.promote(word, "nmod:unmarked")
                for child in tree.children[word]:
                    if tree.relations[child] == "nummod":
                        tree.relations[child] = "nmod:unmarked"
                continue
        if tag == "$" and head > word and tree.upos[head] == "NUM":
            tree.promote(word, "nummod")
            for child in list(tree.children[word]):
                if word < child < head and tree.relations[child] != "punct":
                    tree.move(child, head)


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
        # "in and around the house" keeps its conjuncts; "in A and on B" hands them to A.
        conjuncts = [c for c in children if relations[c] == "conj" and tags[c] in ("IN", "TO")]
        keep = [c for c in children if c in conjuncts or relations[c] == "cc"] if conjuncts else []
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
        nominal = tree.upos[head] in _NOMINAL or (
            tree.words[head] in _WORDS["quantities"] and tree.tags[head] != "RB"
        )
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
    """The predicate of a form of ``be``, or None if that is a full verb."""
    relations = tree.relations
    children = tree.children[copula]
    for wanted in (("attr", "acomp"), ("obl",), ("advmod",), ("ccomp", "xcomp", "PREDICATE")):
        for child in children:
            if relations[child] not in wanted:
                continue
            if wanted == ("obl",) and child < copula and tree.has(copula, "nsubj"):
                continue
            if wanted == ("advmod",) and tree.words[child] not in _WORDS["predicative_adverbs"]:
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
        if pair not in _FIXED or tree.relations[second] == "fixed":
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
            relations[word] = "nmod:unmarked" if tree.words[head] in _WORDS["months"] else "flat"
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
        elif relation == "dobj" and tree.lemmas[head] in _WORDS["telling"]:
            relations[word] = "iobj"
        else:
            relations[word] = _PLAIN.get(relation, relation)
        _category(tree, word)


def _category(tree: MutableTree, word: int) -> None:
    """Set the UPOS that UD decides by function: subordinators, adverbial question words, determiners."""
    relation, tag = tree.relations[word], tree.tags[word]
    if relation == "mark" and tag == "IN":
        tree.upos[word] = "SCONJ"
    elif relation == "case" and tree.upos[word] == "SCONJ":
        tree.upos[word] = "ADP"
    elif tag == "WRB" and relation != "mark":
        tree.upos[word] = "ADV"
    elif relation in ("det", "det:predet") and tree.upos[word] == "PRON":
        tree.upos[word] = "DET"


_PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", "‘": "’", "«": "»", "``": "''", '"': '"', "'": "'"}


def attach_punctuation(heads: list[int], relations: Sequence[str], words: Sequence[str]) -> None:
    """Attach, in place, every word whose relation is ``punct``; heads are 0-based, -1 for the root."""
    marks = [word for word, relation in enumerate(relations) if relation == "punct"]
    if not marks or len(marks) == len(heads):
        return
    mark_set = set(marks)
    for word, head in enumerate(heads):  # a mark has no dependents, unless it is the root
        while head in mark_set:
            head = heads[head]
        heads[word] = head
    tree = DependencyTree([head + 1 for head in heads])
    depth = [0] * len(heads)
    for word in tree.top_down()[1:]:
        depth[word] = depth[heads[word]] + 1
    closed = _paired(marks, heads, words, mark_set)
    for mark in marks:
        if mark not in closed:
            heads[mark] = _between(mark, heads, depth, mark_set)


def _between(mark: int, heads: Sequence[int], depth: Sequence[int], marks: set[int]) -> int:
    """The lower of the two highest words that end just before and begin just after the mark."""
    left = mark - 1
    while left in marks:
        left -= 1
    right = mark + 1
    while right in marks:
        right += 1
    if left >= 0:
        while 0 <= heads[left] < mark:
            left = heads[left]
    if right < len(heads):
        while heads[right] > mark:
            right = heads[right]
        if left < 0 or depth[right] >= depth[left]:
            return right
    return left


def _paired(marks: Sequence[int], heads: list[int], words: Sequence[str], mark_set: set[int]) -> set[int]:
    """Attach brackets and quotes to the one head of what they enclose; returns the attached marks."""
    attached: set[int] = set()
    open_marks: list[int] = []
    for mark in marks:
        if open_marks and words[mark] == _PAIRS.get(words[open_marks[-1]]):
            start = open_marks.pop()
            tops = [
                word
                for word in range(start + 1, mark)
                if word not in mark_set and not start < heads[word] < mark
            ]
            if len(tops) == 1:
                heads[start] = heads[mark] = tops[0]
                attached |= {start, mark}
        elif words[mark] in _PAIRS:
            open_marks.append(mark)
    return attached
