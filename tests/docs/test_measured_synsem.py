"""The tables on ``synsem``, of its page, README and the contrast sets, show what reports/controls holds."""

import math
import re
import statistics
from collections.abc import Callable, Iterator

import pytest
from measured import (
    CONTROLS,
    JOINT,
    MIRROR_BEFORE,
    SEEDS,
    Row,
    Table,
    Values,
    at,
    complaints,
    differences,
    measured,
    of_pipeline,
    of_views,
    over,
    page,
)

from benchmarks.contrast_sets.recipes import PARTS
from pipeline.pretrained import HOME
from pipeline.systems import registry
from pipeline.systems.synsem.alternations.drawn import alternations
from pipeline.systems.synsem.chain import read_words

TESTS = f"{CONTROLS}/synsem-tests.json"
# Of the same form, trained for fewer steps on alternations of 1,190 frames, links reaching farther.
LESS = f"{CONTROLS}/synsem-1190-frames-tests.json"
# Trained before, on examples whose rewrites were mended since; the first reading of the sixth blind set.
SIXTH = f"{CONTROLS}/synsem-blind-6.json"
# Trained on alternations of 777 frames, and of 95; and their controls.
MIDDLE = f"{CONTROLS}/synsem-777-frames-tests.json"
FEWER = f"{CONTROLS}/synsem-95-frames-tests.json"
# Of the reader whose links were not evened, and its controls.
UNEVEN = f"{CONTROLS}/synsem-uneven-tests.json"
# Of the whole network trained.
BEFORE = f"{CONTROLS}/synsem-whole-network-tests.json"
FOURTH_BEFORE = f"{CONTROLS}/synsem-blind-4.json"
FIRST_FORM = f"{CONTROLS}/synsem-linear-tests.json"
BLIND = ("contrast_blind", "contrast_blind_2")
TEST_COLUMNS = ("paws-wiki.test", "paws-wiki.test_unread", "stsb.test", "sts", "qqp.test", *BLIND)
PAIRS = ("paws.test.ap", "paws.test_unread.ap", "stsb.test.spearman", "sts", "qqp.test.ap")


OTHER_CONTROLS = (
    ("links of trees of other sentences", "other"),
    ("links of trees of shuffled words", "shuffled"),
    ("links alone, no contrast", "links-alone"),
)


# Neither links nor gates are learnt but by the contrast.
NO_LINKS = f"{CONTROLS}/synsem-no-links-tests.json"
# The trained model that comes with the code.
OWN, OWN_RUN = f"{CONTROLS}/pretrained.json", "models-pretrained"
# Trained at length on a GPU, each example in five beside another sentence; with controls from three seeds.
LONG = f"{CONTROLS}/synsem-long-tests.json"
# The same on text of Wikipedia alone; one of them is the trained model that comes with the code.
WIKIPEDIA = f"{CONTROLS}/synsem-wikipedia-tests.json"


def with_trees(view: str) -> list[Values]:
    """The backbone with what it read off spaCy's trees before, in the columns of the test table."""
    blind = [
        of_pipeline(f"{CONTROLS}/contrast-blind/backbone{ending}.json", view, [f"{task}.all.ap"])[0]
        for task, ending in zip(BLIND, ("", "-2"), strict=True)
    ]
    return [*of_pipeline(f"{MIRROR_BEFORE}/backbone.json", view, PAIRS), *blind]


def rows_of(path: str, columns: tuple[str, ...]) -> Callable[..., Row]:
    """Makes rows of a label, a run and a view; ``path`` is the file unless another is given."""

    def row(label: str, run: str, view: str, path: str = path) -> Row:
        return label, of_views(path, run, view, columns)

    return row


UNREAD = TEST_COLUMNS.index("paws-wiki.test_unread") + 1
NEW_COLUMNS = (
    *TEST_COLUMNS[:UNREAD], "paws-wiki.test_apart", *TEST_COLUMNS[UNREAD:],
    "contrast_blind_3", "contrast_blind_4", "contrast_blind_5", "contrast_blind_6",
)  # fmt: skip
ALL_COLUMNS = (*NEW_COLUMNS, "contrast_blind_7")
BY_TREES = f"{CONTROLS}/backbone-by-trees.json"


def of_spacy(view: str) -> list[Values]:
    """The backbone with what it reads off spaCy's trees now, in the columns of the present form."""
    paws, others = PAIRS[:UNREAD], PAIRS[UNREAD:]
    blind = [f"contrast_blind{ending}.all.ap" for ending in ("", *(f"_{n}" for n in range(2, 8)))]
    return of_pipeline(BY_TREES, view, [*paws, "paws.test_apart.ap", *others, *blind])


def vectors(row: Callable[..., Row]) -> Iterator[Row]:
    """What every form's table of test sets has of vectors."""
    yield row("structural alone", "synsem", "structural")
    yield row("**joint**", "synsem", JOINT)
    yield row("... squared weight 0.1 ", "synsem", "joint, 0.1")


