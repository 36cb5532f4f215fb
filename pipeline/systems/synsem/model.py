"""SynSem's own system: one encoder, one pass, and two vectors of a sentence; no parser at inference.

The semantic vector is the backbone's own, which is not trained. The structural vector binds content words in
role order (who, did, what, to whom). A small link encoder finds that order; it branches off one of the
backbone's lower layers. The trees of training teach it; afterwards rewordings that keep the order are
contrasted with exchanges of words.
"""

import copy
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.core.params import Synsem
from pipeline.nn.backbone import Backbone, has_decoder, keep_first, layers_of, packs_sequences
from pipeline.nn.compute import (
    Rows,
    evaluation_mode,
    full_precision,
    in_given_order,
    length_batches,
    on_device,
    one_thread,
    token_budget,
)
from pipeline.nn.encoder import Encoder
from pipeline.nn.late_interaction import PairReadings, WordLinks, read_pairs
from pipeline.nn.sequences import Row, packed_states
from pipeline.nn.structure import REACH
from pipeline.nn.tokenizer import SentenceTokenizer, Tokens, pool_words
from pipeline.syntax.sentence import HasTree
from pipeline.systems import base
from pipeline.systems.synsem.data import (
    ReadSides,
    ReadText,
    exchanged,
    in_context,
    read_sides,
    read_texts,
    repeated_words,
    without_mark,
)
from pipeline.systems.synsem.heads import (
    Heads,
    LinkEncoder,
    Links,
    Network,
    Repeats,
    Sizes,
    check_weight,
    save,
    structural_weights,
)
from pipeline.systems.synsem.losses import LINK_SUMS, SIDES, link_losses, link_targets, synsem_losses
from pipeline.systems.synsem.scoring import draw, late_links, read_words

if TYPE_CHECKING:
    from rich.tree import Tree

# The kind of a positive in other words, by ``pipeline.mining.pairs``: its structure need not agree.
PARAPHRASE = "pair"
LINK_LAYERS = 2  # of the link encoder
LINK_ENCODER_LEARNING_RATE = 3e-4  # it starts from the backbone's layers; what is new learns faster
SUCCESSOR_SIZE = 192  # of the queries and keys that predict successors
TAU = 0.1  # temperature of the contrast
LINK_WARMUP = 0.5  # share of the steps that learn only links, before structural vectors are contrasted
PUNCT_DROPOUT = 0.33  # probability of dropping a sentence's final punctuation during training
CONTEXT_PROB = 0.2  # probability of reading a training example next to another sentence


class Reading(NamedTuple):
    """What one pass makes of B sentences of W words."""

    semantic: torch.Tensor  # float32 [B, D], of length 1
    structural: torch.Tensor  # float32 [B, dimensions], of length 1 or 0
    weights: torch.Tensor  # float32 [B], of the structural vectors in the joint ones
    links: Links
    features: torch.Tensor  # float32 [B, W, E], what each word is, whatever its place
    states: torch.Tensor  # float32 [B, W, D], of words, in the backbone's last layer

    def views(self) -> dict[str, torch.Tensor]:
        """Vectors of each view, float32 [B, width], of length 1 (or 0)."""
        joint = torch.cat([self.semantic, self.weights[:, None] * self.structural], dim=1)
        return {
            "semantic": self.semantic,
            "structural": self.structural,
            "joint": F.normalize(joint, dim=1),
        }


