"""The words of the second blind contrast set; none is a word of the two lexicons before it."""

from pipeline.syntax.frames.words import Lexicon, entries, verb


def _clauses(entered: str) -> str:
    """Clauses in the present, past, past perfect, conditional perfect and with an inverted *had*.

    An entry is ``subject|verb``, singular. Past tense and participle are equal: clauses may change places.
    """
    found = []
    for entry in entries(entered):
        subject, _, what = entry.partition("|")
        does = verb(what)
        forms = (
            f"{subject} {does:s}",
            f"{subject} {does:past}",
            f"{subject} had {does:part}",
            f"{subject} would have {does:part}",
            f"had {subject} {does:part}",
        )
        found.append("/".join(forms))
    return ", ".join(found)


LEXICON = Lexicon(
    women="Clara, Nadia, Judith, Amara, Helga, Rosalind, Veronica, Martha, Leila, Edith",
    men="Arthur, Dmitri, Oscar, Gilbert, Samir, Hugo, Felix, Julian, Edmund, Rashid",
    nouns={
        "role": """
            postman, cellist, governor, shepherd, wrestler, cobbler, curator, potter, sheriff, florist,
            priest, trainee, interpreter, locksmith, diplomat, auditor, journalist, juror, professor,
            magician, astronomer, blacksmith, receptionist, novelist, economist
        """,
        "kin": """
            secretary, mentor, chauffeur, understudy, solicitor, pupil, housekeeper, deputy, nanny, agent
        """,
        "beast": "swan, weasel, llama, rooster, squirrel, ferret, beaver, ostrich",
        "thing": """
            clarinet, hammock, microscope, rug, teapot, sewing machine, tapestry, sundial, kayak, fountain
            pen, globe, barometer, brooch, tripod
        """,
        "small": "button, marble, feather, spoon, coin, badge, cork, acorn",
        "container": "drawer, rucksack, handbag, toolbox, pigeonhole, locker",
        "box": "barrel, basket, chest, sack, trunk, bin",
        "vessel": "jug, bucket, saucepan, flask, basin, tub",
        "hung": "clock, calendar, poster, thermometer, sketch, banner",
        "crisis": "landslide, recession, uprising, blackout, stampede, siege, lockout",
        "vehicle": "scooter, limousine, jeep, bulldozer, tanker, trolleybus, forklift, rickshaw",
        "firm": """
            bookshop, distillery, broadcaster, cooperative, wholesaler, consultancy, laboratory, casino,
            circus, dairy
        """,
        "building": """
            observatory, cathedral, warehouse, courthouse, pavilion, gallery, planetarium, windmill
        """,
        "region": "duchy, parish, province, county, colony, kingdom",
        "measure": "subsidy, curfew, amnesty, bypass, tariff, dress code",
        "course": "internship, apartment, syllabus, diet, itinerary, insurance policy",
        "occasion": "carnival, conference, referendum, tournament, regatta, banquet, seminar, excursion",
        "cloth": "tablecloth, cushion, apron, flag, pillowcase, kite, tent",
        "role_played": "pirate, ghost, clown, wizard, cowboy, mermaid",
    },
    verbs={
        # Acts of one person on another that either could do.
        "deed": """
            tackle, threaten, trick, cheat, reward, hire, reassure, humiliate, nominate, interrupt,
            provoke, contradict, salute, tickle, blackmail, warn, denounce, kidnap kidnapped kidnapped
            kidnapping, phone, impersonate, offend, charm, unmask, ridicule, pursue, obey
        """,
        "act": "reward, hire, reassure, nominate, interrupt, warn, denounce, phone, charm, unmask",
        "selfish": "reassure, reward, humiliate, contradict, fool, punish",
        "steady": "trick, provoke, contradict, tickle, offend, ridicule, threaten, interrupt",
        "nip": "nudge, pester, stalk, corner, mob mobbed mobbed mobbing",
        "trade": "absorb, compensate, audit, undercut undercut undercut undercutting, relocate, rebrand",
        "give": "hand, mail, pass, loan, award",
        "confer": "hand, award, pass",
        "mutual": "correspond|with, compete|with, disagree|with, cooperate|with, dine|with",
        "urge": "instruct, remind, implore, challenge, authorise, oblige",
        "chore": """
            mend|the boiler, weed|the lawn, postpone|the lecture, peel|the onions, shovel|the snow,
            rewrite rewrote rewritten|the script, polish|the silverware, varnish|the floor, rinse|the
            bottles, decorate|the foyer, stack|the firewood, bathe|the puppy, rehearse|the duet
        """,
        # Verbs whose past tense is their participle.
        "happening": """
            stammer, blush, sulk, yawn, giggle, stumble, sneeze, shiver, snore, mumble, grumble
        """,
        "sway": "fool, satisfy satisfied, amuse, calm, distract, hypnotise",
        "deal": "negotiate|with, listen|to, teach taught taught, draw drew drawn, bargain|with",
        "crash": "hit hit hit hitting, scratch, shunt, crush, graze",
    },
    texts={
        "looks": "lanky, gloomy, talkative, elegant, pale, sleepy, bald, muscular, polite, absent-minded",
        "origin": """
            from Seville, from Gdansk, from Antwerp, from Tbilisi, from Porto, from Marseille, with the
            ponytail, with the moustache, with the freckles
        """,
        "when": """
            once the remaining customers had gone, because of a misunderstanding, on a freezing Tuesday in
            February, as the clock struck eight, at a roadside café, in full view of the passengers,
            straight after the power cut, to the delight of the spectators, just before the museum shut,
            although nobody had expected it, in the lobby of the consulate, on the second afternoon of the
            trial, in spite of the icy wind, on a crowded platform, halfway through the auction,
            while the others were having breakfast, after the snow had melted, on the eve of the
            wedding, on the way back from the coast, under the eyes of the entire committee
        """,
        "city": "Seville, Gdansk, Antwerp, Tbilisi, Porto, Marseille, Helsinki, Montreal, Nagoya, Salzburg",
        "month": "March, July, September, November, December",
        "language": "Danish, Persian, Basque, Hindi, Latvian, Catalan",
        "mood": "pessimistic, overworked, forgetful, unreliable, naive, bitter, restless, vain",
        "verdict": "fit, guilty, bankrupt, incompetent, trustworthy, ineligible",
        "state": "furious, dizzy, soaked, feverish, drowsy, speechless",
        "warmth": "chilled, lukewarm, unsalted, burnt, half frozen, steaming hot",
        "colour": "pink, grey, violet, brown, black, golden",
        "count": "eight, twelve, fifteen, thirty, fifty, sixty",
        "manner": "politely, calmly, solemnly, bravely, sensibly, firmly",
        "seldom": "rarely, seldom, always, frequently",
        "degree": "nearly, actually",
        "grade": "punctual, musical, cautious, modest, persuasive, frugal",
        "style": "Gothic, Baroque, medieval, wooden, circular, derelict",
        "land": "coastal, mountainous, inland, neutral, prosperous, swampy",
        "sort": "cheap, strict, unusual, flexible, boring, complicated",
        "ease": "tricky, simple, tiring, awkward, painful, effortless",
        "feeling": "pleasure, nightmare, relief, torment, privilege",
        "subject": "algebra, geography, pottery, chemistry, gymnastics, spelling",
        "dish": "porridge, smoked haddock, ratatouille, muesli, rhubarb crumble, pickled herring, semolina",
        "job": "archdeacon, bursar, choirmaster, janitor, caretaker, proofreader, paramedic, webmaster",
        "alias": "the Needle, the Comet, the Sparrow, the Hammer, the Owl, the Magnet",
        "nominal": """
            kidnapping/kidnapped, nomination/nominated, description/described, humiliation/humiliated,
            appointment/appointed, promotion/promoted, impersonation/impersonated, denunciation/denounced
        """,
        "trait": """
            came from abroad, had a licence, belonged to a union, knew the password, wore a helmet, carried a
            passport
        """,
        "breakdown": _clauses("""
            the dam|crumble, the generator|fail, the radiator|explode, the printer|jam jammed, the
            siren|wail, the cable|snap snapped, the crane|topple, the server|crash, the ice|crack, the
            thermostat|click, the escalator|halt
        """),
        "reaction": _clauses("""
            the committee|object, the congregation|murmur, the witness|relent, the crowd|gasp, the
            widow|sigh, the trumpeter|pause, the spy|flinch, the toddler|hiccup, the bride|stutter,
            the sergeant|chuckle
        """),
    },
)
