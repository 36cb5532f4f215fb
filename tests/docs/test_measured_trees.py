"""The tables on trees, of the parser ``cssl`` and of derived constituents, show what reports/ holds."""

import statistics
from collections.abc import Iterator

import pytest
import scipy.stats
from measured import CONTROLS, SEEDS, Row, Table, at, complaints, measured, over, page
from page_tables import rows_below
from shell_lines import ROOT


def parsed(folder: str, treebank: str, variant: str, *keys: str) -> list[float]:
    runs = [f"{folder}/{treebank}.{variant}-{seed}.json" for seed in SEEDS]
    found = [at(measured(run)["metrics"]["semantic"], *keys) for run in runs if (ROOT / run).exists()]
    return [value for each in found for value in each or []]


LAS, PERMUTED = ("parsing", "test", "las"), ("word_order", "permuted", "las")


TREEBANKS = {
    "Telugu MTG": "te_mtg", "Turkish IMST": "tr_imst", "Hungarian Szeged": "hu_szeged",
    "Gothic PROIEL": "got_proiel", "Ancient Hebrew PTNK": "hbo_ptnk", "Sanskrit STBC": "stbc",
    "Sanskrit Vedic": "sa_vedic",
}  # fmt: skip
VARIANTS = {
    "cross-entropy": "ce",
    "CSSL's control: dropout": "dropout",
    "cross-entropy + DA": "ce-da",
    "CSSL": "cssl",
    "CSSL + DA": "cssl-da",
    "cross-entropy, no positions": "ce-nopos",
    "cross-entropy, no positions, no BiLSTMs": "ce-nopos-no-lstm",
    "cross-entropy, refined once": "ce-refined",
    "CSSL, refined once": "cssl-refined",
}
LANGUAGES = "reports/languages"


def languages() -> Iterator[Row]:
    treebank = ""
    for name, variant, _, _, _, *differences, _, _ in rows_below(page("docs/cssl.md"), "treebank", "variant"):
        treebank = TREEBANKS.get(name, treebank)
        own = VARIANTS[variant]
        las = parsed(LANGUAGES, treebank, own, *LAS)
        # Differences are over common seeds; the p-values behind them are not checked here.
        gains = []
        for cell, base in zip(differences, ("ce", "dropout", "ce-da"), strict=True):
            others = parsed(LANGUAGES, treebank, base, *LAS) if cell else []
            common = min(len(las), len(others))
            gains.append([statistics.mean(las[:common]) - statistics.mean(others[:common])] if cell else None)
        uas = over([value] for value in parsed(LANGUAGES, treebank, own, "parsing", "test", "uas"))
        permuted = over([value] for value in parsed(LANGUAGES, treebank, own, *PERMUTED))
        yield name, [..., [len(las)], uas, over([value] for value in las), *gains, permuted, ...]


def over_treebanks() -> Iterator[Row]:
    for label, one, other in (
        ("CSSL less cross-entropy", "cssl", "ce"),
        ("the control less cross-entropy", "dropout", "ce"),
        ("CSSL less the control", "cssl", "dropout"),
    ):
        cells = []
        for metric in (LAS, PERMUTED):
            apart = [
                statistics.mean(parsed(LANGUAGES, treebank, one, *metric))
                - statistics.mean(parsed(LANGUAGES, treebank, other, *metric))
                for treebank in TREEBANKS.values()
            ]
            reach = scipy.stats.t.ppf(0.975, len(apart) - 1) * scipy.stats.sem(apart)
            cells.append([statistics.mean(apart), float(reach)])
        yield label, cells


def constituents() -> Iterator[Row]:
    data = measured(f"{CONTROLS}/constituents.json")
    parts = ("files 1-99", "files 100-199", "all")
    rows = [("gold heads and tags", each) for each in parts] + [("gold heads, a phrase a head", "all")]
    rows += [("spaCy in UD", each) for each in parts] + [("spaCy in UD, tags from UPOS and feats", "all")]
    for key, part in rows:
        found = data[key][part]
        names = ("unlabelled_f1", "precision", "recall", "labelled_f1", "top_accuracy", "exact")
        yield "", [..., *([found[name]] for name in names), ...]


def parsers() -> Iterator[Row]:
    for label, name in (
        ("large", "large"),
        ("small", "small"),
        ("... those parses alone", "small-corpus-alone"),
        ("... EWT alone", "small-gold-alone"),
    ):
        found = measured(f"{CONTROLS}/parser/{name}.json")["semantic"]
        scores = [[found["parsing"]["test"][metric]] for metric in ("uas", "las", "upos")]
        yield label, [..., ..., *scores, [found["word_order"]["permuted"]["las"]]]


TABLES: list[Table] = [
    ("docs/cssl.md", ("parser", "layers read"), parsers, f"{CONTROLS}/parser"),
    ("docs/cssl.md", ("treebank", "variant"), languages, LANGUAGES),
    ("docs/cssl.md", ("difference",), over_treebanks, LANGUAGES),
    ("docs/constituency.md", ("from", "part"), constituents, f"{CONTROLS}/constituents.json"),
]


@pytest.mark.parametrize("table", TABLES, ids=[each[2].__name__ for each in TABLES])
def test_a_table_shows_what_was_measured(table: Table) -> None:
    assert complaints(*table) == []
