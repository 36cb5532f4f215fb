"""ParaBART's objective against the paper's equations, written out subword by subword and label by label."""

from collections import Counter
from pathlib import Path

import pytest
import torch

from pipeline.nn.tokenizer import EncodedSentence
from pipeline.syntax.constituency import template
from pipeline.syntax.constituency.tree import PHRASES, TAGS
from pipeline.syntax.sentence import Side
from pipeline.systems.base import Batch
from pipeline.systems.parabart.decoder import subword_losses
from pipeline.systems.parabart.model import System
from pipeline.systems.parabart.words import mask_subwords
from tests.systems.parabart.paraphrases import ANCHORS, BATCH, build, without_dropout

# Of the trees of ANCHORS, (S (NP (DT) (NN)) (VP (VBD) (NP (DT) (NN))) (.)), which has ten constituents.
BAG = {"S": 1, "NP": 2, "VP": 1, "DT": 2, "NN": 2, "VBD": 1, ".": 1}
WORDS, RELATIONS, TAGGED = ["Dogs", "bark", "."], ["nsubj", "root", "punct"], ["NNS", "VBP", "."]
SHORT = Side("Dogs bark.", WORDS, [2, 0, 2], RELATIONS, (), TAGGED)


def predicted_one_by_one(system: System, vector: torch.Tensor, target: Side) -> torch.Tensor:
    """log P of each subword of the target and of the end, given the subwords before it alone."""
    memory = system.memory(vector[None], [template(target)])
    ids = [*system.tokenizer.hf_tokenizer(target.text, add_special_tokens=False)["input_ids"], system.end]
    found = []
    for number, subword in enumerate(ids):
        before = torch.tensor([[system.start, *ids[:number]]])
        scores = system.paraphraser.logits(system.paraphraser.states(memory, before)[0, -1])
        found.append(scores.log_softmax(dim=0)[subword])
    return torch.stack(found)


@pytest.mark.parametrize("family", ["bert", "bart"])
def test_the_loss_is_that_of_each_subword_given_those_before_it(
    family: str, tiny_backbone: Path, tiny_bart: Path
) -> None:
    """L_para: a decoder that read the subword it predicts would have no loss to learn from."""
    system = build(tiny_backbone if family == "bert" else tiny_bart).eval()
    targets = [SHORT, BATCH.positives[0]]
    vectors = torch.randn(2, 32)
    with torch.no_grad():
        memory = system.memory(vectors, [template(each) for each in targets])
        found = subword_losses(system.paraphraser, memory, system._targets(targets), system.start)
        expected = [predicted_one_by_one(system, *each) for each in zip(vectors, targets, strict=True)]
    assert found.subwords.tolist() == [len(each) for each in expected]
    for row, each in enumerate(expected):
        torch.testing.assert_close(found.loss[row], -each.sum(), atol=1e-4, rtol=1e-4)


def test_the_whole_loss_is_a_mean_over_subwords_less_the_discriminators(tiny_backbone: Path) -> None:
    """Section 3, with L_para as a mean over all subwords; the bag is that of the source's tree."""
    system = build(tiny_backbone, adversary=0.3, domain_confusion=False, word_dropout=0.0)
    without_dropout(system).train()
    batch = Batch([ANCHORS[0], ANCHORS[1]], [SHORT, BATCH.positives[1]], [])
    with torch.no_grad():
        losses = system.loss(batch)
        vectors = system.source_vectors(batch.anchors)
        pairs = zip(vectors, batch.positives, strict=True)
        predicted = torch.cat([predicted_one_by_one(system, *each) for each in pairs])
        assert system.discriminator is not None
        labels = system.discriminator.linear(vectors).softmax(dim=1)
    bag = torch.tensor([BAG.get(label, 0) / 10 for label in (*PHRASES, *TAGS)])
    adversarial = torch.stack([-(bag * each.log()).sum() for each in labels]).mean()
    torch.testing.assert_close(losses["paraphrase"], -predicted.mean(), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(losses["adversarial"], adversarial, atol=1e-5, rtol=1e-4)
    expected = -predicted.mean() - 0.3 * adversarial
    torch.testing.assert_close(losses["loss"], expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_word_dropout_masks_each_subword_with_its_probability(share: float) -> None:
    """Appendix A, of 20,000 subwords: four standard deviations are 0.012 and 0.015."""
    torch.manual_seed(0)
    sentences = [EncodedSentence([1, *range(10, 210), 2], None, None)] * 100
    found = mask_subwords(sentences, share, 3, frozenset((1, 2)))
    masked = sum(subword == 3 for each in found for subword in each.ids)
    assert masked / 20_000 == pytest.approx(share, abs=0.015)
    assert {(each.ids[0], each.ids[-1]) for each in found} == {(1, 2)}
    assert all(new in (3, old) for each in found for new, old in zip(each.ids, sentences[0].ids, strict=True))


def test_the_output_bias_starts_as_the_log_of_how_often_a_subword_is_in_the_sources(
    tiny_backbone: Path,
) -> None:
    """With one added to each count, and less the mean."""
    system = build(tiny_backbone)
    counts = torch.ones(len(system.paraphraser.bias))
    for subword, count in Counter(each for ids in system._targets(ANCHORS) for each in ids).items():
        counts[subword] += count
    assert counts.max() > 4
    torch.testing.assert_close(system.paraphraser.bias.detach(), counts.log() - counts.log().mean())
