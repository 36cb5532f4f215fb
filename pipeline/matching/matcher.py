"""A matcher: one transformer that reads a pair and says how far it is a match (EBSIM 2024, section 3.4).

It is Hugging Face's sequence classifier of the encoder's family with one output, so its folder loads as a
sentence-transformers ``CrossEncoder`` and with transformers alone.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.errors import SynsemError
from pipeline.nn.backbone import Backbone, quiet
from pipeline.nn.embedding import by_length, token_budget
from pipeline.nn.pairs import PairTokeniser

_NEW = ("classifier", "pooler", "score", "pre_classifier", "head")  # what a backbone may lack
_ONE_OUTPUT = {"num_labels": 1, "id2label": {0: "match"}, "label2id": {"match": 0}}


class Matcher:
    """A sequence classifier with one logit and its tokenizer."""

    def __init__(self, model: Any, tokenizer: Any, max_tokens: int) -> None:
        self.model = model
        self.tokeniser = PairTokeniser(tokenizer, max_tokens, max_tokens)

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.model.parameters()).device

    def logits(self, a: Sequence[str], b: Sequence[str]) -> torch.Tensor:
        """One logit a pair, float32 [n], with its gradient; n >= 1, in one batch."""
        tokens = self.tokeniser.pairs(a, b, self.device)
        return self.model(**tokens.inputs()).logits.squeeze(-1).float()

    @torch.inference_mode()
    def scores(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float32]:
        """How far each pair is a match, float32 [n], 0 to 1. The model is left in evaluation mode."""
        self.model.eval()
        found = np.zeros(len(a), dtype=np.float32)
        for rows in self._batches(a, b):
            logits = self.logits([a[row] for row in rows], [b[row] for row in rows])
            found[rows] = torch.sigmoid(logits).cpu().numpy()
        return found

    def _batches(self, a: Sequence[str], b: Sequence[str]) -> Iterator[NDArray[np.int64]]:
        if len(a):
            yield from by_length(self.tokeniser.lengths(a, b), token_budget(self.device))

    def save(self, folder: Path) -> None:
        """Write what ``CrossEncoder(folder)`` loads; its scores are those of ``scores``."""
        tokenizer = self.tokeniser.tokenizer
        tokenizer.model_max_length = self.tokeniser.pair_tokens
        with quiet():
            self.model.save_pretrained(str(folder))
        tokenizer.save_pretrained(str(folder))


def untrained(backbone: Backbone, max_tokens: int, seed: int) -> Matcher:
    """A matcher with a backbone's weights and a random head, the same for the same seed and family.

    Raises SynsemError where transformers has no sequence classifier for the backbone's family, or it is too
    short for ``max_tokens``.
    """
    from transformers import AutoModelForSequenceClassification

    from pipeline.systems.base import check_length

    check_length(backbone, max_tokens, "--max-tokens")
    config = type(backbone.model.config).from_dict(backbone.model.config.to_dict() | _ONE_OUTPUT)
    torch.manual_seed(seed)
    try:
        with quiet():
            model = AutoModelForSequenceClassification.from_config(config)
    except ValueError as error:
        raise SynsemError(
            f"encoder.model: no classifier for the {config.model_type} family; name a BERT or RoBERTa model"
        ) from error
    lacking, unknown = model.base_model.load_state_dict(backbone.model.state_dict(), strict=False)
    strange = [name for name in lacking if not name.startswith(_NEW)] + list(unknown)
    if strange:
        raise SynsemError(
            f"encoder.model: {config.model_type} weights do not fit its classifier ({strange[0]})"
        )
    return Matcher(model.float().eval(), backbone.tokenizer, max_tokens)


def load(folder: Path) -> Matcher:
    """A saved matcher, in evaluation mode; SynsemError where the folder holds none."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    try:
        with quiet():
            model = AutoModelForSequenceClassification.from_pretrained(str(folder), local_files_only=True)
            tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise SynsemError(f"{folder}: holds no matcher; make one with `synsem finetune`") from error
    if model.config.num_labels != 1:
        raise SynsemError(f"{folder}: a matcher has one output, this model has {model.config.num_labels}")
    return Matcher(model.float().eval(), tokenizer, tokenizer.model_max_length)
