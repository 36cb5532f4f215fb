"""Frames of the sixth blind set for phenomena of earlier sets: verbs and their arguments."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_VERBS: dict[str, tuple[Frame, ...]] = {
    "voice": (
        _plain(
            "x y:person v:deed",
            "during the long campaign {x} {v:past} {y} more than once",
            "during the long campaign {y} was {v:part} by {x} more than once",
            "more than once during the long campaign {x} {v:past} {y}",
            "more than once during the long campaign {y} was {v:part} by {x}",
        ),
        _plain(
            "x y:firm",
            "according to the annual report, {x} will buy up {y} next spring",
            "according to the annual report, {y} will be bought up by {x} next spring",
            "next spring {x} will buy up {y}, according to the annual report",
            "next spring {y} will be bought up by {x}, according to the annual report",
        ),
        _plain(
            "x y:person v:blow",
            "in a televised interview that was watched by millions of people, {x} {v:past} {y}",
            "in a televised interview that was watched by millions of people, {y} was {v:part} by {x}",
            "{x} {v:past} {y} in a televised interview that was watched by millions of people",
            "{y} was {v:part} by {x} in a televised interview that was watched by millions of people",
        ),
    ),
    "dative": (
        _plain(
            "x y:person t:gift",
            "as a token of thanks {x} gave {y} {t:a}",
            "as a token of thanks {x} gave {t:a} to {y}",
            "as a token of thanks {y} was given {t:a} by {x}",
            "{t:a} was given to {y} by {x} as a token of thanks",
        ),
        _plain(
            "x y:person",
            "on the last day of term {x} read {y} a poem",
            "on the last day of term {x} read a poem to {y}",
            "on the last day of term {y} was read a poem by {x}",
            "on the last day of term a poem was read to {y} by {x}",
        ),
        _plain(
            "x y:person",
            "a well-paid job in the new government was offered to {y} by {x}",
            "{x} offered {y} a well-paid job in the new government",
            "{y} was offered a well-paid job in the new government by {x}",
            "{x} offered a well-paid job in the new government to {y}",
        ),
    ),
    "converse": (
        _plain(
            "x y:person h:home",
            "for the whole summer {x} let {h} to {y}",
            "for the whole summer {y} rented {h} from {x}",
            "{h} was let to {y} by {x} for the whole summer",
            "{h} was rented by {y} from {x} for the whole summer",
        ),
        _plain(
            "x y:person s:subject",
            "at evening classes {x} taught {y} {s}",
            "at evening classes {y} learned {s} from {x}",
            "{y} was taught {s} by {x} at evening classes",
            "{x} taught {s} to {y} at evening classes",
        ),
        _plain(
            "x y:person",
            "in the queue at the bank {x} stood right behind {y}",
            "in the queue at the bank {y} stood right in front of {x}",
            "{x} stood right behind {y} in the queue at the bank",
            "{y} stood right in front of {x} in the queue at the bank",
        ),
    ),
    "control": (
        _plain(
            "x y:person c:chore",
            "after a long argument {x} talked {y} into {c:ing}",
            "after a long argument {y} was talked by {x} into {c:ing}",
            "after a long argument it was {x} who talked {y} into {c:ing}",
            "after a long argument it was {y} who was talked by {x} into {c:ing}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} left {y} no choice but to {c}",
            "because of {x}, {y} had no choice but to {c}",
            "{y} had no choice but to {c} because of {x}",
            "{x} was the reason why {y} had no choice but to {c}",
        ),
        _plain(
            "x y:person c:chore",
            "over the holidays {x} taught {y} how to {c}",
            "over the holidays {y} learned from {x} how to {c}",
            "over the holidays {y} was taught by {x} how to {c}",
            "over the holidays it was {x} who taught {y} how to {c}",
        ),
    ),
    "raising": (
        _plain(
            "x y:person v:deed",
            "sooner or later {x} is bound to {v} {y}",
            "sooner or later {y} is bound to be {v:part} by {x}",
            "{x} is bound to {v} {y} sooner or later",
            "{y} is bound to be {v:part} by {x} sooner or later",
        ),
        _plain(
            "x y:person v:blow",
            "{x} is rumoured to have {v:part} {y} at the summit",
            "{y} is rumoured to have been {v:part} by {x} at the summit",
            "rumour has it that {x} {v:past} {y} at the summit",
            "rumour has it that {y} was {v:part} by {x} at the summit",
        ),
        _plain(
            "x y:person v:deed",
            "to everyone's relief, {x} turned out never to have {v:part} {y}",
            "to everyone's relief, {y} turned out never to have been {v:part} by {x}",
            "to everyone's relief, it turned out that {x} had never {v:part} {y}",
            "to everyone's relief, it turned out that {y} had never been {v:part} by {x}",
        ),
    ),
    "promise": (
        _plain(
            "x y:person c:chore",
            "over the phone {x} made {y} a promise to {c}",
            "over the phone a promise to {c} was made to {y} by {x}",
            "the promise that {x} made to {y} over the phone was to {c}",
            "what {x} promised {y} over the phone was to {c}",
        ),
        _plain(
            "x y:person c:chore",
            "breaking a promise to {y}, {x} did not {c}",
            "{x} did not {c}, which broke a promise to {y}",
            "{x} broke a promise to {y} by not {c:ing}",
            "by not {c:ing}, {x} broke a promise to {y}",
        ),
        _plain(
            "x y:person c:chore",
            "at the meeting {x} made {y} an offer to {c}",
            "at the meeting {y} received an offer from {x} to {c}",
            "at the meeting an offer to {c} was made to {y} by {x}",
        ),
    ),
    "light_verb": (
        _plain(
            "x y:person c:city",
            "last Thursday {x} gave {y} a lift to {c}",
            "last Thursday {y} got a lift to {c} from {x}",
            "last Thursday {y} was driven to {c} by {x}",
            "last Thursday {x} drove {y} to {c}",
        ),
        _plain(
            "x y:person",
            "just before the exam {x} gave {y} a few words of advice",
            "just before the exam {y} got a few words of advice from {x}",
            "{y} was given a few words of advice by {x} just before the exam",
            "{x} had a few words of advice for {y} just before the exam",
        ),
        _plain(
            "x y:person",
            "all through the meal {x} took no notice of {y}",
            "all through the meal no notice was taken of {y} by {x}",
            "all through the meal {x} paid no attention to {y}",
            "no attention was paid to {y} by {x} all through the meal",
        ),
    ),
}
