"""Fronted adverbial or prepositional phrase to the end: ``In 1990, he moved.`` -> ``He moved in 1990.``"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import declarative, has_clause
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import words


def sites(tree: SourceTree) -> Iterator[int]:
    """The adjunct that opens the sentence."""
    for kid in tree.children[tree.root]:
        if tree.universal[kid] in ("obl", "advmod") and kid < tree.root and min(tree.subtree(kid)) == 0:
            yield kid


def rewrite(tree: SourceTree, word: int) -> Draft:
    """Move the opening adjunct behind the rest of the clause."""
    subject = declarative(tree)
    phrase = tree.phrase(word)
    tree.require_free(phrase)
    if phrase.stop > subject or has_clause(tree) or tree.has(tree.root, "xcomp", "conj"):
        raise Decline("more than one clause")
    stray = [i for i in range(phrase.stop, tree.span(subject).start) if tree.words[i] != ","]
    decline_if(stray, "word order in doubt")
    if tree.universal[word] == "advmod":
        moves = tree.lower[word] in words("end_adverbs") and len(tree) <= 14
        decline_if(not moves, "adverb that does not move freely")
    elif tree.lemma[word] in words("connective_nouns"):
        raise Decline("phrase links to the sentence before")
    elif not tree.is_time_adjunct(word):
        decline_if(tree.preposition(word) not in words("movable_prepositions"), "phrase may be a complement")
        # ``In physics, impulse is the change in momentum of an object.``
        end = len(tree) - 2
        closed = tree.root == end or (tree.parents[end] == tree.root and tree.universal[end] != "obl")
        decline_if(not closed, "phrase would go with a noun")
    decline_if(not {"not", "n't", "no"}.isdisjoint(tree.lower), "scope of negation or focus particle")
    tree.require_no_focus(range(len(tree)))
    tree.require_same_count(word)
    tree.require_scope(word)
    names = [i for i in phrase.positions if tree.upos[i] == "PROPN" and not tree.is_time(i)]
    pronoun = any(tree.has_pronoun(kid) for kid in tree.children[tree.root] if kid != word)
    decline_if(names and pronoun, "pronoun would come before its name")
    last = len(tree) - 2
    if tree.universal[last] == "obl" and tree.is_time_adjunct(last) and tree.is_time_adjunct(word):
        raise Decline("two time phrases")
    decline_if(len(tree) - phrase.stop > 18 or "," in tree.words[phrase.stop + 1 :], "clause too heavy")
    draft = Draft(tree)
    if tree.words[phrase.stop] == ",":
        draft.take([phrase.stop])
    moved = draft.take_phrase(phrase)
    moved[-1].closing = False
    draft.put(moved, before=draft[-1])
    return draft


TRANSFORMATION = Transformation("postposing", "same", "no adverbial before the subject", sites, rewrite)
