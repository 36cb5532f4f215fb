"""CSSL (Ray et al. 2024): a dependency parser trained to embed a sentence and its permutations alike.

The parser is an encoder, biaffine scorers (Dozat & Manning 2017) and the best single-root tree. With
``refinements`` it parses again with its best labelled tree as an attention bias, after RNGTr (Mohammadshahi
& Henderson 2021). Anchors are the trees to learn, positives their permutations: another one each time in
training, the mined one in development.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.core.params import Cssl
from pipeline.core.seeding import sample
from pipeline.nn.backbone import Backbone, check_bias, check_positions, room
from pipeline.nn.compute import evaluation_mode, full_precision, on_device, token_budget
from pipeline.nn.encoder import Encoder, pool
from pipeline.nn.length_batches import compute_by_length, length_batches
from pipeline.nn.losses import info_nce
from pipeline.nn.recurrent import Recurrent, SharedDropout
from pipeline.nn.tokenizer import (
    EncodedSentence,
    SentenceTokenizer,
    Tokens,
    WordTokenizer,
    learn_subwords,
    pool_words,
)
from pipeline.nn.tree_attention import GraphBias, tree_distance
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import permuted
from pipeline.systems import base
from pipeline.systems.cssl import parser
from pipeline.systems.cssl.parser import GoldTrees, LabelVocabulary, Scorers, best_relations, entropy

_MOST_TOKENS = 256  # of a sentence
_ARC, _LABEL, _DROPOUT = 256, 96, 0.3  # widths of the scorers; dropout of these and of BiLSTMs
_TAG_WEIGHT = 0.5  # of the taggers' cross-entropy
_MOST_STEPS = 8  # of the attention bias along the tree; longer paths share one bucket
# An encoder from scratch: subwords at most, width, layers, and BiLSTM layers above them.
_VOCABULARY, _WIDTH, _LAYERS, _LSTM_LAYERS = 4000, 192, 1, 2
_READ = 100_000  # sentences from which it learns its subwords, at most


class ParserStates(NamedTuple):
    """One pass of the parser over B sentences of W words."""

    states: torch.Tensor  # float [B, W + 1, D], the root first
    arcs: torch.Tensor  # float32 [B, W, W + 1], see ``Scorers.arcs``


class System(base.System):
    """View: ``semantic``, the pooled states that L_CSSL acts on. ``parse`` gives trees.

    These are what the scorers read, the last layer or BiLSTMs, so that L_CSSL trains all of it.
    """

    name = "cssl"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Cssl)
        self.settings, self.params, self.tau = settings, settings.system, settings.train.tau
        self._set_encoder(backbone)
        # The labels are saved with the weights, under the name that saved models have.
        self.inventory: torch.Tensor
        self.register_buffer("inventory", torch.zeros(0, dtype=torch.uint8))
        self.labels = LabelVocabulary()

    def _set_encoder(self, backbone: Backbone) -> None:
        """Take an encoder and make what depends on its width."""
        params = self.params
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, self.settings.encoder.max_tokens)
        if params.position == "none":
            check_positions(backbone.model, "cssl.position: absolute")
        self.semantic = Encoder(backbone.model, self.settings.encoder.pooling, params.position)
        model, width = self.semantic.model, self.semantic.width
        self.words = WordTokenizer(backbone.tokenizer, min(_MOST_TOKENS, room(model) or _MOST_TOKENS))
        self.bias: GraphBias | None = None
        if params.refinements:
            check_bias(model, "cssl.refinements: 0")
        self.root = nn.Parameter(torch.zeros(width))
        # A BiLSTM would read the order of the words, which is to be invisible without positions.
        recurrent = params.encoder == "scratch" and params.position != "none"
        self.lstm = Recurrent(width, width, _LSTM_LAYERS, _DROPOUT) if recurrent else None
        self.dropout = SharedDropout(_DROPOUT)

    def prepare(self, sentences: Iterable[Sentence]) -> None:
        """Take the labels from training trees, and the subwords of an encoder from scratch."""
        labels = LabelVocabulary.of(sentences)
        if self.params.encoder == "scratch":
            read = sample(sentences, _READ, lambda tree: tree.text, "subwords")
            words = (word for tree in read for word in tree.words)
            self._set_encoder(small_bert(words, max(_MOST_TOKENS, self.settings.encoder.max_tokens)))
        if not labels.relations:
            raise SynsemError("cssl: the training examples carry no relations; mine them again")
        self._set_labels(labels)

    def _set_labels(self, labels: LabelVocabulary) -> None:
        """Make what depends on the labels; what is there already stays, for an optimizer may hold it."""
        if labels == self.labels:
            return
        width = self.semantic.width
        self.labels, self.inventory = labels, labels.to_tensor().to(self.device)
        self.scorers = Scorers(width, _ARC, _LABEL, len(labels.relations), _DROPOUT).to(self.device)
        tagsets = {"upos": labels.upos, "xpos": labels.xpos}
        self.taggers = nn.ModuleDict(
            {name: nn.Linear(width, len(tags)) for name, tags in tagsets.items() if tags}
        ).to(self.device)
        if self.params.refinements:
            heads, relations = self.semantic.model.config.num_attention_heads, len(labels.relations) + 1
            self.bias = GraphBias(heads, _MOST_STEPS, relations=relations).to(self.device)

    def load_state_dict(self, state_dict: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        """As in torch, after the scorers have got the size of the saved labels."""
        self._set_labels(LabelVocabulary.from_tensor(state_dict["inventory"]))
        return super().load_state_dict(state_dict, *args, **kwargs)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Pretrained weights learn slowly; scorers, taggers and an encoder from scratch do not."""
        rate = self.params.parser_learning_rate
        if self.params.encoder == "scratch":
            return [{"params": list(self.parameters()), "lr": rate}]
        old = list(self.semantic.parameters())
        new = [p for p in self.parameters() if not any(p is other for other in old)]
        return [{"params": old, "lr": self.params.learning_rate}, {"params": new, "lr": rate}]

    def loss(self, batch: base.Batch) -> dict[str, torch.Tensor]:
        """Eq. 1, L_CE + L_CSSL: the anchors' trees and tags, and anchors against positives.

        With ``refinements``, L_CE is the mean over all passes, and L_CSSL is of the first one. A development
        loss comes with UAS and LAS, of each word's best head and its best relation to that: they need make no
        tree, as those of ``parse`` do. Whatever the precision of the encoder, losses are computed in float32.
        """
        trees, positives = batch.anchors, self._positives(batch)
        tokens, real = self._tokens((*trees, *positives))
        states = self.semantic.states(tokens)
        words = self._word_states(states, tokens, real)
        count, width = len(trees), max(len(tree.words) for tree in trees)
        target = parser.gold_trees(trees, self.labels, width, self.device)
        parsed = self._scored(words[:count, : width + 1], target.real)
        passes = [self._cross_entropy(parsed, target)]
        for _ in range(self.params.refinements):
            parsed = self._refine(parsed, _first_rows(tokens, count), target.real)
            passes.append(self._cross_entropy(parsed, target))
        losses = {name: torch.stack([each[name] for each in passes]).mean() for name in passes[0]}
        loss = torch.stack(list(losses.values())).sum()
        if positives:
            pooled = self._pool(states, words, tokens, real)
            with full_precision(self.device):
                losses["contrast"] = info_nce(pooled[:count], pooled[count:], self.tau, symmetric=False)
            loss = loss + losses["contrast"]
        if not self.training:
            heads = parsed.arcs.argmax(dim=2)
            relations = self.scorers.labels(parsed.states, heads).argmax(dim=2)
            losses |= parser.accuracy(heads, relations, target)
        return {"loss": loss} | losses

    def _positives(self, batch: base.Batch) -> Sequence[Sentence]:
        """A positive for each anchor, see ``Cssl.contrast``; torch's generator decides what is drawn."""
        if self.params.contrast == "none":
            return ()
        if self.params.contrast == "dropout":
            return batch.anchors
        if not self.training:
            return batch.positives
        rng = Random(int(torch.randint(2**62, ())))
        subtrees = self.params.contrast == "subtrees"
        return [permuted(tree, rng, subtrees) or tree for tree in batch.anchors]

    def _tokens(
        self, sentences: Sequence[Sentence], encoded: Sequence[EncodedSentence] = ()
    ) -> tuple[Tokens, torch.Tensor]:
        """Return the padded batch, and a mask that is true at words: bool [B, W]."""
        lengths = torch.tensor([len(each.words) for each in sentences])
        real = torch.arange(int(lengths.max())) < lengths[:, None]
        tokens = self.tokenizer.pad(encoded or self.words.encode(sentences), self.device)
        return tokens, on_device(real, self.device)

    def _word_states(self, states: torch.Tensor, tokens: Tokens, real: torch.Tensor) -> torch.Tensor:
        """From token states [B, L, D] to those of root and words, [B, W + 1, D]; ``real`` bool [B, W].

        A word's state is the mean of its subwords, and zero if the word was cut off; the root's is learnt.
        """
        assert tokens.words is not None
        words = pool_words(states, tokens.words, real.shape[1])
        words = torch.cat([self.root.to(words.dtype).expand(len(words), 1, -1), words], dim=1)
        return words if self.lstm is None else self.lstm(words, real.sum(dim=1) + 1)[0]

    def _pool(
        self, states: torch.Tensor, words: torch.Tensor, tokens: Tokens, real: torch.Tensor
    ) -> torch.Tensor:
        """Vectors z of L_CSSL, float32 [B, D]: of all tokens or, above BiLSTMs, of root and words."""
        if self.lstm is None:
            return pool(states, tokens.mask, self.settings.encoder.pooling)
        return pool(words, F.pad(real, (1, 0), value=True), self.settings.encoder.pooling)

    def _scored(self, words: torch.Tensor, real: torch.Tensor) -> ParserStates:
        return ParserStates(words, self.scorers.arcs(words, real))

    def _best_trees(self, parsed: ParserStates, real: torch.Tensor) -> torch.Tensor:
        """The heads of ``parser.decode``, int64 [B, W]; ``real``, bool [B, W], is false at padding."""
        arcs, lengths = parsed.arcs.detach().float().cpu().numpy(), real.sum(dim=1).cpu().numpy()
        return torch.from_numpy(parser.decode(arcs, lengths)).to(self.device)

    def _refine(self, parsed: ParserStates, tokens: Tokens, real: torch.Tensor) -> ParserStates:
        """Parse again, with the distances and relations in the tree just found as a bias on attention."""
        assert self.bias is not None
        heads = self._best_trees(parsed, real)
        with torch.no_grad():
            scores = self.scorers.labels(parsed.states, heads)
        relations = 1 + best_relations(scores, heads, self.labels.relations)  # 0: from a word to itself
        heads = heads.masked_fill(~real, -1)
        tokens = dataclasses.replace(tokens, heads=heads, relations=relations)
        states = self.semantic.states(tokens, self.bias(tokens, tree_distance(heads)))
        return self._scored(self._word_states(states, tokens, real), real)

    def _cross_entropy(self, parsed: ParserStates, target: GoldTrees) -> dict[str, torch.Tensor]:
        heads = target.heads.masked_fill(~target.real, parser.UNKNOWN)
        losses = {
            "arc": entropy(parsed.arcs, heads),
            "relation": entropy(self.scorers.labels(parsed.states, target.heads), target.relations),
        }
        words = self.dropout(parsed.states[:, 1:])
        for name, tagger in self.taggers.items():
            losses[name] = _TAG_WEIGHT * entropy(tagger(words), getattr(target, name))
        return losses

    @torch.inference_mode()
    def parse(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return a tree for each sentence's words, with relations and, if they were learnt, tags; in order.

        Text and words are the given ones; given trees are not read. Every tree has exactly one root.
        """
        some = [each for each in sentences if each.words]
        encoded = self.words.encode(some)
        with evaluation_mode(self):
            trees = compute_by_length(
                lambda rows: self._parse([some[row] for row in rows], [encoded[row] for row in rows]),
                [len(each.ids) for each in encoded],
                token_budget(self.device),
            )
        parsed = iter(trees)
        return [next(parsed) if each.words else Sentence(each.text, each.words, ()) for each in sentences]

    def _parse(self, sentences: Sequence[Sentence], encoded: Sequence[EncodedSentence]) -> list[Sentence]:
        tokens, real = self._tokens(sentences, encoded)
        parsed = self._scored(self._word_states(self.semantic.states(tokens), tokens, real), real)
        for _ in range(self.params.refinements):
            parsed = self._refine(parsed, tokens, real)
        heads = self._best_trees(parsed, real)
        relations = self.scorers.labels(parsed.states, heads)
        numbers = {"relations": best_relations(relations, heads, self.labels.relations)}
        numbers |= {name: tagger(parsed.states[:, 1:]).argmax(dim=2) for name, tagger in self.taggers.items()}
        columns = [heads.tolist()]
        for name in LabelVocabulary._fields:
            names = getattr(self.labels, name)
            rows = numbers[name].tolist() if name in numbers else [()] * len(sentences)
            columns.append([[names[number] for number in row] for row in rows])
        return [
            Sentence(each.text, each.words, *(labels[: len(each.words)] for labels in row))
            for each, *row in zip(sentences, *columns, strict=True)
        ]

    @property
    def exported(self) -> Encoder | None:
        """The encoder, if its pooled last layer is the view; None with BiLSTMs."""
        return self.semantic if self.lstm is None else None

    @torch.inference_mode()
    def embed(self, sentences: Sequence[Sentence]) -> base.Views:
        """See ``base.Embedder``. With BiLSTMs, words are read and not the text."""
        if self.exported is not None:
            return super().embed(sentences)
        found = np.zeros((len(sentences), self.semantic.width), dtype=np.float32)
        encoded = self.words.encode(sentences)
        with evaluation_mode(self):
            for rows in length_batches([len(each.ids) for each in encoded], token_budget(self.device)):
                tokens, real = self._tokens([sentences[row] for row in rows], [encoded[row] for row in rows])
                states = self.semantic.states(tokens)
                pooled = self._pool(states, self._word_states(states, tokens, real), tokens, real)
                found[rows] = F.normalize(pooled, dim=-1).cpu().numpy()
        return {"semantic": found}


def _first_rows(tokens: Tokens, count: int) -> Tokens:
    """The first ``count`` sentences of a batch."""
    assert tokens.words is not None
    ids, mask, words = (each[:count] for each in (tokens.ids, tokens.mask, tokens.words))
    return dataclasses.replace(tokens, ids=ids, mask=mask, words=words)


def small_bert(words: Iterable[str], max_tokens: int) -> Backbone:
    """Make a small BERT with random weights for a language without a pretrained encoder.

    Its subwords are learnt from ``words``, with case and accents: they carry grammar in many scripts. Raises
    SynsemError if there is no word, or if the words have more characters than there are to be subwords.
    """
    from transformers import BertConfig, BertModel

    tokenizer = learn_subwords(words, _VOCABULARY, begin=True)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=_WIDTH,
        num_hidden_layers=_LAYERS,
        num_attention_heads=_WIDTH // 32,
        intermediate_size=2 * _WIDTH,
        max_position_embeddings=max_tokens,
        hidden_dropout_prob=_DROPOUT,
        attention_probs_dropout_prob=0.0,  # with it, torch has no fast attention on a CPU
        pad_token_id=tokenizer.pad_token_id,
    )
    return Backbone(BertModel(config, add_pooling_layer=False).eval(), tokenizer)
