"""Every tree that leaves the parser is a tree: checked, mended where that is possible."""

import dataclasses

from pipeline.sentences import Sentence


def mend(sentence: Sentence) -> tuple[Sentence, bool]:
    """The sentence with a well-formed tree, and whether it had to be mended.

    A tree has one root, heads in range and no cycle; ``root`` is the relation of the root alone. Mending
    keeps every sound arc: the first root stays (or the first word becomes it), and further roots, heads out
    of range and one arc of every cycle are hung on it as ``parataxis`` or ``dep``.
    """
    heads = list(sentence.heads)
    deprels = list(sentence.deprels)
    root = next((word for word, head in enumerate(heads) if head == 0), None)
    if root is None:
        root = 0
        heads[0] = 0
    for word, head in enumerate(heads):
        if word == root:
            continue
        if head == 0:
            heads[word], deprels[word] = root + 1, "parataxis"
        elif not 0 < head <= len(heads) or head == word + 1:
            heads[word], deprels[word] = root + 1, "dep"
    sound = {root}
    for word in range(len(heads)):
        path = []
        at = word
        while at not in sound and at not in path:
            path.append(at)
            at = heads[at] - 1
        if at not in sound:  # the path bit its own tail at ``at``
            heads[at], deprels[at] = root + 1, "dep"
        sound.update(path)
    for word, head in enumerate(heads):
        if head == 0:
            deprels[word] = "root"
        elif deprels[word] == "root":
            deprels[word] = "parataxis"
    if heads == list(sentence.heads) and deprels == list(sentence.deprels):
        return sentence, False
    return dataclasses.replace(sentence, heads=tuple(heads), deprels=tuple(deprels)), True
