"""The words of the development contrast set; none is in the blind set's lexicon."""

from pipeline.syntax.frames.words import Lexicon

LEXICON = Lexicon(
    women="Anna, Emily, Grace, Julia, Olga, Sarah",
    men="Peter, Daniel, Henry, Marco, Simon, Walter",
    nouns={
        "role": """
            teacher, farmer, dancer, driver, painter, baker, judge, student, nurse, pilot, butcher,
            poet, clerk, sailor, singer, miner, waiter, actor
        """,
        "kin": "neighbour, friend, dentist, boss, sister, client",
        "beast": "dog, horse, cat, fox, goat, bear",
        "thing": "book, lamp, guitar, bicycle, ring, camera, suitcase, map, watch, violin",
        "vehicle": "bus, truck, taxi, van",
        "firm": "bank, factory, hospital, newspaper, university, hotel",
        "place": "bridge, tower, river, street, wall, garden",
        "item": "shirt, plate, chair, pencil, hat, cup",
    },
    verbs={
        "deed": """
            thank, visit, follow, invite, push, help, blame, greet, praise, attack, wake woke woken,
            call, tease, ignore
        """,
        "trade": "buy bought bought, advise, copy copied, support",
        "tail": "follow, pull, push, block",
        "chase": "watch, frighten, hunt, lick",
        "give": "give gave given, send sent sent, show showed shown",
        "ask": "ask, tell told told, allow, invite",
        "chore": """
            clean|the kitchen, iron|the sheets, write wrote written|the report, wash|the car, move,
            stay, drive drove driven|the children home, open|the parcel
        """,
        "happening": """
            smile, cough, dance, sleep slept slept, swim swam swum swimming, sing sang sung, laugh,
            shout, travel travelled travelled travelling
        """,
    },
    texts={
        "looks": "young, friendly, tired, rich, slim, blond, clever",
        "origin": "from Paris, from Boston, from Madrid, with the glasses, in the uniform",
        "when": """
            yesterday, on Monday, in the park, at noon, after lunch, during the meeting, at the party, a
            week ago, outside the school, in the summer of that year
        """,
        "city": "Paris, Boston, Madrid, Cairo, Vienna, Dublin",
        "month": "January, April, June, August",
        "mood": "lazy, hungry, happy, rude, ready",
        "colour": "red, blue, green, white",
        "count": "three, five, six, ten",
        "grade": "large/larger/smaller, clean/cleaner/dirtier",
        "size_of_person": "strong/stronger/weaker, happy/happier/sadder, rich/richer/poorer",
        "shared": "swaps stamps/swap stamps, plays chess/play chess, speaks/speak, trades/trade",
        "event": """
            the rain eases/the rain eased, the train brakes/the train braked, the bell sounds/the bell
            sounded, the door opens/the door opened, the music begins/the music began, the guests
            eat/the guests ate, the telephone dies/the telephone died, the children scream/the children
            screamed
        """,
    },
)
