"""A trained ``synsem`` pair by pair: each view, the joint vector by its weight, late interaction.

    python benchmarks/synsem_views.py models/synsem/*             # needs data/ as PROFILE=mirror has it
    python benchmarks/synsem_views.py models/synsem/* --tests     # once, when all choices are made
    python benchmarks/synsem_views.py models/synsem/* --beside models/surface/13    # a control

Average precision of PAWS-Wiki, QQP and the contrast sets, Spearman of the STS sets (of a SemEval year all its
pairs together), in points. Without ``--tests`` no test set is read, and of the blind contrast sets only the
first six, which have been read and so are development data. Of several models the mean and the standard
deviation too. The backbone and ``synsem`` with heads that learnt nothing stand beside them. Writes
``reports/controls/synsem-development.json`` or ``synsem-tests.json``. The backbone reads each batch once for
all models, since none of them trains it: the states of the test sets take 7 GiB of memory.
"""

import argparse
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import torch
from contrast_sets.recipes import PARTS
from judged_pairs import BLIND, READ_BEFORE, Texts, contrast_pairs, development_and_blind, figure, gold
from numpy.typing import NDArray
from sketch_orders import spread

from pipeline.core.errors import SynsemError
from pipeline.core.metrics import COSINE_DIGITS, average_precision, cosines
from pipeline.core.store import read, write_json
from pipeline.evaluation.embedding_cache import EmbeddingCache
from pipeline.evaluation.tasks.contrast import contrast_set
from pipeline.evaluation.tasks.pairs import unread_parts
from pipeline.nn.tokenizer import Tokens
from pipeline.params import load
from pipeline.syntax.sentence import Side
from pipeline.systems import base, registry
from pipeline.systems.synsem.model import System

# Of the structural vector in the joint one, in a sentence of six content words; 0.16 is `synsem.weight`'s.
SQUARED_WEIGHTS = (0.05, 0.1, 0.16, 0.2, 0.3)
SEED = 13  # of the heads that learnt nothing
PHENOMENA_OF = ("contrast_dev", *READ_BEFORE, *BLIND)
TESTS = ("paws-wiki", "stsb", "sts12", "sts14", "sts16", "qqp")
Figures = dict[str, float]  # by the name of a set
Layers = dict[int, torch.Tensor]  # states by the number of the layer; -1 is the last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--beside", type=Path, nargs="+", default=[], help="controls, not in the mean")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--params", type=Path, default=Path("params.yaml"))
    parser.add_argument("--tests", action="store_true", help="test sets and the blind pairs instead")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="of these only some")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    folders = by_name([*options.models, *options.beside])

    sets = test_pairs(options.data) if options.tests else development_and_blind(options.data)
    if unknown := set(options.sets or ()) - set(sets):
        parser.error(f"--sets: no set is called {', '.join(sorted(unknown))}; there are {', '.join(sets)}")
    sets = {name: pairs for name, pairs in sets.items() if name in (options.sets or sets)}
    out = options.out or Path(f"reports/controls/synsem-{'tests' if options.tests else 'development'}.json")
    params = load(options.params, "encoder", "train", "synsem")
    torch.manual_seed(SEED)
    backbone = params.encoder.model_copy(update={"sketch": None})
    untrained = registry.create("synsem", params.encoder, params.train, params.synsem)
    untrained.begin_training()
    report = {
        "backbone": measured(registry.backbone(backbone), sets),
        "untrained heads": measured(untrained, sets),
    }
    models = {}
    known: dict[bytes, Layers] = {}
    for name, folder in folders.items():
        models[name] = measured(sharing(registry.load(folder), untrained, known), sets)
        print(name, models[name], flush=True)
    averaged = list(models.values())[: len(options.models)]
    if len(averaged) > 1:
        for kind in ("mean", "sd"):
            report[kind] = {view: spread([each[view] for each in averaged])[kind] for view in averaged[0]}
    write_json(out, report | models)


def by_name(folders: Iterable[Path]) -> dict[str, Path]:
    """Models by the last two parts of their folders, such as ``synsem-13``.

    Raises SynsemError where two have the same.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        name = "-".join(folder.resolve().parts[-2:])
        if name in found:
            raise SynsemError(f"{found[name]} and {folder}: both are called {name} in the report; rename one")
        found[name] = folder
    return found


def report_each(folders: Iterable[Path], out: Path, measure: Callable[[System], object]) -> None:
    """Print what ``measure`` finds of each trained model, and write all as JSON, by the models' names."""
    report = {}
    for name, folder in by_name(folders).items():
        report[name] = measure(registry.trained(System, folder, "models"))
        print(name, report[name], flush=True)
    write_json(out, report)


def vectors(model: base.Embedder, texts: Iterable[str]) -> base.Views:
    """The views of texts."""
    return model.embed([Side(text, (), ()) for text in texts])


