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

import torch
from torch import nn

from pipeline.core.errors import SynsemError
from pipeline.core.params import Cssl
from pipeline.nn.backbone import Backbone, check_bias, check_positions, room
from pipeline.nn.compute import evaluation_mode, full_precision, on_device, token_budget
from pipeline.nn.encoder import Encoder, embed, pool
from pipeline.nn.length_batches import compute_by_length
from pipeline.nn.losses import info_nce
from pipeline.nn.recurrent import SharedDropout
from pipeline.nn.tokenizer import (
    EncodedSentence,
    SentenceTokenizer,
    Tokens,
    WordTokenizer,
    pool_words,
)
from pipeline.nn.tree_attention import GraphBias, tree_distance
from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import permuted
from pipeline.systems import base
from pipeline.systems.cssl.parser import (
    UNKNOWN,
    GoldTrees,
    LabelVocabulary,
    Scorers,
    accuracy,
    best_relations,
    decode,
    entropy,
    gold_trees,
)

_MOST_TOKENS = 256  # of a sentence
_ARC, _LABEL, _DROPOUT = 256, 96, 0.3  # widths of the scorers, and their dropout
_TAG_WEIGHT = 0.5  # of the taggers' cross-entropy
_MOST_STEPS = 8  # of the attention bias along the tree; longer paths share one bucket


class ParserStates(NamedTuple):
    """One pass of the parser over B sentences of W words."""

    states: torch.Tensor  # float [B, W + 1, D], the root first
    arcs: torch.Tensor  # float32 [B, W, W + 1], see ``Scorers.arcs``


