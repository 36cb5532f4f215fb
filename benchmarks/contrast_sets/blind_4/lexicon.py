"""The words of the fourth blind contrast set; none is a word of the four lexicons before it."""

from pipeline.syntax.frames.words import Lexicon

LEXICON = Lexicon(
    women="Adele, Bettina, Chiara, Delphine, Esther, Freya, Gwen, Heidi, Paula, Tamsin",
    men="Alistair, Bruno, Conrad, Dexter, Everett, Fergus, Joaquin, Malik, Otto, Quentin",
    nouns={
        "role": """
            barrister, botanist, bouncer, bricklayer, cartoonist, coroner, courier, croupier, editor,
            electrician, fishmonger, grocer, historian, hypnotist, illustrator, jockey, mountaineer,
            navigator, pathologist, puppeteer, rabbi, roofer, saxophonist, undertaker, warden, zoologist
        """,
        "kin": "nephew, brother, uncle, stepson, masseur, guardian, babysitter, classmate, therapist",
        "backer": "devotee, detractor, worshipper, backer",
        "beast": "lynx, hyena, stoat, mongoose, puma, cobra, walrus, gorilla, cheetah, chimpanzee",
        "pet": "hamster, gecko, poodle, terrier, budgerigar, spaniel, guinea pig",
        "thing": """
            sledge, surfboard, tricycle, boomerang, bracelet, penknife, snorkel, tuxedo, stethoscope,
            projector, easel, wristwatch, trampoline
        """,
        "berth": "cubicle, berth, bunk, seat, pew",
        "cover": "tarpaulin, duvet, poncho, bedspread, cloak, sarong, towelling robe",
        "trophy": "goblet, padlock, horseshoe, chalice, candlestick, doorknob",
        "firm": "abattoir, brokerage, creamery, pizzeria, consortium, smelter, guild, syndicate",
        "building": "hostel, chalet, stadium, depot, convent, pagoda, brasserie, skyscraper",
        "land": "paddock, plantation, marsh, heath, copse, cemetery, reservoir, airstrip",
        "cuisine": "salmon, turnip, cauliflower, aubergine, mackerel, squid, parsnip",
        "limb": "shoulder, chin, wrist, ankle, forehead, knee",
    },
    verbs={
        # Acts of one person on another that either could do.
        "deed": """
            accost, outsmart, infuriate, snub snubbed snubbed snubbing, comfort, confront, disarm, enchant,
            exasperate, harass, hinder, bewitch, placate, cosset, punch, restrain, serenade, spurn, taunt,
            thump, vilify vilified, appease, belittle, disown, pinch, dupe, mesmerise
        """,
        # Acts that may succeed or fail.
        "feat": "outsmart, placate, comfort, disarm, restrain, appease, cosset",
        "wrong": "dupe, snub snubbed snubbed snubbing, belittle, taunt, harass, vilify vilified, spurn",
        "pat": "pat patted patted patting, punch, thump, jab jabbed jabbed jabbing, pinch",
        "aim": """
            yell|at, glare|at, scoff|at, dote|on, rant|at, swear swore sworn|at, cater|for, attend|to,
            fawn|on
        """,
        "irk": "appal appalled appalled appalling, puzzle, irk, embarrass, astonish, dismay, rattle",
        "trade": "swallow, bankroll, sabotage, dwarf, ruin, bail|out",
        "prey": "lacerate, devour, trample, wound, mangle",
        "give": "throw threw thrown, chuck, post",
        "allot": "allot allotted allotted allotting, assign, allocate",
        "chore": """
            darn|the socks, sieve|the flour, whisk|the eggs, defrost|the fridge, label labelled labelled
            labelling|the luggage, rake|the gravel, shear sheared shorn|the sheep, shuffle|the cards,
            unlock|the vault, forge|the signature, memorise|the anthem, decipher|the sonnet, rewind
            rewound|the cassette, inflate|the dinghy, groom|the pony, knead|the dough, dismantle|the
            trellis, wax|the banister
        """,
        # Verbs whose past tense is their participle.
        "happening": """
            curtsy curtsied, grimace, yodel yodelled, exhale, bow, shrug shrugged, gulp, burp, chortle,
            mutter, stretch
        """,
    },
    texts={
        "looks": "stooped, portly, red-haired, tattooed, soft-spoken, jovial, gaunt, dapper, stout",
        "origin": "from Lagos, from Bristol, from Turin, from Bucharest, from Lima, with the lisp",
        "mood": "vindictive, moody, careless, petty, squeamish, bossy, prudish",
        "grace": "kind, thoughtful, rash, silly, foolhardy, considerate",
        "state": "half-dressed, tipsy, blindfolded, out of breath, penniless, jet-lagged, seasick",
        "manner": "raw, grilled, steamed, poached, breaded, charred, shredded",
        "soil": "overgrown, muddy, fenced, sloping, triangular, barren, waterlogged, terraced",
        "coat": "long-haired, three-legged, mangy, one-eyed, fluffy, toothless, tame",
        "tint": "scarlet, mauve, magenta, maroon, indigo, lilac, khaki",
        "discipline": "astrophysics, philology, sociology, forestry, metallurgy, botany",
        "dish": "tiramisu, gazpacho, paella, sushi, couscous, ravioli, schnitzel",
        "spice": "paprika, saffron, nutmeg, cinnamon, oregano, sesame, coconut",
        "verse": "a limerick, the horoscope, the recipe, the small print, an obituary, the minutes",
        "work": "a ballad, an opera, a novella, a screenplay, a sitcom",
        "likeness": "caricature, silhouette, watercolour, etching, collage",
        "mishap": "the mix-up, the outage, the delay, the burglary, the stain, the fiasco",
        "merit": "the turnaround, the vaccine, the slogan, the truce, the breakthrough",
        # Past tense and participle are equal.
        "result": """
            nag/nagged/to distraction, starve/starved/into surrender, whip/whipped/into shape,
            haul/hauled/out of the shadows, lull/lulled/into complacency, goad/goaded/into action
        """,
        "knock": """
            pinch/pinched, squeeze/squeezed, punch/punched, pat/patted, cuddle/cuddled, thump/thumped,
            massage/massaged
        """,
        "nominal": """
            abduction/abducted, assassination/assassinated, intimidation/intimidated, adoption/adopted,
            harassment/harassed, defamation/defamed, exploitation/exploited
        """,
        "feeling": """
            loathing of/loathes, reverence for/reveres, abhorrence of/abhors, veneration of/venerates,
            disdain for/disdains
        """,
        "plea": "plea, ode, rejoinder, homage, eulogy",
        "source": """
            fascination/fascinated, irritation/irritated, exasperation/exasperated,
            embarrassment/embarrassed, annoyance/annoyed, puzzlement/puzzled
        """,
        "agent": """
            captor/captured, abductor/abducted, saviour/saved, accuser/accused, vanquisher/vanquished,
            avenger/avenged, healer/healed, corrupter/corrupted
        """,
        "mother": "grandmother/granddaughter, stepmother/stepdaughter, godmother/goddaughter",
        "father": "grandfather/grandson, stepfather/stepson, uncle/nephew",
        "calamity": """
            the glacier shifted, the zeppelin drifted away, the scaffolding wobbled, the turbine stalled, the
            wasps swarmed, the sprinklers hissed, the reactor overloaded, the ceasefire lapsed
        """,
    },
)
