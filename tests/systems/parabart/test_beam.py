"""Beam search against greedy and beam search by hand, without cache and one sentence at a time."""

from pathlib import Path

import pytest
import torch

from pipeline.syntax.constituency import read, template, tokens
from pipeline.systems.parabart.model import System
from tests.systems.parabart.paraphrases import ANCHORS, BATCH, build, without_dropout

TEMPLATES = [template(each) for each in BATCH.positives[:3]] + [tokens(read("(S (NP) (VP))"))]


@pytest.fixture(scope="module")
def writer(tiny_bart: Path) -> System:
    """Trained a little, so that hypotheses differ in length and end."""
    system = without_dropout(build(tiny_bart, prune=0.5, word_dropout=0.0, vector_every_step=True)).train()
    optimizer = torch.optim.Adam(system.parameters(), lr=5e-3)
    for _ in range(25):
        optimizer.zero_grad()
        system.loss(BATCH)["paraphrase"].backward()
        optimizer.step()
    return system.eval()


@torch.no_grad()
def by_hand(system: System, row: int, beams: int, longest: int) -> list[tuple[list[int], float]]:
    """All finished hypotheses, best first by their mean log-probability."""
    memory = system.memory(system.source_vectors(ANCHORS[row : row + 1]), TEMPLATES[row : row + 1])
    suppressed = sorted({*system.tokenizer.hf_tokenizer.all_special_ids, system.start} - {system.end})
    going: list[tuple[list[int], float]] = [([system.start], 0.0)]
    done: list[tuple[list[int], float]] = []
    for _ in range(longest):
        further = []
        for ids, total in going:
            states = system.paraphraser.states(memory, torch.tensor([ids]))
            scores = system.paraphraser.scores(states[0, -1]).log_softmax(dim=0)
            scores[suppressed] = float("-inf")
            best = scores.topk(2 * beams)
            further += [
                ([*ids, subword], total + score)
                for subword, score in zip(best.indices.tolist(), best.values.tolist(), strict=True)
            ]
        further.sort(key=lambda each: -each[1])
        done += [each for each in further[:beams] if each[0][-1] == system.end]
        going = [each for each in further[: 2 * beams] if each[0][-1] != system.end][:beams]
    means = [(ids[1:], total / (len(ids) - 1)) for ids, total in done + going]
    return sorted(means, key=lambda each: -each[1])


def text(system: System, ids: list[int]) -> str:
    return str(system.tokenizer.hf_tokenizer.decode(ids, skip_special_tokens=True)).strip()


def test_one_beam_is_greedy(writer: System) -> None:
    found = writer.write(ANCHORS, TEMPLATES, beams=1, max_subwords=12)
    for row, (hypothesis,) in enumerate(found):
        ids, score = by_hand(writer, row, 1, 12)[0]
        ids = ids[: ids.index(writer.end) + 1] if writer.end in ids else ids
        assert hypothesis.text == text(writer, ids)
        assert hypothesis.score == pytest.approx(score, abs=1e-4)


def test_several_beams_find_the_best_that_a_search_by_hand_finds(writer: System) -> None:
    found = writer.write(ANCHORS, TEMPLATES, beams=3, best=2, max_subwords=12)
    for row, (first, second) in enumerate(found):
        expected = by_hand(writer, row, 3, 12)
        assert first.score == pytest.approx(expected[0][1], abs=1e-4)
        assert first.text == text(writer, expected[0][0])
        assert first.score >= second.score
        assert first.text != second.text


def test_a_batch_gives_what_each_source_alone_gives(writer: System) -> None:
    search = {"beams": 2, "max_subwords": 10}
    together = writer.write(ANCHORS, TEMPLATES, **search)
    for row, (hypothesis,) in enumerate(together):
        ((alone,),) = writer.write(ANCHORS[row : row + 1], TEMPLATES[row : row + 1], **search)
        assert hypothesis.text == alone.text
        assert hypothesis.score == pytest.approx(alone.score, abs=1e-4)


def test_special_subwords_are_never_written_and_length_is_kept_to(writer: System) -> None:
    for (hypothesis,) in writer.write(ANCHORS, TEMPLATES, beams=2, max_subwords=4):
        assert "[" not in hypothesis.text
        assert len(writer.tokenizer.hf_tokenizer(hypothesis.text, add_special_tokens=False)["input_ids"]) <= 4


def test_without_guidance_no_template_is_needed(tiny_backbone: Path) -> None:
    system = build(tiny_backbone, guidance=False).train()
    assert len(system.write(ANCHORS[:2], None, beams=2, max_subwords=3)) == 2
    assert system.training
