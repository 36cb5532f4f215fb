"""The tables of what was measured on a GPU show what reports/gpu holds."""

import statistics
from collections.abc import Iterator
from typing import Any

from measured import Row, complaints, measured, over, page

SPEED, SEMANTIC = "reports/gpu/speed.json", "reports/gpu/semantic.json"
SHAPES, STRUCTURAL = "reports/gpu/shapes.json", "reports/gpu/structural.json"
BESIDE = "reports/gpu/beside.json"
WIKIPEDIA = "reports/gpu/wikipedia.json"
COLUMNS = ("paws-wiki.dev", "stsb.dev", "qqp.dev", "contrast", "contrast_dev")
# The rows of the lab book: the first words, the part's name in the file, and the squared weight.
PARTS = [
    ("the backbone's", "backbone", 0.16),
    ("four layers without positions", "A", 0),
    ("... with structure", "A", 0.05),
    ("... with structure", "A", 0.16),
    ("... all six layers", "D", 0.16),
    ("... four, and function words", "B", 0.16),
    ("the copy of layers 3 to 6", "E", 0.16),
    ("that copy, taught to round", "S1", 0.16),
    ("all layers, above 0.85", "S2", 0.12),
    ("...", "S2", 0.16),
]


def encoding() -> Iterator[Row]:
    found: dict[str, Any] = measured(SPEED)["results"]["encode 256"]
    names = {
        "sentence-transformers": "sentence-transformers",
        "ours, the backbone": "backbone",
        "ours, `synsem`, all views": "synsem",
    }
    for label, name in names.items():
        yield label, [[found[each]["sentences_per_second"]] for each in (name, f"{name} fp16")]


def steps() -> Iterator[Row]:
    for size in (32, 64, 256, 1024, 4096):
        found = measured(SPEED)["results"][f"step {size}"]
        keys = ("step_seconds", "examples_per_second", "tokens_per_second")
        values = [[found[key]] for key in keys]
        yield f"{size:,}", [*values, [found["peak_memory_mb"] / 1000]]


def semantic_parts() -> Iterator[Row]:
    file = measured(SEMANTIC)
    for label, name, weight in PARTS:
        place = file["squared_weights"].index(weight)
        metrics = {key: values[place] for key, values in file["results"][name]["metrics"].items()}
        own = [metrics[key] for key in ("paws.dev", "stsb.dev", "qqp.dev", "contrast", "contrast_dev")]
        blind = statistics.mean(value for key, value in metrics.items() if key.startswith("contrast_blind"))
        yield label, [[weight], *([value] for value in (*own, blind))]


def plans() -> Iterator[Row]:
    found = measured(SHAPES)
    again = {(each["size"], each["readers"]): each for each in found["shapes met before"] if "mean" in each}
    for each in sorted(found["new shapes"], key=lambda each: each["size"]):
        known = [again.get((each["size"], readers)) for readers in (2, 8)]
        yield str(each["size"]), [[each["mean"]], *(one and [one["mean"]] for one in known)]


def structural() -> Iterator[Row]:
    found: dict[str, Any] = measured(STRUCTURAL)["results"]
    short = [f"short {seed}" for seed in range(13, 18)]
    for label, names in {
        "as built": ["as on a CPU"],
        "5,000 steps of 64": ["long"],
        "1,100 steps of 64, five seeds": short,
        "... its control": ["short, order of the text 13"],
    }.items():
        for first, view in ((label, "structural"), ("... joint", "joint")):
            runs = [found[name]["metrics"] for name in names]
            values = [over([run[column][view]] for run in runs) for column in COLUMNS]
            blind = over(
                [statistics.mean(run[name][view] for name in run if name.startswith("contrast_blind"))]
                for run in runs
            )
            yield first, [[found[names[0]]["examples_read"]], *values, blind]


def beside() -> Iterator[Row]:
    found: dict[str, Any] = measured(BESIDE)["results"]
    columns = (
        "contrast_dev", "contrast_dev after", "contrast_dev before", "contrast", "blind",
        "paws-wiki", "paws-wiki several", "qqp", "qqp several",
    )  # fmt: skip
    for label, name in {"alone": "alone", "a fifth": "beside another"}.items():
        runs = [found[f"{name} {seed}"]["metrics"] for seed in range(13, 17)]
        yield label, [over([run[column]["joint"]] for run in runs) for column in columns]


def of_wikipedia() -> Iterator[Row]:
    found: dict[str, Any] = measured(WIKIPEDIA)["results"]
    forms = {
        "7,200 steps of 8": (57_600, [13]),
        "5,000 steps of 64": (320_000, range(13, 18)),
        "10,000 steps of 64": (640_000, range(13, 16)),
    }
    for name, (read, seeds) in forms.items():
        runs = [found[f"{name}, {seed}"]["metrics"] for seed in seeds]
        for label, view in ((name, "structural"), ("... joint", "joint, 0.16")):
            columns = ("paws.dev", "stsb.dev", "qqp.dev", "contrast", "contrast_dev")
            values = [over([run[column][view]] for run in runs) for column in columns]
            blind = over(
                [statistics.mean(run[name][view] for name in run if name.startswith("contrast_blind"))]
                for run in runs
            )
            yield label, [[read], *values, blind]


def test_the_page_on_a_gpu_shows_what_was_measured_there() -> None:
    name = "docs/gpu.md"
    assert complaints(name, ("", "float32", "float16"), encoding, SPEED) == []
    assert complaints(name, ("examples a step", "seconds a step"), steps, SPEED) == []
    assert complaints(name, ("examples a step", "new shapes, a thread reads"), plans, SHAPES) == []


def test_the_page_on_performance_has_the_ratios_measured_there() -> None:
    found = measured(SPEED)["results"]["encode 256"]
    peer = found["sentence-transformers"]["sentences_per_second"]
    (shown,) = [each for each in page("docs/performance.md").split("\n\n") if each.startswith("On one H100")]
    for name in ("backbone", "synsem"):
        assert f" {found[name]['sentences_per_second'] / peer:.2f} times" in shown


def test_the_lab_book_shows_the_semantic_parts_that_were_trained_there() -> None:
    assert complaints("docs/experiments.md", ("semantic part, more text",), semantic_parts, SEMANTIC) == []


def test_the_lab_book_shows_what_another_sentence_beside_gave_there() -> None:
    assert complaints("docs/experiments.md", ("at length, on one H200",), beside, BESIDE) == []


def test_the_lab_book_shows_what_twice_the_steps_gave_there() -> None:
    assert complaints("docs/experiments.md", ("of Wikipedia alone",), of_wikipedia, WIKIPEDIA) == []


def test_the_lab_book_shows_what_more_examples_gave_there() -> None:
    assert complaints("docs/experiments.md", ("on one H100",), structural, STRUCTURAL) == []
