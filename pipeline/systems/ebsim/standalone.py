"""A matcher that starts from a weighted cosine, for sentence-transformers; it needs nothing of SynSem.

``CrossEncoder(FOLDER, trust_remote_code=True)`` loads it: the folder has a copy of this file. Its scores are
those of ``synsem match``. The folder holds two transformers: the fine-tuned classifier of pairs in
``classifier``, if there is one, and the bi-encoder in ``cosine``. ``AutoModelForSequenceClassification``
finds no model at the folder's root, for the classifier alone is not the matcher.
"""

import json
from pathlib import Path
from typing import Any

import torch
from sentence_transformers.models import InputModule
from torch.nn import functional as F
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

CLASSIFIER, COSINE, SETTINGS = "classifier", "cosine", "matcher.json"


class CosineMatcher(InputModule):
    """Pair -> logit: ``sum_i w_i u_i v_i + intercept`` of unit vectors, and what a classifier adds to it."""

    def __init__(
        self, classifier: Any, encoder: Any, tokenizers: tuple[Any, Any], settings: dict[str, Any]
    ) -> None:
        super().__init__()
        self.classifier, self.encoder = classifier, encoder
        self.tokenizer, self.text_tokenizer = tokenizers
        self.weights = torch.nn.Parameter(torch.tensor(settings["weights"]))
        self.intercept = torch.nn.Parameter(torch.tensor(settings["intercept"]))

    @property
    def max_seq_length(self) -> int:
        """Tokens of a text, and of a pair, that are read, special tokens included."""
        return int(self.text_tokenizer.model_max_length)

    @max_seq_length.setter
    def max_seq_length(self, tokens: int) -> None:
        room = _room(self.encoder, tokens)
        if not 2 <= tokens <= room:
            raise ValueError(f"max_seq_length: {tokens} is not between 2 and the encoder's {room} positions")
        for tokenizer in (self.tokenizer, self.text_tokenizer):
            if tokenizer is not None:  # there is one of pairs only beside a classifier
                tokenizer.model_max_length = int(tokens)

    def preprocess(self, inputs: Any, prompt: str | None = None, **_: Any) -> dict[str, torch.Tensor]:
        """Token ids and masks, int64 [n, L], of n pairs and of both texts of each.

        Raises ValueError for a ``prompt``, which the matcher was not fine-tuned with.
        """
        if prompt:
            raise ValueError("prompt: this matcher was fine-tuned without one; leave it out")
        a, b = ([pair[side] for pair in inputs] for side in (0, 1))
        found = {}
        if self.classifier is not None:
            found = _encoded("pair", self.tokenizer, a, b, truncation="longest_first")
        for name, texts in (("first", a), ("second", b)):
            found |= _encoded(name, self.text_tokenizer, texts, truncation=True)
        return found

    def tokenize(self, texts: Any, **options: Any) -> dict[str, torch.Tensor]:
        """``preprocess`` by its name before sentence-transformers 6."""
        return self.preprocess(texts, **options)

    def forward(self, features: dict[str, torch.Tensor], **_: Any) -> dict[str, torch.Tensor]:
        """Add ``scores``, the logits, float32 [n, 1], to what ``preprocess`` gave."""
        first, second = (self._vectors(_part(features, name)) for name in ("first", "second"))
        scores = ((first * second) @ self.weights + self.intercept)[:, None]
        if self.classifier is not None:
            scores = scores + self.classifier(**_part(features, "pair")).logits.float()
        return features | {"scores": scores}

    def _vectors(self, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        states = self.encoder(**inputs).last_hidden_state.float()
        weight = inputs["attention_mask"][:, :, None].float()
        return F.normalize((states * weight).sum(dim=1) / weight.sum(dim=1).clamp(min=1e-9), dim=-1)

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write transformers, tokenizers and settings; sentence-transformers copies this file."""
        folder = Path(output_path)
        for name, model, tokenizer in (
            (CLASSIFIER, self.classifier, self.tokenizer),
            (COSINE, self.encoder, self.text_tokenizer),
        ):
            if model is None:
                continue
            model.save_pretrained(str(folder / name))
            tokenizer.save_pretrained(str(folder / name))
        settings: dict[str, Any] = {"weights": self.weights.tolist(), "intercept": self.intercept.item()}
        settings["classifier"] = self.classifier is not None
        (folder / SETTINGS).write_text(json.dumps(settings), encoding="utf-8")

    @classmethod
    def load(cls, model_name_or_path: str, **options: Any) -> "CosineMatcher":
        """Load from a folder or the Hugging Face hub."""
        source = {
            name: options[name]
            for name in ("token", "cache_folder", "revision", "local_files_only")
            if name in options
        }
        home = cls.load_dir_path(model_name_or_path, subfolder="", **source)
        assert home is not None
        folder = Path(home)
        classifier, encoder = str(folder / CLASSIFIER), str(folder / COSINE)
        text = AutoTokenizer.from_pretrained(encoder, trust_remote_code=False)
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        if not settings["classifier"]:
            return cls(None, _encoder(encoder).float(), (None, text), settings)
        pair = AutoTokenizer.from_pretrained(classifier, trust_remote_code=False)
        model = AutoModelForSequenceClassification.from_pretrained(classifier, trust_remote_code=False)
        return cls(model.float(), _encoder(encoder).float(), (pair, text), settings)


def _room(encoder: Any, otherwise: int) -> int:
    """Positions of a sentence's tokens; RoBERTa and its relatives count them from padding + 1."""
    positions = getattr(encoder.config, "max_position_embeddings", None) or 0
    if positions <= 0:  # distances are counted: a T5 has no such number, an XLNet says -1
        return otherwise
    table = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    return int(positions) - (0 if padding is None else padding + 1)


def _encoder(folder: str) -> Any:
    try:
        return AutoModel.from_pretrained(folder, trust_remote_code=False, add_pooling_layer=False)
    except TypeError:  # the family has no pooler
        return AutoModel.from_pretrained(folder, trust_remote_code=False)


def _encoded(name: str, tokenizer: Any, *texts: list[str], truncation: Any) -> dict[str, torch.Tensor]:
    limit = tokenizer.model_max_length
    options = {"padding": True, "padding_side": "right", "return_tensors": "pt"}
    encoding = tokenizer(*texts, truncation=truncation, max_length=limit, **options)
    return {f"{name}.{key}": value for key, value in encoding.items()}


def _part(features: dict[str, torch.Tensor], name: str) -> dict[str, torch.Tensor]:
    prefix = f"{name}."
    return {key.removeprefix(prefix): value for key, value in features.items() if key.startswith(prefix)}
