"""Frames of the second blind set about what goes with what: conjuncts, modifiers, pronouns, numbers."""

from pipeline.syntax.frames.frames import Frame, triples, ways

BINDING: dict[str, tuple[Frame, ...]] = {
    "reflexive_and_reciprocal": (
        *(
            triples(
                f"x y z:{sex} v:selfish",
                (
                    f"{{x}} has never {{v:part}} {self}, although {{y}} has {{v:part}} {{z}} many times",
                    f"although {{y}} has {{v:part}} {{z}} many times, {{x}} has never {{v:part}} {self}",
                    f"although {{y}} has {{v:part}} {self} many times, {{x}} has never {{v:part}} {{z}}",
                ),
                (
                    f"{{x}} has never {{v:part}} {self}, although {{y}} has {{v:part}} {{z}} many times",
                    f"{{z}} has been {{v:part}} many times by {{y}}, but {{x}} has never {{v:part}} {self}",
                    f"{{z}} has been {{v:part}} many times by {{x}}, but {{y}} has never {{v:part}} {self}",
                ),
            )
            for sex, self in (("woman", "herself"), ("man", "himself"))
        ),
        *(
            triples(
                f"x y:{sex} v:deed",
                (
                    "one weekend {x} {v:past} {y} in {x:'s} office",
                    f"one weekend {{x}} {{v:past}} {{y}} in {own} own office",
                    f"one weekend {{y}} {{v:past}} {{x}} in {own} own office",
                ),
                (
                    "one weekend {y} was {v:part} by {x} in {x:'s} office",
                    f"{{x}} {{v:past}} {{y}} in {own} own office one weekend",
                    f"{{y}} {{v:past}} {{x}} in {own} own office one weekend",
                ),
            )
            for sex, own in (("woman", "her"), ("man", "his"))
        ),
        ways(
            "x y z:person v:steady",
            "{x} and {y} never {v} one another when {z} is in the room",
            "{y} and {x} never {v} one another when {z} is in the room",
            "when {z} is in the room, {x} and {y} never {v} one another",
            "when {z} is in the room, {y} and {x} never {v} one another",
            swap="yz",
            adverbial="",
        ),
    ),
    "apposition": (
        ways(
            "x y:name j k:job v:deed",
            "our {j}, {x}, has recently {v:part} our {k}, {y}",
            "our {k}, {y}, has recently been {v:part} by our {j}, {x}",
            "{x}, our {j}, has recently {v:part} {y}, our {k}",
            "{y}, our {k}, has recently been {v:part} by {x}, our {j}",
            swap="jk",
            adverbial="",
        ),
        ways(
            "x y:name m n:alias v:deed",
            "{x}, alias {m}, once {v:past} {y}, alias {n}",
            "{y}, alias {n}, was once {v:part} by {x}, alias {m}",
            "{m}, whose real name is {x}, once {v:past} {n}, whose real name is {y}",
            "{n}, whose real name is {y}, was once {v:part} by {m}, whose real name is {x}",
            swap="mn",
            adverbial="",
        ),
    ),
    "coordination": (
        triples(
            "x y z:person v:deed",
            (
                "neither {x} nor {y} has ever {v:part} {z}",
                "neither {y} nor {x} has ever {v:part} {z}",
                "neither {z} nor {x} has ever {v:part} {y}",
            ),
            (
                "{z} has never been {v:part} by either {x} or {y}",
                "neither {y} nor {x} has ever {v:part} {z}",
                "neither {y} nor {z} has ever {v:part} {x}",
            ),
            (
                "neither {x} nor {y} has ever {v:part} {z}",
                "{z} has never been {v:part} by either {y} or {x}",
                "{x} has never been {v:part} by either {y} or {z}",
            ),
        ),
        ways(
            "x y z:person v:deed",
            "{x} joined {y} in {v:ing} {z} at the airport",
            "{y} was joined by {x} in {v:ing} {z} at the airport",
            "at the airport {x} joined {y} in {v:ing} {z}",
            "at the airport {y} was joined by {x} in {v:ing} {z}",
            swap="yz",
            adverbial="",
        ),
        ways(
            "x y z:person v u:deed",
            "{x} {v:past} {y} but refused to {u} {z}",
            "{y} was {v:part} by {x}, who refused to {u} {z}",
            "{x}, who {v:past} {y}, refused to {u} {z}",
            swap="yz",
            adverbial="first",
        ),
        ways(
            "x y:person h k:happening",
            "{x} {h:past} and {y} {k:past} during the very same lecture",
            "{y} {k:past} and {x} {h:past} during the very same lecture",
            "during the very same lecture {x} {h:past} and {y} {k:past}",
            "during the very same lecture {y} {k:past} and {x} {h:past}",
            swap="hk",
            adverbial="",
        ),
    ),
    "gapping": (
        ways(
            "x y:person d e:dish",
            "for breakfast {x} had {d} and {y} {e}",
            "for breakfast {y} had {e} and {x} {d}",
            "for breakfast {x} had {d} and {y} had {e}",
            "{y} had {e} for breakfast and {x} {d}",
            swap="de",
            adverbial="",
        ),
        ways(
            "x y z w:person",
            "the host seated {x} next to {z} and {y} next to {w}",
            "the host seated {y} next to {w} and {x} next to {z}",
            "{x} was seated next to {z} and {y} next to {w} by the host",
            swap="zw",
            adverbial="",
        ),
        ways(
            "x y z w:name v:deed",
            "{x} is going to {v} {y} tomorrow, and {z} {w}",
            "{z} is going to {v} {w} tomorrow, and {x} {y}",
            "{x} is going to {v} {y} tomorrow, and {z} is going to {v} {w}",
            "{y} is going to be {v:part} by {x} tomorrow, and {w} by {z}",
            swap="yw",
            adverbial="",
        ),
        ways(
            "x y z:person v:steady",
            "{x} has {v:part} {y} more frequently than {z} has",
            "{z} has {v:part} {y} less frequently than {x} has",
            "{y} has been {v:part} more frequently by {x} than by {z}",
            "{y} has been {v:part} less frequently by {z} than by {x}",
            swap="xz",
            adverbial="",
        ),
    ),
    "attachment": (
        triples(
            "x y:role v:deed z:thing",
            (
                "the {x:n} carrying {z:a} {v:past} the {y:n}",
                "the {y:n} was {v:part} by the {x:n} carrying {z:a}",
                "the {y:n} carrying {z:a} was {v:part} by the {x:n}",
            ),
            (
                "the {y:n} carrying {z:a} was {v:part} by the {x:n}",
                "the one whom the {x:n} {v:past} was the {y:n} carrying {z:a}",
                "the one whom the {x:n} carrying {z:a} {v:past} was the {y:n}",
            ),
            (
                "the one whom the {x:n} carrying {z:a} {v:past} was the {y:n}",
                "it was the {x:n} carrying {z:a} who {v:past} the {y:n}",
                "it was the {y:n} carrying {z:a} who {v:past} the {x:n}",
            ),
        ),
        ways(
            "x y:person v:deed a b:month",
            "in {a} {x} vowed to {v} {y} in {b}",
            "{x} vowed in {a} to {v} {y} in {b}",
            "what {x} vowed in {a} was to {v} {y} in {b}",
            swap="ab",
            adverbial="",
        ),
        triples(
            "x y:person v:deed j:role_played",
            (
                "dressed up as {j:a}, {x} {v:past} {y}",
                "{y} was {v:part} by {x}, who was dressed up as {j:a}",
                "{y}, who was dressed up as {j:a}, was {v:part} by {x}",
            ),
            (
                "{y}, dressed up as {j:a}, was {v:part} by {x}",
                "{x} {v:past} {y}, who was dressed up as {j:a}",
                "{x}, who was dressed up as {j:a}, {v:past} {y}",
            ),
            (
                "{y} was {v:part} by {x}, who was dressed up as {j:a}",
                "{x}, dressed up as {j:a}, {v:past} {y}",
                "{y}, dressed up as {j:a}, {v:past} {x}",
            ),
            adverbial="first",
        ),
    ),
    "adjective_binding": (
        ways(
            "p:person x y:cloth c d:colour",
            "{p} came home with a {c} {x:n} and a {d} {y:n}",
            "{p} came home with a {d} {y:n} and a {c} {x:n}",
            "the {x:n} that {p} came home with was {c} and the {y:n} {d}",
            "the {y:n} that {p} came home with was {d} and the {x:n} {c}",
            swap="cd",
            adverbial="",
        ),
        ways(
            "x y:role l m:looks v:deed",
            "the {l} {x:n} should have {v:part} the {m} {y:n}",
            "the {m} {y:n} should have been {v:part} by the {l} {x:n}",
            "it is the {m} {y:n} that the {l} {x:n} should have {v:part}",
            swap="lm",
            adverbial="",
        ),
        ways(
            "p q:someone x y:cloth c d:colour",
            "{p:'s} {x:n} is {c} but {q:'s} {y:n} is {d}",
            "{q:'s} {y:n} is {d} but {p:'s} {x:n} is {c}",
            "{p} has a {c} {x:n} but {q} has a {d} {y:n}",
            swap="cd",
            adverbial="",
        ),
    ),
    "number_binding": (
        ways(
            "p q:person x y:small n m:count",
            "the shop reserved {n} {x:pl} for {p} and {m} {y:pl} for {q}",
            "the shop reserved {m} {y:pl} for {q} and {n} {x:pl} for {p}",
            "for {p} the shop reserved {n} {x:pl} and for {q} {m} {y:pl}",
            swap="nm",
            adverbial="",
        ),
        ways(
            "x y:role n m:count",
            "{n} of {x:thepl} and {m} of {y:thepl} had to stand",
            "{m} of {y:thepl} and {n} of {x:thepl} had to stand",
            "those who had to stand were {n} of {x:thepl} and {m} of {y:thepl}",
            swap="nm",
            adverbial="first",
        ),
        ways(
            "p:person c d:city n m:count",
            "{p} spent {n} weeks in {c} and {m} weeks in {d}",
            "{p} spent {m} weeks in {d} and {n} weeks in {c}",
            "in {c} {p} spent {n} weeks and in {d} {m} weeks",
            swap="nm",
            adverbial="",
        ),
    ),
}
