"""The spaCy backend: any pipeline by name or folder; ClearNLP labels are converted to UD."""

import importlib.util
import threading
from collections.abc import Container, Iterator, Sequence
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pipeline.core.errors import SynsemError, to_install
from pipeline.core.store import folder_digest, read_json
from pipeline.parsing.base import TOKENS_PER_BATCH, Passage
from pipeline.parsing.clearnlp import to_ud
from pipeline.parsing.clearnlp_tree import MutableTree
from pipeline.parsing.spacy_network import speed_up
from pipeline.parsing.spacy_rules import Annotation, RuleCache, annotation
from pipeline.syntax.sentence import Sentence

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

# The components that a tree needs; entities, text categories and the like cost time.
_NEEDED = {"tok2vec", "transformer", "tagger", "morphologizer", "parser", "attribute_ruler", "lemmatizer",
           "trainable_lemmatizer", "experimental_edit_tree_lemmatizer"}  # fmt: skip

_TOKENS_PER_ZONE = 50_000
_COLUMNS = ["ORTH", "TAG", "DEP", "HEAD", "SPACY", "SENT_START"]  # 64-bit each; the first three are keys


class SpacyBackend:
    """A spaCy pipeline, reduced to what a tree needs.

    Batches are counted in words, not in texts. About 50,000 words share a memory zone, which frees what they
    added to the vocabulary, so that memory stays flat. A zone a batch would be slower: the tokenizer would
    have to learn the common words again each time. Threads take turns by zone: a zone that ends frees the
    words of all.
    """

    def __init__(self, model: str) -> None:
        self._nlp = _load(model)
        speed_up(self._nlp)
        parser = self._nlp.get_pipe("parser")
        self.clearnlp = "pobj" in parser.labels
        self._rules = RuleCache(self._nlp) if RuleCache.serves(self._nlp) else None
        self._pipes = [pipe for _, pipe in self._nlp.pipeline][: -2 if self._rules else None]
        self._nouns = _common_nouns(self._nlp)
        self._turn = threading.Lock()

    @classmethod
    def load(cls, model: str, lang: str) -> "SpacyBackend":
        """The pipeline of that name or folder; the pipeline decides the language."""
        return cls(model)

    @staticmethod
    def version(model: str) -> str:
        """Versions of spaCy and of the model, without loading either; of a folder its content, too."""
        content = f" {folder_digest(Path(model))[:12]}" if Path(model).is_dir() else ""
        return f"spacy {metadata.version('spacy')}, {Path(model).name} {_meta(model)['version']}{content}"

    @staticmethod
    def gpus(model: str) -> int:
        """GPUs that a transformer pipeline would use, one a process; other pipelines stay on the CPU."""
        if "transformer" not in _meta(model)["pipeline"]:
            return 0
        import torch

        return torch.cuda.device_count()

    def parse(self, passages: Sequence[Passage]) -> Iterator[list[Sentence]]:
        """See ``Parser.parse``."""
        start = 0
        while start < len(passages):
            parsed: list[list[Sentence]] = []
            tokens = 0
            with self._turn, self._nlp.memory_zone():
                while start < len(passages) and tokens < _TOKENS_PER_ZONE:
                    docs: list[Doc] = []
                    budget = tokens + TOKENS_PER_BATCH
                    while start < len(passages) and tokens < budget:
                        docs.append(self._doc(passages[start]))
                        tokens += len(docs[-1])
                        start += 1
                    parsed += self._batch(docs, passages[start - len(docs) : start])
                    del docs  # none may outlive the zone
            yield from parsed

    def _batch(self, docs: "list[Doc]", passages: Sequence[Passage]) -> list[list[Sentence]]:
        for pipe in self._pipes:
            if hasattr(pipe, "pipe"):
                docs = list(pipe.pipe(docs, batch_size=len(docs)))
            else:
                docs = [pipe(doc) for doc in docs]
        columns = [doc.to_array(_COLUMNS) for doc in docs]
        if self._rules:
            self._rules.learn(map(tuple, np.unique(np.concatenate(columns)[:, :3], axis=0).tolist()))
        return [self._sentences(*triple) for triple in zip(docs, columns, passages, strict=True)]

    def _doc(self, passage: Passage) -> "Doc":
        from spacy.tokens import Doc

        if passage.words is None:
            return self._nlp.make_doc(passage.text)
        doc = Doc(self._nlp.vocab, words=list(passage.words))
        for token in doc:
            token.is_sent_start = token.i == 0
        return doc

    def _sentences(self, doc: "Doc", columns: NDArray[np.uint64], passage: Passage) -> list[Sentence]:
        orths, tags, deps = columns[:, :3].T.tolist()
        offsets, spaces, starts = columns[:, 3:].astype(np.int64).T.tolist()  # offsets may be negative
        words = (
            self._rules.annotate(doc, orths, tags, deps)
            if self._rules
            else [annotation(token) for token in doc]
        )
        strings = self._nlp.vocab.strings
        names = {dep: strings[dep] for dep in set(deps)}
        relations = [names[dep] for dep in deps]
        bounds = [word for word, start in enumerate(starts) if start == 1 or word == 0] + [len(words)]
        if passage.single:
            bounds = [0, len(words)]
        found = []
        for begin, end in pairwise(bounds):
            heads = [word + offsets[word] - begin if offsets[word] else -1 for word in range(begin, end)]
            sentence = self._sentence(words[begin:end], spaces[begin:end], heads, relations[begin:end])
            if sentence is not None:
                found.append(sentence)
        return found

    def _sentence(
        self, words: list[Annotation], spaces: list[int], heads: list[int], relations: list[str]
    ) -> Sentence | None:
        """One tree from its span of a Doc; 0-based heads, -1 for a root."""
        if any(word.space for word in words):
            words, spaces, heads, relations = _without_spaces(words, spaces, heads, relations)
        if not words:
            return None
        forms = [word.word for word in words]
        upos: Sequence[str] = [word.upos for word in words]
        xpos = [word.xpos for word in words]
        lemmas = [word.lemma for word in words]
        join_roots(heads, relations)
        if self.clearnlp:
            tree = MutableTree(forms, xpos, upos, lemmas, heads, relations)
            ud_heads, relations, upos = to_ud(tree, self._nouns)
        else:
            ud_heads = [head + 1 for head in heads]
            relations = [
                relation if head else "root" for head, relation in zip(ud_heads, relations, strict=True)
            ]
        return Sentence(
            tuple(forms), tuple(map(bool, spaces)), tuple(lemmas), tuple(upos), tuple(xpos),
            tuple(word.feats for word in words), tuple(ud_heads), tuple(relations),
        )  # fmt: skip


