"""How well paraphrases are predicted, by a system whose every loss is known."""

from collections.abc import Sequence
from types import SimpleNamespace

import pytest
import torch

from pipeline.core.errors import SynsemError
from pipeline.evaluation.data import Example, HeldOutSentence, Variant
from pipeline.evaluation.tasks.paraphrasing import Pair, _pair_sets, paraphrasing, prediction, predicts
from pipeline.syntax.constituency import template
from pipeline.syntax.sentence import HasTree
from tests.systems.parabart.paraphrases import ANCHORS, BATCH

PAIRS = [Pair(*sides) for sides in zip(ANCHORS, BATCH.positives, strict=True)]


class Knowing:
    """Loses 1 nat a subword, 2 given another source, 4 given another template."""

    def __init__(self, pairs: Sequence[Pair], guided: bool = True) -> None:
        self.guided, self.own = guided, {pair.target.text: pair.source.text for pair in pairs}

    def template(self, sentence: HasTree) -> Sequence[str]:
        return template(sentence)

    def score_targets(
        self, sources: Sequence[HasTree], targets: Sequence[HasTree], templates: Sequence[object] | None
    ) -> SimpleNamespace:
        assert (templates is not None) == self.guided
        loss = [1.0 if self.own[b.text] == a.text else 2.0 for a, b in zip(sources, targets, strict=True)]
        if templates is not None:
            wrong = [tree != template(b) for tree, b in zip(templates, targets, strict=True)]
            loss = [4.0 if off else value for off, value in zip(wrong, loss, strict=True)]
        subwords = torch.arange(1.0, len(loss) + 1)
        return SimpleNamespace(loss=torch.tensor(loss) * subwords, correct=subwords / 2, subwords=subwords)


def test_the_loss_is_a_mean_over_subwords_and_rises_with_another_pairs_source_or_tree() -> None:
    found = prediction(Knowing(PAIRS), PAIRS)
    assert found == pytest.approx(
        {"loss": 1, "piece_accuracy": 0.5, "loss_other_source": 2, "loss_other_template": 1}
    )  # all four trees are of one shape
    mixed = [*PAIRS[:2], Pair(BATCH.positives[2], ANCHORS[2])]
    # One, two and three subwords; the second pair and the third get a tree of another shape.
    expected = (1 * 1 + 2 * 4 + 3 * 4) / 6
    assert prediction(Knowing(mixed), mixed)["loss_other_template"] == pytest.approx(expected)


def test_a_system_that_reads_no_trees_has_no_other_tree() -> None:
    found = prediction(Knowing(PAIRS, guided=False), PAIRS)
    assert found == pytest.approx({"loss": 1, "piece_accuracy": 0.5, "loss_other_source": 2})


def test_pairs_are_rewordings_of_held_out_text_and_test_positives_whose_texts_have_trees() -> None:
    (a, b), (c, d) = PAIRS[:2]
    held = HeldOutSentence("s", "d", a)  # type: ignore[arg-type]
    variants = [Variant("s", "x", meaning, b) for meaning in ("same", "different", "order")]
    rows = [("test", a, d, "1"), ("test", a, c, "0"), ("dev", c, d, "1"), ("train", b, d, "1")]
    examples = [Example("paws-wiki", "", split, x.text, y.text, None, label) for split, x, y, label in rows]
    examples += [Example("paws-wiki", "", "test", a.text, "no tree", None, "1")]
    context = SimpleNamespace(
        corpus=SimpleNamespace(sentences=[held], variants={"s": variants}),
        benchmarks=SimpleNamespace(
            trees={each.text: each for each in (a, b, c, d)}, by_task={"paws-wiki": examples}
        ),
    )
    found = dict(_pair_sets(context))  # type: ignore[arg-type]
    assert found == {"variants": [Pair(a, b)], "paws": [Pair(a, d)]}


def test_a_model_that_predicts_nothing_is_refused() -> None:
    assert predicts(Knowing(PAIRS))
    assert not predicts(SimpleNamespace())
    context = SimpleNamespace(embeddings=SimpleNamespace(embedder=SimpleNamespace()))
    with pytest.raises(SynsemError, match="predicts no paraphrases"):
        paraphrasing(context)  # type: ignore[arg-type]


def test_another_source_comes_with_the_targets_own_tree() -> None:
    """Of pairs whose trees differ, so that another pair's tree would be seen."""
    mixed = [*PAIRS[:2], Pair(BATCH.positives[2], ANCHORS[2])]
    found = prediction(Knowing(mixed), mixed)
    assert found["loss_other_source"] == pytest.approx(2)
    assert found["loss_other_template"] > 3
