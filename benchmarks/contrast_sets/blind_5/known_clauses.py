"""Frames of the fifth blind set for phenomena of earlier sets: clauses, conjuncts and ellipsis."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "relative_clause": (
        _plain(
            "p:name x y:role v:deed",
            "{p} shares a studio with the {x:n} whom the {y:n} {v:past}",
            "{p} shares a studio with the {x:n} who was {v:part} by the {y:n}",
            "the {x:n} with whom {p} shares a studio was {v:part} by the {y:n}",
            "the {x:n} whom the {y:n} {v:past} shares a studio with {p}",
        ),
        _plain(
            "x y:person v:deed",
            "{x} has yet to meet the person who {v:past} {y}",
            "{x} has yet to meet the person by whom {y} was {v:part}",
            "the person who {v:past} {y} is one whom {x} has yet to meet",
            "the person by whom {y} was {v:part} is one whom {x} has yet to meet",
        ),
        _plain(
            "x y:role",
            "the {x:n} who employs the {y:n} is on holiday",
            "the {x:n} for whom the {y:n} works is on holiday",
            "the {x:n} by whom the {y:n} is employed is on holiday",
            "the {x:n} who has the {y:n} as an employee is on holiday",
        ),
    ),
    "conditional": (
        _plain(
            "x y:person c d:chore",
            "on condition that {y} {c:s}, {x} is willing to {d}",
            "{x} is willing to {d} provided that {y} {c:s}",
            "the condition on which {x} is willing to {d} is that {y} {c:s}",
            "it is on condition that {y} {c:s} that {x} is willing to {d}",
        ),
        _plain(
            "x y:person",
            "but for {x}, {y} would have drowned in the lake",
            "the lake would have claimed the life of {y} but for {x}",
            "{y} would have drowned in the lake had it not been for {x}",
            "without {x}, the lake would have claimed the life of {y}",
        ),
        _plain(
            "x y:person c d:chore",
            "had {x} refused to {c}, {y} would not have agreed to {d}",
            "{y} would not have agreed to {d} if {x} had refused to {c}",
            "if {x} had said no to {c:ing}, {y} would not have agreed to {d}",
            "{y} would not have agreed to {d} had {x} said no to {c:ing}",
        ),
    ),
    "coordination": (
        _plain(
            "x y:person c d:chore",
            "over the weekend {x} {c:past} and {y} {d:past}",
            "over the weekend {y} {d:past} and {x} {c:past}",
            "over the weekend {x} {c:past}, whereas {y} {d:past}",
            "over the weekend {y} {d:past}, whereas {x} {c:past}",
            swap="cd",
        ),
        _plain(
            "x y z:person c:chore",
            "{x} and {y} offered to {c}, but {z} did not",
            "{y} and {x} offered to {c}, but {z} did not",
            "{z} did not offer to {c}, but {x} and {y} did",
            "{z} did not offer to {c}, but {y} and {x} did",
            swap="yz",
        ),
        _plain(
            "x y z:person",
            "either {x} or {y} will drive, and {z} will read the map",
            "{z} will read the map, and either {x} or {y} will drive",
            "either {y} or {x} will drive, and {z} will read the map",
            "{z} will read the map, and either {y} or {x} will drive",
            swap="yz",
        ),
    ),
    "participial_clause": (
        _plain(
            "x y:person c:chore",
            "having {c:part}, {x} telephoned {y} without delay",
            "{x}, having {c:part}, telephoned {y} without delay",
            "after {c:ing}, {x} telephoned {y} without delay",
            "{x} telephoned {y} without delay after {c:ing}",
        ),
        _plain(
            "x y:person v:slight",
            "{v:part} by {x} in front of the class, {y} left the room",
            "{y}, {v:part} by {x} in front of the class, left the room",
            "{y} left the room, having been {v:part} by {x} in front of the class",
            "having been {v:part} by {x} in front of the class, {y} left the room",
        ),
        _plain(
            "x y:person",
            "not having been invited by {x}, {y} stayed at home",
            "{y} stayed at home, not having been invited by {x}",
            "{y}, not having been invited by {x}, stayed at home",
            "{y} stayed at home, since {x} had not sent an invitation",
        ),
    ),
    "exception": (
        _plain(
            "x y:person v:deed",
            "with the exception of {x}, everyone in the troupe {v:past} {y}",
            "{x} was the only one in the troupe who did not {v} {y}",
            "the only one in the troupe not to {v} {y} was {x}",
            "in the troupe {y} was {v:part} by everyone but {x}",
        ),
        _plain(
            "x y:person",
            "{x} sent a postcard to everybody in the office except {y}",
            "except for {y}, everybody in the office was sent a postcard by {x}",
            "{y} was the only one in the office to whom {x} sent no postcard",
            "the only one in the office who got no postcard from {x} was {y}",
        ),
        _plain(
            "x y:person",
            "does {x} confide in no one but {y} these days?",
            "is {y} the only person in whom {x} confides these days?",
            "is it in no one but {y} that {x} confides these days?",
            "these days, is {y} the only person in whom {x} confides?",
        ),
    ),
    "verb_phrase_ellipsis": (
        _plain(
            "x y:person c:chore",
            "{x} has already {c:part}, but {y} has yet to",
            "{y} has yet to {c}, but {x} already has",
            "{x} has already {c:part}, whereas {y} has not",
            "{y} has not {c:part}, but {x} already has",
        ),
        _plain(
            "x y:person c:chore",
            "{x} knows how to {c}, but {y} does not",
            "{y} does not know how to {c}, but {x} does",
            "{x}, but not {y}, knows how to {c}",
            "unlike {y}, {x} does know how to {c}",
        ),
        _plain(
            "x y z:person v:deed",
            "{x} {v:past} {z} before {y} had a chance to",
            "before {y} had a chance to {v} {z}, {x} did so",
            "{x} {v:past} {z} before {y} could do so",
            "before {y} could {v} {z}, {x} did",
        ),
    ),
    "sluicing": (
        _plain(
            "x y:person",
            "{x} is hiding something from {y}, but nobody knows what",
            "nobody knows what it is that {x} is hiding from {y}",
            "something is being hidden from {y} by {x}, but nobody knows what",
            "nobody knows what is being hidden from {y} by {x}",
        ),
        _plain(
            "x y:person c:city",
            "{x} left for {c}, but {y} never found out when",
            "{y} never found out when {x} left for {c}",
            "when {x} left for {c} was never found out by {y}",
            "it was never found out by {y} when {x} left for {c}",
        ),
        _plain(
            "x y:person c:chore",
            "somebody had {c:part}, and {y} guessed who: {x}",
            "{y} guessed rightly that it was {x} who had {c:part}",
            "{y} guessed rightly who had {c:part}: {x}",
            "that it was {x} who had {c:part} was guessed rightly by {y}",
        ),
    ),
}
