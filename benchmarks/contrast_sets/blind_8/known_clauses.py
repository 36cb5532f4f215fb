"""Frames of the eighth blind set for phenomena of earlier sets: clauses, negation and questions."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "relative_clause": (
        _plain(
            "x y:someone v:deed",
            "{x}, whom {y} had often {v:part}, moved abroad",
            "{x}, who had often been {v:part} by {y}, moved abroad",
            "having often been {v:part} by {y}, {x} moved abroad",
            "{y} had often {v:part} {x}, who moved abroad",
        ),
        _plain(
            "x y:role v:blow",
            "the {x:n} who {v:past} the {y:n} was wearing a wig",
            "the {x:n} by whom the {y:n} was {v:part} was wearing a wig",
            "the {y:n} was {v:part} by the {x:n} who was wearing a wig",
            "the {x:n} who was wearing a wig {v:past} the {y:n}",
        ),
        _plain(
            "x y:person",
            "{y} now lives in the village where {x} grew up",
            "{x} grew up in the village where {y} now lives",
            "the village where {y} now lives is the one where {x} grew up",
            "the village where {x} grew up is the one where {y} now lives",
        ),
    ),
    "report": (
        _plain(
            "x y:person",
            "{x} told the police that {y} had left by the back door",
            "the police were told by {x} that {y} had left by the back door",
            "{y}, {x} told the police, had left by the back door",
            "{y} had left by the back door, {x} told the police",
        ),
        _plain(
            "x y:person",
            "{x} told the whole office about the engagement of {y}",
            "the whole office was told by {x} about the engagement of {y}",
            "the whole office learned from {x} about the engagement of {y}",
            "it was from {x} that the whole office learned about the engagement of {y}",
        ),
        _plain(
            "x y:person",
            "in a letter home {x} wrote that {y} had been wounded",
            "{y}, {x} wrote in a letter home, had been wounded",
            "{y} had been wounded, {x} wrote in a letter home",
            "that {y} had been wounded was what {x} wrote in a letter home",
        ),
    ),
    "cause": (
        _plain(
            "e f:calamity",
            "historians agree that the {e:n} brought about the {f:n}",
            "historians agree that the {f:n} was brought about by the {e:n}",
            "historians agree that the {f:n} came about because of the {e:n}",
            "historians agree that it was the {e:n} that brought about the {f:n}",
            swap="ef",
        ),
        _plain(
            "x y:person",
            "{y} slipped on the oil that {x} had spilled on the steps",
            "because {x} had spilled oil on the steps, {y} slipped",
            "the oil that {x} had spilled on the steps made {y} slip",
            "by spilling oil on the steps, {x} made {y} slip",
        ),
        _plain(
            "x y:person",
            "{x} resigned because {y} had been promoted",
            "the promotion of {y} made {x} resign",
            "it was the promotion of {y} that made {x} resign",
            "because {y} had been promoted, {x} resigned",
        ),
    ),
    "negation_scope": (
        _plain(
            "p:person s t:thing",
            "on the trip {p} took along {s} but not {t}",
            "it was {s} and not {t} that {p} took along on the trip",
            "it was not {t} but {s} that {p} took along on the trip",
            "on the trip {p} took along not {t} but {s}",
            swap="st",
        ),
        _plain(
            "x y:person",
            "{x} is coming to the picnic on the beach, but {y} is not",
            "{y} is not coming to the picnic on the beach, but {x} is",
            "{x}, but not {y}, is coming to the picnic on the beach",
            "not {y} but {x} is coming to the picnic on the beach",
        ),
        _plain(
            "x y:person",
            "nothing that {x} does goes unnoticed by {y}",
            "everything that {x} does is noticed by {y}",
            "there is nothing that {x} does that goes unnoticed by {y}",
            "{y} notices everything that {x} does",
        ),
    ),
    "concession": (
        _plain(
            "x y:person c:chore",
            "{x} {c:past} although {y} had advised against it",
            "although {y} had advised against it, {x} {c:past}",
            "against the advice of {y}, {x} {c:past}",
            "{x} {c:past} against the advice of {y}",
        ),
        _plain(
            "x y:person",
            "although it was {y} who had lied, {x} was punished",
            "{x} was punished although it was {y} who had lied",
            "{y} was the one who had lied, but {x} was punished",
            "{x} was punished, but {y} was the one who had lied",
        ),
        _plain(
            "x y:person",
            "{x} went on snoring although {y} was shouting",
            "{y} was shouting, and yet {x} went on snoring",
            "in spite of the shouts of {y}, {x} went on snoring",
            "{x} went on snoring in spite of the shouts of {y}",
        ),
    ),
    "gapping": (
        _plain(
            "x y:person s t:thing",
            "{x} hid {s} in the barn and {y} {t}",
            "{y} hid {t} in the barn and {x} {s}",
            "in the barn {s} was hidden by {x} and {t} by {y}",
            "in the barn {t} was hidden by {y} and {s} by {x}",
        ),
        _plain(
            "x y:someone c d:city",
            "at dawn {x} flew to {c} and {y} to {d}",
            "at dawn {y} flew to {d} and {x} to {c}",
            "{x} flew to {c} at dawn and {y} to {d}",
            "{y} flew to {d} at dawn and {x} to {c}",
            swap="cd",
        ),
        _plain(
            "x y:person",
            "for lunch {x} had a meat pie and {y} a cheese sandwich",
            "for lunch {y} had a cheese sandwich and {x} a meat pie",
            "{x} had a meat pie for lunch and {y} a cheese sandwich",
            "{y} had a cheese sandwich for lunch and {x} a meat pie",
        ),
    ),
    "embedded_question": (
        _plain(
            "x y:someone v:deed",
            "nobody can remember when {x} last {v:past} {y}",
            "nobody can remember when {y} was last {v:part} by {x}",
            "when {x} last {v:past} {y} is something that nobody can remember",
            "when {y} was last {v:part} by {x} is something that nobody can remember",
        ),
        _plain(
            "x y:person c:chore",
            "how {y} managed to {c} is a mystery to {x}",
            "it is a mystery to {x} how {y} managed to {c}",
            "{x} finds it a mystery how {y} managed to {c}",
            "to {x} it is a mystery how {y} managed to {c}",
        ),
        _plain(
            "x y:person",
            "could you tell me why {x} is suing {y}?",
            "could you tell me why {y} is being sued by {x}?",
            "why is {x} suing {y}, could you tell me?",
            "why is {y} being sued by {x}, could you tell me?",
        ),
    ),
}
