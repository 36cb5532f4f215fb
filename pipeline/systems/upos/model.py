"""Syntactic sentence embeddings (Liu et al. 2019): a vector that predicts the UPOS tags of a translation.

The encoder is a BiLSTM over subwords of all languages. It is not given the language; the decoder is given the
target's. Anchors are source sentences, positives their translations (or the sentences themselves), with UPOS
tags.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from pipeline.core.errors import SynsemError
from pipeline.core.params import Upos
from pipeline.nn.backbone import Backbone
from pipeline.nn.compute import on_device
from pipeline.nn.encoder import SentenceEncoder, pool
from pipeline.nn.recurrent import Recurrent
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer, Tokens, learn_subwords, stack
from pipeline.syntax.sentence import Sentence
from pipeline.systems import base
from pipeline.systems.base import registry

# As published (table 1): subwords of all languages together at most; widths; dropout.
_VOCABULARY, _EMBEDDING, _WIDTH, _LAYERS, _DROPOUT = 40_000, 100, 128, 2, 0.2
_TAG, _LANGUAGE, _CELL = 100, 20, 512  # widths of the decoder
_TRANSLATION = "translation-"  # then the language: the kind of a positive in another language

# Universal Dependencies v2; a tag's id is its index.
UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
END = len(UPOS)  # after the last tag, and before the first
PADDING = -100
SAME_LANGUAGE = 0  # source and target in one language
LANGUAGES = 1 + 26 * 26  # a row for each two-letter code, so that a new language needs no new table


class BiLstm(SentenceEncoder):
    """Subword embeddings, LSTM layers in both directions, and max pooling of their outputs (section 3.1)."""

    needs_trees = False

    def __init__(self, subwords: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(subwords, _EMBEDDING)
        self.lstm, self.width = Recurrent(_EMBEDDING, 2 * _WIDTH, _LAYERS, _DROPOUT), 2 * _WIDTH

    def encode(self, tokens: Tokens, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return sentence vectors, float32 [B, width], and the last hidden and cell states, [B, 2 * width].

        ``lengths``, int64 [B], count the tokens that are not padding, which changes neither.
        """
        states, last = self.lstm(self.embedding(tokens.ids), lengths)
        return pool(states, tokens.mask, "max"), last.float()

    def forward(self, tokens: Tokens) -> torch.Tensor:
        """Sentence vectors, float32 [B, width], not normalised."""
        return self.encode(tokens, tokens.mask.sum(dim=1))[0]


