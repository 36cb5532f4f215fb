"""Frames of the sixth blind set for phenomena of earlier sets: nouns, degrees, places and possession."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_NOUNS: dict[str, tuple[Frame, ...]] = {
    "comparative": (
        _plain(
            "c d:town",
            "at the time of the last count, {c} had more inhabitants than {d}",
            "at the time of the last count, {d} had fewer inhabitants than {c}",
            "{c} had more inhabitants than {d} at the time of the last count",
            "{d} had fewer inhabitants than {c} at the time of the last count",
            swap="cd",
        ),
        _plain(
            "x y:person s:subject",
            "when it comes to {s}, {x} is a good deal better than {y}",
            "when it comes to {s}, {y} is a good deal worse than {x}",
            "{x} is a good deal better than {y} when it comes to {s}",
            "{y} is a good deal worse than {x} when it comes to {s}",
        ),
        _plain(
            "s t:gift",
            "on the kitchen scales {s} weighed a little more than {t}",
            "on the kitchen scales {t} weighed a little less than {s}",
            "{s} was a little heavier than {t} on the kitchen scales",
            "{t} was a little lighter than {s} on the kitchen scales",
            swap="st",
        ),
    ),
    "possessive": (
        _plain(
            "x y:name s t:gift",
            "in the hall {x:'s} {s:n} lay on top of {y:'s} {t:n}",
            "in the hall {y:'s} {t:n} lay underneath {x:'s} {s:n}",
            "on top of {y:'s} {t:n} in the hall lay {x:'s} {s:n}",
            "underneath {x:'s} {s:n} in the hall lay {y:'s} {t:n}",
        ),
        _plain(
            "x y:someone k:kin",
            "after the accident {x:'s} {k:n} took {y} to court",
            "after the accident {y} was taken to court by {x:'s} {k:n}",
            "the {k:n} of {x} took {y} to court after the accident",
            "{y} was taken to court by the {k:n} of {x} after the accident",
        ),
        _plain(
            "x y:person",
            "the house that {x} now owns used to belong to {y}",
            "{x} now owns the house that used to belong to {y}",
            "{y} used to own the house that now belongs to {x}",
            "the house that {y} used to own now belongs to {x}",
        ),
    ),
    "location": (
        _plain(
            "a b:building",
            "in the old part of town {a} stands directly behind {b}",
            "in the old part of town {b} stands directly in front of {a}",
            "directly behind {b} in the old part of town stands {a}",
            "directly in front of {a} in the old part of town stands {b}",
            swap="ab",
        ),
        _plain(
            "s t:gift",
            "on the shelf {s} stood to the left of {t}",
            "on the shelf {t} stood to the right of {s}",
            "to the left of {t} on the shelf stood {s}",
            "to the right of {s} on the shelf stood {t}",
            swap="st",
        ),
        _plain(
            "x y:person",
            "in the tower block {x} lives two floors above {y}",
            "in the tower block {y} lives two floors below {x}",
            "{x} lives two floors above {y} in the tower block",
            "{y} lives two floors below {x} in the tower block",
        ),
    ),
    "kinship": (
        _plain(
            "x y:woman",
            "as the very last scene reveals, {x} is the mother of {y}",
            "as the very last scene reveals, {y} is the daughter of {x}",
            "as the very last scene reveals, {x} has a daughter, {y}",
            "{y} is the daughter of {x}, as the very last scene reveals",
        ),
        _plain(
            "x y:man",
            "according to the parish records, {x} was the uncle of {y}",
            "according to the parish records, {y} was the nephew of {x}",
            "{x} was the uncle of {y}, according to the parish records",
            "{y} was the nephew of {x}, according to the parish records",
        ),
        _plain(
            "x y:name",
            "{x:'s} mother is the elder sister of {y:'s} father",
            "{y:'s} father is the younger brother of {x:'s} mother",
            "the mother of {x} is the elder sister of {y:'s} father",
            "the father of {y} is the younger brother of {x:'s} mother",
        ),
    ),
    "agent_noun": (
        _plain(
            "x y:someone n:doer",
            "in the end it turned out that {x} had {n:2} {y}",
            "in the end it turned out that {y} had been {n:2} by {x}",
            "in the end {x} turned out to be the {n:1} of {y}",
            "in the end {y:'s} {n:1} turned out to be {x}",
        ),
        _plain(
            "x y:person",
            "{x} is the author of a much-praised biography of {y}",
            "{y} is the subject of a much-praised biography by {x}",
            "the author of a much-praised biography of {y} is {x}",
            "the subject of a much-praised biography by {x} is {y}",
        ),
        _plain(
            "x y:person",
            "{x} was the only supporter of {y} in the whole village",
            "in the whole village {y} had no supporter but {x}",
            "in the whole village {x} was the only supporter of {y}",
            "{y} had no supporter but {x} in the whole village",
        ),
    ),
    "ranking": (
        _plain(
            "x y:person",
            "in the final standings {x} was one place above {y}",
            "in the final standings {y} was one place below {x}",
            "{x} was one place above {y} in the final standings",
            "{y} was one place below {x} in the final standings",
        ),
        _plain(
            "c d:town",
            "{c} is the largest town in the county and {d} the second largest",
            "{d} is the second largest town in the county and {c} the largest",
            "among the towns of the county, {c} is the largest and {d} the second largest",
            "among the towns of the county, {d} is the second largest and {c} the largest",
            swap="cd",
        ),
        _plain(
            "x y:person",
            "in the readers' poll {x} came second and {y} came fourth",
            "in the readers' poll {y} came fourth and {x} came second",
            "{x} took second place in the readers' poll and {y} took fourth",
            "{y} took fourth place in the readers' poll and {x} took second",
        ),
    ),
    "adjective_binding": (
        _plain(
            "p:name s t:gift a b:colour",
            "{p} sold the {a} {s:n} and kept the {b} {t:n}",
            "{p} sold the {s:n}, which was {a}, and kept the {t:n}, which was {b}",
            "{p} kept the {t:n}, which was {b}, and sold the {s:n}, which was {a}",
            "the {b} {t:n} was kept and the {a} {s:n} was sold by {p}",
            swap="ab",
        ),
        _plain(
            "x y:role a b:looks v:deed",
            "in those days the {a} {x:n} {v:past} the {b} {y:n}",
            "in those days the {b} {y:n} was {v:part} by the {a} {x:n}",
            "the {a} {x:n} {v:past} the {b} {y:n} in those days",
            "the {b} {y:n} was {v:part} by the {a} {x:n} in those days",
            swap="ab",
        ),
        _plain(
            "p:name x y:role a b:looks",
            "{p} works for the {a} {x:n} and lives with the {b} {y:n}",
            "the {x:n} for whom {p} works is {a}, and the {y:n} with whom {p} lives is {b}",
            "{p}, who works for the {a} {x:n}, lives with the {b} {y:n}",
            "the {y:n} with whom {p} lives is {b}, and the {x:n} for whom {p} works is {a}",
            swap="ab",
        ),
    ),
    "compound_noun": (
        _plain(
            "c d:goods",
            "across the river the {c:n} factory stands opposite the {d:n} warehouse",
            "across the river the {d:n} warehouse stands opposite the {c:n} factory",
            "across the river the factory for {c:pl} stands opposite the warehouse for {d:pl}",
            "across the river the warehouse for {d:pl} stands opposite the factory for {c:pl}",
            swap="cd",
        ),
        _plain(
            "p:name c d:animal",
            "{p} keeps the {c:n} food in the old {d:n} cage",
            "in the old {d:n} cage {p} keeps the {c:n} food",
            "{p} keeps the food for the {c:pl} in the old cage of the {d:pl}",
            "in the old cage of the {d:pl} {p} keeps the food for the {c:pl}",
            swap="cd",
        ),
        _plain(
            "p:person c d:city",
            "{p} is the head of the {c} office of a {d} bank",
            "{p} is the head of the office in {c} of a bank from {d}",
            "the head of the {c} office of a {d} bank is {p}",
            "the head of the office in {c} of a bank from {d} is {p}",
            swap="cd",
        ),
    ),
}
