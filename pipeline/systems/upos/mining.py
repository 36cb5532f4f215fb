"""Training examples of ``upos``: a sentence and a translation with tags to predict (Liu et al. 2019).

The positive is a translation in the parsed corpus; its kind, ``translation-LANG``, gives the decoder the
language. Sentences without one get a paraphrase of the same language (``pair``), or themselves
(``identity``). Tag sequences that are held out for evaluation (``pipeline.syntax.similarity``) are on
neither side.
"""

from collections import Counter
from collections.abc import Container, Iterator
from typing import Any

from pipeline.mining.filter import IDENTITY, Example, of_sentences
from pipeline.mining.inputs import Inputs, Lookup, Row
from pipeline.mining.pairs import KIND, members, some_of
from pipeline.syntax.similarity import held_out, untagged

_HELD_OUT = "shape held out for evaluation"


def examples(inputs: Inputs, params: Any, dropped: Counter[str]) -> Iterator[Example]:
    """Yield an example of each sentence and each of its translations, so in both directions."""
    settings, most = params.upos, params.mine.max_words
    corpus = Lookup(inputs.sentences)
    targets = _targets(inputs, settings.targets, dropped)

    def make(sentence: Row, variants: list[Row], dropped: Counter[str]) -> Iterator[Example]:
        if settings.sources is not None and sentence["lang"] not in settings.sources:
            dropped["language not in upos.sources"] += 1
            return
        if held_out(sentence["upos"]):
            dropped[_HELD_OUT] += 1
            return
        found = [(corpus[place], kind) for place, kind in targets.get(sentence["place"], [])]
        if not found:
            if settings.targets is not None and sentence["lang"] not in settings.targets:
                dropped["no translation into upos.targets"] += 1
                return
            found = [(sentence, IDENTITY)]
        for row, kind in found:
            if len(row["words"]) > most:
                dropped[f"target longer than {most} words"] += 1
            elif held_out(row["upos"]):
                dropped[f"target: {_HELD_OUT}"] += 1
            elif untagged(row["upos"]):
                dropped["target without UPOS"] += 1
            else:
                yield Example(sentence, row, kind)

    return of_sentences(make, inputs, params.mine, dropped)


def _targets(
    inputs: Inputs, wanted: Container[str] | None, dropped: Counter[str]
) -> dict[int, list[tuple[int, str]]]:
    """Return the translations of each sentence, otherwise its paraphrases: row number and kind."""
    found: dict[int, list[tuple[int, str]]] = {}
    for _, texts in members(inputs):
        some = some_of(texts, dropped)
        for a in some:
            others = [b for b in some if b is not a and b["split"] == a["split"]]
            others = [b for b in others if wanted is None or b["lang"] in wanted]
            translations = [b for b in others if b["lang"] != a["lang"]]
            for b in translations or others:
                kind = f"translation-{b['lang']}" if translations else KIND
                found.setdefault(a["place"], []).append((b["place"], kind))
    return found
