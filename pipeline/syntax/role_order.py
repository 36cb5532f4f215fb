"""Role order: a sentence's content words by who does what, whatever its voice and word order.

Voice, fronting, clefting and dative shift move words without changing who does what. In role order

- a clause is read as agent, verb, recipient, patient, complements, then the rest as it stands: *the prize
  was won by Ann in May*, *in May, Ann won the prize* and *Ann won the prize in May* all give Ann, win, prize,
  May;
- a noun comes before its modifiers: *the dentist's neighbour* and *the neighbour of the dentist*;
- a noun stands in its relative clause where the pronoun would: *the van that the truck pulls* gives truck,
  pull, van, and *the truck that pulls the van* gives the same;
- what a cleft divides is one clause again: *it is the truck that pulls the van*, *what the truck pulls is the
  van*;
- a source comes before its goal: *to Rome from Oslo*, *from Oslo to Rome*;
- what is earlier comes before what is later, and a reason or condition before what follows from it: *she left
  after he spoke* and *he spoke before she left* both give he, speak, she, leave;
- conjuncts come last, and other words stay on their side of the head.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from pipeline.core.errors import SynsemError
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import CONTENT, FUNCTION, NEGATION, VERBAL, DependencyTree, lemma, role

# Places of dependents: before the head, at a number after it, after those, and after all others.
_BEFORE, _REST, _LAST = -1, 4, 5
_IN_CLAUSE = {"nsubj": _BEFORE, "csubj": _BEFORE, "iobj": 1, "obj": 2, "xcomp": 3, "ccomp": 3}
_MODIFIERS = frozenset({"amod", "nummod", "nmod", "acl", "appos", "list"})
_PRONOUNS = frozenset({"who", "whom", "which", "that", "what"})  # English, as are the prepositions
_SOURCE, _GOALS = "from", frozenset({"to", "into", "onto", "until", "till"})
# What such a word introduces happens, or holds, first.
_EARLIER = frozenset({"after", "because", "since", "if", "when", "whenever", "once", "unless", "as"})


def role_order(tree: Sentence) -> list[int]:
    """Return the 0-based positions of the content words and negations, in role order.

    Pronouns that stand for a noun nearby are left out. Raises SynsemError if the tree has no
    relations or no part-of-speech tags.
    """
    if tree.words and not (tree.deprels and tree.upos):
        raise SynsemError(
            f"{tree.text[:60]!r}: carries no relations and tags; run the parse stage on it again"
        )
    negates = [lemma(tree, word) in NEGATION for word in range(len(tree.words))]
    reading = _Reading(tree)
    below = reading.below_content(negates)
    order: list[int] = []
    waiting = [(word, False) for word in reversed(below[-1])]
    while waiting:
        word, ready = waiting.pop()
        children = below.get(word)
        if ready or children is None:
            order.append(word)
            continue
        ranked = sorted((reading.key(child, word), child) for child in children)
        after = [(child, False) for (place, _), child in ranked if place > _BEFORE]
        before = [(child, False) for (place, _), child in ranked if place == _BEFORE]
        waiting += [*reversed(after), (word, True), *reversed(before)]
    return [
        word
        for word in order
        if (tree.upos[word] in CONTENT or negates[word]) and word not in reading.left_out
    ]


class _Reading(DependencyTree):
    """What role order must know of one tree before it can place its words."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence.heads, sentence.words, sentence.deprels)
        self.sentence = sentence
        self.places: dict[int, int] = {}  # of clauses and nouns whose role is not their relation
        self.left_out: set[int] = set()
        self.ranks: dict[int, int] = {}  # of sources and goals
        # Most sentences have none of the three, and training reads a sentence again in each step.
        if "acl:relcl" in self.deprels or "csubj" in self.universal:
            self._for_each_head(self._join_clauses)
        if "nsubj:outer" in self.deprels:
            self._for_each_head(self._join_outer_subject)
        if _SOURCE in self.lower:
            self._for_each_head(self._source_first)
        if not _EARLIER.isdisjoint(self.lower):
            self._for_each_head(self._earlier_first)

    def below_content(self, negates: Sequence[bool]) -> dict[int, list[int]]:
        """List the words below each word that is not a function word, -1 for the root; include negations.

        What hangs on a function word goes to the word above that.
        """
        functional = [relation in FUNCTION for relation in self.universal]
        below: dict[int, list[int]] = defaultdict(list)
        for word, above in enumerate(self.parents):
            if not functional[word] or negates[word]:
                while above >= 0 and functional[above]:  # as ``content``, with what is known of all words
                    above = self.parents[above]
                below[above].append(word)
        return below

    def key(self, word: int, head: int) -> tuple[int, int]:
        """Return the place of a dependent among those of its head, and its rank in that place."""
        place = self.places.get(word)
        return self._place(word, head) if place is None else place, self.ranks.get(word, word)

    def _place(self, word: int, head: int) -> int:
        relation = self.universal[word]
        if relation == "conj":
            return _LAST
        if self.sentence.upos[head] in VERBAL:
            return _place_of_role(role(self.sentence, word))
        return _BEFORE if word < head and relation not in _MODIFIERS else _REST

    def _for_each_head(self, rule: Callable[[int], None]) -> None:
        for word, below in enumerate(self.children):
            if below:
                rule(word)

    def _join_clauses(self, noun: int) -> None:
        """Relative clauses of a noun, and clauses that a cleft divides from it: the noun has a role there."""
        copular = any(self.universal[word] == "cop" for word in self.children[noun])
        expletives = [
            word
            for word in self.children[noun]
            if self.lower[word] == "it" and self.universal[word] in ("expl", "nsubj")
        ]
        for clause in self.children[noun]:
            relative = self.deprels[clause] == "acl:relcl"
            if not relative and not (copular and self.universal[clause] == "csubj"):
                continue
            pronoun = next(self._pronouns(clause), None)
            if pronoun is not None:
                self.left_out.add(pronoun)
                missing = role(self.sentence, pronoun)
            elif relative or expletives:
                missing = self._missing(clause)
            else:
                continue
            # A noun before its clause is the same as a clause after its noun.
            self.places[clause] = _BEFORE if missing in ("obj", "iobj") else _REST
            if copular:
                self.left_out.update(expletives)

    def _join_outer_subject(self, clause: int) -> None:
        """*The singer is who the miner asked*: the subject outside has the pronoun's role in the clause."""
        for noun in self.children[clause]:
            if self.deprels[noun] == "nsubj:outer":
                for pronoun in self._pronouns(clause):
                    self.left_out.add(pronoun)
                    self.places[noun] = _place_of_role(role(self.sentence, pronoun))

    def _source_first(self, head: int) -> None:
        """*to Rome from Oslo* is read as *from Oslo to Rome*."""
        cases = {word: self._case(word) for word in self.children[head]}
        for goal, case in cases.items():
            later = (word for word in self.children[head] if word > goal and cases[word] == _SOURCE)
            source = next(later, None) if case in _GOALS else None
            if source is not None:
                self.ranks |= {goal: source, source: goal}

    def _earlier_first(self, head: int) -> None:
        """*She left after he spoke* is read as *he spoke before she left*."""
        for word in self.children[head]:
            clause = self.universal[word] == "advcl" and self._case(word, "mark") in _EARLIER
            if clause or (self.universal[word] == "obl" and self._case(word) == "after"):
                self.places[word], self.ranks[word] = _BEFORE, -1

    def _pronouns(self, clause: int) -> Iterator[int]:
        """Pronouns of a clause that stand for a noun outside it."""
        for word in self.children[clause]:
            if self.lower[word] in _PRONOUNS and self.universal[word] not in ("case", "det", "mark"):
                yield word

    def _missing(self, clause: int) -> str:
        """The role that no word of a clause has, if no pronoun shows it."""
        roles = {role(self.sentence, word) for word in self.children[clause]}
        has_subject_alone = "nsubj" in roles and "obj" not in roles
        return "obj" if has_subject_alone and self.sentence.upos[clause] == "VERB" else "nsubj"

    def _case(self, word: int, relation: str = "case") -> str:
        """The prepositions of a word, or its subordinators (``mark``)."""
        return " ".join(self.lower[kid] for kid in self.children[word] if self.universal[kid] == relation)


def _place_of_role(role: str) -> int:
    """The place in its clause of what has this role in the active voice."""
    return _IN_CLAUSE.get(role, _REST)
