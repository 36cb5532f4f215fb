"""Frames of the fourth blind set for phenomena that no set before has: who takes which part of an event."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_ARGUMENTS: dict[str, tuple[Frame, ...]] = {
    "exchange": (
        _plain(
            "p:person a b:thing",
            "at the flea market {p} got {b:a} in return for {a:a}",
            "at the flea market {p} parted with {a:a} in return for {b:a}",
            "at the flea market {p} bartered {a:a} for {b:a}",
            "at the flea market {a:a} was bartered for {b:a} by {p}",
            swap="ab",
        ),
        _plain(
            "a b:building",
            "on this site {a:a} has made way for {b:a}",
            "on this site there is now {b:a} instead of {a:a}",
            "on this site {a:a} has been replaced with {b:a}",
            "on this site {b:a} has replaced {a:a}",
            swap="ab",
        ),
        _plain(
            "p:person d e:spice",
            "this time {p} has substituted {e} for {d}",
            "this time {p} has used {e} in place of {d}",
            "this time {p} has replaced {d} with {e}",
            "this time {d} has been replaced with {e} by {p}",
            swap="de",
        ),
    ),
    "locative_alternation": (
        _plain(
            "p:person a b:cover",
            "before the storm {p} draped {a} over {b}",
            "before the storm {p} covered {b} with {a}",
            "before the storm {a} was draped over {b} by {p}",
            "before the storm {b} was covered with {a} by {p}",
            swap="ab",
        ),
        _plain(
            "p:person d e:cuisine",
            "for the banquet {p} stuffed {d} into {e}",
            "for the banquet {p} stuffed {e} with {d}",
            "for the banquet {d} was stuffed into {e} by {p}",
            "for the banquet {e} was stuffed with {d} by {p}",
            swap="de",
        ),
        _plain(
            "p:person a b:cover",
            "for the move {p} wound {a} round {b}",
            "for the move {p} wrapped {b} in {a}",
            "for the move {a} was wound round {b} by {p}",
            "for the move {b} was wrapped in {a} by {p}",
            swap="ab",
        ),
    ),
    "body_part": (
        _plain(
            "x y:someone v:pat b:limb",
            "in the lift {x} {v:past} {y} on the {b:n}",
            "in the lift {x} {v:past} {y:'s} {b:n}",
            "in the lift {y} was {v:part} on the {b:n} by {x}",
            "in the lift {y:'s} {b:n} was {v:part} by {x}",
        ),
        _plain(
            "x y:someone b:limb",
            "all of a sudden {x} seized {y} by the {b:n}",
            "all of a sudden {x} took hold of {y:'s} {b:n}",
            "all of a sudden {x} took hold of {y} by the {b:n}",
            "all of a sudden {y:'s} {b:n} was seized by {x}",
        ),
        _plain(
            "x y:someone b:limb",
            "the {b:n} that {x} had to bandage was {y:'s}",
            "{x} had to bandage {y:'s} {b:n} in the end",
            "{y:'s} {b:n} had to be bandaged by {x} in the end",
            "it was {y:'s} {b:n} that {x} had to bandage",
        ),
    ),
    "light_verb": (
        _plain(
            "x y:person k:knock",
            "for a joke {x} gave {y} a {k:1}",
            "for a joke {x} {k:2} {y} just once",
            "for a joke {y} was given a {k:1} by {x}",
            "for a joke {y} got a {k:1} from {x}",
        ),
        _plain(
            "x y:person",
            "{x} paid {y} a compliment during the long interval",
            "during the long interval {y} was paid a compliment by {x}",
            "during the long interval {x} complimented {y}",
            "{y} received a compliment from {x} during the long interval",
        ),
        _plain(
            "x y:person",
            "{x} lent {y} a hand with the removal",
            "{x} gave {y} some help with the removal",
            "{y} had some help from {x} with the removal",
            "{y} was lent a hand with the removal by {x}",
        ),
    ),
    "experiencer": (
        _plain(
            "x y:someone",
            "on each and every outing {x} gets on {y:'s} nerves",
            "on each and every outing {y} is irritated by {x}",
            "on each and every outing {x} irritates {y}",
            "on each and every outing {y} finds {x} irritating",
        ),
        _plain(
            "x y:someone",
            "{x} has always been very fond of {y}",
            "{y} has always been very dear to {x}",
            "there has always been a place for {y} in {x:'s} heart",
            "{y} has always had a place in {x:'s} heart",
        ),
        _plain(
            "x y:person n:source",
            "at work {x} is a constant source of {n:1} to {y}",
            "at work {y} is constantly {n:2} by {x}",
            "to {y}, {x} is a constant source of {n:1} at work",
            "at work {y} finds in {x} a constant source of {n:1}",
        ),
    ),
    "custody": (
        _plain(
            "x y:person z:someone",
            "that evening {x} left {y} in {z:'s} care",
            "that evening {x} left {z} in charge of {y}",
            "that evening {y} was left in {z:'s} care by {x}",
            "that evening {z} was left in charge of {y} by {x}",
            swap="yz",
        ),
        _plain(
            "x y:someone",
            "on the crossing {x} was in {y:'s} charge",
            "on the crossing {y} was in charge of {x}",
            "on the crossing {x} was in the charge of {y}",
        ),
        _plain(
            "x y:person",
            "on weekdays {y} is looked after by {x}",
            "on weekdays {y} is cared for by {x}",
            "on weekdays it is {x} who looks after {y}",
            "on weekdays the one who looks after {y} is {x}",
        ),
    ),
    "blame": (
        _plain(
            "x y:person d:mishap",
            "at the inquiry {x} blamed {y} for {d}",
            "at the inquiry {x} blamed {d} on {y}",
            "at the inquiry {y} was blamed for {d} by {x}",
            "at the inquiry {d} was blamed on {y} by {x}",
        ),
        _plain(
            "x y:someone d:mishap",
            "in {x:'s} opinion {d} was the fault of {y}",
            "in the opinion of {x}, {d} was {y:'s} fault",
            "{x} was of the opinion that {d} was {y:'s} fault",
            "that {d} was the fault of {y} was {x:'s} opinion",
        ),
        _plain(
            "x y:person m:merit",
            "{x} gave {y} the credit for {m}",
            "the credit for {m} was given to {y} by {x}",
            "{x} gave the credit for {m} to {y}",
            "{y} was given the credit for {m} by {x}",
        ),
    ),
    "prepositional_passive": (
        _plain(
            "x y:person v:aim",
            "all through the rehearsal {x} {v:past} {y}",
            "all through the rehearsal {y} was {v:part} by {x}",
            "the one whom {x} {v:past} all through the rehearsal was {y}",
            "the one who was {v:part} by {x} all through the rehearsal was {y}",
        ),
        _plain(
            "x y:person v:aim",
            "why is {y} so often {v:part} by {x}?",
            "why does {x} so often {v} {y}?",
            "why is it that {x} so often {v:s} {y}?",
            "why is it that {y} is so often {v:part} by {x}?",
        ),
        _plain(
            "x y:person v:aim",
            "being {v:part} by {x} is what {y} cannot bear",
            "what {y} cannot bear is being {v:part} by {x}",
            "{y} cannot bear to be {v:part} by {x}",
            "to be {v:part} by {x} is what {y} cannot bear",
        ),
    ),
}
