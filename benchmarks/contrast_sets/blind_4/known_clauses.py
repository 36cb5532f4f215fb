"""Frames of the fourth blind set for phenomena of earlier sets: clauses, questions and conjuncts."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "purpose": (
        _plain(
            "x y:person c:chore",
            "{x} stayed late so that {y} could {c}",
            "so that {y} could {c}, {x} stayed late",
            "{x} stayed late for {y} to be able to {c}",
            "for {y} to be able to {c}, {x} stayed late",
        ),
        _plain(
            "x y:person v:deed",
            "{x} moved to the capital with the aim of {v:ing} {y}",
            "with the aim of {v:ing} {y}, {x} moved to the capital",
            "the aim with which {x} moved to the capital was to {v} {y}",
            "{x} moved to the capital in order to {v} {y}",
        ),
        _plain(
            "p:person a b:thing",
            "{p} sold {a:a} to pay for {b:a}",
            "to pay for {b:a}, {p} sold {a:a}",
            "{p} raised the money for {b:a} by selling {a:a}",
            "selling {a:a} enabled {p} to pay for {b:a}",
            swap="ab",
        ),
    ),
    "pseudo_cleft": (
        _plain(
            "x y:person v:deed",
            "what {x} would like most of all is to {v} {y}",
            "to {v} {y} is what {x} would like most of all",
            "most of all, {x} would like to {v} {y}",
        ),
        _plain(
            "x y:person c:chore",
            "the one whom {x} never forgave for {c:ing} was {y}",
            "{y} was the one whom {x} never forgave for {c:ing}",
            "{x} never forgave {y} for {c:ing}",
            "{y} was never forgiven by {x} for {c:ing}",
        ),
        _plain(
            "x y:person",
            "what {x} misses about {y} is the sense of humour",
            "the sense of humour is what {x} misses about {y}",
            "it is the sense of humour that {x} misses about {y}",
        ),
    ),
    "relative_clause": (
        _plain(
            "x y:role v:deed",
            "beware of the {x:n} whom the {y:n} {v:past} last spring",
            "beware of the {x:n} who was {v:part} by the {y:n} last spring",
            "the {x:n} to beware of is the one whom the {y:n} {v:past} last spring",
        ),
        _plain(
            "x y:role t:thing",
            "the {x:n} from whom the {y:n} borrowed {t:a} has moved away",
            "the {x:n} who lent the {y:n} {t:a} has moved away",
            "the {x:n} by whom {t:a} was lent to the {y:n} has moved away",
        ),
        _plain(
            "p:name x y:role v:deed",
            "{p} pointed at the {x:n} who was said to have {v:part} the {y:n}",
            "{p} pointed at the {x:n} by whom the {y:n} was said to have been {v:part}",
            "{p} pointed at the {x:n} who, it was said, had {v:part} the {y:n}",
        ),
        _plain(
            "x y:person v:deed",
            "{x} is one of the few people whom {y} has never {v:part}",
            "one of the few people whom {y} has never {v:part} is {x}",
            "among the few people who have never been {v:part} by {y} is {x}",
            "{x} is among the few people who have never been {v:part} by {y}",
        ),
    ),
    "question": (
        _plain(
            "x y:person v:deed",
            "when did {x} {v} {y} for the first time?",
            "when was {y} {v:part} by {x} for the first time?",
            "when was it that {x} {v:past} {y} for the first time?",
            "when was it that {y} was {v:part} by {x} for the first time?",
        ),
        _plain(
            "x y:person v:deed",
            "who but {x} would dare to {v} {y} in public?",
            "who would dare to {v} {y} in public but {x}?",
            "who other than {x} would dare to {v} {y} in public?",
        ),
        _plain(
            "x y:role v:deed",
            "which {x:n} has the {y:n} {v:part} most often?",
            "which {x:n} has been {v:part} most often by the {y:n}?",
            "which is the {x:n} whom the {y:n} has {v:part} most often?",
        ),
    ),
    "report": (
        _plain(
            "x y z:person c:chore",
            "the rumour that {z} had {c:part} reached {x} through {y}",
            "it was through {y} that {x} heard the rumour that {z} had {c:part}",
            "{x} heard through {y} the rumour that {z} had {c:part}",
        ),
        _plain(
            "x y z:person c:chore",
            "{x} warned {y} by letter that {z} would {c}",
            "{y} was warned in a letter from {x} that {z} would {c}",
            "{y} received from {x} a letter warning that {z} would {c}",
            swap="xz",
        ),
        _plain(
            "x y:person c:chore",
            "in an affidavit {x} insists that {y} never {c:past}",
            "what {x} insists in an affidavit is that {y} never {c:past}",
            "that {y} never {c:past} is what {x} insists in an affidavit",
        ),
    ),
    "temporal_order": (
        _plain(
            "e f:calamity",
            "exactly a minute after {e}, {f}",
            "{f} exactly a minute after {e}",
            "exactly a minute before {f}, {e}",
            "{e} exactly a minute before {f}",
            swap="ef",
        ),
        _plain(
            "x y:person h k:happening",
            "no sooner had {x} {h:part} than {y} {k:past}",
            "{x} had no sooner {h:part} than {y} {k:past}",
            "as soon as {x} had {h:part}, {y} {k:past}",
            "{y} {k:past} as soon as {x} had {h:part}",
        ),
        _plain(
            "x y:person",
            "{x} was already at the summit when {y} set off",
            "by the time {y} set off, {x} was already at the summit",
            "when {y} set off, {x} was already at the summit",
            "{y} set off when {x} was already at the summit",
        ),
    ),
    "gapping": (
        _plain(
            "x y:person s t:discipline",
            "given the chance, {x} would study {s} and {y} {t}",
            "given the chance, {y} would study {t} and {x} {s}",
            "given the chance, {x} would study {s} and {y} would study {t}",
            "given the chance, {y} would study {t} and {x} would study {s}",
            swap="st",
        ),
        _plain(
            "x y z w:person",
            "in the runoff {x} voted for {z} and {y} for {w}",
            "in the runoff {y} voted for {w} and {x} for {z}",
            "in the runoff {x} voted for {z} and {y} voted for {w}",
            "in the runoff {z} got the vote of {x} and {w} that of {y}",
            swap="zw",
        ),
        _plain(
            "x y:person c d:chore",
            "{x} offered to {c} and {y} to {d}",
            "{y} offered to {d} and {x} to {c}",
            "{x} offered to {c} and {y} offered to {d}",
            "the offer to {c} came from {x} and that to {d} from {y}",
            swap="cd",
        ),
    ),
}
