"""Frames of the sixth blind set for phenomena that no set before has: clauses, attitudes and answers."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "concession": (
        _plain(
            "x y:person",
            "although {x} had apologised, {y} was still angry the next morning",
            "although {x} had apologised, the anger of {y} had not passed by the next morning",
            "despite an apology from {x}, the anger of {y} had not passed by the next morning",
            "{y} was still angry the next morning despite an apology from {x}",
        ),
        _plain(
            "x y:person c:chore",
            "even though {x} offered to help, {y} {c:past} alone",
            "{x} offered help, and yet {y} chose to {c} alone",
            "despite being offered help by {x}, {y} chose to {c} alone",
            "{y} {c:past} alone in spite of an offer of help from {x}",
        ),
        _plain(
            "x y:person",
            "no matter how often {x} explained the rules, {y} did not understand them",
            "no matter how often the rules were explained by {x}, they made no sense to {y}",
            "however often {x} explained the rules, they made no sense to {y}",
            "the rules made no sense to {y}, however often {x} explained them",
        ),
    ),
    "until_clause": (
        _plain(
            "x y:person",
            "{x} did not leave the office until {y} arrived",
            "not before the arrival of {y} did {x} leave the office",
            "{x} stayed in the office until the arrival of {y}",
            "until {y} arrived, {x} stayed in the office",
        ),
        _plain(
            "x y:person c d:chore",
            "{y} refused to {d} until {x} had {c:part}",
            "{x} had to {c} before {y} was willing to {d}",
            "only when {x} had {c:part} was {y} willing to {d}",
            "before {y} was willing to {d}, {x} had to {c}",
        ),
        _plain(
            "x y:person",
            "{x} slept soundly until {y} switched on the light",
            "until the light was switched on by {y}, {x} slept soundly",
            "{x} did not wake up until the light was switched on by {y}",
            "not until {y} switched on the light did {x} wake up",
        ),
    ),
    "wish": (
        _plain(
            "x y:person c:chore",
            "{x} wishes that {y} had {c:part}",
            "{x} regrets that {y} has not {c:part}",
            "to the regret of {x}, {y} has not {c:part}",
            "{y} has not {c:part}, to the regret of {x}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} would be happier if {y} did not {c}",
            "if {y} did not {c}, {x} would be happier",
            "{x} would prefer it if {y} did not {c}",
            "{x} would prefer {y} not to {c}",
        ),
        _plain(
            "x y:person",
            "every single day {x} longs for the return of {y}",
            "every single day {x} longs for {y} to return",
            "the return of {y} is what {x} longs for every single day",
            "what {x} longs for every single day is the return of {y}",
        ),
    ),
    "answer": (
        _plain(
            "x y:person c:chore",
            "asked who had {c:part}, {x} pointed to {y}",
            "{x} pointed to {y} when asked who had {c:part}",
            "when asked who had {c:part}, {x} pointed to {y}",
            "it was {y} to whom {x} pointed when asked who had {c:part}",
        ),
        _plain(
            "x y:person",
            "the spokesman said, when asked, that {y} would replace {x}",
            "when asked, the spokesman said that {x} would be replaced by {y}",
            "the spokesman named {y} when asked who would replace {x}",
            "asked by whom {x} would be replaced, the spokesman named {y}",
        ),
        _plain(
            "x y:person",
            "{y} gave no answer to the question that {x} had asked",
            "{x} had asked a question, to which {y} gave no answer",
            "to the question that {x} had asked, {y} gave no answer",
            "the question that {x} had asked was given no answer by {y}",
        ),
    ),
    "parenthetical_report": (
        _plain(
            "x y:person c:chore",
            "{y}, {x} told the jury, had {c:part}",
            "{x} told the jury that {y} had {c:part}",
            "{y} had {c:part}, {x} told the jury",
            "what {x} told the jury was that {y} had {c:part}",
        ),
        _plain(
            "x y:person",
            "{y}, in the opinion of {x}, would make an excellent governor",
            "in the opinion of {x}, {y} would make an excellent governor",
            "{y} would make an excellent governor, in the opinion of {x}",
            "{x} is of the opinion that {y} would make an excellent governor",
        ),
        _plain(
            "x y:person b:building",
            "as {x} pointed out to {y}, the {b:n} needs a new roof",
            "the {b:n}, as {x} pointed out to {y}, needs a new roof",
            "the {b:n}, it was pointed out to {y} by {x}, needs a new roof",
            "as was pointed out to {y} by {x}, the {b:n} needs a new roof",
        ),
    ),
    "negative_raising": (
        _plain(
            "x y:person c:chore",
            "{x} does not think that {y} should {c}",
            "{x} thinks that {y} should not {c}",
            "{y}, {x} thinks, should not {c}",
            "{y} should not {c}, {x} thinks",
        ),
        _plain(
            "x y:person",
            "{x} does not expect {y} to win the race",
            "{x} expects {y} not to win the race",
            "{y} is not expected by {x} to win the race",
            "{y} is expected by {x} not to win the race",
        ),
        _plain(
            "x y:person",
            "it does not seem to {x} that {y} is telling the truth",
            "it seems to {x} that {y} is not telling the truth",
            "{y} does not seem to {x} to be telling the truth",
            "{y} seems to {x} not to be telling the truth",
        ),
    ),
    "causal_chain": (
        _plain(
            "a b c:hazard",
            "the {a:n} caused the {b:n}, which in turn caused the {c:n}",
            "the {c:n} was caused by the {b:n}, which in turn was caused by the {a:n}",
            "the {c:n} was caused by the {b:n}, itself caused by the {a:n}",
            "the {b:n}, which was caused by the {a:n}, in turn caused the {c:n}",
            swap="ab",
        ),
        _plain(
            "x y z:person",
            "{z} was angry because {x} had made {y} laugh",
            "because {x} had made {y} laugh, {z} was angry",
            "what made {z} angry was that {x} had made {y} laugh",
            "{x} had made {y} laugh, and that made {z} angry",
            swap="yz",
        ),
        _plain(
            "a b:hazard c:town",
            "{c} was destroyed by the {b:n} that resulted from the {a:n}",
            "the {a:n} resulted in the {b:n} by which {c} was destroyed",
            "the {b:n} by which {c} was destroyed resulted from the {a:n}",
            "what destroyed {c} was the {b:n} that resulted from the {a:n}",
            swap="ab",
        ),
    ),
}
