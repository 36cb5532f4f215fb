"""Dative alternation, both ways: ``She gave him a book.`` <-> ``She gave a book to him.``"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, Phrase, Word, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import words

_POSSESSIVES = {"he": "his", "she": "her", "it": "its", "they": "their"}


def sites(tree: SourceTree) -> Iterator[tuple[int, int, int]]:
    """Verbs of giving or making with an object and a recipient."""
    for verb in tree.verbs:
        lemma = tree.lemma[verb]
        if lemma not in words("dative_to") and lemma not in words("dative_for"):
            continue
        thing, recipient = _objects(tree, verb)
        if recipient is None:
            recipient = _recipient_phrase(tree, verb)
        if thing is not None and recipient is not None:
            yield verb, thing, recipient


def _objects(tree: SourceTree, verb: int) -> tuple[int | None, int | None]:
    """What is given, and to whom if that is also an object.

    Of two objects side by side the first is the recipient, whatever the parser calls them.
    """
    relations = ("iobj", "obj", "obl:unmarked")
    after = [kid for kid in tree.children_with(verb, *relations) if kid > verb and not tree.is_measure(kid)]
    nouns = [kid for kid in after if not tree.has(kid, "case") and tree.upos[kid] != "ADP"]
    if len(nouns) == 2 and tree.span(nouns[0]).stop == tree.span(nouns[1]).start:
        return nouns[1], nouns[0]
    return tree.child(verb, "obj"), tree.child(verb, "iobj")


def _recipient_phrase(tree: SourceTree, verb: int) -> int | None:
    """The noun of a ``to`` or ``for`` phrase that the verb's lexical entry allows as a recipient."""
    preposition = "to" if tree.lemma[verb] in words("dative_to") else "for"
    obliques = (kid for kid in tree.children_with(verb, "obl") if kid > verb)
    return next((kid for kid in obliques if tree.preposition(kid) == preposition), None)


def rewrite(tree: SourceTree, site: tuple[int, int, int]) -> Draft:
    """Turn a double object into a prepositional one or back."""
    verb, thing, recipient = site
    prepositional = tree.deprels[recipient] == "obl"
    several = prepositional and len(tree.children_with(verb, "obj")) > 1
    decline_if(several or tree.has(verb, "aux:pass", "ccomp", "xcomp"), "object in doubt")
    idiom = tree.lemma[thing] in words("dative_idioms") or tree.is_bare(thing)
    decline_if(thing < verb or idiom or tree.is_measure(thing), "idiom")
    decline_if(tree.upos[thing] == "PRON", "object is a pronoun")
    given, to = tree.phrase(thing), tree.phrase(recipient)
    _require_simple(tree, given, to)
    return _to_object(tree, verb, given, to) if prepositional else _to_phrase(tree, verb, given, to)


def _to_phrase(tree: SourceTree, verb: int, given: Phrase, to: Phrase) -> Draft:
    # ``gave the house a clean``
    decline_if(not tree.may_act(to.head), "recipient may be no person")
    decline_if(not verb < to.start or to.stop != given.start, "word order in doubt")
    # ``give the bank rights to the stadium``, ``give Davis the means to act``
    decline_if(tree.lower[given.stop] == "to", "attachment in doubt")
    draft = Draft(tree)
    moved = draft.take_phrase(to)
    head = draft[to.head]
    head.deprel, draft[given.head].deprel = "obl", "obj"
    preposition = "to" if tree.lemma[verb] in words("dative_to") else "for"
    case = Word(preposition, preposition, "ADP", "IN", "", "case", head)
    draft.put([case, *moved], after=draft[given.stop - 1])
    return draft


def _to_object(tree: SourceTree, verb: int, given: Phrase, to: Phrase) -> Draft:
    recipient = to.head
    decline_if(given.stop != to.start or given.start <= verb, "word order in doubt")
    person = tree.lower[recipient] in words("personal") or tree.lemma[recipient] in words("people")
    to_place = tree.lemma[verb] in ("send", "bring", "throw", "read", "pass")
    named = tree.upos[recipient] == "PROPN" and not to_place
    change = tree.lemma[given.head] in words("changing_verbs")  # ``showed an increase to 2,000 people``
    decline_if(change or not (person or named), "recipient may be no person")
    decline_if(len(to) - 1 > len(given) + 1, "recipient too long")
    case = tree.child(recipient, "case")
    assert case is not None
    draft = Draft(tree)
    moved = [word for word in draft.take_phrase(to) if word is not draft[case]]
    draft[recipient].deprel = "iobj"
    draft.put(moved, before=draft[given.start])
    return draft


def _require_simple(tree: SourceTree, given: Phrase, to: Phrase) -> None:
    decline_if(tree.has_quantifier(given.head) and tree.has_quantifier(to.head), "scope of quantifiers")
    for one, other in ((given.head, to.head), (to.head, given.head)):
        decline_if(tree.binds(one) and not tree.is_definite(other), "scope of quantifiers")
    if tree.has_anaphor(given.head) and not _of_subject(tree, given.head):
        raise Decline("argument refers to the other")
    tree.require_one_preposition(to.head)
    for phrase in (given, to):
        if phrase.open or tree.any_of(phrase.positions, "acl", "advcl", "ccomp", "appos"):
            raise Decline("argument holds a clause")
    if tree.xpos[to.head] in ("WP", "WDT") or tree.xpos[given.head] in ("WP", "WDT"):
        raise Decline("question or relative word")


def _of_subject(tree: SourceTree, thing: int) -> bool:
    """Whether the possessor of the thing given is surely the subject: ``She sold her car to a student``."""
    subject = tree.child(tree.parents[thing], "nsubj")
    found = [tree.lower[i] for i in tree.subtree(thing) if tree.lower[i] in words("anaphors")]
    return subject is not None and found == [_POSSESSIVES.get(tree.lower[subject])]


TRANSFORMATION = Transformation("dative", "same", "no verb with object and recipient", sites, rewrite)
