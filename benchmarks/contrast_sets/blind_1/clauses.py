"""Frames of the blind set in which clauses are focussed, embedded, asked, or joined."""

from pipeline.syntax.frames.frames import Frame, triples, ways

CLAUSES: dict[str, tuple[Frame, ...]] = {
    "it_cleft": (
        ways(
            "x y:person v:deed",
            "it was {x} who {v:past} {y}",
            "it was {y} that {x} {v:past}",
            "it was {y} who was {v:part} by {x}",
        ),
        ways(
            "x y:vehicle v:crash",
            "it was {x} that {v:past} {y} near the roundabout",
            "it was {y} that {x} {v:past} near the roundabout",
            "it was {y} that was {v:part} by {x} near the roundabout",
            adverbial="",
        ),
        ways(
            "x y z:person v:deed",
            "it was not {x} but {y} who {v:past} {z}",
            "it was {y} and not {x} who {v:past} {z}",
            "it was {y} rather than {x} who {v:past} {z}",
            "{z} was {v:part} not by {x} but by {y}",
        ),
    ),
    "pseudo_cleft": (
        ways(
            "x y:person v:deed t:then",
            "the one who {v:past} {y} {t} was {x}",
            "the one {x} {v:past} {t} was {y}",
            "{x} was the one who {v:past} {y} {t}",
            "{y} was the one whom {x} {v:past} {t}",
            adverbial="",
        ),
        ways(
            "x y:vehicle v:crash t:then",
            "what {v:past} {y} {t} was {x}",
            "what {x} {v:past} {t} was {y}",
            "the vehicle that {v:past} {y} {t} was {x}",
            "{y} was the vehicle that {x} {v:past} {t}",
            adverbial="",
        ),
        ways(
            "x y:person g:give z:thing",
            "what {x} {g:past} {y} was {z:a}",
            "what {x} {g:past} to {y} was {z:a}",
            "what {y} was {g:part} by {x} was {z:a}",
            "{z:a} is what {x} {g:past} to {y}",
            adverbial="",
        ),
    ),
    "relative_clause": (
        ways(
            "x y:person v:deed h:happening",
            "{x}, who {v:past} {y}, later {h:past}",
            "{y} was {v:part} by {x}, who later {h:past}",
            "{x}, by whom {y} was {v:part}, later {h:past}",
            "{x}, who later {h:past}, {v:past} {y}",
            adverbial="",
        ),
        ways(
            "x y:role v:deed h:happening",
            "the {x:n} who {v:past} the {y:n} {h:past}",
            "the {x:n} by whom the {y:n} was {v:part} {h:past}",
        ),
        ways(
            "x y:role v:deed p:name u:attitude",
            "{p} {u:s} the {y:n} whom the {x:n} {v:past}",
            "{p} {u:s} the {y:n} who was {v:part} by the {x:n}",
            adverbial="",
        ),
    ),
    "question": (
        ways(
            "x y:person v:deed",
            "why did {x} {v} {y}?",
            "why was {y} {v:part} by {x}?",
            "for what reason did {x} {v} {y}?",
            "for what reason was {y} {v:part} by {x}?",
            adverbial="",
        ),
        ways(
            "x y:person v:deed t:then",
            "did {x} {v} {y} {t}?",
            "was {y} {v:part} by {x} {t}?",
            "is it true that {x} {v:past} {y} {t}?",
            "is it true that {y} was {v:part} by {x} {t}?",
            adverbial="",
        ),
        ways(
            "x y:role v:deed",
            "which {x:n} {v:past} the {y:n}?",
            "by which {x:n} was the {y:n} {v:part}?",
            "which {x:n} was it that {v:past} the {y:n}?",
            adverbial="",
        ),
        triples(
            "x:person v:deed t:then",
            (
                "who {v:past} {x} {t}?",
                "who was it that {v:past} {x} {t}?",
                "who was it that {x} {v:past} {t}?",
            ),
            (
                "who did {x} {v} {t}?",
                "who was it that {x} {v:past} {t}?",
                "who was it that {v:past} {x} {t}?",
            ),
        ),
    ),
    "report": (
        *(
            ways(
                "x y z:person h:happening",
                "{x} told {y} that {z} had {h:part}",
                "{y} was told by {x} that {z} had {h:part}",
                "{y} heard from {x} that {z} had {h:part}",
                "it was from {x} that {y} heard that {z} had {h:part}",
                swap=swap,
                adverbial="",
            )
            for swap in ("xy", "xz", "yz")
        ),
        ways(
            "x y:person z:name h:happening",
            '"{z} has {h:part}," {x} told {y}',
            '"{z} has {h:part}," {y} was told by {x}',
            '{x} told {y}: "{z} has {h:part}"',
            adverbial="",
        ),
    ),
    "embedded_clause": (
        ways(
            "x y:someone m:mood",
            "{x} thinks that {y} is {m}",
            "{y}, {x} thinks, is {m}",
            "in {x:'s} opinion, {y} is {m}",
            "{y} is {m}, {x} thinks",
            adverbial="",
        ),
        *(
            ways(
                "x y z:someone m:mood",
                "{x} believes that {y} knows that {z} is {m}",
                "{y}, {x} believes, knows that {z} is {m}",
                "{x:'s} belief is that {y} knows that {z} is {m}",
                "{y} knows that {z} is {m}, or so {x} believes",
                swap=swap,
                adverbial="",
            )
            for swap in ("xy", "yz")
        ),
    ),
    "temporal_order": (
        *(
            ways(
                f"e f:{category}",
                "{e:2} before {f:2}",
                "{f:2} after {e:2}",
                "before {f:2}, {e:2}",
                "after {e:2}, {f:2}",
                swap="ef",
                adverbial="",
            )
            for category in ("fault", "scene", "news")
        ),
        ways(
            "x y:person h k:happening",
            "{x} {h:past} before {y} {k:past}",
            "{y} {k:past} after {x} {h:past}",
            "before {y} {k:past}, {x} {h:past}",
            "after {x} {h:past}, {y} {k:past}",
            swap="hk",
            adverbial="",
        ),
        ways(
            "x y:topic",
            "{x} began earlier than {y}",
            "{y} began later than {x}",
            "when {y} began, {x} had already begun",
            "{x} had already begun when {y} began",
            adverbial="",
        ),
    ),
    "conditional": (
        ways(
            "e f:fault",
            "if {e:1}, {f:1}",
            "{f:1} if {e:1}",
            "if {e:1}, then {f:1}",
            swap="ef",
            adverbial="",
        ),
        ways(
            "e f:scene",
            "whenever {e:1}, {f:1}",
            "{f:1} whenever {e:1}",
            "every time {e:1}, {f:1}",
            "{f:1} every time {e:1}",
            swap="ef",
            adverbial="",
        ),
        ways(
            "e f:news p:someone",
            "{p} thinks that if {e:1}, {f:1}",
            "{p} thinks that {f:1} if {e:1}",
            "in {p:'s} opinion, if {e:1}, {f:1}",
            "in {p:'s} opinion, {f:1} if {e:1}",
            swap="ef",
            adverbial="",
        ),
    ),
    "cause": (
        *(
            ways(
                f"e f:{category}",
                "because {e:2}, {f:2}",
                "{f:2} because {e:2}",
                "{e:2}, so {f:2}",
                "{e:2}, and as a result {f:2}",
                swap="ef",
                adverbial="",
            )
            for category in ("fault", "scene", "news")
        ),
        ways(
            "x y:crisis",
            "{x} led to {y}",
            "{y} resulted from {x}",
            "{y} was a consequence of {x}",
            "a consequence of {x} was {y}",
            "{x} brought about {y}",
            adverbial="",
        ),
    ),
}
