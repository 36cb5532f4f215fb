"""Frames of the fourth blind set for phenomena that no set before has: ellipsis, order and degree."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "right_node_raising": (
        _plain(
            "x y z:person v u:deed",
            "{x} first {v:past}, and {y} later {u:past}, {z}",
            "{z} was first {v:part} by {x} and later {u:part} by {y}",
            "first {v:part} by {x}, {z} was later {u:part} by {y}",
            swap="xy",
        ),
        _plain(
            "x y:person c:chore",
            "{x} can, but {y} cannot, {c} without help",
            "{y} cannot, but {x} can, {c} without help",
            "unlike {y}, {x} can {c} without help",
            "{x}, unlike {y}, can {c} without help",
        ),
        _plain(
            "x y z:person",
            "on Sunday {x} wrote to, and {y} wrote about, {z}",
            "on Sunday {y} wrote about, and {x} wrote to, {z}",
            "on Sunday {z} was written to by {x} and written about by {y}",
            "on Sunday {z} was written about by {y} and written to by {x}",
        ),
    ),
    "sluicing": (
        _plain(
            "x y:person v:deed",
            "somebody {v:past} {y}, and we all know who: {x}",
            "{y} was {v:part} by somebody, and we all know by whom: {x}",
            "we all know who {v:past} {y}: {x}",
            "as we all know, {y} was {v:part} by {x}",
        ),
        _plain(
            "x y:person v:deed",
            "{x} is going to {v} somebody, but {y} has no idea whom",
            "{y} has no idea whom {x} is going to {v}",
            "whom {x} is going to {v} is a mystery to {y}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} refuses to {c}, and {y} would like to know why",
            "{y} would like to know why {x} refuses to {c}",
            "why {x} refuses to {c} is what {y} would like to know",
            "what {y} would like to know is why {x} refuses to {c}",
        ),
    ),
    "comparative_ellipsis": (
        _plain(
            "x y z:person v:deed",
            "{x} has {v:part} {y} more often than {z} has",
            "{z} has {v:part} {y} less often than {x} has",
            "{z} has not {v:part} {y} as often as {x} has",
            "{y} has been {v:part} more often by {x} than by {z}",
            swap="yz",
        ),
        _plain(
            "x y z:person",
            "{x} knows more about {y} than {z} does",
            "{z} knows less about {y} than {x} does",
            "about {y}, {x} knows more than {z} does",
            "{z} does not know as much about {y} as {x} does",
            swap="xy",
        ),
        _plain(
            "x y z:person",
            "{x} has a higher opinion of {y} than of {z}",
            "{x} thinks better of {y} than of {z}",
            "{x} has a lower opinion of {z} than of {y}",
            "of {y}, {x} has a higher opinion than of {z}",
            swap="yz",
        ),
    ),
    "correction": (
        _plain(
            "x y z:person v:deed",
            "last night {x} did not {v} {z} but {y}",
            "last night {x} {v:past} {y} and not {z}",
            "it was {y}, not {z}, whom {x} {v:past} last night",
            "last night not {z} but {y} was {v:part} by {x}",
            swap="yz",
        ),
        _plain(
            "x y:person c:chore",
            "contrary to the rumours, not {y} but {x} {c:past}",
            "contrary to the rumours, it was {x} and not {y} who {c:past}",
            "contrary to the rumours, the one who {c:past} was {x} and not {y}",
        ),
        _plain(
            "x:person c d:chore",
            "{x} meant to {c} and not to {d}",
            "{x} did not mean to {d} but to {c}",
            "what {x} meant to do was not to {d} but to {c}",
            "what {x} meant to do was to {c} and not to {d}",
            swap="cd",
        ),
    ),
    "extraposition": (
        _plain(
            "x y:person v:irk c:chore",
            "it {v:past} {x} that {y} had {c:part}",
            "that {y} had {c:part} {v:past} {x}",
            "{x} was {v:part} that {y} had {c:part}",
            "what {v:past} {x} was that {y} had {c:part}",
        ),
        _plain(
            "x y:person g:grace",
            "it was {g} of {x} to offer {y} a lift",
            "to offer {y} a lift was {g} of {x}",
            "{x} was {g} to offer {y} a lift",
            "offering {y} a lift was {g} of {x}",
        ),
        _plain(
            "x y:role v:deed",
            "{x:a} turned up whom {y:a} had once {v:part}",
            "{x:a} whom {y:a} had once {v:part} turned up",
            "there turned up {x:a} whom {y:a} had once {v:part}",
            "{x:a} turned up who had once been {v:part} by {y:a}",
        ),
    ),
    "correlative": (
        _plain(
            "x y:person",
            "the louder {x} sang, the softer {y} played",
            "{y} played softer the louder {x} sang",
            "as {x} sang louder and louder, {y} played softer and softer",
        ),
        _plain(
            "x y z:person v:deed",
            "the more often {x} {v:past} {y}, the more cheerful {z} became",
            "the more often {y} was {v:part} by {x}, the more cheerful {z} became",
            "{z} became more cheerful the more often {x} {v:past} {y}",
            "{z} became more cheerful the more often {y} was {v:part} by {x}",
            swap="xz",
        ),
        _plain(
            "x y:person",
            "the richer {x} gets, the poorer {y} becomes",
            "{y} becomes poorer the richer {x} gets",
            "as {x} gets richer, {y} becomes poorer and poorer",
        ),
    ),
    "locative_inversion": (
        _plain(
            "x y:person",
            "behind {x} in the procession marched {y}",
            "in the procession {y} marched behind {x}",
            "in front of {y} in the procession marched {x}",
            "in the procession {x} marched in front of {y}",
        ),
        _plain(
            "x y:beast",
            "in the cartoon, on the back of {x:a} sat {y:a}",
            "in the cartoon {y:a} sat on the back of {x:a}",
            "sitting on the back of {x:a} in the cartoon was {y:a}",
        ),
        _plain(
            "x y:person",
            "into the lift, just after {x}, stepped {y}",
            "{y} stepped into the lift just after {x}",
            "{x} stepped into the lift just before {y}",
            "into the lift, just before {y}, stepped {x}",
        ),
    ),
}
