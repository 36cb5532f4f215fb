"""ParaBART (Huang, Huang & Chang 2021): a semantic embedding freed of syntax.

A decoder writes a paraphrase from the vector of the source and the constituency tree of the target. As the
tree says how, the vector need only say what; and a discriminator that reads the source's syntax off the
vector is played against the encoder. Anchors are sources, positives their paraphrases; both carry trees.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import torch

from pipeline.constituency import Tree, tokens
from pipeline.constituency.labels import PHRASES
from pipeline.errors import SynsemError
from pipeline.nn.backbone import Backbone
from pipeline.nn.discriminator import Discriminator, against, bags, blindness
from pipeline.nn.embedding import by_length, embed, vectors
from pipeline.nn.encoder import Encoder
from pipeline.nn.first_words import first_words
from pipeline.nn.leaves import mean_widths
from pipeline.nn.paraphraser import Memory, Paraphraser, Written, decoder_config, foretold
from pipeline.nn.tokens import Tokeniser
from pipeline.nn.tree_tokens import Template, prune, tree_tokens
from pipeline.nn.trees_once import TreesOnce
from pipeline.nn.usual_phrases import UsualPhrases
from pipeline.nn.word_count import WordCount
from pipeline.nn.word_dropout import mask_pieces
from pipeline.params import Parabart, Train
from pipeline.sentences import HasTree, Side
from pipeline.systems import base

_AT_ONCE = 1024  # sentences whose pieces are counted
_WIDTHS_OF = 16  # every so manieth of them has its phrases measured
_TREE_TOKENS_AT_ONCE = 2048  # of the templates that are written from, with padding


class Paraphrase(NamedTuple):
    """A sentence that was written."""

    text: str
    score: float  # mean log-probability of its pieces and the end, in nats


class System(base.System):
    """View: ``semantic``, the pooled states u. ``write`` gives paraphrases."""

    name = "parabart"
    widths: torch.Tensor  # float64 [phrases], words of a phrase of each label, in the mean

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Parabart)
        self.settings, self.params = settings, settings.system
        self.tokeniser = Tokeniser(backbone.tokenizer, settings.encoder.max_tokens)
        whole = backbone.model
        self._config = whole.config.to_dict()  # of all of a BART: one layer more than the encoder is used
        decoder = getattr(whole, "decoder", None)
        self.semantic = Encoder(whole if decoder is None else whole.get_encoder(), settings.encoder.pooling)
        words = self.semantic.model.get_input_embeddings()
        if words.weight.shape[1] != self.semantic.width:
            raise SynsemError(
                f"encoder.model: the pieces of {whole.config.model_type} are narrower than its states, so it "
                "cannot write with them; name a BERT, RoBERTa, MPNet, DistilBERT or BART model"
            )
        bart = whole.config.model_type == "bart"
        if bart and self.params.pieces is not None:
            raise SynsemError(
                "parabart.pieces: with a BART the table is shared and stays whole; leave it null"
            )
        self.paraphraser = Paraphraser(
            decoder_config(whole.config, words.num_embeddings),
            self.params.max_tree_tokens,
            self.params.guidance,
            self.params.bridge,
            words,
            decoder if bart else None,
            self.params.pieces,
            self._word_count(words.num_embeddings) if self.params.leaf_bridge else None,
        )
        self.register_buffer("widths", torch.ones(len(PHRASES), dtype=torch.float64))
        self.phrases = UsualPhrases()
        self._tree, self._warming_up = TreesOnce(self.params.trees == "derived"), False
        self.discriminator = Discriminator(self.semantic.width) if self.params.adversary else None
        special = backbone.tokenizer
        self.start = _first(special.cls_token_id, special.bos_token_id, special.pad_token_id)
        self.end = _first(special.sep_token_id, special.eos_token_id)
        self._mask = _first(special.mask_token_id, special.unk_token_id)
        self._unknown = _first(special.unk_token_id, special.mask_token_id, special.pad_token_id)

    def _word_count(self, rows: int) -> WordCount:
        tokenizer = self.tokeniser.tokenizer
        return WordCount(tokenizer.convert_ids_to_tokens(range(min(rows, len(tokenizer)))), rows)

    def prepare(self, sentences: Iterable[HasTree]) -> None:
        """Start the decoder's output from how often the sources' pieces occur; measure their phrases."""
        trees: list[Tree] = []
        counts = torch.zeros(self.semantic.model.get_input_embeddings().num_embeddings)
        remaining = iter(sentences)
        while some := list(islice(remaining, _AT_ONCE)):
            ids = torch.tensor([piece for target in self._targets(some) for piece in target])
            counts += torch.bincount(ids, minlength=len(counts))
            trees += map(self._tree, some[::_WIDTHS_OF])
        self.phrases.learn(trees)
        widths = mean_widths(trees)
        self.widths.copy_(torch.tensor([widths[label] for label in PHRASES]))
        self.paraphraser.expect(counts, [self.start, self.end], self._unknown)

    def schedule(self) -> Train:
        """A decoder starts from nothing: ``parabart.steps`` times the steps of ``train``."""
        train, more = self.settings.train, self.params.steps
        scaled = {name: max(1, round(more * getattr(train, name))) for name in ("steps", "evaluate_every")}
        return train.model_copy(update=scaled)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Two rates, as published: the encoder's and the discriminator's, and that of all the rest."""
        groups = [
            {"params": list(self.semantic.parameters()), "rate": 1.0},
            {"params": list(self.paraphraser.parameters()), "rate": self.params.rate},
        ]
        if self.discriminator is not None:
            rate = self.params.discriminator_rate
            groups.append({"params": list(self.discriminator.parameters()), "rate": rate})
        return groups

    def begin_step(self, step: int) -> None:
        """In the first steps (``warm_up``) the semantic encoder stays as it is; see ``read``."""
        self._warming_up = step < round(self.params.warm_up * self.schedule().steps)
        self._tree.forget()

    @property
    def rival(self) -> base.Rival | None:
        """The discriminator, where there is one: it learns first, from vectors without a gradient."""
        if self.discriminator is None:
            return None
        return base.Rival("discriminator", self.discriminator, self._guess)

    def _guess(self, batch: base.Batch) -> base.Representations:
        assert self.discriminator is not None
        with torch.no_grad():
            read = self.read(batch.anchors)
        return {"loss": against(self._bags(batch), self.discriminator(read))}

    def _bags(self, batch: base.Batch) -> torch.Tensor:
        made = self._tree.keep if self.training else self._tree  # of a step for both its updates
        return bags([made(each) for each in batch.anchors], self.device)

    def represent(self, batch: base.Batch) -> base.Representations:
        """Of each example L_para, summed over the pieces, their number and how many are foretold; the bag of
        tags and what the discriminator foretells of it.
        """
        read = self.read(batch.anchors)
        memory = self.memory(read, self._templates(batch.positives))
        found = foretold(self.paraphraser, memory, self._targets(batch.positives), self.start)._asdict()
        if self.discriminator is not None:
            found["bags"] = self._bags(batch)
            found["tags"] = self.discriminator(read)
        return found

    def objective(self, representations: base.Representations) -> base.Losses:
        """L_para a piece less ``adversary`` times L_adv; when not training L_para alone, by which the paper
        chooses, with the share of pieces that are foretold.

        With ``confuse`` it is not L_adv that the encoder gains by, but that the discriminator tells nothing
        of a sentence: where it tells what is wrong, nothing is hidden, it is only misled.
        """
        found = representations
        total = found["pieces"].sum()
        loss = found["loss"].sum() / total
        losses = {"loss": loss, "paraphrase": loss}
        if "tags" in found:
            losses["adversarial"] = against(found["bags"], found["tags"]).mean()
            if self.training:
                gain = blindness if self.params.confuse else against
                losses["loss"] = loss - self.params.adversary * gain(found["bags"], found["tags"]).mean()
        return losses if self.training else losses | {"piece_accuracy": found["right"].sum() / total}

    def read(self, sentences: Sequence[HasTree]) -> torch.Tensor:
        """u of each source, float32 [B, D], cut to ``max_words``, with word dropout in training.

        Without a gradient while the rest is warming up, so that the encoder is not moved by a decoder that
        cannot write yet.
        """
        sides = [Side(first_words(each, self.params.max_words), (), ()) for each in sentences]
        encoded = self.tokeniser.encode(sides, trees=False)
        if self.training:
            spared = frozenset(self.tokeniser.tokenizer.all_special_ids)
            encoded = mask_pieces(encoded, self.params.word_dropout, self._mask, spared)
        with torch.set_grad_enabled(torch.is_grad_enabled() and not (self.training and self._warming_up)):
            return vectors(self.semantic, self.tokeniser, encoded)

    def _targets(self, sentences: Sequence[HasTree]) -> list[list[int]]:
        """The pieces of each target, at most those of ``max_words``, and the end, if it is not cut."""
        texts = [first_words(each, self.params.max_words) for each in sentences]
        pieces = self.tokeniser.tokenizer(texts, add_special_tokens=False)["input_ids"]
        whole = [text == each.text for text, each in zip(texts, sentences, strict=True)]
        return [(ids + [self.end] * ends)[: self.longest] for ids, ends in zip(pieces, whole, strict=True)]

    @property
    def guided(self) -> bool:
        """Whether paraphrases are written to a template."""
        return self.params.guidance

    @property
    def longest(self) -> int:
        """Pieces of a paraphrase at most, the end included."""
        return int(self.paraphraser.config.max_position_embeddings)

    def _templates(self, sentences: Sequence[HasTree]) -> list[Template] | None:
        """The target's trees; in training some are pruned, so that a user's template may be partial, too."""
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
        """The linearised tree of a sentence, by ``parabart.trees``: what ``write`` takes."""
        return tokens(self._tree(sentence))

    def memory(self, vectors: torch.Tensor, templates: Sequence[Template] | None) -> Memory:
        """[u; V]: what the decoder attends to, of B vectors u [B, D] and linearised trees."""
        trees = None
        if self.params.guidance:
            assert templates is not None
            widths = dict(zip(PHRASES, self.widths.tolist(), strict=True))
            trees = tree_tokens(templates, self.params.max_tree_tokens, widths, self.device)
        return self.paraphraser.memory(vectors, trees)

    def foretell(
        self, sources: Sequence[HasTree], targets: Sequence[HasTree], templates: Sequence[Template] | None
    ) -> Written:
        """How well targets are foretold from sources and templates, row by row."""
        memory = self.memory(self.read(sources), templates)
        return foretold(self.paraphraser, memory, self._targets(targets), self.start)

    @torch.inference_mode()
    def write(
        self,
        sources: Sequence[HasTree],
        templates: Sequence[Template] | None,
        beams: int = 4,
        best: int = 1,
        max_pieces: int = 64,
    ) -> list[list[Paraphrase]]:
        """The ``best`` paraphrases of each source in the syntax of its template, by beam search; in order.

        Templates are linearised trees (``pipeline.constituency.tokens``), which may end in phrases without
        constituents; None for a system without guidance. ``best`` is at most ``beams``. The system is put in
        evaluation mode and left as it was found.
        """
        from pipeline.nn.beam import Ids, beam_search

        training = self.training
        self.eval()
        tokenizer = self.tokeniser.tokenizer
        ids = Ids(self.start, self.end, sorted({*tokenizer.all_special_ids, self.start} - {self.end}))
        found: list[list[Paraphrase]] = [[] for _ in sources]
        lengths = [len(each.words) for each in sources] if templates is None else list(map(len, templates))
        for rows in by_length(lengths, _TREE_TOKENS_AT_ONCE):
            chosen = None if templates is None else [templates[row] for row in rows]
            memory = self.memory(self.read([sources[row] for row in rows]), chosen)
            written = beam_search(self.paraphraser, memory, ids, beams, best, min(max_pieces, self.longest))
            for row, hypotheses in zip(rows, written, strict=True):
                texts = tokenizer.batch_decode([each.pieces for each in hypotheses], skip_special_tokens=True)
                found[row] = [
                    Paraphrase(text.strip(), each.score) for text, each in zip(texts, hypotheses, strict=True)
                ]
        self.train(training)
        return found

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        return embed({"semantic": self.semantic}, self.tokeniser, sentences)

    def backbone_config(self) -> dict[str, Any]:
        """That of the whole backbone: a BART's decoder is used, too."""
        return dict(self._config)


def _first(*ids: int | None) -> int:
    for each in ids:
        if each is not None:
            return each
    raise SynsemError("encoder.model: the tokenizer has no special tokens to begin or end a sentence with")
