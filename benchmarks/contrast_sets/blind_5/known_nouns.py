"""Frames of the fifth blind set for phenomena of earlier sets: nouns, numbers, names and pronouns."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_NOUNS: dict[str, tuple[Frame, ...]] = {
    "symmetric_predicate": (
        _plain(
            "x y:building s u:timber",
            "across the square the {s} {x:n} faces the {u} {y:n}",
            "across the square the {u} {y:n} faces the {s} {x:n}",
            "across the square the {s} {x:n} and the {u} {y:n} face each other",
            "across the square the {u} {y:n} and the {s} {x:n} face each other",
            swap="su",
        ),
        _plain(
            "x y:name k l:kin",
            "as children {x:'s} {k:n} and {y:'s} {l:n} went to the same school",
            "as children {y:'s} {l:n} and {x:'s} {k:n} went to the same school",
            "as a child {x:'s} {k:n} went to the same school as {y:'s} {l:n}",
            "as a child {y:'s} {l:n} went to the same school as {x:'s} {k:n}",
            swap="kl",
        ),
        _plain(
            "x y:beast s u:pelt",
            "in the enclosure the {s} {x:n} lives side by side with the {u} {y:n}",
            "in the enclosure the {u} {y:n} lives side by side with the {s} {x:n}",
            "in the enclosure the {s} {x:n} and the {u} {y:n} live side by side",
            "in the enclosure the {u} {y:n} and the {s} {x:n} live side by side",
            swap="su",
        ),
    ),
    "apposition": (
        _plain(
            "x y:name a b:role v:deed",
            "{x}, a retired {a:n}, {v:past} {y}, a budding {b:n}",
            "a retired {a:n}, {x}, {v:past} a budding {b:n}, {y}",
            "{y}, a budding {b:n}, was {v:part} by {x}, a retired {a:n}",
            "a budding {b:n}, {y}, was {v:part} by a retired {a:n}, {x}",
            swap="ab",
        ),
        _plain(
            "x y:name",
            "the winner, {x}, graciously consoled the runner-up, {y}",
            "{x}, the winner, graciously consoled {y}, the runner-up",
            "the runner-up, {y}, was graciously consoled by the winner, {x}",
            "{y}, the runner-up, was graciously consoled by {x}, the winner",
        ),
        _plain(
            "x y:name",
            "{x}, an only child, shares an office with {y}, one of triplets",
            "{y}, one of triplets, shares an office with {x}, an only child",
            "an only child, {x}, shares an office with one of triplets, {y}",
            "one of triplets, {y}, shares an office with an only child, {x}",
        ),
    ),
    "nominalisation": (
        _plain(
            "x y:someone n:nominal",
            "{x:'s} {n:1} of {y} is the subject of a new book",
            "the {n:1} of {y} by {x} is the subject of a new book",
            "a new book is about how {x} {n:2} {y}",
            "a new book is about how {y} was {n:2} by {x}",
        ),
        _plain(
            "x y:someone",
            "to many voters {x:'s} victory over {y} came as a shock",
            "to many voters the victory of {x} over {y} came as a shock",
            "to many voters the defeat of {y} by {x} came as a shock",
            "to many voters it came as a shock that {x} had defeated {y}",
        ),
        _plain(
            "x y:someone f:feeling",
            "{x:'s} {f:1} {y} is an open secret",
            "it is an open secret that {x} {f:2} {y}",
            "that {x} {f:2} {y} is an open secret",
        ),
    ),
    "number_binding": (
        _plain(
            "p:person a b:thing n m:number",
            "at the trade fair {p} ordered {n} {a:pl} and {m} {b:pl}",
            "at the trade fair {p} ordered {m} {b:pl} and {n} {a:pl}",
            "at the trade fair {n} {a:pl} and {m} {b:pl} were ordered by {p}",
            "at the trade fair {m} {b:pl} and {n} {a:pl} were ordered by {p}",
            swap="nm",
        ),
        _plain(
            "x y:someone n m:number",
            "{x} stayed {n} nights in the hut and {y} stayed {m}",
            "{y} stayed {m} nights in the hut and {x} stayed {n}",
            "{x} spent {n} nights in the hut and {y} spent {m}",
            "{x:'s} stay in the hut lasted {n} nights and {y:'s} lasted {m}",
            swap="nm",
        ),
        _plain(
            "a b:building n m:number",
            "{a} has room for {n} people and {b} for {m}",
            "{b} has room for {m} people and {a} for {n}",
            "{a} can hold {n} people and {b} can hold {m}",
            "there is room for {n} people in {a} and for {m} in {b}",
            swap="nm",
        ),
    ),
    "picture_noun": (
        _plain(
            "x y:someone n:likeness",
            "overnight {x:'s} {n} of {y} was vandalised",
            "overnight the {n} of {y} by {x} was vandalised",
            "overnight somebody vandalised {x:'s} {n} of {y}",
            "overnight somebody vandalised the {n} of {y} by {x}",
        ),
        _plain(
            "x y:someone w:work",
            "critics hated the {w} about {y} that {x} produced",
            "critics hated {x:'s} {w} about {y}",
            "the {w} that {x} produced about {y} was hated by critics",
            "{x:'s} {w} about {y} was hated by critics",
        ),
        _plain(
            "x y:someone",
            "{x} won first prize with a photograph of {y}",
            "a photograph of {y} won {x} first prize",
            "with a photograph of {y}, {x} won first prize",
            "what won {x} first prize was a photograph of {y}",
        ),
    ),
    "superlative": (
        _plain(
            "x y:person",
            "on the whole team {x} is the tallest and {y} the shortest",
            "on the whole team {y} is the shortest and {x} the tallest",
            "nobody on the team is taller than {x} or shorter than {y}",
            "nobody on the team is shorter than {y} or taller than {x}",
        ),
        _plain(
            "x y:person",
            "it was {x} who gave {y} the warmest welcome of all",
            "the warmest welcome of all was the one that {x} gave {y}",
            "the warmest welcome of all was given to {y} by {x}",
            "{y} was given the warmest welcome of all by {x}",
        ),
        _plain(
            "a b:building c:town",
            "the oldest building in {c} is {a} and the newest is {b}",
            "the newest building in {c} is {b} and the oldest is {a}",
            "{a} is the oldest building in {c} and {b} the newest",
            "no building in {c} is older than {a} or newer than {b}",
            swap="ab",
        ),
    ),
    "pronoun": (
        _plain(
            "f:woman m:man v u:slight",
            "because {f} had {v:part} {m}, he {u:past} her in return",
            "{m} {u:past} {f} in return because she had {v:part} him",
            "since {m} had been {v:part} by {f}, he {u:past} her in return",
            "{f} was {u:part} by {m} in return because she had {v:part} him",
            swap="vu",
        ),
        _plain(
            "f:woman m:man c d:chore",
            "{f} assured {m} that she would {c} and he could {d}",
            "{f} assured {m} that he could {d} and she would {c}",
            "{m} was assured by {f} that she would {c} and he could {d}",
            "{m} was assured by {f} that he could {d} and she would {c}",
            swap="cd",
        ),
        _plain(
            "f:woman m:man s t:thing",
            "{f} lent {m} her {s:n} and borrowed his {t:n}",
            "{f} borrowed {m:'s} {t:n} and lent him her {s:n}",
            "{m} borrowed {f:'s} {s:n} and lent her his {t:n}",
            "{m} lent {f} his {t:n} and borrowed her {s:n}",
            swap="st",
        ),
    ),
}
