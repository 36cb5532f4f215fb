"""Frames of the eighth blind set for phenomena that no set before has: scope, identity and questions."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_CLAUSES: dict[str, tuple[Frame, ...]] = {
    "counterfactual": (
        _plain(
            "x y:person",
            "if {x} had not phoned, {y} would have overslept",
            "without the phone call from {x}, {y} would have overslept",
            "{y} would have overslept without the phone call from {x}",
            "only the phone call from {x} kept {y} from oversleeping",
        ),
        _plain(
            "x y:person",
            "{x} would never have fallen off the roof if {y} had held the ladder",
            "had {y} held the ladder, {x} would never have fallen off the roof",
            "if only {y} had held the ladder, {x} would never have fallen off the roof",
            "{x} would never have fallen off the roof had the ladder been held by {y}",
        ),
        _plain(
            "x y:person",
            "would anybody have elected {y} without the support of {x}?",
            "without the support of {x}, would anybody have elected {y}?",
            "if it had not been for the support of {x}, would {y} have been elected?",
            "would {y} have been elected if it had not been for the support of {x}?",
        ),
    ),
    "identity": (
        _plain(
            "x y:person",
            "the thief who broke into the house of {y} turned out to be {x}",
            "{x} turned out to be the thief who broke into the house of {y}",
            "the house of {y} was broken into by a thief who turned out to be {x}",
            "it turned out to be {x} who broke into the house of {y}",
        ),
        _plain(
            "x y:person",
            "the secret admirer who sends {y} roses is none other than {x}",
            "none other than {x} is the secret admirer who sends {y} roses",
            "the secret admirer from whom {y} gets roses is none other than {x}",
            "{y} gets roses from a secret admirer who is none other than {x}",
        ),
        _plain(
            "x y:person",
            "at the party the person in the lion costume whom {y} hugged was {x}",
            "at the party the person in the lion costume hugged by {y} was {x}",
            "at the party {x} was the person in the lion costume whom {y} hugged",
            "at the party {y} hugged the person in the lion costume, who was {x}",
        ),
    ),
    "universal_statement": (
        _plain(
            "a b:group",
            "each {a:n} came with at least one {b:n}",
            "no {a:n} came without at least one {b:n}",
            "there was at least one {b:n} with each {a:n} who came",
            "at least one {b:n} came along with each {a:n}",
            swap="ab",
        ),
        _plain(
            "a b:group",
            "one and the same {a:n} has insulted every {b:n} in the room",
            "every {b:n} in the room has been insulted by one and the same {a:n}",
            "the very same {a:n} has insulted each {b:n} in the room",
            "each {b:n} in the room has been insulted by the very same {a:n}",
            swap="ab",
        ),
        _plain(
            "x y:person",
            "everyone in the village who knows {x} likes {y}",
            "whoever in the village knows {x} likes {y}",
            "{y} is liked by everyone in the village who knows {x}",
            "{y} is liked by all those in the village who know {x}",
        ),
    ),
    "long_distance_question": (
        _plain(
            "x y:person v:power",
            "who does {x} think that {y} will {v}?",
            "who does {x} think will be {v:part} by {y}?",
            "who will {y} {v}, in the opinion of {x}?",
            "who, in the opinion of {x}, will be {v:part} by {y}?",
        ),
        _plain(
            "x y:person",
            "what did {x} say that {y} had stolen from the safe?",
            "what did {x} say had been stolen from the safe by {y}?",
            "according to {x}, what had {y} stolen from the safe?",
            "what had been stolen from the safe by {y}, according to {x}?",
        ),
        _plain(
            "x y:person",
            "where does {x} believe that {y} hid the money?",
            "where does {x} believe that the money was hidden by {y}?",
            "in the view of {x}, where did {y} hide the money?",
            "where was the money hidden by {y}, in the view of {x}?",
        ),
    ),
    "denial": (
        _plain(
            "x y:person c:chore",
            "{x} denied that {y} had {c:part}",
            "that {y} had {c:part} was denied by {x}",
            "according to {x}, {y} had not {c:part}",
            "{y}, according to {x}, had not {c:part}",
        ),
        _plain(
            "x y:person",
            "{x} claims never to have met {y}",
            "{x} denies ever having met {y}",
            "{y} is somebody whom {x} claims never to have met",
            "{y} is somebody whom {x} denies ever having met",
        ),
        _plain(
            "x y:person",
            "{x} denied the rumour that {y} had spread",
            "the rumour that {x} denied had been spread by {y}",
            "the rumour spread by {y} was denied by {x}",
            "{y} had spread the rumour, but {x} denied it",
        ),
    ),
    "one_sidedness": (
        _plain(
            "x y:name",
            "{x} likes {y} more than {y} likes {x}",
            "{y} likes {x} less than {x} likes {y}",
            "{y} is liked by {x} more than {x} is by {y}",
            "{x} is liked by {y} less than {y} is by {x}",
        ),
        _plain(
            "x y:someone",
            "{x} writes to {y} more often than the other way round",
            "{y} writes to {x} less often than the other way round",
            "{y} gets more letters from {x} than the other way round",
            "{x} gets fewer letters from {y} than the other way round",
        ),
        _plain(
            "x y:name",
            "{x} can understand {y}, but {y} cannot understand {x}",
            "{y} cannot understand {x}, but {x} can understand {y}",
            "{x} can understand {y}, but not the other way round",
            "although {x} can understand {y}, it is not so the other way round",
        ),
    ),
    "too_and_enough": (
        _plain(
            "x y:person",
            "{x} was too fast for {y} to catch",
            "{y} was too slow to catch {x}",
            "{y} was not fast enough to catch {x}",
            "{x} was fast enough not to be caught by {y}",
        ),
        _plain(
            "s t:container",
            "the {s:n} is too big to fit into the {t:n}",
            "the {t:n} is too small for the {s:n} to fit into",
            "the {s:n} is not small enough to fit into the {t:n}",
            "the {t:n} is not big enough for the {s:n} to fit into",
            swap="st",
        ),
        _plain(
            "x y:person",
            "{x} spoke too softly for {y} to understand",
            "{y} could not understand {x}, who spoke too softly",
            "{x} did not speak loudly enough for {y} to understand",
            "{y} could not understand {x}, who did not speak loudly enough",
        ),
    ),
    "double_negation": (
        _plain(
            "x y:person",
            "{x} never goes on holiday without {y}",
            "without {y}, {x} never goes on holiday",
            "never does {x} go on holiday without taking {y} along",
            "whenever {x} goes on holiday, {y} goes along",
        ),
        _plain(
            "x y:someone",
            "not a day passes without {x} phoning {y}",
            "not a day passes without {y} being phoned by {x}",
            "there is not a day on which {x} does not phone {y}",
            "there is not a day on which {y} is not phoned by {x}",
        ),
        _plain(
            "x y:person v:power",
            "it is by no means impossible that {x} will {v} {y}",
            "it is by no means impossible that {y} will be {v:part} by {x}",
            "that {x} will {v} {y} is by no means impossible",
            "that {y} will be {v:part} by {x} is by no means impossible",
        ),
    ),
}
