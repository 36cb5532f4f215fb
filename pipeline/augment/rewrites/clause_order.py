"""Adverbial clause first or last: ``When it rained, we left.`` <-> ``We left when it rained.``"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import declarative
from pipeline.augment.draft import Decline, Draft, comma, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import words

# ``if not``, ``as if``; ``after which`` begins a relative clause
_NO_SUBORDINATORS = frozenset({"that", "if", "as", "not", "which", "whom", "whose"})
_CONTRAST = frozenset({"although", "though", "whereas", "while"})
_SCOPAL = frozenset({"because", "until", "unless", "since", "before", "if"})
# These say when nothing happens, on either side.
_CONDITIONS = frozenset({"unless", "if"})
_NEED_ORDER = frozenset({"then", "so", "else", "instead", "only", "even", "nor"})
_RELATIVE = frozenset({"which", "who", "whom", "whose"})
_FEW = frozenset({"few", "little"})
_WEATHER = frozenset({"drizzle", "freeze", "hail", "pour", "rain", "snow", "thunder"})
_THIRD = frozenset({"he", "she", "it", "they", "him", "her", "them", "his", "its", "their"})


def sites(tree: SourceTree) -> Iterator[int]:
    """Adverbial clauses of the main clause."""
    return (kid for kid in tree.children[tree.root] if tree.deprels[kid] == "advcl")


def rewrite(tree: SourceTree, clause: int) -> Draft:
    """Move the adverbial clause to the other side."""
    root = tree.root
    subject = declarative(tree)
    phrase = tree.phrase(clause)
    marker = tree.lower[phrase.start]
    if marker not in words("clause_markers") or tree.lower[phrase.start + 1] in _NO_SUBORDINATORS:
        raise Decline("no plain subordinator")
    decline_if(not tree.any_of(tree.children[clause], "nsubj", "expl"), "adverbial clause has no subject")
    if tree.has(root, "conj", "ccomp", "parataxis") or len(tree.children_with(root, "advcl")) > 1:
        raise Decline("more than two clauses")
    if any(tree.lower[kid] in ("not", "n't", "never") for kid in tree.children[root]) and marker in _SCOPAL:
        raise Decline("scope of negation")
    decline_if(not _NEED_ORDER.isdisjoint(tree.lower), "word that needs the order")
    if tree.upos[clause] == "AUX" or tree.upos[phrase.stop - 1] in ("AUX", "PART"):
        raise Decline("clause is elliptical")
    if marker in _CONTRAST and (
        any(tree.words[i] == "," for i in phrase.positions) or tree.upos[phrase.start + 1] == "ADP"
    ):
        raise Decline("clause too heavy")
    if tree.is_complement(root, marker) or (tree.upos[root] != "VERB" and tree.lower[subject] == "it"):
        raise Decline("clause may be a complement")
    inside = set(phrase.positions)
    _require_same_scope(tree, inside, marker)
    _require_clear_pronouns(tree, inside)
    draft = Draft(tree)
    if phrase.start == 0:
        decline_if(tree.words[phrase.stop] != ",", "comma in doubt")
        main = range(phrase.stop, len(tree))
        relative = any(tree.lower[i] in _RELATIVE and tree.words[i - 1] == "," for i in main)
        decline_if(relative, "clause would go with a relative clause")
        decline_if(_would_join(tree, inside), "clause would go with another clause")
        draft.take([phrase.stop])
        moved = draft.take_phrase(phrase)
        # ``left the house to Anna, a singer, when he died``
        apart = marker in _CONTRAST or tree.opens_comma(root, phrase.stop + 1, len(tree) - 1)
        draft.put([comma(draft[clause]), *moved] if apart else moved, before=draft[-1])
        moved[-1].closing = False
        return draft
    decline_if(phrase.stop != len(tree) - 1 or tree.span(subject).start != 0, "clause stands in the middle")
    # ``its opposite is monomorphism, when both sexes are alike``
    explains = marker == "when" and tree.words[phrase.start - 1] == "," and tree.upos[root] != "VERB"
    decline_if(explains, "clause may explain a noun")
    decline_if(any(_may_be_of_both(tree, i, clause) for i in phrase.positions), "coordination in doubt")
    if tree.words[phrase.start - 1] == ",":
        draft.take([phrase.start - 1])
    moved = draft.take_phrase(phrase)
    moved[-1].closing = False
    draft.put([*moved, comma(draft[clause])], before=draft[0])
    return draft


def _would_join(tree: SourceTree, inside: set[int]) -> bool:
    """Whether the clause would go with another at the end: ``promised to go``, ``met a man who left``."""
    clauses = ("acl", "advcl", "ccomp", "csubj")
    return any(
        (tree.universal[i] == "xcomp" and (tree.upos[i] == "VERB" or tree.has(i, "mark")))
        or (tree.universal[i] in clauses and max(tree.subtree(i)) == len(tree) - 2)
        for i in range(len(tree))
        if i not in inside
    )


def _may_be_of_both(tree: SourceTree, conjunct: int, clause: int) -> bool:
    """Whether a conjunct may go with the main clause: ``hold it when they are applied and prevent leaks``."""
    head = tree.parents[conjunct]
    return (
        tree.deprels[conjunct] == "conj"
        and tree.upos[conjunct] in ("VERB", "ADJ")
        and not tree.has(conjunct, "nsubj", "nsubj:pass")
        and (head == clause or tree.upos[head] == "NOUN")
    )


def _require_clear_pronouns(tree: SourceTree, inside: set[int]) -> None:
    """Raise Decline if a pronoun of the main clause may get another antecedent, or lose its own."""
    pronouns = {i for i in range(len(tree)) if tree.xpos[i] in ("PRP", "PRP$") and tree.lower[i] in _THIRD}
    nouns = {i for i in range(len(tree)) if tree.upos[i] in ("NOUN", "PROPN")}
    decline_if((pronouns - inside) and (nouns & inside), "pronoun would come before its noun")
    # The *it* of the weather stands for nothing.
    weather = {i for i in pronouns if tree.lower[i] == "it" and tree.lemmas[tree.parents[i]] in _WEATHER}
    bound = (pronouns & inside) - weather
    antecedents = [i for i in nouns - inside if not tree.is_time(i)]
    if bound and any(tree.is_indefinite(i) or tree.binds(i) for i in set(range(len(tree))) - inside):
        raise Decline("pronoun may be bound")
    if any(sum(_may_be(tree, i, tree.lower[pronoun]) for i in antecedents) > 1 for pronoun in bound):
        raise Decline("pronoun may get another antecedent")
    pointing = [i for i, lower in enumerate(tree.lower) if lower in words("pointing_words")]
    decline_if(tree.any_of(pointing, "nsubj", "obj", "obl", "nmod"), "pronoun would come before its noun")


def _may_be(tree: SourceTree, noun: int, pronoun: str) -> bool:
    """Whether a pronoun may stand for the noun, by number and as a person or thing."""
    plural = tree.xpos[noun] in ("NNS", "NNPS")
    if pronoun in ("they", "them", "their") or plural:
        return pronoun in ("they", "them", "their") and (plural or tree.has(noun, "conj"))
    person = tree.upos[noun] == "PROPN" or tree.may_be_person(noun)
    thing = tree.upos[noun] == "PROPN" or not person
    return thing if pronoun in ("it", "its") else person


def _require_same_scope(tree: SourceTree, inside: set[int], marker: str) -> None:
    """Raise Decline if a negative word or a count of the main clause may apply to the other clause."""
    main = [i for i in range(len(tree)) if i not in inside]
    tree.require_no_focus(main)
    if marker not in _CONDITIONS and any(tree.is_negative(i) or tree.lower[i] in _FEW for i in main):
        raise Decline("scope of negation")
    if marker == "because" and any(tree.lower[i] in words("frequency_adverbs") for i in main):
        raise Decline("scope of an adverb of frequency")


TRANSFORMATION = Transformation("clause_order", "same", "no adverbial clause", sites, rewrite, needs="advcl")
