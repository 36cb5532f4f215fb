"""Frames of the seventh blind set for phenomena of earlier sets: clauses, quantities and questions."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "conditional": (
        _plain(
            "x y:person",
            "if {x} retired, {y} would take over the firm",
            "should {x} retire, the firm would be taken over by {y}",
            "in the event of {x} retiring, {y} would take over the firm",
            "the firm would be taken over by {y} if {x} retired",
        ),
        _plain(
            "x y:person",
            "without help from {x}, {y} cannot finish the crossword",
            "only if {x} helps can {y} finish the crossword",
            "{y} needs the help of {x} to finish the crossword",
            "unless {x} helps, the crossword cannot be finished by {y}",
        ),
        _plain(
            "x y:person",
            "{x} will get the job if {y} turns it down",
            "should {y} turn down the job, it will go to {x}",
            "if the job is turned down by {y}, {x} will get it",
            "{y} only has to turn down the job for {x} to get it",
        ),
    ),
    "quantifier": (
        _plain(
            "x y:group v:deed",
            "at the congress none of the {x:pl} {v:past} any of the {y:pl}",
            "at the congress none of the {y:pl} were {v:part} by any of the {x:pl}",
            "not one of the {x:pl} {v:past} any of the {y:pl} at the congress",
            "not one of the {y:pl} was {v:part} by any of the {x:pl} at the congress",
        ),
        _plain(
            "a b:group",
            "all of the {a:pl} and some of the {b:pl} had gone home early",
            "some of the {b:pl} and all of the {a:pl} had gone home early",
            "all of the {a:pl} had gone home early, and so had some of the {b:pl}",
            "some of the {b:pl} had gone home early, and so had all of the {a:pl}",
            swap="ab",
        ),
        _plain(
            "a b:group",
            "many {a:pl} but few {b:pl} applied for the grant",
            "few {b:pl} but many {a:pl} applied for the grant",
            "the grant was applied for by many {a:pl} but few {b:pl}",
            "the grant was applied for by few {b:pl} but many {a:pl}",
            swap="ab",
        ),
    ),
    "exception": (
        _plain(
            "x y:person",
            "in the final round nobody except {x} voted for {y}",
            "in the final round {x} was the only one to vote for {y}",
            "apart from the vote of {x}, {y} got no votes in the final round",
            "in the final round the only vote for {y} was that of {x}",
        ),
        _plain(
            "x y:person",
            "everyone at the table but {x} had heard of {y}",
            "the only one at the table who had not heard of {y} was {x}",
            "apart from {x}, everyone at the table had heard of {y}",
            "{y} was a familiar name to everyone at the table apart from {x}",
        ),
        _plain(
            "x y:person",
            "{x} thanked all the guests except {y}",
            "all the guests but {y} were thanked by {x}",
            "{y} was the only guest whom {x} did not thank",
            "the only guest not thanked by {x} was {y}",
        ),
    ),
    "verb_phrase_ellipsis": (
        _plain(
            "x y:person c:chore",
            "{x} refused to {c}, so {y} had to",
            "because {x} would not {c}, {y} had to",
            "{y} had to {c} because {x} refused to",
            "since {x} would not, {y} had to {c}",
        ),
        _plain(
            "x y:person c:city",
            "unlike {y}, {x} has been to {c}",
            "{y} has never been to {c}, but {x} has",
            "{x} has been to {c}, but {y} never has",
            "unlike {x}, {y} has never been to {c}",
        ),
        _plain(
            "x y:person c:city",
            "{x} got to {c} before {y} did",
            "{y} got to {c}, but not before {x} had",
            "{y} got to {c} only after {x} had",
            "before {y} did, {x} got to {c}",
        ),
    ),
    "purpose": (
        _plain(
            "x y:person c:chore",
            "{x} woke {y} up in order to be able to {c}",
            "{x}, who wanted to {c}, woke {y} up",
            "{y} was woken up by {x}, who wanted to {c}",
            "wanting to {c}, {x} woke {y} up",
        ),
        _plain(
            "x y:person c:chore",
            "{x} cleared the kitchen so that {y} could {c}",
            "the kitchen was cleared by {x} so that {y} could {c}",
            "for {y} to be able to {c}, {x} cleared the kitchen",
            "to enable {y} to {c}, {x} cleared the kitchen",
        ),
        _plain(
            "x y:person t:thing",
            "{x} lent the theatre {t:a} so that {y} could use it on stage",
            "so that {y} could use it on stage, {t:a} was lent to the theatre by {x}",
            "for {y} to use on stage, {x} lent the theatre {t:a}",
            "{t:a} was lent to the theatre by {x} for {y} to use on stage",
        ),
    ),
    "temporal_order": (
        _plain(
            "e f:event",
            "the {e:n} preceded the {f:n} by two days",
            "the {f:n} followed two days after the {e:n}",
            "two days after the {e:n} came the {f:n}",
            "two days before the {f:n} came the {e:n}",
            swap="ef",
        ),
        _plain(
            "x:person c d:chore",
            "{x} {c:past} in the morning and {d:past} in the evening",
            "in the evening {x} {d:past}, having {c:part} in the morning",
            "{x} {d:past} in the evening and {c:past} in the morning",
            "having {c:part} in the morning, {x} {d:past} in the evening",
            swap="cd",
        ),
        _plain(
            "x y:person",
            "{x} had left the party long before {y} arrived",
            "long before the arrival of {y}, {x} had left the party",
            "{y} did not arrive at the party until long after {x} had left",
            "{y} arrived at the party long after the departure of {x}",
        ),
    ),
    "question": (
        _plain(
            "x y:person",
            "how long did {x} have to wait for {y} at the airport?",
            "how long was {x} kept waiting by {y} at the airport?",
            "how long did {y} keep {x} waiting at the airport?",
            "at the airport, for how long did {x} have to wait for {y}?",
        ),
        _plain(
            "x y:person v:power",
            "on what grounds did {x} {v} {y}?",
            "on what grounds was {y} {v:part} by {x}?",
            "what grounds did {x} have for {v:ing} {y}?",
            "what were the grounds on which {y} was {v:part} by {x}?",
        ),
        _plain(
            "x y:someone",
            "what did {x} get from {y} as a wedding present?",
            "what did {y} give {x} as a wedding present?",
            "what was {x} given by {y} as a wedding present?",
            "as a wedding present, what was given to {x} by {y}?",
        ),
    ),
}
