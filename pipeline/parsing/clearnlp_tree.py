"""The tree that the conversion to UD changes, with its names, amounts, dates and punctuation.

Names, amounts and dates: ClearNLP makes them compounds, UD distinguishes them. Punctuation is attached as the
guidelines ask (https://universaldependencies.org/u/dep/punct.html): as high as it can be without crossing an
arc. A mark between two units belongs to the lower one (the conjunct that follows, the clause that is set
off), a pair of marks to the head of what it encloses.
"""

from collections.abc import Container, Sequence

from pipeline.parsing.clearnlp_lexicon import MONTHS, NAME_ADJECTIVES, NAME_HEADS, NAME_STARTS, TITLES


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
        """The words in an order in which each comes after its dependents."""
        order = [word for word, head in enumerate(self.heads) if head < 0]
        for word in order:
            order += self.children[word]
        return order[::-1]

    def has(self, word: int, *relations: str) -> bool:
        """Whether a dependent of ``word`` has one of the relations."""
        return any(self.relations[child] in relations for child in self.children[word])


_DAYS = frozenset(map(str, range(1, 32)))
_HALVES_OF_DAY = frozenset({"am", "pm", "a.m.", "p.m.", "a.m", "p.m"})


def personal_names(tree: MutableTree, nouns: Container[str]) -> None:
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
        while name and tree.words[name[0]] in TITLES:
            tree.relations[name.pop(0)] = "nmod:desc"
        if not name:
            continue
        for part in name:
            if tree.words[part] in NAME_ADJECTIVES:
                tree.relations[part] = "amod"
                tree.upos[part] = "ADJ"
        first = name[0]
        if (
            tree.relations[first] == "amod"
            or len(name) != last - first
            or not _personal(tree, first, last, nouns)
        ):
            continue
        tree.promote(first, "flat")
        for part in name[1:]:
            tree.relations[part] = "flat"


def _personal(tree: MutableTree, first: int, last: int, nouns: Container[str]) -> bool:
    word = tree.words[last]
    if word in NAME_HEADS:
        return False
    if tree.words[first] in NAME_STARTS:
        return True
    known = word in nouns or (word.endswith("s") and (word[:-1] in nouns or word[:-2] in nouns))
    return not known and word.isalpha()


def amounts(tree: MutableTree) -> None:
    """``$ 65``: the unit heads, the number counts it. ``May 4``, ``2 pm``: the number heads."""
    for word, tag in enumerate(tree.tags):
        head = tree.heads[word]
        if tree.relations[word] == "nummod" and head >= 0 and tree.tags[head] != "CD":
            day = word > head and tree.words[head] in MONTHS and tree.words[word].rstrip("stndrh") in _DAYS
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
    depth = _depths(heads)
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


def _depths(heads: Sequence[int]) -> list[int]:
    depth = [-1] * len(heads)
    for word in range(len(heads)):
        path = []
        while word >= 0 and depth[word] < 0:
            path.append(word)
            word = heads[word]
        above = depth[word] if word >= 0 else -1
        for below in reversed(path):
            above += 1
            depth[below] = above
    return depth
