"""Clauses: their verb group, subject and agreement, whether they can change voice, and changing it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipeline.augment.draft import Draft, Word
from pipeline.augment.morphology import be, conjugate, consistent, inflections, present, set_tag, words
from pipeline.augment.source_tree import Decline, Phrase, SourceTree
from pipeline.augment.surface import expand

_OBJECT_CONTROL = words("object_control")
_RESULTATIVE = words("object_complement")

# How a verb agrees with its subject. It is called only where the verb form shows it, as it may raise Decline.
Agreement = Callable[[], str]

_SUBJECT_ORIENTED = frozenset({"as", "like", "unlike", "with", "without", "by"})
FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})


@dataclass(frozen=True)
class VerbGroup:
    """A main verb with its auxiliaries from left to right and the ``not`` that belongs to it."""

    verb: int
    auxiliaries: tuple[int, ...]
    negation: int | None

    @property
    def finite(self) -> int:
        """The word that carries the tense: the first auxiliary, or the verb."""
        return self.auxiliaries[0] if self.auxiliaries else self.verb


def verb_group(tree: SourceTree, verb: int) -> VerbGroup:
    """The verb group of ``verb``; raises Decline where tags, lemmas and forms contradict each other."""
    auxiliaries = tuple(tree.children_with(verb, "aux", "aux:pass"))
    if any(aux > verb for aux in auxiliaries):
        raise Decline("verb group in doubt")
    finite = auxiliaries[0] if auxiliaries else verb
    if tree.xpos[finite] not in FINITE:
        raise Decline("no finite verb")
    if not consistent(tree.lemmas[verb], tree.xpos[verb], tree.words[verb]):
        raise Decline("lemma or tag in doubt")
    # ``I read the book``
    if (
        finite == verb
        and tree.xpos[verb] == "VBP"
        and tree.lower[verb] in inflections(tree.lemmas[verb], "VBD")
    ):
        raise Decline("tense in doubt")
    for aux, following in zip(auxiliaries, (*auxiliaries[1:], verb), strict=False):
        lemma, tag = tree.lemmas[aux].lower(), tree.xpos[following]
        if tree.xpos[aux] == "MD" or lemma == "do":
            expected = "VB"
        elif lemma == "have":
            expected = "VBN"
        elif lemma == "be":
            expected = "VBN" if tree.deprels[aux] == "aux:pass" else "VBG"
            if tree.lower[following] == "been":  # *'s* that is *has*
                raise Decline("verb group in doubt")
        else:
            raise Decline("verb group in doubt")
        if tag != expected:
            raise Decline("verb group in doubt")
    if verb and tree.words[verb][0].isupper():
        raise Decline("title")
    negations = [
        kid for kid in tree.children_with(verb, "advmod") if tree.lemmas[kid] == "not" and kid < verb
    ]
    if len(negations) > 1 or (negations and not auxiliaries):
        raise Decline("verb group in doubt")
    return VerbGroup(verb, auxiliaries, negations[0] if negations else None)


def subject_of(tree: SourceTree, verb: int, *rels: str) -> int:
    """The subject of a verb, of one of the relations ``rels``; raises Decline unless it has exactly one."""
    found = [kid for kid in tree.children[verb] if tree.universal[kid] in ("nsubj", "csubj", "expl")]
    if len(found) != 1 or tree.deprels[found[0]] not in rels:
        raise Decline("no plain subject" if not found else "subject in doubt")
    return found[0]


def declarative(tree: SourceTree) -> int:
    """The subject of a declarative main clause in plain order; raises Decline for any other clause."""
    root = tree.root
    subjects = [kid for kid in tree.children[root] if tree.universal[kid] in ("nsubj", "csubj", "expl")]
    if len(subjects) != 1 or tree.universal[subjects[0]] != "nsubj" or subjects[0] > root:
        raise Decline("no plain subject")
    if tree.words[-1] == "?" or tree.lower[subjects[0]] in ("who", "what", "which", "there"):
        raise Decline("question")
    for kid in tree.children[root]:
        if tree.universal[kid] in ("aux", "cop") and kid < subjects[0]:
            raise Decline("inverted order")
        if tree.universal[kid] in ("parataxis", "vocative", "discourse", "dislocated"):
            raise Decline("loosely attached material")
    return subjects[0]


def main_object(tree: SourceTree) -> Iterator[int]:
    """The object of the main verb, where there is one."""
    target = tree.child(tree.root, "obj")
    if target is not None and tree.upos[tree.root] == "VERB":
        yield target


def has_clause(tree: SourceTree) -> bool:
    """Whether a word of the sentence heads a dependent clause or an apposition."""
    return any(
        tree.universal[word] in ("acl", "advcl", "ccomp", "csubj", "parataxis", "appos")
        or (tree.deprels[word] == "conj" and tree.upos[word] in ("VERB", "AUX"))
        for word in range(len(tree))
    )


def is_past(tree: SourceTree, finite: int) -> bool:
    """Whether a finite verb is past; raises Decline where only other verbs could tell and none does.

    ``would`` and ``could`` are past beside another verb in the past, and present in ``would like``.
    """
    if tree.lower[finite] == "would" and tree.lemmas[tree.parents[finite]] in ("like", "love", "prefer"):
        return False
    if tree.lower[finite] in ("would", "could") and "VBD" not in tree.xpos:
        raise Decline("tense in doubt")
    return tree.xpos[finite] == "VBD" or tree.lower[finite] in ("would", "could")


def require_free_subject(tree: SourceTree, verb: int, subject: int) -> None:
    """Raise Decline where other parts of the clause need its subject: a second verb, or a participle."""
    for kid in tree.children[verb]:
        rel = tree.deprels[kid]
        own = any(tree.universal[x] in ("nsubj", "csubj", "expl") for x in tree.children[kid])
        if rel == "conj" and not own:
            raise Decline("coordinated verbs share the subject")
        if (
            rel == "advcl"
            and not own
            and (
                tree.xpos[kid] != "VB"
                or kid < verb
                or tree.lower[min(tree.subtree(kid))] not in ("to", "in", "because", "for")
            )
        ):
            raise Decline("adjunct clause is understood from the subject")
        if rel == "xcomp" and tree.lemmas[verb] not in _OBJECT_CONTROL and not of_object(tree, kid):
            raise Decline("open complement")
        case = tree.child(kid, "case")
        if rel == "obl" and kid < subject and case is not None and tree.lower[case] in _SUBJECT_ORIENTED:
            raise Decline("adjunct is understood from the subject")
        if rel in (
            "parataxis",
            "dep",
            "dislocated",
            "vocative",
            "discourse",
            "advcl:relcl",
            "csubj",
            "orphan",
        ):
            raise Decline("loosely attached material")
        if rel == "acl" or (rel in ("amod", "appos") and kid != subject):
            raise Decline("depictive")


def of_object(tree: SourceTree, complement: int) -> bool:
    """Whether an open complement describes the object, or a passive's subject: ``painted the door red``."""
    verb = tree.parents[complement]
    adjective = tree.upos[complement] == "ADJ" and tree.child(complement, "mark", "aux", "cop") is None
    return adjective and (
        tree.lemmas[verb].lower() in _RESULTATIVE and tree.child(verb, "obj", "nsubj:pass") is not None
    )


