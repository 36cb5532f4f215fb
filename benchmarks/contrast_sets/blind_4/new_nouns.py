"""Frames of the fourth blind set for phenomena that no set before has: nouns, pronouns and address."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_NOUNS: dict[str, tuple[Frame, ...]] = {
    "kinship": (
        _plain(
            "x y:woman k:mother",
            "as everybody knows, {x} is {y:'s} {k:1}",
            "as everybody knows, {y} is {x:'s} {k:2}",
            "as everybody knows, {x} is the {k:1} of {y}",
            "as everybody knows, {y} is the {k:2} of {x}",
        ),
        _plain(
            "x y:man k:father",
            "the register lists {x} as {y:'s} {k:1}",
            "the register lists {y} as {x:'s} {k:2}",
            "the register lists {x} as the {k:1} of {y}",
            "the register lists {y} as the {k:2} of {x}",
        ),
        _plain(
            "x y:name",
            "as the letters prove, {x:'s} father is the grandfather of {y}",
            "as the letters prove, {y:'s} grandfather is the father of {x}",
            "as the letters prove, {y} is a grandchild of {x:'s} father",
        ),
    ),
    "agent_noun": (
        _plain(
            "x y:someone a:agent",
            "history remembers {x} as {y:'s} {a:1}",
            "history remembers {x} as the one who {a:2} {y}",
            "history remembers {x} as the {a:1} of {y}",
            "history remembers {x} as the one by whom {y} was {a:2}",
        ),
        _plain(
            "x y:person a:agent",
            "in the sketch {x} plays the {a:1} and {y} the one who is {a:2}",
            "in the sketch {y} plays the one who is {a:2} and {x} the {a:1}",
            "in the sketch {y} is {a:2} by {x}",
            "in the sketch the {a:1} is {x} and the one who is {a:2} {y}",
        ),
        _plain(
            "x y:person h:backer",
            "for years {x} has been {h:a} of {y}",
            "for years {y} has had {h:a} in {x}",
            "in {x}, {y} has had {h:a} for years",
            "{x} has for years been {h:a} of {y}",
        ),
    ),
    "picture_noun": (
        _plain(
            "x y:someone n:likeness",
            "{x:'s} {n} of {y} hangs in the town hall",
            "the {n} of {y} by {x} hangs in the town hall",
            "in the town hall hangs {x:'s} {n} of {y}",
            "in the town hall hangs the {n} of {y} by {x}",
        ),
        _plain(
            "x y:person w:work",
            "this year {x} has written {w} about {y}",
            "this year {w} about {y} has been written by {x}",
            "{y} is the subject of {w} that {x} has written this year",
            "{w} that {x} has written this year is about {y}",
        ),
        _plain(
            "p:person x y:someone",
            "at the auction {p} bought {x:'s} bust of {y}",
            "at the auction {p} bought the bust of {y} by {x}",
            "the bust that {p} bought at the auction was one of {y} by {x}",
            "the bust that {p} bought at the auction was by {x} and showed {y}",
        ),
    ),
    "pronoun": (
        _plain(
            "f:woman m:man v u:deed",
            "after {f} had {v:part} {m}, he {u:past} her",
            "{m} {u:past} {f} after she had {v:part} him",
            "{f} {v:past} {m}, and afterwards he {u:past} her",
            "{f} was {u:part} by {m} after she had {v:part} him",
            swap="vu",
        ),
        _plain(
            "m:man f:woman v u:deed",
            "as soon as {m} {v:past} {f}, she {u:past} him",
            "{f} {u:past} {m} as soon as he {v:past} her",
            "the moment {m} {v:past} {f}, she {u:past} him",
            "{m} was {u:part} by {f} as soon as he {v:past} her",
            swap="vu",
        ),
        _plain(
            "f:woman m:man k l:kin",
            "{f} took her {k:n} to the opera, and {m} took his {l:n}",
            "{m} took his {l:n} to the opera, and {f} took her {k:n}",
            "{f:'s} {k:n} went to the opera with her, and {m:'s} {l:n} with him",
            "{m:'s} {l:n} went to the opera with him, and {f:'s} {k:n} with her",
            swap="kl",
        ),
    ),
    "vocative": (
        _plain(
            "x y:name t:thing",
            "{x}, please pass {y} the {t:n} when you can",
            "please pass the {t:n} to {y} when you can, {x}",
            "when you can, {x}, please pass {y} the {t:n}",
            "please pass {y} the {t:n}, {x}, when you can",
        ),
        _plain(
            "x y:name",
            "{x}, it is you that {y} is waiting for outside",
            "{y} is waiting for you outside, {x}",
            "the one that {y} is waiting for outside, {x}, is you",
            "outside, {x}, {y} is waiting for you",
        ),
        _plain(
            "x y:name",
            "have you heard, {x}, what {y} said about you?",
            "{x}, have you heard what {y} said about you?",
            "have you heard what was said about you by {y}, {x}?",
        ),
    ),
    "imperative": (
        _plain(
            "x y:person v:deed",
            "do not let {x} {v} {y} under any circumstances",
            "do not let {y} be {v:part} by {x} under any circumstances",
            "under no circumstances let {x} {v} {y}",
            "under no circumstances let {y} be {v:part} by {x}",
        ),
        _plain(
            "x y:person v:deed",
            "see to it that {x} does not {v} {y} again",
            "see to it that {y} is not {v:part} by {x} again",
            "make sure that {x} does not {v} {y} again",
            "make sure that {y} is not {v:part} by {x} again",
        ),
        _plain(
            "x y:person c:chore",
            "please ask {x} whether {y} has {c:part}",
            "please find out from {x} whether {y} has {c:part}",
            "to find out whether {y} has {c:part}, please ask {x}",
        ),
    ),
    "gerund_subject": (
        _plain(
            "x y:someone c:chore",
            "on the spot {x} accused {y} of {c:ing}",
            "on the spot {y} was accused by {x} of {c:ing}",
            "on the spot {x} made the accusation that {y} had {c:part}",
        ),
        _plain(
            "x y:someone c:chore",
            "without delay {x} apologised to {y} for {c:ing}",
            "without delay {y} received an apology from {x} for {c:ing}",
            "for {c:ing}, {x} apologised to {y} without delay",
            "without delay {x} offered {y} an apology for {c:ing}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} thanked {y} that evening for {c:ing}",
            "{y} was thanked by {x} that evening for {c:ing}",
            "that evening {x} thanked {y}, who had {c:part}",
            "for {c:ing}, {y} was thanked that evening by {x}",
        ),
    ),
}
