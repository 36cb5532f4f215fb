"""Two noun phrases, or two nouns, exchange their places in the sentence and in the tree."""

from pipeline.augment.draft import Draft
from pipeline.augment.morphology import set_case
from pipeline.augment.nouns import require_one_preposition
from pipeline.augment.tree import Decline, Tree


def swap_phrases(tree: Tree, draft: Draft, a: int, b: int) -> None:
    """Exchange two noun phrases; each leaves its preposition behind and takes the other's place in the
    tree.
    """
    first, second = sorted((a, b))
    left, right = tree.phrase(first), tree.phrase(second)
    require_one_preposition(tree, a)
    require_one_preposition(tree, b)
    if left.stop > right.start or tree.words[second] == tree.words[first]:
        raise Decline("arguments overlap")
    for comma in (*left.commas, *right.commas):
        draft.take([comma])
    parts = []
    for phrase in (left, right):
        case = {kid for kid in tree.kids[phrase.head] if tree.deprels[kid] == "case" and kid < phrase.head}
        if case and (len(case) > 1 or min(case) != phrase.start or tree.kids[min(case)]):
            raise Decline("preposition in doubt")
        parts.append([draft[i] for i in phrase.positions if i not in case])
        parts[-1][-1].closing = phrase.open
        for kid in case:  # the preposition serves whatever stands after it now
            draft[kid].head = draft[second if phrase.head == first else first]
    at = [draft.index(part[0]) for part in parts]
    for part, place, other in ((parts[1], at[1], parts[0]), (parts[0], at[0], parts[1])):
        draft.order[place : place + len(part)] = other
    draft.exchange(draft[a], draft[b])


def swap_nouns(draft: Draft, a: int, b: int) -> None:
    """Exchange two nouns alone: articles and modifiers stay where they are, so the tree keeps its shape."""
    first, second = draft[a], draft[b]
    for field in ("form", "lemma", "upos", "xpos", "feats", "source"):
        one, other = getattr(first, field), getattr(second, field)
        setattr(first, field, other)
        setattr(second, field, one)


def set_case_of_all(draft: Draft, head: int, case: str) -> None:
    """Put a pronoun and the pronouns coordinated with it into a case."""
    set_case(draft[head], case)
    for word in draft.order:
        if word.deprel == "conj" and word.head is draft[head]:
            set_case(word, case)
