"""A cache for spaCy's rule components: attribute ruler and rule lemmatizer of the English models.

They take a third of the parsing time, yet what they give a word follows from its form, tag and relation alone
(but for a few patterns over two words). So each such triple goes once through the components themselves, and
its answer is kept.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.matcher import Matcher
    from spacy.tokens import Doc, Token

# What a pattern may test so that the triple decides it: the relation, the tag, and facts of the form.
_DECIDED = frozenset(
    {"ORTH", "TEXT", "LOWER", "NORM", "SHAPE", "LENGTH", "TAG", "DEP", "IS_SPACE", "IS_PUNCT"}
)
_LARGEST_CACHE = 50_000  # triples, some 40 MB with the lemmatizer's own; then the cache is emptied
_SEPARATOR = "\u2060"  # a word joiner: no word of any pattern


class Annotation(NamedTuple):
    """What the rules give a word."""

    word: str
    upos: str
    xpos: str
    feats: str
    lemma: str
    first: int  # bit k: could begin the two-word pattern k
    second: int  # bit k: could be its second word
    space: bool


def annotation(token: "Token", first: int = 0, second: int = 0) -> Annotation:
    """Read a token that the whole pipeline has seen."""
    feats = str(token.morph)
    return Annotation(
        token.text,
        token.pos_ or "X",
        token.tag_,
        feats,
        token.lemma_ or token.text,
        first,
        second,
        token.is_space,
    )


class RuleCache:
    """Attribute ruler and rule lemmatizer of one pipeline, with their answers cached."""

    def __init__(self, nlp: "Language") -> None:
        from spacy.matcher import Matcher

        self._nlp = nlp
        self._components = [component for _, component in nlp.pipeline[-2:]]
        _speed_up(self._components[1])
        self._cache: dict[tuple[int, int, int], Annotation] = {}
        patterns = [pattern for rule in self._components[0].patterns for pattern in rule["patterns"]]
        longer = [pattern for pattern in patterns if len(pattern) > 1]
        self._begin, self._follow = Matcher(nlp.vocab), Matcher(nlp.vocab)
        for number, pattern in enumerate(longer):
            self._begin.add(str(number), [[pattern[0]]])
            self._follow.add(str(number), [[pattern[1]]])
        # Relations that no pattern names are the same to the patterns, so that fewer triples must be learnt.
        named = {nlp.vocab.strings[name] for pattern in patterns for word in pattern for name in _named(word)}
        labels = [nlp.vocab.strings[label] for label in nlp.get_pipe("parser").labels]
        other = next((label for label in labels if label not in named), 0)
        self._relation = {label: other for label in labels if label not in named} if other else {}
        self._bits = {nlp.vocab.strings[str(number)]: 1 << number for number in range(len(longer))}

    @staticmethod
    def serves(nlp: "Language") -> bool:
        """Whether the pipeline ends in components whose answers follow from the triple."""
        from spacy.lang.en.lemmatizer import EnglishLemmatizer
        from spacy.pipeline import AttributeRuler

        if len(nlp.pipeline) < 2:
            return False
        ruler, lemmatizer = (component for _, component in nlp.pipeline[-2:])
        return (
            isinstance(ruler, AttributeRuler)
            and type(lemmatizer) is EnglishLemmatizer
            and lemmatizer.mode == "rule"
            and lemmatizer.lookups.has_table("lemma_index")
            and all(
                set(word) <= _DECIDED and set(_operators(word.get("DEP"))) <= {"IN", "NOT_IN"}
                for rule in ruler.patterns
                for pattern in rule["patterns"]
                for word in pattern
            )
        )

    def learn(self, words: Iterable[tuple[int, int, int]]) -> None:
        """Run the components on all (form, tag, relation) triples not known yet, given as string-store keys.

        They share one Doc, which costs far less than one each. A neutral token stands between them, so that
        no pattern of two words sees two of them.
        """
        from spacy.tokens import Doc

        if len(self._cache) >= _LARGEST_CACHE:
            self._cache.clear()
            self._components[1].cache.clear()
        unknown = list({self._key(*word): None for word in words} - self._cache.keys())
        if not unknown:
            return
        vocab = self._nlp.vocab
        separated = [each for key in unknown for each in (key, (vocab.strings.add(_SEPARATOR), 0, 0))]
        forms, tags, relations = (
            [vocab.strings[each] for each in column] for column in zip(*separated, strict=True)
        )
        parts_of_speech = ["", "X"] * len(unknown)  # the lemmatizer warns of words that no rule gave one
        heads = list(range(len(separated)))
        doc = Doc(vocab, words=forms, tags=tags, pos=parts_of_speech, deps=relations, heads=heads)
        first, second = self._bits_of(self._begin, doc), self._bits_of(self._follow, doc)
        for component in self._components:
            doc = component(doc)
        for number, key in enumerate(unknown):
            place = 2 * number
            self._cache[key] = annotation(doc[place], first.get(place, 0), second.get(place, 0))

    def annotate(
        self, doc: "Doc", orths: Sequence[int], tags: Sequence[int], deps: Sequence[int]
    ) -> list[Annotation]:
        """Annotate the words of a tagged and parsed Doc, given its columns as string-store keys."""
        cache, relation = self._cache, self._relation
        keys = [(orth, tag, relation.get(dep, dep)) for orth, tag, dep in zip(orths, tags, deps, strict=True)]
        try:
            found = [cache[key] for key in keys]
        except KeyError:
            self.learn(keys)
            found = [cache[key] for key in keys]
        if any(a.first & b.second for a, b in pairwise(found)):
            for component in self._components:
                doc = component(doc)
            return [annotation(token) for token in doc]
        return found

    def _key(self, orth: int, tag: int, dep: int) -> tuple[int, int, int]:
        return orth, tag, self._relation.get(dep, dep)

    def _bits_of(self, matcher: "Matcher", doc: "Doc") -> dict[int, int]:
        """For each place in the Doc, the patterns that have a word like the one there."""
        bits: dict[int, int] = {}
        for match, start, _ in matcher(doc):
            bits[start] = bits.get(start, 0) | self._bits[match]
        return bits


def _named(word: dict[str, Any]) -> list[str]:
    """The relations that a word of a pattern names, to match or to exclude."""
    wanted = word.get("DEP", [])
    if isinstance(wanted, dict):
        return [name for names in wanted.values() for name in names]
    return [wanted] if isinstance(wanted, str) else wanted


def _operators(wanted: Any) -> list[str]:
    return list(wanted) if isinstance(wanted, dict) else []


def _speed_up(lemmatizer: Any) -> None:
    """Turn the lemmatizer's word lists into sets: it searches lists of tens of thousands of forms."""
    index = lemmatizer.lookups.get_table("lemma_index")
    for part_of_speech in list(index):
        index[part_of_speech] = frozenset(index[part_of_speech])
