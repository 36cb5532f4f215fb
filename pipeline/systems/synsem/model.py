"""SynSem's own system: one encoder, one pass, and two vectors of a sentence; no parser at inference.

The semantic vector is the backbone's own, which is not trained. The structural vector binds content words in
role order (who, did, what, to whom). A small reader finds that order; it reads on from the states of one of
the backbone's lower layers. The trees of training teach it; afterwards rewordings that keep the order are
contrasted with exchanges of words.
"""

import copy
import functools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.nn.backbone import Backbone, keep_first
from pipeline.nn.encoder import Encoder, attention_heads, has_decoder
from pipeline.nn.inference import (
    Rows,
    evaluation_mode,
    in_given_order,
    length_batches,
    on_device,
    one_thread,
    token_budget,
)
from pipeline.nn.late_interaction import PairReadings, WordLinks, read_pairs
from pipeline.nn.precision import full_precision
from pipeline.nn.prepacked_linear import prepacked
from pipeline.nn.sequence_packing import Row, backbone_states, reads_rows
from pipeline.nn.tokenizer import SentenceTokenizer, Tokens, pool_words
from pipeline.nn.tree_attention import first_position
from pipeline.params import Synsem
from pipeline.syntax.sentence import HasTree
from pipeline.systems import base
from pipeline.systems.synsem.chain import draw, read_words
from pipeline.systems.synsem.contexts import in_context
from pipeline.systems.synsem.heads import Heads, Pointed, Repeats, Sizes, structural_weights
from pipeline.systems.synsem.late import links
from pipeline.systems.synsem.losses import (
    LINK_SUMS,
    SIDES,
    link_losses,
    link_targets,
    synsem_losses,
)
from pipeline.systems.synsem.network import Network, demand_weight, packed, unpacked
from pipeline.systems.synsem.network import save as save_network
from pipeline.systems.synsem.reading import Reading, Structure
from pipeline.systems.synsem.start import inner_size, is_usual, start_from
from pipeline.systems.synsem.swaps import swapped, unmarked
from pipeline.systems.synsem.words import ReadSentence, ReadSides, Text, read, read_sides, repeated_words

if TYPE_CHECKING:
    from rich.tree import Tree

# The kind of a positive in other words, by ``pipeline.mining.pairs``: its structure need not agree.
PARAPHRASE = "pair"


