"""Frames of the development contrast set: fewer phenomena than the blind set's, in other constructions."""

from pipeline.syntax.frames.frames import Frame, triples, ways

FRAMES: dict[str, tuple[Frame, ...]] = {
    "voice": (
        ways(
            "x y:person v:deed",
            "{x} has just {v:part} {y}",
            "{y} has just been {v:part} by {x}",
            "it is {x} that has just {v:part} {y}",
            "it is {y} that has just been {v:part} by {x}",
            adverbial="",
        ),
        ways(
            "x y:firm v:trade",
            "{x} may soon {v} {y}",
            "{y} may soon be {v:part} by {x}",
            "soon {x} may {v} {y}",
            "soon {y} may be {v:part} by {x}",
            adverbial="",
        ),
        ways(
            "x y:beast v:chase",
            "{x:a} was {v:ing} {y:a} outside the school",
            "{y:a} was being {v:part} by {x:a} outside the school",
            "outside the school, {x:a} was {v:ing} {y:a}",
            adverbial="",
        ),
    ),
    "dative": (
        ways(
            "x y:person g:give z:thing",
            "{x} will {g} {y} the {z:n}",
            "{x} will {g} the {z:n} to {y}",
            "the {z:n} will be {g:part} to {y} by {x}",
            "{y} will be {g:part} the {z:n} by {x}",
            adverbial="",
        ),
    ),
    "cleft": (
        ways(
            "x y:vehicle v:tail",
            "it is {x} that is {v:ing} {y}",
            "it is {y} that {x} is {v:ing}",
            "what {x} is {v:ing} is {y}",
            "what is {v:ing} {y} is {x}",
            adverbial="",
        ),
    ),
    "relative_clause": (
        ways(
            "x y:role v:deed p:name",
            "here comes {x} by whom {y} was {v:part}",
            "here comes {x} that {v:past} {y}",
            adverbial="",
        ),
        ways(
            "x y:person v:deed h:happening",
            "while {v:ing} {y}, {x} {h:past}",
            "{x} {h:past} while {v:ing} {y}",
            "{y} was being {v:part} by {x}, who {h:past}",
            adverbial="",
        ),
    ),
    "coordination": (
        triples(
            "x y z:person v:deed",
            (
                "{x} as well as {y} has {v:part} {z}",
                "{z} has been {v:part} by {y} as well as {x}",
                "{y} has been {v:part} by {z} as well as {x}",
            ),
            (
                "both {x} and {y} have {v:part} {z}",
                "both {y} and {x} have {v:part} {z}",
                "both {z} and {x} have {v:part} {y}",
            ),
            (
                "{x} must {v} both {y} and {z}",
                "{x} must {v} both {z} and {y}",
                "{z} must {v} both {x} and {y}",
            ),
        ),
    ),
    "comparative": (
        ways(
            "x y:place g:grade",
            "{x} was {g:2} than {y} in those days",
            "{y} was {g:3} than {x} in those days",
            "in those days {y} was less {g:1} than {x}",
            "in those days {x} was {g:2} than {y}",
            adverbial="",
        ),
        ways(
            "x y:person g:size_of_person",
            "of the two, {x} is {g:2} and {y} {g:3}",
            "of the two, {y} is {g:3} and {x} {g:2}",
            "{x} is {g:2} than {y}",
            adverbial="",
        ),
    ),
    "attachment": (
        triples(
            "x y:role v:deed c d:city",
            (
                "the {x:n} from {c} has {v:part} the {y:n}",
                "the {y:n} has been {v:part} by the {x:n} from {c}",
                "the {y:n} from {c} has been {v:part} by the {x:n}",
            ),
            (
                "the {x:n} has {v:part} the {y:n} from {c}",
                "the {x:n} is the one who has {v:part} the {y:n} from {c}",
                "the {x:n} from {c} is the one who has {v:part} the {y:n}",
            ),
        ),
    ),
    "control": (
        ways(
            "x y:person u:ask c:chore",
            "{x} will {u} {y} to {c}",
            "{y} will be {u:part} by {x} to {c}",
            "{y} is who {x} will {u} to {c}",
            adverbial="",
        ),
    ),
    "possessive": (
        ways(
            "x y:kin p:name",
            "{p} lives with {y:'s} {x:n}",
            "{p} lives with the {x:n} of {y}",
            "the {x:n} of {y} lives with {p}",
            "{y:'s} {x:n} lives with {p}",
            adverbial="",
        ),
    ),
    "symmetric_predicate": (
        ways(
            "x y:name k l:kin m:shared",
            "{x:'s} {k:n} {m:1} with {y:'s} {l:n}",
            "{y:'s} {l:n} {m:1} with {x:'s} {k:n}",
            "{x:'s} {k:n} and {y:'s} {l:n} {m:2} with each other",
            "{y:'s} {l:n} and {x:'s} {k:n} {m:2} with each other",
            swap="kl",
            adverbial="",
        ),
    ),
    "preposition": (
        ways(
            "c d:city",
            "the night train to {c} from {d} was late",
            "the night train from {d} to {c} was late",
            "the train that runs at night from {d} to {c} was late",
            "the train that runs at night to {c} from {d} was late",
            swap="cd",
            adverbial="",
        ),
        ways(
            "x:person a b:month c:city",
            "{x} stayed in {c} from {a} until {b}",
            "from {a} until {b}, {x} stayed in {c}",
            "{x} came to {c} in {a} and left in {b}",
            "{x} left {c} in {b}, having come in {a}",
            swap="ab",
            adverbial="",
        ),
    ),
    "question": (
        ways(
            "x y:person v:deed",
            "when will {x} {v} {y}?",
            "when will {y} be {v:part} by {x}?",
            "at what time will {x} {v} {y}?",
            "at what time will {y} be {v:part} by {x}?",
            adverbial="",
        ),
    ),
    "temporal_order": (
        ways(
            "e f:event",
            "as soon as {e:2}, {f:2}",
            "{f:2} as soon as {e:2}",
            "the moment {e:2}, {f:2}",
            "{f:2} the moment {e:2}",
            swap="ef",
            adverbial="",
        ),
        ways(
            "x y:person h k:happening",
            "first {x} {h:past}, then {y} {k:past}",
            "{y} {k:past}, but first {x} {h:past}",
            "{x} {h:past}, and then {y} {k:past}",
            "{x} {h:past} first, and {y} {k:past} afterwards",
            swap="hk",
            adverbial="",
        ),
    ),
    "conditional": (
        ways(
            "e f:event",
            "{f:1} even if {e:1}",
            "even if {e:1}, {f:1}",
            swap="ef",
            adverbial="",
        ),
        ways(
            "e f:event",
            "as long as {e:1}, {f:1}",
            "{f:1} as long as {e:1}",
            "on condition that {e:1}, {f:1}",
            swap="ef",
            adverbial="",
        ),
    ),
    "embedded_clause": (
        ways(
            "x y:someone m:mood",
            "{x} suspects that {y} is {m}",
            "{y}, {x} suspects, is {m}",
            "what {x} suspects is that {y} is {m}",
            "{x:'s} suspicion is that {y} is {m}",
            adverbial="",
        ),
    ),
    "adjective_binding": (
        ways(
            "p:person x y:item c d:colour n m:count",
            "{p} has lost {n} {c} {x:pl} and {m} {d} {y:pl}",
            "{p} has lost {m} {d} {y:pl} and {n} {c} {x:pl}",
            "{n} {c} {x:pl} and {m} {d} {y:pl} have been lost by {p}",
            "{p} has lost {n} {x:pl}, all of them {c}, and {m} {y:pl}, all of them {d}",
            "{p} has lost {m} {y:pl}, all of them {d}, and {n} {x:pl}, all of them {c}",
            swap="cd",
            adverbial="",
        ),
    ),
    "number_binding": (
        ways(
            "p:person x y:item n m:count",
            "{p} needs {n} {x:pl} but only {m} {y:pl}",
            "{p} needs only {m} {y:pl} but {n} {x:pl}",
            "of {x:pl} {p} needs {n}, but of {y:pl} only {m}",
            "of {y:pl} {p} needs only {m}, but of {x:pl} {n}",
            swap="nm",
            adverbial="",
        ),
    ),
}
