"""ParaBART (Huang, Huang & Chang 2021, section 3): a semantic embedding without syntax.

A decoder predicts a paraphrase from the source's vector and the target's constituency tree. The tree says
how, so the vector need only say what. A discriminator predicts the source's syntax from the vector, and the
encoder is trained against it. Anchors are sources, positives their paraphrases; both have trees.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import torch

from pipeline.core.errors import SynsemError
from pipeline.nn.backbone import Backbone
from pipeline.nn.embedding import embed, vectors
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.params import Parabart, Train
from pipeline.syntax.constituency import tokens
from pipeline.syntax.sentence import HasTree, Side
from pipeline.systems import base
from pipeline.systems.parabart.adversary import Discriminator, bags, discriminator_loss, domain_confusion_loss
from pipeline.systems.parabart.decoder import (
    Memory,
    Paraphraser,
    SubwordLosses,
    decoder_config,
    subword_losses,
)
from pipeline.systems.parabart.trees import Template, TreeCache, tree_tokens
from pipeline.systems.parabart.words import WordCount, first_words, mask_subwords

_COUNTED_AT_ONCE = 1024  # sentences whose subwords are counted


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
        bart = whole.config.model_type == "bart"
        if bart and self.params.decoder_subwords is not None:
            raise SynsemError(
                "parabart.decoder_subwords: with a BART the table is shared and stays whole; leave it null"
            )
        self.paraphraser = Paraphraser(
            decoder_config(whole.config, table.num_embeddings),
            self.params.max_tree_tokens,
            self.params.guidance,
            self.params.vector_every_step,
            table,
            whole.decoder if bart else None,
            self.params.decoder_subwords,
            self._word_count(table.num_embeddings) if self.params.leaf_every_step else None,
        )
        self._tree, self._encoder_frozen = TreeCache(self.params.trees == "derived"), False
        self.discriminator = Discriminator(self.semantic.width) if self.params.adversary else None
        special = backbone.tokenizer
        self.start = _first_known(special.cls_token_id, special.bos_token_id, special.pad_token_id)
        self.end = _first_known(special.sep_token_id, special.eos_token_id)
        self._mask = _first_known(special.mask_token_id, special.unk_token_id)
        self._unknown = _first_known(special.unk_token_id, special.mask_token_id, special.pad_token_id)

    def _word_count(self, rows: int) -> WordCount:
        tokenizer = self.tokenizer.hf_tokenizer
        return WordCount(tokenizer.convert_ids_to_tokens(range(min(rows, len(tokenizer)))), rows)

    def prepare(self, sentences: Iterable[HasTree]) -> None:
        """Count the sources' subwords, for the decoder's output bias."""
        counts = torch.zeros(self.semantic.model.get_input_embeddings().num_embeddings)
        remaining = iter(sentences)
        while some := list(islice(remaining, _COUNTED_AT_ONCE)):
            ids = torch.tensor([subword for target in self._targets(some) for subword in target])
            counts.add_(torch.bincount(ids, minlength=len(counts)))
        self.paraphraser.start_from_counts(counts, [self.start, self.end], self._unknown)

    def schedule(self) -> Train:
        """``parabart.steps`` times the steps of ``train``, for a decoder that starts at random."""
        return base.scaled_steps(self.settings.train, self.params.steps)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """As published (4.1), the decoder has a rate of its own; here the discriminator may, too."""
        groups = [
            {"params": list(self.semantic.parameters()), "lr_scale": 1.0},
            {"params": list(self.paraphraser.parameters()), "lr_scale": self.params.decoder_lr_scale},
        ]
        if self.discriminator is not None:
            rate = self.params.discriminator_lr_scale
            groups.append({"params": list(self.discriminator.parameters()), "lr_scale": rate})
        return groups

    def phase(self, step: int) -> int:
        """See ``base.System``: 0 while the semantic encoder is frozen, then 1."""
        return int(step >= round(self.params.freeze_encoder * self.schedule().steps))

    def begin_step(self, step: int) -> None:
        """Freeze the semantic encoder in the first steps (``freeze_encoder``); see ``source_vectors``."""
        self._encoder_frozen = self.phase(step) == 0
        # A BART's decoder reads and predicts by the encoder's own table.
        self.semantic.model.get_input_embeddings().weight.requires_grad_(not self._encoder_frozen)
        self._tree.forget()

    @property
    def adversary(self) -> base.Adversary | None:
        """The discriminator, where there is one; it is updated first, from vectors without a gradient."""
        if self.discriminator is None:
            return None
        return base.Adversary("discriminator", self.discriminator, self._discriminator_losses)

    def _discriminator_losses(self, batch: base.Batch) -> base.Embeddings:
        assert self.discriminator is not None
        with torch.no_grad():
            vectors = self.source_vectors(batch.anchors)
        return {"loss": discriminator_loss(self._bags(batch), self.discriminator(vectors))}

    def _bags(self, batch: base.Batch) -> torch.Tensor:
        # Both updates of a step need them.
        tree = self._tree.remember if self.training else self._tree
        return bags([tree(each) for each in batch.anchors], self.device)

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """Of each example: ``SubwordLosses``, its bag of tags and ``tags`` as predicted."""
        sources = self.source_vectors(batch.anchors)
        if batch.anchors:
            memory = self.memory(sources, self._templates(batch.positives))
            targets = self._targets(batch.positives)
            found = subword_losses(self.paraphraser, memory, targets, self.start)._asdict()
        else:  # a process may have no part of a small batch
            found = dict.fromkeys(SubwordLosses._fields, sources.new_zeros(0))
        if self.discriminator is not None:
            found["bags"] = self._bags(batch)
            found["tags"] = self.discriminator(sources)
        return found

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """L_para - ``adversary`` * L_adv, L_para as a mean over subwords (section 3).

        When not training it is L_para alone, by which the paper chooses (A), with the share of subwords
        predicted right. ``domain_confusion`` puts its loss in the place of L_adv, which rewards the encoder
        for misleading the discriminator too, and not only for hiding syntax.
        """
        found = embeddings
        total = found["subwords"].sum()
        loss = found["loss"].sum() / total
        losses = {"loss": loss, "paraphrase": loss}
        if "tags" in found:
            losses["adversarial"] = discriminator_loss(found["bags"], found["tags"]).mean()
            if self.training:
                gain = domain_confusion_loss if self.params.domain_confusion else discriminator_loss
                losses["loss"] = loss - self.params.adversary * gain(found["bags"], found["tags"]).mean()
        return losses if self.training else losses | {"piece_accuracy": found["correct"].sum() / total}

    def source_vectors(self, sentences: Sequence[HasTree]) -> torch.Tensor:
        """u of each source, float32 [B, D], cut to ``max_words``, with word dropout in training.

        While the encoder is frozen there is no gradient: a decoder that cannot predict yet does not move it.
        """
        sides = [Side(first_words(each, self.params.max_words), (), ()) for each in sentences]
        encoded = self.tokenizer.encode(sides, trees=False)
        if self.training:
            spared = frozenset(self.tokenizer.hf_tokenizer.all_special_ids)
            encoded = mask_subwords(encoded, self.params.word_dropout, self._mask, spared)
        with torch.set_grad_enabled(torch.is_grad_enabled() and not (self.training and self._encoder_frozen)):
            return vectors(self.semantic, self.tokenizer, encoded)

    def _targets(self, sentences: Sequence[HasTree]) -> list[list[int]]:
        """The subwords of each target, cut to ``max_words``, and the end unless it was cut."""
        texts = [first_words(each, self.params.max_words) for each in sentences]
        subwords = self.tokenizer.hf_tokenizer(texts, add_special_tokens=False)["input_ids"]
        whole = [text == each.text for text, each in zip(texts, sentences, strict=True)]
        longest = self.paraphraser.config.max_position_embeddings
        return [(ids + [self.end] * ends)[:longest] for ids, ends in zip(subwords, whole, strict=True)]

    @property
    def guided(self) -> bool:
        """Whether the decoder reads a template, the target's tree."""
        return self.params.guidance

    def _templates(self, sentences: Sequence[HasTree]) -> list[Template] | None:
        """The targets' trees; None without guidance."""
        return [self.template(each) for each in sentences] if self.params.guidance else None

    def template(self, sentence: HasTree) -> Template:
        """The linearised tree of a sentence, chosen by ``parabart.trees``."""
        return tokens(self._tree(sentence))

    def memory(self, vectors: torch.Tensor, templates: Sequence[Template] | None) -> Memory:
        """What the decoder attends to, [u; V], from vectors u [B, D] and linearised trees."""
        trees = None
        if self.params.guidance:
            assert templates is not None
            trees = tree_tokens(templates, self.params.max_tree_tokens, self.device)
        return self.paraphraser.memory(vectors, trees)

    def score_targets(
        self, sources: Sequence[HasTree], targets: Sequence[HasTree], templates: Sequence[Template] | None
    ) -> SubwordLosses:
        """How well targets are predicted from sources and templates, row by row."""
        memory = self.memory(self.source_vectors(sources), templates)
        return subword_losses(self.paraphraser, memory, self._targets(targets), self.start)

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        return embed({"semantic": self.semantic}, self.tokenizer, sentences)

    def backbone_config(self) -> dict[str, Any]:
        """That of the whole backbone, for a BART's decoder is used too."""
        return dict(self._config)


def _first_known(*ids: int | None) -> int:
    for each in ids:
        if each is not None:
            return each
    raise SynsemError("encoder.model: the tokenizer has no special tokens to begin or end a sentence with")
