"""Minimal pairs made from templates: a sentence, the same in another construction, and an exchange.

Rules reword the sentences of a corpus; what is rare there they teach rarely: *before* and *after*, *bought
from* and *sold to*, *taller* and *shorter*, questions. Templates (``templates.yaml``) have slots, which words
of ``lexicon.tsv`` fill. No parser reads the sentences: a template knows the order of its content words.
Choices are made by hashing, so that every version of Python gives the same bytes.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice, permutations
from typing import Any, NamedTuple, TypeVar

import yaml

from pipeline.core.seeding import stable_hash
from pipeline.syntax.sentence import LABELS, Side

KIND = "alternation"
SideRow = dict[str, Any]  # columns of ``schemas.SIDE``
_ATTEMPTS = 200  # in a row that bring nothing new
_T = TypeVar("_T")


# Words


class Filler(NamedTuple):
    """What fills a slot, in the form that the slot's format specification names, as in ``{x:pl}``."""

    forms: dict[str, str]
    content: frozenset[str]  # its words in their base forms: no two fillers of a sentence share any
    modifiers: frozenset[str] = frozenset()
    mark: str = ""  # stands before its words in a sentence, and ``_END`` after them

    def __format__(self, form: str) -> str:
        return f"{self.mark}{self.forms[form]}{_END}"


def _noun(one: str, many: str, before: str = "", after: str = "", is_plural: bool = False) -> Filler:
    """A noun phrase: ``{x}`` with its article, ``{x:'s}`` possessive, ``{x:was}`` with a verb that agrees."""
    bare, plural = (" ".join(filter(None, (before, noun, after))) for noun in (one, many))
    if is_plural:
        bare = plural
    forms = {
        "": f"the {bare}",
        "n": bare,
        "pl": plural,
        "thepl": f"the {plural}",
        "a": f"{_article(bare)} {bare}",
    }
    forms["'s"] = f"the {bare}" + ("'" if is_plural and bare.endswith("s") else "'s")
    for verb in (("was", "were"), ("is", "are"), ("has", "have")):
        forms[verb[0]] = verb[is_plural]
    words = frozenset(f"{before} {one} {after}".lower().split())
    return Filler(forms, words, frozenset(f"{before} {after}".lower().split()))


def _filler(kind: str, forms: Sequence[str]) -> Filler:
    """A row of ``lexicon.tsv``."""
    if kind == "noun":
        return _noun(forms[0], forms[1])
    if kind == "name":  # as a noun, but without an article
        noun = _noun(forms[0], forms[0])
        return noun._replace(forms=noun.forms | {"": forms[0], "'s": f"{forms[0]}'s"})
    if kind == "verb":
        *forms, rest = forms if len(forms) == 6 else (*forms, "")
        names = ("", "s", "past", "part", "ing")
        phrases = {name: f"{form} {rest}".strip() for name, form in zip(names, forms, strict=True)}
        return Filler(phrases, frozenset({forms[0], *rest.split()}))
    numbered = {str(number): form for number, form in enumerate(forms, 1)}
    return Filler({"": forms[0]} | numbered, frozenset(" ".join(forms).lower().split()))


