"""Every tree that leaves a parser is made well formed."""

import dataclasses

from pipeline.syntax.sentence import Sentence


def repair(sentence: Sentence) -> tuple[Sentence, bool]:
    """The sentence with a well-formed tree, and whether that had to be repaired.

    A tree has one root, heads in range and no cycle; ``root`` is the relation of the root alone. All other
    arcs stay. The first root stays, or the first word becomes it. Words with a further root, with a head out
    of range, and one word of every cycle are attached to it as ``parataxis`` or ``dep``.
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
        path = dict[int, None]()
        at = word
        while at not in sound and at not in path:
            path[at] = None
            at = heads[at] - 1
        if at not in sound:  # the path is a cycle that closes at ``at``
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
