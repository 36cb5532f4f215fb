"""The tree of a sentence to rewrite, and what can be asked of its phrases; exchanging two noun phrases."""

from collections.abc import Iterable

from pipeline.augment.draft import Decline, Draft, LabelledTree, Phrase, decline_if
from pipeline.augment.surface import is_known, words

NOMINAL = frozenset({"NOUN", "PROPN", "PRON"})
_NUMBER = "number of the new subject in doubt"


class SourceTree(LabelledTree):
    """The tree of a sentence to rewrite: what a phrase, given by its head, is, has or may be.

    Methods that begin with ``require`` raise Decline if it may be something else.
    """

    def agreement(self, noun: int) -> str:
        """How a verb agrees with a subject: ``first`` (I), ``singular`` or ``plural``; may raise Decline."""
        others = self.children_with(noun, "conj")
        if not others:
            # ``Hong Kong, Malaysia and Singapore``, read as an apposition
            named = self.children_with(noun, "appos", "flat")
            decline_if(any(self.has(kid, "conj") for kid in named), _NUMBER)
            # ``custom and social practice``, and ``military and political success`` below, read as one noun
            mixed = [kid for kid in self.children_with(noun, "compound") if self.has(kid, "conj")]
            conjuncts = [other for kid in mixed for other in self.children_with(kid, "conj")]
            decline_if(any(self.upos[kid] == "ADJ" for kid in conjuncts), _NUMBER)
            return self.agreement_alone(noun)
        decline_if(self.is_half(noun), _NUMBER)
        decline_if(any(self.lower[self.child(kid, "cc") or kid] == "or" for kid in others), _NUMBER)
        decline_if(any(self.upos[kid] not in NOMINAL for kid in others), _NUMBER)
        return "plural"

    def agreement_alone(self, noun: int) -> str:
        """``agreement`` with a noun once its conjuncts are gone."""
        lower = self.lower[noun]
        if lower in ("i", "me"):
            return "first"
        if self.upos[noun] == "PRON":
            verb = self.parents[noun]
            # After the verb *that* and *who* are not relative pronouns.
            if lower in words("relative_pronouns") and noun < verb and self.deprels[verb] == "acl:relcl":
                antecedent = self.parents[verb]
                decline_if(self.upos[antecedent] not in NOMINAL, "antecedent in doubt")
                between = self.upos[antecedent + 1 : self.span(verb).start]
                decline_if("NOUN" in between or "PROPN" in between, "antecedent in doubt")
                return self.agreement(antecedent)
            plural = lower in words("plural_pronouns")
            decline_if(not plural and lower not in words("singular_pronouns"), _NUMBER)
            return "plural" if plural else "singular"
        decline_if(lower in words("collective_quantifiers") and self.has(noun, "nmod"), _NUMBER)
        several = [kid for kid in self.children_with(noun, "nummod") if self.lower[kid] not in ("one", "1")]
        decline_if(lower in words("invariant_nouns") and not several, _NUMBER)
        if lower in words("invariant_nouns") or lower in words("plural_nouns"):
            return "plural"
        feats = self.feats[noun]
        plural = "Number=Plur" in feats or self.xpos[noun] in ("NNS", "NNPS")
        singular = "Number=Sing" in feats or self.xpos[noun] in ("NN", "NNP")
        decline_if(plural == singular, _NUMBER)
        det = self.child(noun, "det")
        named = self.upos[noun] == "PROPN" and det is not None and self.lower[det] == "the"
        decline_if(singular and named and lower.endswith("s"), _NUMBER)  # ``the Beatles``
        decline_if(singular and any(kid < noun for kid in several), _NUMBER)
        decline_if(self.xpos[noun] == "NNPS" and self.has(noun, "compound", "amod", "flat"), _NUMBER)
        return "plural" if plural else "singular"

    def is_half(self, noun: int) -> bool:
        """Whether a first conjunct may not be a noun, or the second no conjunct.

        ``military and political success``, ``the stomach and functions as a gland``, ``overthrew the king and
        consolidated power``.
        """
        other = self.child(noun, "conj")
        cc = self.child(other, "cc") if other is not None else None
        if other is None or cc is None or not noun < cc < other or self.upos[noun] != "NOUN":
            return False
        adjective = cc == noun + 1 and self.upos[cc + 1] == "ADJ" and is_known(self.lower[noun], "ADJ")
        verb = cc + 1 == other and is_known(self.lemma[other], "VERB") and self.upos[other + 1] == "ADP"
        numbers = self.xpos[noun] in ("NN", "NNP") and self.xpos[other] == "NNS"
        det, after = self.child(noun, "det"), self.lower[cc + 1]
        if det is None:
            return adjective or (verb and numbers)
        participle = after.endswith("ed") or after == "another"
        oblique = after == "a" and self.lower[det] == "the" and self.deprels[noun] == "obl"
        return participle or oblique or (verb and numbers)

    def is_definite(self, noun: int) -> bool:
        """Whether a noun is a name or has a definite article, demonstrative or possessor."""
        det = self.child(noun, "det")
        if det is not None:
            return self.lower[det] in ("the", "this", "that", "these", "those")
        return self.upos[noun] == "PROPN" or self.has(noun, "nmod:poss")

    def has_quantifier(self, noun: int) -> bool:
        """Whether the noun phrase holds a word with scope: every, no, many, three ..."""
        listed = self._is_one_of(noun, "quantifiers", "det", "amod", "advmod", "nummod")
        return listed or self.has(noun, "det:predet")

    def has_anaphor(self, word: int) -> bool:
        """Whether the subtree holds a third-person possessive, reflexive or reciprocal."""
        return any(
            (self.lower[i] in words("anaphors") and (self.lower[i], self.xpos[i]) != ("her", "PRP"))
            or self.lower[max(i - 1, 0) : i + 1] == ["each", "other"]
            for i in self.subtree(word)
        )

    def has_pronoun(self, word: int) -> bool:
        """Whether the subtree holds a third-person personal pronoun."""
        pronouns = (i for i in self.subtree(word) if self.upos[i] == "PRON")
        return any(self.lower[i] in words("third_person") for i in pronouns)

    def is_time(self, noun: int) -> bool:
        """Whether the noun names a time: a year, a month, ``week`` ..."""
        digits = self.words[noun].removesuffix("s")
        year = len(digits) == 4 and digits.isdigit() and digits[0] in "12"
        return year or not words("time_nouns").isdisjoint((self.lower[noun], self.lemma[noun]))

    def is_measure(self, noun: int) -> bool:
        """Whether the noun is a measure (``five miles``, ``$20``) and no participant."""
        return (
            self.lemma[noun] in words("measures")
            or self.is_time(noun)
            or self.upos[noun] in ("NUM", "SYM")
            or (self.has(noun, "nummod") and self.words[noun] in "$£€%")
        )

    def is_bare_title(self, noun: int) -> bool:
        """Whether the word is a title whose name is elsewhere: the first of ``Mr. and Mrs. Jones``."""
        title = self.upos[noun] == "PROPN" and self.lower[noun].removesuffix(".") in words("titles")
        return title and not self.has(noun, "det", "flat")

    def is_bare(self, noun: int) -> bool:
        """Whether a noun is a singular common noun without article, possessor or other modifier before it."""
        before = any(kid < noun and self.upos[kid] != "PUNCT" for kid in self.children[noun])
        return self.upos[noun] == "NOUN" and self.xpos[noun] == "NN" and not before

    def binds(self, noun: int) -> bool:
        """Whether the phrase may bind pronouns: ``every student``, ``nobody``."""
        return self._is_one_of(noun, "binding_quantifiers", "det", "amod")

    def is_negative(self, noun: int) -> bool:
        """Whether the phrase negates its clause: ``nobody``, ``no student``."""
        return self._is_one_of(noun, "negative_words", "det")

    def _is_one_of(self, noun: int, name: str, *relations: str) -> bool:
        """Whether the noun, or a child of one of these relations, is on the word list of this name."""
        return any(self.lower[word] in words(name) for word in (noun, *self.children_with(noun, *relations)))

    def is_indefinite(self, noun: int) -> bool:
        """Whether the phrase has an indefinite article, a number or a quantifier: ``all guards``."""
        listed = self._is_one_of(noun, "indefinite_words", "det")
        return listed or self.has_quantifier(noun) or self.has(noun, "nummod")

    def require_no_focus(self, places: Iterable[int]) -> None:
        """Raise Decline for ``only``, ``even``, ``hardly`` ... among these words: the focus would change."""
        listed = words("focus_particles") | words("negative_adverbs")
        decline_if(any(self.lower[i] in listed for i in places), "scope of negation or focus particle")

    def require_scope(self, moved: int) -> None:
        """Raise Decline if a moved phrase and an argument are both quantified: ``a guard in every room``."""
        siblings = [kid for kid in self.children[self.parents[moved]] if kid != moved]
        others = [kid for kid in siblings if self.universal[kid] in ("nsubj", "obj", "iobj", "obl")]
        quantified, vague = self.has_quantifier(moved) or self.binds(moved), self.is_indefinite(moved)
        decline_if(quantified and any(map(self.is_indefinite, others)), "scope of quantifiers")
        scoped = any(self.binds(kid) or self.has_quantifier(kid) for kid in others)
        decline_if(vague and scoped, "scope of quantifiers")
        bound = any(self.has_pronoun(kid) for kid in others if self.upos[kid] != "PRON")
        decline_if(quantified and bound, "pronoun may be bound")

    def may_be_person(self, noun: int) -> bool:
        """Whether a common noun may name a person: it is on the list, or ends like a profession."""
        lemma = self.lemma[noun]
        endings = ("er", "or", "ist", "ian", "ee", "man", "woman", "person", "ant")
        like_one = len(lemma) > 4 and lemma.endswith(endings) and lemma not in words("things_in_er")
        return like_one or lemma in words("people")

    def may_act(self, noun: int) -> bool:
        """Whether a noun may name a person, an animal or an organisation; names and pronouns may."""
        # Taggers take ``Tajiks`` for a common noun, and ``oven`` for a name.
        name = self.words[noun][0].isupper() and (noun > 0 or self.upos[noun] == "PROPN")
        if name or self.upos[noun] == "PRON":
            return self.lower[noun] not in ("it", "this", "that", "these", "those", "something", "everything")
        animate = not words("animate").isdisjoint((self.lower[noun], self.lemma[noun]))
        return animate or self.may_be_person(noun)

    def require_particle(self, verb: int, target: int) -> None:
        """Raise Decline if a particle before the object may be its preposition: ``turned off the road``."""
        particle = self.child(verb, "compound:prt")
        doubt = self.lemma[verb] in words("motion_verbs") or self.lemma[target] in words("way_nouns")
        decline_if(doubt and particle is not None and particle < target, "particle may be a preposition")

    def require_sure_object(self, verb: int, target: int) -> None:
        """Raise Decline if a part of the object may belong to the verb.

        ``distinguish X from Y``; and if two words may have been read as one phrase: ``call the dog Rex``,
        ``paint the fence green``, ``give the soldiers orders``, ``wish her luck``.
        """
        lemma, nouns = self.lemma[verb], self.children_with(target, "compound")
        self.require_no_other_phrase(verb, target)
        self.require_particle(verb, target)
        named = self.upos[target] == "PROPN" and any(self.upos[kid] == "NOUN" for kid in nouns)
        adjective = nouns and is_known(self.lower[target], "ADJ")
        # ``drank the tea cold``; not ``found something new``
        after = self.upos[target] == "NOUN" and any(
            kid > target and self.upos[kid] == "ADJ" and not self.children[kid]
            for kid in self.children_with(target, "amod")
        )
        given = any(self.may_act(kid) and self.upos[kid] == "NOUN" for kid in nouns) or any(
            self.lower[kid] in words("people") for kid in self.children_with(target, "amod")
        )
        hers = any(self.lower[kid] == "her" for kid in self.children_with(target, "nmod:poss"))
        links = [self.child(kid, "cc") for kid in self.children_with(target, "conj")]
        verbal = any(cc and self.lower[cc + 1].endswith("ed") for cc in links)
        if (
            (lemma in words("naming_verbs") and named)
            or (lemma in words("object_complement") and adjective)
            or (lemma in words("dative_to") | {"cause", "cost"} and given)
            or (hers and lemma in words("dative_to") | words("dative_for") | {"wish"})
            or after
            or verbal  # ``promoted trade and attempted reforms``
            or self.words[target][0].isdigit()  # ``ranked the museum 10th``
            or self.has(target, "nsubj")
            or len(self.children_with(verb, "obj")) > 1  # ``bought the girl it``
        ):
            raise Decline("object and its complement in doubt")
        pairs = {f"{lemma}_{self.preposition(kid)}" for kid in self.children_with(target, "nmod")}
        decline_if(pairs & words("complement_of_verb"), "attachment in doubt")

    def require_no_other_phrase(self, verb: int, target: int) -> None:
        """Raise Decline if an object may hold words that are not part of it, or lack some that are.

        ``diagnose diseases using scans``, ``celebrates the Exodus of the Israelites from slavery``, ``term
        the events the turmoil``, ``overthrew the democracy and consolidated power``.
        """
        inside = self.subtree(target)
        decline_if(verb < target and self.after_comma(target), "object in doubt")
        used = any(self.lower[kid] in ("using", "employing") for kid in self.children_with(target, "acl"))
        named = any(not self.after_comma(kid) for kid in self.children_with(target, "appos"))
        after = inside[-1] + 1
        of_noun = self.has(target, "nmod") and self.lower[after] in words("noun_prepositions")
        after_all = any(self.subtree(kid)[0] == after for kid in self.children_with(verb, "obl"))
        decline_if(used or self.is_half(target) or named or (of_noun and after_all), "attachment in doubt")

    def require_one_preposition(self, noun: int) -> None:
        """Raise Decline for conjuncts with prepositions of their own: ``by the wind and by the sea``."""
        if any(self.has(kid, "case") for kid in self.children_with(noun, "conj")):
            raise Decline("conjuncts have prepositions of their own")

    def require_whole_list(self, noun: int) -> None:
        """Raise Decline for a conjunction that no conjunct follows: ``by the bank or indirectly``."""
        decline_if(self.has(noun, "cc") and not self.has(noun, "conj"), "coordination in doubt")

    def require_no_floating_quantifier(self, subject: int) -> None:
        """Raise Decline for a quantifier after its noun, as only subjects have it: ``they all ate``."""
        verb, floating = self.parents[subject], words("floating_quantifiers")
        after = any(subject < kid < verb and self.lower[kid] in floating for kid in self.children[verb])
        decline_if(after, "word order in doubt")
        own = any(kid > subject and self.lower[kid] in floating for kid in self.children[subject])
        decline_if(own and self.upos[subject] != "PRON", "word order in doubt")

    def is_time_adjunct(self, word: int) -> bool:
        """Whether the phrase says when: ``on Monday``, ``in 1990``, ``last week``, ``recently``."""
        if self.upos[word] == "ADV":
            return self.lower[word] in words("frame_adverbs")
        # ``at a time`` goes with an amount; ``at a time of crisis`` does not.
        modified = any(kid > word for kid in self.children[word])
        at_a_time = self.lower[max(0, word - 2) : word + 1] == ["at", "a", "time"] and not modified
        if not self.is_time(word) or at_a_time:
            return False
        if not self.has(word, "case"):
            start = self.span(word).start
            if start and self.upos[start - 1] == "ADP":
                return False  # a preposition that the parser left alone
            if [self.lower[kid] for kid in self.children[word]] == ["the"]:
                return False  # ``the morning (that) the ship sank``
            return self.deprels[word] in ("obl:unmarked", "obl:tmod")
        verb, preposition = self.parents[word], self.preposition(word)
        if any(self.lower[kid] == "back" for kid in self.children[verb]):
            return False  # ``goes back to the Romans in 100 BC``
        if self.is_complement(verb, preposition) or self.lemma[verb] in words("planning_verbs"):
            return False  # it may say when what is planned happens
        return preposition in words("time_prepositions")

    def is_complement(self, verb: int, preposition: str) -> bool:
        """Whether what the preposition opens belongs to the verb: ``depends on``, ``lasted until``."""
        return f"{self.lemma[verb]}_{preposition}" in words("prepositional_verbs")

    def require_same_count(self, moved: int) -> None:
        """Raise Decline if an adverb counts other things after the move.

        ``she usually works on Monday`` is not ``on Monday, she usually works``, and ``every pupil sometimes
        fails`` not ``sometimes, every pupil fails``.
        """
        verb = self.parents[moved]
        if self.lower[moved] not in words("frequency_adverbs"):
            counted = any(self.lower[kid] in words("frequency_adverbs") for kid in self.children[verb])
            decline_if(counted, "scope of an adverb of frequency")
            return
        for kid in self.children_with(verb, "nsubj", "nsubj:pass"):
            scoped = self.has_quantifier(kid) or self.binds(kid) or self.is_negative(kid)
            decline_if(scoped, "scope of quantifiers")

    def require_adjunct(self, word: int) -> None:
        """Raise Decline unless the phrase is surely an adjunct."""
        if self.universal[word] == "advmod":
            moves = self.lower[word] in words("frame_adverbs") and not self.children[word]
            decline_if(self.upos[word] != "ADV" or not moves, "adverb that does not move freely")
            self._require_no_manner(word)
            return
        decline_if(self.deprels[word] == "obl:agent", "phrase may be a complement")
        preposition = self.preposition(word)
        decline_if(not preposition and self.is_amount(word), "phrase says how long or how much")
        frame = preposition in words("frame_prepositions")
        decline_if(not frame and not self.is_time_adjunct(word), "phrase may be a complement")

    def _require_no_manner(self, adverb: int) -> None:
        """Raise Decline if an adverb may say how: ``runs normally``, ``was traditionally dressed``."""
        verb = self.parents[adverb]
        copular = self.upos[verb] != "VERB" or self.has(verb, "cop")
        decline_if(copular and self.lower[adverb] not in words("frame_time_adverbs"), "adverb may say how")
        if self.lower[adverb] not in words("manner_or_frame"):
            return
        nothing_follows = self.upos[max(verb, adverb) + 1] == "PUNCT"
        passive = self.has(verb, "aux:pass")
        decline_if(adverb > verb and self.words[adverb - 1] != ",", "adverb may say how")
        opinion = self.lower[adverb] == "generally" and self.lemma[verb] in words("opinion_verbs")
        decline_if(adverb == verb - 1 and passive and (nothing_follows or opinion), "adverb may say how")

    def is_amount(self, word: int) -> bool:
        """Whether a bare phrase measures: ``30 years``, ``many hours``, ``an hour``, ``your time``.

        ``one day`` and ``every two years`` say when.
        """
        kids = self.children[word]
        if any(self.lower[kid] in ("each", "every") for kid in kids):
            return False
        return self.has_quantifier(word) or any(
            (self.deprels[kid] == "nummod" and kid < word and self.lower[kid] != "one")
            or self.lower[kid] in ("a", "an")
            or self.deprels[kid] == "nmod:poss"
            or self.lower[kid] in words("plural_adjectives")
            for kid in kids
        )

    def require_free(self, phrase: Phrase) -> None:
        """Raise Decline for a phrase that is too long, holds a clause or a pronoun, or is part of a list."""
        decline_if(len(phrase) > 8, "phrase too long to move")
        for i in phrase.positions:
            rel = self.universal[i]
            if rel in ("acl", "advcl", "ccomp", "xcomp", "csubj", "conj", "appos", "parataxis"):
                raise Decline("phrase holds a clause or a list")
            if self.lower[i] in ("from", "to", "than", "as", "not", "only", "even", "just"):
                raise Decline("phrase in doubt")
        decline_if(self.has_pronoun(phrase.head), "phrase holds a pronoun")
        in_scope = phrase.start > 0 and self.lower[phrase.start - 1] in words("particles_before")
        decline_if(in_scope, "phrase in the scope of a particle")


