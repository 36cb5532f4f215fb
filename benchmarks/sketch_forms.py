"""What each form of the sketch gives beside the backbone: development data, nothing trained.

    python benchmarks/sketch_forms.py   # needs data/ with stsb, paws-wiki and qqp, as PROFILE=mirror has it

Average precision, for STS-B Spearman, of the sketch alone and of the joint vector by squared weight.
``blind`` is the mean of the six blind sets that have been read. Writes
``reports/controls/sketch-forms.json``.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from judged_pairs import READ_BEFORE, Pairs, development_and_blind, figure, numbered, trees
from numpy.typing import NDArray

from pipeline.core.store import read_json, write_json
from pipeline.nn.sketch import join, sketch
from pipeline.params import load
from pipeline.params.stages import Sketch
from pipeline.syntax.sentence import HasTree
from pipeline.systems import registry

SQUARED_WEIGHTS = (0.1, 0.16, 0.2, 0.3)
# What is other than in params.yaml.
FORMS: dict[str, dict[str, int | str]] = {
    "as built": {},
    "reach 2": {"reach": 2},
    "reach 4": {"reach": 4},
    "1,024 dimensions": {"dimensions": 1024},
    "2,048 dimensions": {"dimensions": 2048},
    "in the order of the text": {"order": "surface"},
    "by trees of other sentences": {"order": "other"},
}


def scores(found: Mapping[str, Pairs], vectors: NDArray[np.float32]) -> dict[str, float]:
    """Of each set, by the cosine of unit vectors; of the blind ones their mean."""
    result = {name: figure(name, pairs.gold, pairs.similarity(vectors)) for name, pairs in found.items()}
    blind = [result.pop(name) for name in READ_BEFORE]
    return result | {"blind": round(sum(blind) / len(blind), 2)}


def forms(
    settings: Sketch, sentences: Sequence[HasTree], semantic: NDArray[np.float32], found: Mapping[str, Pairs]
) -> dict[str, dict[str, dict[str, float]]]:
    """``scores`` of each form, of its sketch alone and of the joint vectors."""
    report = {"no sketch": {"alone": scores(found, semantic)}}
    for name, changes in FORMS.items():
        form = settings.model_copy(update=changes)
        part = sketch(sentences, form.dimensions, form.reach, form.order)
        report[name] = {"alone": scores(found, part)} | {
            str(squared): scores(found, join([semantic, part], [1.0, squared**0.5]))
            for squared in SQUARED_WEIGHTS
        }
        print(name, report[name], flush=True)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--params", type=Path, default=Path("params.yaml"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/sketch-forms.json"))
    options = parser.parse_args()

    encoder = load(options.params, "encoder").encoder
    if encoder.sketch is None:
        parser.error(f"{options.params} has no encoder.sketch")
    texts, found = numbered(development_and_blind(options.data))
    known = trees(options.data)
    sentences = [known[text] for text in texts]
    semantic = registry.backbone(encoder.model_copy(update={"sketch": None})).embed(sentences)["semantic"]
    before = read_json(options.out) if options.out.exists() else {}
    write_json(options.out, before | forms(encoder.sketch, sentences, semantic, found))


if __name__ == "__main__":
    main()
