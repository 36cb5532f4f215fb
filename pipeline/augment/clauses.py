"""Clauses: verb group, subject, polarity; changing voice, and whether that describes the same event."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipeline.augment.draft import Decline, Draft, Phrase, Word, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import (
    be,
    conjugate,
    consistent,
    expand,
    form_of_be,
    inflections,
    is_known,
    present,
    set_tag,
    words,
)

# How a verb agrees with its subject. It is called only if the verb form shows it, as it may raise Decline.
Agreement = Callable[[], str]

FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
_CLAUSES = frozenset({"acl", "advcl", "ccomp", "conj", "csubj", "parataxis", "xcomp"})
# ``also`` is handled separately: before the verb it may stay there.
_FOCUS = (words("focus_particles") - {"also"}) | words("focus_adverbs")


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
    """The verb group of ``verb``; raises Decline if tags, lemmas and forms contradict each other."""
    auxiliaries = tuple(tree.children_with(verb, "aux", "aux:pass"))
    decline_if(any(aux > verb for aux in auxiliaries), "verb group in doubt")
    finite = auxiliaries[0] if auxiliaries else verb
    decline_if(tree.xpos[finite] not in FINITE, "no finite verb")
    decline_if(not consistent(tree.lemmas[verb], tree.xpos[verb], tree.words[verb]), "lemma or tag in doubt")
    decline_if(not is_known(tree.lemma[verb], "VERB"), "lemma or tag in doubt")
    ambiguous = tree.xpos[verb] == "VBP" and tree.lower[verb] in inflections(tree.lemmas[verb], "VBD")
    decline_if(finite == verb and ambiguous, "tense in doubt")  # ``I read the book``
    for aux, following in zip(auxiliaries, (*auxiliaries[1:], verb), strict=False):
        lemma, tag = tree.lemma[aux], tree.xpos[following]
        if tree.xpos[aux] == "MD" or lemma == "do":
            expected = "VB"
        elif lemma == "have":
            expected = "VBN"
        elif lemma == "be":
            expected = "VBN" if tree.deprels[aux] == "aux:pass" else "VBG"
            decline_if(tree.lower[following] == "been", "verb group in doubt")  # *'s* that is *has*
        else:
            raise Decline("verb group in doubt")
        decline_if(tag != expected, "verb group in doubt")
    decline_if(verb and tree.words[verb][0].isupper(), "title")
    negations = [
        kid for kid in tree.children_with(verb, "advmod") if tree.lemmas[kid] == "not" and kid < verb
    ]
    decline_if(len(negations) > 1 or (negations and not auxiliaries), "verb group in doubt")
    return VerbGroup(verb, auxiliaries, negations[0] if negations else None)


def subject_of(tree: SourceTree, verb: int, rel: str) -> int:
    """The subject of a verb, of the relation ``rel``; raises Decline unless it has exactly one."""
    found = [kid for kid in tree.children[verb] if tree.universal[kid] in ("nsubj", "csubj", "expl")]
    if len(found) != 1 or tree.deprels[found[0]] != rel:
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
        decline_if(tree.universal[kid] in ("aux", "cop") and kid < subjects[0], "inverted order")
        if tree.universal[kid] in ("parataxis", "vocative", "discourse", "dislocated"):
            raise Decline("loosely attached material")
    return subjects[0]


def main_object(tree: SourceTree) -> Iterator[int]:
    """The object of the main verb, if there is one."""
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
    """Whether a finite verb is past; raises Decline if only other verbs could tell and none does.

    ``would`` and ``could`` are past next to another verb in the past, and present in ``would like``.
    """
    if tree.lower[finite] == "would" and tree.lemmas[tree.parents[finite]] in ("like", "love", "prefer"):
        return False
    decline_if(tree.lower[finite] in ("would", "could") and "VBD" not in tree.xpos, "tense in doubt")
    return tree.xpos[finite] == "VBD" or tree.lower[finite] in ("would", "could")


def require_free_subject(tree: SourceTree, verb: int, subject: int) -> None:
    """Raise Decline if other parts of the clause need its subject: a second verb, or a participle."""
    decline_if(_is_elliptic(tree, verb), "another verb is left out")
    # ``built it to show them and founded a firm``
    for kid in tree.subtree(verb):
        plain = tree.xpos[tree.parents[kid]] in ("VB", "VBG") and tree.parents[kid] != verb
        finite = tree.xpos[kid] in ("VBD", "VBZ") and not tree.has(kid, "nsubj")
        decline_if(tree.deprels[kid] == "conj" and plain and finite, "coordinated verbs share the subject")
    for kid in tree.children[verb]:
        rel = tree.deprels[kid]
        own = tree.any_of(tree.children[kid], "nsubj", "csubj", "expl")
        decline_if(rel == "conj" and not own, "coordinated verbs share the subject")
        if rel == "advcl" and not own:
            purpose = tree.lower[min(tree.subtree(kid))] in ("to", "in", "because", "for")
            plain = purpose and tree.xpos[kid] == "VB" and kid > verb
            decline_if(not plain, "adjunct clause is understood from the subject")
        if rel == "xcomp" and tree.lemmas[verb] not in words("object_control") and not of_object(tree, kid):
            raise Decline("open complement")
        oriented = rel == "obl" and kid < subject and tree.preposition(kid) in words("subject_oriented")
        decline_if(oriented, "adjunct is understood from the subject")
        decline_if(rel in words("loose_relations"), "loosely attached material")
        # ``A philosopher and engineer, Babbage designed it.``
        decline_if(rel == "obl:unmarked" and kid < subject and not tree.is_time(kid), "depictive")
        decline_if(rel == "acl" or (rel in ("amod", "appos") and kid != subject), "depictive")


def _is_elliptic(tree: SourceTree, verb: int) -> bool:
    """Whether ``do`` stands for this verb: ``Banks stop it, and walls do not.``, ``others fail to do so``."""
    return any(
        tree.lemma[i] == "do" and tree.universal[i] != "aux" and i != verb and not tree.has(i, "obj")
        for i in range(len(tree))
    )


def of_object(tree: SourceTree, complement: int) -> bool:
    """Whether an open complement describes the object, or a passive's subject: ``painted the door red``."""
    verb = tree.parents[complement]
    adjective = tree.upos[complement] == "ADJ" and not tree.has(complement, "mark", "aux", "cop")
    return adjective and (
        tree.lemma[verb] in words("object_complement") and tree.has(verb, "obj", "nsubj:pass")
    )


