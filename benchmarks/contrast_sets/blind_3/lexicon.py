"""The words of the third blind contrast set; none is a word of the three lexicons before it."""

from pipeline.syntax.frames.words import Lexicon

LEXICON = Lexicon(
    women="Agnes, Brigid, Camilla, Farah, Greta, Imogen, Jasmine, Katya, Lorna, Mireille",
    men="Boris, Cedric, Duncan, Emil, Gareth, Ivan, Lars, Nikhil, Omar, Stefan",
    nouns={
        "role": """
            butler, biologist, chef, lifeguard, mechanic, monk, notary, optician, pharmacist,
            philosopher, pianist, ranger, soldier, stockbroker, taxidermist, typist, usher, vet,
            watchmaker, welder, goldsmith, diver, colonel, architect, geologist
        """,
        "kin": """
            cousin, flatmate, niece, instructor, landlady, colleague, godson, biographer, daughter, boyfriend,
            employer
        """,
        # Of these only one side can be meant: nobody is his doctor's doctor as he is his cousin's cousin.
        "attached": "doctor, biographer, disciple, adviser, patron, godparent",
        "beast": "panther, wolf, jackal, crocodile, moose, heron, raccoon, boar, eagle, python",
        "thing": """
            lute, kimono, stapler, hourglass, cactus, hairdryer, tambourine, thermos, skateboard,
            calculator, paperweight, wig, spanner, harmonica
        """,
        "tool": "poker, broom, plank, frying pan, ruler, racket, oar, crowbar",
        "flat": "dictionary, folder, towel, cardigan, tray, notebook, briefcase, laptop",
        "surface": "doorstep, counter, blackboard, bathtub, windowsill, saucer, worktop",
        "firm": """
            pharmacy, quarry, start-up, hospice, supermarket, law firm, airport, cannery, winery, tannery
        """,
        "building": """
            prison, synagogue, kindergarten, auditorium, mosque, villa, fortress, cinema, gymnasium,
            bungalow
        """,
        "premises": "barn, garage, vicarage, nightclub, greenhouse, laundry, guesthouse, orphanage",
        "venue": "museum, castle, zoo, restaurant, spa, library, campsite",
        "chamber": "lounge, hallway, bedroom, bathroom, loft, nursery, conservatory",
        "fitting": "window, carpet, wallpaper, bookcase, heater, doorbell",
        "ware": "pearl, orchid, fossil, diamond, tortoise, truffle, sabre",
        "trader": "dealer, smuggler, thief, importer, collector",
        "instrument": "oboe, bassoon, mandolin, tuba, xylophone, banjo, viola",
    },
    verbs={
        # Acts of one person on another that either could do.
        "deed": """
            admonish, defeat, disturb, hug hugged hugged hugging, inspire, jostle, kiss, mimic mimicked
            mimicked mimicking, pamper, rebuke, reject, reprimand, shield, shove, slap slapped slapped
            slapping, slander, sue, tempt, welcome, bully bullied, defraud, detain, hoodwink, mislead
            misled misled, startle, swindle, expel expelled expelled expelling, pacify pacified
        """,
        # What can be seen.
        "touch": """
            hug hugged hugged hugging, jostle, kiss, shove, slap slapped slapped slapping, pamper, detain
        """,
        "wrong": """
            mislead misled misled, bully bullied, defraud, hoodwink, swindle, slander, startle, disturb
        """,
        "steady": "heckle, admonish, jostle, mimic mimicked mimicked mimicking, tempt, disturb, startle",
        "scold": "berate, admonish, rebuke, reprimand, heckle, pacify pacified",
        "poke": "prod prodded prodded prodding, tap tapped tapped tapping, poke",
        "prey": "circle, ambush, outrun outran outrun outrunning, claw, maul",
        "trade": "investigate, subsidise, outperform, overwhelm, modernise",
        "notice": "spot spotted spotted spotting, notice, observe, film, glimpse",
        "give": "slip slipped slipped slipping, toss, fling flung flung, lob lobbed lobbed lobbing",
        "convey": "ship shipped shipped shipping, rent, bequeath",
        "seize": "steal stole stolen, seize, confiscate, snatch",
        "move": "horrify horrified, delight, soothe, bewilder, intrigue, sicken",
        "mutual": "gossip|with, haggle|with, joke|with, flirt|with",
        "coax": "coax, dare, compel compelled compelled compelling, entice, beseech besought besought",
        "chore": """
            untangle|the wires, count|the votes, trim trimmed trimmed trimming|the hedge, mow mowed
            mown|the meadow, burn|the diary, catalogue|the coins, test|the parachute, steer|the barge,
            milk|the cows, prepare|the samples, recite|the psalm, grease|the hinges, alphabetise|the
            files, dig dug dug digging|the trench, scatter|the ashes, carve|the turkey
        """,
        # Verbs whose past tense is their participle.
        "happening": """
            hesitate, pray, whimper, shudder, snigger, wink, nod nodded nodded nodding, cheer, groan, kneel
            knelt knelt, squint, wave
        """,
        "clean": "rub rubbed rubbed rubbing, scrub scrubbed scrubbed scrubbing, brush, wipe",
    },
    texts={
        "looks": """
            bearded, arrogant, timid, wiry, eccentric, haughty, athletic, plump, eager, short-sighted
        """,
        "origin": """
            from Kyoto, from Utrecht, from Leipzig, from Bilbao, from Hanoi, from Zagreb, with the scar,
            with the earring, in the dungarees
        """,
        "when": """
            after the fireworks, in broad daylight, on Thursday morning, at the reception, shortly after
            the interval, during the heatwave, behind the bandstand, before the votes had been counted, to
            general amazement, for no apparent reason, on the top deck
        """,
        "mood": """
            pompous, gullible, sincere, stingy, lovesick, paranoid, ruthless, envious, tone-deaf, fearless
        """,
        "grade": "resourceful, tactless, obstinate, selfless, diligent, domineering",
        "style": """
            domed, whitewashed, thatched, octagonal, dilapidated, ivy-clad, restored, windowless
        """,
        "finish": "spotless, smooth, dry, shiny",
        "game": "badminton, draughts, billiards, croquet, squash",
        "skill": "skier/skis, climber/climbs, listener/listens, skater/skates, golfer/golfs, liar/lies",
        "subject": "phonetics, carpentry, archery, calculus, ceramics, theology, embroidery",
        "food": "celery, beetroot, liver, tofu, spinach, marzipan, liquorice",
        "drink": "cider, lemonade, cocoa, buttermilk, ginger beer, camomile tea",
        # Past tense and participle are equal.
        "result": """
            bore/bored/to tears, boo/booed/off the stage, talk/talked/out of retirement, drum/drummed/out
            of the club, coach/coached/to victory, jolt/jolted/awake, hound/hounded/out of town
        """,
        "treat": """
            bake/baked/a cake, compose/composed/a lullaby, brew/brewed/a pot of coffee, fetch/fetched/a
            pillow, mix/mixed/a cocktail, crochet/crocheted/a shawl, braise/braised/a pheasant
        """,
        "service": """
            a sauna/installed/installing, a summerhouse/designed/designing, a wedding gown/altered/altering,
            a family crest/engraved/engraving, a website/programmed/programming
        """,
        "nominal": """
            defeat/defeated, rejection/rejected, expulsion/expelled, detention/detained,
            interrogation/interrogated, persecution/persecuted, mistreatment/mistreated
        """,
        "feeling": """
            fear of/fears, hatred of/hates, dislike of/dislikes, mistrust of/mistrusts, love for/loves
        """,
        "speech": "apology, tribute, confession, reply, farewell",
        "upkeep": "insured, damaged, sketched, renewed",
        "calamity": """
            the volcano erupted, the satellite malfunctioned, the freezer thawed, the balloon landed, the
            raft capsized, the rocket ignited, the mast splintered, the geyser spouted
        """,
        "commotion": """
            the jury deliberated, the tenor sneered, the queue dispersed, the lecturer digressed, the
            acrobat slipped, the chaperone snored, the twins bickered
        """,
    },
)