def controls(row: Callable[..., Row]) -> Iterator[Row]:
    """What stands beside the joint vector of a form."""
    yield row("... heads that learnt nothing", "untrained heads", JOINT)
    yield row("... **the control**", "surface", JOINT)
    for label, run in OTHER_CONTROLS:
        yield row(f"... a control: {label}", run, JOINT)


def sets_read_once() -> Iterator[Row]:
    row, less = rows_of(TESTS, ALL_COLUMNS), rows_of(LESS, ALL_COLUMNS)
    first, middle = rows_of(SIXTH, ALL_COLUMNS), rows_of(MIDDLE, ALL_COLUMNS)
    yield row("backbone", "backbone", "semantic")
    yield from vectors(row)
    yield row("... 0.3", "synsem", "joint, 0.3")
    yield row("... heads that learnt nothing", "untrained heads", JOINT)
    yield row("... **the control**", "surface", JOINT)
    yield row("... **a control**: links of trees of other sentences", "other", JOINT)
    yield row("... **a control**: no links", "no-links", JOINT, NO_LINKS)
    yield row("late interaction", "synsem", "late")
    yield row("... the control", "surface", "late")
    yield row("... a control: links of trees of other sentences", "other", "late")
    yield "for comparison", of_spacy("joint")
    yield "... late interaction", of_spacy("late")
    yield less("**1,190 frames**", "synsem", JOINT)
    yield less("... **the control**", "surface", JOINT)
    yield less("... **a control**: links of trees of other sentences", "other", JOINT)
    yield less("... late interaction", "synsem", "late")
    yield first("**before rewrites were mended**", "synsem", JOINT)
    yield first("... late interaction", "synsem", "late")
    yield middle("**alternations of 777 frames**", "synsem", JOINT)
    yield middle("... late interaction", "synsem", "late")


def long_form() -> Iterator[Row]:
    columns = (*(each for each in ALL_COLUMNS if each != "paws-wiki.test_apart"), "contrast_blind_8")
    row, shorter, one_kind = (rows_of(path, columns) for path in (LONG, TESTS, WIKIPEDIA))
    yield row("backbone", "backbone", "semantic")
    yield from vectors(row)
    yield row("... 0.3", "synsem", "joint, 0.3")
    yield row("... heads that learnt nothing", "untrained heads", JOINT)
    for label, run in (("**the control**", "surface"), ("**a control**", "other")):
        yield row(f"{label}: links", run, JOINT)
        yield row("... structural alone", run, "structural")
    yield row("late interaction", "synsem", "late")
    yield row("... the control", "surface", "late")
    yield row("... a control", "other", "late")
    yield one_kind("**of Wikipedia's text alone**", "synsem", JOINT)
    yield one_kind("... structural alone", "synsem", "structural")
    yield one_kind("... late interaction", "synsem", "late")
    yield shorter("for comparison: 7,200 steps", "synsem", JOINT)
    yield shorter("... its control", "surface", JOINT)
    yield shorter("... links of trees", "other", JOINT)


def frames_before() -> Iterator[Row]:
    """The same form, trained on fewer frames."""
    middle, fewer = rows_of(MIDDLE, NEW_COLUMNS[:-1]), rows_of(FEWER, NEW_COLUMNS[:-1])
    yield middle("**777 frames**", "synsem", JOINT)
    yield middle("... **the control**", "surface", JOINT)
    yield middle("... a control: links of trees of other sentences", "other", JOINT)
    yield middle("... late interaction", "synsem", "late")
    yield middle("... the control", "surface", "late")
    yield fewer("**95 frames**", "synsem", JOINT)
    yield fewer("... **the control**", "surface", JOINT)
    for label, run in OTHER_CONTROLS:
        yield fewer(f"... a control: {label}", run, JOINT)
    yield fewer("... late interaction", "synsem", "late")
    yield fewer("... the control", "surface", "late")


def forms_before() -> Iterator[Row]:
    """The reader whose links are not evened, and the whole network, on all sets that they have read."""
    row = rows_of(UNEVEN, NEW_COLUMNS[:-2])
    yield row("a reader, links not evened", "synsem", JOINT)
    yield row("... late interaction", "synsem", "late")
    for label, view in (("the whole network", JOINT), ("... late interaction", "late")):
        further = [
            over(at(measured(path), f"synsem-{seed}", view, column) for seed in SEEDS)
            for path, column in ((THIRD, "contrast_blind_3"), (FOURTH_BEFORE, "contrast_blind_4"))
        ]
        known = of_views(BEFORE, "synsem", view, TEST_COLUMNS)
        yield label, [*known[:UNREAD], None, *known[UNREAD:], *further]


