"""Ten sentences, each with one of the same meaning and one of another: which of the two is nearer?

    python benchmarks/ten_sentences.py models/synsem/13

Cosines by the plain encoder and by the joint vector of a model, for the table of docs/synsem.md. Writes
``reports/controls/ten-sentences.json``.
"""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.core.metrics import cosines
from pipeline.core.store import write_json
from pipeline.syntax.sentence import Side
from pipeline.systems import registry

# Written before there were alternations; none was left out since.
SENTENCES = (
    (
        "The teacher praised the student.",
        "The student was praised by the teacher.",
        "The teacher was praised by the student.",
    ),
    (
        "Anna sold her brother the old piano.",
        "The old piano was sold to Anna's brother by Anna.",
        "Her brother sold Anna the old piano.",
    ),
    (
        "It was the lawyer who accused the mayor.",
        "The lawyer accused the mayor.",
        "The mayor accused the lawyer.",
    ),
    (
        "The dog that bit the postman ran away.",
        "The dog ran away that bit the postman.",
        "The dog that the postman bit ran away.",
    ),
    ("Peter and Paul visited Mary.", "Paul and Peter visited Mary.", "Mary and Paul visited Peter."),
    (
        "The king's doctor met the queen.",
        "The doctor of the king met the queen.",
        "The king met the queen's doctor.",
    ),
    ("Whom did the committee elect?", "Who was elected by the committee?", "Who elected the committee?"),
    ("She drove from Oslo to Rome.", "She drove to Rome from Oslo.", "She drove from Rome to Oslo."),
    ("He ate before he slept.", "Before he slept, he ate.", "He slept before he ate."),
    (
        "The red car is faster than the blue car.",
        "The blue car is slower than the red car.",
        "The blue car is faster than the red car.",
    ),
)


def main(
    model: Annotated[Path, typer.Argument(help="A trained model's folder.")],
    out: Path = Path("reports/controls/ten-sentences.json"),
) -> None:
    """Print and write the cosines with the same meaning and with the other one."""
    system = registry.load(model)
    views = system.embed([Side(text, (), ()) for texts in SENTENCES for text in texts])
    report = {}
    for name, view in (("plain encoder", "semantic"), ("joint", "joint")):
        first, same, other = (views[view][place::3] for place in range(3))
        both = zip(cosines(first, same), cosines(first, other), strict=True)
        report[name] = [[round(float(value), 3) for value in pair] for pair in both]
        print(f"{name}: {sum(a > b for a, b in report[name])} of {len(SENTENCES)} right")
    write_json(out, report | {"sentences": [texts[0] for texts in SENTENCES]})


if __name__ == "__main__":
    typer.run(main)
