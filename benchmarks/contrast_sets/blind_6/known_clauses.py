"""Frames of the sixth blind set for phenomena of earlier sets: clauses, questions and negation."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, opposed, triples, ways

_plain = partial(ways, adverbial="")

KNOWN_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "relative_clause": (
        _plain(
            "x y:role v:deed c:city",
            "the {x:n} who once {v:past} the {y:n} has moved to {c}",
            "the {x:n} by whom the {y:n} was once {v:part} has moved to {c}",
            "the one who has moved to {c} is the {x:n} who once {v:past} the {y:n}",
            "the one who has moved to {c} is the {x:n} by whom the {y:n} was once {v:part}",
        ),
        _plain(
            "x y:person",
            "the man to whom {x} sold the car has never met {y}",
            "{y} has never met the man to whom {x} sold the car",
            "{y} has never met the man who bought the car from {x}",
            "the man who bought the car from {x} has never met {y}",
        ),
        _plain(
            "x y:name b:building",
            "in 1903 the {b:n} that {x} built for {y} collapsed",
            "the {b:n}, which was built for {y} by {x}, collapsed in 1903",
            "the {b:n}, which {x} built for {y}, collapsed in 1903",
            "in 1903 the {b:n} that was built for {y} by {x} collapsed",
        ),
    ),
    "temporal_order": (
        _plain(
            "x:name c d:chore",
            "that afternoon {x} first {c:past} and then {d:past}",
            "the second thing that {x} did that afternoon was to {d}, and the first was to {c}",
            "the first thing that {x} did that afternoon was to {c}, and the second was to {d}",
            swap="cd",
        ),
        _plain(
            "e f:event",
            "the {e:n} was held exactly a month before the {f:n}",
            "the {f:n} was held exactly a month after the {e:n}",
            "exactly a month before the {f:n}, the {e:n} was held",
            "exactly a month after the {e:n}, the {f:n} was held",
            swap="ef",
        ),
        _plain(
            "x y:person",
            "by the time {x} reached the summit, {y} had already turned back",
            "{y} had already turned back by the time {x} reached the summit",
            "when {x} reached the summit, {y} had already turned back",
            "{y} had already turned back when {x} reached the summit",
        ),
    ),
    "cause": (
        _plain(
            "x y:person",
            "{x} missed the train because {y} had hidden the tickets",
            "because the tickets had been hidden by {y}, {x} missed the train",
            "the tickets had been hidden by {y}, which made {x} miss the train",
            "{y}, by hiding the tickets, made {x} miss the train",
        ),
        _plain(
            "e f:event",
            "the {e:n} was put off for several weeks because of the {f:n}",
            "because of the {f:n}, the {e:n} was put off for several weeks",
            "the {f:n} caused the {e:n} to be put off for several weeks",
            "it was because of the {f:n} that the {e:n} was put off for several weeks",
            swap="ef",
        ),
        _plain(
            "x y:person c:chore",
            "since {x} was too ill to {c}, it had to be done by {y}",
            "because of the illness of {x}, {y} had to {c}",
            "{y} had to {c} because of the illness of {x}",
            "it fell to {y} to {c} because of the illness of {x}",
        ),
    ),
    "report": (
        _plain(
            "x y:person c:chore",
            "in a letter to {y}, {x} admitted having {c:part}",
            "in a letter {x} admitted to {y} having {c:part}",
            "what {x} admitted in a letter to {y} was having {c:part}",
            "{x}, in a letter to {y}, admitted having {c:part}",
        ),
        _plain(
            "x y:person v:blow",
            "newspapers all over the country reported that {x} had {v:part} {y}",
            "newspapers all over the country reported that {y} had been {v:part} by {x}",
            "it was reported by newspapers all over the country that {x} had {v:part} {y}",
            "it was reported by newspapers all over the country that {y} had been {v:part} by {x}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} denied the rumour that {y} had {c:part}",
            "the rumour that {y} had {c:part} was denied by {x}",
            "the rumour about {y} having {c:part} was denied by {x}",
            "according to {x}, the rumour about {y} having {c:part} was untrue",
        ),
    ),
    "question": (
        _plain(
            "x y:person v:blow",
            "did {x} {v} {y} on purpose?",
            "was {y} {v:part} by {x} on purpose?",
            "was it on purpose that {x} {v:past} {y}?",
            "was it on purpose that {y} was {v:part} by {x}?",
        ),
        _plain(
            "x y:person",
            "why did {x} refuse to dance with {y}?",
            "what made {x} refuse to dance with {y}?",
            "for what reason was {y} refused a dance by {x}?",
            "why was {y} refused a dance by {x}?",
        ),
        _plain(
            "x y:person",
            "how much money did {x} borrow from {y} last winter?",
            "how much money did {y} lend to {x} last winter?",
            "last winter, how much money was borrowed from {y} by {x}?",
            "last winter, how much money was lent to {x} by {y}?",
        ),
    ),
    "gapping": (
        _plain(
            "x y:person c d:city",
            "{x} went to school in {c}, and {y} in {d}",
            "{y} went to school in {d}, and {x} in {c}",
            "{y} was at school in {d}, and {x} in {c}",
            "{x} was at school in {c}, and {y} in {d}",
            swap="cd",
        ),
        _plain(
            "x y:person s t:dish",
            "at the diner {x} ordered {s}, and {y} {t}",
            "at the diner {y} ordered {t}, and {x} {s}",
            "{x} ordered {s} at the diner, and {y} {t}",
            "{y} ordered {t} at the diner, and {x} {s}",
            swap="st",
        ),
        _plain(
            "x y z w:name",
            "in the second round {x} plays against {z}, and {y} against {w}",
            "in the second round {y} plays against {w}, and {x} against {z}",
            "{z} plays against {x} in the second round, and {w} against {y}",
            "{w} plays against {y} in the second round, and {z} against {x}",
            swap="zw",
        ),
    ),
    "negation_scope": (
        triples(
            "x y:person c:chore",
            *opposed(
                (
                    "{x} has so far advised {y} not to {c}",
                    "so far {y} has been advised by {x} not to {c}",
                    "so far {x} has advised {y} not to {c}",
                ),
                (
                    "{x} has so far not advised {y} to {c}",
                    "so far {y} has not been advised by {x} to {c}",
                    "so far {x} has not advised {y} to {c}",
                ),
            ),
        ),
        triples(
            "x y:person c:chore",
            *opposed(
                (
                    "{x} is certain that {y} has not {c:part}",
                    "what {x} is certain of is that {y} has not {c:part}",
                    "{x} is quite certain, in fact, that {y} has not {c:part}",
                ),
                (
                    "{x} is not certain that {y} has {c:part}",
                    "what {x} is not certain of is that {y} has {c:part}",
                    "{x} is not quite certain, in fact, that {y} has {c:part}",
                ),
            ),
        ),
        _plain(
            "x:person c d:chore",
            "{x} had time to {c} but not to {d}",
            "{x} had no time to {d} but did have time to {c}",
            "there was time for {x} to {c} but not to {d}",
            "there was no time for {x} to {d}, but there was time to {c}",
            swap="cd",
        ),
    ),
}
