"""The re-parse gate: a variant stays only where the parser finds the intended roles again."""

from collections.abc import Sequence

from pipeline.params import Parse
from pipeline.sentences import Sentence

ROLES = frozenset({"root", "nsubj", "nsubj:pass", "obj", "iobj", "obl:agent", "csubj"})


def roles_found(intended: Sentence, parsed: Sentence) -> float:
    """Share of the core roles of ``intended`` (word, head and relation) that ``parsed`` has too; 1.0 for
    none.

    Both have the same words. A passive parser may name an agent a plain oblique: that counts as found.
    """
    if intended.words != parsed.words:
        return 0.0
    wanted = [i for i, relation in enumerate(intended.deprels) if relation in ROLES]
    found = sum(
        intended.heads[i] == parsed.heads[i]
        and (
            intended.deprels[i] == parsed.deprels[i]
            or {intended.deprels[i], parsed.deprels[i]} == {"obl:agent", "obl"}
        )
        for i in wanted
    )
    return found / len(wanted) if wanted else 1.0


def reparse(sentences: Sequence[Sentence], params: Parse) -> list[Sentence | None]:
    """Each sentence parsed again as the same words; None where the parser finds nothing."""
    from pipeline.parsing.base import Passage
    from pipeline.parsing.registry import load

    passages = [
        Passage(sentence.text, "en", single=True, words=sentence.words, space_after=sentence.space_after)
        for sentence in sentences
    ]
    return [found[0] if found else None for found in load(params, "en").parse(passages)]


def parse_texts(texts: Sequence[str], params: Parse) -> list[Sentence | None]:
    """The tree of each text, taken as one sentence; None where the parser finds nothing."""
    from pipeline.parsing.base import Passage
    from pipeline.parsing.registry import load

    passages = [Passage(text, "en", single=True) for text in texts]
    return [found[0] if found else None for found in load(params, "en").parse(passages)]
