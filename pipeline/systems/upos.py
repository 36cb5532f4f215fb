"""Syntactic sentence embeddings (Liu et al. 2019): a vector that tells the tags of a translation.

A BiLSTM over pieces of one vocabulary for all languages, as published, or any transformer under the same
objective. The encoder is told no language, the decoder only the target's. Anchors are source sentences,
positives their translations (or themselves) with UPOS tags.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch

from pipeline.errors import SynsemError
from pipeline.nn.backbone import Backbone
from pipeline.nn.bilstm import BiLstm, Reading
from pipeline.nn.embedding import embed
from pipeline.nn.encoder import Encoder
from pipeline.nn.sentence_pieces import sentence_pieces
from pipeline.nn.shape_distances import misplacement, shapes
from pipeline.nn.tag_decoder import (
    OWN_LANGUAGE,
    Shape,
    TagDecoder,
    language_row,
    surprise,
    tag_numbers,
)
from pipeline.nn.tokens import Tokeniser, Tokens
from pipeline.params import Train, Upos
from pipeline.sentences import HasTree
from pipeline.systems import base, registry

_TRANSLATION = "translation-"  # then the language: the kind of a positive in another language


class System(base.System):
    """View: ``syntactic``, the largest state of the encoder in each dimension."""

    name = "upos"

    def __init__(self, backbone: Backbone, settings: base.Settings) -> None:
        super().__init__()
        assert isinstance(settings.system, Upos)
        self.settings, self.params = settings, settings.system
        if not any((self.params.translation, self.params.own, self.params.distances)):
            raise SynsemError("upos: translation, own and distances are all 0; give one of them a weight")
        self._backbone = [backbone.model]  # in a list, so that it is no part of a BiLSTM's weights
        self._adopt(backbone.tokenizer)

    def _adopt(self, tokenizer: Any) -> None:
        """Take a tokenizer and make what depends on its size."""
        params = self.params
        self.tokeniser = Tokeniser(tokenizer, self.settings.encoder.max_tokens)
        self.syntactic: BiLstm | Encoder
        if params.encoder == "bilstm":
            shape = params.bilstm
            self.syntactic = BiLstm(
                len(tokenizer), shape.embedding, shape.width, shape.layers, params.dropout
            )
            last = self.syntactic.last_width
        else:
            self.syntactic = Encoder(self._backbone[0], "max")
            last = self.syntactic.width
        self.decoder = TagDecoder(
            Shape(self.syntactic.width, last, params.tag_size, params.language_size, params.decoder_size)
        )

    def prepare(self, sentences: Iterable[HasTree]) -> None:
        """Learn the pieces of the source sentences, in all languages together (a BiLSTM's alone).

        With ``start``, pieces and weights are those of a trained model, as for a language that it never saw.
        """
        if self.params.start is not None:
            self._go_on(Path(self.params.start))
        elif self.params.encoder == "bilstm":
            texts = (sentence.text for sentence in sentences)
            self._adopt(sentence_pieces(texts, self.params.bilstm.vocabulary))

    def _go_on(self, folder: Path) -> None:
        trained = registry.load(folder)
        if not isinstance(trained, System):
            raise SynsemError(f"upos.start: {folder} is a model of {trained.name}; name one of upos")
        self._adopt(trained.tokeniser.tokenizer)
        try:
            self.load_state_dict(trained.state_dict())
        except RuntimeError as error:
            raise SynsemError(
                f"upos.start: {folder} is of another shape; set upos and encoder as in its config.json"
            ) from error

    def schedule(self) -> Train:
        """A BiLSTM's steps are many and cheap: ``upos.bilstm.steps`` times those of ``train``."""
        train = self.settings.train
        if self.params.encoder == "backbone":
            return train
        more = self.params.bilstm.steps
        scaled = {name: max(1, round(more * getattr(train, name))) for name in ("steps", "evaluate_every")}
        return train.model_copy(update=scaled)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Pretrained weights learn slowly; all others at ``upos.rate`` times their rate."""
        rate = self.params.rate
        pretrained = self.params.encoder == "backbone"
        return [
            {"params": list(self.syntactic.parameters()), "rate": 1.0 if pretrained else rate},
            {"params": list(self.decoder.parameters()), "rate": rate},
        ]

    def represent(self, batch: base.Batch) -> base.Representations:
        """For each objective that has a weight, of each example: the summed ``NAME_loss``, how many
        ``NAME_tags`` there are and how many are foretold, ``NAME_right``; ``distances`` has ``vectors``
        and ``shapes``.

        Only sentences with tags of their own count under ``own``.
        """
        if not all(each.upos for each in batch.positives):
            raise SynsemError("upos: the training examples carry no UPOS tags; mine them again")
        params = self.params
        reading = self._read(self.tokeniser(batch.anchors, self.device, trees=False))
        found: base.Representations = {}
        if params.translation:
            kinds = batch.kinds or [""] * len(batch.anchors)
            rows = [language_row(kind.partition(_TRANSLATION)[2]) for kind in kinds]
            found |= self._foretold("translation", reading, rows, [each.upos for each in batch.positives])
        if params.own:
            tagged = [number for number, each in enumerate(batch.anchors) if each.upos]
            part = Reading(reading.pooled[tagged], reading.last[tagged])
            own = [batch.anchors[number].upos for number in tagged]
            found |= self._foretold("own", part, [OWN_LANGUAGE] * len(tagged), own)
        if params.distances:
            pairs = zip(batch.anchors, batch.positives, strict=True)
            found["vectors"] = reading.pooled
            found["shapes"] = shapes(
                [anchor.upos or positive.upos for anchor, positive in pairs], self.device
            )
        return found

    def _foretold(
        self, name: str, reading: Reading, rows: Sequence[int], sequences: Sequence[Sequence[str]]
    ) -> base.Representations:
        languages = torch.tensor(rows, dtype=torch.int64, device=self.device)
        tags = tag_numbers(sequences, self.device)
        found = surprise(self.decoder(reading.pooled, reading.last, languages, tags), tags)
        return {f"{name}_{part}": value for part, value in found._asdict().items()}

    def _read(self, tokens: Tokens) -> Reading:
        if isinstance(self.syntactic, BiLstm):
            return self.syntactic.read(tokens)
        pooled = self.syntactic(tokens)
        return Reading(pooled, pooled)  # a transformer has no last state

    def objective(self, representations: base.Representations) -> base.Losses:
        """The weighted sum of cross-entropies a tag, ``translation`` and ``own``, and of ``distances``; when
        not training, with the shares of tags that are foretold.
        """
        found, params = representations, self.params
        losses: base.Losses = {}
        shares: base.Losses = {}
        for name in ("translation", "own"):
            if f"{name}_loss" in found:
                total = found[f"{name}_tags"].sum().clamp(min=1)
                losses[name] = found[f"{name}_loss"].sum() / total
                shares[f"{name}_accuracy"] = found[f"{name}_right"].sum() / total
        if "vectors" in found:
            losses["distances"] = misplacement(found["vectors"], found["shapes"])
        loss = torch.stack([getattr(params, name) * value for name, value in losses.items()]).sum()
        return {"loss": loss} | losses | ({} if self.training else shares)

    def embed(self, sentences: Sequence[HasTree]) -> base.Views:
        """See ``base.Embedder``."""
        return embed({"syntactic": self.syntactic}, self.tokeniser, sentences)

    @property
    def exported(self) -> None:
        """There is no semantic view."""
        return None

    def backbone_config(self) -> dict[str, Any] | None:
        """None for a BiLSTM, which needs no backbone."""
        if isinstance(self.syntactic, BiLstm):
            return None
        config: dict[str, Any] = self.syntactic.model.config.to_dict()
        return config
