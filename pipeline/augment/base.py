"""What a transformation is:
a name, what it does to the meaning, where it applies and how it rewrites there.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

from pipeline.augment.draft import Draft
from pipeline.augment.surface import realise
from pipeline.augment.tree import Decline, Tree
from pipeline.sentences import Sentence

Meaning = Literal["same", "different", "order"]

__all__ = ["Decline", "Meaning", "Plan", "Transformation", "Variant"]


@dataclass(frozen=True)
class Variant:
    """A rewritten sentence with its full tree.

    ``alignment`` has one entry a word: the 1-based position of the source word it stands for, 0 for a
    word that was added.
    """

    transformation: str
    meaning: Meaning
    sentence: Sentence
    alignment: tuple[int, ...]


class Plan(NamedTuple):
    """A variant whose words are ordered and inflected, but which is not yet spelt out: that is half of
    the cost.

    ``draft`` is called when the variant is wanted; a rule that applies everywhere does all of its work there.
    """

    transformation: str
    meaning: Meaning
    draft: Callable[[], Draft]

    def realise(self) -> Variant:
        """Spell the variant out; raises Decline where the result would be no sentence."""
        draft = self.draft()
        sentence, alignment = realise(draft)
        if sentence.text == draft.source.text:
            raise Decline("nothing changed")
        return Variant(self.transformation, self.meaning, sentence, alignment)


@dataclass(frozen=True)
class Transformation:
    """One rewriting rule of English.

    ``sites`` gives what the rule could act on (a word position, a pair of them ...), or raises Decline
    for the sentence as a whole; ``rewrite`` acts on one site or raises Decline with the reason.
    ``absent`` is the reason given for a sentence without any site. A tree that lacks one of the relations in
    ``needs`` has none, and is not searched.
    """

    name: str
    meaning: Meaning
    absent: str
    sites: Callable[[Tree], Iterable[Any]]
    rewrite: Callable[[Tree, Any], Draft]
    any_text: bool = False  # needs only a tree, so it also takes headlines, fragments and other languages
    needs: frozenset[str] = frozenset()

    def barred(self, tree: Tree) -> str:
        """Why the tree cannot have a site, as far as that shows without a search; ``""`` where it may."""
        if tree.oddity and not self.any_text:
            return tree.oddity
        return "" if self.needs <= tree.relations else self.absent

    def plans(self, tree: Tree) -> list[Plan | Decline]:
        """A plan or the reason against it for every site; one Decline where there is no site."""
        if reason := self.barred(tree):
            return [Decline(reason)]
        try:
            sites = list(self.sites(tree))
        except Decline as decline:
            return [decline]
        plan = self._later if self.any_text else self._now
        return [plan(tree, site) for site in sites] or [Decline(self.absent)]

    def _later(self, tree: Tree, site: Any) -> Plan:
        return Plan(self.name, self.meaning, partial(self.rewrite, tree, site))

    def _now(self, tree: Tree, site: Any) -> Plan | Decline:
        try:
            draft = self.rewrite(tree, site)
        except Decline as reason:
            return reason
        return Plan(self.name, self.meaning, lambda: draft)

    def variants(self, sentence: Sentence) -> tuple[list[Variant], list[str]]:
        """All variants of a sentence, and the reasons of the sites that were declined."""
        made: list[Variant] = []
        reasons: list[str] = []
        for plan in self.plans(Tree(sentence)):
            try:
                if isinstance(plan, Decline):
                    raise plan
                made.append(plan.realise())
            except Decline as reason:
                reasons.append(str(reason))
        return made, reasons
