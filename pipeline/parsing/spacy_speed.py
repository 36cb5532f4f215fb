"""spaCy's English on a CPU in half the time, to the same trees: no word is computed twice."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

Annotation = tuple[str, str, str, str, str]  # form, UPOS, tag, features and lemma of a token
_COLUMNS = ["ORTH", "TAG", "DEP"]
# What the attribute ruler's patterns may test so that the three columns decide the answer.
_DECIDED = {"ORTH", "TEXT", "LOWER", "NORM", "SHAPE", "LENGTH", "TAG", "DEP", "IS_SPACE", "IS_PUNCT"}
_LARGEST_CACHE = 50_000  # words, some 40 MB; then the cache is emptied
_SEPARATOR = ("\u2060", "", "")  # a word joiner, which no pattern matches


def annotations(doc: "Doc", rules: Sequence[Any] = ()) -> list[Annotation]:
    """Return the annotations of all tokens after these components."""
    for component in rules:
        doc = component(doc)
    return [(t.text, t.pos_ or "X", t.tag_, str(t.morph), t.lemma_ or t.text) for t in doc]


class RuleCache:
    """Attribute ruler and rule lemmatizer, which cost a third of the time, cached by form, tag and relation.

    A text that matches one of the ruler's few patterns over several words passes the components themselves.
    """

    def __init__(self, nlp: "Language") -> None:
        from spacy.matcher import Matcher

        self._vocab = nlp.vocab
        self._rules: list[Any] = [component for _, component in nlp.pipeline[-2:]]
        self._cache: dict[tuple[int, ...], Annotation] = {}
        self._longer = Matcher(nlp.vocab)
        if longer := [pattern for pattern in _patterns(self._rules[0]) if len(pattern) > 1]:
            self._longer.add("longer", longer)

    @staticmethod
    def serves(nlp: "Language") -> bool:
        """Return whether the pipeline ends in these components, with patterns that a word decides."""
        from spacy.lang.en.lemmatizer import EnglishLemmatizer
        from spacy.pipeline import AttributeRuler

        *_, ruler, lemmatizer = [None, None, *(component for _, component in nlp.pipeline)]
        return (
            isinstance(ruler, AttributeRuler)
            and type(lemmatizer) is EnglishLemmatizer
            and lemmatizer.mode == "rule"
            and all(set(word) <= _DECIDED for pattern in _patterns(ruler) for word in pattern)
        )

    def annotate(self, docs: "list[Doc]") -> Iterator[list[Annotation]]:
        """Yield the annotations of each tagged and parsed document."""
        if len(self._cache) >= _LARGEST_CACHE:
            self._cache.clear()
            self._rules[1].cache.clear()
        keys = [list(map(tuple, doc.to_array(_COLUMNS).tolist())) for doc in docs]
        if new := list({key for some in keys for key in some} - self._cache.keys()):
            self._cache |= zip(new, self._answers(new), strict=True)
        for doc, some in zip(docs, keys, strict=True):
            yield annotations(doc, self._rules) if self._longer(doc) else [self._cache[key] for key in some]

    def _answers(self, keys: list[tuple[int, ...]]) -> list[Annotation]:
        """Run the components on words out of context, all in one Doc, which costs far less than one each."""
        from spacy.tokens import Doc

        strings = self._vocab.strings
        words = [word for key in keys for word in (tuple(strings[each] for each in key), _SEPARATOR)]
        forms, tags, relations = map(list, zip(*words, strict=True))
        pos = ["", "X"] * len(keys)  # the lemmatizer warns of a word that no rule gave a part of speech
        heads = list(range(len(words)))
        doc = Doc(self._vocab, words=forms, tags=tags, pos=pos, deps=relations, heads=heads)
        return annotations(doc, self._rules)[::2]


def _patterns(ruler: Any) -> Iterator[list[dict[str, Any]]]:
    for rule in ruler.patterns:
        yield from rule["patterns"]


def speed_up(nlp: "Language") -> None:
    """Multiply by OpenBLAS, embed each distinct word of a batch once, and search sets instead of lists.

    thinc multiplies by BLIS, which on processors with AVX-512 runs at a third of the speed of numpy's
    OpenBLAS. The rule lemmatizer searches lists of tens of thousands of forms.
    """
    from thinc.api import Model, NumpyOps, chain

    operations = NumpyOps(use_blis=False)
    for _, component in nlp.pipeline:
        if isinstance(model := getattr(component, "model", None), Model):
            for node in list(model.walk()):
                if type(node.ops) is NumpyOps:  # not on a GPU, and not Apple's
                    node.ops = operations
                    names = [layer.name for layer in node.layers]
                    if names[:2] == ["extract_features", "list2ragged"] and names[-1] == "ragged2list":
                        node.layers[2:-1] = [_on_distinct_rows(chain(*node.layers[2:-1]))]
        lookups = getattr(component, "lookups", None)
        if lookups is not None and lookups.has_table("lemma_index"):
            index = lookups.get_table("lemma_index")
            for part_of_speech in list(index):
                index[part_of_speech] = frozenset(index[part_of_speech])


def _on_distinct_rows(embed: Any) -> Any:
    """Wrap layers that embed each row of features [N, F] on its own: equal rows are embedded once."""
    from thinc import api

    thinc: Any = api  # its types do not know numpy's arrays

    def forward(model: Any, words: Any, is_train: bool) -> Any:
        rows, places = np.unique(words.dataXd, axis=0, return_inverse=True)
        found = embed.predict(thinc.Ragged(rows, np.array([len(rows)], dtype=np.int32)))
        return thinc.Ragged(found.dataXd[places.ravel()], words.lengths), lambda gradient: None

    return thinc.Model("distinct_rows", forward, layers=[embed], ops=embed.ops)
