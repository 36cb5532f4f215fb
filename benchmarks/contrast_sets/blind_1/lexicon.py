"""The words of the blind contrast set; none is in the development set's lexicon."""

from pipeline.syntax.frames.words import Lexicon

LEXICON = Lexicon(
    women="Ingrid, Yasmin, Beatrice, Naomi, Fiona, Lucia, Harriet, Svetlana, Priya, Marguerite",
    men="Viktor, Pablo, Hassan, Leon, Desmond, Kenji, Rupert, Anton, Matthias, Tobias",
    nouns={
        "role": """
            plumber, violinist, senator, beekeeper, goalkeeper, tailor, librarian, jeweller, sculptor,
            detective, gardener, bishop, referee, apprentice, translator, surgeon, midwife, cyclist,
            carpenter, ambassador, inspector, photographer, fisherman, umpire, archivist
        """,
        "kin": """
            landlord, tutor, lodger, assistant, accountant, bodyguard, barber, hairdresser, trainer,
            creditor
        """,
        "beast": "goose, otter, donkey, parrot, hedgehog, badger, leopard, camel",
        "thing": """
            lantern, accordion, ladder, quilt, telescope, wardrobe, kettle, saddle, manuscript,
            necklace, chessboard, umbrella, wheelbarrow, compass, typewriter, harp
        """,
        "small": "candle, thimble, whistle, medal, dagger, ribbon, locket, corkscrew",
        "crisis": "famine, riot, mutiny, epidemic, scandal, shortage, rebellion",
        "vehicle": "lorry, tram, tractor, ambulance, motorbike, snowplough, minibus, hearse",
        "firm": """
            shipyard, orchestra, insurer, brewery, ministry, airline, charity, publisher, theatre,
            refinery, foundry
        """,
        "building": "lighthouse, chapel, granary, embassy, aquarium, stable, monastery, bakery",
        "paintable": "fence, bench, ceiling, shutter, doorframe, letterbox",
        "room": "attic, pantry, corridor, cellar, ballroom, vestry",
        "furniture": "piano, fireplace, armchair, bookshelf, mirror, statue, dresser",
        "way": "canal, tunnel, footpath, motorway, viaduct, staircase",
        "abstract": "treaty, contract, lease, theory, verdict, proposal, budget, statute",
        "item": "waistcoat, bowl, curtain, scarf, vase, blanket, envelope, tile",
        "topic": "drought, harvest, eclipse, strike, election, merger",
    },
    verbs={
        # Acts of one person on another that either could do.
        "deed": """
            congratulate, interview, rescue, insult, forgive forgave forgiven, mock, photograph,
            console, flatter, summon, bribe, deceive, recognise, imitate, betray, outwit outwitted
            outwitted outwitting, overhear overheard overheard, applaud, question, embrace, scold,
            escort
        """,
        "hurt": """
            kick, rob robbed robbed robbing, arrest, trip tripped tripped tripping, evict, dismiss,
            poison
        """,
        "attitude": "admire, trust, envy envied, resent, distrust, adore, pity pitied, despise",
        "crash": "overtake overtook overtaken, ram rammed rammed ramming, scrape, tow, dent",
        "bite": "chase, scare, bite bit bitten, sniff, injure",
        "trade": """
            acquire, finance, outbid outbid outbid outbidding, supply supplied, criticise, boycott,
            sponsor
        """,
        "give": "lend lent lent, sell sold sold, offer, bring brought brought",
        "hand_over": "lend lent lent, sell sold sold, offer, promise",
        "mutual": """
            marry married, chat chatted chatted chatting|with, meet met met, quarrel quarrelled
            quarrelled quarrelling|with, collide|with, argue|with
        """,
        "urge": "urge, persuade, force, encourage, beg begged begged begging, order",
        "chore": """
            repair|the roof, water|the tulips, cancel|the rehearsal, taste|the soup, sign|the petition,
            unload|the crates, lock|the gate, feed fed fed|the horses, resign, apologise, leave left
            left|the island, sweep swept swept|the yard, pay paid paid|the fine, tune|the organ,
            cook|the lobster, wait
        """,
        "happening": """
            resign, faint, arrive, retire, emigrate, vanish, weep wept wept, fall fell fallen|asleep,
            win won won|the raffle, lose lost lost|the appeal, miss|the ferry, catch caught caught|a
            cold, break broke broken|a tooth
        """,
        "beat": "beat beat beaten, please, understand understood understood, impress, convince, surprise",
        "act": """
            congratulate, interview, rescue, forgive forgave forgiven, photograph, console, bribe,
            applaud, escort
        """,
        "selfish": "deceive, flatter, forgive forgave forgiven, mock, console",
        "craft": """
            tune|the organ, cook|the lobster, repair|the roof, prune|the roses, sharpen|a chisel,
            juggle, fence, knit knitted knitted knitting
        """,
        "trip": "hitchhike, cycle, fly flew flown, sail",
        "handle": "wrap wrapped wrapped wrapping, hide hid hidden, unpack, measure, examine",
    },
    texts={
        "looks": "elderly, cheerful, stubborn, retired, nervous, famous, shy, ambitious, generous, clumsy",
        "origin": """
            from Bergen, from Lisbon, from Krakow, from Verona, from Galway, from Quito, with the limp,
            in the raincoat, with the beard
        """,
        "when": """
            on Sunday evening, after the concert, during the storm, at the station, in the courtyard,
            shortly before midnight, in the middle of the speech, at the end of October, in front of the
            cameras, to everyone's surprise, not far from the harbour, on the steps of the town hall,
            soon after the ferry had left, in the week before Easter, for reasons that are still
            unclear, despite the thick fog, on the first day of the festival, while the band was
            playing, early in the new year, a few days before Christmas, in the presence of the whole
            village, last spring
        """,
        "city": "Bergen, Lisbon, Krakow, Verona, Galway, Quito, Nairobi, Osaka, Tallinn, Dubrovnik",
        "language": "Greek, Finnish, Swahili, Welsh, Turkish, Korean",
        "mood": """
            exhausted, jealous, dishonest, superstitious, wealthy, innocent, ill, lonely, brilliant,
            homesick
        """,
        "temper": "late, absent, drunk, unwell, grumpy, homesick, exhausted, jealous",
        "state": "barefoot, drenched, sunburnt, sober, breathless",
        "legal": "verbal, temporary, international, secret, revised, standard",
        "colour": "purple, yellow, crimson, orange, turquoise, beige",
        "count": "two, four, seven, nine, eleven, twenty",
        "manner": "quietly, carefully, angrily, hastily, reluctantly, proudly",
        "often": "often, sometimes, usually, occasionally",
        "doing": "whistling, limping, sobbing, grinning, trembling, humming",
        "grade": """
            patient/more patient/less patient/patience, stubborn/more stubborn/less
            stubborn/stubbornness, honest/more honest/less honest/honesty, eloquent/more eloquent/less
            eloquent/eloquence, confident/more confident/less confident/confidence
        """,
        "scale": "wide/wider/narrower/width, long/longer/shorter/length",
        "price": "old/older/newer/age, tall/taller/lower/height",
        "fault": """
            the valve leaks/the valve leaked, the alarm rings/the alarm rang, the fuse blows/the fuse
            blew, the pump stops/the pump stopped, the cellar floods/the cellar flooded, the crew
            panics/the crew panicked, the engine overheats/the engine overheated, the lights flicker/the
            lights flickered, the pressure drops/the pressure dropped, the pipe bursts/the pipe burst
        """,
        "scene": """
            the choir falls silent/the choir fell silent, the audience leaves/the audience left, the
            baby cries/the baby cried, the lodgers complain/the lodgers complained, the soprano
            faints/the soprano fainted, the curtain falls/the curtain fell, the conductor frowns/the
            conductor frowned, the drummer speeds up/the drummer sped up
        """,
        "news": """
            the share price falls/the share price fell, the miners go on strike/the miners went on
            strike, the minister resigns/the minister resigned, the currency collapses/the currency
            collapsed, the newspapers protest/the newspapers protested, the shops close/the shops
            closed, unemployment rises/unemployment rose, the voters revolt/the voters revolted
        """,
        "deverbal": """
            arrest/arrested/of, portrait/painted/of, betrayal/betrayed/of, defence/defended/of,
            imitation/imitated/of, rescue/rescued/of, dismissal/dismissed/of, exclusion/excluded/of
        """,
        "message": "letter, postcard, invoice, telegram",
        "dish": "trout, lasagne, lamb stew, onion soup, apple pie, roast duck, goulash, risotto",
        "deal": "boat, orchard, vineyard, caravan, mill, cottage, allotment, sawmill",
        "job": "captain, treasurer, cook, organist, lawyer, mayor, chemist, surveyor",
        "side": "behind/in front of, to the left of/to the right of",
        "compass": "north of/south of, east of/west of, uphill from/downhill from",
        "ease": "hard, easy, difficult, impossible",
        "then": """
            on Sunday evening, after the concert, at the station, in the courtyard, last spring, during
            the storm
        """,
        "day": "on Sunday, last week, this morning, on Friday evening",
        "district": "eastern, western, northern, southern, disused, unfinished",
    },
)