def what_the_tree_gives() -> Iterator[Row]:
    """Differences from the controls of the same seeds."""
    columns = ("paws-wiki.test", "paws-wiki.test_unread", "paws-wiki.test_apart", *NEW_COLUMNS[-6:-2])
    data = measured(FEWER)
    for label, view in (("joint", JOINT), ("late interaction", "late")):
        for other, control in (("the order of the text", "surface"), ("other sentences' trees", "other")):
            found = [
                [[data[f"{run}-{seed}"][view][column] for seed in SEEDS] for run in ("synsem", control)]
                for column in columns
            ]
            yield f"{label}, less {other}", [differences(*each) for each in found]


def whole_test_sets() -> Iterator[Row]:
    row = rows_of(BEFORE, TEST_COLUMNS)
    yield row("backbone", "backbone", "semantic")
    yield row("semantic", "synsem", "semantic")
    yield from vectors(row)
    yield from controls(row)
    yield row("... without alternations", "no-alternations-13", JOINT)
    yield row("late interaction", "synsem", "late")
    yield row("... the control", "surface", "late")
    yield row("... without alternations", "no-alternations-13", "late")
    yield "for comparison", with_trees("joint")
    yield "... late interaction", with_trees("late")
    yield row("`simcse`, 1,800 steps", "simcse-13", "semantic")
    simcse = of_pipeline(f"{MIRROR_BEFORE}/simcse-13.json", "semantic", PAIRS)
    yield "`simcse`, 60 steps", [*simcse, None, None]
    yield row("**the first form**", "synsem", JOINT, FIRST_FORM)
    yield row("... links in the order of the text", "surface", JOINT, FIRST_FORM)
    yield row("... links of trees of other", "other", JOINT, FIRST_FORM)
    yield row("... links of trees of shuffled", "shuffled", JOINT, FIRST_FORM)
    yield row("... late interaction", "synsem", "late", FIRST_FORM)


DEVELOPMENT = f"{CONTROLS}/synsem-development.json"
FEWER_DEVELOPMENT = f"{CONTROLS}/synsem-95-frames-development.json"
UNEVEN_DEVELOPMENT = f"{CONTROLS}/synsem-uneven-development.json"
DEVELOPMENT_BEFORE = f"{CONTROLS}/synsem-whole-network-development.json"
FURTHER_DEVELOPMENT = f"{CONTROLS}/synsem-further-development.json"
FIRST_DEVELOPMENT = f"{CONTROLS}/synsem-linear-development.json"
DEV_COLUMNS = ("paws.dev", "stsb.dev", "qqp.dev", "contrast", "contrast_dev")


def development_sets() -> Iterator[Row]:
    row = rows_of(DEVELOPMENT, DEV_COLUMNS)
    yield row("backbone", "backbone", "semantic")
    yield row("**`synsem`**, seed 13: structural", "synsem-13", "structural")
    for squared in ("0.05", "0.1", "0.16", "0.2"):
        label = {"0.05": "joint, squared weight 0.05", "0.16": "... **0.16"}.get(squared, f"... {squared}")
        yield row(label, "synsem-13", f"joint, {squared}")
    yield row("late interaction", "synsem-13", "late")
    for label, run, path in (
        ("**alternations of 95 frames**", "synsem-13", FEWER_DEVELOPMENT),
        ("... **its control**", "surface", FEWER_DEVELOPMENT),
        ("... a control: links of trees of other sentences", "other", FEWER_DEVELOPMENT),
        ("**links not evened**", "synsem-13", UNEVEN_DEVELOPMENT),
        ("... a reader of one layer", "one-layer-13", UNEVEN_DEVELOPMENT),
    ):
        yield row(label, run, "structural", path)
        yield row("... joint", run, JOINT, path)
        yield row("... late interaction", run, "late", path)


TEN = f"{CONTROLS}/ten-sentences.json"


def ten_sentences() -> Iterator[Row]:
    data = measured(TEN)
    for sentence, plain, joint in zip(data["sentences"], data["plain encoder"], data["joint"], strict=True):
        yield sentence, [..., ..., plain, joint]


DISTILLED = f"{CONTROLS}/synsem-distillation-development.json"


def distilled() -> Iterator[Row]:
    row = rows_of(DISTILLED, (*DEV_COLUMNS, *NEW_COLUMNS[-6:-1]))
    for label, run in (("as built", "as-built-13"), ("distilled", "distilled-13")):
        yield row(f"{label}: structural", run, "structural")
        yield row("... joint", run, JOINT)
        yield row("... late interaction", run, "late")


RELATIONS = f"{CONTROLS}/synsem-relations-development.json"


def frames_of_relations() -> Iterator[Row]:
    row = rows_of(RELATIONS, (*DEV_COLUMNS, *NEW_COLUMNS[-6:-1]))
    for label, run in (
        ("**as measured**", "steps-4800-13"),
        ("the reader at twice the rate", "rate-20-13"),
        ("9,600 steps", "steps-9600-13"),
        ("reach 3", "reach-3-13"),
        ("frames of relations too", "relations-13"),
        ("[orders mended]", "orders-1190-13"),
        ("**as built**", "orders-1700-13"),
    ):
        yield row(label, run, JOINT)
        yield row("... structural", run, "structural")
        yield row("... late interaction", run, "late")


