"""Frames of the eighth blind set for phenomena of earlier sets: nouns, degrees, places and possession."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_NOUNS: dict[str, tuple[Frame, ...]] = {
    "comparative": (
        _plain(
            "x y:person",
            "in a good month {x} earns far more than {y}",
            "in a good month {y} earns far less than {x}",
            "{x} earns far more than {y} in a good month",
            "{y} earns far less than {x} in a good month",
        ),
        _plain(
            "a b:place",
            "in summer the {a:n} draws bigger crowds than the {b:n}",
            "in summer the {b:n} draws smaller crowds than the {a:n}",
            "the {a:n} draws bigger crowds than the {b:n} in summer",
            "the {b:n} draws smaller crowds than the {a:n} in summer",
            swap="ab",
        ),
        _plain(
            "x y:person",
            "did {x} really sell more copies of the first album than {y}?",
            "did {y} really sell fewer copies of the first album than {x}?",
            "is it true that {x} sold more copies of the first album than {y}?",
            "is it true that {y} sold fewer copies of the first album than {x}?",
        ),
    ),
    "possessive": (
        _plain(
            "x y:someone",
            "on the way to the vet {x:'s} dog bit {y:'s} cat",
            "on the way to the vet {y:'s} cat was bitten by {x:'s} dog",
            "the dog that bit {y:'s} cat on the way to the vet was {x:'s}",
            "the cat that {x:'s} dog bit on the way to the vet was {y:'s}",
        ),
        _plain(
            "x y:someone t:thing",
            "the {t:n} in {x:'s} office belongs to {y}",
            "{y} is the owner of the {t:n} in {x:'s} office",
            "in {x:'s} office there is {t:a} that belongs to {y}",
            "the {t:n} that belongs to {y} is in {x:'s} office",
        ),
        _plain(
            "x y:someone k:kin",
            "{x} is in love with {y:'s} {k:n}",
            "{y:'s} {k:n} is the one with whom {x} is in love",
            "{y} has {k:a} with whom {x} is in love",
            "the one with whom {x} is in love is the {k:n} of {y}",
        ),
    ),
    "nominalisation": (
        _plain(
            "x y:someone",
            "{x:'s} unexpected visit to {y} caused a stir",
            "the unexpected visit to {y} by {x} caused a stir",
            "{x} unexpectedly visited {y}, which caused a stir",
            "{y} was unexpectedly visited by {x}, which caused a stir",
        ),
        _plain(
            "x y:someone",
            "{x:'s} verbal attack on {y} made the front page",
            "the verbal attack on {y} by {x} made the front page",
            "that {x} verbally attacked {y} made the front page",
            "that {y} was verbally attacked by {x} made the front page",
        ),
        _plain(
            "x y:someone",
            "at {x:'s} invitation {y} came to dinner",
            "{y} came to dinner at the invitation of {x}",
            "invited by {x}, {y} came to dinner",
            "{x} had invited {y}, who came to dinner",
        ),
    ),
    "kinship": (
        _plain(
            "x y:woman",
            "{x} is a cousin of {y:'s} late husband",
            "{y:'s} late husband was a cousin of {x}",
            "the late husband of {y} was {x:'s} cousin",
            "{x} is a cousin of the late husband of {y}",
        ),
        _plain(
            "x y:name",
            "{x} is the twin of {y:'s} mother",
            "{y:'s} mother is the twin of {x}",
            "the mother of {y} is {x:'s} twin",
            "{x} and the mother of {y} are twins",
        ),
        _plain(
            "x y:woman",
            "{x} was adopted by {y} when only a few days old",
            "{y} adopted {x}, who was only a few days old",
            "only a few days old, {x} was adopted by {y}",
            "it was {y} who adopted {x}, then only a few days old",
        ),
    ),
    "location": (
        _plain(
            "a b:place",
            "the {a:n} is uphill from the {b:n}",
            "the {b:n} is downhill from the {a:n}",
            "from the {b:n} one has to go uphill to the {a:n}",
            "from the {a:n} one has to go downhill to the {b:n}",
            swap="ab",
        ),
        _plain(
            "s t:thing",
            "in the attic the {s:n} was lying on top of the {t:n}",
            "in the attic the {t:n} was lying underneath the {s:n}",
            "on top of the {t:n} in the attic lay the {s:n}",
            "underneath the {s:n} in the attic lay the {t:n}",
            swap="st",
        ),
        _plain(
            "a b:place",
            "coming from the station, one gets to the {a:n} before the {b:n}",
            "coming from the station, one gets to the {b:n} after the {a:n}",
            "the {a:n} comes before the {b:n} on the way from the station",
            "the {b:n} comes after the {a:n} on the way from the station",
            swap="ab",
        ),
    ),
    "ranking": (
        _plain(
            "c d:town",
            "in the list of the safest towns {c} comes just above {d}",
            "in the list of the safest towns {d} comes just below {c}",
            "{c} comes just above {d} in the list of the safest towns",
            "{d} comes just below {c} in the list of the safest towns",
            swap="cd",
        ),
        _plain(
            "x y:person",
            "in the baking contest {x} came third and {y} fourth",
            "in the baking contest {y} came fourth and {x} third",
            "third place in the baking contest went to {x} and fourth place to {y}",
            "fourth place in the baking contest went to {y} and third place to {x}",
        ),
        _plain(
            "x y:person",
            "as a dancer {x} is second only to {y}",
            "as a dancer only {y} is ahead of {x}",
            "nobody but {y} is ahead of {x} as a dancer",
            "the only one ahead of {x} as a dancer is {y}",
        ),
    ),
    "birth_and_death": (
        _plain(
            "p:name c d:city",
            "{p}, a native of {c}, is buried in {d}",
            "buried in {d}, {p} was a native of {c}",
            "{p}, who is buried in {d}, was a native of {c}",
            "a native of {c}, {p} is buried in {d}",
            swap="cd",
        ),
        _plain(
            "x y:name",
            "{y} died in the same week in which {x} was born",
            "in the same week in which {x} was born, {y} died",
            "the birth of {x} and the death of {y} fell in the same week",
            "the death of {y} and the birth of {x} fell in the same week",
        ),
        _plain(
            "x y:name",
            "{y} had been dead for a year when {x} was born",
            "when {x} was born, {y} had been dead for a year",
            "{x} was born a year after the death of {y}",
            "a year after the death of {y}, {x} was born",
        ),
    ),
}
