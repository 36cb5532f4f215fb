"""Frames of the fifth blind set for phenomena that no set before has: encyclopaedic facts, reference."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_NOUNS: dict[str, tuple[Frame, ...]] = {
    "succession": (
        _plain(
            "x y:person b:building",
            "in the autumn {x} took over {b} from {y}",
            "in the autumn {y} handed {b} over to {x}",
            "in the autumn {b} passed from {y} to {x}",
            "{x} took {b} over from {y} in the autumn",
        ),
        _plain(
            "x y:name",
            "on the death of {x} the throne passed to {y}",
            "{y} came to the throne on the death of {x}",
            "when {x} died, {y} came to the throne",
            "when {x} died, the throne passed to {y}",
        ),
        _plain(
            "x y:person",
            "{x} held the world record until {y} broke it",
            "{y} broke the world record that {x} had held",
            "the world record held by {x} was broken by {y}",
            "{x} lost the world record to {y}, who broke it",
        ),
        _plain(
            "x y:name",
            "as director of the institute {x} was directly followed by {y}",
            "{x} was director of the institute directly before {y}",
            "{y} was director of the institute directly after {x}",
            "as director of the institute {y} directly followed {x}",
        ),
    ),
    "birth_and_death": (
        _plain(
            "p:name c d:city",
            "{p} was born in {c} and died in poverty in {d}",
            "born in {c}, {p} died in poverty in {d}",
            "{p} died in poverty in {d} but was born in {c}",
            "{p}, who was born in {c}, died in poverty in {d}",
            swap="cd",
        ),
        _plain(
            "p:name c d:city",
            "{p} grew up in {c} but is buried in {d}",
            "{p}, who grew up in {c}, is buried in {d}",
            "in {d} is the grave of {p}, who grew up in {c}",
            "the grave of {p}, who grew up in {c}, is in {d}",
            swap="cd",
        ),
        _plain(
            "x y:name",
            "{x} was born in the very year in which {y} died",
            "{y} died in the very year in which {x} was born",
            "the year in which {x} was born was the year in which {y} died",
            "in the very year in which {y} died, {x} was born",
        ),
    ),
    "river_course": (
        _plain(
            "a b:river c:town",
            "near {c} the waters of the {a} flow into the {b}",
            "near {c} the {b} takes in the waters of the {a}",
            "the waters of the {a} flow into the {b} near {c}",
            "the {b} takes in the waters of the {a} near {c}",
            swap="ab",
        ),
        _plain(
            "a:river c d:town",
            "the {a} rises near {c} and reaches the sea at {d}",
            "the {a}, which rises near {c}, reaches the sea at {d}",
            "from {c}, where it rises, the {a} runs to the sea at {d}",
            "the mouth of the {a} is at {d} and its source near {c}",
            swap="cd",
        ),
        _plain(
            "a:river c d:town",
            "on the banks of the {a}, {c} lies upstream of {d}",
            "on the banks of the {a}, {d} lies downstream of {c}",
            "on the banks of the {a}, {d} lies further downstream than {c}",
            "on the banks of the {a}, {c} lies further upstream than {d}",
            swap="cd",
        ),
    ),
    "route": (
        _plain(
            "c d e:town",
            "the night train from {c} to {d} calls at {e}",
            "on its way to {d} the night train from {c} calls at {e}",
            "the night train that leaves {c} for {d} calls at {e}",
            "on its way from {c} to {d} the night train calls at {e}",
            swap="cd",
        ),
        _plain(
            "p:person c d:city",
            "last summer {p} cycled from {c} to {d}",
            "starting in {c}, {p} cycled to {d} last summer",
            "last summer {p} set off from {c} and cycled to {d}",
            "last summer {p} cycled to {d} all the way from {c}",
            swap="cd",
        ),
        _plain(
            "c d:country",
            "through the new pipeline {c} supplies {d} with gas",
            "through the new pipeline {d} is supplied with gas by {c}",
            "through the new pipeline gas flows from {c} to {d}",
            "the new pipeline carries gas from {c} to {d}",
            swap="cd",
        ),
    ),
    "film_role": (
        _plain(
            "x y:name a b:role v:deed",
            "in the film {a:a} played by {x} is {v:part} by {b:a} played by {y}",
            "in the film {b:a} played by {y} {v:s} {a:a} played by {x}",
            "in the film {y} plays {b:a} who {v:s} {a:a} played by {x}",
            "in the film {x} plays {a:a} who is {v:part} by {b:a} played by {y}",
        ),
        _plain(
            "x y:person r:role",
            "in the role of the {r:n}, {x} was replaced by {y}",
            "{y} took over the role of the {r:n} from {x}",
            "{y} replaced {x} in the role of the {r:n}",
            "the role of the {r:n} went from {x} to {y}",
        ),
        _plain(
            "x y:name a b:role",
            "in the cartoon {x} is the voice of the {a:n} and {y} that of the {b:n}",
            "in the cartoon {y} is the voice of the {b:n} and {x} that of the {a:n}",
            "in the cartoon the {a:n} is voiced by {x} and the {b:n} by {y}",
            "in the cartoon the {b:n} is voiced by {y} and the {a:n} by {x}",
        ),
    ),
    "match_result": (
        _plain(
            "c d:country",
            "in the semifinal {c} beat {d} on penalties",
            "in the semifinal {d} lost to {c} on penalties",
            "in the semifinal {d} were beaten on penalties by {c}",
            "{d} went out to {c} on penalties in the semifinal",
            swap="cd",
        ),
        _plain(
            "x:name c d:country",
            "thanks to a late goal by {x}, {c} beat {d}",
            "{d} lost to {c} through a late goal by {x}",
            "a late goal by {x} gave {c} victory over {d}",
            "{c} beat {d} thanks to a late goal by {x}",
            swap="cd",
        ),
        _plain(
            "x y:person",
            "{x} defeated {y} in straight sets to reach the final",
            "{y} lost in straight sets to {x}, who reached the final",
            "{x} reached the final by defeating {y} in straight sets",
            "to reach the final {x} defeated {y} in straight sets",
        ),
    ),
    "renaming": (
        _plain(
            "c d:town",
            "after the revolution the town of {c} was renamed {d}",
            "after the revolution the town of {c} took the name of {d}",
            "until the revolution the town of {d} was called {c}",
            "since the revolution the town of {c} has been called {d}",
            swap="cd",
        ),
        _plain(
            "x y:name",
            "on stage the singer born as {x} goes by the name of {y}",
            "{y} is the stage name of the singer born as {x}",
            "the singer born as {x} performs under the name of {y}",
            "the singer who performs under the name of {y} was born as {x}",
        ),
        _plain(
            "c d:brand",
            "the company now known as {d} used to trade as {c}",
            "the company that used to trade as {c} is now known as {d}",
            "the company formerly known as {c} now trades as {d}",
            "now known as {d}, the company used to trade as {c}",
            swap="cd",
        ),
    ),
    "former_and_latter": (
        _plain(
            "x y:person",
            "both {x} and {y} applied, but only the former was shortlisted",
            "both {y} and {x} applied, but only the latter was shortlisted",
            "of the two applicants, {x} and {y}, only the former was shortlisted",
            "of the two applicants, {y} and {x}, only the latter was shortlisted",
        ),
        _plain(
            "a b:building",
            "{a} and {b} stood by the lake until fire destroyed the former",
            "{b} and {a} stood by the lake until fire destroyed the latter",
            "{a} and {b} stood by the lake until the former was destroyed by fire",
            "{b} and {a} stood by the lake until the latter was destroyed by fire",
            swap="ab",
        ),
        _plain(
            "p:person s t:pastime",
            "when {p} tried {s} and {t}, the latter was more fun",
            "when {p} tried {t} and {s}, the former was more fun",
            "having tried {s} and {t}, {p} found the latter more fun",
            "having tried {t} and {s}, {p} found the former more fun",
            swap="st",
        ),
    ),
}
