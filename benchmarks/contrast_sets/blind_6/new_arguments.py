"""Frames of the sixth blind set for phenomena that no set before has: what passes between persons."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_ARGUMENTS: dict[str, tuple[Frame, ...]] = {
    "transmission": (
        _plain(
            "x y:person d:disease",
            "at the conference {x} caught {d} from {y}",
            "at the conference {x} was infected with {d} by {y}",
            "at the conference {y} passed {d} on to {x}",
            "{y} infected {x} with {d} at the conference",
        ),
        _plain(
            "x y:person h:habit",
            "it was from {y} that {x} picked up the habit of {h}",
            "{x} picked up the habit of {h} from {y}",
            "it was {y} who passed the habit of {h} on to {x}",
            "{y} passed the habit of {h} on to {x}",
        ),
        _plain(
            "c d:city m:disease",
            "starting in {c}, the outbreak of {m} reached {d} within a fortnight",
            "within a fortnight the outbreak of {m} had spread from {c} to {d}",
            "the outbreak of {m} reached {d} within a fortnight of its start in {c}",
            "within a fortnight of its start in {c}, the outbreak of {m} reached {d}",
            swap="cd",
        ),
    ),
    "proxy": (
        _plain(
            "x y:person",
            "{x} signed the treaty on behalf of {y}",
            "acting on behalf of {y}, {x} signed the treaty",
            "{y} was represented by {x} at the signing of the treaty",
            "at the signing of the treaty {x} represented {y}",
        ),
        _plain(
            "x y:person",
            "{x} stood in for {y}, who was abroad, and collected the prize",
            "since {y} was abroad, {x} collected the prize as a stand-in",
            "the prize was collected by {x}, standing in for {y}, who was abroad",
            "standing in for {y}, who was abroad, {x} collected the prize",
        ),
        _plain(
            "x y:person",
            "last week {x} put in a good word for {y} with the boss",
            "last week {y} was recommended to the boss by {x}",
            "last week {x} recommended {y} to the boss",
        ),
    ),
    "gratitude": (
        _plain(
            "x y:person c:chore",
            "in a short speech {x} thanked {y} for {c:ing}",
            "in a short speech {y} was thanked by {x} for {c:ing}",
            "{x} thanked {y} in a short speech for {c:ing}",
            "{y} was thanked in a short speech by {x} for {c:ing}",
        ),
        _plain(
            "x y:person c:city",
            "{x} has {y} to thank for the new job in {c}",
            "thanks to {y}, {x} has a new job in {c}",
            "it is thanks to {y} that {x} has a new job in {c}",
            "{x} has a new job in {c} thanks to {y}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} sent {y} flowers as a thank-you for having {c:part}",
            "{y} got flowers from {x} as a thank-you for having {c:part}",
            "as a thank-you for having {c:part}, {y} was sent flowers by {x}",
            "as a thank-you for having {c:part}, {y} got flowers from {x}",
        ),
    ),
    "embedded_passive": (
        _plain(
            "x:name y z:person v:blow",
            "{x} did not want {y} to be {v:part} by {z} again",
            "{x} did not want {z} to {v} {y} again",
            "what {x} did not want was for {y} to be {v:part} by {z} again",
            "what {x} did not want was for {z} to {v} {y} again",
            swap="yz",
        ),
        _plain(
            "x:name y z:person v:blow",
            "{x} would hate it if {z} {v:past} {y}",
            "{x} would hate it if {y} were {v:part} by {z}",
            "{x} would hate {z} to {v} {y}",
            "{x} would hate {y} to be {v:part} by {z}",
            swap="yz",
        ),
        _plain(
            "x:name y z:person v:deed",
            "{x} can still remember {y} being {v:part} by {z} at school",
            "{x} can still remember {z} {v:ing} {y} at school",
            "{x} can still remember how {y} was {v:part} by {z} at school",
            "{x} can still remember how {z} {v:past} {y} at school",
            swap="yz",
        ),
    ),
    "between": (
        _plain(
            "x y z:name",
            "at dinner {x} sat between {y} and {z}",
            "at dinner {y} and {z} sat on either side of {x}",
            "at dinner {x} had {z} on one side and {y} on the other",
            "on either side of {x} at dinner sat {z} and {y}",
        ),
        _plain(
            "c d e:town",
            "on the coastal railway {c} lies between {d} and {e}",
            "on the coastal railway {d} and {e} lie on either side of {c}",
            "between {e} and {d} on the coastal railway lies {c}",
            "on either side of {c} on the coastal railway lie {e} and {d}",
            swap="cd",
        ),
        _plain(
            "e f g:event",
            "the {e:n} took place after the {f:n} but before the {g:n}",
            "the {f:n} took place first, then the {e:n}, and then the {g:n}",
            "the {f:n} took place before the {e:n} and the {g:n} after it",
            "the {e:n} took place before the {g:n} but after the {f:n}",
            swap="ef",
        ),
    ),
    "inheritance": (
        _plain(
            "x y:person h:estate",
            "in a will signed shortly before the war, {x} left {h} to {y}",
            "in a will signed shortly before the war, {y} was left {h} by {x}",
            "{x} left {h} to {y} in a will signed shortly before the war",
            "{y} was left {h} by {x} in a will signed shortly before the war",
        ),
        _plain(
            "x y:name",
            "{x} clearly gets that terrible temper from {y}",
            "it is clearly from {y} that {x} gets that terrible temper",
            "it is clearly {y} who passed that terrible temper on to {x}",
            "{y} clearly passed that terrible temper on to {x}",
        ),
        _plain(
            "x y:person",
            "to the anger of the family, {x} named {y} as sole heir",
            "to the anger of the family, {y} was named as sole heir by {x}",
            "{x} named {y} as sole heir, to the anger of the family",
            "{y} was named as sole heir by {x}, to the anger of the family",
        ),
    ),
    "hearsay": (
        _plain(
            "x y:person n:news",
            "{x} was told by {y} that {n}",
            "{y} told {x} that {n}",
            "it was from {y} that {x} learned that {n}",
            "{x} learned from {y} that {n}",
        ),
        _plain(
            "x y:person n:news",
            "on the bus {x} overheard {y} telling a friend that {n}",
            "{y} told a friend on the bus that {n} and was overheard by {x}",
            "on the bus {y}, overheard by {x}, told a friend that {n}",
            "overheard by {x}, {y} told a friend on the bus that {n}",
        ),
        _plain(
            "x y:person n:news",
            "{x} knew that {n} because {y} had said so",
            "because {y} had said so, {x} knew that {n}",
            "it was because {y} had said so that {x} knew that {n}",
        ),
    ),
}
