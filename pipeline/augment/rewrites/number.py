"""Singular and plural.

``The dogs barked.`` -> ``The dog barked.``; ``She saw a dog.`` -> ``She saw several dogs.``
"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.clauses import agree
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import consistent, inflect, set_tag, words

_ARGUMENTS = ("nsubj", "nsubj:pass", "obj", "obl", "nmod", "obl:agent", "iobj")
_DETERMINERS = {"these": "this", "those": "that"}
_QUANTITY = words("collective_quantifiers")
_PREPOSITIONS = {"", "in", "with", "from", "by", "on", "at", "near", "under", "into", "of", "behind"}
_PRONOUNS = frozenset({"it", "its", "they", "their", "them", "itself", "themselves", "each"})
_OF_PEOPLE = frozenset({"he", "his", "him", "she", "her", "hers", "himself", "herself"})


def sites(tree: SourceTree) -> Iterator[tuple[int, int]]:
    """Common nouns in argument position with their article or demonstrative."""
    pronouns = (word for word, tag in zip(tree.lower, tree.upos, strict=True) if tag == "PRON")
    decline_if(not _PRONOUNS.isdisjoint(pronouns), "a pronoun may refer to the noun")
    for word, tag in enumerate(tree.xpos):
        det = tree.child(word, "det")
        if tag in ("NN", "NNS") and tree.deprels[word] in _ARGUMENTS and det is not None:
            yield word, det


def rewrite(tree: SourceTree, site: tuple[int, int]) -> Draft:
    """Change the number of one noun, with its determiner and its verb."""
    noun, det = site
    lemma, plural = tree.lemma[noun], tree.xpos[noun] == "NNS"
    invariant = words("no_number") & {lemma, tree.lower[noun]}  # ``goods`` is there, ``good`` is not
    if invariant or lemma in _QUANTITY or tree.is_measure(noun) or tree.has_quantifier(noun):
        raise Decline("noun does not change number")
    if tree.has(noun, "conj", "acl", "acl:relcl", "appos", "nummod", "nmod:unmarked"):
        raise Decline("noun phrase too heavy")
    decline_if(not consistent(lemma, tree.xpos[noun], tree.words[noun]) and plural, "lemma or tag in doubt")
    decline_if(tree.preposition(noun) not in _PREPOSITIONS, "noun phrase too heavy")
    head = tree.parents[noun]
    if tree.deprels[noun] == "nmod" and (tree.upos[head] != "NOUN" or tree.lemma[head] in _QUANTITY):
        raise Decline("quantity or kind")
    if not _OF_PEOPLE.isdisjoint(tree.lower) and tree.may_be_person(noun):
        raise Decline("a pronoun may refer to the noun")
    between = range(det + 1, noun)
    counted = any(tree.lower[i] in words("plural_adjectives") or tree.upos[i] == "NUM" for i in between)
    decline_if(plural and counted, "noun does not change number")
    # ``the northern and southern seas`` are two, and so is ``the northern and southern sea``.
    shared = any(tree.has(kid, "conj") for kid in tree.children_with(noun, "amod", "compound"))
    decline_if(plural and shared, "conjuncts may share the noun")
    # ``a teacher, also called a master, is``; ``the astronomers Smith and Wilson``
    apart = tree.words[noun + 1] == "," or tree.upos[noun + 1] == "PROPN"
    decline_if(apart or (plural and lemma in words("body_parts")), "noun phrase too heavy")
    if tree.lower[det] not in _DETERMINERS:
        # ``the effects of the war``, ``the notion of a number``
        decline_if("of" in (tree.lower[noun + 1], tree.preposition(noun)), "noun may be generic")
        _require_event(tree, noun)
    draft = Draft(tree)
    word, article = draft[noun], draft[det]
    if plural:
        decline_if(tree.lower[det] not in ("the", "these", "those"), "noun does not change number")
        article.form = _DETERMINERS.get(tree.lower[det], article.form)
        set_tag(word, "NN", lemma)
    else:
        several = noun - det > 2 or tree.lower[noun - 1] in ("such", "quite", "half")
        decline_if(several or tree.lower[det] not in ("a", "an"), "noun may not be countable")
        form = inflect(lemma, "NNS")
        decline_if(form == lemma, "noun does not change number")
        article.form = article.lemma = "several"
        article.upos, article.xpos, article.deprel, article.feats = "ADJ", "JJ", "amod", ""
        set_tag(word, "NNS", form)
    if tree.universal[noun] == "nsubj":
        finite = tree.finite(head)
        decline_if(finite < noun or tree.words[finite - 1] == ",", "inverted order")
        decline_if(tree.upos[head] in ("NOUN", "PROPN"), "predicate noun has a number too")
        agree(draft[finite], lambda: "singular" if plural else "plural")
        decline_if(tree.has(head, "conj"), "coordinated verbs share the subject")
    return draft


def _require_event(tree: SourceTree, noun: int) -> None:
    """Raise Decline unless the clause tells what happened: one hare that eats grass may stand for all."""
    clause = tree.parents[noun]
    while tree.universal[clause] in ("nmod", "obl", "obj", "nsubj") and tree.parents[clause] >= 0:
        clause = tree.parents[clause]
    finite = tree.finite(clause)
    compound = tree.lemma[finite] == "have" or tree.xpos[clause] == "VBG"
    told = tree.xpos[finite] == "VBD" or (compound and finite != clause)
    decline_if(not told or tree.deprels[clause] == "acl", "noun may be generic")


TRANSFORMATION = Transformation("number", "different", "no noun with an article", sites, rewrite)
