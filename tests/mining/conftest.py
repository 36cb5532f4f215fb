"""Words as vectors for ``ebsim``, which otherwise loads a model."""

import pytest
from small_corpus import bag_of_words


@pytest.fixture
def word_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The backbone's vectors are ``bag_of_words``."""
    monkeypatch.setattr("pipeline.systems.ebsim.mining.backbone", lambda encoder: bag_of_words)
