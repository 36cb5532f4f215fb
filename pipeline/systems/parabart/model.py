"""ParaBART (Huang, Huang & Chang 2021, section 3): a semantic embedding without syntax.

A decoder writes a paraphrase from the source's vector and the target's constituency tree. The tree says how,
so the vector need only say what. A discriminator predicts the source's syntax from the vector, and the
encoder is trained against it. Anchors are sources, positives their paraphrases; both have trees.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import torch

from pipeline.core.errors import SynsemError
from pipeline.core.seeding import sample
from pipeline.nn.backbone import Backbone
from pipeline.nn.embedding import embed, vectors
from pipeline.nn.encoder import Encoder
from pipeline.nn.inference import Rows, compute_by_length, evaluation_mode
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.params import Parabart, Train
from pipeline.syntax.constituency import tokens
from pipeline.syntax.constituency.tree import PHRASES
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
from pipeline.systems.parabart.trees import (
    PhraseTemplates,
    Template,
    TreeCache,
    mean_widths,
    prune,
    tree_tokens,
)
from pipeline.systems.parabart.words import WordCount, first_words, mask_subwords

_COUNTED_AT_ONCE = 1024  # sentences whose subwords are counted
_MEASURED = 16  # the phrases of one sentence in so many are measured
_MOST_MEASURED = 20_000  # of them
_TREE_TOKENS_AT_ONCE = 2048  # of the templates of one beam search, with padding


class Paraphrase(NamedTuple):
    """A sentence that was written."""

    text: str
    score: float  # mean log-probability of its subwords and the end, in nats


class System(base.System):
    """View: ``semantic``, the pooled states u of a source. ``write`` gives paraphrases."""

    name = "parabart"
    widths: torch.Tensor  # float64 [phrases], mean number of words in a phrase of each label

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Parabart)
        self.settings, self.params = settings, settings.system
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, settings.encoder.max_tokens)
        whole = backbone.model
        self._config = whole.config.to_dict()  # the whole model's: a BART's first decoder layer is used too
        decoder = getattr(whole, "decoder", None)
        self.semantic = Encoder(whole if decoder is None else whole.get_encoder(), settings.encoder.pooling)
        table = self.semantic.model.get_input_embeddings()
        if table.weight.shape[1] != self.semantic.width:
            raise SynsemError(
                f"encoder.model: the subword vectors of {whole.config.model_type} are narrower than its "
                "states, so it cannot write; name a BERT, RoBERTa, MPNet, DistilBERT or BART model"
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
            decoder if bart else None,
            self.params.decoder_subwords,
            self._word_count(table.num_embeddings) if self.params.leaf_every_step else None,
        )
        self.register_buffer("widths", torch.ones(len(PHRASES), dtype=torch.float64))
        self.phrases = PhraseTemplates()
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
        """Count the sources' subwords, for the decoder's output bias, and measure their phrases."""
        counts = torch.zeros(self.semantic.model.get_input_embeddings().num_embeddings)

        def counted() -> Iterator[HasTree]:
            remaining = iter(sentences)
            while some := list(islice(remaining, _COUNTED_AT_ONCE)):
                ids = torch.tensor([subword for target in self._targets(some) for subword in target])
                counts.add_(torch.bincount(ids, minlength=len(counts)))
                yield from some[::_MEASURED]

        measured = sample(counted(), _MOST_MEASURED, lambda sentence: sentence.text, "phrases")
        trees = [self._tree(sentence) for sentence in measured]
        self.phrases.learn(trees)
        widths = mean_widths(trees)
        self.widths.copy_(torch.tensor([widths[label] for label in PHRASES]))
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
        memory = self.memory(sources, self._templates(batch.positives))
        found = subword_losses(self.paraphraser, memory, self._targets(batch.positives), self.start)._asdict()
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

        While the encoder is frozen there is no gradient: a decoder that cannot write yet does not move it.
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
        return [(ids + [self.end] * ends)[: self.longest] for ids, ends in zip(subwords, whole, strict=True)]

    @property
    def guided(self) -> bool:
        """Whether paraphrases are written to a template."""
        return self.params.guidance

    @property
    def longest(self) -> int:
        """The most subwords of a paraphrase, the end included."""
        return int(self.paraphraser.config.max_position_embeddings)

    def _templates(self, sentences: Sequence[HasTree]) -> list[Template] | None:
        """The targets' trees; in training some are pruned, so that a user's template may be partial."""
        if not self.params.guidance:
            return None
        templates: list[Template] = [self.template(each) for each in sentences]
        if not self.training:
            return templates
        chosen = (torch.rand(len(templates)) < self.params.prune).tolist()
        return [
            prune(each, torch.rand(len(each)).tolist()) if wanted else each
            for each, wanted in zip(templates, chosen, strict=True)
        ]

    def template(self, sentence: HasTree) -> Template:
        """The linearised tree of a sentence, chosen by ``parabart.trees``; the form that ``write`` takes."""
        return tokens(self._tree(sentence))

    def memory(self, vectors: torch.Tensor, templates: Sequence[Template] | None) -> Memory:
        """What the decoder attends to, [u; V], from vectors u [B, D] and linearised trees."""
        trees = None
        if self.params.guidance:
            assert templates is not None
            widths = dict(zip(PHRASES, self.widths.tolist(), strict=True))
            trees = tree_tokens(templates, self.params.max_tree_tokens, widths, self.device)
        return self.paraphraser.memory(vectors, trees)

    def score_targets(
        self, sources: Sequence[HasTree], targets: Sequence[HasTree], templates: Sequence[Template] | None
    ) -> SubwordLosses:
        """How well targets are predicted from sources and templates, row by row."""
        memory = self.memory(self.source_vectors(sources), templates)
        return subword_losses(self.paraphraser, memory, self._targets(targets), self.start)

    @torch.inference_mode()
    def write(
        self,
        sources: Sequence[HasTree],
        templates: Sequence[Template] | None,
        beams: int = 4,
        best: int = 1,
        max_subwords: int = 64,
    ) -> list[list[Paraphrase]]:
        """The ``best`` paraphrases of each source in the syntax of its template, by beam search; in order.

        Templates are linearised trees (``pipeline.syntax.constituency.tokens``), in which phrases may be
        empty; None for a system without guidance. ``best`` is at most ``beams``.
        """
        from pipeline.systems.parabart.beam import SpecialIds, beam_search

        tokenizer = self.tokenizer.hf_tokenizer
        suppressed = sorted({*tokenizer.all_special_ids, self.start} - {self.end})
        ids = SpecialIds(self.start, self.end, suppressed)
        lengths = [len(each.words) for each in sources] if templates is None else list(map(len, templates))

        def written(rows: Rows) -> Iterator[list[Paraphrase]]:
            chosen = None if templates is None else [templates[row] for row in rows]
            memory = self.memory(self.source_vectors([sources[row] for row in rows]), chosen)
            most = min(max_subwords, self.longest)
            for hypotheses in beam_search(self.paraphraser, memory, ids, beams, best, most):
                texts = tokenizer.batch_decode(
                    [each.subwords for each in hypotheses], skip_special_tokens=True
                )
                yield [
                    Paraphrase(text.strip(), each.score) for text, each in zip(texts, hypotheses, strict=True)
                ]

        with evaluation_mode(self):
            return compute_by_length(written, lengths, _TREE_TOKENS_AT_ONCE)

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
