"""Adverbial or prepositional phrase to the front: ``We met on Monday.`` -> ``On Monday, we met.``"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, Phrase, comma, decline_if
from pipeline.augment.phrases import SourceTree

_NARROWING = frozenset({"early", "late", "later", "shortly", "soon"})


def sites(tree: SourceTree) -> Iterator[int]:
    """Adverbs and prepositional phrases of the main verb that do not open the sentence."""
    for kid in tree.children[tree.root]:
        if (
            tree.universal[kid] in ("obl", "advmod")
            and kid > 0
            and tree.upos[kid] in ("NOUN", "PROPN", "ADV", "NUM")
        ):
            yield kid


def rewrite(tree: SourceTree, word: int) -> Draft:
    """Move one adjunct of the main clause to the front."""
    root = tree.root
    subjects = tree.children_with(root, "nsubj", "nsubj:pass")
    decline_if(len(subjects) != 1 or subjects[0] > root, "no plain subject")
    decline_if(tree.words[-1] == "?" or tree.xpos[subjects[0]].startswith("W"), "question")
    if any(not tree.has(kid, "nsubj", "nsubj:pass", "expl") for kid in tree.children_with(root, "conj")):
        raise Decline("coordinated verbs share the subject")
    if tree.has(root, "csubj", "parataxis", "ccomp", "dislocated", "vocative", "discourse"):
        raise Decline("loosely attached material")
    decline_if(tree.span(subjects[0]).start != 0, "subject does not come first")
    if any(kid < root and tree.lower[kid] in ("not", "n't", "never") for kid in tree.children[root]):
        raise Decline("negated clause")
    tree.require_no_focus(tree.children[root])
    tree.require_adjunct(word)
    tree.require_same_count(word)
    tree.require_scope(word)
    phrase = tree.phrase(word)
    tree.require_free(phrase)
    if tree.upos[word] != "ADV":
        _require_one_time(tree, phrase)
    draft = Draft(tree)
    has_comma_before = tree.words[phrase.start - 1] == ","
    has_comma_after = tree.words[phrase.stop] == ","
    if has_comma_before and has_comma_after:
        before = phrase.start - 2  # ``a country that was beset, at the same time, with divisions``
        decline_if(tree.upos[before] == "VERB" and before != root, "attachment in doubt")
        draft.take([phrase.start - 1])
    elif has_comma_before != has_comma_after and tree.words[phrase.stop] not in (".", "!", "?"):
        raise Decline("comma in doubt")
    # ``from 1503 to his death, in February 1513``
    elif has_comma_before and tree.universal[word] == "obl":
        raise Decline("phrase may explain what it follows")
    moved = draft.take_phrase(phrase)
    moved[-1].closing = False
    draft.put([*moved, comma(draft[word])], before=draft[0])
    return draft


def _require_one_time(tree: SourceTree, phrase: Phrase) -> None:
    """Raise Decline if another word also says when, or from when until when.

    ``early in 1962``, ``in December last year``; ``began in May until June``.
    """
    rest = [i for i in range(len(tree)) if i not in phrase.positions]
    spans = [i for i in rest if tree.lower[i] == "from" and tree.is_time(tree.parents[i])]
    ends = tree.lower[phrase.start] in ("until", "till") and any(tree.is_time(i) for i in rest)
    if spans or ends or any(tree.lower[i] in ("until", "till") for i in rest):
        raise Decline("another phrase says when")
    others = (i for i, rel in enumerate(tree.deprels) if rel in ("nmod:unmarked", "obl:unmarked"))
    if tree.lower[phrase.start - 1] in _NARROWING or any(
        i not in phrase.positions and tree.upos[i] == "NOUN" and tree.is_time(i) for i in others
    ):
        raise Decline("another phrase says when")


TRANSFORMATION = Transformation("fronting", "same", "no adverbial after the subject", sites, rewrite)