@cache
def lexicon() -> dict[str, list[Filler]]:
    """The fillers of each category of ``lexicon.tsv``."""
    found: dict[str, list[Filler]] = defaultdict(list)
    for line in files(__package__).joinpath("lexicon.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            category, kind, *forms = line.split("\t")
            found[category].append(_filler(kind, forms))
    return dict(found) | {"name": found["woman"] + found["man"]}


@cache
def _words(category: str) -> frozenset[str]:
    return frozenset(filler.forms[""] for filler in lexicon()[category])


def _article(words: str) -> str:
    """``a`` or ``an``, by the sound that the words begin with."""
    start = words.lower()
    vowel = start[0] in "aeiou" and not start.startswith(("uni", "use", "utility", "eu", "one"))
    return "an" if vowel or start.startswith(("hour", "honest", "honour", "heir")) else "a"


# Templates


class Template(NamedTuple):
    """Sentences with slots: a name, and the keys of its entry in ``templates.yaml``, which describes them."""

    name: str
    slots: dict[str, str]  # the category of each, by its letter
    ways: str = ""
    triples: str = ""
    order: str | None = None
    swap: str = "xy"
    adverbial: str = ""
    many: bool = False
    times: int = 1


@cache
def templates() -> list[Template]:
    """The templates of ``templates.yaml``."""
    text = files(__package__).joinpath("templates.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's is ten times as fast
    return [
        Template(name, **entry)
        for part in yaml.load_all(text, loader)
        for name, entries in part.items()
        for entry in entries
    ]


@cache
def _triples(ways: str, triples: str, swap: str, moves: bool) -> list[Sequence[str]]:
    """Anchor, same and different of a template; ``moves``: its adverbial may stand in two places."""
    if triples:
        return [re.split(" [=#] ", line) for line in triples.splitlines()]
    forms = ways.splitlines()
    pairs = list(permutations(forms, 2))
    if moves:  # only the adverbial moves; what is then equal is left out
        pairs += [(form, form) for form in forms]
    return [(a, b, exchanged(b, swap)) for a, b in pairs]


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
    pool = [each for each in templates() for _ in range(each.times)]
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


@cache
def contexts() -> tuple[Side, ...]:
    """400 short sentences with an order of their words, always the same, to stand next to another."""
    sides = (Side.from_row(drawn.anchor) for drawn in drawn_sides(seed=0))
    return tuple(islice((side for side in sides if side.heads and len(side.words) <= 10), 400))


def _sides(template: Template, draw: Draw) -> list[SideRow]:
    """Draw anchor, same and different."""
    moves = template.adverbial == "moves"
    forms = draw.one(_triples(template.ways, template.triples, template.swap, moves))
    fillers = _fillers(template, draw)
    adverbial, first = "", (False, False)  # whether it stands at the front of the anchor, and of the others
    if template.adverbial and draw.number(10) < 6:
        adverbial = format(draw.one(lexicon()["when"])._replace(mark=_mark(_ADVERBIAL)))
        first = (bool(draw.number(2)), bool(draw.number(2))) if moves else (True, True)
    marked = {slot: filler._replace(mark=_mark(slot)) for slot, filler in fillers.items()}
    found = []
    for number, form in enumerate(forms):
        sentence = _read_marks(_written(form.format(**marked), adverbial, first[number > 0]))
        if template.order is None:
            found.append(_side(sentence))
            continue
        if number == 2:  # what it says has the two fillers in each other's place
            one, other = template.swap[0], template.swap[1]
            fillers = fillers | {one: fillers[other], other: fillers[one]}
            places = {one: other, other: one}
            sentence = sentence._replace(slots=[places.get(slot, slot) for slot in sentence.slots])
        found.append(_side(sentence, _chain(sentence, template.order.split(), fillers)))
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
        content = [word for filler in found.values() for word in filler.content - _words("weak")]
        if len(content) == len(set(content)):
            return found
    raise ValueError(f"{template.name}: the lexicon has too few different words for {template.slots}")


def _person(draw: Draw, many: bool, after: bool) -> Filler:
    """A name, or a description with or without a modifier; a description if ``many`` are meant.

    ``after``: modifiers may follow the noun. They may not if the phrase is to be a possessive.
    """
    kind = draw.number(10)
    if kind < 4 and not many:
        return draw.one(lexicon()["name"])
    role, looks, origin = draw.one(lexicon()["role"]).forms, "", ""
    if kind >= 9 and after and not many:
        origin = draw.one(lexicon()["origin"]).forms[""]
    elif kind >= 7:
        looks = draw.one(lexicon()["looks"]).forms[""]
    return _noun(role["n"], role["pl"], looks, origin, many)


def _written(core: str, adverbial: str, front: bool) -> str:
    """The sentence with a capital letter, final punctuation, and the adverbial at the front or at the end."""
    if adverbial:
        core = f"{adverbial}, {core}" if front else f"{core} {adverbial}"
    end = "" if core.endswith(("?", '"')) else "."
    if core.endswith('"'):
        core = core[:-1] + '."'
    # A filler may begin with a mark, which is no word.
    core = re.sub(r"\ba (\W?)(\w+)", lambda match: f"{_article(match[2])} {match[1]}{match[2]}", core)
    first = re.search(r"[a-zA-Z]", core)
    assert first is not None
    return core[: first.start()] + core[first.start()].upper() + core[first.end() :] + end


# All ways of a template say the same, so one order of the content words serves them all. The words of a slot
# stand at the slot's place in it, a noun before its modifiers.

OWN, _ADVERBIAL = (
    "_",
    "@",
)  # instead of the letter of a slot, for words of the template's own and an adverbial
_BEGIN, _END = 0xE000, "\uf8ff"  # private characters around the words of a slot
_MARK = re.compile("[\ue000-\uf8ff]")
_TOKEN = re.compile(r"[\ue000-\uf8ff]|\w+(?:'\w+)?|'s\b|[^\w\s]")


def _mark(slot: str) -> str:
    """The character before the words of a slot."""
    return chr(_BEGIN + ord(slot))


class _Sentence(NamedTuple):
    """A written sentence, its words, and the slot of each."""

    text: str
    words: list[str]
    slots: list[str]


def _read_marks(text: str) -> _Sentence:
    """A sentence of marked fillers without its marks."""
    found, slot = _Sentence(_MARK.sub("", text), [], []), OWN
    for token in _TOKEN.findall(text):
        if _MARK.match(token):
            slot = OWN if token == _END else chr(ord(token) - _BEGIN)
        else:
            found.words.append(token)
            found.slots.append(slot)
    return found


def _chain(sentence: _Sentence, order: Sequence[str], fillers: Mapping[str, Filler]) -> list[int]:
    """0-based positions of a sentence's content words in ``order``; own words not in it come last."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, (word, slot) in enumerate(zip(sentence.words, sentence.slots, strict=True)):
        if word[0].isalnum() and word.lower() not in _words("function"):
            places[slot].append(place)
    own = places[OWN]
    found: list[int] = []
    for each in (*order, _ADVERBIAL):
        if each == OWN:
            some = own[:1]
        elif each in fillers:
            modifiers = fillers[each].modifiers
            some = sorted(places[each], key=lambda place: sentence.words[place].lower() in modifiers)
        elif each == _ADVERBIAL:
            some = places[each]
        else:
            some = [place for place in own if sentence.words[place].lower() == each]
        own = [place for place in own if place not in some]
        found += some
    return found + own


def _side(sentence: _Sentence, order: Sequence[int] = ()) -> SideRow:
    """The columns of ``schemas.SIDE``; the tree is a list in that order, which role order reads as it is."""
    size = len(sentence.words)
    row: SideRow = {"text": sentence.text, "words": sentence.words, "heads": []}
    row |= {name: [] for name in LABELS}
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