def more_frames() -> Iterator[Row]:
    """One seed each."""
    columns = (*DEV_COLUMNS, *NEW_COLUMNS[-6:-1])
    for label, run in (
        ("95", "frames-95-13"),
        ("490", "frames-490-13"),
        ("777, mended", "frames-777-short-13"),
        ("777", "frames-777-13"),
        ("1,190", "synsem-13"),
    ):
        yield label, [..., ..., *of_views(DEVELOPMENT, run, JOINT, columns)]


def further_development() -> Iterator[Row]:
    for begins, run in (
        ("MiniLM: joint", "steps-1800-13"),
        ("MiniLM: joint", "steps-5400-13"),
        ("... joint", "mpnet-13"),
        ("... **the control**", "mpnet-surface-13"),
    ):
        if run == "mpnet-13":
            own = of_views(FURTHER_DEVELOPMENT, run, "semantic", DEV_COLUMNS)
            yield "all-mpnet-base-v2 itself", [..., *own]
        for label, view in ((begins, JOINT), ("... structural", "structural"), ("... late", "late")):
            yield label, [..., *of_views(FURTHER_DEVELOPMENT, run, view, DEV_COLUMNS)]


def development() -> Iterator[Row]:
    row = rows_of(DEVELOPMENT_BEFORE, DEV_COLUMNS)
    yield row("backbone", "backbone", "semantic")
    yield row("**`synsem`**, five seeds: semantic", "synsem", "semantic")
    yield row("structural alone", "synsem", "structural")
    yield row("joint, squared weight 0.05", "synsem", "joint, 0.05")
    yield row("... 0.1", "synsem", "joint, 0.1")
    yield row("... **0.16", "synsem", JOINT)
    yield row("... 0.2", "synsem", "joint, 0.2")
    yield row("... with heads that learnt nothing", "untrained heads", JOINT)
    yield row("late interaction", "synsem", "late")
    for label, run in (
        ("**the control**", "surface"),
        *((f"**a control**: {label}", run) for label, run in OTHER_CONTROLS),
        ("`simcse`", "simcse-13"),
        ("**without alternations**", "no-alternations-13"),
        ("the default run", "starter-13"),
        ("**seed 13 once more**", "again-13"),
        ("**three times the steps**", "long-13"),
        ("**half of the examples", "half-alternations-13"),
        ("**trees of a better parser**", "better-trees-13"),
    ):
        if run == "starter-13":
            yield row("... and links in the order of the text: joint", "no-alternations-surface-13", JOINT)
        if run == "simcse-13":
            yield row(label, run, "semantic")
            continue
        yield row(label, run, "structural")
        yield row("... joint", run, JOINT)
        yield row("... late interaction", run, "late")
    yield row("**the first form**", "synsem", JOINT, FIRST_DEVELOPMENT)
    yield row("... late interaction", "synsem", "late", FIRST_DEVELOPMENT)
    yield row("... links in the order of the text", "surface", JOINT, FIRST_DEVELOPMENT)
    yield row("... links of trees of other", "other", JOINT, FIRST_DEVELOPMENT)
    yield row("... links of trees of shuffled", "shuffled", JOINT, FIRST_DEVELOPMENT)
    backbone = f"{MIRROR_BEFORE}/backbone.json"
    for label, view, pairs in (
        ("for comparison", "joint", [..., ..., None]),
        ("... late interaction", "late", [None, None, None]),
    ):
        yield label, [*pairs, *of_pipeline(backbone, view, ["contrast.all.ap", "contrast_dev.all.ap"])]


def front_page() -> Iterator[Row]:
    columns = ("paws-wiki.test_unread", "stsb.test", "qqp.test", "contrast_blind_7")
    own, row = rows_of(OWN, columns), rows_of(LONG, columns)
    yield row("all-MiniLM-L6-v2", "backbone", "semantic")
    yield own("**[the bundled model]", OWN_RUN, JOINT)
    yield row("[`synsem`]", "synsem", JOINT)
    yield row("... a control: it learns the order", "surface", JOINT)
    yield row("... a control: it learns other", "other", JOINT)
    spacy = [of_spacy("joint")[ALL_COLUMNS.index(name)] for name in columns]
    yield "for comparison: MiniLM and [a count of word pairs]", spacy
    yield row("`synsem`, [late interaction]", "synsem", "late")


def weights_of_structure() -> Iterator[Row]:
    row = rows_of(LONG, ("paws-wiki.test_unread", "contrast_blind_7", "stsb.test", "qqp.test"))
    yield row("0: MiniLM", "backbone", "semantic")
    yield row("0.32, 0.1", "synsem", "joint, 0.1")
    yield row("0.4, 0.16", "synsem", JOINT)
    yield row("0.55, 0.3", "synsem", "joint, 0.3")
    yield row("structure alone", "synsem", "structural")


