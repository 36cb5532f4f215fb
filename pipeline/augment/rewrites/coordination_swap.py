"""Conjuncts change places: ``Alice and Bob sang.`` -> ``Bob and Alice sang.``"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import FINITE
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import is_known, words

# Relations of modifiers before a conjunct.
_LEFT = (
    "amod", "compound", "nummod", "nmod:poss", "det", "advmod", "nmod", "flat", "nmod:desc", "nmod:unmarked",
)  # fmt: skip
# A conjunct with a child of one of these is more than a bare phrase.
_NOT_BARE = frozenset({
    "acl", "appos", "advcl", "case", "cop", "aux", "nsubj", "obl", "parataxis", "conj", "mark", "punct",
    "xcomp", "ccomp",
})  # fmt: skip
_OF_ONE = frozenset({"a", "an", "another", "each", "every", "this", "that"})
_POSSESSIVES = frozenset({"mine", "yours", "hers", "ours", "theirs"})
_OF_LAST = words("noun_prepositions") - {"of"}
_KINDS = frozenset({"NOUN", "PROPN", "ADJ", "ADV", "PRON"})


def sites(tree: SourceTree) -> Iterator[int]:
    """First conjuncts that are nouns, adjectives or adverbs."""
    for word, tag in enumerate(tree.upos):
        if tree.children[word] and tag in _KINDS and tree.has(word, "conj"):
            yield word


def rewrite(tree: SourceTree, first: int) -> Draft:
    """Exchange the first two conjuncts of a coordination."""
    conjuncts = tree.children_with(first, "conj")
    second = conjuncts[0]
    if any(tree.upos[first] != tree.upos[conjunct] for conjunct in conjuncts):
        raise Decline("conjuncts of different kinds")
    cc = tree.child(second, "cc")
    last = tree.child(conjuncts[-1], "cc")
    if last is None or tree.lower[last] not in ("and", "or") or len(tree.children_with(second, "cc")) > 1:
        raise Decline("conjunction in doubt")
    # ``division, root and stem cuttings, and grafts``
    early = any(tree.has(conjunct, "cc") for conjunct in conjuncts[:-1])
    early = early or tree.words[last + 1] == ","  # ``and, more recently, the Internet``
    decline_if(early or (cc is None) != (len(conjuncts) > 1), "conjunction in doubt")
    # ``have low incomes, high levels of poverty, poor housing``
    listed = tree.deprels[first] == "nmod" and tree.deprels[tree.parents[first]] in ("appos", "conj")
    decline_if(listed and len(conjuncts) > 1, "attachment in doubt")
    decline_if(not words("ordering_words").isdisjoint(tree.lower), "order matters")
    decline_if(tree.is_bare_title(first) or tree.is_bare_title(second), "title without its name")
    _require_end(tree, first)
    decline_if(tree.is_half(first), "attachment in doubt")
    left, right = _cores(tree, first, second, cc)
    _require_own_modifiers(tree, first, second, left, right)
    _require_free_order(tree, first, second, last, left, right)

    draft = Draft(tree)
    a, b = draft[first], draft[second]
    between = range(left.stop, right.start)
    draft.order[left.start : right.stop] = [draft[i] for i in (*right, *between, *left)]
    # The second conjunct becomes the head of the coordination; the conjunction depends on the other one.
    for i, word in enumerate(draft.words):
        if i in between:
            word.head = a
        elif word.head is a and i != second and i not in left:
            word.head = b
    b.head, b.deprel = a.head, a.deprel
    a.head, a.deprel = b, "conj"
    return draft


def _require_end(tree: SourceTree, first: int) -> None:
    """Raise Decline if a finite verb follows the coordination of an object or an oblique.

    The parser then took the subject of a clause for a conjunct, as in ``it gives relief and relapses are
    rare``, or missed a second subject: ``his theory of growth and world view are known``.
    """
    stop = max(tree.subtree(first)) + 1
    if stop == len(tree):
        return
    # ``symptoms develop slowly and often begin in May``
    decline_if(tree.upos[first] == "ADV" and tree.upos[stop] == "VERB", "attachment in doubt")
    if tree.xpos[stop] not in FINITE:
        return
    subject = tree.parents[first]
    several = tree.xpos[stop] == "VBP" or tree.lower[stop] == "were"
    if tree.universal[subject] == "nsubj" and tree.xpos[subject] in ("NN", "NNP") and several:
        raise Decline("attachment in doubt")
    word = first
    while tree.parents[word] >= 0 and tree.upos[tree.parents[word]] not in ("VERB", "AUX"):
        word = tree.parents[word]
    if tree.universal[word] in ("obj", "iobj", "obl") and tree.parents[word] < word:
        raise Decline("attachment in doubt")


def _cores(tree: SourceTree, first: int, second: int, cc: int | None) -> tuple[range, range]:
    """The words of each conjunct only: two spans with a comma or conjunction between them."""
    second_span = tree.span(second)
    own = [kid for kid in tree.children[second] if kid != cc and tree.words[kid] != ","]
    start = min([second, *(tree.span(kid).start for kid in own)])
    stop = max([second + 1, *(tree.span(kid).stop for kid in own)])
    decline_if(stop != second_span.stop or (cc is not None and start <= cc), "conjuncts are not side by side")
    before = start - 1
    while before > first and (before == cc or tree.words[before] == ","):
        before -= 1
    between = range(before + 1, start)
    if len(between) != 1 or (cc is None) != (tree.words[before + 1] == ","):
        raise Decline("conjuncts are not side by side")
    left_start = first
    for kid in sorted(tree.children[first], reverse=True):
        if kid < first and tree.deprels[kid] in _LEFT:
            if tree.span(kid).stop != left_start:
                break
            if (tree.deprels[kid] == "det" or tree.xpos[kid] == "PRP$") and not any(
                tree.deprels[k] in ("det", "nmod:poss") for k in tree.children[second]
            ):
                break
            left_start = tree.span(kid).start
    left = range(left_start, before + 1)
    for kid in tree.children[first]:
        if kid > first and tree.deprels[kid] not in ("conj", "punct") and tree.span(kid).stop > left.stop:
            raise Decline("words after the coordination belong to its first part")
    return left, range(start, stop)


def _require_own_modifiers(tree: SourceTree, first: int, second: int, left: range, right: range) -> None:
    """Raise Decline if a modifier may belong to both conjuncts, or a conjunct holds a clause."""
    left_kids = [kid for kid in tree.children[first] if kid in left]
    right_kids = [kid for kid in tree.children[second] if kid in right]
    decline_if(tree.any_of(right_kids, *_NOT_BARE), "second conjunct is not a bare phrase")
    decline_if(any(tree.upos[i] in ("NOUN", "PROPN") for i in left if i > first), "attachment in doubt")
    decline_if(tree.any_of(left_kids, "acl", "appos", "advcl"), "first conjunct holds a clause")
    has_left = any(kid < first for kid in left_kids)
    has_right_left = any(kid < second for kid in right_kids)
    both = tree.lower[left.start] in words("over_both")  # ``different masses and physical properties``
    decline_if(has_left and (both or not has_right_left), "modifier may be shared")
    if any(kid > second for kid in right_kids) and not any(kid > first for kid in left_kids):
        raise Decline("modifier may be shared")
    if has_right_left and not has_left and not _stays_apart(tree, first, second, right_kids):
        raise Decline("modifier may be shared")
    # ``as the beginning of the novel and a classic work``
    whole = (first, *tree.children_with(first, "conj"))
    articles = {tree.lower[kid] for each in whole for kid in tree.children_with(each, "det")}
    mixed = "the" in articles and not articles.isdisjoint({"a", "an"})
    decline_if(mixed and tree.deprels[first] == "nmod", "attachment in doubt")
    # ``instability and opposition to his rule``
    for kid in (*tree.children_with(first, "nmod"), *tree.children_with(second, "nmod")):
        of_last = kid >= right.stop and tree.lower[tree.span(kid).start] in _OF_LAST
        decline_if(of_last, "modifier may be shared")
    # ``wildlife and timber trafficking`` may be two kinds of trafficking; ``parks and bus routes`` are not.
    of_compound = any(tree.deprels[kid] == "compound" for kid in right_kids)
    two = len(tree.children_with(first, "conj")) == 1
    if two and of_compound and len(left) == 1 and tree.xpos[first] == "NN":
        raise Decline("second noun may be the head of both")


def _stays_apart(tree: SourceTree, first: int, second: int, right_kids: list[int]) -> bool:
    """Whether no modifier of the second conjunct can be read with a first one that then follows it.

    ``women and old men`` is not ``old men and women``; a name takes no article, and a compound is one word.
    """
    left = [tree.deprels[kid] for kid in right_kids if kid < second]
    # In a list of three a comma closes the conjunct; not in ``philosophy of mind, cognitive science, ...``.
    head, listed = tree.parents[first], len(tree.children_with(first, "conj")) > 1
    if listed and tree.deprels[first] == "nmod" and not tree.has(head, "det", "nmod:poss"):
        return False
    if listed or (tree.xpos[first] == "JJS" and left == ["advmod"]):  # ``most populous and largest``
        return True
    if not tree.has(first, "det") and tree.upos[first] in ("PROPN", "PRON"):
        # ``Mexico and Central America`` are two names, ``Central and Eastern Europe`` are not.
        named = all(tree.words[kid][0].isupper() for kid in right_kids if kid < second)
        return "det" in left or "nmod:poss" in left or (named and not is_known(tree.lower[first], "ADJ"))
    shared = tree.has(first, "det", "nmod:poss") and {"det", "nmod:poss"}.isdisjoint(left)
    if shared and tree.xpos[first] == "NN":  # ``a bench or floor model`` are two models
        return False
    return set(left) <= {"compound", "flat"} or (left == ["det"] and not tree.has(first, "det"))


def _require_free_order(
    tree: SourceTree, first: int, second: int, cc: int, left: range, right: range
) -> None:
    """Raise Decline if the order of the conjuncts is fixed: names, references, larger word groups."""
    if tree.upos[first] == "PROPN":
        _require_names(tree, first, second)
    for i in (*left, *right):
        ordered = tree.lower[i] in words("anaphors") or tree.upos[i] == "NUM"
        open_ended = i in right and tree.lower[i] in words("open_ended_words")
        decline_if(ordered or open_ended, "conjuncts are ordered")
        decline_if(tree.lower[i] == "half", "fixed pair")  # an hour and a half
        decline_if(tree.lower[i] in _POSSESSIVES, "determiner may be shared")  # their land and ours
        decline_if(tree.lower[i] in ("i", "me", "my"), "speaker comes last")
    if tree.lower[cc] == "or" and tree.universal[first] == "nsubj":
        raise Decline("agreement with the nearer conjunct")
    capital = any(tree.words[i][0].isupper() for i in (first, second))
    if tree.upos[first] == "ADJ":
        named = tree.deprels[first] == "amod" and capital
    else:
        named = tree.universal[first] in ("compound", "flat", "amod")
    decline_if(named or _is_one_name(tree, first, second) or _is_firm(tree, first), "fixed name")
    pair = f"{tree.lower[first]}_{tree.lower[second]}"
    fixed = pair in words("fixed_pairs") or tree.lower[first] == "nice"
    decline_if(fixed and len(tree.children_with(first, "conj")) == 1, "fixed pair")
    decline_if(tree.lemmas[first] == tree.lemmas[second], "conjuncts are the same word")
    # ``between Monday and Friday`` is not ``between Friday and Monday``
    time = tree.is_time(first) or tree.is_time(second)
    decline_if(time and tree.preposition(first) == "between", "conjuncts are ordered")
    if left.start and tree.words[left.start - 1] == "-":  # ex-minister and professor
        raise Decline("coordination is part of a larger word group")
    det = tree.child(first, "det")
    outside = tree.lower[det] if det is not None and det not in left else ""
    # ``the Netherlands and Belgium``; ``a pointed snout, large eyes, and a tail``
    several = any(tree.xpos[kid] in ("NNS", "NNPS") for kid in tree.children_with(first, "conj"))
    if (tree.upos[first] == "PROPN" and outside == "the") or (outside in _OF_ONE and several):
        raise Decline("determiner may be shared")
    # ``the late 7th and early 8th centuries``; ``the boys and girls dance``, with the verb taken for a noun
    root = tree.upos[first] in ("NOUN", "PROPN") and first == tree.root and not tree.has(first, "cop")
    decline_if(root or tree.words[first][0].isdigit(), "attachment in doubt")
    decline_if(any(tree.lower[i] in ("both", "either") for i in left), "conjunction in doubt")
    # ``an endocrine and a digestive function``, with an adjective taken for a noun
    mixed = tree.upos[first] == "NOUN" and is_known(tree.lower[first], "ADJ") and tree.has(second, "amod")
    decline_if(mixed and first - left.start == 1, "modifier may be shared")
    # ``root and stem cuttings``, ``medieval and early modern art``
    end, more = right.stop, ("ADJ", "VERB") if tree.upos[first] == "ADJ" else ("NOUN", "PROPN", "NUM")
    if end < len(tree) and (tree.words[end] == "-" or tree.upos[end] in more):
        raise Decline("coordination is part of a larger word group")


def _is_one_name(tree: SourceTree, first: int, second: int) -> bool:
    """Whether two names have a verb in the singular, as one does: ``Smith and Wesson was founded``."""
    if tree.upos[first] != "PROPN" or tree.upos[second] != "PROPN" or tree.universal[first] != "nsubj":
        return False
    verb = tree.parents[first]
    carriers = [verb, *tree.children_with(verb, "aux", "aux:pass", "cop")]
    return any(tree.xpos[i] == "VBZ" or tree.lower[i] == "was" for i in carriers)


def _is_firm(tree: SourceTree, first: int) -> bool:
    """Whether two names may be those of one firm or duo: ``works for Baker and McKenzie``."""
    head, preposition = tree.parents[first], tree.preposition(first)
    if tree.upos[first] != "PROPN" or not preposition or head < 0:
        return False
    return tree.lemma[head] in words("firms") or f"{tree.lemma[head]}_{preposition}" in words("firms")


def _require_names(tree: SourceTree, first: int, second: int) -> None:
    """Titles and firms (``Crime and Punishment``, ``Ministry of Trade and Industry``) keep their order."""
    head = tree.parents[first]
    decline_if(tree.upos[head] == "PROPN" and head >= 0, "fixed name")
    kinds = ("NOUN", "VERB", "ADJ")
    known = [any(is_known(tree.lower[name], kind) for kind in kinds) for name in (first, second)]
    decline_if(all(known), "fixed name")


TRANSFORMATION = Transformation("coordination_swap", "same", "no coordination", sites, rewrite, needs="conj")
