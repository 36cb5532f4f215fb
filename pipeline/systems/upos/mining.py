"""Examples for ``upos``: a sentence and its translation, whose tags are to be predicted (Liu et al. 2019).

The positive is a translation in the parsed corpus; its kind, ``translation-LANG``, tells the decoder the
language. Sentences without one get a paraphrase of the same language (``pair``), or themselves
(``identity``). Tag sequences that are held out for evaluation (``pipeline.syntax.tag_sequences``) are on
neither side.
"""

from collections import Counter
from collections.abc import Container, Iterator
from functools import partial
from pathlib import Path

from pipeline.mining.examples import IDENTITY, example
from pipeline.mining.inputs import Embed, Inputs, Lookup, Row
from pipeline.mining.paraphrases import KIND, Paired, limited, read_pairs
from pipeline.mining.partners import Partners
from pipeline.mining.parts import mine_sentences
from pipeline.params import Mine
from pipeline.syntax.tag_sequences import held_out, untagged

_HELD_OUT = "shape held out for evaluation"


def mine(inputs: Inputs, out: Path, params: Mine, embed: Embed, workers: int | None = 1) -> Counter[str]:
    """Write ``schemas.TRIPLET`` rows to ``out``; returns counts of what was kept.

    There is an example for each sentence and each of its translations, so in both directions.
    """
    dropped: Counter[str] = Counter()
    places, kinds = _targets(read_pairs(inputs, params), params, dropped)
    make = partial(_examples, kinds, Lookup(inputs), params)
    return mine_sentences(make, inputs, out, params, embed, workers, dropped, [places])


def _examples(
    kinds: list[str],
    corpus: Lookup,
    params: Mine,
    sentence: Row,
    variants: list[Row],
    dropped: Counter[str],
    targets: list[tuple[int, ...]],
) -> Iterator[Row]:
    """The examples of one sentence; ``targets`` are row numbers and numbers of ``kinds``."""
    settings = params.upos
    if settings.sources is not None and sentence["lang"] not in settings.sources:
        dropped["language not in mine.upos.sources"] += 1
        return
    if held_out(sentence["upos"]):
        dropped[_HELD_OUT] += 1
        return
    rows = [(corpus[place], kinds[kind]) for place, kind in targets]
    usable = [(row, kind) for row, kind in rows if _usable(row, params, dropped)]
    if not rows and settings.targets is not None and sentence["lang"] not in settings.targets:
        dropped["no translation into mine.upos.targets"] += 1
    elif not rows:
        usable = [(sentence, IDENTITY)]
    for row, kind in usable:
        if untagged(row["upos"]):
            dropped["target without UPOS"] += 1
        else:
            yield example(sentence, row, kind)


def _targets(paired: Paired, params: Mine, dropped: Counter[str]) -> tuple[Partners, list[str]]:
    """The translations of each sentence, else its paraphrases: row number and number of the kind; kinds."""
    wanted: Container[str] | None = params.upos.targets
    found, kinds = Partners(2), [KIND]
    for members in paired.members():
        some = limited(members, params.seed, dropped)
        for a in some:
            others = [
                b for b in some if b != a and a.split == b.split and (wanted is None or b.lang in wanted)
            ]
            translations = [b for b in others if b.lang != a.lang]
            for b in translations or others:
                kind = KIND if a.lang == b.lang else f"translation-{b.lang}"
                if kind not in kinds:
                    kinds.append(kind)
                found.add(a.place, b.place, kinds.index(kind))
    return found, kinds


def _usable(row: Row, params: Mine, dropped: Counter[str]) -> bool:
    if len(row["words"]) > params.max_words:
        dropped[f"target longer than {params.max_words} words"] += 1
        return False
    if held_out(row["upos"]):
        dropped[f"target: {_HELD_OUT}"] += 1
        return False
    return True
