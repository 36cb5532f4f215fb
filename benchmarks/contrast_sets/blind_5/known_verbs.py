"""Frames of the fifth blind set for phenomena of earlier sets: the arguments of verbs."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_VERBS: dict[str, tuple[Frame, ...]] = {
    "voice": (
        _plain(
            "x y:person v:deed",
            "according to the diary, {x} {v:past} {y} at the picnic",
            "according to the diary, {y} was {v:part} by {x} at the picnic",
            "the diary records that {x} {v:past} {y} at the picnic",
            "the diary records that {y} was {v:part} by {x} at the picnic",
        ),
        _plain(
            "x y:firm v:trade",
            "by the turn of the century {x} had {v:part} {y}",
            "by the turn of the century {y} had been {v:part} by {x}",
            "{x} had {v:part} {y} by the turn of the century",
            "{y} had been {v:part} by {x} by the turn of the century",
        ),
        _plain(
            "x y:machine v:bump",
            "at the level crossing {x} very nearly {v:past} {y}",
            "at the level crossing {y} was very nearly {v:part} by {x}",
            "{x} very nearly {v:past} {y} at the level crossing",
            "{y} was very nearly {v:part} by {x} at the level crossing",
        ),
    ),
    "dative": (
        _plain(
            "x y:person v:fax d:paper",
            "within the hour {x} {v:past} {y} {d:a}",
            "within the hour {x} {v:past} {d:a} to {y}",
            "within the hour {y} was {v:part} {d:a} by {x}",
            "within the hour {d:a} was {v:part} to {y} by {x}",
        ),
        _plain(
            "x y:person b:boon",
            "to general surprise, {x} granted {y} {b}",
            "to general surprise, {x} granted {b} to {y}",
            "to general surprise, {y} was granted {b} by {x}",
            "to general surprise, {b} was granted to {y} by {x}",
        ),
        _plain(
            "x y:person",
            "in the last round {x} dealt {y} three aces",
            "in the last round {x} dealt three aces to {y}",
            "in the last round {y} was dealt three aces by {x}",
            "it was {y} to whom {x} dealt three aces in the last round",
        ),
    ),
    "converse": (
        _plain(
            "x y:person",
            "these days {x} is on the payroll of {y}",
            "these days {y} has {x} on the payroll",
            "these days {x} draws a salary from {y}",
            "these days {y} pays {x} a salary",
        ),
        _plain(
            "c d:country",
            "year after year {c} imports timber from {d}",
            "year after year {d} exports timber to {c}",
            "year after year {c} buys timber from {d}",
            "year after year {d} sells timber to {c}",
            swap="cd",
        ),
        _plain(
            "x y:person",
            "in the end {x} outlived {y} by a decade",
            "in the end {x} died a decade later than {y}",
            "in the end {y} died a decade earlier than {x}",
        ),
        _plain(
            "x y:person",
            "did {x} spend the holidays as a house guest of {y}?",
            "did {y} put {x} up over the holidays?",
            "did {y} have {x} to stay over the holidays?",
            "was {x} put up by {y} over the holidays?",
        ),
    ),
    "control": (
        _plain(
            "x y:person c:chore",
            "{x} begged {y} for permission to {c}",
            "{x} begged {y} to be allowed to {c}",
            "{y} was begged by {x} for permission to {c}",
            "it was {y} whom {x} begged for permission to {c}",
        ),
        _plain(
            "x y:person c:chore",
            "giving in to pressure from {x}, {y} consented to {c}",
            "{y} gave in to pressure from {x} and consented to {c}",
            "it was pressure from {x} that made {y} consent to {c}",
            "{x} put pressure on {y}, who gave in and consented to {c}",
        ),
        _plain(
            "x y:person c:chore",
            "on Monday {x} set {y} the task of {c:ing}",
            "on Monday {y} was set the task of {c:ing} by {x}",
            "the task that {x} set {y} on Monday was to {c}",
            "to {c} was the task that {x} set {y} on Monday",
        ),
    ),
    "causative": (
        _plain(
            "x y:person",
            "with a single remark {x} reduced {y} to tears",
            "with a single remark {x} made {y} cry",
            "a single remark by {x} reduced {y} to tears",
            "a single remark by {x} made {y} cry",
        ),
        _plain(
            "x y:person c:chore",
            "as a punishment {x} made {y} {c}",
            "as a punishment {y} was made to {c} by {x}",
            "as a punishment {y} had to {c} on the orders of {x}",
            "on the orders of {x}, {y} had to {c} as a punishment",
        ),
        _plain(
            "x y:person",
            "what made {y} burst out laughing was the way {x} danced",
            "the way {x} danced made {y} burst out laughing",
            "{y} burst out laughing because of the way {x} danced",
            "it was the way {x} danced that made {y} burst out laughing",
        ),
    ),
    "benefactive": (
        _plain(
            "x y:person v:stitch d:cover",
            "as a farewell gift {x} {v:past} {y} {d:a}",
            "as a farewell gift {x} {v:past} {d:a} for {y}",
            "{d:a} was {v:part} by {x} as a farewell gift for {y}",
            "the farewell gift that {x} {v:past} for {y} was {d:a}",
        ),
        _plain(
            "x y:person d:drink",
            "behind the bar {x} mixed {y} {d}",
            "behind the bar {x} mixed {d} for {y}",
            "what {x} mixed for {y} behind the bar was {d}",
            "behind the bar {d} was mixed for {y} by {x}",
        ),
        _plain(
            "x y:person",
            "in the long queue {x} saved {y} a place",
            "in the long queue {x} saved a place for {y}",
            "in the long queue {y} was saved a place by {x}",
            "it was {y} for whom {x} saved a place in the long queue",
        ),
    ),
    "have_passive": (
        _plain(
            "x y:person t:thing",
            "after the accident {y} had the {t:n} repaired by {x}",
            "after the accident {y} got {x} to repair the {t:n}",
            "it was {x} that {y} got to repair the {t:n} after the accident",
            "{x} was the one whom {y} got to repair the {t:n} after the accident",
        ),
        _plain(
            "x y:someone",
            "after the war {x} pulled one of {y:'s} wisdom teeth",
            "after the war {y} had one wisdom tooth pulled by {x}",
            "after the war one of {y:'s} wisdom teeth was pulled by {x}",
            "after the war {x} pulled one wisdom tooth of {y:'s}",
        ),
        _plain(
            "x y:someone",
            "for the second time {y} had an application rejected by {x}",
            "for the second time {x} rejected an application from {y}",
            "for the second time {y:'s} application was rejected by {x}",
            "for the second time {x} rejected {y:'s} application",
        ),
    ),
    "locative_alternation": (
        _plain(
            "p:person d e:paste",
            "without asking, {p} spread {d} over {e}",
            "without asking, {p} topped {e} with {d}",
            "without asking, {p} put a layer of {d:n} on {e}",
            "{e} was topped with {d} by {p} without asking",
            swap="de",
        ),
        _plain(
            "p:person a b:box",
            "with some effort {p} crammed {a:thepl} into {b:thepl}",
            "with some effort {p} crammed {b:thepl} with {a:thepl}",
            "with some effort {a:thepl} were crammed into {b:thepl} by {p}",
            "with some effort {b:thepl} were crammed with {a:thepl} by {p}",
            swap="ab",
        ),
        _plain(
            "p:person a b:cover",
            "in a hurry {p} padded {a} with {b}",
            "in a hurry {p} used {b} as padding for {a}",
            "in a hurry {p} stuffed {b} into {a} as padding",
            "in a hurry {b} was stuffed into {a} as padding by {p}",
            swap="ab",
        ),
    ),
}
