"""Frames of the second blind set about what an adverb, *only*, a quantifier or *not* reaches."""

from pipeline.syntax.frames.frames import Frame, opposed, triples, ways

SCOPE: dict[str, tuple[Frame, ...]] = {
    "adverb_placement": (
        ways(
            "x y:person a b:manner",
            "{x} {a} requested {y} to behave {b} in court",
            "{a}, {x} requested {y} to behave {b} in court",
            "{y} was {a} requested by {x} to behave {b} in court",
            swap="ab",
            adverbial="",
        ),
        triples(
            "x y:person o:seldom m:mood",
            *opposed(
                (
                    "nowadays {x} {o} admits that {y} is {m}",
                    "nowadays it is {o} admitted by {x} that {y} is {m}",
                    "what {x} nowadays {o} admits is that {y} is {m}",
                ),
                (
                    "nowadays {x} admits that {y} is {o} {m}",
                    "nowadays it is admitted by {x} that {y} is {o} {m}",
                    "what {x} nowadays admits is that {y} is {o} {m}",
                ),
            ),
        ),
        ways(
            "x y z:person v u:deed a b:degree",
            "{x} {a} {v:past} {y} and {b} {u:past} {z}",
            "{x} {b} {u:past} {z} and {a} {v:past} {y}",
            "{y} was {a} {v:part} and {z} {b} {u:part} by {x}",
            "{z} was {b} {u:part} and {y} {a} {v:part} by {x}",
            swap="ab",
            adverbial="first",
        ),
    ),
    "focus": (
        triples(
            "x y:person v:deed",
            (
                "just {x} and no one else {v:past} {y}",
                "{y} was {v:part} by just {x} and no one else",
                "just {y} and no one else was {v:part} by {x}",
            ),
            (
                "{x} {v:past} just {y} and no one else",
                "just {y} and no one else was {v:part} by {x}",
                "{y} was {v:part} by just {x} and no one else",
            ),
            (
                "{y} was {v:part} by just {x} and no one else",
                "just {x} and no one else {v:past} {y}",
                "{x} {v:past} just {y} and no one else",
            ),
            (
                "just {y} and no one else was {v:part} by {x}",
                "{x} {v:past} just {y} and no one else",
                "just {x} and no one else {v:past} {y}",
            ),
            adverbial="first",
        ),
        triples(
            "x y:person v:deed",
            (
                "in the meantime even {x} has {v:part} {y}",
                "in the meantime {y} has been {v:part} even by {x}",
                "in the meantime even {y} has been {v:part} by {x}",
            ),
            (
                "in the meantime {x} has {v:part} even {y}",
                "in the meantime even {y} has been {v:part} by {x}",
                "in the meantime {y} has been {v:part} even by {x}",
            ),
            (
                "in the meantime {y} has been {v:part} even by {x}",
                "even {x} has {v:part} {y} in the meantime",
                "{x} has {v:part} even {y} in the meantime",
            ),
        ),
        triples(
            "x y:person v:deed",
            (
                "{x} was the only person that {v:past} {y}",
                "the only person that {v:past} {y} was {x}",
                "the only person that {x} {v:past} was {y}",
            ),
            (
                "{y} was the only person that {x} {v:past}",
                "the only person that {x} {v:past} was {y}",
                "the only person that {v:past} {y} was {x}",
            ),
            adverbial="first",
        ),
    ),
    "quantifier": (
        ways(
            "x y:role q:trait",
            "most of {x:thepl} {q}, but hardly any of {y:thepl} did",
            "hardly any of {y:thepl} {q}, but most of {x:thepl} did",
            "although most of {x:thepl} {q}, hardly any of {y:thepl} did",
            adverbial="",
        ),
        ways(
            "x y:role v:deed",
            "the very same {x:n} has by now {v:part} each {y:n}",
            "each {y:n} has by now been {v:part} by the very same {x:n}",
            "by now the very same {x:n} has {v:part} each {y:n}",
            "by now each {y:n} has been {v:part} by the very same {x:n}",
            adverbial="",
        ),
        ways(
            "x y:role a:measure",
            "more than half of {x:thepl} and fewer than half of {y:thepl} voted against {a}",
            "fewer than half of {y:thepl} and more than half of {x:thepl} voted against {a}",
            "those who voted against {a} were more than half of {x:thepl} and fewer than half of {y:thepl}",
            adverbial="",
        ),
        ways(
            "x y:role q:trait",
            "not every {x:n} {q}, but every {y:n} did",
            "every {y:n} {q}, but not every {x:n} did",
            "although every {y:n} {q}, not every {x:n} did",
            adverbial="",
        ),
        ways(
            "x y:role v:deed",
            "last month each {x:n} {v:past} a different {y:n}",
            "last month a different {y:n} was {v:part} by each {x:n}",
            "each {x:n} {v:past} a different {y:n} last month",
            "a different {y:n} was {v:part} by each {x:n} last month",
            adverbial="",
        ),
    ),
    "negation_scope": (
        triples(
            "x y:person m:mood",
            *opposed(
                (
                    "{x} could not prove that {y} was {m} at the time",
                    "it could not be proved by {x} that {y} was {m} at the time",
                    "what {x} could not prove was that {y} was {m} at the time",
                ),
                (
                    "{x} could prove that {y} was not {m} at the time",
                    "it could be proved by {x} that {y} was not {m} at the time",
                    "what {x} could prove was that {y} was not {m} at the time",
                ),
            ),
        ),
        triples(
            "x y:person u:urge c:chore",
            *opposed(
                (
                    "{x} had not {u:part} {y} to {c}",
                    "{y} had not been {u:part} by {x} to {c}",
                ),
                (
                    "{x} had {u:part} {y} not to {c}",
                    "{y} had been {u:part} by {x} not to {c}",
                ),
            ),
        ),
        ways(
            "x y z:person v:deed",
            "so far {x} has {v:part} {y} but not {z}",
            "so far {y} but not {z} has been {v:part} by {x}",
            "so far {z} has not been {v:part} by {x} but {y} has",
            "so far {x} has not {v:part} {z} but has {v:part} {y}",
            swap="yz",
            adverbial="",
        ),
        triples(
            "x:role y:person v:deed h:happening",
            *opposed(
                (
                    "{y} has {v:part} the {x:n} who had not {h:part}",
                    "the {x:n} who had not {h:part} has been {v:part} by {y}",
                ),
                (
                    "{y} has not {v:part} the {x:n} who had {h:part}",
                    "the {x:n} who had {h:part} has not been {v:part} by {y}",
                ),
            ),
        ),
    ),
}
