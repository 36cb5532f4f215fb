"""spaCy's rule components, remembered word by word.

The attribute ruler and the rule lemmatizer of spaCy's English models take a third of the parsing time, yet
what they give a word follows from its form, tag and relation alone (but for a few patterns over two words).
So each such triple goes once through the components themselves, and its answer is kept.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.matcher import Matcher
    from spacy.tokens import Doc, Token

# What a pattern may look at so that the triple decides it: the relation, the tag, and facts of the form.
_DECIDED = frozenset(
    {"ORTH", "TEXT", "LOWER", "NORM", "SHAPE", "LENGTH", "TAG", "DEP", "IS_SPACE", "IS_PUNCT"}
)
_LARGEST_MEMORY = 50_000  # triples, some 40 MB with the lemmatizer's own; then all is forgotten
_PARTING = "\u2060"  # a word joiner: no word of any pattern


class Annotation(NamedTuple):
    """What the rules say of a word."""

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


class RuleMemory:
    """Attribute ruler and rule lemmatizer of one pipeline, answering from memory."""

    def __init__(self, nlp: "Language") -> None:
        from spacy.matcher import Matcher

        self._nlp = nlp
        self._components = [component for _, component in nlp.pipeline[-2:]]
        _quicken(self._components[1])
        self._memory: dict[tuple[int, int, int], Annotation] = {}
        patterns = [pattern for rule in self._components[0].patterns for pattern in rule["patterns"]]
        longer = [pattern for pattern in patterns if len(pattern) > 1]
        self._begin, self._follow = Matcher(nlp.vocab), Matcher(nlp.vocab)
        for number, pattern in enumerate(longer):
            self._begin.add(str(number), [[pattern[0]]])
            self._follow.add(str(number), [[pattern[1]]])
        # Relations that no pattern names are one to the patterns, so that fewer words must be asked for.
        named = {nlp.vocab.strings[name] for pattern in patterns for word in pattern for name in _named(word)}
        labels = [nlp.vocab.strings[label] for label in nlp.get_pipe("parser").labels]
        other = next((label for label in labels if label not in named), 0)
        self._relation = {label: other for label in labels if label not in named} if other else {}
        self._bits = {nlp.vocab.strings[str(number)]: 1 << number for number in range(len(longer))}

    @staticmethod
    def serves(nlp: "Language") -> bool:
        """Whether the pipeline ends in components whose answers the triple decides."""
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
        """Ask the components for all (form, tag, relation) triples not known yet, as string-store keys.

        They are asked together, in one Doc, which costs far less than one by one. A neutral token parts them,
        so that no pattern of two words sees two of them.
        """
        from spacy.tokens import Doc

        if len(self._memory) >= _LARGEST_MEMORY:
            self._memory.clear()
            self._components[1].cache.clear()
        unknown = list({self._key(*word): None for word in words} - self._memory.keys())
        if not unknown:
            return
        vocab = self._nlp.vocab
        parted = [part for key in unknown for part in (key, (vocab.strings.add(_PARTING), 0, 0))]
        forms, tags, relations = (
            [vocab.strings[part] for part in column] for column in zip(*parted, strict=True)
        )
        parts_of_speech = ["", "X"] * len(unknown)  # the lemmatizer warns of words that no rule gave one
        heads = list(range(len(parted)))
        doc = Doc(vocab, words=forms, tags=tags, pos=parts_of_speech, deps=relations, heads=heads)
        first, second = self._bits_of(self._begin, doc), self._bits_of(self._follow, doc)
        for component in self._components:
            doc = component(doc)
        for number, key in enumerate(unknown):
            place = 2 * number
            self._memory[key] = annotation(doc[place], first.get(place, 0), second.get(place, 0))

    def annotate(
        self, doc: "Doc", orths: Sequence[int], tags: Sequence[int], deps: Sequence[int]
    ) -> list[Annotation]:
        """Annotate the words of a tagged and parsed Doc, given its columns as string-store keys."""
        memory, relation = self._memory, self._relation
        keys = [(orth, tag, relation.get(dep, dep)) for orth, tag, dep in zip(orths, tags, deps, strict=True)]
        try:
            found = [memory[key] for key in keys]
        except KeyError:
            self.learn(keys)
            found = [memory[key] for key in keys]
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
    """The relations that a word of a pattern names, whether it asks for them or against them."""
    wanted = word.get("DEP", [])
    if isinstance(wanted, dict):
        return [name for names in wanted.values() for name in names]
    return [wanted] if isinstance(wanted, str) else wanted


def _operators(wanted: Any) -> list[str]:
    return list(wanted) if isinstance(wanted, dict) else []


def _quicken(lemmatizer: Any) -> None:
    """Give the lemmatizer its word lists as sets: it looks forms up in lists of tens of thousands."""
    index = lemmatizer.lookups.get_table("lemma_index")
    for part_of_speech in list(index):
        index[part_of_speech] = frozenset(index[part_of_speech])
