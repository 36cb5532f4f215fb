"""CSSL (Ray et al. 2024): a dependency parser trained to embed a sentence and its permutations alike.

The parser is an encoder, biaffine scorers (Dozat & Manning 2017) and the best single-root tree. With
``refinements`` it parses again with its best heads as an attention bias, after RNGTr (Mohammadshahi &
Henderson 2021). Anchors are the trees to learn, positives their permutations: another one each time in
training, the mined one in development.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.core.seeding import sample
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder, attention_heads, embed, pool, require_bias, require_window, room
from pipeline.nn.inference import compute_by_length, evaluation_mode, length_batches, on_device, token_budget
from pipeline.nn.losses import info_nce
from pipeline.nn.precision import full_precision, half_autocast
from pipeline.nn.prepacked_linear import prepacked
from pipeline.nn.recurrent import Recurrent, SharedDropout
from pipeline.nn.tokenizer import SentenceTokenizer, Tokens, WordTokenizer
from pipeline.nn.tree_attention import GraphBias, require_replaceable, tree_distance
from pipeline.params import Cssl
from pipeline.syntax.sentence import HasTree, Side
from pipeline.systems import base, registry
from pipeline.systems.cssl.biaffine import ScalarMix, Scorers
from pipeline.systems.cssl.from_scratch import backbone_from_scratch, first_layers
from pipeline.systems.cssl.labels import (
    UNKNOWN,
    GoldTrees,
    LabelVocabulary,
    accuracy,
    best_relations,
    entropy,
    gold_trees,
    trees_of_numbers,
)
from pipeline.systems.cssl.permutation import permuted
from pipeline.systems.cssl.spanning_tree import decode
from pipeline.systems.cssl.word_tokens import first_rows, merge_subwords, word_states

_READ = 100_000  # sentences whose words an encoder from scratch learns its subwords from, at most


class ParserStates(NamedTuple):
    """One pass of the parser over B sentences of W words."""

    states: torch.Tensor  # float [B, W + 1, D], the root first
    arcs: torch.Tensor  # float32 [B, W, W + 1], see ``Scorers.arcs``


class System(base.System):
    """View: ``semantic``, the pooled states that L_CSSL acts on. ``parse`` gives trees.

    These are what the scorers read, be it last layer, mix or BiLSTMs, so that L_CSSL trains all of it.
    """

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
        params, model = self.params, first_layers(backbone.model, self.params)
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, self.settings.encoder.max_tokens)
        if params.position == "none":
            require_replaceable(model, "cssl.position: 'none'", "absolute")
        self.semantic = Encoder(model, self.settings.encoder.pooling, params.position)
        self.words = WordTokenizer(self.tokenizer, min(params.max_tokens, room(model) or params.max_tokens))
        width = self.semantic.width
        self.bias: GraphBias | None = None
        if params.refinements:  # which of two words is the head matters here
            require_bias(self.semantic.model, "cssl.refinements: 0")
            self.bias = GraphBias(attention_heads(model.config), params.max_distance)
        self.mix = ScalarMix(model.config.num_hidden_layers + 1) if params.layers == "mix" else None
        # Of an input where words are merged, else of a state; an ELECTRA's inputs are narrower.
        inputs = model.get_input_embeddings().weight.shape[1]
        self.root = nn.Parameter(torch.zeros(inputs if params.subwords == "embeddings" else width))
        self.lstm = None
        if params.lstm_layers:
            if width % 2:
                raise SynsemError(
                    f"cssl.lstm_layers: each direction has half of {width} states; give an even width"
                )
            self.lstm = Recurrent(width, width, params.lstm_layers, params.dropout)
        self.dropout = SharedDropout(params.dropout)

    def prepare(self, sentences: Iterable[HasTree]) -> None:
        """Take the labels from training trees, and the subwords of an encoder from scratch.

        With ``start``, both are a trained parser's, and so are all weights.
        """
        if self.params.start is not None:
            folder = Path(self.params.start)
            trained = registry.trained(System, folder, "cssl.start")
            self._set_encoder(Backbone(trained.semantic.model, trained.tokenizer.hf_tokenizer))
            registry.take_weights(self, trained, f"cssl.start: {folder}")
            return
        labels = LabelVocabulary.of(sentences)
        if self.params.encoder == "scratch":
            scratch = self.params.scratch
            longest = max(self.params.max_tokens, self.settings.encoder.max_tokens)
            read = sample(sentences, _READ, lambda tree: tree.text, "subwords")
            words = (word for tree in read for word in tree.words)
            self._set_encoder(
                backbone_from_scratch(
                    words, scratch.vocabulary, scratch.width, scratch.layers, longest, self.params.dropout
                )
            )
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
        groups = [
            {"params": old, "lr": self.params.learning_rate},
            {"params": new, "lr": self.params.parser_learning_rate},
        ]
        return [group for group in groups if group["params"]]

    def loss(self, batch: base.Batch) -> dict[str, torch.Tensor]:
        """Eq. 1, L_CE + ``contrast`` * L_CSSL: the anchors' trees and tags, and anchors against positives.

        With ``refinements``, L_CE is the mean over all passes, and L_CSSL is of the first one. A development
        loss comes with UAS and LAS, of each word's best head and its best relation to that: they need make no
        tree, as those of ``parse`` do. Whatever the precision of the encoder, losses are computed in float32.
        """
        trees = batch.anchors
        positives = self._positives(batch) if self.params.contrast else ()
        tokens, real = self._tokens((*trees, *positives))
        states = self._states(tokens)
        words = self._word_states(states, tokens, real)
        count, width = len(trees), max(len(tree.words) for tree in trees)
        target = gold_trees(trees, self.labels, width, self.device)
        parsed = self._scored(words[:count, : width + 1], target.real)
        passes = [self._cross_entropy(parsed, target)]
        for _ in range(self.params.refinements):
            parsed = self._refine(parsed, first_rows(tokens, count), target.real)
            passes.append(self._cross_entropy(parsed, target))
        losses = {name: torch.stack([each[name] for each in passes]).mean() for name in passes[0]}
        loss = torch.stack(list(losses.values())).sum()
        if positives:
            pooled = self._pool(states, words, tokens, real)
            with full_precision(self.device):
                losses["contrast"] = info_nce(pooled[:count], pooled[count:], self.tau, symmetric=False)
            loss = loss + self.params.contrast * losses["contrast"]
        if not self.training:
            heads = parsed.arcs.argmax(dim=2)
            relations = self.scorers.labels(parsed.states, heads).argmax(dim=2)
            losses |= accuracy(heads, relations, target)
        return {"loss": loss} | losses

    def _positives(self, batch: base.Batch) -> Sequence[HasTree]:
        """A positive for each anchor, see ``Cssl.positives``; torch's generator decides what is drawn.

        Outside training, which has no dropout, the positives of ``dropout`` have the anchors' vectors.
        """
        if self.params.positives == "dropout":
            return batch.anchors
        if not self.training:
            return batch.positives
        rng = Random(int(torch.randint(2**62, ())))
        return [permuted(tree, rng) or tree for tree in batch.anchors]

    def _tokens(self, sentences: Sequence[HasTree]) -> tuple[Tokens, torch.Tensor]:
        """The padded batch, and where there is a word: bool [B, W]."""
        lengths = torch.tensor([len(each.words) for each in sentences])
        real = torch.arange(int(lengths.max())) < lengths[:, None]
        tokens = self.words([each.words for each in sentences], self.device)
        real = on_device(real, self.device)
        if self.params.subwords == "embeddings":
            embed = self.semantic.model.get_input_embeddings()
            tokens = merge_subwords(tokens, embed(tokens.ids), self.root, real, self.words.max_tokens)
        return tokens, real

    def _length(self, sentence: HasTree) -> int:
        """Tokens that the encoder reads of a sentence."""
        if self.params.subwords == "embeddings":
            return min(len(sentence.words) + 1, self.words.max_tokens)
        return self.words.count(sentence.words)

    def _states(self, tokens: Tokens, bias: torch.Tensor | None = None) -> torch.Tensor:
        """Token states [B, L, D], of the last layer or the mix of all.

        ``bias`` float [B, heads, L, L] is added to the attention logits and hides padding.
        """
        model = self.semantic.model
        found = model(
            attention_mask=tokens.mask.long() if bias is None else bias,
            output_hidden_states=self.mix is not None,
            **self.semantic.position(model, tokens, None),
        )
        states: torch.Tensor = found.last_hidden_state
        return states if self.mix is None else self.mix(found.hidden_states)

    def _word_states(self, states: torch.Tensor, tokens: Tokens, real: torch.Tensor) -> torch.Tensor:
        """From token states [B, L, D] to those of root and words, [B, W + 1, D]; ``real`` bool [B, W]."""
        words = word_states(states, tokens, self.root, real, self.params.subwords)
        if self.lstm is not None:
            words = self.lstm(words, real.sum(dim=1) + 1)
        return words

    def _pool(
        self, states: torch.Tensor, words: torch.Tensor, tokens: Tokens, real: torch.Tensor
    ) -> torch.Tensor:
        """Vectors z of L_CSSL, float32 [B, D]: of all tokens or, above BiLSTMs, of root and words."""
        if self.lstm is None:
            return pool(states, tokens.mask, self.settings.encoder.pooling)
        mask = torch.cat([real.new_ones(len(real), 1), real], dim=1)
        return pool(words, mask, self.settings.encoder.pooling)

    def _scored(self, words: torch.Tensor, real: torch.Tensor) -> ParserStates:
        return ParserStates(words, self.scorers.arcs(words, real))

    def _best_trees(self, parsed: ParserStates, real: torch.Tensor) -> torch.Tensor:
        """The heads of ``spanning_tree.decode``, int64 [B, W]; ``real``, bool [B, W], is false at padding."""
        arcs, lengths = parsed.arcs.detach().float().cpu().numpy(), real.sum(dim=1).cpu().numpy()
        return torch.from_numpy(decode(arcs, lengths)).to(self.device)

    def _refine(self, parsed: ParserStates, tokens: Tokens, real: torch.Tensor) -> ParserStates:
        """Parse again, with the distances in the tree just found as a bias on attention."""
        assert self.bias is not None
        require_window(self.semantic.model, tokens.ids.shape[1], "cssl.max_tokens")
        heads = self._best_trees(parsed, real).masked_fill(~real, -1)
        bias = self.bias(tokens, tree_distance(heads))
        device = bias.device.type
        if torch.is_autocast_enabled(device):
            bias = bias.to(torch.get_autocast_dtype(device))
        return self._scored(self._word_states(self._states(tokens, bias), tokens, real), real)

    def _cross_entropy(self, parsed: ParserStates, target: GoldTrees) -> dict[str, torch.Tensor]:
        heads = target.heads.masked_fill(~target.real, UNKNOWN)
        losses = {
            "arc": entropy(parsed.arcs, heads),
            "relation": entropy(self.scorers.labels(parsed.states, target.heads), target.relations),
        }
        words = self.dropout(parsed.states[:, 1:])
        for name, tagger in self.taggers.items():
            losses[name] = self.params.tag_weight * entropy(tagger(words), getattr(target, name))
        return losses

    @torch.inference_mode()
    def parse(self, sentences: Sequence[HasTree]) -> list[Side]:
        """A tree for each sentence's words, with relations and, where they were learnt, tags; in order.

        Text and words are the given ones; given trees are not read. Every tree has exactly one root.
        """
        some = [each for each in sentences if each.words]
        lengths = [self._length(each) for each in some]
        with (
            evaluation_mode(self),
            half_autocast(self.device, self.params.bf16),
            prepacked(sum(lengths), self),
        ):
            trees = compute_by_length(
                lambda rows: self._parse([some[row] for row in rows]), lengths, token_budget(self.device)
            )
        parsed = iter(trees)
        return [next(parsed) if each.words else Side(each.text, each.words, ()) for each in sentences]

    def _parse(self, sentences: Sequence[HasTree]) -> list[Side]:
        tokens, real = self._tokens(sentences)
        parsed = self._scored(self._word_states(self._states(tokens), tokens, real), real)
        for _ in range(self.params.refinements):
            parsed = self._refine(parsed, tokens, real)
        heads = self._best_trees(parsed, real)
        relations = self.scorers.labels(parsed.states, heads)
        columns = {"deprels": best_relations(relations, heads, self.labels.relations)}
        for name, tagger in self.taggers.items():
            columns[name] = tagger(parsed.states[:, 1:]).argmax(dim=2)
        return trees_of_numbers(sentences, heads, columns, self.labels)

    @property
    def exported(self) -> Encoder | None:
        """The encoder where its pooled last layer is the view and it reads subwords; else None."""
        plain = self.mix is None and self.lstm is None and self.params.subwords != "embeddings"
        return self.semantic if plain else None

    @torch.inference_mode()
    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``. Where ``exported`` is None, words are read and not the text."""
        if self.exported is not None:
            return embed({"semantic": self.exported}, self.tokenizer, sentences)
        found = np.zeros((len(sentences), self.semantic.width), dtype=np.float32)
        lengths = [self._length(each) for each in sentences]
        with evaluation_mode(self), prepacked(sum(lengths), self):
            for rows in length_batches(lengths, token_budget(self.device)):
                tokens, real = self._tokens([sentences[row] for row in rows])
                states = self._states(tokens)
                pooled = self._pool(states, self._word_states(states, tokens, real), tokens, real)
                found[rows] = F.normalize(pooled, dim=-1).cpu().numpy()
        return {"semantic": found}
