"""How fast augmentation is compared with parsing: the same sentences, one process, one thread.

Run ``python benchmarks/augment.py [FOLDER]`` after ``dvc repro parse``.
"""

import os
import sys
from collections import Counter
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

from timing import FOLDER, Stopwatch, record

from pipeline.augment.catalogue import transformations
from pipeline.augment.run import Counts, plan_all, sample
from pipeline.core.store import rows
from pipeline.params import load
from pipeline.parsing.registry import Passage
from pipeline.parsing.registry import load as load_parser
from pipeline.syntax.sentence import Sentence


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "data/parsed/corpus")
    params = load(Path("params.yaml"), "augment", "parse")
    sentences = [Sentence.from_row(row) for row in rows(folder)][:3000]
    parser = load_parser(params.parse, "en")
    rules = transformations(params.augment.transformations)

    def parse() -> None:
        list(parser.parse([Passage(sentence.text, "en", single=True) for sentence in sentences]))

    def augment() -> None:
        counts: Counts = Counter()
        used: Counter[str] = Counter()
        for sentence in sentences:
            plans = plan_all(sentence, rules, counts)
            sample(plans, params.augment.per_sentence, used, params.augment.seed, sentence.text, counts)

    sides: dict[str, dict[str, float]] = {}
    for name, work in (("parsing", parse), ("augmentation", augment)):
        work()  # load models and lexica
        began = Stopwatch()
        work()
        sides[name] = began.read()._asdict()
        print(f"{name}: {len(sentences) / sides[name]['cpu_seconds']:,.0f} sentences a CPU second")
    print(f"ratio: {sides['parsing']['cpu_seconds'] / sides['augmentation']['cpu_seconds']:.1f}")
    record("augment", sides, {"sentences": len(sentences), "threads": 1}, FOLDER)


if __name__ == "__main__":
    main()
