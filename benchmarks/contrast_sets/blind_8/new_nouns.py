"""Frames of the eighth blind set for phenomena that no set before has: owners, places, ages and names."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_NOUNS: dict[str, tuple[Frame, ...]] = {
    "former_owner": (
        _plain(
            "x y:person t:thing",
            "{x} now owns the {t:n} that used to belong to {y}",
            "{y} used to own the {t:n} that now belongs to {x}",
            "the {t:n} that now belongs to {x} used to belong to {y}",
            "the {t:n} that used to belong to {y} now belongs to {x}",
        ),
        _plain(
            "x y:someone",
            "before {x} bought the farm, it was {y:'s}",
            "the farm was {y:'s} before {x} bought it",
            "the farm that {x} bought had been {y:'s}",
            "{x} bought the farm that had been {y:'s}",
        ),
        _plain(
            "x y:person",
            "last year {y} owned the shop, but now {x} does",
            "{x} owns the shop now, but last year {y} did",
            "now the shop is owned by {x}, but last year it was owned by {y}",
            "last year the shop was owned by {y}, but now it is owned by {x}",
        ),
    ),
    "floors": (
        _plain(
            "x y:person",
            "{x} lives three floors above {y}",
            "{y} lives three floors below {x}",
            "the flat of {x} is three floors above that of {y}",
            "the flat of {y} is three floors below that of {x}",
        ),
        _plain(
            "x y:person",
            "{x} works on the ground floor and {y} on the top floor",
            "{y} works on the top floor and {x} on the ground floor",
            "on the ground floor works {x} and on the top floor {y}",
            "on the top floor works {y} and on the ground floor {x}",
        ),
        _plain(
            "x y:person",
            "{x} got out of the lift on the fourth floor and {y} on the ninth",
            "{y} got out of the lift on the ninth floor and {x} on the fourth",
            "on the fourth floor {x} got out of the lift, and on the ninth {y} did",
            "on the ninth floor {y} got out of the lift, and on the fourth {x} did",
        ),
    ),
    "arrival_order": (
        _plain(
            "x y z:name",
            "first came {x}, then {y} and last of all {z}",
            "{x} came first, {z} last of all and {y} in between",
            "the first to come was {x}, the second {y} and the last of all {z}",
            "{z} came last of all, {y} second and {x} first",
        ),
        _plain(
            "x y:person",
            "when {y} reached the mountain hut, {x} was already there",
            "{x} was already there when {y} reached the mountain hut",
            "{x} reached the mountain hut sooner than {y}",
            "{y} reached the mountain hut later than {x}",
        ),
        _plain(
            "x y:someone",
            "the parcel from {x} arrived a day before the one from {y}",
            "the parcel from {y} arrived a day after the one from {x}",
            "{x:'s} parcel arrived a day before {y:'s}",
            "{y:'s} parcel arrived a day after {x:'s}",
        ),
    ),
    "opposite_trends": (
        _plain(
            "a b:commodity",
            "in the past few months the price of {a} has risen, whereas that of {b} has fallen",
            "in the past few months the price of {b} has fallen, whereas that of {a} has risen",
            "while the price of {a} has risen in the past few months, that of {b} has fallen",
            "while the price of {b} has fallen in the past few months, that of {a} has risen",
            swap="ab",
        ),
        _plain(
            "c d:town",
            "year after year {c} gains inhabitants and {d} loses them",
            "year after year {d} loses inhabitants and {c} gains them",
            "year after year the number of inhabitants goes up in {c} and down in {d}",
            "year after year the number of inhabitants goes down in {d} and up in {c}",
            swap="cd",
        ),
        _plain(
            "x y:person",
            "{x} has gone up in the polls and {y} has gone down",
            "{y} has gone down in the polls and {x} has gone up",
            "in the polls {x} has gone up and {y} down",
            "in the polls {y} has gone down and {x} up",
        ),
    ),
    "age_at_event": (
        _plain(
            "x y:name n:age",
            "{x} was {n} years old when {y} was born",
            "when {y} was born, {x} was {n} years old",
            "at the birth of {y}, {x} was {n} years old",
            "{x} was {n} years old at the birth of {y}",
        ),
        _plain(
            "x y:name n m:age",
            "{x} married at the age of {n} and {y} at the age of {m}",
            "{y} married at the age of {m} and {x} at the age of {n}",
            "at the age of {n}, {x} married, and at the age of {m}, {y} did",
            "at the age of {m}, {y} married, and at the age of {n}, {x} did",
            swap="nm",
        ),
        _plain(
            "x y:person",
            "{x} was still at school when {y} retired",
            "when {y} retired, {x} was still at school",
            "at the time of the retirement of {y}, {x} was still at school",
            "{x} was still at school at the time of the retirement of {y}",
        ),
    ),
    "marriages": (
        _plain(
            "x:woman y z:man",
            "after divorcing {y}, {x} married {z}",
            "{x} married {z} after divorcing {y}",
            "{x} divorced {y} before marrying {z}",
            "before marrying {z}, {x} divorced {y}",
            swap="yz",
        ),
        _plain(
            "x y:man z:woman",
            "a month before the wedding {z} left {x} for {y}",
            "a month before the wedding {x} was left by {z} for {y}",
            "a month before the wedding {x} lost {z} to {y}",
            "it was {y} for whom {z} left {x} a month before the wedding",
        ),
        _plain(
            "x y:woman",
            "{x} is engaged to a man who used to be married to {y}",
            "the man to whom {x} is engaged used to be married to {y}",
            "{y} used to be married to the man to whom {x} is engaged",
            "the man to whom {y} used to be married is engaged to {x}",
        ),
    ),
    "pseudonym": (
        _plain(
            "x y:man",
            "under the name of {y}, {x} wrote thrillers",
            "the name that {x} used as a writer of thrillers was {y}",
            "thrillers were written by {x} under the name of {y}",
            "{y} was the name that {x} used as a writer of thrillers",
        ),
        _plain(
            "x y:woman",
            "the singer known to the public as {x} is really called {y}",
            "{y} is the real name of the singer known to the public as {x}",
            "the real name of the singer whom the public knows as {x} is {y}",
            "the singer whose real name is {y} is known to the public as {x}",
        ),
        _plain(
            "x y:man",
            "at the hotel {x} went by the name of {y}",
            "{y} was the name used by {x} at the hotel",
            "the name that {x} used at the hotel was {y}",
            "{y} was the name by which {x} went at the hotel",
        ),
    ),
    "foreign_trade": (
        _plain(
            "c d:land g:commodity",
            "large amounts of {g} are exported from {c} to {d}",
            "large amounts of {g} are imported by {d} from {c}",
            "{c} exports large amounts of {g} to {d}",
            "{d} imports large amounts of {g} from {c}",
            swap="cd",
        ),
        _plain(
            "c d:land g h:commodity",
            "{c} sends {g} to {d} and gets {h} in return",
            "{d} sends {h} to {c} and gets {g} in return",
            "in return for {h}, {c} sends {g} to {d}",
            "in return for {g}, {d} sends {h} to {c}",
            swap="gh",
        ),
        _plain(
            "c d:land g:commodity",
            "in the last decade {c} has overtaken {d} as the largest producer of {g}",
            "in the last decade {d} has been overtaken by {c} as the largest producer of {g}",
            "as the largest producer of {g}, {c} has overtaken {d} in the last decade",
            "as the largest producer of {g}, {d} has been overtaken by {c} in the last decade",
            swap="cd",
        ),
    ),
}