def swap_phrases(tree: SourceTree, draft: Draft, a: int, b: int) -> None:
    """Exchange two noun phrases in the sentence and in the tree; the prepositions stay."""
    first, second = sorted((a, b))
    left, right = tree.phrase(first), tree.phrase(second)
    for noun in (a, b):
        decline_if(tree.is_half(noun), "coordination in doubt")
        tree.require_one_preposition(noun)
        tree.require_whole_list(noun)
    decline_if(left.stop > right.start or tree.words[second] == tree.words[first], "arguments overlap")
    draft.take([*left.commas, *right.commas])
    parts = []
    for phrase in (left, right):
        case = {kid for kid in tree.children_with(phrase.head, "case") if kid < phrase.head}
        if case and (len(case) > 1 or min(case) != phrase.start or tree.children[min(case)]):
            raise Decline("preposition in doubt")
        parts.append([draft[i] for i in phrase.positions if i not in case])
        parts[-1][-1].closing = phrase.open
        # The preposition belongs to the noun that now follows it.
        for kid in case:
            draft[kid].head = draft[second if phrase.head == first else first]
    at = [draft.order.index(part[0]) for part in parts]
    for part, place, other in ((parts[1], at[1], parts[0]), (parts[0], at[0], parts[1])):
        draft.order[place : place + len(part)] = other
    draft.exchange(draft[a], draft[b])
