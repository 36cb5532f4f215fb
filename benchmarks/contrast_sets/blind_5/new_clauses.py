"""Frames of the fifth blind set for phenomena that no set before has: relatives, ellipsis, order, degree."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "genitive_relative": (
        _plain(
            "p:name a b:role k:kin v:deed",
            "{p} lives next door to the {a:n} whose {k:n} {v:past} the {b:n}",
            "{p} lives next door to the {a:n} by whose {k:n} the {b:n} was {v:part}",
            "the {a:n} whose {k:n} {v:past} the {b:n} lives next door to {p}",
            "next door to {p} lives the {a:n} whose {k:n} {v:past} the {b:n}",
            swap="ab",
        ),
        _plain(
            "a b:role t:thing",
            "the {a:n} whose {t:n} the {b:n} stole has left town",
            "the {a:n} whose {t:n} was stolen by the {b:n} has left town",
            "the {a:n} has left town whose {t:n} the {b:n} stole",
            "the {b:n} stole {t:a} whose owner, the {a:n}, has left town",
            swap="ab",
        ),
        _plain(
            "x y:person k:kin",
            "{x}, whose {k:n} employs {y}, collects old stamps",
            "{x}, by whose {k:n} {y} is employed, collects old stamps",
            "old stamps are collected by {x}, whose {k:n} employs {y}",
            "old stamps are collected by {x}, by whose {k:n} {y} is employed",
        ),
    ),
    "stripping": (
        _plain(
            "p:person s t:language",
            "as far as anyone can tell, {p} speaks {s} but not {t}",
            "as far as anyone can tell, {p} does not speak {t} but does speak {s}",
            "{p}, as far as anyone can tell, speaks {s} but not {t}",
            "it is {s} and not {t}, as far as anyone can tell, that {p} speaks",
            swap="st",
        ),
        _plain(
            "x y:person",
            "so far {x} has resigned in protest, but not {y}",
            "so far {x}, but not {y}, has resigned in protest",
            "so far {x}, unlike {y}, has resigned in protest",
            "unlike {y}, {x} has resigned in protest so far",
        ),
        _plain(
            "x y z:person",
            "at weddings {x} dances with {y}, but never with {z}",
            "at weddings {x} never dances with {z}, but does with {y}",
            "{x} dances with {y} at weddings, but never with {z}",
            "at weddings {x}, who never dances with {z}, does dance with {y}",
            swap="yz",
        ),
    ),
    "negative_inversion": (
        _plain(
            "x y:person v:deed",
            "not once did {x} {v} {y} during the voyage",
            "not once was {y} {v:part} by {x} during the voyage",
            "during the voyage {x} did not {v} {y} even once",
            "during the voyage {y} was not {v:part} by {x} even once",
        ),
        _plain(
            "x y:person c:chore",
            "seldom does {x} {c} without the help of {y}",
            "{x} seldom {c:s} without the help of {y}",
            "without the help of {y}, {x} seldom {c:s}",
            "seldom without the help of {y} does {x} {c}",
        ),
        _plain(
            "x y:person",
            "nowhere in the memoirs does {x} mention {y}",
            "nowhere in the memoirs of {x} is {y} mentioned",
            "nowhere does {x} mention {y} in the memoirs",
            "{x} mentions {y} nowhere in the memoirs",
        ),
        _plain(
            "x y:person",
            "only with {y} would {x} discuss the will",
            "{x} would discuss the will only with {y}",
            "{x} would discuss the will with nobody but {y}",
            "with nobody but {y} would {x} discuss the will",
        ),
    ),
    "absolute_construction": (
        _plain(
            "x y:person c:chore",
            "with {x} away on leave, it fell to {y} to {c}",
            "{x} being away on leave, {y} had to {c}",
            "since {x} was away on leave, {y} had to {c}",
            "it fell to {y} to {c}, {x} being away on leave",
        ),
        _plain(
            "x y:person c:chore",
            "with {x} watching from the doorway, {y} {c:past}",
            "{x} watched from the doorway while {y} {c:past}",
            "watched from the doorway by {x}, {y} {c:past}",
            "{y} {c:past}, watched from the doorway by {x}",
        ),
        _plain(
            "x y:person",
            "with {x} at the wheel and {y} in the back, they drove off",
            "they set off, {x} driving and {y} in the back",
            "they drove off, {y} sitting in the back and {x} at the wheel",
            "with {y} sitting in the back and {x} driving, they set off",
        ),
    ),
    "sentential_relative": (
        _plain(
            "x y:person c:chore v:irk",
            "{x} {c:past} all alone, which {v:past} {y}",
            "the fact that {x} {c:past} all alone {v:past} {y}",
            "{y} was {v:part} by the fact that {x} {c:past} all alone",
            "{x} {c:past} all alone, by which {y} was {v:part}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} has {c:part}, of which {y} is unaware",
            "{y} is unaware that {x} has {c:part}",
            "unknown to {y}, {x} has {c:part}",
            "that {x} has {c:part} is unknown to {y}",
        ),
        _plain(
            "x y:someone c:chore",
            "{x} refused to {c}, as a result of which {y} lost a bet",
            "{y} lost a bet as a result of {x:'s} refusal to {c}",
            "{x} refused to {c}, and as a result {y} lost a bet",
            "the refusal of {x} to {c} resulted in {y} losing a bet",
        ),
    ),
    "degree_clause": (
        _plain(
            "a b:box",
            "{a} is too big to fit into {b}",
            "{b} is too small for {a} to fit into",
            "{a} is so big that it does not fit into {b}",
            "{b} is so small that {a} does not fit into it",
            swap="ab",
        ),
        _plain(
            "x y:person",
            "{x} is too proud to ask {y} for help",
            "{y} will not be asked for help by {x}, who is too proud",
            "out of pride {x} refuses to ask {y} for help",
            "{x} refuses, out of pride, to ask {y} for help",
        ),
        _plain(
            "x y:person",
            "{x} spoke so softly that {y} could not hear a word",
            "{x} spoke too softly for {y} to hear a word",
            "so softly did {x} speak that {y} could not hear a word",
            "{y} could not hear a word because {x} spoke too softly",
        ),
    ),
    "multiplicative_comparison": (
        _plain(
            "x y:person",
            "before tax {x} earns twice as much as {y}",
            "before tax {y} earns half as much as {x}",
            "before tax {x} earns double what {y} earns",
            "before tax {y} earns half of what {x} earns",
        ),
        _plain(
            "a b:thing",
            "in this shop {a} costs three times as much as {b}",
            "in this shop {b} costs a third as much as {a}",
            "in this shop the price of {b} is a third of that of {a}",
            "in this shop the price of {a} is three times that of {b}",
            swap="ab",
        ),
        _plain(
            "x y:person c:chore",
            "it takes {x} four times as long as {y} to {c}",
            "{x} needs four times as long as {y} to {c}",
            "{y} needs a quarter of the time that {x} needs to {c}",
            "it takes {y} a quarter of the time that {x} needs to {c}",
        ),
    ),
}