class TagDecoder(nn.Module):
    """An LSTM over the previous tag, the target language and the sentence vector, at each step."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.start = nn.Linear(2 * width, 2 * _CELL)  # of the encoder's hidden and cell states
        self.tag = nn.Embedding(len(UPOS) + 1, _TAG)
        self.language = nn.Embedding(LANGUAGES, _LANGUAGE)
        self.lstm = nn.LSTM(_TAG + _LANGUAGE + width, _CELL, batch_first=True)
        self.scores = nn.Linear(_CELL, len(UPOS) + 1)

    def forward(
        self, pooled: torch.Tensor, last: torch.Tensor, languages: torch.Tensor, tags: torch.Tensor
    ) -> torch.Tensor:
        """Scores of every tag and ``END`` at each step, float32 [B, T, 18], given the true tags before it.

        ``pooled`` and ``last`` are what ``BiLstm.encode`` returns; ``languages`` int64 [B], see
        ``language_row``; ``tags`` int64 [B, T], see ``tag_ids``.
        """
        before = torch.cat([torch.full_like(tags[:, :1], END), tags[:, :-1]], dim=1).clamp(min=0)
        constant = torch.cat([self.language(languages), pooled], dim=1)
        inputs = torch.cat([self.tag(before), constant[:, None].expand(-1, tags.shape[1], -1)], dim=2)
        hidden, cell = self.start(last).unsqueeze(0).chunk(2, dim=2)
        outputs, _ = self.lstm(inputs, (hidden.contiguous(), cell.contiguous()))
        return self.scores(outputs).float()


def language_row(code: str) -> int:
    """Return the row of a language by its ISO 639-1 code; ``SAME_LANGUAGE`` for other codes and for ""."""
    places = [ascii_lowercase.find(letter) for letter in code]
    return 1 + 26 * places[0] + places[1] if len(places) == 2 and min(places) >= 0 else SAME_LANGUAGE


def tag_ids(sequences: Sequence[Sequence[str]]) -> torch.Tensor:
    """Return tag sequences with ``END``, int64 [B, T], and ``PADDING``; a tag outside UD counts as X."""
    ids = {tag: number for number, tag in enumerate(UPOS)}
    return stack([[*(ids.get(tag, ids["X"]) for tag in tags), END] for tags in sequences], PADDING, least=1)


def tag_losses(scores: torch.Tensor, tags: torch.Tensor) -> base.Embeddings:
    """Return how well B tag sequences are predicted (section 3.2): float32 [B] each.

    ``loss`` is the summed cross-entropy of scores [B, T, 18] against ``tags`` int64 [B, T]; ``correct`` is
    the number of tags and ends that scored highest, of ``tags``.
    """
    # Flat: over [B, 18, T] a GPU has no deterministic form of it.
    flat = F.cross_entropy(scores.flatten(0, 1), tags.flatten(), ignore_index=PADDING, reduction="none")
    return {
        "loss": flat.view(tags.shape).sum(dim=1),
        "correct": (scores.argmax(dim=2) == tags).sum(dim=1).float(),
        "tags": (tags != PADDING).sum(dim=1).float(),
    }


class System(base.System):
    """View: ``syntactic``, the encoder's max-pooled outputs."""

    name = "upos"
    reads_text_alone = True
    exported_view = "syntactic"
    rate_falls = False  # as published (3.2)

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Upos)
        self.settings, self.params = settings, settings.system
        self._set_tokenizer(backbone.tokenizer)

    def _set_tokenizer(self, tokenizer: Any) -> None:
        """Take a tokenizer and make what depends on its size."""
        self.tokenizer = SentenceTokenizer(tokenizer, self.settings.encoder.max_tokens)
        self.syntactic = BiLstm(len(tokenizer))
        self.decoder = TagDecoder(self.syntactic.width)

    def prepare(self, sentences: Iterable[Sentence]) -> None:
        """Learn subwords from the source sentences of all languages together.

        With ``start``, subwords and weights are a trained model's, to go on with a new language (4.3).
        """
        if self.params.start is None:
            texts = (sentence.text for sentence in sentences)
            self._set_tokenizer(learn_subwords(texts, _VOCABULARY))
        else:
            trained = registry.trained(System, Path(self.params.start), "upos.start")
            self._set_tokenizer(trained.tokenizer.hf_tokenizer)
            self.load_state_dict(trained.state_dict())

    def read(self, batch: base.Batch, step: int | None) -> list[EncodedSentence]:
        """See ``base.System``: the anchors."""
        return self.tokenizer.encode(batch.anchors, trees=False)

    def encode(self, batch: base.Batch) -> base.Embeddings:
        """Of each example its ``tag_losses``."""
        if not all(each.upos for each in batch.positives):
            raise SynsemError("upos: the training examples carry no UPOS tags; mine them again")
        if not batch.anchors:  # a process may have no part of a small batch
            return dict.fromkeys(("loss", "correct", "tags"), torch.zeros(0, device=self.device))
        reading: list[EncodedSentence] = self.reading(batch)
        lengths = torch.tensor([len(each.ids) for each in reading])
        pooled, last = self.syntactic.encode(self.tokenizer.pad(reading, self.device), lengths)
        kinds = batch.kinds or [""] * len(batch.anchors)
        rows = torch.tensor([language_row(kind.partition(_TRANSLATION)[2]) for kind in kinds])
        tags = on_device(tag_ids([each.upos for each in batch.positives]), self.device)
        return tag_losses(self.decoder(pooled, last, on_device(rows, self.device), tags), tags)

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """The mean cross-entropy of a tag; when not training, with the share of tags predicted right."""
        total = embeddings["tags"].sum().clamp(min=1)
        losses = {"loss": embeddings["loss"].sum() / total}
        return losses if self.training else losses | {"accuracy": embeddings["correct"].sum() / total}

    @property
    def text_encoder(self) -> BiLstm:
        """See ``base.System``."""
        return self.syntactic
