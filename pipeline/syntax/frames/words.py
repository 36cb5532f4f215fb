"""Words with their forms: what a frame's slots are filled with, and the lexicon that they come from.

A filler chooses its form by the format specification of its slot: ``{x}`` is a noun phrase with its article,
``{x:'s}`` its possessive, ``{v:past}`` a verb's past tense. Spelling is British.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pipeline.core.errors import SynsemError

_VOWELS = "aeiou"
_AN = ("hour", "honest", "honour", "heir")
_A = ("uni", "use", "utility", "eu", "one")


class Filler(Protocol):
    """What can stand in a slot."""

    def __format__(self, form: str) -> str: ...

    @property
    def content(self) -> frozenset[str]:
        """The base forms of its content words: no two fillers of one item share any."""
        ...


def article(words: str) -> str:
    """``a`` or ``an``, by the sound that the words begin with."""
    start = words.lower()
    vowel = start[0] in _VOWELS and not start.startswith(_A)
    return "an" if vowel or start.startswith(_AN) else "a"


def _third(base: str) -> str:
    if re.search(r"(s|x|z|ch|sh|o)$", base):
        return base + "es"
    return re.sub(r"([^aeiou])y$", r"\1ie", base) + "s"


# Endings of nouns whose plural is irregular; the first that fits counts.
_PLURALS = {
    "man": "men",
    "foot": "feet",
    "tooth": "teeth",
    "mongoose": "mongooses",
    "goose": "geese",
    "mouse": "mice",
    "child": "children",
    "wife": "wives",
    "knife": "knives",
    "shelf": "shelves",
    "scarf": "scarves",
    "calf": "calves",
    "half": "halves",
    "loaf": "loaves",
    "leaf": "leaves",
    "thief": "thieves",
    "wolf": "wolves",
    "elf": "elves",
    "quiz": "quizzes",
    "stomach": "stomachs",
    "triptych": "triptychs",
    "lysis": "lyses",
    "thesis": "theses",
    "crisis": "crises",
    "gnosis": "gnoses",
} | {each: each for each in ("sheep", "moose", "series", "barracks", "works")}
_OES = ("banjo", "buffalo", "echo", "hero", "mango", "potato", "tomato", "torpedo", "volcano")


def plural(noun: str) -> str:
    """The plural of a noun, or of the word that counts in a phrase: *film studios*, *chiefs of police*."""
    head, of, rest = noun.partition(" of ")
    for one, many in _PLURALS.items():
        if head.endswith(one):
            return head.removesuffix(one) + many + of + rest
    if head.endswith("o") and not head.endswith(_OES):
        return head + "s" + of + rest
    return _third(head) + of + rest


@dataclass(frozen=True)
class Noun:
    """A noun phrase of the third person, with what stands before and after its noun."""

    noun: str
    before: str = ""
    after: str = ""
    name: bool = False
    many: bool = False

    def __format__(self, form: str) -> str:
        agreeing = {"was": ("was", "were"), "is": ("is", "are"), "has": ("has", "have")}
        if form in agreeing:
            return agreeing[form][self.many]
        noun = plural(self.noun) if self.many or form in ("pl", "thepl") else self.noun
        bare = " ".join(each for each in (self.before, noun, self.after) if each)
        definite = bare if self.name else f"the {bare}"
        forms = {"": definite, "n": bare, "pl": bare, "thepl": definite, "a": f"{article(bare)} {bare}"}
        if form == "'s":
            return definite + ("'" if self.many and bare.endswith("s") else "'s")
        if form not in forms:
            raise SynsemError(f"a noun has no form {form!r}: write one of {', '.join(forms)}")
        return forms[form]

    @property
    def content(self) -> frozenset[str]:
        """See ``Filler``."""
        words = f"{self.before} {self.noun} {self.after}".lower().split()
        return frozenset(words) - _FUNCTION


@dataclass(frozen=True)
class Verb:
    """A verb with its forms and, after a bar, the words that always follow it."""

    base: str
    third: str
    past: str
    participle: str
    gerund: str
    rest: str = ""

    def __format__(self, form: str) -> str:
        forms = {"": self.base, "s": self.third, "past": self.past, "part": self.participle}
        forms["ing"] = self.gerund
        if form not in forms:
            raise SynsemError(f"a verb has no form {form!r}: write one of {', '.join(forms)}")
        return f"{forms[form]} {self.rest}".strip()

    @property
    def content(self) -> frozenset[str]:
        """See ``Filler``."""
        return frozenset({self.base, *self.rest.split()}) - _FUNCTION


@dataclass(frozen=True)
class Text:
    """Words without forms; alternatives are divided by ``/`` and chosen by number from 1."""

    text: str

    def __format__(self, form: str) -> str:
        return self.text.split("/")[int(form or "1") - 1]

    @property
    def content(self) -> frozenset[str]:
        """See ``Filler``."""
        return frozenset(self.text.lower().replace("/", " ").split()) - _FUNCTION


_FUNCTION_WORDS = (
    "the a an of in on at by to for from with out up off her his their its and before after as had have would"
)
_FUNCTION = frozenset(_FUNCTION_WORDS.split())


def verb(entry: str) -> Verb:
    """Read ``base``, ``base past participle`` or ``base past participle gerund``, each with ``|rest``."""
    words, _, rest = entry.partition("|")
    base, *given = words.split()
    stem = base.removesuffix("e")
    past = given[0] if given else re.sub(r"([^aeiou])y$", r"\1i", stem) + "ed"
    participle = given[1] if len(given) > 1 else past
    keep = base.endswith("ee") or base == "be"
    gerund = given[2] if len(given) > 2 else (base if keep else stem) + "ing"
    return Verb(base, _third(base), past, participle, gerund, rest)


@dataclass(frozen=True)
class Lexicon:
    """The words of one contrast set by category; every value is a list divided by commas."""

    women: str
    men: str
    nouns: Mapping[str, str]
    verbs: Mapping[str, str]
    texts: Mapping[str, str]
    fillers: Mapping[str, tuple[Filler, ...]] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        found: dict[str, tuple[Filler, ...]] = {}
        for name, words in (("woman", self.women), ("man", self.men)):
            found[name] = tuple(Noun(each, name=True) for each in entries(words))
        found["name"] = found["woman"] + found["man"]
        found |= {name: tuple(map(Noun, entries(words))) for name, words in self.nouns.items()}
        found |= {name: tuple(map(verb, entries(words))) for name, words in self.verbs.items()}
        found |= {name: tuple(map(Text, entries(words))) for name, words in self.texts.items()}
        object.__setattr__(self, "fillers", found)

    def content(self) -> frozenset[str]:
        """The base forms of all nouns, verbs and names, and the words of all other entries but ``when``."""
        return frozenset(
            word
            for category, fillers in self.fillers.items()
            if category != "when"
            for filler in fillers
            for word in filler.content
        )

    def lemmas(self) -> dict[str, str]:
        """Every form of every noun and verb, with its base form."""
        found: dict[str, str] = {}
        for filler in (each for fillers in self.fillers.values() for each in fillers):
            if isinstance(filler, Verb):
                forms = (filler.third, filler.past, filler.participle, filler.gerund)
                found |= dict.fromkeys(forms, filler.base)
            elif isinstance(filler, Noun) and not filler.name:
                found[plural(filler.noun)] = filler.noun
        return found


def entries(words: str) -> list[str]:
    """The entries of a list divided by commas."""
    return [" ".join(each.split()) for each in words.split(",") if each.strip()]