def precision(golds: NDArray[np.float64], first: base.Views, second: base.Views) -> Figures:
    """Average precision in points by the joint and the structural vectors of pairs of texts."""
    return {
        view: round(average_precision(golds, cosines(first[view], second[view])), 2)
        for view in ("joint", "structural")
    }


def test_pairs(data: Path) -> dict[str, Texts]:
    """Two texts and their gold score or label of each pair of the test sets and the blind contrast sets."""
    sets: dict[str, Texts] = {f"{task}.test": [] for task in TESTS}
    for row in read(data / "benchmarks").to_pylist():
        name = f"{row['task']}.{row['split']}"
        if name in sets:
            sets[name].append((row["a"], row["b"], gold(row)))
    paws = sets["paws-wiki.test"]
    for part, chosen in unread_parts("paws-wiki", [(a, b) for a, b, _ in paws], np.arange(len(paws))).items():
        sets[f"paws-wiki.test_{part}"] = [paws[row] for row in chosen]
    return sets | contrast_pairs(("contrast", *PHENOMENA_OF))


def measured(model: base.Embedder, sets: dict[str, Texts]) -> dict[str, Figures]:
    """Figures of each view that a model has, and of what its views give together."""
    cache = EmbeddingCache(model)
    report: dict[str, Figures] = defaultdict(dict)
    for name, pairs in sets.items():
        a, b = [Side(one, (), ()) for one, _, _ in pairs], [Side(other, (), ()) for _, other, _ in pairs]
        first, second, late = cache.pairs(a, b)
        scores = {view: cosines(first[view], second[view]) for view in first if view != "joint"}
        if isinstance(model, System):
            grown = [growth(side, model.params.weight) for side in (first, second)]
            for squared in SQUARED_WEIGHTS:
                scores[f"joint, {squared}"] = joint_cosines(
                    scores["semantic"], scores["structural"], *(squared**0.5 * each for each in grown)
                )
        if late is not None:
            scores["late"] = late.astype(np.float64)
        golds = np.array([gold for *_, gold in pairs])
        for view, similarity in scores.items():
            report[view][name] = figure(name, golds, similarity)
            if name in PHENOMENA_OF:
                report[view] |= _by_phenomenon(name, similarity)
    return dict(report)


def sharing(model: System, untouched: System, known: dict[bytes, Layers]) -> System:
    """The model, whose backbone reads no batch that is ``known``, and adds what it reads.

    Raises SynsemError where its backbone is not the untouched one, which all models have to share.
    """
    own, shared = (each.semantic.state_dict() for each in (model, untouched))
    if own.keys() != shared.keys() or not all(torch.equal(own[name], shared[name]) for name in own):
        raise SynsemError("a model has another backbone than params.yaml names; measure it by itself")
    encoder, reads = model.semantic, model.heads.sizes.reads
    compute = encoder.layers

    def layers(tokens: Tokens) -> Layers:
        key = hashlib.sha256(tokens.ids.numpy().tobytes() + repr((tokens.ids.shape, reads)).encode()).digest()
        if key not in known:
            found = compute(tokens)
            known[key] = {reads: found[reads], -1: found[-1]}
        return known[key]

    encoder.layers = layers  # type: ignore[method-assign, assignment]
    return model


def growth(views: base.Views, weight: float) -> NDArray[np.float64]:
    """How many times ``weight`` the structural part of each joint vector weighs, float64 [n]."""
    width = views["semantic"].shape[1]
    joint = views["joint"].astype(np.float64)
    return np.linalg.norm(joint[:, width:], axis=1) / np.linalg.norm(joint[:, :width], axis=1) / weight


def joint_cosines(
    semantic: NDArray[np.float64],
    structural: NDArray[np.float64],
    a: NDArray[np.float64],
    b: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Of pairs of vectors [s; w v], with the weights w of either side; all float64 [n]."""
    return np.round((semantic + a * b * structural) / np.sqrt((1 + a**2) * (1 + b**2)), COSINE_DIGITS)


def _by_phenomenon(task: str, similarity: NDArray[np.floating]) -> Figures:
    """Average precision of each phenomenon of a contrast set, and of either part of the later blind sets."""
    pairs = contrast_set(task)
    phenomena = np.array([each.phenomenon for each in pairs])
    same = np.array([float(each.meaning == "same") for each in pairs])
    groups = {name: [name] for name in sorted(set(phenomena))}
    groups |= {part: list(names) for part, names in PARTS.get(task, {}).items()}
    return {
        f"{task}.{name}": round(average_precision(same[own], similarity[own]), 2)
        for name, some in groups.items()
        for own in [np.isin(phenomena, some)]
    }


if __name__ == "__main__":
    main()
