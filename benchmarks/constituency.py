"""How good derived constituents are: PARSEVAL against the gold trees of the Penn Treebank sample.

    python benchmarks/constituency.py path/to/mirror              # gold dependencies
    python benchmarks/constituency.py path/to/mirror --parse      # spaCy's too, turned to UD by the pipeline

The mirror has NLTK's ``treebank.zip`` and ``dependency_treebank.zip``: the same 3,914 sentences in
brackets, and as word, tag and head. The rules were written on files 1 to 99, none on 100 to 199. Scores are
sums over sentences, counted as ``evalb`` does (``pipeline.syntax.constituency.parseval``).
"""

import argparse
import dataclasses
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from pipeline.core.store import write_json
from pipeline.syntax.constituency import Tree, derive, parseval
from pipeline.syntax.constituency.brackets import read_all
from pipeline.syntax.constituency.penn import PennTree
from pipeline.syntax.constituency.tree import leaves
from pipeline.syntax.sentence import HasTree, Sentence, Side
from pipeline.syntax.tree import projective

ZIPS = "raw.githubusercontent.com/nltk/nltk_data/*/packages/corpora/{}.zip"
PARTS = {"files 1-99": range(1, 100), "files 100-199": range(100, 200), "all": range(1, 200)}
ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}"}


class Item(NamedTuple):
    """A sentence of the sample."""

    file: int
    gold: Tree
    dependencies: Side  # unlabelled, with Penn's heads and tags


def sample(mirror: Path) -> Iterator[Item]:
    trees, heads = (next(mirror.glob(ZIPS.format(name))) for name in ("treebank", "dependency_treebank"))
    with zipfile.ZipFile(trees) as brackets, zipfile.ZipFile(heads) as columns:
        for number in range(1, 200):
            text = brackets.read(f"treebank/combined/wsj_{number:04d}.mrg").decode("ascii")
            rows = columns.read(f"dependency_treebank/wsj_{number:04d}.dp").decode("latin-1")
            for tree, block in zip(read_all(text), rows.strip().split("\n\n"), strict=True):
                side = dependencies([line.split("\t") for line in block.splitlines() if line.strip()])
                if [leaf.word for leaf in leaves(tree)] != list(side.words):
                    raise SystemExit(f"wsj_{number:04d}: the two files do not have the same words")
                yield Item(number, tree, side)


def dependencies(rows: list[list[str]]) -> Side:
    words, tags, heads = ([row[column] for row in rows] for column in range(3))
    found = [int(head) for head in heads]
    root = found.index(0) + 1  # a few sentences have several: the first stays
    found = [root if head == 0 and word != root else head for word, head in enumerate(found, 1)]
    return Side(" ".join(words), words, found, xpos=tags)


def parsed(items: list[Item]) -> list[Sentence]:
    """spaCy's trees of the same words, in UD."""
    from pipeline.params import load
    from pipeline.parsing import registry
    from pipeline.parsing.registry import Passage
    from pipeline.parsing.repair import repair

    params = load(Path(__file__).parent.parent / "params.yaml", "parse").parse
    passages = []
    for item in items:
        words = tuple(ESCAPES.get(word, word) for word in item.dependencies.words)
        passages.append(Passage(" ".join(words), "en", words=words))
    found = registry.load(params, "en").parse(passages)
    return [repair(sentences[0])[0] for sentences in found]


def phrase_a_head(sentence: HasTree) -> Tree:
    """A baseline without rules: one ``NP`` over each word that has dependents."""
    penn = PennTree(sentence.words, sentence.xpos, projective(sentence.heads))
    for word in reversed(penn.top_down()):
        before, after = penn.sides(word)
        if before or after:
            trees = [penn.phrases[each] for each in before], [penn.phrases[each] for each in after]
            penn.phrases[word] = Tree("NP", (*trees[0], penn.own(word), *trees[1]))
    whole = penn.phrases[penn.root]
    return whole if whole.children else Tree("NP", (whole,))


def report(
    name: str, items: list[Item], sentences: list[HasTree], tree: Callable[[HasTree], Tree]
) -> dict[str, dict[str, float]]:
    """Print the scores of each part, and give them."""
    report: dict[str, dict[str, float]] = {}
    start = time.process_time()
    found = [tree(sentence) for sentence in sentences]
    each = 1000 * (time.process_time() - start) / len(found)
    for part, files in PARTS.items():
        pairs = [(item.gold, guess) for item, guess in zip(items, found, strict=True) if item.file in files]
        scores = parseval.total(pairs)
        print(
            f"{name:38} {part:14} {scores.sentences:5} {scores.unlabelled_f1:10.2f} {scores.precision:8.2f} "
            f"{scores.recall:8.2f} {scores.labelled_f1:8.2f} {scores.top_accuracy:8.2f} "
            f"{100 * scores.exact / scores.sentences:8.2f} {each:8.2f}"
        )
        report[part] = {
            "sentences": scores.sentences,
            "unlabelled_f1": round(scores.unlabelled_f1, 2),
            "precision": round(scores.precision, 2),
            "recall": round(scores.recall, 2),
            "labelled_f1": round(scores.labelled_f1, 2),
            "top_accuracy": round(scores.top_accuracy, 2),
            "exact": round(100 * scores.exact / scores.sentences, 2),
        }
    return report


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--parse", action="store_true", help="also from spaCy's trees (some 20 s)")
    parser.add_argument("--out", type=Path, help="a JSON file of the scores")
    options = parser.parse_args()
    items = list(sample(options.mirror))
    gold = [item.dependencies for item in items]
    print(
        f"{'from':38} {'part':14} {'sents':>5} {'unlab. F1':>10} {'lab. P':>8} {'lab. R':>8} {'lab. F1':>8} "
        f"{'top acc.':>8} {'exact':>8} {'ms each':>8}"
    )
    found = {
        "gold heads and tags": report("gold heads and tags", items, [*gold], derive),
        "gold heads, a phrase a head": report("gold heads, a phrase a head", items, [*gold], phrase_a_head),
    }
    if options.parse:
        sentences = parsed(items)
        found["spaCy in UD"] = report("spaCy in UD", items, [*sentences], derive)
        untagged = [dataclasses.replace(each, xpos=("",) * len(each)) for each in sentences]
        name = "spaCy in UD, tags from UPOS and feats"
        found[name] = report(name, items, [*untagged], derive)
    if options.out:
        write_json(options.out, found)


if __name__ == "__main__":
    main()
