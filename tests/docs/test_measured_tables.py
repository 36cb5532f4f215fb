"""The tables of results, ``sscp``, ``ebsim``, ``parabart`` and the lab book show what reports/ holds."""

import re
import statistics
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
from measured import (
    CONTROLS,
    JOINT,
    MIRROR,
    MIRROR_BEFORE,
    SEEDS,
    Row,
    Table,
    at,
    complaints,
    differences,
    measured,
    of_pipeline,
    over,
    page,
)
from page_tables import rows_below
from shell_lines import ROOT

PHENOMENA = ("voice", "fronting", "role_reversal")


def all_systems() -> Iterator[Row]:
    columns = ("paws.test.ap", "paws.test_unread.ap", "stsb.test.spearman")
    columns += tuple(f"sts{year}.test.spearman_all" for year in (12, 14, 16))
    columns += ("qqp.test.ap", "contrast.all.ap", "contrast_dev.all.ap", "retrieval.test.accuracy")
    columns += ("upos.en.unseen.accuracy_1nn", "trec.test.accuracy", "probes")
    for row in rows_below(page("docs/results.md"), "system", "view"):
        system, view = row[:2]
        run = system if system == "backbone" else f"{system}-13"
        yield system, [..., *of_pipeline(f"{MIRROR}/{run}.json", view, columns)]


ORDERS = {
    "no sketch": "none",
    "{}, by the tree": "tree",
    "as in the text": "surface",
    "{}, by the tree of another": "other",
    "{}, by a random": "random",
    "{}, by its tree with": "shuffled",
}


def sketch_orders() -> Iterator[Row]:
    columns = ["paws.test.ap", "paws.test_unread.ap", "stsb.test.spearman", "qqp.test.ap"]
    columns += [f"contrast{ending}.all.ap" for ending in ("", "_dev", "_blind_7", "_blind_8")]
    columns += [f"contrast.{name}.ap" for name in PHENOMENA]
    for label, order in ORDERS.items():
        data = measured(f"{CONTROLS}/sketch-orders.json")
        yield label.format("role order"), [at(data, order, "joint", column) for column in columns]


def sketch_orders_of_sscp() -> Iterator[Row]:
    """The sketch before, in canonical order."""
    data = measured(f"{CONTROLS}/sketch-orders-sscp.json")
    for label, order in ORDERS.items():
        means, sds = data["mean"][order], data["sd"][order]
        totals = [
            [means[column], sds[column]]
            for column in ("paws.test_unread.ap", "stsb.test.spearman", "contrast.all.ap")
        ]
        yield label.format("canonical"), [*totals, *([means[f"contrast.{name}.ap"]] for name in PHENOMENA)]


BEFORE = "before: canonical order, not signed, reach 2"
SKETCH_FORMS = (
    ("no sketch", "no sketch", "alone"),
    ("**as built**", "as built", "0.16"),
    ("... the sketch alone", "as built", "alone"),
    ("reach 2", "reach 2", "0.16"),
    ("reach 4", "reach 4", "0.16"),
    ("1,024", "1,024 dimensions", "0.16"),
    ("2,048", "2,048 dimensions", "0.16"),
    ("squared weight 0.1", "as built", "0.1"),
    ("squared weight 0.3", "as built", "0.3"),
    ("**the control**", "in the order of the text", "0.16"),
    ("a control: by trees", "by trees of other sentences", "0.16"),
    ("before", BEFORE, "0.16"),
    ("... the sketch alone", BEFORE, "alone"),
)


def sketch_forms() -> Iterator[Row]:
    columns = ("paws.dev", "stsb.dev", "qqp.dev", "contrast", "contrast_dev", "blind")
    for label, form, weight in SKETCH_FORMS:
        found = measured(f"{CONTROLS}/sketch-forms.json")[form][weight]
        yield label, [[found[column]] for column in columns]


def calibration() -> Iterator[Row]:
    def here(*columns: str) -> list[float]:
        found = of_pipeline(f"{MIRROR}/backbone.json", "semantic", columns)
        return [value for each in found for value in each or []]

    yield "STS12, STS14", [..., here(*(f"sts{year}.test.spearman_all" for year in (12, 14, 16)))]
    yield "STS-B dev, test", [..., here("stsb.dev.spearman", "stsb.test.spearman")]
    yield "PAWS-Wiki", [..., here("paws.test.ap")]
    yield "QQP", [..., here("qqp.test.ap")]