def require_close(tree: SourceTree, subject: Phrase, verb: int) -> None:
    """Raise Decline for a parenthesis between subject and verb; commas closing the subject do not count."""
    commas = [i for i in range(subject.stop, verb) if tree.words[i] == ","]
    if commas and not (subject.open and commas == [i for i in subject.commas if i >= subject.stop]):
        raise Decline("parenthesis between subject and verb")


def require_no_question_word(tree: SourceTree, subject: Phrase, verb: int) -> None:
    """Raise Decline if the subject holds a word that must stand first: ``a surplus of which fed them``."""
    inside = [i for i in subject.positions if i != subject.head and tree.parents[i] != verb]
    held = any(tree.xpos[i].startswith("W") for i in inside)
    decline_if(held and not tree.has(subject.head, "acl:relcl"), "question or relative word")


def passivise(draft: Draft, group: VerbGroup, agreement: Agreement, adverbs_from: int) -> Word:
    """Turn the verb group passive in place and return its finite word.

    ``adverbs_from`` is the source position before which a new finite *be* stands (the first of the adverbs in
    front of the verb, or the verb).
    """
    verb = draft[group.verb]
    chain, form = _auxiliaries(draft, group)
    if form in ((), ("do",)):
        finite = form_of_be((chain or [verb])[0].xpos, agreement(), "aux:pass", verb)
        draft.put([finite], before=chain[0] if chain else draft[adverbs_from])
        for do in chain:
            draft.drop(do)
    elif form in (("MD",), ("have",), ("MD", "have"), ("be",)):
        finite, tag = chain[0], {"MD": "VB", "have": "VBN", "be": "VBG"}[form[-1]]
        draft.put([form_of_be(tag, "singular", "aux:pass", verb)], before=draft[adverbs_from])
        if form[0] != "MD":
            agree(finite, agreement)
        if form == ("be",):
            finite.deprel = "aux"
    else:
        raise Decline("tense has no passive")
    conjugate(verb, "VBN")
    _uncontract(draft, finite)
    return finite


