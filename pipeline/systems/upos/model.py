"""Syntactic sentence embeddings (Liu et al. 2019): a vector that predicts the UPOS tags of a translation.

The encoder is a BiLSTM over subwords of all languages, as published, or any transformer. It is not given the
language; the decoder is given the target's. Anchors are source sentences, positives their translations (or
the sentences themselves), with UPOS tags.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import save_file
from torch import nn

from pipeline.core.errors import SynsemError
from pipeline.core.params import Upos
from pipeline.core.store import write_json
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder, SentenceEncoder, embed, pool
from pipeline.nn.inference import on_device
from pipeline.nn.recurrent import Recurrent
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer, Tokens, learn_subwords
from pipeline.syntax.sentence import HasTree
from pipeline.systems import base
from pipeline.systems.base import registry
from pipeline.systems.upos.decoder import TagDecoder, TagLosses, language_row, tag_ids, tag_losses

# As published (table 1): subwords of all languages together at most; widths; dropout.
_VOCABULARY, _EMBEDDING, _WIDTH, _LAYERS, _DROPOUT = 40_000, 100, 128, 2, 0.2
_CONFIG, _WEIGHTS = "bilstm.json", "bilstm.safetensors"  # what standalone.py loads
_TRANSLATION = "translation-"  # then the language: the kind of a positive in another language


class SentenceStates(NamedTuple):
    """The encodings of B sentences."""

    pooled: torch.Tensor  # float32 [B, D]: the embedding
    last: torch.Tensor  # float32 [B, S]: what the decoder starts from


class BiLstm(nn.Module):
    """Subword embeddings, LSTM layers in both directions, and max pooling of their outputs (section 3.1)."""

    needs_trees = False

    def __init__(self, subwords: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(subwords, _EMBEDDING)
        self.lstm, self.width = Recurrent(_EMBEDDING, 2 * _WIDTH, _LAYERS, _DROPOUT), 2 * _WIDTH

    def encode(self, tokens: Tokens) -> SentenceStates:
        """Return sentence vectors, and the last states of each direction; padding changes neither."""
        lengths = tokens.mask.sum(dim=1)
        states = self.lstm(self.embedding(tokens.ids), lengths)
        onward, back = states.chunk(2, dim=2)
        rows = torch.arange(len(states), device=states.device)
        last = torch.cat([onward[rows, lengths - 1], back[:, 0]], dim=1)
        return SentenceStates(pool(states, tokens.mask, "max"), last.float())

    def forward(self, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors, float32 [B, width], not normalised."""
        return self.encode(tokens).pooled


class System(base.System):
    """View: ``syntactic``, the encoder's max-pooled outputs."""

    name = "upos"
    reads_text_alone = True
    exported_view = "syntactic"
    alone_code = ("standalone.py",)

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Upos)
        self.settings, self.params = settings, settings.system
        self._backbone = [backbone.model]  # in a list, so that torch does not register it
        self._set_tokenizer(backbone.tokenizer)

    def _set_tokenizer(self, tokenizer: Any) -> None:
        """Take a tokenizer and make what depends on its size."""
        self.tokenizer = SentenceTokenizer(tokenizer, self.settings.encoder.max_tokens)
        self.syntactic: BiLstm | Encoder
        if self.params.encoder == "bilstm":
            self.syntactic = BiLstm(len(tokenizer))
        else:
            self.syntactic = Encoder(self._backbone[0], "max")
        self.decoder = TagDecoder(self.syntactic.width, self.syntactic.width)

    def prepare(self, sentences: Iterable[HasTree]) -> None:
        """Learn a BiLSTM's subwords from the source sentences of all languages together.

        With ``start``, subwords and weights are a trained model's, to go on with a new language (4.3).
        """
        if self.params.start is not None:
            folder = Path(self.params.start)
            trained = registry.trained(System, folder, "upos.start")
            self._set_tokenizer(trained.tokenizer.hf_tokenizer)
            registry.take_weights(self, trained, f"upos.start: {folder}")
        elif self.params.encoder == "bilstm":
            texts = (sentence.text for sentence in sentences)
            self._set_tokenizer(learn_subwords(texts, _VOCABULARY, "upos"))

    def parameter_groups(self) -> list[dict[str, Any]]:
        """A pretrained encoder has a learning rate of its own."""
        rate = self.params.learning_rate
        own = self.params.backbone_learning_rate if self.params.encoder == "backbone" else rate
        return [
            {"params": list(self.syntactic.parameters()), "lr": own},
            {"params": list(self.decoder.parameters()), "lr": rate},
        ]

    def read(self, batch: base.Batch, step: int | None) -> list[EncodedSentence]:
        """See ``base.System``: the anchors."""
        return self.tokenizer.encode(batch.anchors, trees=False)

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """Of each example its ``TagLosses``."""
        if not all(each.upos for each in batch.positives):
            raise SynsemError("upos: the training examples carry no UPOS tags; mine them again")
        if not batch.anchors:  # a process may have no part of a small batch
            nothing = torch.zeros(0, device=self.device)
            return dict.fromkeys(TagLosses._fields, nothing)
        states = self._states(self.tokenizer.pad(self.reading(batch), self.device))
        kinds = batch.kinds or [""] * len(batch.anchors)
        rows = torch.tensor([language_row(kind.partition(_TRANSLATION)[2]) for kind in kinds])
        tags = tag_ids([each.upos for each in batch.positives], self.device)
        scores = self.decoder(states.pooled, states.last, on_device(rows, self.device), tags)
        return tag_losses(scores, tags)._asdict()

    def _states(self, tokens: Tokens) -> SentenceStates:
        if isinstance(self.syntactic, BiLstm):
            return self.syntactic.encode(tokens)
        pooled = self.syntactic(tokens)
        return SentenceStates(pooled, pooled)  # a transformer has no last state

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """The mean cross-entropy of a tag; when not training, with the share of tags predicted right."""
        total = embeddings["tags"].sum().clamp(min=1)
        loss = embeddings["loss"].sum() / total
        losses = {"loss": loss}
        return losses if self.training else losses | {"accuracy": embeddings["correct"].sum() / total}

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        return embed({"syntactic": self.syntactic}, self.tokenizer, sentences)

    @property
    def exported(self) -> Encoder | None:
        """See ``base.System``; None for a BiLSTM."""
        return None if isinstance(self.syntactic, BiLstm) else self.syntactic

    @property
    def text_encoder(self) -> SentenceEncoder | None:
        """See ``base.System``."""
        return self.syntactic

    def export_alone(self, folder: Path, view: str) -> str | None:
        """See ``base.System``: torch's own LSTM for a BiLSTM; None for a transformer."""
        if not isinstance(self.syntactic, BiLstm):
            return None
        self.tokenizer.hf_tokenizer.save_pretrained(str(folder))
        table = self.syntactic.embedding.weight.detach().contiguous()
        weights = {f"lstm.{name}": weight for name, weight in self.syntactic.lstm.plain_weights().items()}
        save_file({"embedding.weight": table} | weights, folder / _WEIGHTS)
        sizes = {"subwords": len(table), "embedding": _EMBEDDING, "width": _WIDTH, "layers": _LAYERS}
        write_json(folder / _CONFIG, sizes | {"max_tokens": self.tokenizer.max_tokens})
        return "standalone.SyntacticEncoder"

    def backbone_config(self) -> dict[str, Any] | None:
        """None for a BiLSTM, which needs no backbone."""
        if isinstance(self.syntactic, BiLstm):
            return None
        config: dict[str, Any] = self.syntactic.model.config.to_dict()
        return config
