"""Frames of the blind set in which the arguments of a verb or adjective stand in several ways."""

from pipeline.syntax.frames.frames import Frame, triples, ways

VERBS: dict[str, tuple[Frame, ...]] = {
    "voice": (
        ways("x y:person v:deed", "{x} {v:past} {y}", "{y} {y:was} {v:part} by {x}", many=True),
        ways(
            "x y:person v:hurt", "{x} {v:past} {y}", "{y} {y:was} {v:part} by {x}", "{y} got {v:part} by {x}"
        ),
        ways(
            "x y:firm v:trade",
            "{x} is going to {v} {y} next year",
            "next year {x} is going to {v} {y}",
            "{y} is going to be {v:part} by {x} next year",
            "next year {y} is going to be {v:part} by {x}",
            adverbial="",
        ),
        ways("x y:beast v:bite", "{x:a} {v:past} {y:a}", "{y:a} was {v:part} by {x:a}"),
    ),
    "dative": (
        ways(
            "x y:person g:give z:thing",
            "{x} {g:past} {y} {z:a}",
            "{x} {g:past} {z:a} to {y}",
            "{y} was {g:part} {z:a} by {x}",
            "it was to {y} that {x} {g:past} {z:a}",
        ),
    ),
    "passive_of_ditransitive": (
        ways(
            "x y:person g:hand_over z:thing",
            "{z} was {g:part} to {y} by {x}",
            "{y} was {g:part} {z} by {x}",
            "{z} was {g:part} by {x} to {y}",
        ),
        ways(
            "x y:person g:hand_over z:thing",
            "{z} that {x} {g:past} to {y} has disappeared",
            "{z} {g:part} to {y} by {x} has disappeared",
            "{z} that was {g:part} by {x} to {y} has disappeared",
            "{z} that {y} was {g:part} by {x} has disappeared",
            adverbial="",
        ),
    ),
    "converse": (
        ways(
            "x y:person z:thing",
            "{x} bought {z} from {y}",
            "{y} sold {z} to {x}",
            "{z} was sold to {x} by {y}",
            "{z} was bought by {x} from {y}",
        ),
        ways(
            "x y:person z:thing",
            "{x} borrowed {z:a} from {y}",
            "{y} lent {z:a} to {x}",
            "{y} lent {x} {z:a}",
        ),
        ways(
            "x y:topic",
            "{x} preceded {y} by several months",
            "{y} followed {x} after several months",
            "{y} came several months after {x}",
            "{x} came several months before {y}",
            adverbial="",
        ),
        ways(
            "x y:person c:craft",
            "{x} taught {y} how to {c}",
            "{y} learned from {x} how to {c}",
            "{y} was taught by {x} how to {c}",
            adverbial="",
        ),
    ),
    "control": (
        ways(
            "x y:person u:urge c:chore",
            "{x} {u:past} {y} to {c}",
            "{y} {y:was} {u:part} by {x} to {c}",
            "it was {y} whom {x} {u:past} to {c}",
            "it was {x} who {u:past} {y} to {c}",
            adverbial="",
            many=True,
        ),
        triples(
            "x y z:person u:urge v:act",
            (
                "{x} {u:past} {y} to {v} {z}",
                "{y} was {u:part} by {x} to {v} {z}",
                "{z} was {u:part} by {x} to {v} {y}",
            ),
            (
                "{x} {u:past} {y} to {v} {z}",
                "it was {y} whom {x} {u:past} to {v} {z}",
                "it was {z} whom {x} {u:past} to {v} {y}",
            ),
            (
                "{y} was {u:part} by {x} to {v} {z}",
                "{x} {u:past} {y} to {v} {z}",
                "{y} {u:past} {x} to {v} {z}",
            ),
        ),
    ),
    "causative": (
        ways(
            "x y:person c:chore",
            "{x} made {y} {c}",
            "{y} was made to {c} by {x}",
            "it was {x} who made {y} {c}",
            "it was {y} whom {x} made {c}",
            adverbial="",
        ),
        ways(
            "x y:someone c:chore",
            "{y} had to {c} because {x} insisted",
            "because {x} insisted, {y} had to {c}",
            "at {x:'s} insistence, {y} had to {c}",
            "{y} had to {c} at {x:'s} insistence",
            adverbial="",
        ),
    ),
    "raising": (
        ways(
            "x y:person m:mood",
            "{x} seems {m} to {y}",
            "to {y}, {x} seems {m}",
            "it seems to {y} that {x} is {m}",
            "{x} seems to {y} to be {m}",
            adverbial="",
        ),
        ways(
            "x y:person m:mood",
            "{y} considers {x} {m}",
            "{x} is considered {m} by {y}",
            "{y} considers {x} to be {m}",
            "{x} is considered by {y} to be {m}",
            adverbial="",
        ),
    ),
    "tough_movement": (
        ways(
            "x y:person v:beat e:ease",
            "{x} is {e} for {y} to {v}",
            "it is {e} for {y} to {v} {x}",
            "to {v} {x} is {e} for {y}",
            "for {y}, {x} is {e} to {v}",
            "for {y}, it is {e} to {v} {x}",
            adverbial="",
        ),
    ),
    "secondary_predicate": (
        triples(
            "x y:person v:deed d:doing",
            ("{d}, {x} {v:past} {y}", "{x}, {d}, {v:past} {y}", "{y}, {d}, {v:past} {x}"),
            ("{y} was {v:part} by {x}, who was {d}", "{d}, {x} {v:past} {y}", "{d}, {y} {v:past} {x}"),
            (
                "{d}, {x} {v:past} {y}",
                "{y} was {v:part} by {x}, who was {d}",
                "{y}, who was {d}, was {v:part} by {x}",
            ),
        ),
        ways("x y:person s:state", "{x} found {y} {s}", "{y} was found {s} by {x}"),
        ways(
            "p:person x y:paintable c d:colour",
            "{p} painted {x} {c} and {y} {d}",
            "{p} painted {y} {d} and {x} {c}",
            "{x} was painted {c} and {y} {d} by {p}",
            "{y} was painted {d} and {x} {c} by {p}",
            swap="cd",
            adverbial="first",
        ),
    ),
    "reflexive_and_reciprocal": (
        *(
            triples(
                f"x y z:{sex} v:selfish",
                (
                    f"{{x}} {{v:past}} {self}, but {{y}} {{v:past}} {{z}}",
                    f"{{y}} {{v:past}} {{z}}, but {{x}} {{v:past}} {self}",
                    f"{{x}} {{v:past}} {{z}}, but {{y}} {{v:past}} {self}",
                ),
                (
                    f"{{x}} {{v:past}} {self}, but {{y}} {{v:past}} {{z}}",
                    f"{{z}} was {{v:part}} by {{y}}, but {{x}} {{v:past}} {self}",
                    f"{{z}} was {{v:part}} by {{x}}, but {{y}} {{v:past}} {self}",
                ),
            )
            for sex, self in (("woman", "herself"), ("man", "himself"))
        ),
        *(
            triples(
                f"x y:{sex} v:deed",
                (
                    f"{{x}} {self} {{v:past}} {{y}}",
                    f"{{y}} was {{v:part}} by {{x}} {self}",
                    f"{{y}} {self} was {{v:part}} by {{x}}",
                ),
                (
                    f"{{y}} {self} was {{v:part}} by {{x}}",
                    f"{{x}} {{v:past}} {{y}} {self}",
                    f"{{x}} {self} {{v:past}} {{y}}",
                ),
                adverbial="moves",
            )
            for sex, self in (("woman", "herself"), ("man", "himself"))
        ),
        triples(
            "x y z:person v:deed h:happening",
            (
                "{x} and {y} {v:past} each other, and {z} {h:past}",
                "{y} and {x} {v:past} each other, and {z} {h:past}",
                "{x} and {z} {v:past} each other, and {y} {h:past}",
            ),
            (
                "{z} {h:past}, and {x} and {y} {v:past} each other",
                "{x} and {y} {v:past} each other, and {z} {h:past}",
                "{z} and {y} {v:past} each other, and {x} {h:past}",
            ),
        ),
    ),
}
