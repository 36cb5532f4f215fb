"""What attachments give beside role order, by spaCy's trees alone: development data, nothing trained.

    python benchmarks/attachments.py      # needs data/ with stsb, paws-wiki and qqp, as PROFILE=mirror has it

The kernel of ``synsem``'s structural vector, computed exactly, with a parser's trees in place of pointers:
two words match if their lemmas are equal. The cosine of two sentences counts the pairs of lemmas that both
have, in role order (signed, REACH words apart at most) and by attachment (with no direction). An attachment
is a content word or a preposition with the content word that it depends on. Average precision, for STS-B
Spearman, of that cosine alone; ``blind`` is the mean of the six blind sets that have been read. Writes
``reports/controls/attachments.json``.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from judged_pairs import READ_BEFORE, Texts, development_and_blind, figure, trees
from numpy.typing import NDArray

from pipeline.core.store import write_json
from pipeline.nn.sketch import WEAK
from pipeline.syntax.relations import universal
from pipeline.syntax.role_order import role_order
from pipeline.syntax.roles import lemma, lifted
from pipeline.syntax.sentence import HasTree
from pipeline.systems.synsem.heads import DECAY

REACH = 3
Kernel = dict[tuple[str, str, bool], float]  # by two lemmas in alphabetical order, and whether by attachment


class Form(NamedTuple):
    """What counts beside links in role order."""

    weight: float = 0.0  # of attachments
    prepositions: bool = False  # theirs, too
    surface: bool = False  # links in the order of the text in place of role order


FORMS = {
    "role order": Form(),
    "and attachments of content words": Form(0.45),
    "and of prepositions, 0.2": Form(0.2, prepositions=True),
    "and of prepositions, 0.45": Form(0.45, prepositions=True),
    "and of prepositions, 0.7": Form(0.7, prepositions=True),
    "order of the text": Form(surface=True),
    "order of the text, and attachments, 0.45": Form(0.45, prepositions=True, surface=True),
}


def kernel(tree: HasTree, form: Form) -> Kernel:
    """The pairs of lemmas of a sentence, each with its weight."""
    order = role_order(tree)
    content = set(order)
    above = attachments(tree, content) if form.weight else {}
    if form.surface:
        order = sorted(order)
    if not form.prepositions:
        above = {word: governor for word, governor in above.items() if word in content}
    words = [*order, *(word for word in above if word not in content)]
    place = {word: number for number, word in enumerate(words)}
    lemmas = [lemma(tree, word) for word in words]
    often = Counter(lemmas)
    share = np.array([1 / often[each] for each in lemmas])
    links, ties = np.zeros((2, len(words), len(words)))
    for gap in range(1, REACH + 1):
        for word in range(len(order) - gap):
            links[word, word + gap] = DECAY ** (gap - 1)
    for word, governor in above.items():
        ties[place[word], place[governor]] = 1
    both = share[:, None] * share
    found: Kernel = defaultdict(float)
    parts = (evened((links - links.T) * both), form.weight * evened((ties + ties.T) * both))
    for attached, part in enumerate(parts):
        for one, other in zip(*np.nonzero(part), strict=True):
            if lemmas[one] < lemmas[other]:
                found[lemmas[one], lemmas[other], bool(attached)] += float(part[one, other])
    return found


def attachments(tree: HasTree, content: Collection[int]) -> dict[int, int]:
    """The content word that a content word or a preposition depends on, by 0-based position.

    Other words between are passed over, and a conjunct depends on what the first conjunct does.
    """
    found = {}
    for word, deprel in enumerate(tree.deprels):
        if word in content:
            above = lifted(tree, word)[0]
        elif universal(deprel) == "case":
            above = tree.heads[word] - 1
        else:
            continue
        while above >= 0 and above not in content:
            above = tree.heads[above] - 1
        if above >= 0:
            found[word] = above
    return found


def cosine(one: Kernel, other: Kernel) -> float:
    """Of two sparse vectors, 0 where one of them is all zeros."""
    norm = sqrt(sum(v * v for v in one.values()) * sum(v * v for v in other.values()))
    return sum(count * other.get(pair, 0.0) for pair, count in one.items()) / norm if norm else 0.0


def evened(links: NDArray[np.float64]) -> NDArray[np.float64]:
    """As ``heads.evened``, of links that are symmetric but for their sign.

    ``heads.evened`` itself rounds its sums otherwise: with it the figures differ by up to 0.06.
    """
    sizes = np.maximum(2 * np.square(links).sum(axis=1), WEAK**2) ** 0.125
    result: NDArray[np.float64] = links / (sizes[:, None] * sizes)
    return result


def scores(known: Mapping[str, HasTree], sets: Mapping[str, Texts], form: Form) -> dict[str, float]:
    """Of each set; of the blind ones their mean."""
    kernels = {text: kernel(tree, form) for text, tree in known.items()}
    found = {}
    for name, pairs in sets.items():
        alike = np.array([cosine(kernels[a], kernels[b]) for a, b, _ in pairs])
        found[name] = figure(name, np.array([gold for *_, gold in pairs]), alike)
    blind = [found.pop(name) for name in READ_BEFORE]
    return found | {"blind": round(sum(blind) / len(blind), 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/attachments.json"))
    options = parser.parse_args()
    sets = development_and_blind(options.data)
    every = trees(options.data)
    known = {text: every[text] for pairs in sets.values() for a, b, _ in pairs for text in (a, b)}
    report = {}
    for name, form in FORMS.items():
        report[name] = scores(known, sets, form)
        print(name, report[name], flush=True)
    write_json(options.out, report)


if __name__ == "__main__":
    main()
