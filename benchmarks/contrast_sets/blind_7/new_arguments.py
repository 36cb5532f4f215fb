"""Frames of the seventh blind set for phenomena that no set before has: dealings between persons."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_ARGUMENTS: dict[str, tuple[Frame, ...]] = {
    "payment": (
        _plain(
            "x y:someone t:thing n:number",
            "{x} paid {y} {n} pounds for {t:a}",
            "{y} got {n} pounds from {x} for {t:a}",
            "for {t:a} {y} was paid {n} pounds by {x}",
            "for {t:a} {x} gave {y} {n} pounds",
        ),
        _plain(
            "x y:person",
            "{x} charged {y} nothing for the repairs",
            "{y} was charged nothing by {x} for the repairs",
            "{x} did the repairs for {y} free of charge",
            "the repairs were done for {y} by {x} free of charge",
        ),
        _plain(
            "x y:person",
            "{x} lives off the money that {y} earns",
            "the money off which {x} lives is earned by {y}",
            "{y} earns the money off which {x} lives",
            "it is {y} who earns the money that {x} lives off",
        ),
    ),
    "permission": (
        _plain(
            "x y:person c:chore",
            "with the permission of {x}, {y} {c:past}",
            "{y} {c:past}, having been given permission by {x}",
            "{x} gave permission, whereupon {y} {c:past}",
            "{y}, with permission from {x}, {c:past}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} will not let {y} {c}",
            "{y} is not allowed by {x} to {c}",
            "{x} has forbidden {y} to {c}",
            "{y} is forbidden by {x} to {c}",
        ),
        _plain(
            "x y:someone",
            "at very short notice {y} granted {x} a day off",
            "at very short notice {x} was granted a day off by {y}",
            "{x} got a day off from {y} at very short notice",
            "{y} let {x} have a day off at very short notice",
        ),
    ),
    "refusal": (
        _plain(
            "x y:person",
            "{x} turned down the proposal that {y} had made",
            "the proposal that {y} had made was turned down by {x}",
            "{y} had made a proposal, but {x} turned it down",
            "the proposal made by {y} was one that {x} turned down",
        ),
        _plain(
            "x y:person",
            "after the match {x} would not shake hands with {y}",
            "after the match {y} was refused a handshake by {x}",
            "after the match {x} refused {y} a handshake",
            "{x} refused to shake hands with {y} after the match",
        ),
        _plain(
            "x y:someone t:thing",
            "{x} refused to sell {y} {t}",
            "{y} tried in vain to buy {t} from {x}",
            "{y} wanted to buy {t} from {x}, who refused",
            "{x} refused when {y} offered to buy {t}",
        ),
    ),
    "impression": (
        _plain(
            "x y:person a:trait",
            "at first {x} struck {y} as rather {a}",
            "at first {y} found {x} rather {a}",
            "at first {x} seemed rather {a} to {y}",
            "at first {y} thought {x} rather {a}",
        ),
        _plain(
            "x y:person",
            "{y} had the impression that {x} was in a hurry",
            "{x} gave {y} the impression of being in a hurry",
            "to {y} it looked as if {x} was in a hurry",
            "{x} seemed to {y} to be in a hurry",
        ),
        _plain(
            "x y:person",
            "{x} reminds {y} of a famous film star",
            "{y} is reminded by {x} of a famous film star",
            "seeing {x} makes {y} think of a famous film star",
            "it is {x} who reminds {y} of a famous film star",
        ),
    ),
    "bargain": (
        _plain(
            "x y:person c d:chore",
            "{y} promised to {d}, and in return {x} {c:past}",
            "in return for the promise of {y} to {d}, {x} {c:past}",
            "{x} {c:past}, having been promised in return that {y} would {d}",
            "{x} {c:past} because {y} had promised to {d} in return",
        ),
        _plain(
            "x y:someone",
            "{x} gets a room from {y} in exchange for cooked meals",
            "{y} gets cooked meals from {x} in exchange for a room",
            "{x} gives {y} cooked meals in exchange for a room",
            "{y} gives {x} a room in exchange for cooked meals",
        ),
        _plain(
            "x y:someone",
            "in return for a post in the government {x} gave {y} support in the vote",
            "{y} gave {x} a post in the government in return for support in the vote",
            "{x} got a post in the government from {y} in return for support in the vote",
            "{y} got support in the vote from {x} in return for a post in the government",
        ),
    ),
    "lost_and_found": (
        _plain(
            "x y:person t:thing",
            "a week later {x} found {t} that {y} had lost",
            "a week later {t} that {y} had lost was found by {x}",
            "{y} had lost {t:a}, and a week later it was {x} who found it",
            "{t} lost by {y} was found by {x} a week later",
        ),
        _plain(
            "x y:person",
            "{x} handed in the wallet that {y} had dropped in the street",
            "the wallet dropped in the street by {y} was handed in by {x}",
            "{y} dropped the wallet in the street, and {x} handed it in",
            "the wallet that {x} handed in had been dropped in the street by {y}",
        ),
        _plain(
            "x y:person t:thing",
            "{x} is searching for {t} that {y} stole",
            "{y} stole {t} for which {x} is searching",
            "what {x} is searching for is {t} that {y} stole",
            "{t} for which {x} is searching was stolen by {y}",
        ),
    ),
    "credit": (
        _plain(
            "x y:person",
            "{x} took the credit for the work that {y} had done",
            "{y} had done the work for which {x} took the credit",
            "the credit for the work done by {y} was taken by {x}",
            "the work was done by {y}, but {x} took the credit for it",
        ),
        _plain(
            "x y:person c:chore",
            "although {y} had {c:part}, it was {x} whom everyone praised",
            "everyone praised {x} although it was {y} who had {c:part}",
            "{y} had {c:part}, but it was {x} who was praised by everyone",
            "it was {y} who had {c:part}, and yet everyone praised {x}",
        ),
        _plain(
            "x y:name",
            "the discovery attributed to {x} was really made by {y}",
            "{y} really made the discovery that is attributed to {x}",
            "it was really {y} who made the discovery attributed to {x}",
            "the discovery that {y} made is wrongly attributed to {x}",
        ),
    ),
}
