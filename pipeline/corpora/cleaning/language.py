"""Whether a text is in the language its source claims (py3langid, after langid.py: Lui & Baldwin 2012)."""

import functools
from typing import Any

_ENOUGH = 40  # characters; of shorter texts no model can be sure
_HEAD = 600  # characters looked at


@functools.cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def is_foreign(text: str, language: str, confidence: float) -> bool:
    """Whether another language than ``language`` has at least the probability ``confidence``.

    Short texts, and languages that the model does not know, are never foreign.
    """
    if len(text) < _ENOUGH or language not in _identifier().labels:
        return False
    found, probability = _identifier().classify(text[:_HEAD])
    return bool(found != language and probability >= confidence)
