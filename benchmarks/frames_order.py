"""Whether frames have their content words in the order that trees of their sentences would give them.

    python benchmarks/frames_order.py

``synsem`` learns which word follows which from trees and from frames. Where a frame has another order than
the tree of any of its ways, the two teach opposite things. So sentences of every frame are drawn and parsed
by spaCy. A sentence agrees as far as pairs of its words stand in the same order in the frame and in the role
order of the tree. A frame agrees as its best sentence does: of two converses, *lend* and *borrow*, one alone
can. Writes ``reports/controls/frames-order.json``: of all frames with an order, and of each family, their
number, the mean agreement and the share that agrees wholly, per cent.
"""

import argparse
from collections import defaultdict
from itertools import combinations
from pathlib import Path

from pipeline.core.seeding import stable_hash
from pipeline.core.store import write_json
from pipeline.mining.inputs import Row
from pipeline.syntax.frames.drawing import Draw
from pipeline.syntax.role_order import role_order
from pipeline.syntax.sentence import Side
from pipeline.systems.synsem.alternations.drawn import alternations, sides_of
from synsem import parse


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--triplets", type=int, default=4, help="drawn of each frame")
    parser.add_argument("--out", type=Path, default=Path("reports/controls/frames-order.json"))
    options = parser.parse_args()
    if options.triplets < 1:
        parser.error("--triplets: at least one")
    found: dict[str, list[float]] = defaultdict(list)
    for number, alternation in enumerate(alternations()):
        if alternation.order is None:
            continue
        draw = Draw(stable_hash(11, alternation.name, str(number)), "order")
        drawn = [sides_of(alternation, draw)[:2] for _ in range(options.triplets)]
        best = max(agreement(row) for rows in drawn for row in rows)
        found["all"].append(best)
        found[alternation.name].append(best)
    report = {name: summary(each) for name, each in found.items()}
    print("all", report["all"])
    write_json(options.out, report)


def summary(of: list[float]) -> dict[str, float]:
    """Number, mean, and how many per cent are 1."""
    agree = sum(each == 1 for each in of)
    return {
        "frames": len(of),
        "agreement": round(100 * sum(of) / len(of), 1),
        "wholly": round(100 * agree / len(of), 1),
    }


def agreement(row: Row) -> float:
    """Which share of the pairs of words has one order in the frame and in the tree of the sentence."""
    side = Side.from_row(row)
    framed = [side.words[place].lower() for place in role_order(side)]
    read = [each.words[place].lower() for each in parse(side.text) for place in role_order(each)]
    once = [word for word in framed if framed.count(word) == read.count(word) == 1]
    same = [read.index(one) < read.index(two) for one, two in combinations(once, 2)]
    return sum(same) / len(same) if same else 1.0


if __name__ == "__main__":
    main()
