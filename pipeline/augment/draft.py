"""A sentence to rewrite: its tree, its phrases, and the draft whose words move and change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count, repeat

from pipeline.syntax.sentence import Sentence
from pipeline.syntax.tree import DependencyTree

_FINAL = frozenset({".", "!", "?"})
_QUOTES = frozenset({'"', "``", "''", "“", "”", "‘", "’", "«", "»", "'", "`"})
_BRACKETS = frozenset("()[]{}")
_DASHES = frozenset({"...", "…", "--", "—", "–", ";", ":", "/"})
_AUXILIARIES = frozenset({"be", "do", "have"})
_NOT = frozenset({"not", "n't", "n’t"})
_DISFLUENT = frozenset({"goeswith", "reparandum", "dep", "orphan", "list", "dislocated"})
# A phrase of one of these relations may be set off by commas.
_SET_OFF = frozenset({"acl", "appos", "nmod", "advcl", "parataxis", "amod", "advmod", "obl"})


class Decline(Exception):  # noqa: N818 - it is an answer, not an error
    """A transformation does not apply here; report.json counts the message as the reason."""


def decline_if(condition: object, reason: str) -> None:
    """Raise Decline with the reason if the condition holds."""
    if condition:
        raise Decline(reason)


@dataclass(frozen=True)
class Phrase:
    """The words of a subtree, ready to be moved as one block.

    ``positions`` leaves out commas at either edge. ``commas`` close the phrase where it stands; they are
    removed when it moves. ``open`` phrases need a comma after them wherever they land inside a sentence
    (``Joyce, who was Irish``).
    """

    head: int
    positions: range
    commas: tuple[int, ...]
    open: bool

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def start(self) -> int:
        """The position of the first word."""
        return self.positions.start

    @property
    def stop(self) -> int:
        """The position after the last word."""
        return self.positions.stop


class LabelledTree(DependencyTree):
    """A dependency tree with its labels; ``phrases.SourceTree`` adds what phrases mean.

    ``lemma`` are the lemmas in lower case, ``relations`` all relations that occur, ``verbs`` the positions of
    main verbs. ``oddity`` says why the sentence is not plain running text; it is ``""`` for plain text. The
    final mark depends on the root, wherever a parser put it: phrases move, and the mark stays. ``lang`` is
    the language, by whose rules a variant is spelt. ``lower`` has straight apostrophes.
    """

    def __init__(self, sentence: Sentence, lang: str = "en") -> None:
        sentence = _closed(sentence)
        super().__init__(sentence.heads, sentence.words, sentence.deprels)
        self.sentence = sentence
        self.lang = lang
        self.lower = [word.replace("’", "'") for word in self.lower]
        self.lemmas = sentence.lemmas
        self.lemma = [lemma.lower() for lemma in sentence.lemmas]
        self.upos = sentence.upos
        self.xpos = sentence.xpos
        self.feats = sentence.feats
        self.relations = frozenset(self.deprels)
        self.verbs = [word for word, tag in enumerate(self.upos) if tag == "VERB"]
        self.oddity = _oddity(sentence)
        if any(map(self._takes_two, range(len(self)))):
            self.oddity = self.oddity or "second object of a relative clause in doubt"

    def has(self, word: int, *relations: str) -> bool:
        """Whether the word has a child of one of these relations."""
        return self.child(word, *relations) is not None

    def preposition(self, word: int) -> str:
        """The preposition of a phrase (or what stands for one, like *'s*) in lower case; empty for none."""
        case = self.child(word, "case")
        return "" if case is None else self.lower[case]

    def finite(self, clause: int) -> int:
        """The word that carries the tense of a clause: the first auxiliary or copula, or the head."""
        return next(iter(self.children_with(clause, "aux", "aux:pass", "cop")), clause)

    def _takes_two(self, word: int) -> bool:
        """Whether a relative clause may hold another's object: ``gave the boy who fed her a coin``."""
        head = self.parents[word]
        return (
            self.deprels[word] == "acl:relcl"
            and self.deprels[head] == "obj"
            and len(self.children_with(word, "obj", "iobj")) > 1
        )

    def after_comma(self, word: int) -> bool:
        """Whether the subtree of ``word`` begins with a comma or stands after one."""
        first = self.extents[0][word]
        return "," in self.words[max(first - 1, 0) : first + 1]

    def any_of(self, words: Iterable[int], *relations: str) -> bool:
        """Whether one of the words has one of these relations, subtypes aside."""
        return any(self.universal[word] in relations for word in words)

    def span(self, word: int) -> range:
        """The positions of the subtree of ``word``; raises Decline if other words stand between them."""
        first, last, size = self.extents
        decline_if(last[word] - first[word] + 1 != size[word], "phrase is not in one piece")
        return range(first[word], last[word] + 1)

    def phrase(self, word: int) -> Phrase:
        """The subtree of ``word`` as a block that can be moved.

        Raises Decline as ``span``, and if the block ends within a compound or a coordination.
        """
        span = self.span(word)
        start, stop = span.start, span.stop
        decline_if(self._is_hyphen(start - 1) or self._is_hyphen(stop), "phrase ends within a compound")
        commas = []
        while start < word and self.words[start] == ",":
            commas.append(start)
            start += 1
        while stop - 1 > word and self.words[stop - 1] == ",":
            stop -= 1
            commas.append(stop)
        decline_if(self.upos[stop - 1] == "CCONJ", "coordination in doubt")
        is_open = self.opens_comma(word, start, stop)
        if is_open and stop < len(self) and self.words[stop] == "," and stop not in commas:
            commas.append(stop)
        return Phrase(word, range(start, stop), tuple(commas), is_open)

    def _is_hyphen(self, place: int) -> bool:
        """Whether the word at ``place`` ties its two neighbours together: ``anti-authoritarian``."""
        glued = self.sentence.space_after
        return 0 < place < len(self) and self.words[place] == "-" and not (glued[place - 1] or glued[place])

    def opens_comma(self, word: int, start: int, stop: int) -> bool:
        """Whether the phrase ends with a modifier that has a comma on its left."""
        edge = stop - 1
        while edge not in (word, -1):
            if self.universal[edge] in _SET_OFF:
                first = self.extents[0][edge]
                if self.words[first] == "," or (first > start and self.words[first - 1] == ","):
                    return True
            edge = self.parents[edge]
        return False


def _closed(sentence: Sentence) -> Sentence:
    """The sentence with its final mark on the root."""
    heads = sentence.heads
    if len(heads) < 2 or sentence.words[-1] not in _FINAL or not heads[-1] or len(heads) in heads:
        return sentence
    return replace(sentence, heads=(*heads[:-1], heads.index(0) + 1))


def _oddity(sentence: Sentence) -> str:
    words = sentence.words
    if len(words) < 3:
        return "fewer than three words"
    if words[-1] not in _FINAL:
        return "no final punctuation"
    # Trained parsers may give it dependents, or take it for an argument.
    if len(words) in sentence.heads or sentence.deprels[-1] != "punct":
        return "final punctuation in doubt"
    if any(word in _QUOTES and tag == "PUNCT" for word, tag in zip(words, sentence.upos, strict=True)):
        return "quotation"
    if not _BRACKETS.isdisjoint(words):
        return "brackets"
    if not _DASHES.isdisjoint(words):
        return "dash, colon or semicolon"
    if not (words[0][:1].isupper() or words[0][:1].isdigit()):
        return "no capital at the start"
    if not _FINAL.isdisjoint(words[:-1]):
        return "several sentences"
    if _has_tag(sentence):
        return "tag question"
    initials = [word[:1] for word in words]
    if sum(map(str.isupper, initials)) > 0.8 * sum(map(str.isalpha, initials)):
        return "capitalised throughout"
    if not _DISFLUENT.isdisjoint(sentence.deprels):
        return "disfluent or elliptical"
    # UD allows one; if a parser finds two, one of them usually belongs elsewhere.
    arcs = zip(sentence.heads, sentence.deprels, strict=True)
    subjects = [head for head, relation in arcs if relation in ("nsubj", "nsubj:pass")]
    if len(set(subjects)) < len(subjects):
        return "two subjects of one verb"
    return ""


def _has_tag(sentence: Sentence) -> bool:
    """Whether a tag repeats subject and auxiliary: ``you broke it, didn't you?``, ``he did, did he not?``"""
    words = sentence.words
    if words[-1] != "?" or "," not in words:
        return False
    after = len(words) - words[::-1].index(",")
    tag = [i for i in range(after, len(words) - 1) if words[i].lower() not in _NOT]
    if len(tag) != 2 or sentence.upos[tag[1]] != "PRON":
        return False
    return sentence.xpos[tag[0]] == "MD" or sentence.lemmas[tag[0]].lower() in _AUXILIARIES


@dataclass(slots=True, eq=False, repr=False)
class Word:
    """One word of a draft; no two words are equal.

    ``source`` is its 1-based position in the source sentence, 0 for an added word. After a ``closing`` word
    comes a comma, unless other punctuation follows.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    deprel: str
    head: "Word | None" = None
    source: int = 0
    closing: bool = False

    def __repr__(self) -> str:
        return f"{self.form}/{self.deprel}"


class Draft:
    """A sentence while it is rewritten, as words that know their heads.

    ``order`` are the words in surface order; ``words[i]`` is the word at source position i, 0-based.
    """

    def __init__(self, tree: LabelledTree) -> None:
        self.source: Sentence = tree.sentence
        self.lang = tree.lang
        columns = (tree.words, tree.lemmas, tree.upos, tree.xpos, tree.feats, tree.deprels)
        self.words = list(map(Word, *columns, repeat(None), count(1)))
        for word, head in zip(self.words, tree.parents, strict=True):
            if head >= 0:
                word.head = self.words[head]
        self.order = list(self.words)

    def __getitem__(self, position: int) -> Word:
        return self.words[position]

    def take(self, positions: Iterable[int]) -> list[Word]:
        """Remove the words of these source positions from the surface and return them in order."""
        taken = [self.words[position] for position in positions]
        gone = set(taken)
        self.order = [word for word in self.order if word not in gone]
        return taken

    def take_phrase(self, phrase: Phrase) -> list[Word]:
        """Remove a phrase and its commas from the surface; return its words, the last perhaps ``closing``."""
        self.take(phrase.commas)
        words = self.take(phrase.positions)
        words[-1].closing = phrase.open
        return words

    def put(self, words: Sequence[Word], *, before: Word | None = None, after: Word | None = None) -> None:
        """Insert words into the surface, before or after a given word."""
        if before is not None:
            at = self.order.index(before)
        elif after is not None:
            at = self.order.index(after) + 1
        else:
            raise ValueError("before or after")
        self.order[at:at] = words

    def drop(self, word: Word) -> None:
        """Delete a word; its children get its head."""
        self.order = [other for other in self.order if other is not word]
        for other in self.order:
            if other.head is word:
                other.head = word.head

    def exchange(self, a: Word, b: Word) -> None:
        """Exchange the heads and relations of two words."""
        a.deprel, b.deprel = b.deprel, a.deprel
        a.head, b.head = b.head, a.head


def comma(head: Word) -> Word:
    """A comma that depends on ``head``."""
    return Word(",", ",", "PUNCT", ",", "", "punct", head)