def _auxiliaries(draft: Draft, group: VerbGroup) -> tuple[list[Word], tuple[str, ...]]:
    """The auxiliaries, written in full, and their lemmas, with ``MD`` for any modal."""
    chain = [draft[aux] for aux in group.auxiliaries]
    for word in chain:
        expand(word)
    return chain, tuple("MD" if word.xpos == "MD" else word.lemma.lower() for word in chain)


def activate(draft: Draft, group: VerbGroup, agreement: Agreement, asked: bool = False) -> None:
    """Turn a passive verb group active in place; with *do* if an object is asked for."""
    verb = draft[group.verb]
    chain, form = _auxiliaries(draft, group)
    helper = chain[-1]
    if form == ("be",):
        tag = helper.xpos
        if group.negation is None and not asked:
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
    """Write a finite verb in full, and make it agree with its subject if its form can show that."""
    expand(finite)
    if finite.xpos in ("VBP", "VBZ"):
        form, tag = present(finite.lemma.lower(), agreement())
        set_tag(finite, tag, form)
    elif finite.xpos == "VBD" and finite.lemma.lower() == "be":
        finite.form = be("VBD", agreement())


def _uncontract(draft: Draft, finite: Word) -> None:
    """``am`` has no contracted negation."""
    after = draft.order[draft.order.index(finite) + 1]
    if finite.form == "am" and after.form.lower() in ("n't", "n’t"):
        after.form = "not"


def _holds(tree: SourceTree, name: str) -> bool:
    """Whether words in a row are on the word list of this name, which has ``_`` between them."""
    text = f"_{'_'.join(tree.lower)}_"
    return any(f"_{row}_" in text for row in words(name))


def needs_negation(tree: SourceTree, besides: int = -1) -> bool:
    """Whether a word of the sentence needs a negation (``at all``, ``a wink``), or is one, like ``never``.

    The word ``besides`` does not count.
    """
    needy = words("negative_polarity")
    alone = any(lower in needy for i, lower in enumerate(tree.lower) if i != besides)
    return alone or _holds(tree, "need_negation")


def bears_no_negation(tree: SourceTree) -> bool:
    """Whether a word of the sentence bears no negation (``already``, ``had better``), or needs one."""
    if not (words("positive_polarity") | words("negative_polarity")).isdisjoint(tree.lower):
        return True
    pairs = zip(tree.lower, tree.xpos[1:], strict=False)
    far = any(lower == "far" and after in ("JJR", "RBR") for lower, after in pairs)
    pairs = zip(tree.lower, tree.universal, strict=True)
    of = any(lower in ("kind", "sort") and rel in ("advmod", "obl") for lower, rel in pairs)
    return far or of or _holds(tree, "bear_no_negation")


def has_any(tree: SourceTree, word: int) -> bool:
    """Whether the phrase holds a word like ``any``, ``anyone``, ``ever`` or ``yet``."""
    return any(tree.lower[i] in words("any_words") for i in tree.subtree(word))


def is_negated(tree: SourceTree, verb: int, besides: int = -1) -> bool:
    """Whether the clause is negative, or nearly so: it has ``not``, ``hardly``, ``nobody``, ``few people``.

    The phrase of the word ``besides`` does not count, nor do the clauses in the clause.
    """
    return any(kid != besides and _negates(tree, kid) for kid in tree.children[verb])