ABLATIONS = {
    "`sscp` as it is": "full", "trees of shuffled words": "shuffled-trees",
    "one encoder with bias": "one-encoder", "no distillation": "no-distillation",
    "one-way loss": "one-way-loss", "each view by itself": "each-view-by-itself", "edge types": "edge-types",
    "neighbour negatives": "neighbour-negatives", "`sscp.late=1`": "late-interaction",
    "SimCSE, unsupervised": "simcse", "SimCSE, the same mined examples": "simcse-mined-pairs",
}  # fmt: skip


def ablations() -> Iterator[Row]:
    columns = [("semantic", "stsb.test.spearman"), ("joint", "stsb.test.spearman"), ("joint", "paws.test.ap")]
    columns += [("joint", "contrast.all.ap"), ("late", "paws.test.ap_late"), ("late", "contrast.all.ap_late")]
    yield "untouched backbone", [...] * 6
    for label, name in ABLATIONS.items():
        runs = [f"reports/ablations/{name}-{seed}.json" for seed in SEEDS]
        found = [measured(run)["metrics"] for run in runs if (ROOT / run).exists()]
        yield (
            label,
            [over(at(run, view, *metric.split(".")) for run in found) for view, metric in columns],
        )


SHARES_OF_QQP = "reports/matching/qqp-shares.json"
STARTS = {
    "backbone": "backbone", "`ebsim`": "models/ebsim/13", "`ebsim`, -AA": "models/ebsim-no-alignment/13",
    "`ebsim`, -RA": "models/ebsim-no-relation/13",
}  # fmt: skip
METRICS = ("accuracy", "ap", "f1")


def start_of(run: Mapping[str, Any]) -> str:
    """What a run was fine-tuned from; a system counts as one whatever seed it was pretrained from."""
    start: str = run["start"]
    return re.sub(r"/1[45]$", "/13", start)


def of_matching(path: str, start: str, share: int, metric: str) -> list[float]:
    """A metric of a start after a share of the pairs, by the seed of fine-tuning."""
    runs = measured(path)["runs"].values()
    found = {
        run["seed"]: run["test"][metric] for run in runs if (start_of(run), run["share"]) == (start, share)
    }
    return [found[seed] for seed in sorted(found)]


def _after(path: str, share: int, labels: Iterable[str]) -> Iterator[Row]:
    """Accuracy, AP and F1 of starts after a share of the pairs; of pretrained ones the gain, too."""
    runs = [run for run in measured(path)["runs"].values() if run["share"] == share]
    for label in labels:
        values = []
        for metric in METRICS:
            mean, base = (
                over([run["test"][metric]] for run in runs if run["start"] == start) or []
                for start in (STARTS[label], "backbone")
            )
            values.append(mean if label == "backbone" else [*mean, mean[0] - base[0]])
        yield label, values


def matchers() -> Iterator[Row]:
    return _after("reports/matching/qqp.json", 20, list(STARTS)[:3])


def matchers_by_the_papers_negatives() -> Iterator[Row]:
    return _after(SHARES_OF_QQP, 20, STARTS)


SHARES = (20, 40, 60, 80, 100)
FINE_TUNED = {f"`{start}`": start for start in ("backbone", "cosine", "cosine+backbone")}
BY_SHARE = "reports/matching/qqp-by-share.json"


def fine_tuned_by_share() -> Iterator[Row]:
    return _by_share("reports/matching/qqp.json", FINE_TUNED)


def pretrained_by_share() -> Iterator[Row]:
    return _by_share(BY_SHARE, STARTS)


def gains_by_share() -> Iterator[Row]:
    """Accuracy and AP of a start over another, by the same seeds of fine-tuning."""
    whole, no_alignment, no_relation = (STARTS[name] for name in ("`ebsim`", "`ebsim`, -AA", "`ebsim`, -RA"))
    for label, starts in (
        ("`ebsim` over", (whole, "backbone")),
        ("-AA over", (no_alignment, whole)),
        ("-RA over", (no_relation, whole)),
    ):
        cells = []
        for share in SHARES:
            both = [
                [of_matching(BY_SHARE, each, share, metric) for each in starts]
                for metric in ("accuracy", "ap")
            ]
            cells.append([number for one in both for number in differences(*one)])
        yield label, cells