TIED, TIED_AND_TRAINED = f"{CONTROLS}/attachments.json", f"{CONTROLS}/synsem-attachments-development.json"
ON_DEVELOPMENT = ("paws.dev", "stsb.dev", "qqp.dev", "contrast", "contrast_dev")


def attachments_by_trees() -> Iterator[Row]:
    weights = {
        f"... and of prepositions, {weight}": f"and of prepositions, {weight}" for weight in (0.2, 0.45, 0.7)
    }
    labels = {
        "role order alone": "role order",
        "... and attachments of content": "and attachments of content words",
        **weights,
        "**the control": "order of the text",
        "... and attachments of both": "order of the text, and attachments, 0.45",
    }
    for label, name in labels.items():
        yield label, [[measured(TIED)[name][column]] for column in (*ON_DEVELOPMENT, "blind")]


def attachments_learnt() -> Iterator[Row]:
    blind = ["contrast_blind", *(f"contrast_blind_{number}" for number in range(2, 7))]
    forms = {
        "**as built": "role order alone",
        "**with attachments": "with attachments, 0.45",
        "**conjuncts": "conjuncts in any order in half the texts",
    }
    for label, form in forms.items():
        for view in ("structural", "joint, 0.16", "joint, 0.2"):
            values = measured(TIED_AND_TRAINED)[form][view]
            mean = statistics.mean(values[name] for name in blind)
            begins = label if view == "structural" else f"... {view}".replace("0.16", "squared weight 0.16")
            yield begins, [*([values[name]] for name in ON_DEVELOPMENT), [mean]]


RERANKED = f"{CONTROLS}/rerank.json"


def reranked() -> Iterator[Row]:
    data = measured(RERANKED)
    labels = {"MiniLM": "semantic", "**joint": "joint"}
    late = {"... and its ten": 0, "... by late interaction plus 2": 2, "... plus 8": 8}
    labels |= {label: f"late interaction + {weight} joint" for label, weight in late.items()}
    for label, name in labels.items():
        yield label, [[data[name]["accuracy"]], [data[name]["mrr"]]]


def bundled_model() -> Iterator[Row]:
    row = rows_of(
        OWN,
        (
            "contrast_dev", "paws-wiki.test", "paws-wiki.test_unread", "stsb.test", "sts", "qqp.test",
            "contrast_blind_7", "contrast_blind_8",
        ),
    )  # fmt: skip
    yield row("MiniLM", "backbone", "semantic")
    yield row("joint", OWN_RUN, JOINT)
    yield row("structural", OWN_RUN, "structural")
    yield row("late interaction", OWN_RUN, "late")


def phenomena(task: str, path: str, *cells: tuple[str, str]) -> Iterator[Row]:
    """A row a phenomenon, best first by the joint vector; ``cells`` are runs and views."""
    names = sorted(
        (name for name in measured(path)["mean"][JOINT] if name.startswith(f"{task}.")),
        key=lambda name: -measured(path)["mean"][JOINT][name],
    )
    for name in [*names, task]:
        found = [of_views(path, run, view, [name])[0] for run, view in cells]
        # A single phenomenon is shown without its deviation.
        yield (
            f"`{name.partition('.')[2]}`" if name != task else "all",
            [values and values[: 2 if name == task else 1] for values in found],
        )


def first_blind_set() -> Iterator[Row]:
    cells = (("backbone", "semantic"), ("synsem", JOINT), ("surface", JOINT), ("synsem", "late"))
    for label, found in phenomena("contrast_blind", FIRST_FORM, *cells):
        name = label.strip("`")
        sketch = of_pipeline(
            f"{CONTROLS}/contrast-blind/backbone.json", "joint", [f"contrast_blind.{name}.ap"]
        )
        yield label, [found[0], *sketch, *found[1:]]


def second_blind_set() -> Iterator[Row]:
    controls = (("no-alternations-13", JOINT), ("surface", JOINT))
    cells = (("backbone", "semantic"), ("synsem", JOINT), *controls, ("synsem", "late"))
    yield from phenomena("contrast_blind_2", f"{CONTROLS}/synsem-blind.json", *cells)


THIRD = f"{CONTROLS}/synsem-blind-3.json"
BACKBONE_3 = f"{CONTROLS}/contrast-blind/backbone-3.json"


