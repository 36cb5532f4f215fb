"""Where punctuation hangs in UD: as high as it can without crossing an arc.

The guidelines (https://universaldependencies.org/u/dep/punct.html): a mark between two units belongs to the
lower one (the conjunct that follows, the clause that is set off), a pair of marks to the head of what it
encloses, and no mark may make the tree non-projective.
"""

from collections.abc import Sequence

_PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", "‘": "’", "«": "»", "``": "''", '"': '"', "'": "'"}


def attach_punctuation(heads: list[int], relations: Sequence[str], words: Sequence[str]) -> None:
    """Rehang, in place, every word whose relation is ``punct``; heads are 0-based, -1 above the root."""
    marks = [word for word, relation in enumerate(relations) if relation == "punct"]
    if not marks or len(marks) == len(heads):
        return
    mark_set = set(marks)
    for word, head in enumerate(heads):  # nothing hangs on a mark, unless the mark is the root
        while head in mark_set:
            head = heads[head]
        heads[word] = head
    depth = _depths(heads)
    closed = _paired(marks, heads, words, mark_set)
    for mark in marks:
        if mark not in closed:
            heads[mark] = _between(mark, heads, depth, mark_set)


def _between(mark: int, heads: Sequence[int], depth: Sequence[int], marks: set[int]) -> int:
    """The lower of the two highest words that end just before and begin just after the mark."""
    left = mark - 1
    while left in marks:
        left -= 1
    right = mark + 1
    while right in marks:
        right += 1
    if left >= 0:
        while 0 <= heads[left] < mark:
            left = heads[left]
    if right < len(heads):
        while heads[right] > mark:
            right = heads[right]
        if left < 0 or depth[right] >= depth[left]:
            return right
    return left


def _paired(marks: Sequence[int], heads: list[int], words: Sequence[str], mark_set: set[int]) -> set[int]:
    """Hang brackets and quotes on the one head of what they enclose; returns the marks that were hung."""
    hung: set[int] = set()
    open_marks: list[int] = []
    for mark in marks:
        if open_marks and words[mark] == _PAIRS.get(words[open_marks[-1]]):
            start = open_marks.pop()
            tops = [
                word
                for word in range(start + 1, mark)
                if word not in mark_set and not start < heads[word] < mark
            ]
            if len(tops) == 1:
                heads[start] = heads[mark] = tops[0]
                hung |= {start, mark}
        elif words[mark] in _PAIRS:
            open_marks.append(mark)
    return hung


def _depths(heads: Sequence[int]) -> list[int]:
    depth = [-1] * len(heads)
    for word in range(len(heads)):
        path = []
        while word >= 0 and depth[word] < 0:
            path.append(word)
            word = heads[word]
        above = depth[word] if word >= 0 else -1
        for below in reversed(path):
            above += 1
            depth[below] = above
    return depth
