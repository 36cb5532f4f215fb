"""Frames of the seventh blind set for phenomena of earlier sets: nouns, degrees, numbers and possession."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_NOUNS: dict[str, tuple[Frame, ...]] = {
    "apposition": (
        _plain(
            "p:woman q:man x y:role",
            "last spring {p}, {x:a}, married {q}, {y:a}",
            "last spring {q}, {y:a}, married {p}, {x:a}",
            "{p}, who is {x:a}, married {q}, who is {y:a}, last spring",
            "{q}, who is {y:a}, married {p}, who is {x:a}, last spring",
        ),
        _plain(
            "p:name x y:role v:deed",
            "{x}, an old schoolmate of {p}, was {v:part} by {y}",
            "{y} {v:past} {x}, an old schoolmate of {p}",
            "the old schoolmate of {p} whom {y} {v:past} is {x}",
            "{x}, who is an old schoolmate of {p}, was {v:part} by {y}",
        ),
        _plain(
            "c d:town",
            "{c}, a fishing village, is much older than {d}, a market town",
            "{d}, a market town, is much younger than {c}, a fishing village",
            "the fishing village of {c} is much older than the market town of {d}",
            "the market town of {d} is much younger than the fishing village of {c}",
            swap="cd",
        ),
    ),
    "ownership_chain": (
        _plain(
            "p:name k j:kin t:thing",
            "{p:'s} {k:n}'s {j:n} bought the {t:n}",
            "the {j:n} of {p:'s} {k:n} bought the {t:n}",
            "the {t:n} was bought by {p:'s} {k:n}'s {j:n}",
            "the {t:n} was bought by the {j:n} of {p:'s} {k:n}",
            swap="kj",
        ),
        _plain(
            "x y:someone k:kin",
            "{x} drives the van of {y:'s} {k:n}",
            "{y:'s} {k:n} owns the van that {x} drives",
            "the van that {x} drives belongs to {y:'s} {k:n}",
            "the owner of the van that {x} drives is {y:'s} {k:n}",
        ),
        _plain(
            "p:name k j:kin c:city",
            "the {k:n} of {p:'s} {j:n} has opened a bar in {c}",
            "{p:'s} {j:n}'s {k:n} has opened a bar in {c}",
            "in {c} a bar has been opened by the {k:n} of {p:'s} {j:n}",
            "in {c} a bar has been opened by {p:'s} {j:n}'s {k:n}",
            swap="kj",
        ),
    ),
    "number_binding": (
        _plain(
            "n m:number a b:group",
            "in the hall sat {n} {a:pl} and {m} {b:pl}",
            "in the hall sat {m} {b:pl} and {n} {a:pl}",
            "there were {n} {a:pl} and {m} {b:pl} sitting in the hall",
            "there were {m} {b:pl} and {n} {a:pl} sitting in the hall",
            swap="nm",
        ),
        _plain(
            "p:name s t:thing n m:number",
            "{p} paid {n} pounds for the {s:n} and {m} for the {t:n}",
            "{p} paid {m} pounds for the {t:n} and {n} for the {s:n}",
            "the {s:n} cost {p} {n} pounds and the {t:n} {m}",
            "the {t:n} cost {p} {m} pounds and the {s:n} {n}",
            swap="nm",
        ),
        _plain(
            "c d:town n m:number",
            "{c} is {n} miles from the capital and {d} is {m}",
            "{d} is {m} miles from the capital and {c} is {n}",
            "from the capital it is {n} miles to {c} and {m} to {d}",
            "from the capital it is {m} miles to {d} and {n} to {c}",
            swap="nm",
        ),
    ),
    "superlative": (
        _plain(
            "x y:person",
            "the best singer in the choir is {x} and the worst is {y}",
            "the worst singer in the choir is {y} and the best is {x}",
            "nobody in the choir sings better than {x} or worse than {y}",
            "nobody in the choir sings worse than {y} or better than {x}",
        ),
        _plain(
            "s t:thing",
            "{s} was the dearest item at the sale and {t} was the cheapest",
            "the cheapest item at the sale was {t} and the dearest was {s}",
            "no item at the sale was dearer than {s} or cheaper than {t}",
            "no item at the sale was cheaper than {t} or dearer than {s}",
            swap="st",
        ),
        _plain(
            "x y:person",
            "of all the applicants it was {x} who made the best impression on {y}",
            "the applicant who made the best impression on {y} was {x}",
            "the applicant by whom {y} was most impressed was {x}",
            "of all the applicants it was {x} by whom {y} was most impressed",
        ),
    ),
    "multiplicative_comparison": (
        _plain(
            "c d:town",
            "{c} has three times as many inhabitants as {d}",
            "{d} has a third as many inhabitants as {c}",
            "the number of inhabitants of {c} is three times that of {d}",
            "the number of inhabitants of {d} is a third of that of {c}",
            swap="cd",
        ),
        _plain(
            "x y:person",
            "on an average day {x} drinks twice as much coffee as {y}",
            "on an average day {y} drinks half as much coffee as {x}",
            "{x} drinks twice as much coffee as {y} on an average day",
            "{y} drinks half as much coffee as {x} on an average day",
        ),
        _plain(
            "s t:thing",
            "{s} weighs ten times as much as {t}",
            "{t} weighs a tenth of what {s} weighs",
            "{s} is ten times as heavy as {t}",
            "the weight of {t} is a tenth of that of {s}",
            swap="st",
        ),
    ),
    "succession": (
        _plain(
            "x y:person",
            "as leader of the party {x} took over from {y}",
            "as leader of the party {y} was succeeded by {x}",
            "{y} handed over the leadership of the party to {x}",
            "the leadership of the party was handed over by {y} to {x}",
        ),
        _plain(
            "c d:town",
            "in the ninth century the kingdom moved its capital from {d} to {c}",
            "in the ninth century {c} replaced {d} as capital of the kingdom",
            "in the ninth century {d} was replaced by {c} as capital of the kingdom",
            "the capital of the kingdom moved from {d} to {c} in the ninth century",
            swap="cd",
        ),
        _plain(
            "x y:name",
            "after the death of {x} the crown went to {y}",
            "{y} was crowned after the death of {x}",
            "{y} was crowned once {x} was dead",
            "once {x} was dead, the crown went to {y}",
        ),
    ),
    "symmetric_predicate": (
        _plain(
            "x y:role a b:looks",
            "after the trial the {a} {x:n} shook hands with the {b} {y:n}",
            "after the trial the {b} {y:n} shook hands with the {a} {x:n}",
            "after the trial the {a} {x:n} and the {b} {y:n} shook hands",
            "the {b} {y:n} and the {a} {x:n} shook hands after the trial",
            swap="ab",
        ),
        _plain(
            "s t:thing a b:state",
            "the police found the {a} {s:n} next to the {b} {t:n}",
            "the police found the {b} {t:n} next to the {a} {s:n}",
            "the {a} {s:n} and the {b} {t:n} were found next to each other by the police",
            "the {b} {t:n} and the {a} {s:n} were found next to each other by the police",
            swap="ab",
        ),
        _plain(
            "x y:role c d:city",
            "the {x:n} from {c} is a distant relative of the {y:n} from {d}",
            "the {y:n} from {d} is a distant relative of the {x:n} from {c}",
            "the {x:n} from {c} and the {y:n} from {d} are distant relatives",
            "the {y:n} from {d} and the {x:n} from {c} are distant relatives",
            swap="cd",
        ),
    ),
}
