"""Transformations: a name, the effect on meaning, the sites where it applies, and the rewrite of a site.

Each is the ``TRANSFORMATION`` of a file in ``rewrites/``, which has its name.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import realise
from pipeline.core.errors import unknown
from pipeline.syntax.sentence import Meaning, Variant

NAMES = tuple(sorted(path.stem for path in (Path(__file__).parent / "rewrites").glob("[a-z]*.py")))


class Plan(NamedTuple):
    """A variant that is not yet spelt out; spelling is half of the cost, and few plans are kept.

    ``draft`` is called when the variant is wanted. A rule that applies to every sentence works only then.
    """

    transformation: str
    meaning: Meaning
    draft: Callable[[], Draft]

    def realise(self) -> Variant:
        """Spell the variant out; raises Decline if the result is not a sentence, or is the source again."""
        draft = self.draft()
        sentence, alignment = realise(draft, every_word=self.meaning == "order")
        decline_if(sentence.text == draft.source.text, "nothing changed")
        return Variant(self.transformation, self.meaning, sentence, alignment)


@dataclass(frozen=True)
class Transformation:
    """One rewriting rule of English.

    ``sites`` yields the places where the rule could act (a word position, a pair of positions ...), or
    raises Decline for the whole sentence. ``rewrite`` acts on one site, or raises Decline with the reason.
    ``absent`` is the reason for a sentence without sites. A tree without one of the relations in ``needs``,
    with spaces between, is not searched.
    """

    name: str
    meaning: Meaning
    absent: str
    sites: Callable[[SourceTree], Iterable[Any]]
    rewrite: Callable[[SourceTree, Any], Draft]
    any_text: bool = False  # also headlines, fragments and other languages
    needs: str = ""

    def plans(self, tree: SourceTree) -> list[Plan | Decline]:
        """Return a plan for every site, or the reason to decline it; one Decline if there are no sites."""
        if tree.oddity and not self.any_text:
            return [Decline(tree.oddity)]
        if not tree.relations.issuperset(self.needs.split()):
            return [Decline(self.absent)]
        try:
            sites = list(self.sites(tree))
        except Decline as decline:
            return [decline]
        return [self._plan(tree, site) for site in sites] or [Decline(self.absent)]

    def _plan(self, tree: SourceTree, site: Any) -> Plan | Decline:
        if self.any_text:
            return Plan(self.name, self.meaning, partial(self.rewrite, tree, site))
        try:
            draft = self.rewrite(tree, site)
        except Decline as reason:
            return reason
        return Plan(self.name, self.meaning, lambda: draft)


def transformations(names: Iterable[str] = NAMES) -> list[Transformation]:
    """The named transformations, in the order given; SynsemError for a name that does not exist."""
    chosen = []
    for name in names:
        if name not in NAMES:
            raise unknown("augment.transformations", name, NAMES)
        chosen.append(import_module(f"pipeline.augment.rewrites.{name}").TRANSFORMATION)
    return chosen


def rules_of(rules: Iterable[Transformation], lang: str) -> list[Transformation]:
    """Return the rules for a language: all of them for English, otherwise those for any text."""
    return [rule for rule in rules if rule.any_text or lang == "en"]
