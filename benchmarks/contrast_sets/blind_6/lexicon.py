"""The words of the sixth blind contrast set; none is a word of the six lexicons before it."""

from pipeline.syntax.frames.words import Lexicon

LEXICON = Lexicon(
    women="""
        Alice, Amy, Caroline, Charlotte, Claire, Diana, Eleanor, Emma, Helen, Isabel, Karen, Laura,
        Margaret, Monica, Nicole, Rachel, Rebecca, Sandra, Sophie, Susan
    """,
    men="""
        Adam, Andrew, Brian, Charles, David, Edward, Frank, George, James, Kevin, Louis, Martin, Michael,
        Nathan, Oliver, Patrick, Philip, Richard, Robert, Stephen, Thomas, Victor
    """,
    nouns={
        "role": """
            banker, reporter, producer, programmer, builder, guitarist, admiral, columnist, linguist,
            physicist, mathematician, engineer, stonemason, headmaster, chancellor, pastor, prosecutor,
            publicist, composer, comedian, newsreader, cameraman, playwright, cashier, greengrocer,
            bartender, psychiatrist, radiologist, boxer, cricketer, footballer, policeman, zookeeper,
            councillor, veterinarian
        """,
        # What one is trained for.
        "craft": """
            banker, reporter, programmer, builder, physicist, engineer, stonemason, pastor, cameraman,
            bartender, psychiatrist, radiologist, policeman, zookeeper, veterinarian, composer
        """,
        "kin": "mother-in-law, brother-in-law, great-uncle, godfather, ex-husband, supervisor, bookkeeper",
        # Small things that someone may own, buy or give.
        "gift": """
            radio, backpack, mug, toaster, tablet, scrapbook, jigsaw, atlas, cookbook, torch, doll, puppet,
            beret, sweater, belt, purse, wallet, ashtray, yo-yo, lampshade, handkerchief, bathrobe,
            magazine, football
        """,
        "firm": "brewer, steelmaker, drugmaker, bookseller, toymaker",
        "building": """
            church, college, abbey, barracks, farmhouse, clinic, gatehouse, mausoleum, monument, bistro
        """,
        # What happens once, and what does harm.
        "event": """
            coronation, funeral, inauguration, census, jubilee, premiere, pilgrimage, exhibition,
            graduation, debate
        """,
        "hazard": """
            earthquake, avalanche, tsunami, heatwave, blizzard, collision, explosion, mudslide, wildfire,
            derailment
        """,
        "goods": """
            mattress, tyre, lightbulb, shoe, toy, refrigerator, textbook, wheelchair, doughnut, pancake,
            firework, helicopter, cigarette, microwave, razor
        """,
        "animal": """
            monkey, elephant, giraffe, tiger, lion, penguin, rabbit, kangaroo, zebra, flamingo, turtle,
            antelope, buffalo, koala, dolphin
        """,
        "find": "asteroid, cave, waterfall, crater, bay, mineral, reef, lagoon, galaxy, beetle",
    },
    verbs={
        # Acts of one person on another that either could do.
        "deed": """
            assist, disappoint, confuse, hurt hurt hurt, influence, neglect, outshine outshone outshone,
            overrate, respect, silence, upset upset upset upsetting, annoy annoyed, alienate, antagonise,
            condemn, dazzle, discourage,
            enrage, haunt, isolate, shun shunned shunned shunning, terrify terrified, unsettle, victimise,
            underestimate, identify identified, manipulate, misjudge, disregard, misquote, idolise,
            motivate, abandon
        """,
        # Acts that take a moment and that others can see.
        "blow": """
            silence, upset upset upset upsetting, annoy annoyed, enrage, terrify terrified, unsettle,
            disappoint, confuse, antagonise, hurt hurt hurt
        """,
        "chore": """
            fold|the napkins, lay laid laid|the table, translate|the pamphlet, update|the software,
            sort|the rubbish, develop|the photos, fill|the pond,
            proofread proofread proofread|the thesis, bury buried|the treasure, cash|the cheque,
            shred shredded shredded shredding|the documents, light lit lit|the bonfire, erase|the tape,
            chop chopped chopped chopping|the cabbage, slice|the cucumber, fry fried|the bacon,
            melt|the butter, unwrap unwrapped unwrapped unwrapping|the sandwiches, replace|the spark plugs,
            mark|the essays, pawn|the earrings, renovate|the basement
        """,
    },
    texts={
        "looks": """
            shrewd, gifted, jolly, loyal, popular, veteran, freckled, slender, stocky, outspoken,
            skinny, brave, weary, dark-haired, left-handed, widowed, deaf, stern
        """,
        "origin": """
            from Chicago, from Sydney, from Glasgow, from Warsaw, from Dallas, from Leeds, from Munich,
            from Seattle
        """,
        "colour": """
            second-hand, dusty, faded, scruffy, oversized, handmade, old-fashioned
        """,
        "city": """
            Athens, Berlin, London, Prague, Rome, Florence, Amsterdam, Stockholm, Oslo, Beijing, Delhi,
            Mumbai, Melbourne, Denver, Houston, Budapest, Brussels, Hamburg, Zurich, Barcelona
        """,
        # Towns, states, clubs and brands that nobody knows anything about.
        "town": """
            Ambleford, Brookhurst, Carnwick, Denholt, Elmstead, Farrowby, Graystone, Hollingdale, Millbury,
            Netherton, Rosedale, Westbourne
        """,
        "land": "Valdoria, Kestria, Sarnovia, Morvania, Lydora, Quendia, Taresh, Belmark",
        "club": """
            Stonebury City, Redbridge Rovers, Norbury Albion, Westvale Wanderers, Milford Hotspur,
            Ashcombe Dynamo, Larchmont Celtic
        """,
        "disease": """
            measles, mumps, chickenpox, influenza, tuberculosis, cholera, typhoid, smallpox
        """,
        "habit": """
            gambling, jogging, eavesdropping, procrastinating, cursing, chewing gum, smoking cigars,
            boasting, meditating
        """,
        "news": """
            taxes would increase, the highway was blocked, the queen would abdicate, a tiger had escaped,
            the flight had been cancelled, petrol would become scarce, elections had been rigged,
            parliament had been dissolved
        """,
        "language": """
            Latin, Arabic, Dutch, Icelandic, Mandarin, Spanish, French, German, Italian, Russian, Japanese,
            Irish, Bengali, Norwegian, Czech, Hebrew
        """,
        "subject": """
            economics, accountancy, geometry, biology, physics, trigonometry, bookkeeping, photography,
            shorthand, welding, woodwork, cookery
        """,
        "estate": """
            the manor, the ranch, the jewels, the racehorses, the farmland, the penthouse, the estate
        """,
        "home": "a houseboat, a motorhome, a shack, a penthouse, a farmhouse",
        "dish": """
            oysters, dumplings, meatballs, tacos, clam chowder, an omelette, a hamburger, a burrito
        """,
        "taste": "honey, silk, cotton, pepper, ink, sugar, wheat, gunpowder, lemon, pumpkin",
        "number": "48, 63, 75, 87, 110, 150, 240, 320",
        # A noun, and the verb's past tense and participle, which are equal.
        "doer": """
            murderer/murdered, killer/killed, tormentor/tormented, protector/protected, seducer/seduced
        """,
    },
)
