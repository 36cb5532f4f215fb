"""Frames of the seventh blind set for phenomena of earlier sets: verbs and their arguments."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

KNOWN_VERBS: dict[str, tuple[Frame, ...]] = {
    "voice": (
        _plain(
            "x y:person v:blow",
            "at some point during the siege {x} must have {v:part} {y}",
            "at some point during the siege {y} must have been {v:part} by {x}",
            "{x} must have {v:part} {y} at some point during the siege",
            "{y} must have been {v:part} by {x} at some point during the siege",
        ),
        _plain(
            "x y:person v:power",
            "unless a miracle happens, {x} will {v} {y} within a week",
            "unless a miracle happens, {y} will be {v:part} by {x} within a week",
            "within a week {x} will {v} {y}, unless a miracle happens",
            "within a week {y} will be {v:part} by {x}, unless a miracle happens",
        ),
        _plain(
            "x y:person v:deed",
            "in the second chapter of the new novel {x} {v:past} {y}",
            "in the second chapter of the new novel {y} was {v:part} by {x}",
            "{x} {v:past} {y} in the second chapter of the new novel",
            "{y} was {v:part} by {x} in the second chapter of the new novel",
        ),
    ),
    "dative": (
        _plain(
            "x y:someone t:thing",
            "as a farewell present {x} sent {y} {t:a}",
            "as a farewell present {x} sent {t:a} to {y}",
            "{y} was sent {t:a} by {x} as a farewell present",
            "{t:a} was sent to {y} by {x} as a farewell present",
        ),
        _plain(
            "x y:person",
            "without a word {x} handed {y} the key to the safe",
            "without a word {y} was handed the key to the safe by {x}",
            "{x} handed the key to the safe to {y} without a word",
            "the key to the safe was handed to {y} by {x} without a word",
        ),
        _plain(
            "x y:person",
            "during the lunch break {x} showed {y} the X-ray images",
            "during the lunch break {x} showed the X-ray images to {y}",
            "during the lunch break {y} was shown the X-ray images by {x}",
            "the X-ray images were shown to {y} by {x} during the lunch break",
        ),
    ),
    "causative": (
        _plain(
            "x y:person c:chore",
            "{x} finally got {y} to {c}",
            "{y} was finally made by {x} to {c}",
            "{x} finally made {y} {c}",
            "it was {x} who finally got {y} to {c}",
        ),
        _plain(
            "x y:person",
            "{x} made {y} laugh out loud in the middle of the hymn",
            "in the middle of the hymn {y} laughed out loud because of {x}",
            "because of {x}, {y} laughed out loud in the middle of the hymn",
            "{x} was the reason why {y} laughed out loud in the middle of the hymn",
        ),
        _plain(
            "x y:person",
            "for the second night in a row {x} kept {y} awake",
            "for the second night in a row {y} was kept awake by {x}",
            "because of {x}, {y} lay awake for the second night in a row",
            "because of {x}, {y} could not sleep for the second night in a row",
        ),
    ),
    "control": (
        _plain(
            "x y:person c:chore",
            "that night {x} dared {y} to {c}",
            "that night {y} was dared by {x} to {c}",
            "that night it was {x} who dared {y} to {c}",
            "what {x} dared {y} to do that night was to {c}",
        ),
        _plain(
            "x y:person c:chore",
            "{x} secretly paid {y} to {c}",
            "{y} was secretly paid by {x} to {c}",
            "it was {x} who secretly paid {y} to {c}",
            "it was {y} who was secretly paid by {x} to {c}",
        ),
        _plain(
            "x y:person c:chore",
            "{y} told {x} off for refusing to {c}",
            "{x} was told off by {y} for refusing to {c}",
            "for refusing to {c}, {x} was told off by {y}",
            "it was {y} who told {x} off for refusing to {c}",
        ),
    ),
    "prevention": (
        _plain(
            "x y:person c:chore",
            "by taking the wrong van, {x} made it impossible for {y} to {c}",
            "because {x} had taken the wrong van, {y} could not {c}",
            "the wrong van had been taken by {x}, so {y} could not {c}",
            "{y} was unable to {c} because the wrong van had been taken by {x}",
        ),
        _plain(
            "x y:person",
            "without {x}, {y} would have drowned in the lake",
            "{x} saved {y} from drowning in the lake",
            "{y} was saved from drowning in the lake by {x}",
            "if it had not been for {x}, {y} would have drowned in the lake",
        ),
        _plain(
            "x y:person",
            "to the fury of the crowd, {x} kept {y} off the stage",
            "to the fury of the crowd, {y} was kept off the stage by {x}",
            "to the fury of the crowd, {x} would not let {y} onto the stage",
            "{y} was not let onto the stage by {x}, to the fury of the crowd",
        ),
    ),
    "experiencer": (
        _plain(
            "x y:person",
            "the bravery of {x} filled {y} with awe",
            "{y} was filled with awe by the bravery of {x}",
            "{y} was in awe of the bravery of {x}",
            "what filled {y} with awe was the bravery of {x}",
        ),
        _plain(
            "x y:person",
            "if truth be told, {x} cannot stand {y}",
            "if truth be told, {y} is unbearable to {x}",
            "if truth be told, {x} finds {y} unbearable",
            "to {x}, if truth be told, {y} is unbearable",
        ),
        _plain(
            "x y:person",
            "the prospect of seeing {y} again cheered {x} up",
            "{x} was cheered up by the prospect of seeing {y} again",
            "what cheered {x} up was the prospect of seeing {y} again",
            "it was the prospect of seeing {y} again that cheered {x} up",
        ),
    ),
    "deprivation": (
        _plain(
            "x y:someone t:thing",
            "during the raid {x} took {t:a} away from {y}",
            "during the raid {t:a} was taken away from {y} by {x}",
            "{y} lost {t:a} to {x} during the raid",
            "during the raid {y} was robbed of {t:a} by {x}",
        ),
        _plain(
            "x y:person",
            "at the last moment {x} cost {y} the championship",
            "because of {x}, {y} lost the championship at the last moment",
            "it was because of {x} that {y} lost the championship at the last moment",
            "at the last moment the championship was lost by {y} because of {x}",
        ),
        _plain(
            "x y:someone",
            "over a game of dominoes {x} won a fortune from {y}",
            "over a game of dominoes {y} lost a fortune to {x}",
            "{x} won a fortune from {y} over a game of dominoes",
            "{y} lost a fortune to {x} over a game of dominoes",
        ),
    ),
    "debt": (
        _plain(
            "x y:person",
            "{x} still owes {y} the money for the holiday",
            "{y} is still owed the money for the holiday by {x}",
            "{x} has not yet paid {y} the money for the holiday",
            "the money for the holiday is still owed to {y} by {x}",
        ),
        _plain(
            "x y:person",
            "{x} is in debt to {y} to the tune of two thousand pounds",
            "{y} is owed two thousand pounds by {x}",
            "two thousand pounds is what {x} owes {y}",
            "what {y} is owed by {x} is two thousand pounds",
        ),
        _plain(
            "x y:person",
            "at the weekend {x} paid off an old debt to {y}",
            "an old debt to {y} was paid off by {x} at the weekend",
            "at the weekend {x} paid {y} back an old debt",
            "at the weekend {y} was paid back an old debt by {x}",
        ),
    ),
}
