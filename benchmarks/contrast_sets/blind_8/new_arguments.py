"""Frames of the eighth blind set for phenomena that no set before has: what persons do to each other."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_ARGUMENTS: dict[str, tuple[Frame, ...]] = {
    "introduction": (
        _plain(
            "x y:someone z:name",
            "at the gala {x} introduced {y} to {z}",
            "at the gala {y} was introduced to {z} by {x}",
            "it was {x} who introduced {y} to {z} at the gala",
            "it was through {x} that {y} got to know {z} at the gala",
        ),
        _plain(
            "x y:someone",
            "it was {x} who brought {y} into the band",
            "it was thanks to {x} that {y} joined the band",
            "{y} was brought into the band by {x}",
            "{y} joined the band thanks to {x}",
        ),
        _plain(
            "x y:person",
            "just before the start of the show {x} presented {y} to the audience",
            "just before the start of the show {y} was presented to the audience by {x}",
            "{x} presented {y} to the audience just before the start of the show",
            "{y} was presented to the audience by {x} just before the start of the show",
        ),
    ),
    "taking_sides": (
        _plain(
            "x y z:someone",
            "in the quarrel {x} sided with {y} against {z}",
            "in the quarrel {x} took the side of {y} against {z}",
            "against {z}, {x} took the side of {y} in the quarrel",
            "against {z}, {y} had the support of {x} in the quarrel",
            swap="yz",
        ),
        _plain(
            "x y:person",
            "in the last week of the trial {x} testified against {y}",
            "{x} testified against {y} in the last week of the trial",
            "one of those who testified against {y} in the last week of the trial was {x}",
            "{y} was one of those against whom {x} testified in the last week of the trial",
        ),
        _plain(
            "x y:person",
            "in the televised debate {x} came to the defence of {y}",
            "in the televised debate {y} was defended by {x}",
            "{x} came to the defence of {y} in the televised debate",
            "{y} was defended by {x} in the televised debate",
        ),
    ),
    "threat": (
        _plain(
            "x y:person",
            "{x} threatened to sue {y} because of the noise",
            "{x} threatened {y} with a lawsuit because of the noise",
            "{y} was threatened by {x} with a lawsuit because of the noise",
            "because of the noise {y} was threatened with a lawsuit by {x}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} threatened to call the police if {y} did not {c}",
            "{x} threatened to call the police unless {y} {c:past}",
            "what {x} threatened to do unless {y} {c:past} was to call the police",
            "unless {y} {c:past}, the police would be called, {x} threatened",
        ),
        _plain(
            "x y:someone",
            "for months {x} made threatening phone calls to {y}",
            "for months {y} received threatening phone calls from {x}",
            "threatening phone calls were made to {y} by {x} for months",
            "the threatening phone calls that {y} received for months were from {x}",
        ),
    ),
    "concealment": (
        _plain(
            "x y:person",
            "{x} hid the truth about the accident from {y}",
            "the truth about the accident was hidden from {y} by {x}",
            "{x} kept the truth about the accident secret from {y}",
            "the truth about the accident was kept secret from {y} by {x}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} {c:past} without the knowledge of {y}",
            "without {y} knowing about it, {x} {c:past}",
            "{x} {c:past}, but {y} knew nothing about it",
            "{y} did not know that {x} had {c:part}",
        ),
        _plain(
            "x y:person",
            "which of the letters did {x} hide from {y}?",
            "which of the letters were hidden from {y} by {x}?",
            "which of the letters was it that {x} hid from {y}?",
            "from {y}, which of the letters did {x} hide?",
        ),
    ),
    "apology": (
        _plain(
            "x y:person",
            "{x} made an apology to {y} for the mess in the kitchen",
            "{y} received an apology from {x} for the mess in the kitchen",
            "for the mess in the kitchen {x} made an apology to {y}",
            "for the mess in the kitchen {y} received an apology from {x}",
        ),
        _plain(
            "x y:person",
            "{x} still owes {y} an apology",
            "{y} is still owed an apology by {x}",
            "{y} is still waiting for an apology from {x}",
            "{x} has still not made {y} an apology",
        ),
        _plain(
            "x y:person",
            "{y} accepted the apology that {x} had offered",
            "the apology that {y} accepted had been offered by {x}",
            "the apology offered by {x} was accepted by {y}",
            "{x} had offered an apology, and {y} accepted it",
        ),
    ),
    "hosting": (
        _plain(
            "x y:person",
            "{x} was the guest of {y} for the whole weekend",
            "{y} had {x} as a guest for the whole weekend",
            "{y} put {x} up for the whole weekend",
            "{x} was put up by {y} for the whole weekend",
        ),
        _plain(
            "x y:person",
            "after the last concert of the season {y} gave {x} a bed for the night",
            "after the last concert of the season {x} was given a bed for the night by {y}",
            "{x} got a bed for the night from {y} after the last concert of the season",
            "{y} let {x} have a bed for the night after the last concert of the season",
        ),
        _plain(
            "x y:person",
            "over Easter {x} was host to {y} at the cottage",
            "over Easter {y} was the guest of {x} at the cottage",
            "{x} had {y} as a guest at the cottage over Easter",
            "{y} had {x} as a host at the cottage over Easter",
        ),
    ),
}
