"""SynSem's own system: one encoder, one pass, and two vectors of a sentence; no parser at inference.

The semantic vector is the backbone's own, which is not trained. The structural vector binds content words in
role order (who, did, what, to whom). A small link encoder finds that order; it branches off one of the
backbone's lower layers. The trees of training teach it; afterwards rewordings that keep the order are
contrasted with exchanges of words.
"""

import copy
import functools
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.core.params import Synsem
from pipeline.nn import backbone as backbones
from pipeline.nn import compute
from pipeline.nn.backbone import Backbone
from pipeline.nn.compute import in_given_order
from pipeline.nn.encoder import Encoder
from pipeline.nn.late_interaction import DECAY, PairReadings, WordLinks, collected, read_pairs
from pipeline.nn.length_batches import Rows, length_batches
from pipeline.nn.losses import info_nce
from pipeline.nn.structure import REACH
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer, Tokens, stack
from pipeline.syntax.sentence import Sentence
from pipeline.systems import base
from pipeline.systems.base import registry
from pipeline.systems.synsem import data, heads, scoring
from pipeline.systems.synsem.data import NONE, UNKNOWN
from pipeline.systems.synsem.heads import VIEWS, Heads, LinkEncoder, Links, Network, Reading
from pipeline.systems.synsem.similarity import check_weight

# The kind of a positive in other words, by ``pipeline.mining.pairs``: its structure need not agree.
PARAPHRASE = "pair"
LINK_LAYERS = 2  # of the link encoder
LINK_ENCODER_LEARNING_RATE = 3e-4  # it starts from the backbone's layers; what is new learns faster
SUCCESSOR_SIZE = 192  # of the queries and keys that predict successors
LINK_SUMS = ("links", "linked", "right", "content", "words")  # see ``link_losses``
SIDES = ("anchor", "positive", "swap", "negative")
# The contrast is at so many times train.tau; with 1, average precision on contrast sets is 9 points lower.
TAU_SCALE = 2.0
LINK_WARMUP = 0.5  # share of the steps that learn only links, before structural vectors are contrasted
PUNCT_DROPOUT = 0.33  # probability of dropping a sentence's final punctuation during training
CONTEXT_PROB = 0.2  # probability of reading a training example next to another sentence


