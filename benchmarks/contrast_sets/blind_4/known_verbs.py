"""Frames of the fourth blind set for phenomena of earlier sets: the arguments of verbs."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_VERBS: dict[str, tuple[Frame, ...]] = {
    "voice": (
        _plain(
            "x y:person v:deed",
            "did {x} really {v} {y} during the parade?",
            "was {y} really {v:part} by {x} during the parade?",
            "is it true that {x} {v:past} {y} during the parade?",
            "is it true that {y} was {v:part} by {x} during the parade?",
        ),
        _plain(
            "x y:firm v:trade",
            "before the decade is out {x} is sure to {v} {y}",
            "before the decade is out {y} is sure to be {v:part} by {x}",
            "{x} is sure to {v} {y} before the decade is out",
            "{y} is sure to be {v:part} by {x} before the decade is out",
        ),
        _plain(
            "x y:beast v:prey",
            "the tracks suggest that {x:a} {v:past} {y:a} near the waterhole",
            "the tracks suggest that {y:a} was {v:part} by {x:a} near the waterhole",
            "to judge by the tracks, {x:a} {v:past} {y:a} near the waterhole",
            "to judge by the tracks, {y:a} was {v:part} by {x:a} near the waterhole",
        ),
    ),
    "dative": (
        _plain(
            "x y:person g:give z:thing",
            "{x} ought to have {g:part} {y} {z:a} sooner",
            "{x} ought to have {g:part} {z:a} to {y} sooner",
            "{y} ought to have been {g:part} {z:a} by {x} sooner",
            "{z:a} ought to have been {g:part} to {y} by {x} sooner",
        ),
        _plain(
            "x y:person g:allot b:berth",
            "on the first day {x} {g:past} {y} {b:a}",
            "on the first day {x} {g:past} {b:a} to {y}",
            "{y} was {g:part} {b:a} by {x} on the first day",
            "it was {y} to whom {x} {g:past} {b:a} on the first day",
        ),
        _plain(
            "x y:person p:verse",
            "over the telephone {x} read {y} {p}",
            "{x} read {p} to {y} over the telephone",
            "what {x} read to {y} over the telephone was {p}",
            "it was {y} to whom {x} read {p} over the telephone",
        ),
    ),
    "converse": (
        _plain(
            "x y:person",
            "every Tuesday {x} gives {y} a driving lesson",
            "every Tuesday {y} takes a driving lesson from {x}",
            "{x} gives {y} a driving lesson every Tuesday",
            "{y} gets a driving lesson from {x} every Tuesday",
        ),
        _plain(
            "x y:person",
            "in the regiment {x} ranks above {y}",
            "in the regiment {y} ranks below {x}",
            "{x} has a higher rank in the regiment than {y}",
            "{y} has a lower rank in the regiment than {x}",
        ),
        _plain(
            "x y:person",
            "{x} was the predecessor of {y} on the board",
            "{y} was the successor of {x} on the board",
            "on the board {x} was succeeded by {y}",
            "the successor of {x} on the board was {y}",
        ),
    ),
    "control": (
        _plain(
            "x y:person c:chore",
            "to the relief of {y}, {x} volunteered to {c}",
            "{x} volunteered to {c}, to the relief of {y}",
            "{y} was relieved when {x} volunteered to {c}",
            "it was a relief to {y} that {x} volunteered to {c}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} gave {y} orders to {c} by nightfall",
            "{y} was given orders by {x} to {c} by nightfall",
            "{y} had orders from {x} to {c} by nightfall",
            "the orders that {x} gave {y} were to {c} by nightfall",
        ),
        _plain(
            "x y:person c:chore",
            "{x} boasted to {y} of having {c:part} single-handedly",
            "what {x} boasted of to {y} was having {c:part} single-handedly",
            "it was to {y} that {x} boasted of having {c:part} single-handedly",
        ),
    ),
    "raising": (
        _plain(
            "x y:someone m:mood",
            "to {y:'s} mind, {x} tends to be rather {m}",
            "{x}, to {y:'s} mind, tends to be rather {m}",
            "in the eyes of {y}, {x} has a tendency to be rather {m}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} is thought by {y} to be about to {c}",
            "{y} thinks that {x} is about to {c}",
            "{x}, so {y} thinks, is about to {c}",
            "what {y} thinks is that {x} is about to {c}",
        ),
        _plain(
            "x y:person v:deed",
            "{x} is certain to {v} {y} sooner or later",
            "it is certain that {x} will {v} {y} sooner or later",
            "{y} is certain to be {v:part} by {x} sooner or later",
            "it is certain that {y} will be {v:part} by {x} sooner or later",
        ),
    ),
    "tough_movement": (
        _plain(
            "x y:person v:feat",
            "it was no trouble at all for {x} to {v} {y}",
            "{y} was no trouble at all for {x} to {v}",
            "{x} had no trouble at all {v:ing} {y}",
        ),
        _plain(
            "x y:person",
            "{y} is always a joy for {x} to travel with",
            "for {x} it is always a joy to travel with {y}",
            "{x} always finds it a joy to travel with {y}",
            "travelling with {y} is always a joy for {x}",
        ),
        _plain(
            "x y:person v:feat",
            "{x} finds nobody as hard to {v} as {y}",
            "nobody is as hard for {x} to {v} as {y}",
            "the person that {x} finds hardest to {v} is {y}",
            "{y} is the person that {x} finds hardest to {v}",
        ),
    ),
    "secondary_predicate": (
        _plain(
            "x y:person s:state v:deed",
            "still {s}, {x} {v:past} {y} in the hall",
            "{x}, still {s}, {v:past} {y} in the hall",
            "{y} was {v:part} in the hall by {x}, who was still {s}",
        ),
        _plain(
            "p:person a b:cuisine s t:manner",
            "{p} serves {a} {s} and {b} {t} on Fridays",
            "{p} serves {b} {t} and {a} {s} on Fridays",
            "on Fridays {a} is served {s} and {b} {t} by {p}",
            "on Fridays {b} is served {t} and {a} {s} by {p}",
            swap="st",
        ),
        _plain(
            "x y:person s:state",
            "after a long search {x} found {y} {s}",
            "after a long search {y} was found {s} by {x}",
            "the one whom {x} found {s} after a long search was {y}",
            "it was {x} who found {y} {s} after a long search",
        ),
    ),
    "resultative": (
        _plain(
            "x y:person r:result",
            "in next to no time {x} {r:2} {y} {r:3}",
            "in next to no time {y} was {r:2} {r:3} by {x}",
            "it took {x} next to no time to {r:1} {y} {r:3}",
        ),
        _plain(
            "p:person a b:cover s t:tint",
            "for the pageant {p} dyed {a} {s} and {b} {t}",
            "for the pageant {p} dyed {b} {t} and {a} {s}",
            "for the pageant {a} was dyed {s} and {b} {t} by {p}",
            "for the pageant {b} was dyed {t} and {a} {s} by {p}",
            swap="st",
        ),
        _plain(
            "p:person a b:trophy",
            "{p} melted {a:a} down to cast {b:a}",
            "to cast {b:a}, {p} melted {a:a} down",
            "{b:a} was cast by {p} from {a:a} melted down for the purpose",
            "{a:a} was melted down by {p} to cast {b:a}",
            swap="ab",
        ),
    ),
}
