"""ParaBART (Huang, Huang & Chang 2021, section 3): a semantic embedding without syntax.

A decoder predicts a paraphrase from the source's vector and the target's constituency tree. The tree says
how, so the vector need only say what. A discriminator predicts the source's syntax from the vector, and the
encoder is trained against it. Anchors are sources, positives their paraphrases; both have trees.
"""

from collections.abc import Iterable, Sequence, Set
from itertools import islice
from typing import Any, NamedTuple

import torch
from torch import nn

from pipeline.core.errors import SynsemError
from pipeline.core.params import Parabart
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder, vectors
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer
from pipeline.syntax import constituency
from pipeline.syntax.constituency.tree import PHRASES, TAGS, Tree, tag_counts
from pipeline.syntax.sentence import Sentence, word_starts
from pipeline.systems import base
from pipeline.systems.parabart.decoder import Paraphraser, Target, Template, decoder_config

_MOST_WORDS = 40  # of source and target, as published (4.1); longer ones are cut
_WORD_DROPOUT = 0.2  # of the source's subwords (appendix A)
_COUNTED_AT_ONCE = 1024  # sentences whose subwords are counted
LABELS = (*PHRASES, *TAGS)


def bags(trees: Sequence[Tree]) -> torch.Tensor:
    """Return h, the share of each label among a tree's constituents: float32 [B, labels], rows sum to 1."""
    counts = [[float(count[label]) for label in LABELS] for count in map(tag_counts, trees)]
    table = torch.tensor(counts).view(len(trees), len(LABELS))
    return table / table.sum(dim=1, keepdim=True)


