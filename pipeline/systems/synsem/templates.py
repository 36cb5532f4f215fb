"""Minimal pairs made from templates: a sentence, the same in another construction, and an exchange.

Rules reword the sentences of a corpus; what is rare there they teach rarely: *before* and *after*, *bought
from* and *sold to*, *taller* and *shorter*, questions. Templates (``templates.yaml``) have slots, which words
of ``lexicon.tsv`` fill. No parser reads the sentences: a template knows the order of its content words.
Choices are made by hashing, so that every version of Python gives the same bytes.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice, pairwise, permutations
from pathlib import Path
from typing import NamedTuple, TypeVar

import yaml

from pipeline.core.seeding import stable_hash
from pipeline.syntax.sentence import Sentence

KIND = "alternation"
Drawn = tuple[str, Sentence, Sentence, Sentence]  # the name of a template; anchor, same and different
_ATTEMPTS = 200  # in a row that bring nothing new
_OWN, _ADVERBIAL = "_", "@"  # in place of a slot's letter: words of the template itself, and an adverbial
_BEGIN, _END = 0xE000, "\uf8ff"  # private characters: _BEGIN + a slot's letter stands before its words
_TOKEN = re.compile(r"[\ue000-\uf8ff]|\w+(?:'\w+)?|'s\b|[^\w\s]")
_T = TypeVar("_T")


class Filler(NamedTuple):
    """What fills a slot, in the form that the slot's format specification names, as in ``{x:pl}``."""

    forms: dict[str, str]
    content: frozenset[str]  # its words in their base forms: no two fillers of a sentence share any
    modifiers: frozenset[str] = frozenset()
    slot: str = _OWN

    def __format__(self, form: str) -> str:
        return f"{chr(_BEGIN + ord(self.slot))}{self.forms[form]}{_END}"


def _noun(one: str, many: str, before: str = "", after: str = "", *, is_plural: bool = False) -> Filler:
    """A noun phrase: ``{x}`` with its article, ``{x:'s}`` possessive, ``{x:was}`` with a verb that agrees."""
    single, plural = (" ".join(filter(None, (before, noun, after))) for noun in (one, many))
    bare = plural if is_plural else single
    forms = {
        "": f"the {bare}",
        "n": bare,
        "pl": plural,
        "thepl": f"the {plural}",
        "a": f"{_article(bare)} {bare}",
        "'s": f"the {bare}" + ("'" if is_plural and bare.endswith("s") else "'s"),
    }
    forms |= {verbs[0]: verbs[is_plural] for verbs in (("was", "were"), ("is", "are"), ("has", "have"))}
    modifiers = frozenset(f"{before} {after}".lower().split())
    return Filler(forms, modifiers | set(one.lower().split()), modifiers)


def _filler(kind: str, forms: Sequence[str]) -> Filler:
    """A row of ``lexicon.tsv``."""
    if kind == "noun":
        return _noun(*forms)
    if kind == "name":  # as a noun, but without an article
        noun = _noun(forms[0], forms[0])
        return noun._replace(forms=noun.forms | {"": forms[0], "'s": f"{forms[0]}'s"})
    if kind == "verb":
        *forms, rest = [*forms, ""][:6]
        names = ("", "s", "past", "part", "ing")
        phrases = {name: f"{form} {rest}".strip() for name, form in zip(names, forms, strict=True)}
        return Filler(phrases, frozenset({forms[0], *rest.split()}))
    numbered = {str(number): form for number, form in enumerate(forms, 1)}
    return Filler({"": forms[0]} | numbered, frozenset(" ".join(forms).lower().split()))


def _article(words: str) -> str:
    """``a`` or ``an``, by the sound that the words begin with."""
    start = words.lower()
    vowel = start[0] in "aeiou" and not start.startswith(("uni", "use", "utility", "eu", "one"))
    return "an" if vowel or start.startswith(("hour", "honest", "honour", "heir")) else "a"


