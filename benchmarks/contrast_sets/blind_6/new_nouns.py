"""Frames of the sixth blind set for phenomena that no set before has: facts of lives, places and works."""

from functools import partial

from pipeline.syntax.frames.frames import Frame, ways

_plain = partial(ways, adverbial="")

NEW_NOUNS: dict[str, tuple[Frame, ...]] = {
    "career": (
        _plain(
            "p:name a b:craft",
            "before becoming {b:a}, {p} worked as {a:a} for many years",
            "after working as {a:a} for many years, {p} became {b:a}",
            "{p} worked as {a:a} for many years before becoming {b:a}",
            "{p} became {b:a} after working as {a:a} for many years",
            swap="ab",
        ),
        _plain(
            "p:name a b:craft c d:city",
            "having started out as {a:a} in {c}, {p} ended up as {b:a} in {d}",
            "{p}, who started out as {a:a} in {c}, ended up as {b:a} in {d}",
            "{p} ended up as {b:a} in {d}, having started out as {a:a} in {c}",
            "{p}, who ended up as {b:a} in {d}, started out as {a:a} in {c}",
            swap="ab",
        ),
        _plain(
            "p:name a b:craft",
            "although trained as {a:a}, {p} has always earned a living as {b:a}",
            "{p} was trained as {a:a} but has always earned a living as {b:a}",
            "{p} has always earned a living as {b:a} although trained as {a:a}",
            "{p}, who has always earned a living as {b:a}, was trained as {a:a}",
            swap="ab",
        ),
    ),
    "translation": (
        _plain(
            "p:name s t:language",
            "in 1934 the novel was translated from {s} into {t} by {p}",
            "in 1934 {p} translated the {s} novel into {t}",
            "the {t} translation of the {s} novel was made by {p} in 1934",
            "{p} made the {t} translation of the {s} novel in 1934",
            swap="st",
        ),
        _plain(
            "x y:name s t:language",
            "{y} translated into {t} the memoirs that {x} had written in {s}",
            "the memoirs that {x} had written in {s} were translated into {t} by {y}",
            "the memoirs, written by {x} in {s}, were translated by {y} into {t}",
            "it was {y} who translated into {t} the memoirs that {x} had written in {s}",
        ),
        _plain(
            "s t:language w:taste",
            "the {t} word for {w} was borrowed from {s}",
            "it was from {s} that {t} borrowed its word for {w}",
            "{t} borrowed its word for {w} from {s}",
            "from {s} comes the {t} word for {w}",
            swap="st",
        ),
    ),
    "compass_direction": (
        _plain(
            "c d:town",
            "{c} lies about thirty kilometres to the north of {d}",
            "{d} lies about thirty kilometres to the south of {c}",
            "about thirty kilometres to the north of {d} lies {c}",
            "about thirty kilometres to the south of {c} lies {d}",
            swap="cd",
        ),
        _plain(
            "c d:town",
            "{c} is on the western shore of the lake and {d} on the eastern shore",
            "{d} is on the eastern shore of the lake and {c} on the western shore",
            "the town on the western shore of the lake is {c} and that on the eastern shore {d}",
            "the town on the eastern shore of the lake is {d} and that on the western shore {c}",
            swap="cd",
        ),
        _plain(
            "c d:land",
            "{c} and its eastern neighbour, {d}, share a frontier",
            "{d} and its western neighbour, {c}, share a frontier",
            "the western neighbour of {d} is {c}, and they share a frontier",
            "the eastern neighbour of {c} is {d}, and they share a frontier",
            swap="cd",
        ),
    ),
    "change_over_time": (
        _plain(
            "c:town n m:number",
            "the population of {c} went from {n} thousand in 1950 to {m} thousand in 2010",
            "in 1950 the population of {c} was {n} thousand, and in 2010 it was {m} thousand",
            "in 2010 the population of {c} was {m} thousand, compared with {n} thousand in 1950",
            "the population of {c} was {m} thousand in 2010, compared with {n} thousand in 1950",
            swap="nm",
        ),
        _plain(
            "b:building n m:number",
            "a guided tour of the {b:n} cost {n} crowns last year but costs {m} crowns now",
            "a guided tour of the {b:n} costs {m} crowns now but cost {n} crowns last year",
            "the price of a guided tour of the {b:n} went from {n} crowns last year to {m} crowns now",
            "the price of a guided tour of the {b:n} is now {m} crowns, but last year it was {n} crowns",
            swap="nm",
        ),
        _plain(
            "a b:goods",
            "originally a maker of {a:pl}, the company makes nothing but {b:pl} now",
            "the company, which makes nothing but {b:pl} now, was originally a maker of {a:pl}",
            "the company was originally a maker of {a:pl} but makes nothing but {b:pl} now",
            "now the company makes nothing but {b:pl}, although it was originally a maker of {a:pl}",
            swap="ab",
        ),
    ),
    "eponym": (
        _plain(
            "x y:name t:find",
            "the {t:n} discovered by {x} was named after {y}",
            "the {t:n} named after {y} was discovered by {x}",
            "{x} discovered the {t:n} that was named after {y}",
            "it was {x} who discovered the {t:n} named after {y}",
        ),
        _plain(
            "x y:name b:building",
            "{x} built the {b:n} and named it in honour of {y}",
            "the {b:n} was built by {x} and named in honour of {y}",
            "named in honour of {y}, the {b:n} was built by {x}",
            "the {b:n}, which is named in honour of {y}, was built by {x}",
        ),
        _plain(
            "x y:name",
            "in the harbour {x} has a yacht called {y}",
            "in the harbour {y} is the name of a yacht owned by {x}",
            "in the harbour {x} is the owner of a yacht called {y}",
            "in the harbour a yacht called {y} is owned by {x}",
        ),
    ),
    "independence": (
        _plain(
            "c d:land",
            "in 1821 {c} won its independence from {d}",
            "in 1821 {d} had to grant {c} its independence",
            "{c} became independent of {d} in 1821",
            "{d} had to grant {c} its independence in 1821",
            swap="cd",
        ),
        _plain(
            "c d:land",
            "for almost two centuries {c} was ruled by {d}",
            "for almost two centuries {d} ruled over {c}",
            "the rule of {d} over {c} lasted for almost two centuries",
            "{c} was under the rule of {d} for almost two centuries",
            swap="cd",
        ),
        _plain(
            "p:town c d:land",
            "after the war {p}, which had belonged to {c}, became part of {d}",
            "after the war {d} gained {p}, which had belonged to {c}",
            "{p} became part of {d} after the war, having belonged to {c} before",
            "having belonged to {c} before the war, {p} became part of {d} after it",
            swap="cd",
        ),
    ),
    "club_transfer": (
        _plain(
            "p:name a b:club",
            "during the winter break {p} left {a} for {b} on a free transfer",
            "during the winter break {b} signed {p} from {a} on a free transfer",
            "{p} joined {b} from {a} on a free transfer during the winter break",
            "{p} moved from {a} to {b} on a free transfer during the winter break",
            swap="ab",
        ),
        _plain(
            "p:name a b:club",
            "{a} lent {p} to {b} for the rest of the season",
            "{p} was lent to {b} by {a} for the rest of the season",
            "for the rest of the season {p} played for {b} on loan from {a}",
            "on loan from {a}, {p} played for {b} for the rest of the season",
            swap="ab",
        ),
        _plain(
            "p:name a b:club",
            "playing for {a}, {p} scored twice in the match against {b}",
            "in the match against {b}, {p} scored twice for {a}",
            "{p} scored twice for {a} in the match against {b}",
            "{p}, playing for {a}, scored twice in the match against {b}",
            swap="ab",
        ),
    ),
    "authorship": (
        _plain(
            "x y:name",
            "{x} wrote the music for the show and {y} wrote the words",
            "{y} wrote the words for the show and {x} wrote the music",
            "the music for the show was written by {x} and the words by {y}",
            "the words for the show were written by {y} and the music by {x}",
        ),
        _plain(
            "x y:person",
            "{y} adapted a play by {x} for television",
            "a play by {x} was adapted for television by {y}",
            "a play that {x} had written was adapted for television by {y}",
            "{y} adapted for television a play that {x} had written",
        ),
        _plain(
            "x y:person",
            "although painted by {x}, the picture was long thought to be the work of {y}",
            "the picture, painted by {x}, was long thought to be the work of {y}",
            "the picture, long thought to be the work of {y}, was painted by {x}",
            "long thought to be the work of {y}, the picture was painted by {x}",
        ),
    ),
}
