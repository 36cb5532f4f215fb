"""Minimal pairs made from templates: a sentence, the same in another construction, and an exchange.

Rules reword the sentences of a corpus; what is rare there they teach rarely: *before* and *after*, *bought
from* and *sold to*, *taller* and *shorter*, questions. Templates (``templates.yaml``) have slots, which words
of ``lexicon.yaml`` fill. No parser reads the sentences: a template knows the order of its content words.
Choices are made by hashing, so that every version of Python gives the same bytes.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import islice, permutations
from typing import Any, NamedTuple, Protocol, TypeVar

import yaml

from pipeline.core.seeding import stable_hash
from pipeline.syntax.sentence import Side

KIND = "alternation"
SideRow = dict[str, Any]  # columns of ``schemas.SIDE``
_ATTEMPTS = 200  # in a row that bring nothing new
_T = TypeVar("_T")


# Words


class Filler(Protocol):
    """What fills a slot, in the form that the slot's format specification names."""

    def __format__(self, form: str) -> str: ...

    @property
    def content(self) -> frozenset[str]:
        """Base forms of its content words: no two fillers of a sentence share any."""
        ...


@dataclass(frozen=True)
class Noun:
    """A noun phrase: ``{x}`` with its article, ``{x:'s}`` possessive, ``{x:was}`` the verb that agrees."""

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
        possessive = definite + ("'" if self.many and bare.endswith("s") else "'s")
        return {
            "": definite, "n": bare, "pl": bare, "thepl": definite, "a": f"{article(bare)} {bare}",
            "'s": possessive,
        }[form]  # fmt: skip

    @property
    def content(self) -> frozenset[str]:
        """See ``Filler``."""
        return frozenset(f"{self.before} {self.noun} {self.after}".lower().split()) - _NO_CONTENT


@dataclass(frozen=True)
class Verb:
    """A verb, as ``{v}``, ``{v:s}``, ``{v:past}``, ``{v:part}`` or ``{v:ing}``, and words that follow it."""

    base: str
    past: str
    participle: str
    gerund: str
    rest: str = ""

    def __format__(self, form: str) -> str:
        forms = {"": self.base, "s": _with_s(self.base), "past": self.past, "part": self.participle}
        return f"{(forms | {'ing': self.gerund})[form]} {self.rest}".strip()

    @property
    def content(self) -> frozenset[str]:
        """See ``Filler``."""
        return frozenset({self.base, *self.rest.split()}) - _NO_CONTENT

    @classmethod
    def read(cls, entry: str) -> "Verb":
        """Read ``base``, ``base past participle`` or ``base past participle gerund``, each with ``|rest``."""
        words, _, rest = entry.partition("|")
        base, *given = words.split()
        stem = base.removesuffix("e")
        past = given[0] if given else re.sub(r"([^aeiou])y$", r"\1i", stem) + "ed"
        participle = given[1] if len(given) > 1 else past
        keep = base.endswith("ee") or base == "be"
        gerund = given[2] if len(given) > 2 else (base if keep else stem) + "ing"
        return cls(base, past, participle, gerund, rest)


@dataclass(frozen=True)
class Text:
    """Words without forms; alternatives are divided by ``/`` and chosen by number from 1."""

    text: str

    def __format__(self, form: str) -> str:
        return self.text.split("/")[int(form or "1") - 1]

    @property
    def content(self) -> frozenset[str]:
        """See ``Filler``."""
        return frozenset(self.text.lower().replace("/", " ").split()) - _NO_CONTENT


