"""The words of the fifth blind contrast set; none is a word of the five lexicons before it."""

from pipeline.syntax.frames.words import Lexicon

LEXICON = Lexicon(
    women="Alina, Bianca, Celeste, Daphne, Edwina, Hannah, Ilse, Naima, Rowena, Saskia, Thea",
    men="Alfonso, Benedict, Cyril, Dominic, Elias, Gregor, Hamish, Ibrahim, Lorenzo, Rufus, Silas",
    nouns={
        "role": """
            astrologer, auctioneer, bailiff, blogger, busker, cardiologist, choreographer, constable,
            curate, dietitian, essayist, falconer, firefighter, gamekeeper, glazier, gymnast, harpist,
            innkeeper, lexicographer, magistrate, milliner, plasterer, statistician, stevedore,
            toxicologist, vintner
        """,
        "kin": """
            aunt, half-sister, father-in-law, stepbrother, physiotherapist, valet, stylist, tenant,
            roommate, accompanist, dressmaker, co-author
        """,
        "beast": "baboon, jaguar, vulture, bison, pelican, porcupine, armadillo, iguana, lemur, ocelot",
        "thing": """
            crossbow, gramophone, sextant, wok, trombone, pushchair, parasol, hairbrush, blowtorch,
            lawnmower, monocle, megaphone, tiara, rosary, bugle, flute, abacus, pogo stick, spinning wheel
        """,
        "tool": """
            mallet, spatula, ladle, pitchfork, trowel, rolling pin, walking stick, coathanger, pickaxe,
            drumstick
        """,
        "cover": "pinafore, tunic, blouse, sash, cape, kilt, petticoat, jerkin, nightgown",
        "machine": "moped, go-kart, snowmobile, tandem, quad bike, golf buggy",
        "box": "satchel, hamper, holdall, biscuit tin, hatbox, knapsack, canister, pouch",
        "paste": "hummus, guacamole, marmalade, mustard, chutney, custard, mascarpone, pesto",
        "firm": "carmaker, chipmaker, retailer, confectioner, shipbuilder, lender, dockyard, caterer",
        "building": """
            arcade, armoury, boathouse, cafeteria, dormitory, infirmary, mansion, nunnery, priory, rectory,
            tavern, workshop
        """,
        "paper": "questionnaire, spreadsheet, prospectus, timetable, diagram, transcript, memo, dossier",
    },
    verbs={
        # Acts of one person on another that either could do.
        "deed": """
            baffle, beguile, captivate, chastise, chide, defy, delude, discredit, hoax, incriminate, lampoon,
            mollify mollified, mystify mystified, outfox, pardon, perplex, quiz quizzed quizzed quizzing,
            rile, sideline, thwart, undermine, unnerve, upstage, patronise, overrule, rebuff
        """,
        # Acts that may answer one another.
        "slight": """
            chide, discredit, hoax, lampoon, outfox, overrule, rebuff, rile, sideline, undermine, upstage
        """,
        # What makes somebody feel something.
        "irk": "gratify gratified, scandalise, sadden, outrage, flabbergast, nettle, disconcert",
        # What one company does to another, and one vehicle to another.
        "trade": "overcharge, blacklist, supplant, overshadow, shortchange, outpace",
        "bump": "sideswipe, clip clipped clipped clipping, scuff, overturn, upend",
        "fax": "fax, e-mail",
        "stitch": "embroider, weave wove woven, stitch",
        "chore": """
            oil|the pulley, hem hemmed hemmed hemming|the skirt, tidy|the cupboard, dust|the ornaments,
            empty|the dustbin, grate|the parmesan, marinate|the veal, repaint|the gutter, plough|the field,
            sow sowed sown|the barley, staple|the leaflets, tally|the receipts, upholster|the sofa,
            unblock|the sink, pluck|the partridge, transcribe|the anecdote, stoke|the furnace,
            scan scanned scanned scanning|the blueprint, tether|the mule, fumigate|the shed,
            laminate|the menu, decant|the claret, recharge|the battery, dredge|the moat,
            disinfect|the kennel, refill|the birdbath
        """,
    },
    texts={
        "looks": """
            burly, bespectacled, dishevelled, suntanned, curly-haired, sullen, frail, sprightly, chubby,
            rosy-cheeked
        """,
        "origin": "from Naples, from Cardiff, from Toronto, from Nicosia, from Ghent, from Hobart",
        "timber": "gabled, moated, boarded-up, half-timbered, turreted, rambling, austere",
        "pelt": "tawny, piebald, grizzled, spotted, pregnant, lame, albino",
        "city": """
            Adelaide, Bogota, Calgary, Durban, Geneva, Havana, Jakarta, Lucerne, Manila, Odessa, Santiago,
            Tirana
        """,
        # Places and rivers that nobody knows anything about.
        "town": """
            Aldmoor, Brackwell, Cresthaven, Dunmere, Fernhollow, Glasby, Kelderton, Larkfield, Oxmoor,
            Penbrook, Thornley
        """,
        "river": "Arvel, Brintle, Corrow, Dovrin, Eskel, Harle, Lommer, Ostrel, Selk, Tolver",
        "country": """
            Ghana, Peru, Serbia, Panama, Iceland, Slovenia, Tunisia, Senegal, Bolivia, Malaysia
        """,
        # Invented brands.
        "brand": "Zentora, Quillmark, Bravix, Lumenta, Orbiton, Kalvero, Fintrell",
        "boon": "a sabbatical, a reprieve, a rebate, an exemption, a bursary",
        "drink": "a sherry, a martini, a smoothie, a shandy, a milkshake, a latte",
        "loot": "the winnings, the savings, the deposit, the royalties, the dowry, the heirloom",
        "number": """
            thirteen, fourteen, sixteen, seventeen, eighteen, nineteen, forty, seventy, ninety
        """,
        "language": "Farsi, Urdu, Swedish, Portuguese, Tagalog, Zulu, Hungarian, Breton",
        "pastime": "karate, yoga, snowboarding, origami, calligraphy, ventriloquism, falconry",
        "likeness": "effigy, miniature, snapshot, mural, lithograph, hologram",
        "work": "elegy, memoir, podcast, thriller, documentary, trilogy",
        # Past tense and participle are equal.
        "nominal": """
            endorsement/endorsed, impeachment/impeached, eviction/evicted, banishment/banished,
            exoneration/exonerated, entrapment/entrapped, recruitment/recruited, baptism/baptised
        """,
        "feeling": """
            yearning for/yearns for, detestation of/detests, idolisation of/idolises,
            tolerance of/tolerates, dread of/dreads, reliance on/relies on, avoidance of/avoids
        """,
    },
)