def require_close(tree: SourceTree, subject: Phrase, verb: int) -> None:
    """Raise Decline for a parenthesis between subject and verb; commas that close the subject are none."""
    commas = [i for i in range(subject.stop, verb) if tree.words[i] == ","]
    if commas and not (subject.open and commas == [i for i in subject.commas if i >= subject.stop]):
        raise Decline("parenthesis between subject and verb")


def require_no_question_word(tree: SourceTree, subject: Phrase, verb: int) -> None:
    """Raise Decline where the subject holds a word that must stand first: ``a surplus of which fed them``."""
    held = any(
        tree.xpos[i].startswith("W") and tree.parents[i] != verb
        for i in subject.positions
        if i != subject.head
    )
    if held and tree.child(subject.head, "acl:relcl") is None:
        raise Decline("question or relative word")


def passivise(draft: Draft, group: VerbGroup, agreement: Agreement, adverbs_from: int) -> Word:
    """Turn the verb group passive in place and return its finite word.

    ``adverbs_from`` is the source position before which a new finite *be* stands (the first of the adverbs in
    front of the verb, or the verb).
    """
    verb = draft[group.verb]
    chain = [draft[aux] for aux in group.auxiliaries]
    tags = [word.xpos for word in chain]
    finite_tag = tags[0] if chain else verb.xpos
    form = tuple("MD" if tag == "MD" else word.lemma.lower() for tag, word in zip(tags, chain, strict=True))
    for word in chain:
        expand(word)
    if form in ((), ("do",)):
        helper = Word(be(finite_tag, agreement()), "be", "AUX", finite_tag, "", "aux:pass", verb)
        set_tag(helper, finite_tag, helper.form)
        if form:
            draft.put([helper], before=chain[0])
            draft.drop(chain[0])
        else:
            draft.put([helper], before=draft[adverbs_from])
    elif form in (("MD",), ("have",), ("MD", "have"), ("be",)):
        tag = {"MD": "VB", "have": "VBN", "be": "VBG"}[form[-1]]
        helper = Word(be(tag, "singular"), "be", "AUX", tag, "", "aux:pass", verb)
        set_tag(helper, tag, helper.form)
        draft.put([helper], before=draft[adverbs_from])
        if form[0] != "MD":
            agree(chain[0], agreement)
        if form == ("be",):
            chain[0].deprel = "aux"
    else:
        raise Decline("tense has no passive")
    conjugate(verb, "VBN")
    finite = helper if form in ((), ("do",)) else chain[0]
    _uncontract(draft, finite)
    return finite


