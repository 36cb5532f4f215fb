"""Frames of the third blind set for phenomena of the first two: nouns, places, clauses and conjuncts."""

from pipeline.syntax.frames.frames import Frame, opposed, triples, ways

KNOWN_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "nominalisation": (
        ways(
            "x y:someone n:nominal",
            "the papers devoted a page to {x:'s} {n:1} of {y}",
            "the papers devoted a page to the {n:1} of {y} by {x}",
            "the papers devoted a page to how {x} {n:2} {y}",
            "the papers devoted a page to how {y} was {n:2} by {x}",
            adverbial="",
        ),
        ways(
            "x y:someone n:speech",
            "{x:'s} {n} to {y} moved everybody to tears",
            "the {n} to {y} by {x} moved everybody to tears",
            "everybody was moved to tears by {x:'s} {n} to {y}",
            "the {n} that {x} addressed to {y} moved everybody to tears",
            adverbial="",
        ),
        ways(
            "x y:someone n:feeling",
            "{x:'s} {n:1} {y} is no secret",
            "it is no secret that {x} {n:2} {y}",
            "that {x} {n:2} {y} is no secret",
            adverbial="",
        ),
    ),
    "location": (
        ways(
            "x y:person",
            "seen from the stage, {x} sat to the left of {y}",
            "seen from the stage, {y} sat to the right of {x}",
            "{x} sat to the left of {y}, seen from the stage",
            "{y} sat to the right of {x}, seen from the stage",
            adverbial="",
        ),
        ways(
            "x y:flat",
            "on the landing {x} is lying on top of {y}",
            "on the landing {y} is lying underneath {x}",
            "on top of {y} on the landing is {x}",
            "underneath {x} on the landing is {y}",
            adverbial="",
        ),
        ways(
            "x y:building",
            "on this line {x} comes two stops before {y}",
            "on this line {y} comes two stops after {x}",
            "two stops before {y} on this line comes {x}",
            "two stops after {x} on this line comes {y}",
            adverbial="",
        ),
    ),
    "it_cleft": (
        ways(
            "x y:person v:deed",
            "if I remember correctly, it was {x} who {v:past} {y}",
            "if I remember correctly, it was {y} whom {x} {v:past}",
            "it was {x}, if I remember correctly, who {v:past} {y}",
            "it was {y}, if I remember correctly, whom {x} {v:past}",
            adverbial="",
        ),
        ways(
            "x y:someone c:chore",
            "it was at {x:'s} request that {y} {c:past}",
            "it was {x} at whose request {y} {c:past}",
            "it was {y} who {c:past} at {x:'s} request",
            adverbial="",
        ),
        ways(
            "x y:person h k:happening",
            "it was only when {x} {h:past} that {y} {k:past}",
            "only when {x} {h:past} did {y} {k}",
            "not until {x} {h:past} did {y} {k}",
            "{y} did not {k} until {x} {h:past}",
            adverbial="",
        ),
    ),
    "relative_clause": (
        ways(
            "x y:role k:kin v:deed p:name",
            "{p} knows the {x:n} whose {k:n} {v:past} the {y:n}",
            "{p} knows the {x:n} by whose {k:n} the {y:n} was {v:part}",
            "the {x:n} whose {k:n} {v:past} the {y:n} is known to {p}",
            adverbial="",
        ),
        ways(
            "x y:role v:deed",
            "anyone who has met the {x:n} that the {y:n} {v:past} will understand",
            "anyone who has met the {x:n} who was {v:part} by the {y:n} will understand",
            "anyone will understand who has met the {x:n} that the {y:n} {v:past}",
            adverbial="",
        ),
        ways(
            "x y:person v:deed",
            "{x} was among those who {v:past} {y}",
            "among those who {v:past} {y} was {x}",
            "{x} was among those by whom {y} was {v:part}",
            "among those by whom {y} was {v:part} was {x}",
            adverbial="",
        ),
    ),
    "report": (
        *(
            ways(
                "x y z:person c:chore",
                "over dinner {x} hinted to {y} that {z} had {c:part}",
                "{x} hinted to {y} over dinner that {z} had {c:part}",
                "what {x} hinted to {y} over dinner was that {z} had {c:part}",
                swap=swap,
                adverbial="",
            )
            for swap in ("xy", "xz")
        ),
        *(
            ways(
                "x y z:person c:chore",
                "{x} let {y} know that {z} had {c:part}",
                "{y} found out from {x} that {z} had {c:part}",
                "from {x}, {y} found out that {z} had {c:part}",
                swap=swap,
                adverbial="",
            )
            for swap in ("xy", "yz")
        ),
    ),
    "temporal_order": (
        ways(
            "e f:calamity",
            "the day after {e}, {f}",
            "{f} the day after {e}",
            "the day before {f}, {e}",
            "{e} the day before {f}",
            swap="ef",
            adverbial="",
        ),
        ways(
            "e f:commotion",
            "{e}, and shortly afterwards {f}",
            "shortly after {e}, {f}",
            "{f} shortly after {e}",
            "shortly before {f}, {e}",
            swap="ef",
            adverbial="",
        ),
        ways(
            "x y:person",
            "{x} moved out two years before {y} moved in",
            "two years before {y} moved in, {x} moved out",
            "{y} moved in two years after {x} moved out",
            "two years after {x} moved out, {y} moved in",
            adverbial="",
        ),
    ),
    "gapping": (
        ways(
            "x y:person i j:instrument",
            "in the quartet {x} plays {i} and {y} {j}",
            "in the quartet {y} plays {j} and {x} {i}",
            "in the quartet {i} is played by {x} and {j} by {y}",
            "in the quartet {x} plays {i} and {y} plays {j}",
            swap="ij",
            adverbial="",
        ),
        ways(
            "x y z w:person",
            "{x} was mistaken for {z} and {y} for {w}",
            "{y} was mistaken for {w} and {x} for {z}",
            "{x} was mistaken for {z} and {y} was mistaken for {w}",
            "people mistook {x} for {z} and {y} for {w}",
            swap="zw",
            adverbial="",
        ),
        ways(
            "x y:person g h:game",
            "this year {x} won at {g} and {y} at {h}",
            "this year {y} won at {h} and {x} at {g}",
            "this year {x} won at {g} and {y} won at {h}",
            "this year the winner at {g} was {x} and at {h} {y}",
            swap="gh",
            adverbial="",
        ),
    ),
    "coordination": (
        ways(
            "x y z:person v:steady",
            "{x} and {y} took turns {v:ing} {z}",
            "{y} and {x} took turns {v:ing} {z}",
            "{z} was {v:part} by {x} and {y} in turn",
            "{z} was {v:part} by {y} and {x} in turn",
            swap="yz",
            adverbial="",
        ),
        ways(
            "x y z:person v:deed",
            "{x} {v:past} not only {y} but also {z}",
            "not only {y} but also {z} was {v:part} by {x}",
            "{x} {v:past} {y} and {z} as well",
            swap="xy",
            adverbial="first",
        ),
        ways(
            "x y z:person v u:deed",
            "{x} {v:past} {y} but was {u:part} by {z}",
            "{x} was {u:part} by {z} but {v:past} {y}",
            "{x}, though {u:part} by {z}, {v:past} {y}",
            "though {u:part} by {z}, {x} {v:past} {y}",
            swap="yz",
            adverbial="",
        ),
    ),
    "negation_scope": (
        triples(
            "x y:person m:mood",
            *opposed(
                (
                    "{x} might not have known that {y} was {m}",
                    "that {y} was {m} might not have been known to {x}",
                    "what {x} might not have known is that {y} was {m}",
                ),
                (
                    "{x} might have known that {y} was not {m}",
                    "that {y} was not {m} might have been known to {x}",
                    "what {x} might have known is that {y} was not {m}",
                ),
            ),
        ),
        triples(
            "x y:person c:chore",
            *opposed(
                (
                    "{x} has not arranged for {y} to {c}",
                    "it has not been arranged by {x} for {y} to {c}",
                    "what {x} has not arranged is for {y} to {c}",
                ),
                (
                    "{x} has arranged for {y} not to {c}",
                    "it has been arranged by {x} for {y} not to {c}",
                    "what {x} has arranged is for {y} not to {c}",
                ),
            ),
        ),
        ways(
            "x y z:person v:deed",
            "{x}, though not {y}, is bound to {v} {z}",
            "{z} is bound to be {v:part} by {x}, though not by {y}",
            "{y} is not bound to {v} {z}, but {x} is",
            adverbial="",
        ),
    ),
}