@cache
def lexicon() -> dict[str, list[Filler]]:
    """The fillers of each category of ``lexicon.tsv``."""
    found: dict[str, list[Filler]] = defaultdict(list)
    for line in Path(__file__).with_name("lexicon.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            category, kind, *forms = line.split("\t")
            found[category].append(_filler(kind, forms))
    return dict(found) | {"name": found["woman"] + found["man"]}


@cache
def _words(category: str) -> frozenset[str]:
    return frozenset(filler.forms[""] for filler in lexicon()[category])


@dataclass
class Template:
    """Sentences with slots: a name, and the keys of its entry in ``templates.yaml``, which describes them."""

    name: str
    slots: dict[str, str]  # the category of each, by its letter
    ways: str = ""
    triples: str = ""
    order: str = ""
    swap: str = "xy"
    adverbial: str = ""
    many: bool = False
    times: int = 1

    def swapped(self, slot: str) -> str:
        """The slot that another meaning has in place of this one."""
        return dict(zip(self.swap, reversed(self.swap), strict=True)).get(slot, slot)

    @cached_property
    def forms(self) -> list[Sequence[str]]:
        """Anchor, same and different, in every way."""
        if self.triples:
            return [re.split(" [=#] ", line) for line in self.triples.splitlines()]
        ways = self.ways.splitlines()
        pairs = list(permutations(ways, 2))
        if self.adverbial == "moves":  # only the adverbial moves; what is then equal is left out
            pairs += zip(ways, ways, strict=True)
        return [(a, b, re.sub(r"(?<=\{)\w", lambda slot: self.swapped(slot[0]), b)) for a, b in pairs]


@cache
def templates() -> list[Template]:
    """The templates of ``templates.yaml``."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's is ten times as fast
    parts = yaml.load_all(Path(__file__).with_name("templates.yaml").read_text(encoding="utf-8"), loader)
    return [Template(name, **entry) for part in parts for name, entries in part.items() for entry in entries]


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
    draw, seen, fruitless = Draw(seed), set[int](), 0
    pool = [each for each in templates() for _ in range(each.times)]
    while fruitless < _ATTEMPTS:
        template = draw.one(pool)
        anchor, same, different = _sides(template, draw)
        key = stable_hash(0, anchor.text, same.text)
        fruitless += 1
        if key not in seen and len({anchor.text, same.text, different.text}) == 3:
            fruitless = 0
            seen.add(key)
            yield template.name, anchor, same, different


@cache
def contexts() -> tuple[Sentence, ...]:
    """400 short sentences with an order of their words, always the same, to stand next to another."""
    anchors = (anchor for _, anchor, _, _ in drawn_sides(seed=0))
    return tuple(islice((each for each in anchors if each.heads and len(each.words) <= 10), 400))


def _sides(template: Template, draw: Draw) -> list[Sentence]:
    """Draw anchor, same and different.

    All ways of a template say the same, so one order of the content words serves them all. What says another
    thing has the two fillers in each other's place.
    """
    forms = draw.one(template.forms)
    fillers = _fillers(template, draw)
    front, front_of_others = False, False  # whether the adverbial begins the sentence
    if template.adverbial and draw.number(10) < 6:
        fillers[_ADVERBIAL] = draw.one(lexicon()["when"])
        moves = template.adverbial == "moves"
        front, front_of_others = (not moves or bool(draw.number(2)) for _ in range(2))
    marked = {slot: filler._replace(slot=slot) for slot, filler in fillers.items()}
    adverbial = format(marked[_ADVERBIAL]) if _ADVERBIAL in marked else ""
    roles = template.order.split()
    orders = (roles, roles, [template.swapped(role) for role in roles])
    fronts = (front, front_of_others, front_of_others)
    found = []
    for form, first, order in zip(forms, fronts, orders, strict=True):
        text, words = _read_marks(_written(form.format(**marked), adverbial, first))
        places = _chain(words, order, fillers) if order else []
        found.append(_side(text, [word for word, _ in words], places))
    return found


def _fillers(template: Template, draw: Draw) -> dict[str, Filler]:
    """A filler for each slot; no two share a content word."""
    many = template.many and draw.number(4) == 0
    for _ in range(_ATTEMPTS):
        found = {slot: _drawn(category, many, draw) for slot, category in template.slots.items()}
        content = [word for filler in found.values() for word in filler.content - _words("weak")]
        if len(content) == len(set(content)):
            return found
    raise ValueError(f"{template.name}: the lexicon has too few different words for {template.slots}")


def _drawn(category: str, many: bool, draw: Draw) -> Filler:
    """A filler of a category; a person is a name, or a description with or without a modifier.

    It is a description if ``many`` are meant. Modifiers do not follow the noun of ``someone``, a possessive.
    """
    if category not in ("person", "someone"):
        return draw.one(lexicon()[category])
    kind = draw.number(10)
    if kind < 4 and not many:
        return draw.one(lexicon()["name"])
    role, looks, origin = draw.one(lexicon()["role"]).forms, "", ""
    if kind == 9 and category == "person" and not many:
        origin = draw.one(lexicon()["origin"]).forms[""]
    elif kind >= 7:
        looks = draw.one(lexicon()["looks"]).forms[""]
    return _noun(role["n"], role["pl"], looks, origin, is_plural=many)


def _written(core: str, adverbial: str, front: bool) -> str:
    """The sentence with a capital letter, final punctuation, and the adverbial at the front or at the end."""
    if adverbial:
        core = f"{adverbial}, {core}" if front else f"{core} {adverbial}"
    if core.endswith('"'):
        core = core[:-1] + '."'
    elif not core.endswith("?"):
        core += "."
    # A filler may begin with a mark, which is not a word.
    core = re.sub(r"\ba (\W?)(\w+)", lambda match: f"{_article(match[2])} {match[1]}{match[2]}", core)
    return re.sub("[a-zA-Z]", lambda letter: letter[0].upper(), core, count=1)


def _read_marks(marked: str) -> tuple[str, list[tuple[str, str]]]:
    """Text without the marks of fillers, and its words, each with its slot."""
    words, slot = [], _OWN
    for token in _TOKEN.findall(marked):
        if token == _END:
            slot = _OWN
        elif _BEGIN <= ord(token[0]) < ord(_END):
            slot = chr(ord(token) - _BEGIN)
        else:
            words.append((token, slot))
    return re.sub("[\ue000-\uf8ff]", "", marked), words


def _chain(
    words: Sequence[tuple[str, str]], order: Sequence[str], fillers: Mapping[str, Filler]
) -> list[int]:
    """0-based positions of a sentence's content words in ``order``; own words not in it come last.

    The words of a slot stand at the slot's place in it, a noun before its modifiers.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, (word, slot) in enumerate(words):
        if word[0].isalnum() and word.lower() not in _words("function"):
            places[slot].append(place)
    own, found = places[_OWN], list[int]()
    for each in (*order, _ADVERBIAL):
        if each in fillers:
            modifiers = fillers[each].modifiers
            found += sorted(places[each], key=lambda place: words[place][0].lower() in modifiers)
        else:
            some = own[:1] if each == _OWN else [place for place in own if words[place][0].lower() == each]
            found += some
            own = [place for place in own if place not in some]
    return found + own


def _side(text: str, words: list[str], order: Sequence[int] = ()) -> Sentence:
    """The sentence; its tree is a list of the words in ``order``, which role order reads as it is."""
    if not order:
        return Sentence(text, words)
    heads = [0] * len(words)
    # Role order keeps negations, so each other word hangs from the content word that it precedes in the text.
    content = max(order)
    for place in reversed(range(len(words))):
        content = place if place in order else content
        heads[place] = content + 1
    heads[order[0]] = 0
    for before, after in pairwise(order):
        heads[after] = before + 1
    deprels = ["list" if place in order else "punct" for place in range(len(words))]
    deprels[order[0]] = "root"
    return Sentence(text, words, heads, deprels, ["X" if each != "punct" else "PUNCT" for each in deprels])
