"""The cosine of two texts' vectors by the untouched backbone: a baseline by itself, and a matcher's start.

MiniLM and its like were trained as bi-encoders, so their cosine matches well without a labelled pair, and a
cross-encoder fine-tuned on a few thousand pairs ends below it. A matcher that starts from the cosine computes

    logit = slope * cosine + intercept + the classifier's own logit

where the first two terms are a logistic regression on the training pairs, never trained further, and the
third is zero before the first step. So training starts at the calibrated cosine and learns what it lacks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.nn.amp import full_precision
from pipeline.nn.backbone import Backbone, quiet
from pipeline.nn.embedding import embed
from pipeline.nn.encoder import Encoder
from pipeline.nn.tokenizer import SentenceTokenizer
from pipeline.syntax.sentence import Side
from pipeline.systems.ebsim.labelled_pairs import Pairs

_C = 100.0  # a weak penalty: finite where the cosine separates all pairs, else without effect
Floats = NDArray[np.float32]


class BiEncoder:
    """A backbone as it is, and the mean of its token states as a text's vector."""

    def __init__(self, backbone: Backbone, max_tokens: int) -> None:
        self.encoder = Encoder(backbone.model, "mean")
        self.tokenizer = SentenceTokenizer(backbone.tokenizer, max_tokens)

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, float32 [n, D], in full precision even under autocast; equal texts are read once."""
        different = list(dict.fromkeys(texts))
        place = {text: row for row, text in enumerate(different)}
        with full_precision(next(self.encoder.parameters()).device):
            found = embed({"": self.encoder}, self.tokenizer, [Side(text, (), ()) for text in different])[""]
        return found[[place[text] for text in texts]]

    def cosines(self, a: Sequence[str], b: Sequence[str]) -> Floats:
        """The cosine of each pair's vectors, float32 [n]."""
        vectors = self.vectors([*a, *b])
        return np.asarray(metrics.cosines(vectors[: len(a)], vectors[len(a) :]), np.float32)


@dataclass(frozen=True)
class CalibratedCosine:
    """``slope * cosine + intercept``: the log-odds of a match by the cosine alone, never trained further."""

    bi_encoder: BiEncoder
    slope: float
    intercept: float

    def logits(self, a: Sequence[str], b: Sequence[str]) -> Floats:
        """Log-odds of each pair, float32 [n]."""
        return np.asarray(self.slope * self.bi_encoder.cosines(a, b) + self.intercept, np.float32)

    def to(self, device: torch.device | str) -> None:
        """Move the bi-encoder to a device."""
        self.bi_encoder.encoder.to(device)

    def save(self, folder: Path) -> None:
        """Write the bi-encoder, a transformer and its tokenizer; slope and intercept are the caller's."""
        with quiet():
            self.bi_encoder.encoder.model.save_pretrained(str(folder))
        tokenizer = self.bi_encoder.tokenizer.portable
        tokenizer.model_max_length = self.bi_encoder.tokenizer.max_tokens
        tokenizer.save_pretrained(str(folder))


def calibrate(bi_encoder: BiEncoder, train: Pairs) -> CalibratedCosine:
    """Logistic regression of the targets on the cosine; a graded target counts as a share of a match.

    Raises SynsemError where all targets are 0, or all 1.
    """
    from sklearn.linear_model import LogisticRegression

    if not 0 < float(train.target.sum()) < len(train):
        raise SynsemError(
            "finetune: the training pairs are all of one kind, so the cosine has no threshold; "
            "take a larger --share"
        )
    cosines = bi_encoder.cosines(train.a, train.b)[:, None]
    # A pair of target t is a match of weight t and a mismatch of weight 1 - t.
    kinds = np.repeat([1, 0], len(train))
    weights = np.concatenate([train.target, 1 - train.target])
    found = LogisticRegression(C=_C, max_iter=1000).fit(np.concatenate([cosines, cosines]), kinds, weights)
    return CalibratedCosine(bi_encoder, float(found.coef_[0, 0]), float(found.intercept_[0]))
