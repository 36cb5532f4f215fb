"""A trained ``synsem`` with links of a parser's trees in place of its own: what it has learnt beyond them.

    python benchmarks/parser_links.py pretrained   # needs data/ as PROFILE=mirror has it

The network, its word features and its binding are the same; only gates and pointers are those that the trees
of the sentences give. Average precision, for STS-B Spearman, on development data, by each view and by late
interaction; ``blind`` is the mean of the six blind sets that have been read. Writes
``reports/controls/parser-links.json``.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from judged_pairs import READ_BEFORE, Texts, development_and_blind, trees

from pipeline.core.metrics import average_precision, cosines, spearman
from pipeline.core.store import write_json
from pipeline.nn.inference import Rows, evaluation_mode
from pipeline.nn.tokenizer import Tokens
from pipeline.pretrained import named
from pipeline.syntax.sentence import HasTree, Sentence
from pipeline.systems import registry
from pipeline.systems.synsem.heads import Pointed
from pipeline.systems.synsem.model import System
from pipeline.systems.synsem.reading import Reading
from pipeline.systems.synsem.words import ReadSentence, read

SURE = 30.0  # a logit as good as infinite


class ByTrees(System):
    """Reads who follows whom off the sentences' trees."""

    def _readings(self, sentences: Sequence[HasTree]) -> Iterator[tuple[Rows, Reading, list[int]]]:
        texts = read(self.tokenizer, sentences, "tree")
        with evaluation_mode(self):
            for numbers in self._groups(texts):
                some, tokens = self._batch(texts, numbers)
                yield numbers, self.read_tokens(tokens, some), [each.size for each in some]

    def _pointed(self, tokens: Tokens, states: torch.Tensor, texts: Sequence[ReadSentence]) -> Pointed:
        learnt = super()._pointed(tokens, states, texts)
        gates = torch.full_like(learnt.gates, -SURE)
        successors = torch.full_like(learnt.successors, -SURE)
        for row, each in enumerate(texts):
            assert each.links is not None
            gates[row, np.flatnonzero(each.links.content)] = SURE
            # NONE is -1, which is the last column.
            successors[row, range(each.size), each.links.successors] = SURE
        return Pointed(gates, successors)


def scores(
    model: System, sets: Mapping[str, Texts], known: Mapping[str, Sentence]
) -> dict[str, dict[str, float]]:
    """Of each view and of late interaction, by set."""
    found: dict[str, dict[str, float]] = {}
    for name, pairs in sets.items():
        gold = np.array([each for *_, each in pairs])
        measure = spearman if name.startswith("stsb") else average_precision
        a, b = [known[text] for text, _, _ in pairs], [known[text] for _, text, _ in pairs]
        first, second = model.embed(a), model.embed(b)
        similarities = {view: cosines(first[view], second[view]) for view in first}
        for view, alike in (similarities | {"late": model.late_scores(a, b)}).items():
            found.setdefault(view, {})[name] = measure(gold, alike)
    for values in found.values():
        blind = [values.pop(name) for name in READ_BEFORE]
        values["blind"] = sum(blind) / len(blind)
    return {view: {name: round(value, 2) for name, value in values.items()} for view, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--out", type=Path, default=Path("reports/controls/parser-links.json"))
    options = parser.parse_args()
    sets = development_and_blind(options.data)
    known = trees(options.data)
    model = registry.trained(System, named(options.model), "models")
    report = {"its own": scores(model, sets, known)}
    model.__class__ = ByTrees
    report["of the parser's trees"] = scores(model, sets, known)
    for links, values in report.items():
        print(links, values)
    write_json(options.out, report)


if __name__ == "__main__":
    main()