def _by_share(path: str, starts: Mapping[str, str]) -> Iterator[Row]:
    """Accuracy, AP and F1 of each start on each share; the zero-shot cosine has read no pair of any."""
    runs = measured(path)["runs"].values()
    for label, start in (
        ("zero-shot cosine", "zero-shot cosine"),
        ("logistic", "frozen logistic"),
        ("weighted cosine", "weighted cosine"),
        *starts.items(),
    ):
        cells = []
        for share in SHARES:
            of = 0 if start == "zero-shot cosine" else share
            found = [run["test"] for run in runs if (start_of(run), run["share"]) == (start, of)]
            spreads = [over([run[metric]] for run in found) or [] for metric in ("accuracy", "ap", "f1")]
            cells.append([number for spread in spreads for number in spread] or None)
        yield label, cells


def matchers_of_graded_pairs() -> Iterator[Row]:
    runs = measured("reports/matching/stsb.json")["runs"].values()
    starts = ("zero-shot cosine", "weighted cosine", "backbone", "models/ebsim/13", "cosine")
    for label, start in zip((*starts[:3], "`ebsim`", "`cosine`"), starts, strict=True):
        found = [run for run in runs if start_of(run) == start]
        seeds = [len(found)] if found[0]["seed"] else None
        yield (
            label,
            [seeds, *(over([run["test"][name]] for run in found) for name in ("pearson", "spearman"))],
        )


def by_step() -> Iterator[Row]:
    """F1 and accuracy of the development pairs, seed 1."""
    runs = measured("reports/matching/qqp.json")["runs"]
    for row in rows_below(page("docs/ebsim.md"), "start", "share", "step 0"):
        start, share = row[0], row[1].removesuffix(" %")
        curve = runs[f"{start.strip('`')} {share} 1"]["curve"]
        yield start, [[int(share)], *([point["f1"], point["accuracy"]] for point in curve)]


def paraphrases() -> Iterator[Row]:
    parts = measured(f"{CONTROLS}/paraphrases-written.json")["development pairs"].values()
    for label, name, unit in (
        ("BLEU of what", "bleu", 1),
        ("... written from", "bleu_other_source", 1),
        ("BLEU of the source", "bleu_copy", 1),
        ("constituents below", "template_match", 100),
        ("... as in another", "template_match_other", 100),
        ("the whole tree", "template_exact", 100),
    ):
        yield label, [[unit * part["scores"][name]] for part in parts]


def default_weight() -> Iterator[Row]:
    """Of the sketch before."""
    columns = [f"paws.test.{name}" for name in ("ap", "accuracy_dev_threshold", "accuracy_logistic")]
    columns += ["stsb.test.spearman", *(f"sts{year}.test.spearman_all" for year in (12, 14, 16))]
    for label, view in (
        ("backbone", "semantic"),
        ("joint", "joint"),
        ("late interaction", "late"),
        ("structural similarity", "structural_agreement"),
    ):
        yield label, of_pipeline(f"{MIRROR_BEFORE}/backbone.json", view, columns)


def trained_late() -> Iterator[Row]:
    columns = [("late", f"{name}_late") for name in ("paws.test.ap", "contrast.all.ap", "stsb.test.spearman")]
    columns += [("joint", "paws.test.ap"), ("joint", "stsb.test.spearman")]
    yield "untouched backbone", [...] * len(columns)
    for label, name in (("`sscp`", "full"), ("`sscp.late: 1.0`", "late-interaction")):
        metrics = measured(f"reports/ablations/{name}-13.json")["metrics"]
        yield label, [at(metrics, view, *metric.split(".")) for view, metric in columns]


