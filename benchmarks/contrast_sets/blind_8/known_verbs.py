"""Frames of the eighth blind set for phenomena of earlier sets: verbs and their arguments."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_VERBS: dict[str, tuple[Frame, ...]] = {
    "voice": (
        _plain(
            "x y:person v:blow",
            "according to two witnesses, {x} {v:past} {y} outside the post office",
            "according to two witnesses, {y} was {v:part} by {x} outside the post office",
            "outside the post office {x} {v:past} {y}, according to two witnesses",
            "outside the post office {y} was {v:part} by {x}, according to two witnesses",
        ),
        _plain(
            "x y:person v:power",
            "before the year is out {x} may well {v} {y}",
            "before the year is out {y} may well be {v:part} by {x}",
            "{x} may well {v} {y} before the year is out",
            "{y} may well be {v:part} by {x} before the year is out",
        ),
        _plain(
            "x y:someone v:deed",
            "in all these years {x} has not once {v:part} {y}",
            "in all these years {y} has not once been {v:part} by {x}",
            "not once in all these years has {x} {v:part} {y}",
            "not once in all these years has {y} been {v:part} by {x}",
        ),
    ),
    "passive_of_ditransitive": (
        _plain(
            "x y:someone t:thing",
            "the {t:n} that {x} had lent {y} was never seen again",
            "the {t:n} lent to {y} by {x} was never seen again",
            "the {t:n} that had been lent by {x} to {y} was never seen again",
            "the {t:n} that {y} had been lent by {x} was never seen again",
        ),
        _plain(
            "x y:person",
            "{y} was asked a trick question by {x} at the job interview",
            "at the job interview {x} asked {y} a trick question",
            "at the job interview {y} was asked a trick question by {x}",
            "what {y} was asked by {x} at the job interview was a trick question",
        ),
        _plain(
            "x y:person",
            "{x} left {y} a message on the answering machine",
            "{y} was left a message on the answering machine by {x}",
            "on the answering machine a message was left for {y} by {x}",
            "on the answering machine {x} left a message for {y}",
        ),
    ),
    "converse": (
        _plain(
            "x y:person",
            "{x} has worked for {y} since the spring",
            "{y} has employed {x} since the spring",
            "since the spring {x} has been employed by {y}",
            "since the spring {y} has been the employer of {x}",
        ),
        _plain(
            "x y:someone t:thing",
            "at the flea market {x} bought {t:a} from {y}",
            "at the flea market {y} sold {t:a} to {x}",
            "{t:a} was sold to {x} by {y} at the flea market",
            "{t:a} was bought from {y} by {x} at the flea market",
        ),
        _plain(
            "x y:person",
            "to the surprise of the doctors, {x} outlived {y} by five years",
            "to the surprise of the doctors, {y} died five years before {x}",
            "to the surprise of the doctors, {x} died five years after {y}",
            "the death of {y}, to the surprise of the doctors, came five years before that of {x}",
        ),
    ),
    "raising": (
        _plain(
            "x y:person v:blow",
            "{x} is alleged to have {v:part} {y} in a crowded lift",
            "{y} is alleged to have been {v:part} by {x} in a crowded lift",
            "it is alleged that {x} {v:past} {y} in a crowded lift",
            "it is alleged that {y} was {v:part} by {x} in a crowded lift",
        ),
        _plain(
            "x y:someone v:deed",
            "during the meeting {x} happened to {v} {y}",
            "during the meeting {y} happened to be {v:part} by {x}",
            "it so happened that {x} {v:past} {y} during the meeting",
            "it so happened that {y} was {v:part} by {x} during the meeting",
        ),
        _plain(
            "x y:person v:power",
            "{x} is likely to {v} {y} in the near future",
            "{y} is likely to be {v:part} by {x} in the near future",
            "it is likely that {x} will {v} {y} in the near future",
            "it is likely that {y} will be {v:part} by {x} in the near future",
        ),
    ),
    "benefactive": (
        _plain(
            "x y:person",
            "after the long drive home {x} made {y} a cup of tea",
            "after the long drive home {x} made a cup of tea for {y}",
            "a cup of tea was made for {y} by {x} after the long drive home",
            "it was {x} who made {y} a cup of tea after the long drive home",
        ),
        _plain(
            "x y:person c:chore",
            "{x} did {y} a great favour by {c:ing}",
            "by {c:ing}, {x} did {y} a great favour",
            "the great favour that {x} did {y} was to {c}",
            "{y} was done a great favour by {x}, who {c:past}",
        ),
        _plain(
            "x y:person",
            "{x} found {y} a cheap flat near the station",
            "{y} was found a cheap flat near the station by {x}",
            "a cheap flat near the station was found for {y} by {x}",
            "{x} found a cheap flat near the station for {y}",
        ),
    ),
    "blame": (
        _plain(
            "x y:person",
            "{x} put the blame for the power cut on {y}",
            "the blame for the power cut was put on {y} by {x}",
            "{x} held {y} to blame for the power cut",
            "{y} was held to blame for the power cut by {x}",
        ),
        _plain(
            "x y:person",
            "it was the fault of {x} that {y} missed the train",
            "{y} missed the train through the fault of {x}",
            "that {y} missed the train was the fault of {x}",
            "{x} was to blame for the fact that {y} missed the train",
        ),
        _plain(
            "x y:person c:chore",
            "{x} accused {y} of having forgotten to {c}",
            "{y} was accused by {x} of having forgotten to {c}",
            "it was {x} who accused {y} of having forgotten to {c}",
            "of having forgotten to {c}, {y} was accused by {x}",
        ),
    ),
    "pursuit": (
        _plain(
            "x y:someone",
            "{x} pursued {y} down to the river at full speed",
            "{y} was pursued by {x} down to the river at full speed",
            "{y} ran down to the river at full speed with {x} in pursuit",
            "with {x} in pursuit, {y} ran down to the river at full speed",
        ),
        _plain(
            "x y:someone",
            "through the tunnel {x} followed {y} at a distance",
            "through the tunnel {y} was followed by {x} at a distance",
            "{y} drove through the tunnel, followed at a distance by {x}",
            "{x} drove through the tunnel, following {y} at a distance",
        ),
        _plain(
            "x y:person",
            "for years {x} searched in vain for {y}",
            "for years {y} was searched for in vain by {x}",
            "it was {x} who searched in vain for {y} for years",
            "it was {y} whom {x} searched for in vain for years",
        ),
    ),
    "payment": (
        _plain(
            "x y:someone n:number",
            "{x} pays {y} a monthly pension of {n} pounds",
            "{y} receives a monthly pension of {n} pounds from {x}",
            "a monthly pension of {n} pounds is paid to {y} by {x}",
            "{y} is paid a monthly pension of {n} pounds by {x}",
        ),
        _plain(
            "x y:person",
            "{x} footed the bill for the meal that {y} had ordered",
            "the bill for the meal that {y} had ordered was footed by {x}",
            "{y} had ordered the meal, but it was {x} who footed the bill",
            "the meal had been ordered by {y}, but {x} footed the bill",
        ),
        _plain(
            "x y:person",
            "{x} signed the cheque that {y} cashed at the bank",
            "the cheque that {y} cashed at the bank had been signed by {x}",
            "the cheque signed by {x} was cashed at the bank by {y}",
            "{y} cashed at the bank the cheque that {x} had signed",
        ),
    ),
}
