"""English words that the conversion to UD must know: closed classes and frequent names."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Degrees, offices and forms of address: ``nmod:desc`` before a name.
TITLES = _words(
    """
    admiral archbishop ayatollah baron baroness bishop capt capt. captain cardinal chairman chancellor col
    col. colonel count countess dame doctor dr dr. duke earl emperor empress father gen gen. general gov
    gov. governor imam judge justice king lady lieutenant lord lt lt. maj. major maulana mayor minister miss
    mother mr mr. mrs mrs. ms ms. mullah pope president prince princess prof prof. professor queen rabbi
    reps. rep. representative rev rev. reverend saint secretary sen sen. senator senators sergeant sgt.
    shaikh sheik sheikh sir sister sultan
    """
)
# Adjectives inside names (New York, United States, National Guard): ``amod``, not ``compound``.
NAME_ADJECTIVES = _words(
    """
    academic african american ancient annual arab arctic atomic australian austrian balkan baltic basic big
    black blue bolivian brazilian british canadian catholic central chinese christian civil classical
    clinical colonial commercial communist conservative constitutional continental criminal cultural czech
    daily danish democratic digital dutch eastern economic educational egyptian electric environmental
    european executive federal financial foreign free french general german global golden grand great greek
    green high historical hungarian imperial indian industrial iranian iraqi irish islamic israeli italian
    japanese jewish joint korean latin legal liberal local lower mechanical medical mexican middle military
    modern mutual national natural naval new nobel northeastern northern northwestern nuclear official old
    olympic orthodox pakistani physical polish political popular portuguese presidential prime private
    professional public red regional republican rolling roman romanian royal russian saudi scientific
    scottish second senior social socialist southeastern southern southwestern soviet spanish special
    strategic supreme swedish swiss technical turkish ukrainian united universal upper vocal western white
    wild
    """
)
# First parts of names whose parts are ``flat``, whatever the last part means as a common noun.
NAME_STARTS = _words(
    """
    abdul abu adam ahmed al alan albert alex alexander ali alice amy andrea andrew andy angela ann anna anne
    anthony antonio arthur barack barbara ben benjamin bernard bill billy bin bob bobby brad brian bruce
    buenos carl carlos carol caroline catherine charles charlie chris christina christopher claire colin
    cynthia dan daniel dave david de deborah del denise dennis diana diane don donald dorothy doug douglas
    ed eddie edgar edward el eleanor elizabeth ellen emily emma eric ernest eugene frank franklin fred
    frederick gary geoffrey george gerald gerard gordon greg gustav hamid hans harold harry heather helen
    henry herbert howard hugh ian isaac ismail jack jackie jacob jacques james jan jane janet jason jean
    jeff jennifer jerry jessica jim jimmy joan joe johann john johnny jon jonathan jose joseph juan julia
    julie karen karl kate katherine kathleen kay keith ken kenneth kevin khalid kim kurt la larry las laura
    lawrence le lee leo leonard lewis linda lisa los louis lucy ludwig luis marcus margaret maria marie
    mario mark martha martin mary matt matthew max michael michel michelle mike mohammed muhammad nancy neil
    nicholas nick nicole noam oliver oscar osama otto pamela patricia patrick paul pedro peter phil philip
    pierre puerto rachel ralph raymond rebecca richard rick robert roger ron ronald rosa ross roy russell
    ruth ryan sally sam samuel san santa sara sarah sao scott sean sharon sheila simon sri st. stanley
    stephanie stephen steve steven stuart sue susan theodore theresa thomas tim timothy todd tom tommy tony
    tracy van vincent virginia von walter warren wayne wilhelm will william winston wolfgang
    """
)
# Head nouns of names of institutions, places and things: their parts are ``compound``.
NAME_HEADS = _words(
    """
    academy accord act agency agreement airlines airport alliance area army assembly association authority
    avenue award band bank battalion battle bay beach board book bowl branch bridge brigade building bureau
    bus business castle center central centre championship channel chapel church city club coalition coast
    college commission committee communications community company conference congress contest convention
    corp corp. corporation corps council counterparty county court creek cup day delta department desert
    district division east energy festival film fleet force forces forum foundation fund gallery games
    garden gardens group guard gulf hall harbor health highway hill hills home hospital hotel house inc inc.
    index industries institute international island islands lake laboratory law league library limited line
    llc ltd ltd. magazine management market mart memorial mine ministry mountain mountains museum music
    nations navy network north office ocean oil olympics open opera orchestra order organization palace park
    party peninsula place plains plan plateau plc point police port post power press prize program project
    province railway range records region republic research reservoir revolution ridge river road rock
    school sea senate series service services society software sound south square stadium star state states
    station strait street studies studio studios system systems team technology television territory theatre
    times tower town trade treaty tribe trust union university valley village war way week west works world
    yard year zone
    """
)
MONTHS = _words(
    """
    january february march april may june july august september october november december jan feb mar apr
    jun jul aug sep sept oct nov dec jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec. christmas
    summer winter spring fall autumn
    """
)
QUANTITIES = _words(
    """
    all any both each either enough few fewer half less little lot lots many more most much neither none
    plenty several some
    """
)  # fmt: skip
# Adverbs that can be the predicate of a copula: he is here, how are you.
PREDICATIVE_ADVERBS = _words(
    """
    abroad ago ahead alive alone apart around aside asleep away awake back behind below by down downstairs
    done due early forth here home how in inside late long near nearby off on out outdoors outside over so
    there through together tomorrow today tonight under up upstairs well when where why
    """
)
# Verbs whose one object is the one who is told: ``iobj``.
TELLING = _words(
    """
    advise ask assure convince inform notify persuade remind teach tell
    """
)
# Pairs that are one function word: the second is ``fixed`` on the first.
FIXED = {
    ("according", "to"), ("all", "but"), ("as", "if"), ("as", "of"), ("as", "opposed"), ("as", "to"),
    ("as", "well"),
    ("at", "least"), ("because", "of"), ("due", "to"), ("each", "other"), ("had", "better"), ("how", "come"),
    ("in", "case"), ("in", "order"), ("instead", "of"), ("kind", "of"), ("less", "than"), ("more", "than"),
    ("of", "course"), ("one", "another"), ("prior", "to"), ("rather", "than"), ("so", "as"), ("so", "that"),
    ("sort", "of"), ("such", "as"), ("that", "is"), ("up", "to"), ("vice", "versa"), ("whether", "or"),
}  # fmt: skip