def binding_forms() -> Iterator[Row]:
    data, form = measured(f"{CONTROLS}/binding-forms.json"), ""
    columns = ("paws.dev", "stsb.dev", "qqp.dev", "contrast", "contrast_dev")
    plain = str.maketrans({"·": ".", "−": "-", "²": "^2", "³": "^3", "⁵": "^5"})
    for label, growth, *_ in rows_below(page("docs/experiments.md"), "similarity of two words x and y"):
        weight = label.rpartition(" ")[2] if label.startswith("...") else "0.16"
        form = form if label.startswith("...") else label.translate(plain)
        found = data[f"{form}: growth {growth}, squared weight {weight}"]
        yield label, [..., *([found[column]] for column in columns)]


def nearness() -> Iterator[Row]:
    data = measured(f"{CONTROLS}/nearness.json")
    columns = ("paws.dev", "stsb.dev", "qqp.dev", "contrast", "contrast_dev")
    for label, weight, *_ in rows_below(page("docs/experiments.md"), "form", "squared weight"):
        found = data[f"{label}, squared weight {weight}"]
        yield label, [..., *([found[column]] for column in columns)]


def against_overlap() -> Iterator[Row]:
    data = measured(f"{CONTROLS}/against-overlap.json")
    columns = ("paws.dev", "stsb.dev", "qqp.dev", "contrast", "contrast_dev")
    for b, c, squared, *_ in rows_below(page("docs/experiments.md"), "b", "c", "squared weight"):
        found = data[f"b {b}, c {c}, squared weight {squared}"]
        yield b, [..., ..., *([found[column]] for column in columns)]


def alternations() -> Iterator[Row]:
    data = measured(f"{CONTROLS}/synsem-whole-network-development.json")
    columns = ("paws.dev", "stsb.dev", "qqp.dev", "contrast", "contrast_dev")
    for label, run in (
        ("none", "no-alternations-13"),
        ("sentences of frames", ""),
        ("... with links", ""),
        ("... a noun before", "synsem-13"),
        ("its five seeds", "mean"),
        ("its control", "surface-13"),
    ):
        yield label, [[data[run][JOINT][column]] for column in columns] if run else [...] * len(columns)


TABLE_7 = f"{CONTROLS}/sscp-table-7.json"
OF_TABLE_7 = {
    "untouched backbone": "untouched",
    "`sscp` as it is": "full",
    "no attention bias": "no-bias",
    "distance in words": "linear-distance",
    "surface order": "surface-order",
    "random trees": "random-trees",
    "no graph positions": "no-graph-position",
    "graph positions alone": "graph-positions-alone",
    "two plain encoders": "two-plain-encoders",
    "no augmentation": "no-augmentation",
    "no hard negatives": "no-hard-negatives",
    "one-way loss": "one-way-loss",
    "SimCSE": "simcse",
}
COLUMNS_OF_TABLE_7 = {
    "semantic": ["stsb.test.spearman"],
    "syntactic": ["stsb.test.spearman", "paws.test.ap"],
    "joint": [
        "stsb.test.spearman",
        *(f"{name}.ap" for name in ("paws.test", "contrast_dev.all", "contrast_blind_4.all")),
    ],
    "late": ["paws.test.ap_late", "contrast_blind_4.all.ap_late"],
}


def runs_of_table_7(name: str) -> list[Any]:
    runs = measured(TABLE_7)["runs"]
    return [runs[f"{name}-{seed}"] for seed in SEEDS if f"{name}-{seed}" in runs]


def table_7() -> Iterator[Row]:
    for label, name in OF_TABLE_7.items():
        found = runs_of_table_7(name)
        norms = over(at(run, "norm_of_bias") for run in found)
        cells = [
            over(at(run["metrics"], view, metric) for run in found)
            for view, metrics in COLUMNS_OF_TABLE_7.items()
            for metric in metrics
        ]
        yield label, [[len(found)], norms and norms[:1], *cells, ...]  # the paper's own figure last


def what_the_bias_adds() -> Iterator[Row]:
    """Differences from the same seed without it."""

    def by_seed(name: str, view: str, metric: str) -> list[float]:
        return [run["metrics"][view][metric] for run in runs_of_table_7(name)]

    columns = [(view, metric) for view, metrics in COLUMNS_OF_TABLE_7.items() for metric in metrics]
    yield "the bias", [differences(by_seed("full", *each), by_seed("no-bias", *each)) for each in columns]


AGAIN = f"{CONTROLS}/sscp-table-7-again.json"


