"""Frames of the fifth blind set for phenomena that no set before has: who takes which part of an event."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_ARGUMENTS: dict[str, tuple[Frame, ...]] = {
    "deprivation": (
        _plain(
            "x y:person m:loot",
            "at the fair {x} swindled {y} out of {m}",
            "at the fair {x} swindled {m} out of {y}",
            "at the fair {y} was swindled out of {m} by {x}",
            "at the fair {y} lost {m} in a swindle by {x}",
        ),
        _plain(
            "x y:person t:thing",
            "did {x} pilfer {t:a} from {y} on the ferry?",
            "was {t:a} pilfered from {y} by {x} on the ferry?",
            "was it {y} from whom {x} pilfered {t:a} on the ferry?",
            "is it true that {x} pilfered {t:a} from {y} on the ferry?",
        ),
        _plain(
            "x y:person",
            "after the scandal {x} was stripped of the title, which went to {y}",
            "after the scandal {y} was given the title of which {x} was stripped",
            "after the scandal the title was taken from {x} and given to {y}",
            "after the scandal {y} was given the title that was taken from {x}",
        ),
    ),
    "material_product": (
        _plain(
            "p:person a b:cover",
            "in one evening {b:a} was made by {p} out of {a:a}",
            "in one evening {p} made {b:a} out of {a:a}",
            "in one evening {p} turned {a:a} into {b:a}",
            "in one evening {a:a} was turned by {p} into {b:a}",
            swap="ab",
        ),
        _plain(
            "a b:building",
            "a century ago {a} was converted into {b:a}",
            "a century ago {a} was turned into {b:a}",
            "a century ago {b:a} was made out of {a}",
            swap="ab",
        ),
        _plain(
            "p:person a b:machine",
            "from the parts of {a:a}, {p} built {b:a}",
            "{p} took {a:a} apart and built {b:a} from the parts",
            "{b:a} was built by {p} from the parts of {a:a}",
            "{p} built {b:a} from what had once been {a:a}",
            swap="ab",
        ),
    ),
    "instrument": (
        _plain(
            "p:person a b:tool",
            "{p} used {b:a} to knock {a:a} off the shelf",
            "with {b:a}, {p} knocked {a:a} off the shelf",
            "it was with {b:a} that {p} knocked {a:a} off the shelf",
            "what {p} used to knock {a:a} off the shelf was {b:a}",
            swap="ab",
        ),
        _plain(
            "p:person a b:thing",
            "in the corner {b} was used by {p} to prop up {a}",
            "in the corner {p} used {b} to prop up {a}",
            "what {p} used to prop up {a} in the corner was {b}",
            "in the corner {p} propped up {a} by means of {b}",
            swap="ab",
        ),
        _plain(
            "p:person a b:tool",
            "using {a}, {p} scraped the mud off {b}",
            "{p} used {a} to scrape the mud off {b}",
            "the tool with which {p} scraped the mud off {b} was {a}",
            "{a} was what {p} used to scrape the mud off {b}",
            swap="ab",
        ),
    ),
    "mistaken_identity": (
        _plain(
            "x y z:person",
            "in the thick fog {x} mistook {y} for {z}",
            "in the thick fog {y} was mistaken by {x} for {z}",
            "in the thick fog {x} thought that {y} was {z}",
            "in the thick fog {y} was taken for {z} by {x}",
            swap="yz",
        ),
        _plain(
            "x y:person",
            "{x} posed as {y} to get past the guards",
            "{x} got past the guards by posing as {y}",
            "by pretending to be {y}, {x} got past the guards",
            "{x} pretended to be {y} to get past the guards",
        ),
        _plain(
            "p:person a b:beast",
            "what {p} took for {a:a} in the dark was {b:a}",
            "in the dark {p} mistook {b:a} for {a:a}",
            "{p} mistook {b:a} for {a:a} in the dark",
            "what seemed to {p} in the dark to be {a:a} was {b:a}",
            swap="ab",
        ),
    ),
    "pursuit": (
        _plain(
            "x y:person",
            "all the way to the harbour {x} pursued {y}",
            "all the way to the harbour {y} was pursued by {x}",
            "{y} ran all the way to the harbour with {x} in pursuit",
            "with {x} in pursuit, {y} ran all the way to the harbour",
        ),
        _plain(
            "x y:person",
            "down the ladder went {y}, with {x} close behind",
            "with {x} close behind, {y} went down the ladder",
            "{x} went down the ladder close behind {y}",
            "{y} went down the ladder, closely followed by {x}",
        ),
        _plain(
            "x y:person",
            "at the crowded station {y} gave {x} the slip",
            "at the crowded station {y} slipped away from {x}",
            "at the crowded station {x} was given the slip by {y}",
            "{y} gave {x} the slip at the crowded station",
        ),
    ),
    "prevention": (
        _plain(
            "x y:person c:chore",
            "at the last moment {x} stopped {y} from {c:ing}",
            "at the last moment {y} was stopped from {c:ing} by {x}",
            "it was {x} who at the last moment stopped {y} from {c:ing}",
            "{y} was stopped by {x} at the last moment from {c:ing}",
        ),
        _plain(
            "x y:person c:chore",
            "from now on {x} forbids {y} to {c}",
            "from now on {y} is forbidden by {x} to {c}",
            "{x} has banned {y} from {c:ing} from now on",
            "from now on {y} is banned by {x} from {c:ing}",
        ),
        _plain(
            "x y:person c:chore",
            "after much argument {x} talked {y} out of {c:ing}",
            "after much argument {x} dissuaded {y} from {c:ing}",
            "after much argument {y} was talked out of {c:ing} by {x}",
            "after much argument {y} was dissuaded from {c:ing} by {x}",
        ),
    ),
    "debt": (
        _plain(
            "x y:person",
            "even now {x} owes {y} a month's rent",
            "even now {y} is owed a month's rent by {x}",
            "what {x} owes {y} even now is a month's rent",
            "even now {x} is in debt to {y} for a month's rent",
        ),
        _plain(
            "x y:person",
            "{x} has {y} to thank for the invitation to the palace",
            "{x} owes the invitation to the palace to {y}",
            "it is to {y} that {x} owes the invitation to the palace",
            "it is {y} whom {x} has to thank for the invitation to the palace",
        ),
        _plain(
            "x y:person",
            "down to the last penny {x} paid {y} back",
            "{x} paid {y} back down to the last penny",
            "down to the last penny {y} was paid back by {x}",
            "{y} got every last penny back from {x}",
        ),
    ),
}
