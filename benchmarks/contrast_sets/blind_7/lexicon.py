"""The words of the seventh blind contrast set; none is a word of the seven lexicons before it."""

from pipeline.syntax.frames.words import Lexicon

LEXICON = Lexicon(
    women="""
        Barbara, Brenda, Carol, Catherine, Christine, Deborah, Dorothy, Elizabeth, Jane, Jessica, Joan, Julie,
        Kate, Linda, Lucy, Maria, Mary, Megan, Molly, Nancy, Olivia, Pamela, Ruth, Sally, Wendy
    """,
    men="""
        Alan, Alex, Anthony, Ben, Colin, Dennis, Derek, Donald, Douglas, Eric, Gary, Graham, Harry, Howard,
        Ian, Jack, Jason, John, Joseph, Keith, Luke, Matthew, Neil, Paul, Ralph, Roger, Samuel, William
    """,
    nouns={
        "role": """
            author, artist, scientist, researcher, officer, astronaut, psychologist, attorney,
            broker, merchant, shopkeeper, manager, director, critic, presenter, weaver, hunter,
            designer, swimmer, prisoner, tourist, passenger, delegate, politician, campaigner, volunteer,
            inventor, explorer, neurologist, steward
        """,
        # Those of whom many are spoken of at once.
        "group": """
            tourist, passenger, hunter, swimmer, scientist, politician, volunteer, artist, merchant,
            prisoner, delegate, shopkeeper, attorney, explorer
        """,
        "kin": """
            teammate, accomplice, girlfriend, son-in-law, great-aunt, rival, half-brother, ex-wife
        """,
        "thing": """
            coat, jacket, trumpet, trophy, painting, pendant, stool, sculpture, canoe, keyboard,
            figurine, axe, rope, cello, harpoon
        """,
        "garment": "coat, jacket, cap, tie, vest, blazer, anorak",
        "container": "box, bag, carton, casket, jar, safe, tank, sachet",
        "place": """
            palace, temple, market, playground, gym, launderette, harbour, pier, rink, fort, fairground
        """,
        # Buildings with grounds.
        "site": "palace, temple, fort, shrine, sanatorium, academy, guardhouse",
        "event": """
            auction, audition, hearing, inspection, recital, barbecue, marathon, ceremony,
            symposium, festival, trial, parade
        """,
    },
    verbs={
        # Acts of one person on another that either could do.
        "deed": """
            approach approached, suspect, notify notified, consult, compliment, honour,
            desert, outvote, torture, grab grabbed grabbed grabbing, shock,
            stun stunned stunned stunning, worry worried, bother, disgust, amaze, quote, doubt, favour,
            assault, overpower, befriend,
            misunderstand misunderstood misunderstood, guide, overlook, frisk, dodge, evade
        """,
        # Acts that take a moment.
        "blow": """
            shock, stun stunned stunned stunning, worry worried, bother, disgust, amaze,
            assault, overpower, grab grabbed grabbed grabbing, frisk, handcuff, compliment
        """,
        # Acts of those in power.
        "power": "imprison, exile, demote, suspend, reinstate, expose, liberate, handcuff",
        "chore": """
            boil|the potatoes, solve|the crossword, plant|the daffodils, load|the dishwasher,
            cut cut cut cutting|the grass, seal|the jars, arrange|the flowers, reserve|the tickets,
            weigh|the tomatoes, vacuum|the stairs, unplug unplugged unplugged unplugging|the amplifier,
            type|the agenda, gather|the strawberries, deliver|the pizzas, distribute|the brochures,
            park|the trailer, untie untied untied untying|the ropes, sterilise|the instruments,
            decode|the message, conceal|the evidence, delete|the recordings,
            mop mopped mopped mopping|the balcony, sand|the floorboards,
            stir stirred stirred stirring|the batter, draft|the speech
        """,
    },
    texts={
        "looks": """
            wise, humble, gentle, handsome, lucky, busy, quiet, funny, serious, anxious, curious,
            suspicious, energetic, middle-aged, experienced, talented, charming, grey-haired, blue-eyed,
            cunning
        """,
        "origin": """
            from Liverpool, from Belfast, from Moscow, from Milan, from Detroit, from Cologne, from Tokyo,
            from Edinburgh
        """,
        "city": """
            Venice, Lyon, Istanbul, Shanghai, Singapore, Bangkok, Philadelphia, Atlanta, Miami,
            Manchester, Oxford, Aberdeen, Rotterdam, Copenhagen, Dresden, Genoa
        """,
        # Towns that nobody knows anything about.
        "town": """
            Aldersby, Brackenford, Cresswick, Dunstead, Fallowby, Greywell, Hartmoor, Kingsmere, Oakendale,
            Pellworth, Stanbury, Wexcombe
        """,
        "state": "broken, heavy, tiny, expensive, ugly, worthless, rusty, dirty",
        "fabric": "striped, tartan, woollen, leather, velvet, plain, waterproof",
        "trait": """
            foolish, wicked, insincere, aggressive, boastful, childish, sensible, hostile, nosy, cruel
        """,
        "weekday": "Monday, Tuesday, Wednesday, Thursday, Saturday",
        "number": "20, 36, 45, 60, 84, 90, 130, 200",
    },
)
