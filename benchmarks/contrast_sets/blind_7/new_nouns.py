"""Frames of the seventh blind set for phenomena that no set before has: places, ages and families."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_NOUNS: dict[str, tuple[Frame, ...]] = {
    "containment": (
        _plain(
            "s t:container",
            "in the garage the {s:n} was kept inside the {t:n}",
            "in the garage the {t:n} had the {s:n} inside it",
            "inside the {t:n} in the garage was the {s:n}",
            "the {t:n} in the garage contained the {s:n}",
            swap="st",
        ),
        _plain(
            "p:person s t:container",
            "{p} put the {s:n} into the {t:n}",
            "the {s:n} was put into the {t:n} by {p}",
            "it was into the {t:n} that {p} put the {s:n}",
            "what {p} put into the {t:n} was the {s:n}",
            swap="st",
        ),
        _plain(
            "a b:site",
            "the {a:n} now stands in the grounds of the {b:n}",
            "in the grounds of the {b:n} now stands the {a:n}",
            "the grounds of the {b:n} now contain the {a:n}",
            "the {a:n} is now surrounded by the grounds of the {b:n}",
            swap="ab",
        ),
    ),
    "left_to_right": (
        _plain(
            "x y:person",
            "in the photograph {x} is on the far left and {y} on the far right",
            "in the photograph {y} is on the far right and {x} on the far left",
            "on the far left of the photograph is {x} and on the far right {y}",
            "on the far right of the photograph is {y} and on the far left {x}",
        ),
        _plain(
            "x y z:name",
            "from left to right the picture shows {x}, {y} and {z}",
            "from right to left the picture shows {z}, {y} and {x}",
            "in the picture {y} is in the middle, {x} on the left and {z} on the right",
            "in the picture {x} is on the left, {z} on the right and {y} in the middle",
        ),
        _plain(
            "x y:person",
            "seen from the stage, {x} sits to the left of the aisle and {y} to the right",
            "seen from the stage, {y} sits to the right of the aisle and {x} to the left",
            "to the left of the aisle, seen from the stage, sits {x} and to the right {y}",
            "to the right of the aisle, seen from the stage, sits {y} and to the left {x}",
        ),
    ),
    "proximity": (
        _plain(
            "c d e:town",
            "{c} is closer to {d} than to {e}",
            "{e} is farther away from {c} than {d} is",
            "from {c} it is farther to {e} than to {d}",
            "{d} is closer to {c} than {e} is",
            swap="de",
        ),
        _plain(
            "a b:place",
            "the {a:n} is within walking distance of the station, but the {b:n} is not",
            "the {b:n} is not within walking distance of the station, but the {a:n} is",
            "unlike the {b:n}, the {a:n} is within walking distance of the station",
            "one can walk from the station to the {a:n} but not to the {b:n}",
            swap="ab",
        ),
        _plain(
            "x y:person",
            "{x} lives nearer to the school than {y}",
            "{y} lives farther away from the school than {x}",
            "{x} has a shorter journey to the school than {y}",
            "{y} has a longer journey to the school than {x}",
        ),
    ),
    "age_difference": (
        _plain(
            "x y:person",
            "{x} was born eleven months before {y}",
            "{y} was born eleven months after {x}",
            "{x} is eleven months older than {y}",
            "{y} is eleven months younger than {x}",
        ),
        _plain(
            "a b:place",
            "the {a:n} was built half a century earlier than the {b:n}",
            "the {b:n} was built half a century later than the {a:n}",
            "the {a:n} is half a century older than the {b:n}",
            "the {b:n} is half a century newer than the {a:n}",
            swap="ab",
        ),
        _plain(
            "x y:person",
            "{x} joined the navy ten years before {y}",
            "{y} joined the navy ten years after {x}",
            "{x} had been in the navy for ten years when {y} joined",
            "when {y} joined the navy, {x} had been in it for ten years",
        ),
    ),
    "in_laws": (
        _plain(
            "x y:man",
            "{x} is married to the elder sister of {y}",
            "the elder sister of {y} is the wife of {x}",
            "{y} has an elder sister who is married to {x}",
            "{x:'s} wife is the elder sister of {y}",
        ),
        _plain(
            "x y:woman",
            "{x} is the daughter of {y:'s} first husband",
            "{y:'s} first husband is the father of {x}",
            "the first husband of {y} has a daughter called {x}",
            "{x:'s} father is the first husband of {y}",
        ),
        _plain(
            "x y:name",
            "the brother of {x} is engaged to the daughter of {y}",
            "the daughter of {y} is engaged to the brother of {x}",
            "{x:'s} brother and {y:'s} daughter are engaged to each other",
            "{y:'s} daughter and {x:'s} brother are engaged to each other",
        ),
    ),
    "rescheduling": (
        _plain(
            "e:event d f:weekday",
            "the {e:n} has been moved from {d} to {f}",
            "the {e:n} will be held on {f} instead of on {d}",
            "originally to be held on {d}, the {e:n} will now be held on {f}",
            "instead of on {d}, the {e:n} will be held on {f}",
            swap="df",
        ),
        _plain(
            "e f:event",
            "in June the {f:n} was held instead of the {e:n}",
            "in June the {f:n} took the place of the {e:n}",
            "the place of the {e:n} was taken by the {f:n} in June",
            "instead of the {e:n}, the {f:n} was held in June",
            swap="ef",
        ),
        _plain(
            "e f:event d g:weekday",
            "the {e:n} will be held on {d} and the {f:n} on {g}",
            "the {f:n} will be held on {g} and the {e:n} on {d}",
            "{d} is the day of the {e:n} and {g} that of the {f:n}",
            "{g} is the day of the {f:n} and {d} that of the {e:n}",
            swap="dg",
        ),
    ),
    "majority": (
        _plain(
            "a b:group",
            "more {a:pl} than {b:pl} signed the petition",
            "fewer {b:pl} than {a:pl} signed the petition",
            "the petition was signed by more {a:pl} than {b:pl}",
            "the petition was signed by fewer {b:pl} than {a:pl}",
            swap="ab",
        ),
        _plain(
            "a b:group",
            "most of the {a:pl} but only a few of the {b:pl} backed the plan",
            "only a few of the {b:pl} but most of the {a:pl} backed the plan",
            "the plan was backed by most of the {a:pl} but only a few of the {b:pl}",
            "the plan was backed by only a few of the {b:pl} but most of the {a:pl}",
            swap="ab",
        ),
        _plain(
            "a b:group",
            "on the island the {a:pl} are outnumbered by the {b:pl}",
            "on the island the {b:pl} outnumber the {a:pl}",
            "on the island there are more {b:pl} than {a:pl}",
            "there are fewer {a:pl} than {b:pl} on the island",
            swap="ab",
        ),
    ),
}
