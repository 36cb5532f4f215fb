"""The words of the eighth blind contrast set; none is a word of the eight lexicons before it."""

from pipeline.syntax.frames.words import Lexicon

LEXICON = Lexicon(
    women="""
        Angela, Ann, Audrey, Beth, Chloe, Doris, Eileen, Elaine, Eva, Frances, Gillian, Heather, Janet,
        Jennifer, Jill, Joanna, Joyce, Kathleen, Lisa, Louise, Michelle, Natalie, Nina, Patricia, Rita,
        Samantha, Sheila, Stella, Sylvia, Teresa, Vera, Zoe
    """,
    men="""
        Bernard, Bruce, Carl, Christopher, Clive, Craig, Fred, Geoffrey, Gerald, Gordon, Jacob, Jeremy, Jim,
        Jonathan, Kenneth, Lawrence, Leonard, Lewis, Malcolm, Marcus, Nicholas, Nigel, Norman, Owen, Raymond,
        Ronald, Roy, Ryan, Sean, Steven, Stuart, Tim, Tom, Trevor
    """,
    nouns={
        "role": """
            guard, president, chairman, salesman, waitress, actress, investor, songwriter, dean, scholar,
            vicar, nun, fireman, milkman, motorist, pensioner, teenager, stranger, villager, heiress,
            commander, lieutenant, sprinter, rower, activist, analyst, paediatrician, screenwriter, princess,
            duke, decorator, hermit
        """,
        # Those of whom many are spoken of at once.
        "group": """
            guard, salesman, actress, investor, scholar, nun, fireman, motorist, pensioner, teenager,
            villager, rower, activist, analyst
        """,
        "kin": """
            sister-in-law, daughter-in-law, stepsister, housemate, companion, opponent, partner
        """,
        "thing": """
            sword, crown, album, suit, mask, wreath, rifle, spear, pram, computer, television, pistol,
            recorder, bonnet, medallion
        """,
        "container": "cage, urn, shoebox, case, tube, coffin, flowerpot, cabinet",
        "place": """
            airfield, marina, mall, embankment, lido, boutique, racecourse, memorial, tearoom, plaza
        """,
        # What does harm, and may lead to more of it.
        "calamity": "war, coup, feud, slump, massacre, plague, crisis, exodus, revolution",
    },
    verbs={
        # Acts of one person on another that either could do.
        "deed": """
            accompany, contact, mention, alert, reproach, commend, portray, cure, excuse, shame,
            outclass, caution, shelter
        """,
        # Acts that take a moment.
        "blow": """
            shoot shot shot shooting, stab stabbed stabbed stabbing, smack, elbow, bruise, bless, headbutt
        """,
        # Acts of those in power.
        "power": """
            jail, prosecute, depose, overthrow overthrew overthrown,
            acquit acquitted acquitted acquitting, crown
        """,
        "chore": """
            collect|the wages, tighten|the screws, fasten|the bolts, mash|the carrots, drain|the beans,
            rebuild rebuilt rebuilt|the chimney, check|the heating, shorten|the trousers,
            straighten|the blinds, cover|the pool, remove|the litter, carry|the logs,
            dispatch|the invitations, study|the figures, settle|the bills, rearrange|the desks,
            attach|the sleeves, insulate|the oven
        """,
    },
    texts={
        "looks": """
            tearful, loud, merry, glum, grim, helpful, bold, faithful, sly, crafty, intelligent, pious, needy,
            greedy, noisy, lively, cheery, thirsty, healthy, warm-hearted, reliable, brown-eyed, black-haired
        """,
        "origin": """
            from Perth, from Exeter, from Birmingham, from Vancouver, from Bremen, from Auckland,
            from Inverness, from Baltimore
        """,
        "city": """
            Stuttgart, Bordeaux, Vilnius, Belgrade, Valencia, Palermo, Ankara, Beirut, Lahore, Brisbane,
            Ottawa, Memphis, Nashville, Sheffield, Nottingham, Cambridge
        """,
        # Towns and lands that nobody knows anything about.
        "town": """
            Haverton, Marbrook, Thornfield, Lowick, Ravensby, Stokeley, Tilbridge, Wrenham, Millcombe,
            Penridge, Hallowby, Coldridge
        """,
        "land": "Ardania, Belmora, Corvia, Drenovia, Estavia, Halvonia, Jurland, Narovia",
        "commodity": """
            copper, steel, timber, rice, maize, rubber, coal, zinc, beef, aluminium, nickel, tobacco
        """,
        "age": "18, 19, 21, 22, 23, 27, 29, 31",
        "number": "70, 80, 95, 160, 180, 250, 300, 400",
    },
)