def table_7_again() -> Iterator[Row]:
    """What a row changes, against ``sscp`` as it is from the same seeds; first how many these are."""
    runs = {name: run["metrics"] for name, run in measured(AGAIN)["runs"].items()}
    for label, name in OF_TABLE_7.items():
        seeds = [seed for seed in SEEDS if f"{name}-{seed}" in runs]
        if name == "full" or not seeds:
            continue
        columns = [(view, metric) for view, metrics in COLUMNS_OF_TABLE_7.items() for metric in metrics]
        gains = [
            differences(
                *([runs[f"{each}-{seed}"][view][metric] for seed in seeds] for each in (name, "full"))
            )
            for view, metric in columns
        ]
        yield label, [[len(seeds)], *gains]


CURVES = f"{CONTROLS}/curves.json"


def longer_runs_of_sscp() -> Iterator[Row]:
    names = ["dev/loss", "judged/swaps"]
    names += [f"judged/{view}.stsb.dev.spearman" for view in ("semantic", "syntactic", "joint")]
    names += [f"judged/joint.{task}.all.ap" for task in ("contrast", "contrast_dev")]
    names += ["judged/late.contrast_dev.all.ap_late"]
    norm = "judged/norm.syntactic.bias.table"
    for run in ("sscp: bias", "sscp: no bias"):
        curves = measured(CURVES)[run]["curves"]
        for place, (step, _) in enumerate(curves["dev/loss"]):
            if step or norm in curves:  # both begin at the backbone
                found = [[curves[name][place][1]] if name in curves else None for name in (norm, *names)]
                yield f"{step:,}", found


PARTS_OF_PAWS = {
    "first 3,000, looked at": "looked_at",
    "unread": "unread",
    "unread, a sentence looked at": "shared",
    "unread, apart": "apart",
}


def parts_of_paws() -> Iterator[Row]:
    data = measured(f"{CONTROLS}/paws-apart.json")
    for label, part in PARTS_OF_PAWS.items():
        counts = [at(data, kind, part) for kind in ("pairs", "positive")]
        yield label, [*counts, *(at(data, "backbone", view, part) for view in ("semantic", "joint"))]


def test_what_the_sketch_adds_to_pairs_apart() -> None:
    views = measured(f"{CONTROLS}/paws-apart.json")["backbone"]
    gains = [views["joint"][part] - views["semantic"][part] for part in ("apart", "unread")]
    assert "{:.1f} points in place of {:.1f}".format(*gains) in page("docs/experiments.md")


PARABART = f"{CONTROLS}/parabart"
PROBES = (("xprobe-bigram_shift", "test"), ("xprobe-tree_depth", "held_out"), ("ptb-sample", "held_out"))


def of_parabart(run: str) -> list[float]:
    """STS, three probes and their mean, QQP-Easy and -Hard."""
    found = measured(run)["metrics"]["semantic"]
    years = [found[f"sts{year}"]["test"]["pearson_mean"] for year in (12, 14, 16)]
    probes = [found[task][part]["accuracy"] for task, part in PROBES]
    pairs = [found["qqp"][part]["accuracy_oracle_threshold"] for part in ("easy", "hard")]
    sts = statistics.mean([found["stsb"]["test"]["pearson"], *years])
    return [sts, *probes, statistics.mean(probes), *pairs]


def paraphrasing() -> Iterator[Row]:
    published = ("BART, mean", "ParaBART", "... no adversary", "... nor guidance")
    for label in published:
        yield f"{label} (published)", [...] * 8
    for label, name in (
        ("untouched backbone", "parabart-backbone"),
        ("`parabart`", "parabart"),
        ("... no adversary", "parabart-no-adversary"),
        ("... nor guidance", "parabart-no-adversary-no-guidance"),
        ("`parabart-simcse`", "parabart-simcse"),
    ):
        runs = [run for seed in SEEDS if (ROOT / (run := f"{PARABART}/{name}-{seed}.json")).exists()]
        columns = zip(*map(of_parabart, runs), strict=True)
        yield label, [[len(runs)], *(over([value] for value in column) for column in columns)]


READ = f"{CONTROLS}/rewrites-read.json"


