"""The tables on trees, of the parser ``cssl`` and of derived constituents, show what reports/ holds."""

import statistics
from collections.abc import Iterator

import pytest
from measured import CONTROLS, SEEDS, Row, Table, at, complaints, measured, over, page
from page_tables import rows_below
from shell_lines import ROOT


def parsed(folder: str, treebank: str, variant: str, *keys: str) -> list[float]:
    runs = [f"{folder}/{treebank}.{variant}-{seed}.json" for seed in SEEDS]
    found = [at(measured(run)["metrics"]["semantic"], *keys) for run in runs if (ROOT / run).exists()]
    return [value for each in found for value in each or []]


LAS, PERMUTED = ("parsing", "test", "las"), ("word_order", "permuted", "las")


def permutation() -> Iterator[Row]:
    folder = f"{CONTROLS}/cssl-positives"
    for label, treebank in (("Telugu", "te_mtg"), ("Turkish", "tr_imst"), ("Gothic", "got_proiel")):
        yield (
            label,
            [
                [
                    *(over([value] for value in parsed(folder, treebank, variant, *LAS)) or []),
                    statistics.mean(parsed(folder, treebank, variant, *PERMUTED)),
                ]
                for variant in ("ce", "cssl", "dropout")
            ],
        )


TREEBANKS = {
    "Telugu MTG": "te_mtg", "Turkish IMST": "tr_imst", "Hungarian Szeged": "hu_szeged",
    "Gothic PROIEL": "got_proiel", "Ancient Hebrew PTNK": "hbo_ptnk", "Sanskrit STBC": "stbc",
    "Sanskrit Vedic": "sa_vedic", "English EWT": "en_ewt",
}  # fmt: skip
VARIANTS = {
    "cross-entropy": "ce", "cross-entropy + DA": "ce-da", "CSSL": "cssl", "CSSL + DA": "cssl-da",
    "cross-entropy, no positions": "ce-nopos", "cross-entropy, refined once": "ce-refined",
    "CSSL, refined once": "cssl-refined",
}  # fmt: skip


def languages() -> Iterator[Row]:
    folder, treebank = "reports/languages", ""
    for name, variant, _, _, _, plain, rotated, *_ in rows_below(page("docs/cssl.md"), "treebank", "variant"):
        treebank = TREEBANKS.get(name, treebank)
        own = VARIANTS[variant]
        las = parsed(folder, treebank, own, *LAS)
        # Differences are over common seeds; the p-values behind them are not checked here.
        gains = [
            [statistics.mean(las) - statistics.mean(parsed(folder, treebank, base, *LAS)[: len(las)])]
            if cell
            else None
            for cell, base in ((plain, "ce"), (rotated, "ce-da"))
        ]
        uas = over([value] for value in parsed(folder, treebank, own, "parsing", "test", "uas"))
        permuted = over([value] for value in parsed(folder, treebank, own, *PERMUTED))
        yield name, [..., [len(las)], uas, over([value] for value in las), *gains, permuted, ...]


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
    ("docs/cssl.md", ("LAS (permuted)",), permutation, f"{CONTROLS}/cssl-positives"),
    ("docs/cssl.md", ("treebank", "variant"), languages, "reports/languages"),
    ("docs/constituency.md", ("from", "part"), constituents, f"{CONTROLS}/constituents.json"),
]


@pytest.mark.parametrize("table", TABLES, ids=[each[2].__name__ for each in TABLES])
def test_a_table_shows_what_was_measured(table: Table) -> None:
    assert complaints(*table) == []
