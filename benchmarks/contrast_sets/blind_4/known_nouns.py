"""Frames of the fourth blind set for phenomena of earlier sets: nouns, numbers, ranks and comparison."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_NOUNS: dict[str, tuple[Frame, ...]] = {
    "symmetric_predicate": (
        _plain(
            "x y:land s u:soil",
            "on the old map the {s} {x:n} adjoins the {u} {y:n}",
            "on the old map the {u} {y:n} adjoins the {s} {x:n}",
            "on the old map the {s} {x:n} and the {u} {y:n} adjoin each other",
            "on the old map the {u} {y:n} and the {s} {x:n} adjoin each other",
            swap="su",
        ),
        _plain(
            "x y:name k l:kin",
            "since Easter {x:'s} {k:n} has shared a flat with {y:'s} {l:n}",
            "since Easter {y:'s} {l:n} has shared a flat with {x:'s} {k:n}",
            "since Easter {x:'s} {k:n} and {y:'s} {l:n} have shared a flat",
            "since Easter {y:'s} {l:n} and {x:'s} {k:n} have shared a flat",
            swap="kl",
        ),
        _plain(
            "x y:pet s u:coat",
            "on the scales the {s} {x:n} weighed exactly as much as the {u} {y:n}",
            "on the scales the {u} {y:n} weighed exactly as much as the {s} {x:n}",
            "on the scales the {s} {x:n} and the {u} {y:n} weighed exactly the same",
            "on the scales the {u} {y:n} and the {s} {x:n} weighed exactly the same",
            swap="su",
        ),
    ),
    "comparative": (
        _plain(
            "x y:person",
            "all winter {x} got up earlier than {y}",
            "all winter {y} got up later than {x}",
            "{x} got up earlier than {y} all winter",
            "{y} got up later than {x} all winter",
        ),
        _plain(
            "x y:person",
            "{x} has climbed fewer mountains than {y} so far",
            "{y} has climbed more mountains than {x} so far",
            "so far {x} has not climbed as many mountains as {y}",
            "so far more mountains have been climbed by {y} than by {x}",
        ),
        _plain(
            "a b:thing",
            "in the boot {a:a} takes up less room than {b:a}",
            "in the boot {b:a} takes up more room than {a:a}",
            "{a:a} takes up less room in the boot than {b:a}",
            "{b:a} takes up more room in the boot than {a:a}",
            swap="ab",
        ),
    ),
    "nominalisation": (
        _plain(
            "x y:someone n:nominal",
            "{x:'s} {n:1} of {y} made the evening news",
            "the {n:1} of {y} by {x} made the evening news",
            "it made the evening news that {x} {n:2} {y}",
            "it made the evening news that {y} was {n:2} by {x}",
        ),
        _plain(
            "x y:someone n:plea",
            "{x:'s} {n} to {y} was later printed in full",
            "the {n} to {y} by {x} was later printed in full",
            "what was later printed in full was {x:'s} {n} to {y}",
            "what was later printed in full was the {n} to {y} by {x}",
        ),
        _plain(
            "x y:someone f:feeling",
            "{x:'s} {f:1} {y} is plain for all to see",
            "it is plain for all to see that {x} {f:2} {y}",
            "that {x} {f:2} {y} is plain for all to see",
        ),
    ),
    "ownership_chain": (
        _plain(
            "x:name k l:kin",
            "somebody told me that {x:'s} {k:n}'s {l:n} keeps bees",
            "somebody told me that the {l:n} of {x:'s} {k:n} keeps bees",
            "{x:'s} {k:n}'s {l:n} keeps bees, somebody told me",
            "the {l:n} of {x:'s} {k:n} keeps bees, somebody told me",
            swap="kl",
        ),
        _plain(
            "x:name k l:kin",
            "were you introduced to {x:'s} {k:n}'s {l:n} at the rally?",
            "were you introduced at the rally to the {l:n} of {x:'s} {k:n}?",
            "was it the {l:n} of {x:'s} {k:n} that you were introduced to at the rally?",
            "was it {x:'s} {k:n}'s {l:n} that you were introduced to at the rally?",
            swap="kl",
        ),
        _plain(
            "x y:name k l:kin",
            "{x:'s} {k:n} lodges with {y:'s} {l:n} these days",
            "{x} has {k:a} who lodges with {y:'s} {l:n} these days",
            "{y} has {l:a} with whom {x:'s} {k:n} lodges these days",
            swap="kl",
        ),
    ),
    "quantifier": (
        _plain(
            "x y:role v:deed",
            "every {x:n} {v:past} at least one {y:n} at the rally",
            "there was no {x:n} who did not {v} at least one {y:n} at the rally",
            "not a single {x:n} failed to {v} at least one {y:n} at the rally",
        ),
        _plain(
            "x y:role v:deed",
            "that day the {x:pl} {v:past} nobody but {y:pl}",
            "that day nobody but {y:pl} was {v:part} by the {x:pl}",
            "the only people whom the {x:pl} {v:past} that day were {y:pl}",
            "only {y:pl} were {v:part} by the {x:pl} that day",
        ),
        _plain(
            "x y:role",
            "two thirds of the {x:pl} and hardly any of the {y:pl} were vaccinated",
            "hardly any of the {y:pl} and two thirds of the {x:pl} were vaccinated",
            "of the {x:pl} two thirds were vaccinated, of the {y:pl} hardly any",
            "of the {y:pl} hardly any were vaccinated, of the {x:pl} two thirds",
        ),
    ),
    "ranking": (
        _plain(
            "x y z:person",
            "in the marathon {x} finished just ahead of {y} and far behind {z}",
            "in the marathon {x} finished far behind {z} and just ahead of {y}",
            "in the marathon {z} finished far ahead of {x}, who finished just ahead of {y}",
            "in the marathon {y} finished just behind {x}, who finished far behind {z}",
            swap="yz",
        ),
        _plain(
            "x y:person",
            "at fencing {x} took the gold medal and {y} the silver one",
            "at fencing {y} took the silver medal and {x} the gold one",
            "at fencing the gold medal went to {x} and the silver one to {y}",
            "at fencing the silver medal went to {y} and the gold one to {x}",
        ),
        _plain(
            "x y:person",
            "as a swimmer {x} is second only to {y}",
            "as a swimmer {x} is surpassed by nobody but {y}",
            "nobody but {y} surpasses {x} as a swimmer",
            "only {y} is a better swimmer than {x}",
        ),
    ),
    "respectively": (
        _plain(
            "x y:person s t:dish",
            "at the diner {x} and {y} ordered {s} and {t} respectively",
            "at the diner {y} and {x} ordered {t} and {s} respectively",
            "at the diner {x} ordered {s} and {y} ordered {t}",
            "at the diner {y} ordered {t} and {x} ordered {s}",
            swap="st",
        ),
        _plain(
            "p x y:person s t:thing",
            "{p} gave {x} and {y} {s:a} and {t:a} respectively",
            "{x} and {y} were given {s:a} and {t:a} respectively by {p}",
            "{p} gave {x} {s:a} and {y} {t:a}",
            "{y} was given {t:a} and {x} {s:a} by {p}",
            swap="st",
        ),
        _plain(
            "a b:building",
            "{a} and {b} stand on the left and the right bank respectively",
            "{b} and {a} stand on the right and the left bank respectively",
            "{a} stands on the left bank and {b} on the right bank",
            "{b} stands on the right bank and {a} on the left bank",
            swap="ab",
        ),
    ),
}