def rewrites_read() -> Iterator[Row]:
    rewrites = measured(READ)["rewrites"]
    samples = [[each["first"]["wrong"], *each["second"].values()] for each in rewrites.values()]
    for row in rows_below(page("docs/adding-a-transformation.md"), "rewrite", "first sample, wrong of 40")[
        :-1
    ]:
        found = rewrites[row[0].strip("`")]
        yield row[0], [[found["first"]["wrong"]], [found["second"]["read"]], [found["second"]["wrong"]]]
    yield "all", [[sum(column)] for column in zip(*samples, strict=True)]


TABLES: list[Table] = [
    ("docs/adding-a-transformation.md", ("rewrite", "first sample, wrong of 40"), rewrites_read, READ),
    ("docs/experiments.md", ("part of PAWS-Wiki test",), parts_of_paws, f"{CONTROLS}/paws-apart.json"),
    ("docs/results.md", ("system", "view"), all_systems, "reports/mirror/"),
    (
        "docs/results.md",
        ("order of the content words", "PAWS-Wiki AP"),
        sketch_orders,
        f"{CONTROLS}/sketch-orders.json",
    ),
    (
        "docs/sscp.md",
        ("order of the content words", "PAWS-Wiki AP, 2,000 unread pairs"),
        sketch_orders_of_sscp,
        f"{CONTROLS}/sketch-orders-sscp.json",
    ),
    ("docs/evaluation.md", ("", "independent", "here"), calibration, f"{MIRROR}/backbone.json"),
    ("docs/sscp.md", ("500 steps of 8", "seeds"), table_7, TABLE_7),
    ("docs/sscp.md", ("what adds", "STS-B, semantic"), what_the_bias_adds, TABLE_7),
    ("docs/sscp.md", ("less `sscp` as it is",), table_7_again, AGAIN),
    ("docs/sscp.md", ("60 steps of 32 (seeds)",), ablations, "reports/ablations"),
    ("docs/sscp.md", ("step", "norm of the bias table"), longer_runs_of_sscp, CURVES),
    ("docs/ebsim.md", ("start", "accuracy", "AP"), matchers, "reports/matching/qqp.json"),
    ("docs/ebsim.md", ("20 % of the pairs",), matchers_by_the_papers_negatives, SHARES_OF_QQP),
    ("docs/ebsim.md", ("STS-B", "seeds"), matchers_of_graded_pairs, "reports/matching/stsb.json"),
    ("docs/ebsim.md", ("(seeds)", "20 %"), pretrained_by_share, BY_SHARE),
    ("docs/ebsim.md", ("accuracy / AP", "20 %"), gains_by_share, BY_SHARE),
    ("docs/ebsim.md", ("start", "20 %", "40 %"), fine_tuned_by_share, "reports/matching/qqp.json"),
    ("docs/ebsim.md", ("start", "share", "step 0"), by_step, "reports/matching/qqp.json"),
    ("docs/parabart.md", ("", "seeds", "STS"), paraphrasing, PARABART),
    (
        "docs/parabart.md",
        ("", "84 pairs that share at most 5 % of their word trigrams"),
        paraphrases,
        f"{CONTROLS}/paraphrases-written.json",
    ),
    ("docs/sscp.md", ("backbone and sketch",), sketch_forms, f"{CONTROLS}/sketch-forms.json"),
    ("docs/experiments.md", ("default weight",), default_weight, f"{MIRROR_BEFORE}/backbone.json"),
    ("docs/experiments.md", ("", "PAWS AP, late"), trained_late, "reports/ablations"),
    (
        "docs/experiments.md",
        ("similarity of two words x and y",),
        binding_forms,
        f"{CONTROLS}/binding-forms.json",
    ),
    ("docs/experiments.md", ("form", "squared weight"), nearness, f"{CONTROLS}/nearness.json"),
    (
        "docs/experiments.md",
        ("b", "c", "squared weight"),
        against_overlap,
        f"{CONTROLS}/against-overlap.json",
    ),
    (
        "docs/experiments.md",
        ("examples made of frames",),
        alternations,
        f"{CONTROLS}/synsem-whole-network-development.json",
    ),
]


@pytest.mark.parametrize("table", TABLES, ids=[each[2].__name__ for each in TABLES])
def test_a_table_shows_what_was_measured(table: Table) -> None:
    assert complaints(*table) == []