def _common_nouns(nlp: "Language") -> Container[str]:
    """The nouns that the pipeline's rule lemmatizer knows (WordNet's), lower case; none without one."""
    if not nlp.has_pipe("lemmatizer"):
        return frozenset()
    lookups = nlp.get_pipe("lemmatizer").lookups
    return (
        frozenset(lookups.get_table("lemma_index")["noun"])
        if lookups.has_table("lemma_index")
        else frozenset()
    )


def join_roots(heads: list[int], relations: list[str]) -> None:
    """Attach every root after the first to the first, as ``parataxis``; heads are 0-based, -1 for a root."""
    roots = [word for word, head in enumerate(heads) if head < 0]
    for word in roots[1:]:
        heads[word] = roots[0]
        relations[word] = "parataxis"


def _without_spaces(
    words: list[Annotation], spaces: list[int], heads: list[int], relations: list[str]
) -> tuple[list[Annotation], list[int], list[int], list[str]]:
    """Remove the tokens that are white space; their dependents go to the next word above."""
    kept = [number for number, word in enumerate(words) if not word.space]
    place = {number: new for new, number in enumerate(kept)}
    spaces = list(spaces)
    for number, word in enumerate(words):
        if word.space and number:
            spaces[number - 1] = 1
    new_heads = []
    for number in kept:
        head = heads[number]
        while head >= 0 and words[head].space:
            head = heads[head]
        new_heads.append(place[head] if head >= 0 else -1)
    return [words[n] for n in kept], [spaces[n] for n in kept], new_heads, [relations[n] for n in kept]


def _meta(model: str) -> Any:
    """The ``meta.json`` of a pipeline in a folder or an installed package."""
    if Path(model).is_dir():
        return read_json(Path(model) / "meta.json")
    package = importlib.util.find_spec(model) if model.isidentifier() else None
    if package is None or package.origin is None or importlib.util.find_spec("spacy") is None:
        raise SynsemError(
            f"parse.models: '{model}' is not installed; install spaCy and that package, "
            "or give the folder of a pipeline"
        )
    return read_json(Path(package.origin).parent / "meta.json")


def _load(model: str) -> "Language":
    try:
        import spacy
    except ImportError as error:
        raise SynsemError(f"parse.backend: spacy is not installed; {to_install('pipeline')}") from error
    try:
        nlp: Any = spacy.load(model, exclude=["ner"])
    except (OSError, ValueError) as error:
        raise SynsemError(
            f"parse.models: spaCy cannot load '{model}'; install that package or give a pipeline's folder"
        ) from error
    for name in nlp.pipe_names:
        if nlp.get_pipe_meta(name).factory not in _NEEDED:
            nlp.remove_pipe(name)
    if "parser" not in nlp.pipe_names:
        raise SynsemError(f"parse.models: '{model}' has no parser; choose a pipeline with one")
    return nlp