class System(base.System):
    """Views: ``semantic``, ``structural``, and ``joint``: both, concatenated and normalised."""

    name = "synsem"
    reads_text_alone = True
    alone_code = ("standalone.py", "network.py", "heads.py")
    alone_note = (
        'Another view of the same model, in vectors of length 1: `encode(texts, view="structural")`, or '
        '`"semantic"`, or `"joint"`. A structural one is zero where a text has one word. '
        'At loading, `model_kwargs={"weight": 0.55}` gives structure that weight in joint vectors.'
    )

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Synsem)
        self.settings, self.params = settings, settings.system
        params = settings.system
        if not any((params.links, params.gates, params.contrast)):
            raise SynsemError("synsem: links, gates and contrast are all 0; give one of them a weight")
        if params.links_first and not (params.links or params.gates):
            raise SynsemError(
                "synsem.links_first: with links and gates of 0 these steps would learn nothing; set it to 0"
            )
        if has_decoder(backbone.model):  # its encoder cannot be exported by itself
            raise SynsemError(
                "encoder.model: synsem reads no encoder-decoder, such as this "
                f"{backbone.model.config.model_type}; "
                "name a BERT, RoBERTa, MPNet or DistilBERT model"
            )
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, settings.encoder.max_tokens)
        self.semantic = _untrained(backbone.model, settings)
        config = backbone.model.config
        sizes = Sizes(
            width=self.semantic.width,
            embedding=self._table.shape[1],
            pointer_size=params.pointer_size,
            dimensions=params.dimensions,
            reach=params.reach,
            reads=min(params.reads, self.semantic.depth),
            layers=params.layers,
            heads=attention_heads(config),
            inner=inner_size(config),
        )
        self.heads = Heads(sizes)
        self._lower: list[Encoder] = []  # a list hides it from torch: it is not saved
        self._step = 0

    def __getstate__(self) -> dict[str, Any]:
        """The backbone as in ``Network``: what collects its states belongs to one process."""
        modules = {name: module for name, module in self._modules.items() if name != "semantic"}
        return self.__dict__ | {"_modules": modules, "_lower": [], "backbone": packed(self.semantic.model)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the backbone anew."""
        settings: base.Settings = state["settings"]
        semantic = _untrained(unpacked(state["backbone"]), settings)
        others = {name: value for name, value in state.items() if name != "backbone"}
        super().__setstate__(others | {"_modules": {"semantic": semantic} | state["_modules"]})

    @property
    def _table(self) -> torch.Tensor:
        """The input embeddings, float32 [vocabulary, E]."""
        table: torch.Tensor = self.semantic.model.get_input_embeddings().weight
        return table

    def begin_training(self) -> None:
        """Take from the table what all words share, and the reader's first weights from the backbone."""
        with one_thread():  # the last bits of a large product and of its eigenvectors depend on how many
            self.heads.features.learn(self._table)
        start_from(self.heads.reader, self.semantic.model, self.heads.sizes.reads)

    def begin_step(self, step: int) -> None:
        """The first ``links_first`` of the steps learn links alone; each step draws its own exchanges."""
        self._step = step

    def phase(self, step: int) -> int:
        """See ``base.System``: 0 learns links alone, 1 contrasts structural vectors, too."""
        return int(step >= self.params.links_first * self.params.steps)

    def train(self, mode: bool = True) -> "System":
        """As in torch, but for the backbone, which is not trained and so has no dropout."""
        super().train(mode)
        self.semantic.eval()
        return self

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The reader starts from trained weights; what follows it is new and learns faster."""
        heads = self.heads
        return [
            {"params": list(heads.reader.parameters()), "lr": self.params.reader_learning_rate},
            {
                "params": [*heads.pointers.parameters(), *heads.binding.parameters()],
                "lr": self.params.learning_rate,
            },
        ]

    def _contrasts(self, step: int | None) -> bool:
        """Whether a step contrasts structural vectors; a development loss, None, always has all parts."""
        return step is None or self.phase(step) == 1

    def read(self, batch: base.Batch, step: int | None) -> ReadSides:
        """See ``base.System``: exchanges, token ids, words and links."""
        draw = -1 if step is None else step
        anchors = [each.text for each in batch.anchors]
        sides: dict[str, Iterable[tuple[HasTree | None, str]]] = {  # each sentence, and its anchor's text
            "anchor": zip(batch.anchors, anchors, strict=True),
            "positive": zip(batch.positives, anchors, strict=True),
        }
        if self._contrasts(step):
            sides["swap"] = ((swapped(each, draw), each.text) for each in batch.anchors)
            owners = (anchors[number] for number in batch.owners)
            sides["negative"] = zip(batch.negatives, owners, strict=True)
        drawn = [
            [self._drawn(each, anchor, draw) for each, anchor in sides.get(name, ()) if each is not None]
            for name in SIDES
        ]
        return read_sides(self.tokenizer, drawn, self.params.order)

    def _drawn(self, sentence: HasTree, anchor: str, draw: int) -> Text:
        """The sentence as a step reads it: alone or beside another, with its final mark or without."""
        *before, last = in_context(sentence, anchor, draw, self.params.context)
        return (*before, unmarked(last, draw, self.params.unmarked))

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """``structural.SIDE`` [n, dimensions] of four sides, and sums of the link losses, one row a sentence.

        The side ``swap`` are exchanges of the anchors' words, drawn anew in each step. Without a contrast, as
        before it begins, there are no vectors. ``reworded`` int64 [n] marks the anchors whose positive is a
        rewording, not a paraphrase.
        """
        step = self._step if self.training else None
        texts, rows, sizes = self.reading(batch, step)
        bound = self._contrasts(step) and self.params.contrast > 0
        found = self._read(texts, bound)
        if bound:
            place = on_device(torch.tensor(rows, dtype=torch.int64), self.device)
            parts = zip(SIDES, found.pop("structural")[place].split(sizes), strict=True)
            found |= {f"structural.{name}": part for name, part in parts}
        kinds = batch.kinds or [""] * len(batch.anchors)
        reworded = [int(kind != PARAPHRASE) for kind in kinds]
        found["reworded"] = on_device(torch.tensor(reworded, dtype=torch.int64), self.device)
        return found

    def _read(self, texts: Sequence[ReadSentence], bound: bool) -> base.Embeddings:
        """The link losses of all sentences, read in batches of similar length, in the order given.

        If ``bound``, their structural vectors, too.
        """
        groups = list(self._groups(texts))
        parts: list[base.Embeddings] = []
        for rows in groups:
            some, tokens = self._batch(texts, rows)
            pointed = self._pointed(tokens, self._lower_states(tokens), some)
            part = link_losses(pointed, *link_targets(some, pointed.gates.shape[1], self.device))
            if bound:
                part["structural"] = self._structure(tokens, pointed, some).vectors
            parts.append(part)
        if not parts:  # a process may have no part of a small batch
            nothing = torch.zeros(0, device=self.device)
            vectors = {"structural": nothing.view(0, self.params.dimensions)} if bound else {}
            return dict.fromkeys(LINK_SUMS, nothing) | vectors
        return {name: in_given_order([part[name] for part in parts], groups) for name in parts[0]}

    def _groups(self, texts: Sequence[ReadSentence]) -> Iterator[Rows]:
        """The numbers of the sentences in batches of similar length."""
        lengths = [len(each.encoded.ids) for each in texts]
        return length_batches(lengths, token_budget(self.device))

    def _batch(self, texts: Sequence[ReadSentence], rows: Rows) -> tuple[list[ReadSentence], Tokens]:
        """The sentences of a group, and their tokens."""
        some = [texts[row] for row in rows]
        return some, self.tokenizer.pad([each.encoded for each in some], self.device)

    @property
    def lower(self) -> Encoder:
        """The encoder up to the layer that is read, which is all that training needs of it."""
        if not self._lower:
            model = copy.deepcopy(self.semantic.model)
            # Families of another form may normalise what the last layer gives: then the last is not read.
            keep_first(model, max(1, self.heads.sizes.reads + (not is_usual(model))))
            self._lower = [Encoder(model, self.settings.encoder.pooling).eval().requires_grad_(False)]
        return self._lower[0]

    @property
    def _in_rows(self) -> bool:
        """Whether sentences are read one after another in a row: a CPU trains faster without padding."""
        trains = self.training and self.device.type == "cpu" and not self.settings.train.compile
        return trains and self._reads_rows

    @functools.cached_property
    def _reads_rows(self) -> bool:
        return reads_rows(self.lower.model, first_position(self.lower.model))

    @torch.no_grad()
    def _lower_states(self, tokens: Tokens) -> torch.Tensor:
        """Token states [B, L, D] of the layer that is read, in training."""
        reads, model = self.heads.sizes.reads, self.lower.model
        if not self._in_rows:
            return self.lower.layers(tokens)[reads]
        row, first = Row(tokens.mask), first_position(model)
        return row.read(lambda ids: backbone_states(model, ids, row, first)[reads], tokens.ids)

    def _word_states(self, words: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """See ``heads.Reader``."""
        reader = self.heads.reader
        if not self._in_rows:
            read: torch.Tensor = reader(words, real)
            return read
        return Row(real).read(lambda joined: reader(joined, joined.new_ones(joined.shape[:2]).bool()), words)

    def to_compile(self) -> list[nn.Module]:
        """See ``base.System``: what a training step runs."""
        return [self.lower.model, self.heads.reader]

    def read_tokens(self, tokens: Tokens, texts: Sequence[ReadSentence]) -> Reading:
        """One pass over texts, whose padded ``tokens`` are given, too."""
        layers = self.semantic.layers(tokens)
        pointed = self._pointed(tokens, layers[self.heads.sizes.reads], texts)
        structure = self._structure(tokens, pointed, texts)
        assert tokens.words is not None
        with full_precision(self.device):
            words = pool_words(layers[-1].float(), tokens.words, pointed.gates.shape[1], "mean")
            semantic = F.normalize(self.semantic.pooled(layers[-1], tokens).float(), dim=1)
            weights = structural_weights(pointed, self.params.weight, self.params.growth)
        return Reading(semantic, structure, weights, words)

    def _pointed(self, tokens: Tokens, states: torch.Tensor, texts: Sequence[ReadSentence]) -> Pointed:
        """From token states [B, L, D] of the layer that is read."""
        width = max(1, *(each.size for each in texts))
        sizes = torch.tensor([each.size for each in texts])
        real = on_device(torch.arange(width) < sizes[:, None], self.device)
        assert tokens.words is not None
        with full_precision(self.device):
            words = pool_words(states.float(), tokens.words, width, "mean")
        read = self._word_states(words, real)
        with full_precision(self.device):
            pointed: Pointed = self.heads.pointers(read.float(), real)
        return pointed

    def _structure(self, tokens: Tokens, pointed: Pointed, texts: Sequence[ReadSentence]) -> Structure:
        """From the pointers of B texts of at most W words."""
        width = pointed.gates.shape[1]
        words = repeated_words(texts, width)
        repeats = Repeats(*(on_device(torch.from_numpy(each), self.device) for each in words))
        assert tokens.words is not None
        with full_precision(self.device):
            embedded = self.semantic.model.get_input_embeddings()(tokens.ids)
            features = self.heads.features(pool_words(embedded.float(), tokens.words, width, "mean"))
            return Structure(self.heads.binding(features, pointed, repeats), pointed, features)

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """See ``pipeline.systems.synsem.losses``."""
        return synsem_losses(embeddings, self.params, self._contrasts(self._step if self.training else None))

    def weigh(self, weight: float) -> None:
        """See ``base.System``; a sentence of six content words has just this ``synsem.weight``."""
        try:
            self.params = self.params.model_copy(update={"weight": demand_weight(weight)})
        except ValueError as error:
            raise SynsemError(str(error)) from error

    def draw(self, text: str) -> "Tree":
        """See ``base.System``: the content words and which follows which."""
        return draw(text, read_words(self, text))

    def text_network(self, view: str) -> Network:
        """See ``base.System``."""
        pooling = self.settings.encoder.pooling
        return Network(self.semantic.model, self.heads, pooling, self.params.weight, self.params.growth, view)

    def export_alone(self, folder: Path, view: str) -> str:
        """See ``base.System``."""
        params, settings = self.params, self.settings.encoder
        config = self.heads.sizes._asdict() | {
            "view": view,
            "weight": params.weight,
            "growth": params.growth,
            "pooling": settings.pooling,
            "max_tokens": settings.max_tokens,
        }
        save_network(self.text_network(view), self.tokenizer.hf_tokenizer, config, folder)
        return "standalone.SynsemEncoder"

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
        """See ``base.PairScorer`` and ``synsem.late``. Trees are not read."""
        return self.read_pairs(a, b).scores

    def read_pairs(self, a: Sequence[HasTree], b: Sequence[HasTree]) -> PairReadings:
        """See ``base.PairReader``."""
        return read_pairs(self._words, a, b)

    def _words(self, sentences: Sequence[HasTree]) -> tuple[dict[str, torch.Tensor], list[WordLinks]]:
        """The views of n sentences, and what late interaction reads of each sentence."""
        words: dict[int, WordLinks] = {}
        groups, views = [], []
        for rows, reading, counts in self._readings(sentences):
            with full_precision(self.device):
                own, states = reading.views(), F.normalize(reading.states.float(), dim=-1)
                after = links(reading.structure.pointed, self.params.reach)
            groups.append(rows)
            views.append(own)
            for place, (row, size) in enumerate(zip(rows.tolist(), counts, strict=True)):
                words[row] = WordLinks(
                    own["semantic"][place],
                    states[place, :size],
                    reading.structure.features[place, :size],
                    after[place, :size, :size],
                )
        found = {view: in_given_order([each[view] for each in views], groups) for view in views[0]}
        return found, [words[row] for row in range(len(sentences))]

    def _readings(self, sentences: Sequence[HasTree]) -> Iterator[tuple[Rows, Reading, list[int]]]:
        """Batches of sentences in evaluation mode: their numbers, what is read, and their words."""
        texts = read(self.tokenizer, sentences)
        with evaluation_mode(self), prepacked(sum(len(each.encoded.ids) for each in texts), self):
            for rows in self._groups(texts):
                some, tokens = self._batch(texts, rows)
                yield rows, self.read_tokens(tokens, some), [each.size for each in some]


def _untrained(backbone: Any, settings: base.Settings) -> Encoder:
    return Encoder(backbone, settings.encoder.pooling).eval().requires_grad_(False)