def by_part(task: str, path: str, other: str = "") -> Iterator[Row]:
    """A row a phenomenon, best first by the joint vector, then the parts.

    ``other``, if given, has the control by other sentences' trees in place of ``path``.
    """
    of_spacy = f"{CONTROLS}/contrast-blind/backbone-{task.rpartition('_')[2]}.json"

    def found(column: str) -> list[Values]:
        runs = (
            (path, "synsem", JOINT), (other or path, "other", JOINT), (path, "surface", JOINT),
            (path, "synsem", "late"),
        )  # fmt: skip
        return [of_views(*run, [column])[0] for run in runs]

    sketch, joint = measured(of_spacy)["joint"][task], measured(path)["mean"][JOINT]
    names = [name for part in PARTS[task].values() for name in part]
    for name in sorted(names, key=lambda name: -joint[f"{task}.{name}"]):
        column = f"{task}.{name}"
        backbone = of_views(path, "backbone", "semantic", [column])
        # A single phenomenon is shown without its deviation.
        means = [(each or [])[:1] for each in found(column)]
        yield f"`{name}`", [..., *backbone, [sketch[name]["ap"]], *means]
    of_parts = [(f"the {len(some)} {part}", f"{task}.{part}") for part, some in PARTS[task].items()]
    for label, column in (*of_parts, ("all", task)):
        of_trees = [sketch["all"]["ap"]] if label == "all" else None
        backbone = of_views(path, "backbone", "semantic", [column])
        yield label, [..., *backbone, of_trees, *found(column)]


def third_blind_set() -> Iterator[Row]:
    yield from by_part("contrast_blind_3", THIRD)


BACKBONE_4 = f"{CONTROLS}/contrast-blind/backbone-4.json"


def fourth_blind_set() -> Iterator[Row]:
    """The controls have one seed."""
    yield from by_part("contrast_blind_4", UNEVEN)


BACKBONE_5 = f"{CONTROLS}/contrast-blind/backbone-5.json"


def fifth_blind_set() -> Iterator[Row]:
    """The controls have one seed."""
    yield from by_part("contrast_blind_5", MIDDLE)


BACKBONE_6 = f"{CONTROLS}/contrast-blind/backbone-6.json"


def sixth_blind_set() -> Iterator[Row]:
    """The controls have one seed."""
    yield from by_part("contrast_blind_6", SIXTH, MIDDLE)


BACKBONE_7 = f"{CONTROLS}/contrast-blind/backbone-7.json"


def seventh_blind_set() -> Iterator[Row]:
    """The controls have one seed."""
    yield from by_part("contrast_blind_7", TESTS)


BACKBONE_8 = f"{CONTROLS}/contrast-blind/backbone-8.json"


def eighth_blind_set() -> Iterator[Row]:
    """The controls have three seeds."""
    yield from by_part("contrast_blind_8", LONG)


READERS = f"{CONTROLS}/synsem-readers.json"


def readers() -> Iterator[Row]:
    """Joint vectors of readers of other depths, one seed."""
    for label, run in (
        ("**2, 2", "2-2"), ("1, 2", "1-2"), ("1, 3", "1-3"), ("2, 4", "2-4"), ("3, 1", "3-1"),
        ("4, 1", "4-1"), ("4, 2", "4-2"), ("2, 2, its", "2-2-inner-quarter"),
        ("2, 2, dropout", "2-2-dropout"), ("2, 2, examples", "2-2-1188-frames"),
    ):  # fmt: skip
        columns = ("contrast", "contrast_dev", *NEW_COLUMNS[-6:-1])
        yield label, of_views(READERS, run, JOINT, columns)


def phenomena_unnamed() -> Iterator[Row]:
    columns = (*BLIND, "contrast_blind_3", "contrast_blind_3.known", "contrast_blind_3.new")
    row = rows_of(THIRD, columns)

    yield row("backbone", "backbone", "semantic")
    yield row("joint", "synsem", JOINT)
    yield row("... links of trees of other", "other", JOINT)
    yield row("... links in the order", "surface", JOINT)
    yield row("... heads that learnt nothing", "untrained heads", JOINT)
    yield row("... three times", "long-13", JOINT)
    yield row("... half of the examples", "half-alternations-13", JOINT)
    yield row("late interaction", "synsem", "late")
    yield row("... three times", "long-13", "late")
    for label, view in (("for comparison", "joint"), ("... late interaction that reads", "late")):
        third = of_pipeline(BACKBONE_3, view, ["contrast_blind_3.all.ap"])
        yield label, [*with_trees(view)[-2:], *third, None, None]


PARSER_LINKS = f"{CONTROLS}/parser-links.json"


def parser_links() -> Iterator[Row]:
    for view in ("structural", "joint", "late"):
        for links in ("its own", "of the parser's trees"):
            found = measured(PARSER_LINKS)[links][view]
            label = "late interaction" if view == "late" else view
            yield label, [..., *([found[column]] for column in (*DEV_COLUMNS, "blind"))]


def role_orders() -> Iterator[Row]:
    data = measured(f"{CONTROLS}/role-order.json")
    for label, key in (("none", "none"), ("canonical", "canonical"), ("role", "role"), ("as in", "surface")):
        for kind in [key] if key == "none" else [f"{key}, equal weights", key]:
            yield label, [..., *([data[kind][column]] for column in DEV_COLUMNS)]