class Discriminator(nn.Module):
    """y_h = softmax(W u + b), linear as published."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, len(LABELS))

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """log y_h of each vector [B, width], float32 [B, labels]."""
        return self.linear(vectors).float().log_softmax(dim=1)


def discriminator_loss(bags: torch.Tensor, predicted: torch.Tensor) -> torch.Tensor:
    """L_adv of each sentence, float32 [B]: ``-sum_t h(t) log y_h(t)``, of bags and ``predicted`` log y_h."""
    return -(bags * predicted).sum(dim=1)


class Reading(NamedTuple):
    """What the losses need of N examples before any network runs."""

    sources: list[EncodedSentence]
    targets: list[Target]
    templates: list[Template] | None  # the targets' trees; None without guidance
    bags: torch.Tensor | None  # float32 [N, labels], of the sources' trees; None without an adversary


class System(base.System):
    """View: ``semantic``, the pooled states u of a source."""

    name = "parabart"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Parabart)
        self.settings, self.params = settings, settings.system
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, settings.encoder.max_tokens)
        whole = backbone.model
        self._config = whole.config.to_dict()  # the whole model's: a BART's first decoder layer is used too
        self.semantic = Encoder(whole, settings.encoder.pooling)
        table = self.semantic.model.get_input_embeddings()
        if table.weight.shape[1] != self.semantic.width:
            raise SynsemError(
                f"encoder.model: the subword vectors of {whole.config.model_type} are narrower than its "
                "states, so no decoder can read them; name a BERT, RoBERTa, MPNet, DistilBERT or BART model"
            )
        config = decoder_config(whole.config, table.num_embeddings)
        decoder = whole.decoder if whole.config.model_type == "bart" else None
        self.paraphraser = Paraphraser(config, self.params.guidance, table, decoder)
        self._encoder_frozen = False
        self.discriminator = Discriminator(self.semantic.width) if self.params.adversary else None
        special = backbone.tokenizer
        self.start = _first_known(special.cls_token_id, special.bos_token_id, special.pad_token_id)
        self.end = _first_known(special.sep_token_id, special.eos_token_id)
        self._mask = _first_known(special.mask_token_id, special.unk_token_id)

    def prepare(self, sentences: Iterable[Sentence]) -> None:
        """Count the sources' subwords, for the decoder's output bias."""
        counts = torch.zeros(self.paraphraser.table.num_embeddings)
        remaining = iter(sentences)
        while some := list(islice(remaining, _COUNTED_AT_ONCE)):
            ids = torch.tensor([subword for target in self._targets(some) for subword in target])
            counts.add_(torch.bincount(ids, minlength=len(counts)))
        self.paraphraser.start_from_counts(counts)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """As published (4.1), the decoder has a rate of its own; here the discriminator may as well."""
        groups = [
            {"params": list(self.semantic.parameters()), "lr": self.params.learning_rate},
            {"params": list(self.paraphraser.parameters()), "lr": self.params.decoder_learning_rate},
        ]
        if self.discriminator is not None:
            rate = self.params.discriminator_learning_rate
            groups.append({"params": list(self.discriminator.parameters()), "lr": rate})
        return groups

    def phase(self, step: int) -> int:
        """See ``base.System``: 0 while the semantic encoder is frozen, then 1."""
        return int(step >= round(self.params.freeze_encoder * self.params.steps))

    def begin_step(self, step: int) -> None:
        """Freeze the semantic encoder in the first steps (``freeze_encoder``); see ``_source_vectors``."""
        self._encoder_frozen = self.phase(step) == 0
        # A BART's decoder reads and predicts by the encoder's own table.
        self.semantic.model.get_input_embeddings().weight.requires_grad_(not self._encoder_frozen)

    @property
    def adversary(self) -> base.Adversary | None:
        """The discriminator, if there is one; it is updated first, from vectors without a gradient."""
        part = self.discriminator
        return None if part is None else base.Adversary("discriminator", part, self._discriminator_losses)

    def _discriminator_losses(self, batch: base.Batch) -> base.Embeddings:
        reading: Reading = self.reading(batch)
        assert self.discriminator is not None
        assert reading.bags is not None
        with torch.no_grad():
            vectors = self._source_vectors(reading.sources)
        return {"loss": discriminator_loss(reading.bags.to(self.device), self.discriminator(vectors))}

    def read(self, batch: base.Batch, step: int | None) -> Reading:
        """See ``base.System``."""
        return Reading(
            self._sources(batch.anchors),
            self._targets(batch.positives),
            list(map(constituency.template, batch.positives)) if self.params.guidance != "none" else None,
            bags([constituency.derive(each) for each in batch.anchors]) if self.discriminator else None,
        )

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """Of each example: L_para, its bag of tags and ``tags`` as predicted."""
        reading: Reading = self.reading(batch)
        sources = self._source_vectors(reading.sources)
        if reading.sources:
            memory = self.paraphraser.memory(sources, reading.templates)
            found = {"paraphrase": self.paraphraser.losses(memory, reading.targets, self.start)}
        else:  # a process may have no part of a small batch
            found = {"paraphrase": sources.new_zeros(0)}
        if self.discriminator is not None:
            assert reading.bags is not None
            found |= {"bags": reading.bags.to(self.device), "tags": self.discriminator(sources)}
        return found

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """L_para - ``adversary`` * L_adv (section 3), the mean over the batch.

        When not training, ``loss`` is L_para only, by which the paper chooses (A).
        """
        loss = embeddings["paraphrase"].mean()
        losses = {"loss": loss, "paraphrase": loss}
        if "tags" in embeddings:
            losses["adversarial"] = discriminator_loss(embeddings["bags"], embeddings["tags"]).mean()
            if self.training:
                losses["loss"] = loss - self.params.adversary * losses["adversarial"]
        return losses

    def _sources(self, sentences: Sequence[Sentence]) -> list[EncodedSentence]:
        sides = [Sentence(_first_words(each), (), ()) for each in sentences]
        return self.tokenizer.encode(sides, trees=False)

    def _source_vectors(self, sources: Sequence[EncodedSentence]) -> torch.Tensor:
        """u of each source, float32 [B, D], with word dropout in training.

        While the encoder is frozen there is no gradient: a decoder that cannot predict yet does not move it.
        """
        if self.training:
            spared = frozenset(self.tokenizer.hf_tokenizer.all_special_ids)
            sources = _mask_subwords(sources, self._mask, spared)
        with torch.set_grad_enabled(torch.is_grad_enabled() and not (self.training and self._encoder_frozen)):
            return vectors(self.semantic, self.tokenizer, sources)

    def _targets(self, sentences: Sequence[Sentence]) -> list[Target]:
        """The targets, cut to ``_MOST_WORDS``; with the end unless it was cut."""
        if not sentences:
            return []
        texts, longest = list(map(_first_words, sentences)), self.paraphraser.config.max_position_embeddings
        encoded = self.tokenizer.tokenize(texts, places=False, special=False)["input_ids"]
        return [
            ([*ids, self.end] if text == sentence.text else ids)[:longest]
            for sentence, text, ids in zip(sentences, texts, encoded, strict=True)
        ]

    def backbone_config(self) -> dict[str, Any]:
        """Return that of the whole backbone, for a BART's decoder is used too."""
        return dict(self._config)


def _first_known(*ids: int | None) -> int:
    for each in ids:
        if each is not None:
            return each
    raise SynsemError("encoder.model: the tokenizer has no special tokens to begin or end a sentence with")


def _first_words(sentence: Sentence) -> str:
    """The text up to the end of its last word of ``_MOST_WORDS``; SynsemError if words and text disagree."""
    kept = sentence.words[:_MOST_WORDS]
    if len(kept) == len(sentence.words):
        return sentence.text
    return sentence.text[: word_starts(sentence.text, kept)[-1] + len(kept[-1])]


def _mask_subwords(encoded: Sequence[EncodedSentence], mask: int, spared: Set[int]) -> list[EncodedSentence]:
    """Word dropout (Iyyer et al. 2015): subwords that are not ``spared``, replaced by ``mask`` at random."""
    masked = []
    for sentence in encoded:
        draws = torch.rand(len(sentence.ids)).tolist()
        ids = [
            mask if draw < _WORD_DROPOUT and subword not in spared else subword
            for subword, draw in zip(sentence.ids, draws, strict=True)
        ]
        masked.append(sentence._replace(ids=ids))
    return masked
