"""Frames of the blind set about what goes with what: conjuncts, modifiers, and the scope of operators."""

from pipeline.syntax.frames.frames import Frame, opposed, triples, ways

_NOT_SAID = (
    "{x} has not said that {y} is {m}",
    "it has not been said by {x} that {y} is {m}",
    "what {x} has not said is that {y} is {m}",
)
_SAID_NOT = (
    "{x} has said that {y} is not {m}",
    "it has been said by {x} that {y} is not {m}",
    "what {x} has said is that {y} is not {m}",
)


BINDING: dict[str, tuple[Frame, ...]] = {
    "coordination": (
        triples(
            "x y z:person v:deed",
            ("{x} and {y} {v:past} {z}", "{y} and {x} {v:past} {z}", "{x} and {z} {v:past} {y}"),
            (
                "{x} and {y} {v:past} {z}",
                "{z} was {v:part} by {x} and {y}",
                "{y} was {v:part} by {x} and {z}",
            ),
            ("{z} was {v:part} by {x} and {y}", "{y} and {x} {v:past} {z}", "{z} and {x} {v:past} {y}"),
            ("{x} {v:past} {y} and {z}", "{x} {v:past} {z} and {y}", "{y} {v:past} {x} and {z}"),
            adverbial="moves",
        ),
        ways(
            "x y:person h k:happening",
            "{x} {h:past} in the same week as {y} {k:past}",
            "{y} {k:past} in the same week as {x} {h:past}",
            "in the same week {x} {h:past} and {y} {k:past}",
            "in the same week {y} {k:past} and {x} {h:past}",
            swap="hk",
            adverbial="",
        ),
    ),
    "gapping": (
        ways(
            "x y:person d e:dish",
            "{x} ordered {d} and {y} {e}",
            "{y} ordered {e} and {x} {d}",
            "{x} ordered {d} and {y} ordered {e}",
            "{d} was ordered by {x} and {e} by {y}",
            swap="de",
            adverbial="first",
        ),
        ways(
            "x y:person c d:city t:day",
            "{t}, {x} flew to {c} and {y} to {d}",
            "{t}, {y} flew to {d} and {x} to {c}",
            "{t}, {x} flew to {c} and {y} flew to {d}",
            swap="cd",
            adverbial="",
        ),
        ways(
            "x y z:person v:attitude",
            "{x} {v:s} {y} more than {z} does",
            "{z} {v:s} {y} less than {x} does",
            "{y} is {v:part} more by {x} than by {z}",
            "{y} is {v:part} less by {z} than by {x}",
            swap="xz",
            adverbial="",
        ),
    ),
    "attachment": (
        triples(
            "x y:role v:deed o:origin",
            ("{x} {o} {v:past} {y}", "{y} was {v:part} by {x} {o}", "{y} {o} was {v:part} by {x}"),
            ("{x} {v:past} {y} {o}", "{y} {o} was {v:part} by {x}", "{y} was {v:part} by {x} {o}"),
            ("{y} {o} was {v:part} by {x}", "{x} {v:past} {y} {o}", "{x} {o} {v:past} {y}"),
            ("it was {x} {o} who {v:past} {y}", "{x} {o} {v:past} {y}", "{x} {v:past} {y} {o}"),
        ),
        triples(
            "x y:person d:day h:happening",
            (
                "{x} said {d} that {y} had {h:part}",
                "{d}, {x} said that {y} had {h:part}",
                "{x} said that {d} {y} had {h:part}",
            ),
            (
                "{x} said that {d} {y} had {h:part}",
                "what {x} said was that {d} {y} had {h:part}",
                "what {x} said {d} was that {y} had {h:part}",
            ),
            (
                "{d}, {x} said that {y} had {h:part}",
                "what {x} said {d} was that {y} had {h:part}",
                "what {x} said was that {d} {y} had {h:part}",
            ),
        ),
    ),
    "adverb_placement": (
        triples(
            "x y:person o:often m:temper",
            ("{x} {o} says that {y} is {m}", "{o}, {x} says that {y} is {m}", "{x} says that {o} {y} is {m}"),
            ("{x} says that {y} is {o} {m}", "{x} says that {o} {y} is {m}", "{o}, {x} says that {y} is {m}"),
            (
                "{x} {o} says that {y} is {m}",
                "what {x} {o} says is that {y} is {m}",
                "what {x} says is that {y} is {o} {m}",
            ),
            (
                "{x} says that {y} is {o} {m}",
                "what {x} says is that {y} is {o} {m}",
                "what {x} {o} says is that {y} is {m}",
            ),
        ),
        ways(
            "x y:person a b:manner v u:handle z w:item",
            "{x} {a} {v:past} {z} while {y} {b} {u:past} {w}",
            "{y} {b} {u:past} {w} while {x} {a} {v:past} {z}",
            "while {y} {b} {u:past} {w}, {x} {a} {v:past} {z}",
            "{z} was {a} {v:part} by {x} while {y} {b} {u:past} {w}",
            swap="ab",
            adverbial="",
        ),
    ),
    "focus": (
        triples(
            "x y:person v:deed",
            ("only {x} {v:past} {y}", "{y} was {v:part} only by {x}", "only {y} was {v:part} by {x}"),
            ("{x} {v:past} only {y}", "only {y} was {v:part} by {x}", "{y} was {v:part} only by {x}"),
            ("{y} was {v:part} only by {x}", "only {x} {v:past} {y}", "{x} {v:past} only {y}"),
            ("only {y} was {v:part} by {x}", "{x} {v:past} only {y}", "only {x} {v:past} {y}"),
            adverbial="first",
        ),
        triples(
            "x y:person v:deed",
            (
                "nobody but {x} {v:past} {y}",
                "{y} was {v:part} by nobody but {x}",
                "nobody but {y} was {v:part} by {x}",
            ),
            (
                "{x} {v:past} nobody but {y}",
                "nobody but {y} was {v:part} by {x}",
                "{y} was {v:part} by nobody but {x}",
            ),
            (
                "nobody but {y} was {v:part} by {x}",
                "{x} {v:past} nobody but {y}",
                "nobody but {x} {v:past} {y}",
            ),
            (
                "{y} was {v:part} by nobody but {x}",
                "nobody but {x} {v:past} {y}",
                "{x} {v:past} nobody but {y}",
            ),
            adverbial="first",
        ),
    ),
    "quantifier": (
        ways(
            "x y:role m:state",
            "all of {x:thepl} but only some of {y:thepl} were {m}",
            "only some of {y:thepl} but all of {x:thepl} were {m}",
            "all of {x:thepl} were {m}, but only some of {y:thepl} were",
            "only some of {y:thepl} were {m}, but all of {x:thepl} were",
            adverbial="first",
        ),
        ways(
            "x y:role p:name v:deed",
            "every {x:n} {v:past} {p}, but no {y:n} did",
            "no {y:n} {v:past} {p}, but every {x:n} did",
            "{p} was {v:part} by every {x:n} but by no {y:n}",
            "{p} was {v:part} by no {y:n} but by every {x:n}",
            adverbial="first",
        ),
        ways(
            "x y:role n m:count",
            "at least {n} {x:pl} and at most {m} {y:pl} took part",
            "at most {m} {y:pl} and at least {n} {x:pl} took part",
            "there were at least {n} {x:pl} and at most {m} {y:pl}",
            "there were at most {m} {y:pl} and at least {n} {x:pl}",
            swap="nm",
            adverbial="first",
        ),
        ways(
            "x y:role v:deed",
            "one and the same {x:n} {v:past} every {y:n}",
            "every {y:n} was {v:part} by one and the same {x:n}",
        ),
    ),
    "negation_scope": (
        triples("x y:person m:mood", *opposed(_NOT_SAID, _SAID_NOT)),
        triples(
            "y:person h:happening",
            *opposed(
                ("it is not certain that {y} will {h}", "that {y} will {h} is not certain"),
                ("it is certain that {y} will not {h}", "that {y} will not {h} is certain"),
            ),
        ),
        triples(
            "x y:person c:chore",
            *opposed(
                ("{x} has not persuaded {y} to {c}", "{y} has not been persuaded by {x} to {c}"),
                ("{x} has persuaded {y} not to {c}", "{y} has been persuaded by {x} not to {c}"),
            ),
        ),
        triples(
            "x y:person m n:state",
            (
                "{x} was {m} but {y} was not {n}",
                "{y} was not {n} but {x} was {m}",
                "{y} was {n} but {x} was not {m}",
            ),
            (
                "{y} was not {n} but {x} was {m}",
                "{x} was {m} but {y} was not {n}",
                "{x} was not {m} but {y} was {n}",
            ),
            adverbial="first",
        ),
    ),
    "adjective_binding": (
        ways(
            "p:person x y:item c d:colour v:handle",
            "{p} {v:past} the {c} {x:n} and the {d} {y:n}",
            "{p} {v:past} the {d} {y:n} and the {c} {x:n}",
            "the {c} {x:n} and the {d} {y:n} were {v:part} by {p}",
            "the {d} {y:n} and the {c} {x:n} were {v:part} by {p}",
            swap="cd",
        ),
        ways(
            "p:someone x y:item c d:colour",
            "{p} owns a {x:n} which is {c} and a {y:n} which is {d}",
            "{p} owns a {y:n} which is {d} and a {x:n} which is {c}",
            "{p} owns a {c} {x:n} and a {d} {y:n}",
            swap="cd",
            adverbial="",
        ),
    ),
    "number_binding": (
        ways(
            "p:person x y:item n m:count v:handle",
            "{p} {v:past} {n} {x:pl} and {m} {y:pl}",
            "{p} {v:past} {m} {y:pl} and {n} {x:pl}",
            "{n} {x:pl} and {m} {y:pl} were {v:part} by {p}",
            "{m} {y:pl} and {n} {x:pl} were {v:part} by {p}",
            swap="nm",
        ),
        ways(
            "x y:small n m:count r s:room",
            "there were {n} {x:pl} in {r} and {m} {y:pl} in {s}",
            "there were {m} {y:pl} in {s} and {n} {x:pl} in {r}",
            "in {r} there were {n} {x:pl} and in {s} there were {m} {y:pl}",
            "in {s} there were {m} {y:pl} and in {r} there were {n} {x:pl}",
            swap="nm",
            adverbial="",
        ),
    ),
}