class System(base.System):
    """View: ``semantic``, the pooled last states, which L_CSSL acts on. ``parse`` gives trees."""

    name = "cssl"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Cssl)
        self.settings, self.params, self.tau = settings, settings.system, settings.train.tau
        params = self.params
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, settings.encoder.max_tokens)
        if params.position == "none":
            check_positions(backbone.model, "cssl.position: absolute")
        self.semantic = Encoder(backbone.model, settings.encoder.pooling, params.position)
        model = self.semantic.model
        self.words = WordTokenizer(backbone.tokenizer, min(_MOST_TOKENS, room(model) or _MOST_TOKENS))
        self.bias: GraphBias | None = None
        if params.refinements:
            check_bias(model, "cssl.refinements: 0")
        self.root = nn.Parameter(torch.zeros(self.semantic.width))
        self.dropout = SharedDropout(_DROPOUT)
        # The labels are saved with the weights, under the name that saved models have.
        self.inventory: torch.Tensor
        self.register_buffer("inventory", LabelVocabulary().to_tensor()[:0])
        self.labels = LabelVocabulary()

    def prepare(self, sentences: Iterable[Sentence]) -> None:
        """Take the labels from training trees."""
        labels = LabelVocabulary.of(sentences)
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
        """Pretrained weights learn slowly, scorers and taggers do not."""
        old = list(self.semantic.parameters())
        new = [p for p in self.parameters() if not any(p is other for other in old)]
        return [
            {"params": old, "lr": self.params.learning_rate},
            {"params": new, "lr": self.params.parser_learning_rate},
        ]

    def loss(self, batch: base.Batch) -> dict[str, torch.Tensor]:
        """Eq. 1, L_CE + L_CSSL: the anchors' trees and tags, and anchors against positives.

        With ``refinements``, L_CE is the mean over all passes, and L_CSSL is of the first one. A development
        loss comes with UAS and LAS, of each word's best head and its best relation to that: they need make no
        tree, as those of ``parse`` do. Whatever the precision of the encoder, losses are computed in float32.
        """
        trees, positives = batch.anchors, self._positives(batch)
        tokens, real = self._tokens((*trees, *positives))
        states = self._states(tokens)
        words = self._word_states(states, tokens, real.shape[1])
        count, width = len(trees), max(len(tree.words) for tree in trees)
        target = gold_trees(trees, self.labels, width, self.device)
        parsed = self._scored(words[:count, : width + 1], target.real)
        passes = [self._cross_entropy(parsed, target)]
        for _ in range(self.params.refinements):
            parsed = self._refine(parsed, _first_rows(tokens, count), target.real)
            passes.append(self._cross_entropy(parsed, target))
        losses = {name: torch.stack([each[name] for each in passes]).mean() for name in passes[0]}
        loss = torch.stack(list(losses.values())).sum()
        if positives:
            pooled = pool(states, tokens.mask, self.settings.encoder.pooling)
            with full_precision(self.device):
                losses["contrast"] = info_nce(pooled[:count], pooled[count:], self.tau, symmetric=False)
            loss = loss + losses["contrast"]
        if not self.training:
            heads = parsed.arcs.argmax(dim=2)
            relations = self.scorers.labels(parsed.states, heads).argmax(dim=2)
            losses |= accuracy(heads, relations, target)
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
        """The padded batch, and where there is a word: bool [B, W]."""
        lengths = torch.tensor([len(each.words) for each in sentences])
        real = torch.arange(int(lengths.max())) < lengths[:, None]
        tokens = self.tokenizer.pad(encoded or self.words.encode(sentences), self.device)
        return tokens, on_device(real, self.device)

    def _states(self, tokens: Tokens, bias: torch.Tensor | None = None) -> torch.Tensor:
        """Token states [B, L, D]; ``bias`` float [B, heads, L, L] is added to attention and hides padding."""
        model = self.semantic.model
        states: torch.Tensor = model(
            attention_mask=tokens.mask.long() if bias is None else bias,
            **self.semantic.inputs(tokens),
        ).last_hidden_state
        return states

    def _word_states(self, states: torch.Tensor, tokens: Tokens, width: int) -> torch.Tensor:
        """From token states [B, L, D] to those of root and words, [B, W + 1, D].

        A word's state is the mean of its subwords, and zero if the word was cut off; the root's is learnt.
        """
        assert tokens.words is not None
        words = pool_words(states, tokens.words, width)
        return torch.cat([self.root.to(words.dtype).expand(len(words), 1, -1), words], dim=1)

    def _scored(self, words: torch.Tensor, real: torch.Tensor) -> ParserStates:
        return ParserStates(words, self.scorers.arcs(words, real))

    def _best_trees(self, parsed: ParserStates, real: torch.Tensor) -> torch.Tensor:
        """The heads of ``spanning_tree.decode``, int64 [B, W]; ``real``, bool [B, W], is false at padding."""
        arcs, lengths = parsed.arcs.detach().float().cpu().numpy(), real.sum(dim=1).cpu().numpy()
        return torch.from_numpy(decode(arcs, lengths)).to(self.device)

    def _refine(self, parsed: ParserStates, tokens: Tokens, real: torch.Tensor) -> ParserStates:
        """Parse again, with the distances and relations in the tree just found as a bias on attention."""
        assert self.bias is not None
        heads = self._best_trees(parsed, real)
        with torch.no_grad():
            scores = self.scorers.labels(parsed.states, heads)
        relations = 1 + best_relations(scores, heads, self.labels.relations)  # 0: from a word to itself
        heads = heads.masked_fill(~real, -1)
        tokens = dataclasses.replace(tokens, heads=heads, relations=relations)
        bias = self.bias(tokens, tree_distance(heads))
        if torch.is_autocast_enabled(bias.device.type):
            bias = bias.to(torch.get_autocast_dtype(bias.device.type))
        return self._scored(self._word_states(self._states(tokens, bias), tokens, real.shape[1]), real)

    def _cross_entropy(self, parsed: ParserStates, target: GoldTrees) -> dict[str, torch.Tensor]:
        heads = target.heads.masked_fill(~target.real, UNKNOWN)
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
        parsed = self._scored(self._word_states(self._states(tokens), tokens, real.shape[1]), real)
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

    def embed(self, sentences: Sequence[Sentence]) -> base.Views:
        """See ``base.Embedder``."""
        return embed({"semantic": self.semantic}, self.tokenizer, sentences)


def _first_rows(tokens: Tokens, count: int) -> Tokens:
    """The first ``count`` sentences of a batch."""
    assert tokens.words is not None
    ids, mask, words = (each[:count] for each in (tokens.ids, tokens.mask, tokens.words))
    return dataclasses.replace(tokens, ids=ids, mask=mask, words=words)