_SMALL_WORDS = """
    the a an of in on at by to for from with out up off her his their its and before after as had have would
"""
_NO_CONTENT = frozenset(_SMALL_WORDS.split())
_AN, _A = ("hour", "honest", "honour", "heir"), ("uni", "use", "utility", "eu", "one")
# Endings of nouns whose plural is irregular; the first that fits counts.
_PLURALS = {
    "man": "men", "foot": "feet", "tooth": "teeth", "mongoose": "mongooses", "goose": "geese",
    "mouse": "mice", "child": "children", "wife": "wives", "knife": "knives", "shelf": "shelves",
    "scarf": "scarves", "calf": "calves", "half": "halves", "loaf": "loaves", "leaf": "leaves",
    "thief": "thieves", "wolf": "wolves", "elf": "elves", "quiz": "quizzes", "stomach": "stomachs",
    "triptych": "triptychs", "lysis": "lyses", "thesis": "theses", "crisis": "crises", "gnosis": "gnoses",
    "sheep": "sheep", "moose": "moose", "series": "series", "barracks": "barracks", "works": "works",
}  # fmt: skip
_OES = ("banjo", "buffalo", "echo", "hero", "mango", "potato", "tomato", "torpedo", "volcano")


def article(words: str) -> str:
    """Return ``a`` or ``an``, by the sound that the words begin with."""
    start = words.lower()
    vowel = start[0] in "aeiou" and not start.startswith(_A)
    return "an" if vowel or start.startswith(_AN) else "a"


def plural(noun: str) -> str:
    """Return the plural of a noun, or of the head of a phrase: *film studios*, *chiefs of police*."""
    head, of, rest = noun.partition(" of ")
    for one, many in _PLURALS.items():
        if head.endswith(one):
            return head.removesuffix(one) + many + of + rest
    if head.endswith("o") and not head.endswith(_OES):
        return head + "s" + of + rest
    return _with_s(head) + of + rest


def _with_s(base: str) -> str:
    if re.search(r"(s|x|z|ch|sh|o)$", base):
        return base + "es"
    return re.sub(r"([^aeiou])y$", r"\1ie", base) + "s"


@cache
def lexicon() -> dict[str, tuple[Filler, ...]]:
    """The fillers of each category of ``lexicon.yaml``."""
    found: dict[str, tuple[Filler, ...]] = {}
    for part in _documents("lexicon.yaml"):
        for category, key in (("woman", "women"), ("man", "men")):
            if names := part.get(key):
                found[category] = tuple(Noun(each, name=True) for each in _entries(names))
        found |= {name: tuple(map(Noun, _entries(words))) for name, words in part.get("nouns", {}).items()}
        verbs = part.get("verbs", {}).items()
        found |= {name: tuple(map(Verb.read, _entries(words))) for name, words in verbs}
        found |= {name: tuple(map(Text, _entries(words))) for name, words in part.get("texts", {}).items()}
    found["name"] = found["woman"] + found["man"]
    return found


def _entries(words: str) -> list[str]:
    return [" ".join(each.split()) for each in words.split(",") if each.strip()]


