"""Frames of the second blind set in which clauses are focussed, embedded, asked, or joined."""

from pipeline.syntax.frames.frames import Frame, triples, ways

CLAUSES: dict[str, tuple[Frame, ...]] = {
    "it_cleft": (
        ways(
            "x y:person v:deed",
            "it must have been {x} who {v:past} {y} on the eve of the trial",
            "it must have been {y} that {x} {v:past} on the eve of the trial",
            "it must have been {y} who was {v:part} by {x} on the eve of the trial",
            adverbial="",
        ),
        ways(
            "x y:vehicle v:crash",
            "as far as we know, it was {x} that {v:past} {y} at the crossroads",
            "as far as we know, it was {y} that {x} {v:past} at the crossroads",
            "as far as we know, it was {y} that was {v:part} by {x} at the crossroads",
            adverbial="",
        ),
        ways(
            "x y:person v:deed",
            "it was because {x} had {v:part} {y} that the picnic ended so early",
            "it was because {y} had been {v:part} by {x} that the picnic ended so early",
            "the picnic ended so early because {x} had {v:part} {y}",
            "the picnic ended so early because {y} had been {v:part} by {x}",
            adverbial="",
        ),
        ways(
            "x y:person g:confer z:thing",
            "it was {z} that {x} {g:past} to {y}",
            "it was {z} that was {g:part} to {y} by {x}",
            "it was {z} that {y} was {g:part} by {x}",
            adverbial="first",
        ),
    ),
    "pseudo_cleft": (
        ways(
            "x y:person v:deed",
            "the person who ended up {v:ing} {y} was {x}",
            "the person {x} ended up {v:ing} was {y}",
            "{x} was the person who ended up {v:ing} {y}",
            "{y} was the person {x} ended up {v:ing}",
            adverbial="first",
        ),
        ways(
            "x y:person v:deed",
            "what {x} did in front of everybody was {v} {y}",
            "what happened in front of everybody was that {x} {v:past} {y}",
            "what happened in front of everybody was that {y} was {v:part} by {x}",
            adverbial="",
        ),
        ways(
            "x y:person g:give z:thing",
            "the only thing {x} ever {g:past} {y} was {z:a}",
            "the only thing {x} ever {g:past} to {y} was {z:a}",
            "the only thing {y} was ever {g:part} by {x} was {z:a}",
            "{z:a} was the only thing {x} ever {g:past} to {y}",
            adverbial="",
        ),
        ways(
            "x y:person v:deed c:city",
            "the place where {x} first {v:past} {y} was {c}",
            "the place where {y} was first {v:part} by {x} was {c}",
            "{c} was the place where {x} first {v:past} {y}",
            "{c} was the place where {y} was first {v:part} by {x}",
            adverbial="",
        ),
    ),
    "relative_clause": (
        ways(
            "x y:role v:deed",
            "everybody was talking about the {x:n} who had {v:part} the {y:n}",
            "everybody was talking about the {x:n} by whom the {y:n} had been {v:part}",
            "the {x:n} who had {v:part} the {y:n} was being talked about by everybody",
            adverbial="",
        ),
        ways(
            "x y:role v:deed p:name",
            "{p} once shared a cabin with the {y:n} that the {x:n} had {v:part}",
            "{p} once shared a cabin with the {y:n} who had been {v:part} by the {x:n}",
            "the {y:n} that the {x:n} had {v:part} once shared a cabin with {p}",
            adverbial="",
        ),
        ways(
            "x y:vehicle v:crash",
            "{x} that {v:past} {y} had no number plate",
            "{x} by which {y} was {v:part} had no number plate",
            "{y} was {v:part} by {x}, which had no number plate",
            adverbial="",
        ),
        ways(
            "x y:person v:deed h:happening",
            "{x}, whom {y} had {v:part} the year before, began to {h}",
            "{x}, who had been {v:part} by {y} the year before, began to {h}",
            "having been {v:part} by {y} the year before, {x} began to {h}",
            adverbial="",
        ),
    ),
    "question": (
        ways(
            "x y:person v:deed",
            "how many times has {x} {v:part} {y} since last autumn?",
            "how many times has {y} been {v:part} by {x} since last autumn?",
            "since last autumn, how many times has {x} {v:part} {y}?",
            "since last autumn, how many times has {y} been {v:part} by {x}?",
            adverbial="",
        ),
        ways(
            "x y:person v:deed",
            "do you happen to know whether {x} ever {v:past} {y}?",
            "do you happen to know whether {y} was ever {v:part} by {x}?",
            "do you by any chance know if {x} ever {v:past} {y}?",
            "do you by any chance know if {y} was ever {v:part} by {x}?",
            adverbial="",
        ),
        ways(
            "x y:person v:deed",
            "where exactly did {x} {v} {y}, and who saw it?",
            "where exactly was {y} {v:part} by {x}, and who saw it?",
            "who saw {x} {v} {y}, and where exactly was it?",
            adverbial="",
        ),
        triples(
            "x:person v:deed",
            (
                "who do you think {v:past} {x} at the hearing?",
                "who do you think it was that {v:past} {x} at the hearing?",
                "who do you think it was that {x} {v:past} at the hearing?",
            ),
            (
                "who do you think {x} {v:past} at the hearing?",
                "who do you think it was that {x} {v:past} at the hearing?",
                "who do you think it was that {v:past} {x} at the hearing?",
            ),
            (
                "who do you think it was that {v:past} {x} at the hearing?",
                "who do you think {v:past} {x} at the hearing?",
                "who do you think {x} {v:past} at the hearing?",
            ),
        ),
    ),
    "report": (
        *(
            ways(
                "x y z:person h:happening",
                "according to {x}, {y} claims that {z} {h:past}",
                "{x} reports that {y} claims that {z} {h:past}",
                "{y} claims, {x} reports, that {z} {h:past}",
                "what {x} reports is that {y} claims that {z} {h:past}",
                swap=swap,
                adverbial="",
            )
            for swap in ("xy", "yz")
        ),
        ways(
            "x y z:person h:happening",
            "at lunchtime {x} informed {y} that {z} had {h:part}",
            "at lunchtime {y} was informed by {x} that {z} had {h:part}",
            "{y} was informed at lunchtime by {x} that {z} had {h:part}",
            "it was {x} who informed {y} at lunchtime that {z} had {h:part}",
            adverbial="",
        ),
        ways(
            "x y z:name h:happening",
            '"{z} is going to {h}," {x} whispered to {y}',
            '{x} whispered to {y}: "{z} is going to {h}"',
            'to {y}, {x} whispered: "{z} is going to {h}"',
            adverbial="",
        ),
    ),
    "embedded_clause": (
        ways(
            "x y:someone m:mood",
            "{x} is convinced that {y} has been {m} for weeks",
            "{y}, {x} is convinced, has been {m} for weeks",
            "{x:'s} conviction is that {y} has been {m} for weeks",
            "it is {x:'s} conviction that {y} has been {m} for weeks",
            adverbial="",
        ),
        ways(
            "x y:person m:mood",
            "it bothers {x} a great deal that {y} is so {m}",
            "that {y} is so {m} bothers {x} a great deal",
            "what bothers {x} a great deal is that {y} is so {m}",
            adverbial="",
        ),
        *(
            ways(
                "x y z:someone m:mood",
                "{x} hopes that {y} remembers that {z} used to be {m}",
                "{y}, {x} hopes, remembers that {z} used to be {m}",
                "{x:'s} hope is that {y} remembers that {z} used to be {m}",
                "what {x} hopes is that {y} remembers that {z} used to be {m}",
                swap=swap,
                adverbial="",
            )
            for swap in ("xy", "yz")
        ),
    ),
    "temporal_order": (
        *(
            ways(
                f"e f:{category}",
                "{f:3} by the time {e:2}",
                "by the time {e:2}, {f:3}",
                "{f:2} some time before {e:2}",
                "{e:2} some time after {f:2}",
                swap="ef",
                adverbial="",
            )
            for category in ("breakdown", "reaction")
        ),
        ways(
            "x y:occasion",
            "{x} took place a week earlier than {y}",
            "{y} took place a week later than {x}",
            "a week after {x}, {y} took place",
            "{x} was followed a week later by {y}",
            adverbial="",
        ),
        ways(
            "x y:person h k:happening",
            "{x} had {h:part} long before {y} {k:past}",
            "long before {y} {k:past}, {x} had {h:part}",
            "{y} {k:past} long after {x} had {h:part}",
            "long after {x} had {h:part}, {y} {k:past}",
            swap="hk",
            adverbial="",
        ),
    ),
    "conditional": (
        ways(
            "e f:breakdown",
            "in the event that {e:1}, {f:1}",
            "{f:1} in the event that {e:1}",
            "should it happen that {e:1}, {f:1}",
            "{f:1} should it happen that {e:1}",
            swap="ef",
            adverbial="",
        ),
        *(
            ways(
                f"e f:{category}",
                "if {e:3} that winter, {f:4}",
                "{f:4} if {e:3} that winter",
                "{e:5} that winter, {f:4}",
                swap="ef",
                adverbial="",
            )
            for category in ("breakdown", "reaction")
        ),
        ways(
            "x y:person h k:happening",
            "at the office {x} always has to {h} when {y} {k:s}",
            "when {y} {k:s} at the office, {x} always has to {h}",
            "at the office, when {y} {k:s}, {x} always has to {h}",
            adverbial="",
        ),
    ),
    "cause": (
        ways(
            "x y:crisis",
            "experts agree that {y} triggered {x}",
            "experts agree that {x} was triggered by {y}",
            "experts agree that {x} arose out of {y}",
            "experts agree that the origin of {x} was {y}",
            adverbial="",
        ),
        *(
            ways(
                f"e f:{category}",
                "{e:2}, which is why {f:2}",
                "the reason why {f:2} is that {e:2}",
                "{f:2} for the simple reason that {e:2}",
                "due to the fact that {e:2}, {f:2}",
                swap="ef",
                adverbial="",
            )
            for category in ("breakdown", "reaction")
        ),
        ways(
            "x y:person h k:happening",
            "the fact that {x} {h:past} caused {y} to {k}",
            "what caused {y} to {k} was the fact that {x} {h:past}",
            "{y} was caused to {k} by the fact that {x} {h:past}",
            adverbial="",
        ),
    ),
}