FINAL_MARK = f"{CONTROLS}/synsem-final-mark.json"


def final_mark() -> Iterator[Row]:
    data = measured(FINAL_MARK)
    for label, end in (("as they are", "as is"), ("left out", "none"), ('"!"', "!")):
        cells = [
            statistics.mean(data[f"unmarked-{share}-{seed}"][end][task]["joint"] for seed in (13, 14))
            for task in ("contrast_dev", "contrast")
            for share in ("0", "third")
        ]
        yield label, [[cell] for cell in cells]


SURROUNDINGS = f"{CONTROLS}/synsem-surroundings.json"


def surroundings() -> Iterator[Row]:
    models = measured(SURROUNDINGS).values()
    labels = {
        "nothing": "as is",
        "quotation": "in quotes",
        '"1."': "an item of a list",
        '"In fact,"': "after In fact",
        '"She said that"': "after She said that",
        '"It was a long day."': "after a sentence",
        '"That was yesterday."': "before a sentence",
    }
    for label, added in labels.items():
        yield (
            label,
            [
                [statistics.mean(model[added][to]["joint"] for model in models)]
                for to in ("both", "the second")
            ],
        )


SEVERAL = f"{CONTROLS}/synsem-several-sentences.json"


def several_sentences() -> Iterator[Row]:
    data = measured(SEVERAL)
    labels = {"one text": "one text", "...": "beside another", "sentences": "read apart"}
    for label, form in labels.items():
        seeds = [data[f"{form}-{seed}"] for seed in (13, 14)]
        added = [
            [each["contrast_dev"][name]["joint"] for each in seeds]
            for name in ("as is", "after a sentence", "before a sentence")
        ]
        real = [
            [each[task]["joint"][pairs] for each in seeds]
            for task in ("paws-wiki_dev", "qqp_dev")
            for pairs in ("all", "several sentences")
        ]
        cells = [*added, [each["contrast"]["joint"] for each in seeds], *real]
        yield label, [[statistics.mean(cell)] for cell in cells]


TABLES: list[Table] = [
    ("docs/synsem.md", ("added",), surroundings, SURROUNDINGS),
    ("docs/experiments.md", ("read as",), several_sentences, SEVERAL),
    ("docs/synsem.md", ("the sentences' full stops",), final_mark, FINAL_MARK),
    ("README.md", ("", "PAWS-Wiki"), front_page, LONG, BY_TREES),
    ("docs/synsem.md", ("", "PAWS-Wiki"), sets_read_once, TESTS, SIXTH, MIDDLE, BY_TREES),
    ("docs/synsem-earlier.md", ("frames",), frames_before, MIDDLE, FEWER),
    ("docs/synsem-earlier.md", ("`synsem` less a control",), what_the_tree_gives, FEWER),
    ("docs/experiments.md", ("layer read, layers of the reader",), readers, READERS),
    (
        "docs/synsem-choices.md",
        ("view", "PAWS-Wiki dev"),
        development_sets,
        DEVELOPMENT,
        FEWER_DEVELOPMENT,
        UNEVEN_DEVELOPMENT,
    ),
    ("docs/synsem-choices.md", ("frames",), more_frames, DEVELOPMENT),
    ("docs/synsem.md", ("sentence", "same", "other"), ten_sentences, TEN),
    ("docs/experiments.md", ("seed 13, 4,800 steps",), distilled, DISTILLED),
    ("docs/experiments.md", ("seed 13", "PAWS-Wiki dev"), frames_of_relations, RELATIONS),
    ("docs/synsem-earlier.md", ("form",), forms_before, UNEVEN, BEFORE, THIRD, FOURTH_BEFORE),
    ("docs/synsem-choices.md", ("backbone, view",), further_development, FURTHER_DEVELOPMENT),
    ("docs/synsem-earlier.md", ("", "PAWS-Wiki"), whole_test_sets, BEFORE, FIRST_FORM),
    (
        "docs/synsem-earlier.md",
        ("view", "PAWS-Wiki dev"),
        development,
        DEVELOPMENT_BEFORE,
        FIRST_DEVELOPMENT,
    ),
    ("docs/synsem-choices.md", ("bundled model",), parser_links, PARSER_LINKS),
    ("docs/synsem-choices.md", ("order of the content words",), role_orders, f"{CONTROLS}/role-order.json"),
    (
        "docs/contrast-set-results.md",
        ("phenomenon", "backbone", "sketch by spaCy"),
        first_blind_set,
        FIRST_FORM,
        f"{CONTROLS}/contrast-blind",
    ),
    (
        "docs/contrast-set-results.md",
        ("phenomenon", "backbone", "`synsem` joint"),
        second_blind_set,
        f"{CONTROLS}/synsem-blind.json",
    ),
    (
        "docs/contrast-set-results.md",
        ("phenomenon", "part"),
        third_blind_set,
        THIRD,
        BACKBONE_3,
    ),
    (
        "docs/contrast-set-results.md",
        ("phenomenon, fourth set",),
        fourth_blind_set,
        UNEVEN,
        BACKBONE_4,
    ),
    (
        "docs/contrast-set-results.md",
        ("phenomenon, fifth set",),
        fifth_blind_set,
        MIDDLE,
        BACKBONE_5,
    ),
    (
        "docs/contrast-set-results.md",
        ("phenomenon, sixth set",),
        sixth_blind_set,
        SIXTH,
        MIDDLE,
        BACKBONE_6,
    ),
    (
        "docs/contrast-set-results.md",
        ("phenomenon, seventh set",),
        seventh_blind_set,
        TESTS,
        BACKBONE_7,
    ),
    (
        "docs/contrast-set-results.md",
        ("phenomenon, eighth set",),
        eighth_blind_set,
        LONG,
        BACKBONE_8,
    ),
    ("docs/synsem.md", ("in the long form",), long_form, LONG),
    ("docs/using-models.md", ("the bundled model",), bundled_model, OWN),
    ("docs/using-models.md", ("weight, squared",), weights_of_structure, LONG),
    ("docs/synsem.md", ("ordered by",), reranked, RERANKED),
    ("docs/experiments.md", ("by spaCy's trees",), attachments_by_trees, TIED),
    ("docs/experiments.md", ("learnt by `synsem`",), attachments_learnt, TIED_AND_TRAINED),
    ("docs/synsem-earlier.md", ("", "first blind set"), phenomena_unnamed, THIRD, BACKBONE_3),
]