class System(base.System):
    """Views: ``semantic``, ``structural``, and ``joint``: both, concatenated and normalised."""

    name = "synsem"
    reads_text_alone = True
    alone_code = ("standalone.py", "heads.py", "similarity.py")
    alone_note = (
        'Another view of the same model, in vectors of length 1: `encode(texts, view="structural")`, or '
        '`"semantic"`, or `"joint"`. A structural one is zero without two content words. '
        'At loading, `model_kwargs={"weight": 0.55}` gives structure that weight in joint vectors.'
    )

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Synsem)
        self.settings, self.params = settings, settings.system
        params, config = settings.system, backbone.model.config
        if backbones.has_decoder(backbone.model):  # its encoder cannot be exported by itself
            raise SynsemError(
                f"encoder.model: synsem reads no encoder-decoder, such as this {config.model_type}; "
                "name a BERT, RoBERTa, MPNet or DistilBERT model"
            )
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, settings.encoder.max_tokens)
        self.semantic = Encoder(backbone.model, settings.encoder.pooling).eval().requires_grad_(False)
        inner = getattr(config, "intermediate_size", None) or getattr(config, "hidden_dim", None)
        sizes = heads.Sizes(
            width=self.semantic.width,
            embedding=backbone.model.get_input_embeddings().weight.shape[1],
            successor_size=SUCCESSOR_SIZE,
            dimensions=params.dimensions,
            max_link_distance=REACH,
            input_layer=min(params.input_layer, config.num_hidden_layers),
            layers=LINK_LAYERS,
            attention_heads=config.num_attention_heads,
            inner=int(inner or 4 * config.hidden_size),
        )
        self.heads = Heads(sizes)
        self._step = 0

    # Training

    def begin_training(self) -> None:
        """Take the heads of ``start``, or from the backbone what all words share and the link encoder."""
        if self.params.start is not None:
            trained = registry.trained(System, Path(self.params.start), "synsem.start")
            if trained.heads.sizes != self.heads.sizes:
                raise SynsemError(
                    f"synsem.start: {self.params.start} has other sizes; give it the same encoder"
                )
            self.heads.load_state_dict(trained.heads.state_dict())
            return
        # The last bits of a large product and of its eigenvectors depend on how many threads compute them.
        with compute.one_thread():
            self.heads.features.learn(self.semantic.model.get_input_embeddings().weight)
        start_from(self.heads.link_encoder, self.semantic.model, self.heads.sizes.input_layer)

    def begin_step(self, step: int) -> None:
        """Each step draws its own exchanges, marks and contexts."""
        self._step = step

    def phase(self, step: int) -> int:
        """See ``base.System``: 0 learns only links, 1 also contrasts structural vectors."""
        return int(step >= LINK_WARMUP * self.params.steps)

    def train(self, mode: bool = True) -> "System":
        """As in torch, but for the backbone, which is not trained and so has no dropout."""
        super().train(mode)
        self.semantic.eval()
        return self

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The link encoder starts from trained weights; what follows it is new and learns faster."""
        own = self.heads
        new = nn.ModuleList([own.successor_head, own.content_head, own.structural_pooling])
        return [
            {"params": list(own.link_encoder.parameters()), "lr": LINK_ENCODER_LEARNING_RATE},
            {"params": list(new.parameters()), "lr": self.params.learning_rate},
        ]

    def read(self, batch: base.Batch, step: int | None) -> dict[str, list[EncodedSentence]]:
        """See ``base.System``: token ids, words and links of each side.

        Each step draws its own exchanges, marks and contexts. Structural vectors are contrasted, and so
        exchanges and negatives read, in the second phase and in the development loss (``step`` None).
        """
        draw = -1 if step is None else step
        anchors = [each.text for each in batch.anchors]
        sides: dict[str, Iterable[tuple[Sentence, str]]] = {  # each sentence, and its anchor's text
            "anchor": zip(batch.anchors, anchors, strict=True),
            "positive": zip(batch.positives, anchors, strict=True),
        }
        if step is None or self.phase(step) == 1:
            swaps = [data.exchanged(each, draw) for each in batch.anchors]
            pairs = zip(swaps, anchors, strict=True)
            sides["swap"] = ((swap, anchor) for swap, anchor in pairs if swap is not None)
            owners = (anchors[number] for number in batch.owners)
            sides["negative"] = zip(batch.negatives, owners, strict=True)

        def drawn(sentence: Sentence, anchor: str) -> data.Text:
            *before, last = data.in_context(sentence, anchor, draw, CONTEXT_PROB)
            return (*before, data.without_mark(last, draw, PUNCT_DROPOUT))

        return {
            side: data.read_texts(self.tokenizer, [drawn(*each) for each in some], self.params.order)
            for side, some in sides.items()
        }

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """Return ``structural.SIDE`` [n, dimensions] of four sides, and sums of the link losses.

        The side ``swap`` are exchanges of the anchors' words. Before the contrast begins there are no
        vectors. ``reworded`` int64 [n] marks the anchors whose positive is a rewording, not a paraphrase.
        """
        sides = self.reading(batch, self._step if self.training else None)
        contrasts = "swap" in sides
        groups, parts = [], []
        for rows, some, tokens in self._batches([text for side in sides.values() for text in side]):
            assert tokens.words is not None
            links = self.heads.links(self._lower_states(tokens), tokens.words)
            targets = stack([text.successors for text in some], UNKNOWN, least=links.content.shape[1])
            part = link_losses(links, compute.on_device(targets, self.device))
            if contrasts:
                embedded = self.semantic.model.get_input_embeddings()(tokens.ids)
                part["structural"] = self.heads.bind(embedded, tokens.words, links)[0]
            groups.append(rows)
            parts.append(part)
        if parts:
            found = {name: in_given_order([part[name] for part in parts], groups) for name in parts[0]}
        else:  # a process may have no part of a small batch
            found = dict.fromkeys(LINK_SUMS, torch.zeros(0, device=self.device))
            if contrasts:
                found["structural"] = torch.zeros(0, self.params.dimensions, device=self.device)
        if contrasts:
            vectors = found.pop("structural").split([len(side) for side in sides.values()])
            found |= {f"structural.{side}": part for side, part in zip(sides, vectors, strict=True)}
        kinds = batch.kinds or [""] * len(batch.anchors)
        reworded = torch.tensor([int(kind != PARAPHRASE) for kind in kinds], dtype=torch.int64)
        return found | {"reworded": compute.on_device(reworded, self.device)}

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """See ``synsem_losses``."""
        return synsem_losses(embeddings, TAU_SCALE * self.settings.train.tau)

    @functools.cached_property  # which torch does not see, so that it is not saved
    def _lower(self) -> Encoder:
        """The backbone up to the input layer, which is all that training needs of it."""
        lower = copy.deepcopy(self.semantic)
        # Other families may normalise what the last layer gives: then the last is not read.
        backbones.keep_first(
            lower.model,
            max(1, self.heads.sizes.input_layer + (lower.model.config.model_type not in backbones.POST_NORM)),
        )
        return lower

    @torch.no_grad()
    def _lower_states(self, tokens: Tokens) -> Tensor:
        """Token states [B, L, D] of the input layer, in training."""
        return self._lower.layers(tokens)[self.heads.sizes.input_layer]

    # Use

    def network(self, view: str = "joint") -> Network:
        """Return backbone and heads as one network."""
        pooling = self.settings.encoder.pooling
        return Network(self.semantic.model, self.heads, pooling, self.params.weight, view)

    def text_network(self) -> nn.Module:
        """See ``base.System``: the views, and what late interaction reads of words."""
        return _Outputs(self.network())

    def _batches(
        self, texts: Sequence[EncodedSentence]
    ) -> Iterator[tuple[Rows, list[EncodedSentence], Tokens]]:
        """Batches of texts of similar length: their numbers, the texts, and their tokens."""
        lengths = [len(each.ids) for each in texts]
        for rows in length_batches(lengths, compute.token_budget(self.device)):
            some = [texts[row] for row in rows]
            yield rows, some, self.tokenizer.pad(some, self.device)

    def readings(self, sentences: Sequence[Sentence]) -> Iterator[tuple[Rows, Reading, list[int]]]:
        """Yield batches of sentences: their numbers, what the network reads, and how many words."""
        network = self.network()
        texts = data.read_texts(self.tokenizer, [(each,) for each in sentences])
        with compute.evaluation_mode(self):
            for rows, some, tokens in self._batches(texts):
                assert tokens.words is not None
                reading = network.read(tokens.ids, tokens.mask.long(), tokens.words)
                yield rows, reading, [each.size for each in some]

    @torch.inference_mode()
    def embed(self, sentences: Sequence[Sentence]) -> base.Views:
        """See ``base.Embedder``. Trees are not read: texts are enough."""
        widths = {"semantic": self.semantic.width, "structural": self.params.dimensions}
        widths["joint"] = sum(widths.values())
        found = {view: np.zeros((len(sentences), width), dtype=np.float32) for view, width in widths.items()}
        for rows, reading, _ in self.readings(sentences):
            for view in found:
                found[view][rows] = getattr(reading, view).cpu().numpy()
        return found

    def read_pairs(self, a: Sequence[Sentence], b: Sequence[Sentence]) -> PairReadings:
        """See ``base.Embedder`` and ``pipeline.nn.late_interaction``. Trees are not read."""
        return read_pairs(self._words, a, b)

    @torch.inference_mode()
    def _words(self, sentences: Sequence[Sentence]) -> tuple[base.Views, list[WordLinks]]:
        """The views of n sentences, and what late interaction reads of each sentence."""

        def batches() -> Iterator[tuple[Rows, base.Views, list[int]]]:
            for rows, reading, sizes in self.readings(sentences):
                with compute.full_precision(self.device):
                    found = outputs(reading)
                yield rows, {name: each.float().cpu().numpy() for name, each in found.items()}, sizes

        return collected(batches(), len(sentences), VIEWS)

    def weigh(self, weight: float) -> None:
        """See ``base.System``; a sentence of six content words has just this ``synsem.weight``."""
        try:
            self.params = self.params.model_copy(update={"weight": check_weight(weight)})
        except ValueError as error:
            raise SynsemError(str(error)) from error

    def draw(self, text: str) -> Any:
        """See ``base.System``: the content words and which follows which."""
        return scoring.draw(text, scoring.read_words(self, text))

    def export_alone(self, folder: Path, view: str) -> str:
        """See ``base.System``."""
        encoder = self.settings.encoder
        config = {"view": view, "weight": self.params.weight} | encoder.model_dump(
            include={"pooling", "max_tokens"}
        )
        tokenizer, network = self.tokenizer.hf_tokenizer, self.network(view)
        heads.save(network, tokenizer, config | self.heads.sizes._asdict(), folder)
        return "standalone.SynsemEncoder"


def outputs(reading: Reading) -> dict[str, Tensor]:
    """Return the views of B sentences, and ``states``, ``features`` and ``links`` as in ``WordLinks``."""
    content = reading.links.content.sigmoid()
    decay = DECAY ** torch.arange(REACH, device=content.device)
    links = heads.evened(content[:, :, None] * heads.reached(reading.links, decay) * content[:, None])
    words = {"states": F.normalize(reading.states, dim=-1), "features": reading.features, "links": links}
    return {view: getattr(reading, view) for view in VIEWS} | words


class _Outputs(nn.Module):
    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network, self.weight = network, network.weight

    def forward(self, input_ids: Tensor, attention_mask: Tensor, word_ids: Tensor) -> dict[str, Tensor]:
        return outputs(self.network.read(input_ids, attention_mask, word_ids))


def link_losses(links: Links, targets: Tensor) -> dict[str, Tensor]:
    """Return sums for each of B sentences, float32 [B], of cross-entropies and of what they count.

    ``targets`` int64 [B, W] are ``EncodedSentence.successors``, padded with UNKNOWN.
    """
    known, content = targets != UNKNOWN, targets >= NONE
    none = targets.shape[1]  # the last column
    successors = targets.masked_fill(targets == NONE, none).masked_fill(~content, UNKNOWN)
    flat = F.cross_entropy(
        links.successors.flatten(0, 1), successors.flatten(), ignore_index=UNKNOWN, reduction="none"
    )
    inside = F.binary_cross_entropy_with_logits(
        links.content.masked_fill(~known, 0.0), content.float(), reduction="none"
    )
    return {
        "links": flat.view(successors.shape).sum(dim=1),
        "linked": content.sum(dim=1).float(),
        "right": (links.successors.argmax(dim=2) == successors).sum(dim=1).float(),
        "content": (inside * known).sum(dim=1),
        "words": known.sum(dim=1).float(),
    }


def synsem_losses(embeddings: Mapping[str, Tensor], tau: float) -> dict[str, Tensor]:
    """Return losses by name from the embeddings of a batch; ``loss`` is their sum.

    - ``links``: mean cross-entropy of a content word's successor in role order;
    - ``content``: mean binary cross-entropy of being a content word;
    - ``contrast``, if there are structural vectors: InfoNCE of those of anchors against those of rewordings
      (rows with ``reworded``), exchanges of words and rule-made variants of another meaning. It is 0 if no
      positive is a rewording.
    """
    losses = {
        "links": embeddings["links"].sum() / embeddings["linked"].sum().clamp(min=1),
        "content": embeddings["content"].sum() / embeddings["words"].sum().clamp(min=1),
    }
    if "structural.anchor" in embeddings:
        a, b, swap, negative = (embeddings[f"structural.{side}"] for side in SIDES)
        negatives, pairs = torch.cat([swap, negative]), embeddings["reworded"].bool()
        losses["contrast"] = info_nce(a, b, tau, negatives, symmetric=False, pairs=pairs)
    accuracy = embeddings["right"].sum() / embeddings["linked"].sum().clamp(min=1)
    return {"loss": torch.stack(list(losses.values())).sum()} | losses | {"link_accuracy": accuracy}


@torch.no_grad()
def start_from(encoder: LinkEncoder, model: Any, after: int) -> int:
    """Copy the layers that follow the first ``after`` of a backbone; return how many were copied.

    If the backbone has no more layers, or layers of another form, the encoder's keep their random weights and
    need more steps to learn, which is printed on stderr.
    """
    family = model.config.model_type
    layers = (backbones.layers_of(model) or [])[after:] if family in backbones.POST_NORM else []
    wanted = len(encoder.body.layers)
    for own, its in zip(encoder.body.layers, layers, strict=False):
        linear_or_norm = (each for each in its.modules() if isinstance(each, nn.Linear | nn.LayerNorm))
        query, key, value, *others = linear_or_norm  # in this order, whatever a family calls them
        own.self_attn.in_proj_weight.copy_(torch.cat([query.weight, key.weight, value.weight]))
        own.self_attn.in_proj_bias.copy_(torch.cat([query.bias, key.bias, value.bias]))
        parts = (own.self_attn.out_proj, own.norm1, own.linear1, own.linear2, own.norm2)
        for part, other in zip(parts, others, strict=True):
            part.load_state_dict(other.state_dict())
    copied = min(len(layers), wanted)
    if copied < wanted:
        which = f"{wanted - copied} of the link encoder's {wanted} layers"
        print(f"{family}: {which} start at random and need more steps", file=sys.stderr)
    return copied
