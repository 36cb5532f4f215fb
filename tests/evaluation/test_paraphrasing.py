"""Measures of paraphrases, on a writer whose every answer is known."""

from collections.abc import Sequence
from types import SimpleNamespace

import pytest
import torch

from pipeline.core.errors import SynsemError
from pipeline.evaluation.tasks.paraphrasing import Pair, bleu, paraphrasing, quality, writes
from pipeline.syntax.constituency import template
from pipeline.syntax.sentence import HasTree
from tests.systems.parabart.paraphrases import ANCHORS, BATCH

PAIRS = [Pair(*sides) for sides in zip(ANCHORS, BATCH.positives, strict=True)]
TREES = {each.text: each for each in (*ANCHORS, *BATCH.positives)}


class Knowing:
    """Writes the target of each source: 1 nat a subword, 2 given another source, 4 given another template."""

    guided = True

    def template(self, sentence: HasTree) -> Sequence[str]:
        return template(sentence)

    def write(self, sources: Sequence[HasTree], templates: object, *_: int) -> list[list[SimpleNamespace]]:
        known = {source.text: target.text for source, target in PAIRS}
        return [[SimpleNamespace(text=known[each.text])] for each in sources]

    def score_targets(
        self, sources: Sequence[HasTree], targets: Sequence[HasTree], templates: Sequence[object] | None
    ) -> SimpleNamespace:
        own = {target.text: source.text for source, target in PAIRS}
        loss = [1.0 if own[b.text] == a.text else 2.0 for a, b in zip(sources, targets, strict=True)]
        if templates is not None:
            wrong = [tree != template(b) for tree, b in zip(templates, targets, strict=True)]
            loss = [4.0 if off else value for off, value in zip(wrong, loss, strict=True)]
        subwords = torch.arange(1.0, len(loss) + 1)
        return SimpleNamespace(loss=torch.tensor(loss) * subwords, correct=subwords / 2, subwords=subwords)


class Copying(Knowing):
    """Writes its sources, and reads no template."""

    guided = False

    def write(self, sources: Sequence[HasTree], templates: object, *_: int) -> list[list[SimpleNamespace]]:
        assert templates is None
        return [[SimpleNamespace(text=each.text)] for each in sources]


def trees(texts: Sequence[str]) -> list[HasTree]:
    return [TREES[text] for text in texts]


def test_a_perfect_writer_and_one_that_copies() -> None:
    perfect, copied = quality(Knowing(), PAIRS, trees), quality(Copying(), PAIRS, trees)
    assert perfect["bleu"] == pytest.approx(100)
    assert copied["bleu_source"] == pytest.approx(100)
    assert perfect["bleu_other_source"] < 60
    assert copied["bleu"] == pytest.approx(copied["bleu_copy"])
    assert perfect["bleu_copy"] == copied["bleu_copy"] < 60
    assert perfect["loss"] == pytest.approx(1)
    assert perfect["loss_other_source"] == pytest.approx(2)
    assert perfect["loss_other_template"] == pytest.approx(1)  # all four are of one shape
    assert "loss_other_template" not in copied
    assert perfect["piece_accuracy"] == pytest.approx(0.5)
    assert (perfect["template_match"], perfect["template_exact"], perfect["template_distance"]) == (1, 1, 0)
    assert perfect["template_match_other"] == 1
    assert copied["template_exact"] == 0
    assert copied["template_distance"] > 0.1


def test_templates_of_other_pairs_are_those_of_other_pairs() -> None:
    mixed = [PAIRS[0], Pair(PAIRS[1].source, PAIRS[1].target), Pair(BATCH.positives[2], ANCHORS[2])]

    class Mixed(Knowing):
        def write(
            self, sources: Sequence[HasTree], templates: object, *_: int
        ) -> list[list[SimpleNamespace]]:
            known = {source.text: target.text for source, target in mixed}
            return [[SimpleNamespace(text=known[each.text])] for each in sources]

        def score_targets(
            self, sources: Sequence[HasTree], targets: Sequence[HasTree], templates: Sequence[object] | None
        ) -> SimpleNamespace:
            assert templates is not None
            wrong = [tree != template(b) for tree, b in zip(templates, targets, strict=True)]
            ones = torch.ones(len(targets))
            return SimpleNamespace(loss=torch.tensor(wrong).float(), correct=ones, subwords=ones)

    found = quality(Mixed(), mixed, trees)
    assert found["loss"] == 0
    assert found["loss_other_template"] == pytest.approx(2 / 3)
    assert found["template_exact"] == 1
    assert found["template_exact_other"] == pytest.approx(1 / 3)


def test_without_a_parser_or_sacrebleu_the_rest_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sacrebleu.metrics.bleu", None)
    assert bleu(["a"], ["a"]) is None
    found = quality(Knowing(), PAIRS)
    assert set(found) == {"loss", "loss_other_source", "loss_other_template", "piece_accuracy"}
    assert "pip install sacrebleu" in capsys.readouterr().err


def test_a_model_that_writes_nothing_is_refused() -> None:
    assert not writes(SimpleNamespace())
    context = SimpleNamespace(embeddings=SimpleNamespace(embedder=SimpleNamespace()))
    with pytest.raises(SynsemError, match="writes no paraphrases"):
        paraphrasing(context)  # type: ignore[arg-type]