class System(base.System):
    """Views: ``semantic``, ``structural``, and ``joint``: both, concatenated and normalised."""

    name = "synsem"
    reads_text_alone = True
    alone_code = ("standalone.py", "heads.py")
    alone_note = (
        'Another view of the same model, in vectors of length 1: `encode(texts, view="structural")`, or '
        '`"semantic"`, or `"joint"`. A structural one is zero if a text has one word. '
        'At loading, `model_kwargs={"weight": 0.55}` gives structure that weight in joint vectors.'
    )

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Synsem)
        self.settings, self.params = settings, settings.system
        params, config = settings.system, backbone.model.config
        if has_decoder(backbone.model):  # its encoder cannot be exported by itself
            raise SynsemError(
                f"encoder.model: synsem reads no encoder-decoder, such as this {config.model_type}; "
                "name a BERT, RoBERTa, MPNet or DistilBERT model"
            )
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, settings.encoder.max_tokens)
        self.semantic = Encoder(backbone.model, settings.encoder.pooling).eval().requires_grad_(False)
        inner = getattr(config, "intermediate_size", None) or getattr(config, "hidden_dim", None)
        sizes = Sizes(
            width=self.semantic.width,
            embedding=self._table.shape[1],
            successor_size=SUCCESSOR_SIZE,
            dimensions=params.dimensions,
            max_link_distance=REACH,
            input_layer=min(params.input_layer, config.num_hidden_layers),
            layers=LINK_LAYERS,
            attention_heads=config.num_attention_heads,
            inner=int(inner or 4 * config.hidden_size),
        )
        self.heads = Heads(sizes)
        self._lower: list[Encoder] = []  # a list hides it from torch: it is not saved
        self._step = 0

    @property
    def _table(self) -> torch.Tensor:
        """The input embeddings, float32 [vocabulary, E]."""
        table: torch.Tensor = self.semantic.model.get_input_embeddings().weight
        return table

    # Training

    def begin_training(self) -> None:
        """Take from the table what all words share, and the link encoder's weights from the backbone."""
        with one_thread():  # the last bits of a large product and of its eigenvectors depend on how many
            self.heads.features.learn(self._table)
        start_from(self.heads.link_encoder, self.semantic.model, self.heads.sizes.input_layer)

    def begin_step(self, step: int) -> None:
        """Each step draws its own exchanges, marks and contexts."""
        self._step = step

    def phase(self, step: int) -> int:
        """See ``base.System``: 0 learns only links, 1 also contrasts structural vectors."""
        return int(step >= LINK_WARMUP * self.params.steps)

    def _contrasts(self, step: int | None) -> bool:
        """Whether a step contrasts structural vectors; a development loss, None, always has all parts."""
        return step is None or self.phase(step) == 1

    def train(self, mode: bool = True) -> "System":
        """As in torch, but for the backbone, which is not trained and so has no dropout."""
        super().train(mode)
        self.semantic.eval()
        return self

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The link encoder starts from trained weights; what follows it is new and learns faster."""
        heads, encoder = self.heads, self.heads.link_encoder
        new = (heads.successor_head, heads.content_head, heads.structural_pooling)
        return [
            {"params": list(encoder.parameters()), "lr": LINK_ENCODER_LEARNING_RATE},
            {
                "params": [each for module in new for each in module.parameters()],
                "lr": self.params.learning_rate,
            },
        ]

    def read(self, batch: base.Batch, step: int | None) -> ReadSides:
        """See ``base.System``: exchanges, token ids, words and links."""
        draw = -1 if step is None else step
        anchors = [each.text for each in batch.anchors]
        sides: dict[str, Iterable[tuple[HasTree | None, str]]] = {  # each sentence, and its anchor's text
            "anchor": zip(batch.anchors, anchors, strict=True),
            "positive": zip(batch.positives, anchors, strict=True),
        }
        if self._contrasts(step):
            sides["swap"] = ((exchanged(each, draw), each.text) for each in batch.anchors)
            owners = (anchors[number] for number in batch.owners)
            sides["negative"] = zip(batch.negatives, owners, strict=True)
        drawn = [
            [self._drawn(each, anchor, draw) for each, anchor in sides.get(name, ()) if each is not None]
            for name in SIDES
        ]
        return read_sides(self.tokenizer, drawn, self.params.order)

    def _drawn(self, sentence: HasTree, anchor: str, draw: int) -> tuple[HasTree, ...]:
        """The sentence as a step reads it: by itself or next to another, with its final mark or without."""
        *before, last = in_context(sentence, anchor, draw, CONTEXT_PROB)
        return (*before, without_mark(last, draw, PUNCT_DROPOUT))

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """Return ``structural.SIDE`` [n, dimensions] of four sides, and sums of the link losses.

        The side ``swap`` are exchanges of the anchors' words, drawn anew in each step. Before the contrast
        begins there are no vectors. ``reworded`` int64 [n] marks the anchors whose positive is a rewording,
        not a paraphrase.
        """
        step = self._step if self.training else None
        texts, rows, sizes = self.reading(batch, step)
        contrasts = self._contrasts(step)
        groups = list(self._groups(texts))
        parts: list[base.Embeddings] = []
        for group in groups:
            some, tokens = self._batch(texts, group)
            links = self._links(tokens, self._lower_states(tokens), some)
            part = link_losses(links, *link_targets(some, links.content.shape[1], self.device))
            if contrasts:
                part["structural"] = self._pool(tokens, links, some)[0]
            parts.append(part)
        if parts:
            found = {name: in_given_order([part[name] for part in parts], groups) for name in parts[0]}
        else:  # a process may have no part of a small batch
            nothing = torch.zeros(0, device=self.device)
            found = dict.fromkeys(LINK_SUMS, nothing) | {
                "structural": nothing.view(0, self.params.dimensions)
            }
        if contrasts:
            place = on_device(torch.tensor(rows, dtype=torch.int64), self.device)
            vectors = zip(SIDES, found.pop("structural")[place].split(sizes), strict=True)
            found |= {f"structural.{name}": part for name, part in vectors}
        kinds = batch.kinds or [""] * len(batch.anchors)
        reworded = torch.tensor([int(kind != PARAPHRASE) for kind in kinds], dtype=torch.int64)
        return found | {"reworded": on_device(reworded, self.device)}

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """See ``pipeline.systems.synsem.losses``."""
        return synsem_losses(embeddings, TAU, self._contrasts(self._step if self.training else None))

    @property
    def lower(self) -> Encoder:
        """The encoder up to the input layer, which is all that training needs of it."""
        if not self._lower:
            model = copy.deepcopy(self.semantic.model)
            # Families of another form may normalise what the last layer gives: then the last is not read.
            keep_first(model, max(1, self.heads.sizes.input_layer + (not has_usual_layers(model))))
            self._lower = [Encoder(model, self.settings.encoder.pooling).eval().requires_grad_(False)]
        return self._lower[0]

    @torch.no_grad()
    def _lower_states(self, tokens: Tokens) -> torch.Tensor:
        """Token states [B, L, D] of the input layer, in training."""
        layer, model = self.heads.sizes.input_layer, self.lower.model
        if not self._packs:
            return self.lower.layers(tokens)[layer]
        return packed_states(model, tokens.ids, tokens.mask, layer)

    @property
    def _packs(self) -> bool:
        """Whether sequences are packed: a CPU trains faster without padding."""
        return self.training and self.device.type == "cpu" and packs_sequences(self.lower.model)

    # The network

    def _groups(self, texts: Sequence[ReadText]) -> Iterator[Rows]:
        """The numbers of the texts in batches of similar length."""
        return length_batches([len(each.encoded.ids) for each in texts], token_budget(self.device))

    def _batch(self, texts: Sequence[ReadText], rows: Rows) -> tuple[list[ReadText], Tokens]:
        """The texts of a group, and their tokens."""
        some = [texts[row] for row in rows]
        return some, self.tokenizer.pad([each.encoded for each in some], self.device)

    def _links(self, tokens: Tokens, states: torch.Tensor, texts: Sequence[ReadText]) -> Links:
        """From token states [B, L, D] of the input layer."""
        width = max(1, *(each.size for each in texts))
        sizes = torch.tensor([each.size for each in texts])
        real = on_device(torch.arange(width) < sizes[:, None], self.device)
        assert tokens.words is not None
        with full_precision(self.device):
            words = pool_words(states.float(), tokens.words, width)
        encoder = self.heads.link_encoder
        if self._packs:
            encoded = Row(real).read(lambda row: encoder(row, row.new_ones(row.shape[:2]).bool()), words)
        else:
            encoded = encoder(words, real)
        with full_precision(self.device):
            return self.heads.links(encoded.float(), real)

    def _pool(
        self, tokens: Tokens, links: Links, texts: Sequence[ReadText]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Structural vectors [B, dimensions], and word features [B, W, E]."""
        width = links.content.shape[1]
        words = repeated_words(texts, width)
        repeats = Repeats(*(on_device(torch.from_numpy(each), self.device) for each in words))
        assert tokens.words is not None
        with full_precision(self.device):
            embedded = self.semantic.model.get_input_embeddings()(tokens.ids)
            features = self.heads.features(pool_words(embedded.float(), tokens.words, width))
            return self.heads.structural_pooling(features, links, repeats), features

    def read_tokens(self, tokens: Tokens, texts: Sequence[ReadText]) -> Reading:
        """Read texts in one pass; their padded ``tokens`` are given as well."""
        layers = self.semantic.layers(tokens)
        links = self._links(tokens, layers[self.heads.sizes.input_layer], texts)
        structural, features = self._pool(tokens, links, texts)
        assert tokens.words is not None
        with full_precision(self.device):
            words = pool_words(layers[-1].float(), tokens.words, links.content.shape[1])
            semantic = F.normalize(self.semantic.pooled(layers[-1], tokens).float(), dim=1)
            weights = structural_weights(links, self.params.weight)
        return Reading(semantic, structural, weights, links, features, words)

    def _readings(self, sentences: Sequence[HasTree]) -> Iterator[tuple[Rows, Reading, list[int]]]:
        """Batches of sentences in evaluation mode: their numbers, what is read, and their words."""
        texts = read_texts(self.tokenizer, [(sentence,) for sentence in sentences])
        with evaluation_mode(self):
            for rows in self._groups(texts):
                some, tokens = self._batch(texts, rows)
                yield rows, self.read_tokens(tokens, some), [each.size for each in some]

    # Use

    @torch.inference_mode()
    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``. Trees are not read: texts are enough."""
        widths = {"semantic": self.semantic.width, "structural": self.params.dimensions}
        widths["joint"] = sum(widths.values())
        found = {view: np.zeros((len(sentences), width), dtype=np.float32) for view, width in widths.items()}
        for rows, reading, _ in self._readings(sentences):
            for view, some in reading.views().items():
                found[view][rows] = some.cpu().numpy()
        return found

    def late_scores(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> NDArray[np.float32]:
        """See ``base.PairScorer`` and ``pipeline.nn.late_interaction``. Trees are not read."""
        return self.read_pairs(a, b).scores

    def read_pairs(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> PairReadings:
        """See ``base.PairReader``."""
        return read_pairs(self._words, a, b)

    def _words(self, sentences: Sequence[HasTree]) -> tuple[dict[str, torch.Tensor], list[WordLinks]]:
        """The views of n sentences, and what late interaction reads of each sentence."""
        words: dict[int, WordLinks] = {}
        groups, views = [], []
        for rows, reading, sizes in self._readings(sentences):
            with full_precision(self.device):
                own, states = reading.views(), F.normalize(reading.states.float(), dim=-1)
                after = late_links(reading.links, REACH)
            groups.append(rows)
            views.append(own)
            for place, (row, size) in enumerate(zip(rows.tolist(), sizes, strict=True)):
                words[row] = WordLinks(
                    own["semantic"][place],
                    states[place, :size],
                    reading.features[place, :size],
                    after[place, :size, :size],
                )
        found = {view: in_given_order([each[view] for each in views], groups) for view in views[0]}
        return found, [words[row] for row in range(len(sentences))]

    def weigh(self, weight: float) -> None:
        """See ``base.System``; a sentence of six content words has just this ``synsem.weight``."""
        try:
            self.params = self.params.model_copy(update={"weight": check_weight(weight)})
        except ValueError as error:
            raise SynsemError(str(error)) from error

    def draw(self, text: str) -> "Tree":
        """See ``base.System``: the content words and which follows which."""
        return draw(text, read_words(self, text))

    def text_network(self, view: str) -> Network:
        """See ``base.System``."""
        pooling = self.settings.encoder.pooling
        return Network(self.semantic.model, self.heads, pooling, self.params.weight, view)

    def export_alone(self, folder: Path, view: str) -> str:
        """See ``base.System``."""
        settings = self.settings.encoder
        config = self.heads.sizes._asdict() | {
            "view": view,
            "weight": self.params.weight,
            "pooling": settings.pooling,
            "max_tokens": settings.max_tokens,
        }
        save(self.text_network(view), self.tokenizer.hf_tokenizer, config, folder)
        return "standalone.SynsemEncoder"


# Parts of a layer of torch, with query, key and value apart; below, where a family's layers have them.
_PARTS = ("q", "k", "v", "self_attn.out_proj", "norm1", "linear1", "linear2", "norm2")
_BERT = ("intermediate.dense", "output.dense", "output.LayerNorm")
_FORMS = (
    # BERT, RoBERTa, XLM-R, ELECTRA
    (*(f"attention.{name}" for name in ("self.query", "self.key", "self.value", "output.dense")),
     "attention.output.LayerNorm", *_BERT),
    (*(f"attention.attn.{name}" for name in "qkvo"), "attention.LayerNorm", *_BERT),  # MPNet
    # DistilBERT
    (*(f"attention.{name}_lin" for name in ("q", "k", "v", "out")),
     "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"),
)  # fmt: skip


@torch.no_grad()
def start_from(encoder: LinkEncoder, model: Any, after: int) -> int:
    """Copy the layers that follow the first ``after`` of a backbone; return how many were copied.

    If the backbone has no more layers, or layers of another form, the encoder's keep their random weights and
    need more steps to learn, which is printed on stderr.
    """
    copied, wanted = 0, len(encoder.body.layers)
    for own, its in zip(encoder.body.layers, list(layers_of(model) or ())[after:], strict=False):
        weights = _torch_layer(its.state_dict())
        if weights is None:
            break
        own.load_state_dict(weights)
        copied += 1
    if copied < wanted:
        which = f"{wanted - copied} of the link encoder's {wanted} layers"
        print(f"{model.config.model_type}: {which} start at random and need more steps", file=sys.stderr)
    return copied


def has_usual_layers(model: Any) -> bool:
    """Whether a backbone's layers are those of BERT, RoBERTa, ELECTRA, MPNet or DistilBERT."""
    layers = layers_of(model)
    return layers is not None and _torch_layer(layers[0].state_dict()) is not None


def _torch_layer(layer: dict[str, torch.Tensor]) -> dict[str, torch.Tensor] | None:
    """The weights of a layer by torch's names; None for a layer of another form."""
    for form in _FORMS:
        if layer.keys() != {f"{place}.{kind}" for place in form for kind in ("weight", "bias")}:
            continue
        found = {}
        for kind in ("weight", "bias"):
            new = {part: layer[f"{place}.{kind}"] for part, place in zip(_PARTS, form, strict=True)}
            found[f"self_attn.in_proj_{kind}"] = torch.cat([new.pop(part) for part in "qkv"])
            found |= {f"{part}.{kind}": value for part, value in new.items()}
        return found
    return None