@pytest.mark.parametrize("table", TABLES, ids=[each[2].__name__ for each in TABLES])
def test_a_table_shows_what_was_measured(table: Table) -> None:
    assert complaints(*table) == []


def test_the_example_of_the_front_page_is_that_of_its_picture() -> None:
    """Both are of the bundled model."""
    front = page("README.md")
    example = re.search(r"print\(dog @ passive, dog @ swap\)  # (\S+) (\S+)", front)
    parts = re.search(
        r"\((\S+) and (\S+) here\)\. `view=\"semantic\"` is plain MiniLM, "
        r"which prefers the swap \((\S+) and (\S+)\)",
        front,
    )
    drawn = re.findall(r">(\d\.\d+)<", page("docs/picture.svg"))
    assert example is not None
    assert parts is not None
    assert [*parts.groups()[2:], *example.groups()] == drawn
    # The weight grows with the number of content words, each counted as far as the model takes it for one.
    texts = re.findall(r'"(The [^"]*)"', front)[:3]
    system = registry.load(HOME)
    content = [sum(word.gate for word in read_words(system, text)) for text in texts]
    dog, *others = (0.4 * (count / 6) ** 0.25 for count in content)
    structural, semantic = list(map(float, parts.groups()[:2])), list(map(float, parts.groups()[2:]))
    joint = [
        (s + dog * other * v) / math.sqrt((1 + dog**2) * (1 + other**2))
        for s, v, other in zip(semantic, structural, others, strict=True)
    ]
    assert joint == pytest.approx(list(map(float, example.groups())), abs=0.001)


def test_the_front_page_has_the_figures_of_the_default_run() -> None:
    told = re.search(
        r"(\S+) on the development contrast set \(MiniLM (\S+)\)\s+"
        r"and (\S+) on the hand-written one \((\S+)\)",
        page("README.md"),
    )
    assert told is not None
    run = measured("reports/metrics/synsem-13.json")
    measured_here = [
        run[view][task]["all"]["ap"]
        for task in ("contrast_dev", "contrast")
        for view in ("joint", "semantic")
    ]
    assert list(map(float, told.groups())) == pytest.approx(measured_here, abs=0.0501)


def test_the_page_counts_the_frames() -> None:
    frames = alternations()
    names = {each.name for each in frames}
    assert f"There are {len(frames):,} frames of {len(names)} alternations" in page("docs/synsem.md")


def test_the_means_are_those_of_the_seeds() -> None:
    before = (BEFORE, FIRST_FORM, DEVELOPMENT_BEFORE, FIRST_DEVELOPMENT)
    for path in (
        TESTS,
        WIKIPEDIA,
        LESS,
        MIDDLE,
        FEWER,
        UNEVEN,
        *before,
        f"{CONTROLS}/synsem-blind.json",
        THIRD,
        SIXTH,
    ):
        data = measured(path)
        for view, metrics in data["mean"].items():
            for name, mean in metrics.items():
                own = SEEDS[:4] if path == SIXTH else SEEDS
                seeds = [data[f"synsem-{seed}"][view][name] for seed in own]
                assert over([[value] for value in seeds]) == pytest.approx(
                    [mean, data["sd"][view][name]], abs=0.0101
                ), (path, view, name)