def _documents(name: str) -> list[dict[str, Any]]:
    """What the YAML documents of a file next to this one say."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's is ten times as fast
    return list(yaml.load_all(text, loader))


# Templates


class Template(NamedTuple):
    """Sentences with slots; ``templates.yaml`` describes the form.

    ``order`` names slots by number, own words by themselves, and the next own word by OWN; None without one.
    """

    name: str
    slots: dict[str, str]  # the category of each
    triples: list[tuple[str, str, str]]  # anchor, same, different
    adverbial: str  # where one may stand: "moves", "first" or, for none, ""
    many: bool  # whether noun phrases may be plural
    order: list[int | str] | None
    swap: str  # the two slots that the contrast exchanges


@cache
def templates() -> tuple[Template, ...]:
    """Those of ``templates.yaml``."""
    return tuple(
        _template(name, entry)
        for part in _documents("templates.yaml")
        for name, entries in part.items()
        for entry in entries
    )


def _template(name: str, entry: dict[str, Any]) -> Template:
    slots: dict[str, str] = {}
    waiting: list[str] = []
    for each in entry["slots"].split():  # as in ``x y:person v:deed``
        slot, _, category = each.partition(":")
        waiting.append(slot)
        if category:
            slots |= dict.fromkeys(waiting, category)
            waiting = []
    adverbial, many, swap = entry.get("adverbial", ""), entry.get("many", False), entry.get("swap", "xy")
    if "triples" in entry:
        triples: Any = [tuple(re.split(" [=#] ", line)) for line in entry["triples"].splitlines()]
        return Template(name, slots, triples, adverbial, many, None, swap)
    forms = entry["ways"].splitlines()
    pairs: list[tuple[str, str]] = list(permutations(forms, 2))
    if adverbial == "moves":  # only the adverbial moves; what is then equal is left out
        pairs += [(form, form) for form in forms]
    given, names = entry.get("links", ""), list(slots)
    order: list[int | str] | None = [
        names.index(each) if each in names else OWN if each == "_" else each for each in given.split()
    ] or _order_of(forms[0], names)
    triples = [(a, b, exchanged(b, swap)) for a, b in pairs]
    return Template(name, slots, triples, adverbial, many, None if given == "none" else order, swap)


def exchanged(form: str, swap: str) -> str:
    """Return the form with its two slots exchanged: ``swap`` is the two letters."""
    one, other = swap[0], swap[1]
    marked = form.replace("{" + one, "{\0").replace("{" + other, "{" + one)
    return marked.replace("{\0", "{" + other)


# Sentences


class Drawn(NamedTuple):
    """What one drawing of a template says, each a row of ``schemas.SIDE``."""

    name: str  # of the template
    anchor: SideRow
    same: SideRow
    different: SideRow


class Draw:
    """A stream of choices that depends on nothing but its seed."""

    def __init__(self, seed: int) -> None:
        self.seed, self.count = seed, 0

    def number(self, below: int) -> int:
        """Draw a number from 0 to ``below`` - 1."""
        self.count += 1
        return stable_hash(self.seed, KIND, str(self.count)) % below

    def one(self, of: Sequence[_T]) -> _T:
        """Draw one of them."""
        return of[self.number(len(of))]


def drawn_sides(seed: int) -> Iterator[Drawn]:
    """Draw templates at random, no pair of anchor and same twice; always the same for a ``seed``."""
    draw, seen = Draw(seed), set[int]()
    fruitless = 0
    pool = [each for each in templates() for _ in range(_times(each))]
    while fruitless < _ATTEMPTS:
        template = draw.one(pool)
        found = Drawn(template.name, *_sides(template, draw))
        texts = {each["text"] for each in (found.anchor, found.same, found.different)}
        key = stable_hash(0, found.anchor["text"], found.same["text"])
        if len(texts) < 3 or key in seen:
            fruitless += 1
            continue
        seen.add(key)
        fruitless = 0
        yield found


def _times(template: Template) -> int:
    """How many times as often a template is drawn as one without pairs of words: each has to be learnt.

    With n pairs such as *lend* and *borrow* it is 1 plus the number of digits of n to base 4.
    """
    forms = " ".join(form for triple in template.triples for form in triple)
    pairs = (
        len(lexicon()[category])
        for slot, category in template.slots.items()
        if re.search(rf"{{{slot}:[2-9]}}", forms)
    )
    return 1 + (max(pairs, default=0).bit_length() + 1) // 2


def _sides(template: Template, draw: Draw) -> list[SideRow]:
    """Draw anchor, same and different: columns of ``schemas.SIDE``."""
    forms = template.triples[draw.number(len(template.triples))]
    fillers = _fillers(template, draw)
    adverbial: Filler = Text("")
    first = (False, False)  # whether it stands at the front of the anchor, and of the others
    if template.adverbial and draw.number(10) < 6:
        adverbial = _Marked(draw.one(lexicon()["when"]), len(fillers))
        if template.adverbial == "moves":
            first = (bool(draw.number(2)), bool(draw.number(2)))
        else:
            first = (True, True)
    marked = {slot: _Marked(filler, number) for number, (slot, filler) in enumerate(fillers.items())}
    slots, words = list(fillers), list(fillers.values())
    found = []
    for number, form in enumerate(forms):
        text = _sentence(form.format(**marked), format(adverbial), first[min(number, 1)])
        sentence = _read_marks(text)
        if template.order is None:
            found.append(_side(sentence))
            continue
        if number == 2:  # what it says has the two fillers at each other's place
            one, two = (slots.index(slot) for slot in template.swap)
            words[one], words[two] = words[two], words[one]
            places = {one: two, two: one}
            sentence = sentence._replace(slots=[places.get(slot, slot) for slot in sentence.slots])
        found.append(_side(sentence, _chain(sentence, [*template.order, len(slots)], words)))
    return found


def _fillers(template: Template, draw: Draw) -> dict[str, Filler]:
    """A filler for each slot; no two share a content word."""
    many = template.many and draw.number(4) == 0
    for _ in range(_ATTEMPTS):
        found: dict[str, Filler] = {}
        for slot, category in template.slots.items():
            if category in ("person", "someone"):
                found[slot] = _person(draw, many, category == "person")
            else:
                found[slot] = draw.one(lexicon()[category])
        content = [word for filler in found.values() for word in filler.content]
        if len(content) == len(set(content)):
            return found
    raise ValueError(f"{template.name}: the lexicon has too few different words for {template.slots}")


def _person(draw: Draw, many: bool, after: bool) -> Noun:
    """A name, or a description with or without a modifier; a description if ``many`` are meant.

    ``after``: modifiers may follow the noun. They may not if the phrase is to be a possessive.
    """
    kind = draw.number(10)
    noun = draw.one(lexicon()["name" if kind < 4 and not many else "role"])
    assert isinstance(noun, Noun)
    if noun.name or kind < 7:
        return replace(noun, many=many)
    if kind < 9 or many or not after:
        return replace(noun, before=format(draw.one(lexicon()["looks"])), many=many)
    return replace(noun, after=format(draw.one(lexicon()["origin"])), many=many)


def _sentence(core: str, adverbial: str, front: bool) -> str:
    """The written sentence: capital letter, final punctuation, the adverbial at the front or at the end."""
    if adverbial:
        core = f"{adverbial}, {core}" if front else f"{core} {adverbial}"
    end = "" if core.endswith(("?", '"')) else "."
    if core.endswith('"'):
        core = core[:-1] + '."'
    # A filler may begin with a mark, which is no word.
    core = re.sub(r"\ba (\W?)(\w+)", lambda match: f"{article(match[2])} {match[1]}{match[2]}", core)
    first = re.search(r"[a-zA-Z]", core)
    assert first is not None
    return core[: first.start()] + core[first.start()].upper() + core[first.end() :] + end


@cache
def contexts() -> tuple[Side, ...]:
    """400 short sentences with an order of their words, always the same, to stand next to another."""
    sides = (Side.from_row(drawn.anchor) for drawn in drawn_sides(seed=0))
    return tuple(islice((side for side in sides if side.heads and len(side.words) <= 10), 400))


# Order: all ways of a template say the same, so one order serves them all, that of the first or a given one.
# The words of a slot stand at the slot's place in it, a noun before its modifiers.

OWN = -1  # the slot of words that are the template's own
_BEGIN, _END = 0xE000, "\uf8ff"  # private characters around the words of a slot
_MARK = re.compile("[\ue000-\uf8ff]")
_TOKEN = re.compile(r"[\ue000-\uf8ff]|\w+(?:'\w+)?|'s\b|[^\w\s]")
_IN_FORM = re.compile(r"\{(\w+)[^}]*\}|(\w+)")
# Words of the templates that are no content words, and so have no link.
_FUNCTION_WORDS = """
    a an the this that these those each other one it they he them him her his its their who whom whose
    which what by of to in on at for from with as than so is was were are be been being has had have
    having did does do will would can could not and or but also only even if then when while once because
    since although after before until during without whenever therefore nevertheless there got going seems
    about more less fewer many some any every all no nobody nothing up out away whereas instead both used
    provided suppose such order
    above according ahead am among behind below beneath beside besides beyond between despite doing either
    else ever everyone everything except few former hence himself how however i into latter lest me most
    much must neither never next none nor near now otherwise over owing rather respectively several she
    should someone soon sooner though onto against via through down along off herself itself themselves
    upon towards within around across too under underneath unless unlike where whether whoever whomever
    why yet you
