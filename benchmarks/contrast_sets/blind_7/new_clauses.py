"""Frames of the seventh blind set for phenomena that no set before has: clauses, reference and questions."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "simultaneity": (
        _plain(
            "x y:person a b:place",
            "while {x} was at the {a:n}, {y} was at the {b:n}",
            "while {y} was at the {b:n}, {x} was at the {a:n}",
            "{y} was at the {b:n} at the same time as {x} was at the {a:n}",
            "{x} was at the {a:n} at the same time as {y} was at the {b:n}",
            swap="ab",
        ),
        _plain(
            "x y:person c d:chore",
            "while {x} was {c:ing}, {y} was {d:ing}",
            "while {y} was {d:ing}, {x} was {c:ing}",
            "{x} was {c:ing}, and meanwhile {y} was {d:ing}",
            "{y} was {d:ing}, and meanwhile {x} was {c:ing}",
            swap="cd",
        ),
        _plain(
            "x y:person",
            "{x} kept watch while {y} slept in the tent",
            "with {x} keeping watch, {y} slept in the tent",
            "{y} was asleep in the tent while {x} kept watch",
            "while {y} was asleep in the tent, {x} was on watch",
        ),
    ),
    "interruption": (
        _plain(
            "x y:person c:chore",
            "{x} was in the middle of {c:ing} when {y} burst in",
            "{y} burst in while {x} was {c:ing}",
            "while {x} was {c:ing}, {y} burst in",
            "{y} burst in on {x}, who was {c:ing}",
        ),
        _plain(
            "x y:person",
            "{x} was still speaking when {y} left the room",
            "before {x} had finished speaking, {y} left the room",
            "{y} left the room in the middle of a speech by {x}",
            "{y} did not wait for {x} to finish speaking before leaving the room",
        ),
        _plain(
            "x y:person",
            "{y} was telling a joke when {x} cut in",
            "{x} cut short a joke that {y} was telling",
            "in the middle of telling a joke {y} was cut short by {x}",
            "{x} cut in while {y} was telling a joke",
        ),
    ),
    "one_anaphora": (
        _plain(
            "x y:person a b:fabric g:garment",
            "{x} bought a {a} {g:n} and {y} a {b} one",
            "{y} bought a {b} {g:n} and {x} a {a} one",
            "the {g:n} that {x} bought was {a}, and the one that {y} bought was {b}",
            "the {g:n} that {y} bought was {b}, and the one that {x} bought was {a}",
            swap="ab",
        ),
        _plain(
            "x y:person",
            "{x} lives in the big house and {y} in the small one",
            "{y} lives in the small house and {x} in the big one",
            "the big house is the home of {x} and the small one that of {y}",
            "the small house is the home of {y} and the big one that of {x}",
        ),
        _plain(
            "x y:person t:thing",
            "{x} sold an old {t:n}, and {y} bought a new one",
            "{y} bought a new {t:n}, and {x} sold an old one",
            "an old {t:n} was sold by {x} and a new one bought by {y}",
            "a new {t:n} was bought by {y} and an old one sold by {x}",
        ),
    ),
    "tag_question": (
        _plain(
            "x y:man v:blow",
            "at the dinner last night {x} {v:past} {y}, didn't he?",
            "at the dinner last night {y} was {v:part} by {x}, wasn't he?",
            "{x} {v:past} {y} at the dinner last night, didn't he?",
            "{y} was {v:part} by {x} at the dinner last night, wasn't he?",
        ),
        _plain(
            "x y:person",
            "it was {x} who reported {y} to the police, wasn't it?",
            "it was {y} who was reported to the police by {x}, wasn't it?",
            "{x} was the one who reported {y} to the police, right?",
            "{y} was the one whom {x} reported to the police, right?",
        ),
        _plain(
            "x y:woman",
            "{x} has never lent {y} a penny, has she?",
            "{y} has never been lent a penny by {x}, has she?",
            "{x} has never lent a penny to {y}, has she?",
            "{y} has never borrowed a penny from {x}, has she?",
        ),
    ),
    "embedded_question": (
        _plain(
            "x y:person v:power",
            "the files do not reveal why {x} {v:past} {y}",
            "the files do not reveal why {y} was {v:part} by {x}",
            "why {x} {v:past} {y} is not revealed by the files",
            "why {y} was {v:part} by {x} is not revealed by the files",
        ),
        _plain(
            "x y:person",
            "{x} wanted to know where {y} had learned to juggle",
            "where had {y} learned to juggle, {x} wanted to know",
            "where {y} had learned to juggle was what {x} wanted to know",
            "{x} was curious to know where {y} had learned to juggle",
        ),
        _plain(
            "x y:someone",
            "it is unclear how much {x} was paid by {y} for the farm",
            "it is unclear how much {y} paid {x} for the farm",
            "how much {x} got from {y} for the farm is unclear",
            "how much {y} gave {x} for the farm is unclear",
        ),
    ),
    "direct_speech": (
        _plain(
            "x y:person c:chore",
            '{x} told {y}: "I have {c:part}"',
            '"I have {c:part}," {x} told {y}',
            '{y} was told by {x}: "I have {c:part}"',
            "{x} informed {y} of having {c:part}",
        ),
        _plain(
            "x y:person c:chore",
            '"will you {c}?" {x} asked {y}',
            '"will you {c}?" {y} was asked by {x}',
            '"will you {c}?" was what {x} asked {y}',
            "{x} asked {y} to {c}",
        ),
        _plain(
            "x y:person",
            '{x} told {y}: "you have won first prize"',
            '"you have won first prize," {y} was told by {x}',
            '{y} was told by {x}: "you have won first prize"',
            "{y} learned from {x} of having won first prize",
        ),
    ),
    "false_belief": (
        _plain(
            "x y:person c:chore",
            "{x} wrongly believes that {y} has {c:part}",
            "contrary to what {x} believes, {y} has not {c:part}",
            "{y}, as {x} wrongly believes, has {c:part}",
            "{y} has not {c:part}, although {x} believes otherwise",
        ),
        _plain(
            "x y:person",
            "{x} mistakenly thought that {y} was dead",
            "{y} was mistakenly believed dead by {x}",
            "{y} was still alive, although {x} thought otherwise",
            "although {x} thought otherwise, {y} was still alive",
        ),
        _plain(
            "x y:person",
            "{x} is under the illusion that {y} is a genius",
            "{y} is no genius, although {x} thinks otherwise",
            "whatever {x} may think, {y} is no genius",
            "{x} thinks {y} a genius, but that is an illusion",
        ),
    ),
    "partial_negation": (
        _plain(
            "x y:person",
            "{y} does not know everyone whom {x} knows",
            "not everyone whom {x} knows is known to {y}",
            "{x} knows some people whom {y} does not know",
            "some people whom {x} knows are unknown to {y}",
        ),
        _plain(
            "x y:person",
            "{y} does not believe everything that {x} says",
            "not everything that {x} says is believed by {y}",
            "some of what {x} says is not believed by {y}",
            "{x} says some things that {y} does not believe",
        ),
        _plain(
            "x y:person",
            "{y} has not answered all the letters that {x} sent",
            "not all the letters that {x} sent have been answered by {y}",
            "{x} sent some letters that {y} has not answered",
            "some of the letters sent by {x} have not been answered by {y}",
        ),
    ),
}
