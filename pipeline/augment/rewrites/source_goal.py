"""Source and goal change places: ``from Rome to Paris`` -> ``from Paris to Rome``."""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import SourceTree, swap_phrases
from pipeline.augment.surface import words


def sites(tree: SourceTree) -> Iterator[tuple[int, int]]:
    """Pairs of a ``from`` phrase and a ``to`` phrase close to each other."""
    if "from" not in tree.lower:
        return
    sources = [i for i in range(len(tree)) if _marked(tree, i, ("from",))]
    goals = [i for i in range(len(tree)) if _marked(tree, i, ("to", "into"))]
    for source in sources:
        for goal in goals:
            if source != goal and (
                tree.parents[source] == tree.parents[goal] or tree.parents[goal] == source
            ):
                yield source, goal


def _marked(tree: SourceTree, word: int, prepositions: tuple[str, ...]) -> bool:
    case = tree.child(word, "case") if tree.deprels[word] in ("obl", "nmod") else None
    return case is not None and case < word and tree.lower[case] in prepositions


def _mover(tree: SourceTree, verb: int) -> int | None:
    """Who or what the verb says moves: its subject, or the noun that a relative clause modifies."""
    subject = tree.child(verb, "nsubj")
    if tree.universal[verb] == "acl" and (subject is None or tree.xpos[subject].startswith("W")):
        return tree.parents[verb]
    return subject


def rewrite(tree: SourceTree, site: tuple[int, int]) -> Draft:
    """Exchange what follows ``from`` and what follows ``to``."""
    source, goal = site
    decline_if(tree.parents[goal] == source, "goal hangs on the source")
    decline_if("forth" in tree.lower, "two ends of an extent")  # back and forth from A to B
    parent = tree.parents[source]
    lemma = tree.lemma[parent]
    if lemma in words("extent_verbs") or (tree.upos[parent] != "VERB" and lemma not in words("moving_nouns")):
        raise Decline("two ends of an extent")
    mover = _mover(tree, parent) if lemma in words("path_verbs") else None
    decline_if(mover is not None and not tree.may_act(mover), "two ends of an extent")
    for noun in site:
        if tree.upos[noun] not in ("NOUN", "PROPN") or tree.is_measure(noun) or tree.has_anaphor(noun):
            raise Decline("no place or person")
        decline_if(tree.any_of(tree.subtree(noun), "acl", "appos", "advcl"), "phrase holds a clause")
    directions = [tree.lower[noun] in words("compass_points") for noun in site]
    decline_if(directions[0] != directions[1], "no place or person")
    if any(tree.upos[i] == "NUM" or tree.words[i][0].isdigit() for noun in site for i in tree.subtree(noun)):
        raise Decline("no place or person")
    if tree.upos[source] != tree.upos[goal] and "PROPN" not in (tree.upos[source], tree.upos[goal]):
        raise Decline("no place or person")
    decline_if(tree.lemma[source] == tree.lemma[goal], "the words are the same")
    draft = Draft(tree)
    swap_phrases(tree, draft, source, goal)
    return draft


TRANSFORMATION = Transformation(
    "source_goal", "different", "no source with a goal", sites, rewrite, needs="case"
)