"""
_FUNCTION = frozenset(_FUNCTION_WORDS.split())


@dataclass(frozen=True)
class _Marked:
    """A filler that puts marks with the number of its slot around its words."""

    filler: Filler
    number: int

    def __format__(self, form: str) -> str:
        return f"{chr(_BEGIN + self.number)}{format(self.filler, form)}{_END}"

    @property
    def content(self) -> frozenset[str]:
        return self.filler.content


class _Sentence(NamedTuple):
    """A written sentence, its words, and the number of the slot of each, or OWN."""

    text: str
    words: list[str]
    slots: list[int]


def _read_marks(text: str) -> _Sentence:
    """A sentence of marked fillers without its marks."""
    found, slot = _Sentence(_MARK.sub("", text), [], []), OWN
    for token in _TOKEN.findall(text):
        if _MARK.match(token):
            slot = OWN if token == _END else ord(token) - _BEGIN
        else:
            found.words.append(token)
            found.slots.append(slot)
    return found


def _is_content(word: str) -> bool:
    return word[0].isalnum() and word.lower() not in _FUNCTION


def _order_of(form: str, slots: Sequence[str]) -> list[int | str]:
    """What a form has, in its order: numbers of slots, each once, and its own content words."""
    found: list[int | str] = []
    for slot, word in _IN_FORM.findall(form):
        if slot and slots.index(slot) not in found:
            found.append(slots.index(slot))
        elif word and _is_content(word):
            found.append(OWN)
    return found


def _chain(sentence: _Sentence, order: Sequence[int | str], fillers: Sequence[Filler]) -> list[int]:
    """0-based positions of a sentence's content words in ``order``; own words not in it come last."""
    places: Mapping[int, list[int]] = defaultdict(list)
    for place, (word, slot) in enumerate(zip(sentence.words, sentence.slots, strict=True)):
        if _is_content(word):
            places[slot].append(place)
    own = places[OWN]
    found: list[int] = []
    for each in order:
        if isinstance(each, str):
            some = [place for place in own if sentence.words[place].lower() == each]
        elif each == OWN:
            some = own[:1]
        else:
            some = places[each]
            filler = fillers[each] if each < len(fillers) else None
            if isinstance(filler, Noun):
                modifiers = f"{filler.before} {filler.after}".lower().split()
                some = sorted(some, key=lambda place: sentence.words[place].lower() in modifiers)
        own = [place for place in own if place not in some]
        found += some
    return found + own


def _side(sentence: _Sentence, order: Sequence[int] = ()) -> SideRow:
    """The columns of ``schemas.SIDE``; the tree is a list in that order, which role order reads as it is."""
    size = len(sentence.words)
    row: SideRow = {name: [] for name in Side._fields if name != "constituents"}
    row |= {"text": sentence.text, "words": sentence.words}
    if order:
        row["heads"], row["deprels"], row["upos"] = [0] * size, ["punct"] * size, ["PUNCT"] * size
        for before, place in zip((-1, *order), order, strict=False):
            row["heads"][place] = before + 1
            row["deprels"][place] = "list" if before >= 0 else "root"
            row["upos"][place] = "X"
        # Role order keeps negations, so each hangs from the content word that it precedes in the text.
        content = max(order)
        for place in reversed(range(size)):
            if row["upos"][place] == "X":
                content = place
            else:
                row["heads"][place] = content + 1
    return row
