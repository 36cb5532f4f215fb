"""A trained ``cssl`` as a parse backend for raw text: ``parse.models.en: models/cssl/13``.

spaCy's rules for the language, without any model, split the text into sentences and words. The system gives
tags, heads and relations. It learns no features or lemmas: features stay empty; lemmas are LemmInflect's for
English and the words themselves elsewhere.

Commands that parse register this backend (``register``).
"""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.core.errors import SynsemError
from pipeline.core.store import folder_digest
from pipeline.parsing import base as registry
from pipeline.parsing.base import TOKENS_PER_BATCH, Parser
from pipeline.syntax.sentence import Sentence

if TYPE_CHECKING:
    from spacy.language import Language


def register() -> None:
    """Let ``parse.backend`` and ``parse.models`` name this backend: ``biaffine``."""
    registry.BACKENDS["biaffine"] = BiaffineBackend


class BiaffineBackend:
    """Words from rules, trees from a trained system with ``parse(sentences)``.

    The system gets about ``TOKENS_PER_BATCH`` words at a time, and batches them by length.
    """

    def __init__(self, system: Any, lang: str) -> None:
        self._system = system
        self._nlp = _blank(lang)
        self._lemma = _lemmatiser(lang)

    @classmethod
    def load(cls, model: str, lang: str) -> Parser:
        """Load the parser in the folder ``model``; SynsemError if there is none."""
        # Here, for they load torch.
        from pipeline.nn.compute import best_device
        from pipeline.systems.base.registry import load

        system = load(Path(model))
        if not hasattr(system, "parse"):
            raise SynsemError(f"parse.models.{lang}: '{model}' is a {system.name}, which does not parse")
        return cls(system.to(best_device()), lang)

    @staticmethod
    def version(model: str) -> str:
        """Return a digest of the model's files, and the tokenizer's version."""
        return f"biaffine spacy {metadata.version('spacy')} {folder_digest(Path(model))[:12]}"

    @staticmethod
    def gpus(model: str) -> int:
        """Return the number of GPUs that the parser would use, one a process."""
        import torch

        return torch.cuda.device_count()

    def parse(self, texts: Sequence[str | Sentence]) -> Iterator[list[Sentence]]:
        """See ``Parser.parse``."""
        from pipeline.nn.compute import one_thread

        start = 0
        while start < len(texts):
            split: list[list[Sentence]] = []
            words = 0
            while start < len(texts) and words < TOKENS_PER_BATCH:
                split.append(list(self._split(texts[start])))
                words += sum(map(len, split[-1]))
                start += 1
            with one_thread():  # each worker has one core, and more threads would give other trees
                trees = iter(self._system.parse([each for sentences in split for each in sentences]))
            for sentences in split:
                yield [self._parsed(each, next(trees)) for each in sentences]

    def _split(self, text: str | Sentence) -> Iterator[Sentence]:
        """The sentences of a text before parsing: words and the spaces after them."""
        if isinstance(text, Sentence) and text.words:
            yield Sentence(text.text, tuple(text.words), space_after=(True,) * len(text))
            return
        doc = self._nlp.make_doc(text if isinstance(text, str) else text.text)
        for span in self._nlp.get_pipe("sentencizer")(doc).sents if isinstance(text, str) else [doc[:]]:
            tokens = [token for token in span if not token.is_space]
            spaces = tuple(
                bool(token.whitespace_) or (token.i + 1 < len(doc) and doc[token.i + 1].is_space)
                for token in tokens
            )
            if tokens:
                yield Sentence(span.text, tuple(token.text for token in tokens), space_after=spaces)

    def _parsed(self, sentence: Sentence, tree: Any) -> Sentence:
        """The sentence with its tree."""
        upos = tuple(tree.upos) or ("X",) * len(sentence)
        return dataclasses.replace(
            sentence,
            text="",
            heads=tuple(tree.heads),
            deprels=tuple(tree.deprels),
            upos=upos,
            xpos=tuple(tree.xpos) or ("",) * len(sentence),
            lemmas=tuple(map(self._lemma, sentence.words, upos)),
            feats=("",) * len(sentence),
        )


def _blank(lang: str) -> "Language":
    """spaCy's rule tokenizer and sentence splitter; its multilingual one for a language without rules."""
    import spacy

    try:
        nlp = spacy.blank(lang)
    except ImportError:  # no rules for this language
        nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    return nlp


def _lemmatiser(lang: str) -> Callable[[str, str], str]:
    if lang != "en":
        return lambda word, upos: word
    from lemminflect import getLemma

    @functools.lru_cache(maxsize=100_000)
    def lemma(word: str, upos: str) -> str:
        if upos == "PROPN":
            return word
        if upos not in ("NOUN", "VERB", "AUX", "ADJ", "ADV"):  # LemmInflect knows no others
            return word.lower()
        found = getLemma(word.lower(), upos, lemmatize_oov=False)
        return found[0] if found else word.lower()

    return lemma