def _negates(tree: SourceTree, word: int) -> bool:
    if tree.universal[word] in _CLAUSES:
        return False
    positive = word and tree.lower[word - 1 : word + 1] in (["a", "few"], ["a", "little"])
    return (tree.lower[word] in words("negators") and not positive) or any(
        _negates(tree, kid) for kid in tree.children[word]
    )


def is_under_negation(tree: SourceTree, word: int) -> bool:
    """Whether a clause around the word is negative, by another word than this one, or by ``deny``."""
    head, last = tree.parents[word], word
    while head >= 0:
        denies = tree.lemma[head] in words("negative_verbs") and tree.universal[last] != "advmod"
        if denies or is_negated(tree, head, besides=last):
            return True
        head, last = tree.parents[head], head
    return False


def require_same_event(tree: SourceTree, verb: int, subject: int, target: int) -> None:
    """Raise Decline if the passive describes another event: ``sold a million copies``."""
    lemma, noun = tree.lemma[verb], tree.lemma[target]
    described = tree.has(verb, "xcomp", "compound:prt")
    if lemma in words("animate_subject") and not described and not tree.may_act(subject):
        raise Decline("subject is not a participant")
    person, definite = tree.may_be_person(target), tree.is_definite(target)
    becomes = lemma in words("verbs_of_becoming") and person and not tree.has(verb, "iobj")
    decline_if(becomes and not (described or definite), "object describes the subject")
    after = [kid for kid in (*tree.children[verb], *tree.children[target]) if kid > target]
    states = [kid for kid in after if tree.lower[kid] in words("states_of_people")]
    decline_if(not person and any(tree.upos[kid] == "ADJ" for kid in states), "depictive")
    decline_if(f"{lemma}_{noun}" in words("light_objects"), "idiom of a light verb")
    part = tree.upos[target] == "NOUN" and (noun in words("body_parts") or lemma == "lose")
    decline_if(part and not definite, "object is a part of the subject")
    for kid in tree.children[verb]:
        if kid < verb or tree.universal[kid] not in ("obl", "advcl", "advmod", "nmod"):
            continue
        inner = tree.subtree(kid)
        first = tree.lower[inner[0]]
        acts = any(tree.upos[i] == "NOUN" and tree.may_act(i) for i in inner)
        role = first == "as" and lemma not in words("as_verbs") and acts
        decline_if(role or first == "like", "adjunct is understood from the subject")


def require_same_scope(tree: SourceTree, group: VerbGroup, target: int) -> None:
    """Raise Decline if the new subject leaves the scope of a negation, or an adverb gets another focus."""
    verb = group.verb
    if is_negated(tree, verb, besides=target):
        decline_if(has_any(tree, target), "word that needs a negation")
        kids = tree.children[target]
        if any(tree.lower[kid] in ("a", "an") or tree.deprels[kid] == "nummod" for kid in kids):
            raise Decline("scope of negation or focus particle")
    for kid in tree.children_with(verb, "advmod"):
        recent = tree.lower[kid] == "just" and tree.lemma[group.finite] == "have" and kid < verb
        as_well = ["as", "well"] in (tree.lower[kid : kid + 2], tree.lower[kid - 1 : kid + 1])
        also = as_well or (tree.lower[kid] == "also" and kid > verb)
        focus = tree.lower[kid] in _FOCUS and not recent
        decline_if(also or focus, "scope of negation or focus particle")


def require_licence(tree: SourceTree, verb: int, subject: int) -> None:
    """Raise Decline if a word needs the negation of a subject that moves: ``few people ever visit it``."""
    others = [kid for kid in tree.children[verb] if kid != subject]
    negates = is_negated(tree, verb) and not is_negated(tree, verb, besides=subject)
    decline_if(negates and any(has_any(tree, kid) for kid in others), "word that needs a negation")
