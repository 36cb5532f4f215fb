"""Probe labels of known sentences, and probes of models whose answer is known."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_world import BagOfHashes, clause, context, outcome_of, sentence

from pipeline.evaluation.classifiers import PROBE_SETTINGS, Fitter, Problem
from pipeline.evaluation.data import Row
from pipeline.evaluation.tasks import probes
from pipeline.evaluation.tasks.probes import (
    FOLDS,
    Probe,
    ProbeDataset,
    build_dataset,
    cross_fit,
    shift_bigram,
)
from pipeline.syntax.sentence import Sentence


def test_numbers_of_subject_and_object() -> None:
    dogs = clause("dogs", "chase", "ball", plural_subject=True, plural_object=False)
    assert probes.number(dogs, "nsubj") == "Plur"
    assert probes.number(dogs, "obj") == "Sing"
    assert probes.number(replace(dogs, upos=("DET", "PROPN", "VERB", "DET", "NOUN")), "nsubj") is None
    assert probes.number(replace(dogs, deprels=("det", "nsubj", "root", "det", "obl")), "obj") is None


def test_depth_counts_edges_and_is_clipped() -> None:
    chain = sentence("a b c d", "X X X X", "0 1 2 3", "root dep dep dep")
    assert probes.tree_depth(chain) == "3"
    assert probes.tree_depth(clause("dogs", "see", "cats", True, True)) == "2"
    long = sentence(
        " ".join("abcdefghijklmn"), " ".join("X" * 14), " ".join(map(str, range(14))), " ".join(["dep"] * 14)
    )
    assert probes.tree_depth(long) == "9"


def test_tree_distance_is_between_the_outer_words() -> None:
    quoted = sentence(
        '" the dogs see cats . "',
        "PUNCT DET NOUN VERB NOUN PUNCT PUNCT",
        "4 3 4 0 4 4 4",
        "punct det nsubj root obj punct punct",
    )
    assert probes.tree_distance(quoted) == "3"  # the - dogs - see - cats
    assert probes.tree_distance(sentence("Yes .", "INTJ PUNCT", "0 1", "root punct")) is None
    long = " ".join("abcdefghijklmn")
    chain = sentence(long, " ".join("X" * 14), " ".join(map(str, range(14))), " ".join(["dep"] * 14))
    assert probes.tree_distance(chain) == "8"


def test_shifted_bigram_keeps_the_shape() -> None:
    source = clause("dogs", "chase", "ball", True, False)
    shifted = shift_bigram(source)
    assert shifted is not None
    places = [i for i in range(5) if source.words[i] != shifted.words[i]]
    assert len(places) == 2
    assert places[1] == places[0] + 1
    assert places[0] >= 1
    assert sorted(shifted.words) == sorted(source.words)
    assert shifted.heads == source.heads
    assert shift_bigram(source) == shifted
    two = sentence("Stop !", "VERB PUNCT", "0 1", "root punct")
    assert shift_bigram(two) is None


def test_words_give_numbers_but_not_order(world: Path) -> None:
    found = outcome_of("probes", context(world, BagOfHashes())).metrics["semantic"]["probe"]
    # All sentences have one depth, one distance and one sequence of phrases: these probes are left out.
    assert set(found) == {"subject_number", "object_number", "bigram_shift"}
    assert abs(found["bigram_shift"]["accuracy"] - 50) < 20
    assert found["bigram_shift"]["majority"] <= 60


def test_shift_is_balanced() -> None:
    held = held_out(
        [
            clause(f"dog{'s' * n}", "see", f"cat{'s' * n}", plural_subject=n % 3 > 0, plural_object=n % 2 > 0)
            for n in range(40)
        ]
    )
    data = build_dataset(held)
    shift = next(each for each in data.probes if each.name == "bigram_shift")
    original, shifted = (shift.labels == shift.classes.index(name) for name in ("original", "shifted"))
    bags = [sorted(each.text.split()) for each in data.sentences]
    assert shifted.sum() > 10
    for row in np.flatnonzero(shifted):
        source = bags.index(bags[row])
        assert source < len(held)
        assert not original[source]
        assert data.folds[row] == data.folds[source]
    assert {probe.name for probe in data.probes} == {"subject_number", "object_number", "bigram_shift"}
    for probe in data.probes:
        one, other = np.bincount(probe.labels[probe.labels >= 0])
        assert one == other


def test_setting_is_chosen_on_its_own_fold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Setting s is right on the fold that comes s folds after the tested one, and wrong on all others.

    One that is right on the tested fold alone, as if chosen by looking at it, is not taken.
    """
    labels, folds = np.tile([0, 1], 20), np.arange(40) // 8
    data = ProbeDataset([], folds, [Probe("p", ["a", "b"], labels)])
    count = len(PROBE_SETTINGS["logistic"])
    trained = []

    def predict(fitter: Fitter, problems: Sequence[Problem]) -> np.ndarray:
        np.testing.assert_allclose(fitter.features, 1, rtol=1e-6)  # whatever the length of the vectors
        trained.extend(each.train for each in problems)
        places = [(number // count, number % count) for number in range(len(problems))]
        right = [folds == (fold + setting) % FOLDS for fold, setting in places]
        return np.stack([np.where(each, labels, 1 - labels) for each in right])

    monkeypatch.setattr(Fitter, "predict", predict)
    assert not cross_fit(np.full((40, 3), 7, dtype=np.float32), data, "logistic")[0].any()
    for number, used in enumerate(trained):
        fold = number // count
        assert set(folds[used]) == set(range(FOLDS)) - {fold, (fold + 1) % FOLDS}


def held_out(sentences: list[Sentence]) -> list[Row]:
    """Each sentence in a document of its own."""
    return [{"sent_id": f"s{n}", "doc_id": f"d{n}"} | each.row() for n, each in enumerate(sentences)]


def test_probe_without_training_rows_is_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It ended the evaluation of a small corpus in a traceback of torch."""
    one, other = (clause("dogs", "chase", "balls", True, plural) for plural in (True, False))
    rest = [sentence(f"dogs run{'s' * n}", "NOUN VERB", "2 0", "nsubj root") for n in range(20)]
    for place in range(20):  # two rows in neighbouring folds leave a fold none to train on
        data = build_dataset(held_out([one, *rest[:place], other, *rest[place:]]))
        for probe, fold in itertools.product(data.probes, range(FOLDS)):
            trains = ~np.isin(data.folds, (fold, (fold + 1) % FOLDS))
            assert (probe.labels[trains] >= 0).any()
    assert "probe object_number: left out" in capsys.readouterr().err
