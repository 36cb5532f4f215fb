"""Syntactic sentence embeddings (Liu et al. 2019): a vector that predicts the UPOS tags of a translation.

The encoder is a BiLSTM over subwords of all languages, as published, or any transformer. It is not given the
language; the decoder is given the target's. Anchors are source sentences, positives their translations (or
the sentences themselves), with UPOS tags.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from pipeline.core.errors import SynsemError
from pipeline.core.store import write_json
from pipeline.nn.backbone import Backbone
from pipeline.nn.encoder import Encoder, SentenceEncoder, embed
from pipeline.nn.inference import on_device
from pipeline.nn.tokenizer import EncodedSentence, SentenceTokenizer, Tokens, learn_subwords
from pipeline.params import Upos
from pipeline.syntax.sentence import HasTree
from pipeline.systems import base, registry
from pipeline.systems.upos.bilstm import BiLstm, BiLstmStates
from pipeline.systems.upos.decoder import (
    SAME_LANGUAGE,
    DecoderSizes,
    TagDecoder,
    TagLosses,
    distance_loss,
    language_row,
    padded_tags,
    tag_ids,
    tag_losses,
)

_CONFIG, _WEIGHTS = "bilstm.json", "bilstm.safetensors"  # what standalone.py loads
_TRANSLATION = "translation-"  # then the language: the kind of a positive in another language


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
        if not any((self.params.translation, self.params.own_tags, self.params.distances)):
            raise SynsemError(
                "upos: translation, own_tags and distances are all 0; give one of them a weight"
            )
        self._backbone = [backbone.model]  # in a list, so that torch does not register it
        self._set_tokenizer(backbone.tokenizer)

    def _set_tokenizer(self, tokenizer: Any) -> None:
        """Take a tokenizer and make what depends on its size."""
        params = self.params
        self.tokenizer = SentenceTokenizer(tokenizer, self.settings.encoder.max_tokens)
        self.syntactic: BiLstm | Encoder
        if params.encoder == "bilstm":
            sizes = params.bilstm
            self.syntactic = BiLstm(
                len(tokenizer), sizes.embedding, sizes.width, sizes.layers, params.dropout
            )
            last = self.syntactic.last_width
        else:
            self.syntactic = Encoder(self._backbone[0], "max")
            last = self.syntactic.width
        self.decoder = TagDecoder(
            DecoderSizes(
                self.syntactic.width, last, params.tag_size, params.language_size, params.decoder_size
            )
        )

    def prepare(self, sentences: Iterable[HasTree]) -> None:
        """Learn a BiLSTM's subwords from the source sentences of all languages together.

        With ``start``, both are a trained model's, to go on with a new language (section 4.3).
        """
        if self.params.start is not None:
            folder = Path(self.params.start)
            trained = registry.trained(System, folder, "upos.start")
            self._set_tokenizer(trained.tokenizer.hf_tokenizer)
            registry.take_weights(self, trained, f"upos.start: {folder}")
        elif self.params.encoder == "bilstm":
            texts = (sentence.text for sentence in sentences)
            size = self.params.bilstm.vocabulary
            self._set_tokenizer(learn_subwords(texts, size, "upos.bilstm.vocabulary"))

    def begin_step(self, step: int) -> None:
        """Undo what weight decay did to the weights that mark padding."""
        if isinstance(self.syntactic, BiLstm):
            self.syntactic.close_gates()

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
        """For each objective with a weight its ``TagLosses``: ``NAME_loss``, ``NAME_correct``, ``NAME_tags``.

        The objective ``distances`` has ``vectors`` and ``tag_sequences``. Under ``own`` there are only
        sentences that have tags.
        """
        if not all(each.upos for each in batch.positives):
            raise SynsemError("upos: the training examples carry no UPOS tags; mine them again")
        params = self.params
        states = self._encode(self.tokenizer.pad(self.reading(batch), self.device))
        found: base.Embeddings = {}
        if params.translation:
            kinds = batch.kinds or [""] * len(batch.anchors)
            rows = [language_row(kind.partition(_TRANSLATION)[2]) for kind in kinds]
            tags = [each.upos for each in batch.positives]
            found |= self._tag_losses("translation", states, rows, tags)
        if params.own_tags:
            tagged = [number for number, each in enumerate(batch.anchors) if each.upos]
            part = BiLstmStates(states.pooled[tagged], states.last[tagged])
            own = [batch.anchors[number].upos for number in tagged]
            found |= self._tag_losses("own", part, [SAME_LANGUAGE] * len(tagged), own)
        if params.distances:
            pairs = zip(batch.anchors, batch.positives, strict=True)
            found["vectors"] = states.pooled
            sequences = [anchor.upos or positive.upos for anchor, positive in pairs]
            found["tag_sequences"] = padded_tags(sequences, self.device)
        return found

    def _tag_losses(
        self, name: str, states: BiLstmStates, rows: Sequence[int], sequences: Sequence[Sequence[str]]
    ) -> base.Embeddings:
        if not sequences:  # a process may have no part of a small batch, or no sentence with tags
            return {f"{name}_{part}": states.pooled.new_zeros(0) for part in TagLosses._fields}
        languages = on_device(torch.tensor(rows, dtype=torch.int64), self.device)
        tags = tag_ids(sequences, self.device)
        found = tag_losses(self.decoder(states.pooled, states.last, languages, tags), tags)
        return {f"{name}_{part}": value for part, value in found._asdict().items()}

    def _encode(self, tokens: Tokens) -> BiLstmStates:
        if not len(tokens):
            nothing = torch.zeros(0, self.syntactic.width, device=self.device)
            return BiLstmStates(nothing, nothing)
        if isinstance(self.syntactic, BiLstm):
            return self.syntactic.encode(tokens)
        pooled = self.syntactic(tokens)
        return BiLstmStates(pooled, pooled)  # a transformer has no last state

    def loss_from_embeddings(self, embeddings: base.Embeddings) -> base.Losses:
        """The weighted sum of ``translation`` and ``own``, mean cross-entropies of a tag, and ``distances``.

        When not training, the shares of tags that are predicted right come with it.
        """
        found, params = embeddings, self.params
        losses: base.Losses = {}
        shares: base.Losses = {}
        for name in ("translation", "own"):
            if f"{name}_loss" in found:
                total = found[f"{name}_tags"].sum().clamp(min=1)
                losses[name] = found[f"{name}_loss"].sum() / total
                shares[f"{name}_accuracy"] = found[f"{name}_correct"].sum() / total
        if "vectors" in found:
            losses["distances"] = distance_loss(found["vectors"], found["tag_sequences"])
        weights = {"translation": params.translation, "own": params.own_tags, "distances": params.distances}
        loss = torch.stack([weights[name] * value for name, value in losses.items()]).sum()
        return {"loss": loss} | losses | ({} if self.training else shares)

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        return embed({"syntactic": self.syntactic}, self.tokenizer, sentences)

    @property
    def exported(self) -> Encoder | None:
        """See ``base.System``; None for a BiLSTM."""
        return None if isinstance(self.syntactic, BiLstm) else self.syntactic

    @property
    def text_encoder(self) -> SentenceEncoder:
        """See ``base.System``."""
        return self.syntactic

    def export_alone(self, folder: Path, view: str) -> str | None:
        """See ``base.System``: torch's own LSTM, which needs no mark of padding; None for a transformer."""
        if not isinstance(self.syntactic, BiLstm):
            return None
        self.tokenizer.hf_tokenizer.save_pretrained(str(folder))
        save_file(self.syntactic.plain_weights(), folder / _WEIGHTS)
        sizes = self.params.bilstm
        write_json(
            folder / _CONFIG,
            {
                "subwords": self.syntactic.embedding.num_embeddings,
                "embedding": sizes.embedding,
                "width": sizes.width,
                "layers": sizes.layers,
                "max_tokens": self.tokenizer.max_tokens,
            },
        )
        return "standalone.SyntacticEncoder"

    def backbone_config(self) -> dict[str, Any] | None:
        """None for a BiLSTM, which needs no backbone."""
        if isinstance(self.syntactic, BiLstm):
            return None
        config: dict[str, Any] = self.syntactic.model.config.to_dict()
        return config