def activate(draft: Draft, group: VerbGroup, agreement: Agreement) -> None:
    """Turn a passive verb group active in place."""
    verb = draft[group.verb]
    chain = [draft[aux] for aux in group.auxiliaries]
    form = tuple("MD" if word.xpos == "MD" else word.lemma.lower() for word in chain)
    for word in chain:
        expand(word)
    helper = chain[-1]
    if form == ("be",):
        tag = helper.xpos
        if group.negation is None:
            if tag == "VBD":
                conjugate(verb, "VBD")
            else:
                conjugate(verb, "VBP", agreement())
            draft.drop(helper)
            return
        helper.lemma, helper.deprel, helper.source = "do", "aux", 0
        conjugate(verb, "VB")
        form_of_do, tag = ("did", tag) if tag == "VBD" else present("do", agreement())
        set_tag(helper, tag, form_of_do)
        return
    if form in (("MD", "be"), ("have", "be"), ("MD", "have", "be"), ("be", "be")):
        conjugate(verb, {"MD": "VB", "have": "VBN", "be": "VBG"}[form[-2]])
        draft.drop(helper)
        if form[0] != "MD":
            agree(chain[0], agreement)
        _uncontract(draft, chain[0])
        return
    raise Decline("tense has no active")


def agree(finite: Word, agreement: Agreement) -> None:
    """Make a finite verb agree with its subject; modals and plain past forms stay as they are."""
    if finite.xpos in ("VBP", "VBZ"):
        form, tag = present(finite.lemma.lower(), agreement())
        set_tag(finite, tag, form)
    elif finite.xpos == "VBD" and finite.lemma.lower() == "be":
        finite.form = be("VBD", agreement())


def _uncontract(draft: Draft, finite: Word) -> None:
    """``am`` has no contracted negation."""
    at = draft.index(finite)
    if (
        finite.form == "am"
        and at + 1 < len(draft.order)
        and draft.order[at + 1].form.lower() in ("n't", "n’t")
    ):
        draft.order[at + 1].form = "not"
