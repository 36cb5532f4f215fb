"""CSSL (Ray et al. 2024): a dependency parser trained to embed a sentence and its permutations alike.

The parser is an encoder, biaffine scorers (Dozat & Manning 2017) and the best single-root tree. With
``refinements`` it parses again with its best heads as an attention bias, after RNGTr (Mohammadshahi &
Henderson 2021). Anchors are the trees to learn, positives their permutations.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.nn.amp import fp16_autocast
from pipeline.nn.backbone import Backbone
from pipeline.nn.embedding import embed
from pipeline.nn.encoder import Encoder, pool
from pipeline.nn.inference import compute_by_length, evaluation_mode, token_budget
from pipeline.nn.losses import info_nce
from pipeline.nn.tokenizer import SentenceTokenizer, Tokens, WordTokenizer, pool_words
from pipeline.nn.tree_attention import GraphBias, tree_distance
from pipeline.params import Cssl
from pipeline.syntax.sentence import HasTree, Side
from pipeline.systems import base
from pipeline.systems.cssl.biaffine import Recurrent, ScalarMix, Scorers, SharedDropout
from pipeline.systems.cssl.from_scratch import backbone_from_scratch
from pipeline.systems.cssl.labels import ROOT, UNKNOWN, GoldTrees, LabelVocabulary, gold_trees
from pipeline.systems.cssl.spanning_tree import decode


class ParserStates(NamedTuple):
    """One pass of the parser over B sentences of W words."""

    states: torch.Tensor  # float [B, W + 1, D], the root first
    arcs: torch.Tensor  # float32 [B, W, W + 1], see ``Scorers.arcs``


class System(base.System):
    """View: ``semantic``, the pooled states that L_CSSL acts on. ``parse`` gives trees."""

    name = "cssl"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Cssl)
        self.settings, self.params, self.tau = settings, settings.system, settings.train.tau
        self._set_encoder(backbone)
        # The labels are saved with the weights, under the name that saved models have.
        self.inventory: torch.Tensor
        self.register_buffer("inventory", LabelVocabulary().to_tensor()[:0])
        self.labels = LabelVocabulary()

    def _set_encoder(self, backbone: Backbone) -> None:
        """Take an encoder and make what depends on its width."""
        params, model = self.params, backbone.model
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, self.settings.encoder.max_tokens)
        self.semantic = Encoder(model, self.settings.encoder.pooling, params.position)
        room = model.config.max_position_embeddings - self.semantic.position.first
        self.words = WordTokenizer(self.tokenizer, min(params.max_tokens, room))
        width = self.semantic.width
        self.bias: GraphBias | None = None
        if params.refinements:  # which of two words is the head matters here
            self.bias = GraphBias(model.config.num_attention_heads, params.max_distance, directed=True)
        self.mix = ScalarMix(model.config.num_hidden_layers + 1) if params.layers == "mix" else None
        self.root = nn.Parameter(torch.zeros(width))
        self.lstm = None
        if params.lstm_layers and params.position != "none":  # a recurrent layer would see the order
            self.lstm = Recurrent(width, params.lstm_layers, params.dropout)
        self.dropout = SharedDropout(params.dropout)

    def prepare(self, sentences: Iterable[HasTree]) -> None:
        """Take the labels from training trees, and the subwords of an encoder from scratch."""
        trees = list(sentences)
        if self.params.encoder == "scratch":
            scratch = self.params.scratch
            longest = max(self.params.max_tokens, self.settings.encoder.max_tokens)
            words = (word for tree in trees for word in tree.words)
            self._set_encoder(
                backbone_from_scratch(
                    words, scratch.vocabulary, scratch.width, scratch.layers, longest, self.params.dropout
                )
            )
        labels = LabelVocabulary.of(trees)
        if not labels.relations:
            raise SynsemError("cssl: the training examples carry no relations; mine them again")
        self._set_labels(labels)

    def _set_labels(self, labels: LabelVocabulary) -> None:
        """Make what depends on the labels; what is there already stays, for an optimizer may hold it."""
        if labels == self.labels:
            return
        params, width = self.params, self.semantic.width
        self.labels, self.inventory = labels, labels.to_tensor().to(self.device)
        self.scorers = Scorers(
            width, params.arc_size, params.label_size, len(labels.relations), params.dropout
        ).to(self.device)
        self.taggers = nn.ModuleDict(
            {name: nn.Linear(width, len(tags)) for name, tags in self._tagsets().items()}
        ).to(self.device)

    def _tagsets(self) -> dict[str, tuple[str, ...]]:
        return {name: tags for name in ("upos", "xpos") if (tags := getattr(self.labels, name))}

    def load_state_dict(self, state_dict: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        """As in torch, after the scorers have got the size of the saved labels."""
        self._set_labels(LabelVocabulary.from_tensor(state_dict["inventory"]))
        return super().load_state_dict(state_dict, *args, **kwargs)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Pretrained weights learn slowly; scorers, taggers and an encoder from scratch do not."""
        scratch = self.params.encoder == "scratch"
        old = [] if scratch else list(self.semantic.parameters())
        new = [p for p in self.parameters() if not any(p is other for other in old)]
        groups = [{"params": old, "lr_scale": 1.0}, {"params": new, "lr_scale": self.params.head_lr_scale}]
        return [group for group in groups if group["params"]]

    def loss(self, batch: base.Batch) -> dict[str, torch.Tensor]:
        """Eq. 2, L_CE + ``contrast`` * L_CSSL: the anchors' trees and tags, and anchors against permutations.

        With ``refinements``, L_CE is the mean over all passes. A development loss comes with UAS and LAS.
        """
        trees = batch.anchors
        positives = batch.positives if self.params.contrast else ()
        tokens = self.words([each.words for each in (*trees, *positives)], self.device)
        last, states = self._states(tokens)
        count = len(trees)
        target = gold_trees(trees, self.labels, max(len(tree.words) for tree in trees), self.device)
        own = _first_rows(tokens, count)
        parsed = self._score_arcs(states[:count], own, target.real)
        passes = [self._cross_entropy(parsed, target)]
        for _ in range(self.params.refinements):
            parsed = self._refine(parsed, own, target.real)
            passes.append(self._cross_entropy(parsed, target))
        losses = {name: torch.stack([each[name] for each in passes]).mean() for name in passes[0]}
        loss = torch.stack(list(losses.values())).sum()
        if positives:
            pooled = pool(last, tokens.mask, self.settings.encoder.pooling)
            losses["contrast"] = info_nce(pooled[:count], pooled[count:], self.tau, symmetric=False)
            loss = loss + self.params.contrast * losses["contrast"]
        if not self.training:
            losses |= self._accuracy(parsed, target)
        return {"loss": loss} | losses

    def _states(self, tokens: Tokens, bias: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Token states [B, L, D]: of the last layer, for the sentence vector; and those for the parser.

        ``bias`` float [B, heads, L, L] is added to the attention logits and hides padding.
        """
        model = self.semantic.model
        found = model(
            attention_mask=tokens.mask.long() if bias is None else bias,
            output_hidden_states=self.mix is not None,
            **self.semantic.position(model, tokens, None),
        )
        last = found.last_hidden_state
        return last, last if self.mix is None else self.mix(found.hidden_states)

    def _score_arcs(self, states: torch.Tensor, tokens: Tokens, real: torch.Tensor) -> ParserStates:
        """From token states [B, L, D] to the states of root and words, and the scores of all arcs."""
        assert tokens.words is not None
        words = pool_words(states, tokens.words, real.shape[1], self.params.subwords)
        words = torch.cat([self.root.to(words.dtype).expand(len(words), 1, -1), words], dim=1)
        if self.lstm is not None:
            words = self.lstm(words, real.sum(dim=1) + 1)
        return ParserStates(words, self.scorers.arcs(words, real))

    def _refine(self, parsed: ParserStates, tokens: Tokens, real: torch.Tensor) -> ParserStates:
        """Parse again, with the distances in the tree just found as a bias on attention."""
        assert self.bias is not None
        heads = parsed.arcs.argmax(dim=2).masked_fill(~real, -1)
        bias = self.bias(tokens, tree_distance(heads))
        device = bias.device.type
        if torch.is_autocast_enabled(device):
            bias = bias.to(torch.get_autocast_dtype(device))
        return self._score_arcs(self._states(tokens, bias)[1], tokens, real)

    def _cross_entropy(self, parsed: ParserStates, target: GoldTrees) -> dict[str, torch.Tensor]:
        heads = target.heads.masked_fill(~target.real, UNKNOWN)
        losses = {
            "arc": _entropy(parsed.arcs, heads),
            "relation": _entropy(self.scorers.labels(parsed.states, target.heads), target.relations),
        }
        words = self.dropout(parsed.states[:, 1:])
        for name, tagger in self.taggers.items():
            losses[name] = self.params.tag_weight * _entropy(tagger(words).float(), getattr(target, name))
        return losses

    def _accuracy(self, parsed: ParserStates, target: GoldTrees) -> dict[str, torch.Tensor]:
        heads = parsed.arcs.argmax(dim=2)
        right = (heads == target.heads) & target.real
        relations = self.scorers.labels(parsed.states, heads).argmax(dim=2)
        words = target.real.sum().clamp(min=1)
        return {
            "uas": right.sum() / words,
            "las": (right & (relations == target.relations)).sum() / words,
        }

    @torch.inference_mode()
    def parse(self, sentences: Sequence[HasTree]) -> list[Side]:
        """A tree for each sentence's words, with relations and, where they were learnt, tags; in order.

        Text and words are the given ones; given trees are not read. Every tree has exactly one root.
        """
        some = [each for each in sentences if each.words]
        lengths = [self.words.count(each.words) for each in some]
        with evaluation_mode(self), fp16_autocast(self.device):
            trees = compute_by_length(
                lambda rows: self._parse([some[row] for row in rows]), lengths, token_budget(self.device)
            )
        parsed = iter(trees)
        return [next(parsed) if each.words else Side(each.text, each.words, ()) for each in sentences]

    def _parse(self, sentences: Sequence[HasTree]) -> list[Side]:
        tokens = self.words([each.words for each in sentences], self.device)
        lengths = np.array([len(each.words) for each in sentences])
        mask = np.arange(lengths.max()) < lengths[:, None]
        real = torch.from_numpy(mask).to(self.device)
        parsed = self._score_arcs(self._states(tokens)[1], tokens, real)
        for _ in range(self.params.refinements):
            parsed = self._refine(parsed, tokens, real)
        heads = torch.from_numpy(decode(parsed.arcs.cpu().numpy(), lengths)).to(self.device)
        columns = {"deprels": self._relations(parsed.states, heads)}
        for name, tagger in self.taggers.items():
            columns[name] = tagger(parsed.states[:, 1:]).argmax(dim=2)
        names = {"deprels": self.labels.relations} | self._tagsets()
        tables = {
            name: np.array(names[name], dtype=object)[ids.cpu().numpy()] for name, ids in columns.items()
        }
        trees = heads.cpu().numpy()
        return [
            Side(each.text, each.words, trees[row, :n].tolist())._replace(
                **{name: table[row, :n].tolist() for name, table in tables.items()}
            )
            for row, (each, n) in enumerate(zip(sentences, lengths, strict=True))
        ]

    def _relations(self, states: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """The best relation of each word to its head, int64 [B, W]; ``root`` only where the head is 0."""
        scores = self.scorers.labels(states, heads)
        if ROOT not in self.labels.relations or scores.shape[-1] == 1:
            return scores.argmax(dim=2)
        root = self.labels.relations.index(ROOT)
        scores[..., root] = torch.finfo(scores.dtype).min
        return scores.argmax(dim=2).masked_fill(heads == 0, root)

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        return embed({"semantic": self.semantic}, self.tokenizer, sentences)


def _first_rows(tokens: Tokens, count: int) -> Tokens:
    assert tokens.words is not None
    return dataclasses.replace(
        tokens, ids=tokens.ids[:count], mask=tokens.mask[:count], words=tokens.words[:count]
    )


def _entropy(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy over the words with a known target; 0 where there is none."""
    total = F.cross_entropy(scores.flatten(0, 1), target.flatten(), ignore_index=UNKNOWN, reduction="sum")
    return total / (target != UNKNOWN).sum().clamp(min=1)
