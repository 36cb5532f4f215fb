"""The spaCy backend: any pipeline by name or folder; ClearNLP labels are converted to UD."""

import importlib.util
import threading
from collections.abc import Container, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.core.errors import SynsemError
from pipeline.core.store import folder_digest, read_json
from pipeline.parsing.base import TOKENS_PER_BATCH
from pipeline.parsing.clearnlp import MutableTree, to_ud
from pipeline.parsing.spacy_speed import Annotation, RuleCache, annotations, speed_up
from pipeline.syntax.sentence import Sentence

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

# The components that a tree needs; entities, text categories and the like cost time.
_NEEDED = {"tok2vec", "transformer", "tagger", "morphologizer", "parser", "attribute_ruler", "lemmatizer",
           "trainable_lemmatizer", "experimental_edit_tree_lemmatizer"}  # fmt: skip

_TOKENS_PER_ZONE = 50_000


class SpacyBackend:
    """A spaCy pipeline, reduced to what a tree needs.

    Batches are counted in words, not in texts. About 50,000 words share a memory zone, which frees what they
    added to the vocabulary, so that memory stays flat. A zone per batch would be slower: the tokenizer would
    have to learn the common words again each time. Threads take turns by zone: a zone that ends frees the
    words of all.
    """

    def __init__(self, model: str) -> None:
        self._nlp = _load(model)
        speed_up(self._nlp)
        parser = self._nlp.get_pipe("parser")
        self.clearnlp = "pobj" in parser.labels
        self._rules = RuleCache(self._nlp) if RuleCache.serves(self._nlp) else None
        self._pipes: list[Any] = [pipe for _, pipe in self._nlp.pipeline][: -2 if self._rules else None]
        self._nouns = _common_nouns(self._nlp)
        self._turn = threading.Lock()

    @classmethod
    def load(cls, model: str, lang: str) -> "SpacyBackend":
        """Return the pipeline of that name or folder; the pipeline decides the language."""
        return cls(model)

    @staticmethod
    def version(model: str) -> str:
        """Return the versions of spaCy and of the model, without loading them; of a folder also a digest."""
        content = f" {folder_digest(Path(model))[:12]}" if Path(model).is_dir() else ""
        return f"spacy {metadata.version('spacy')}, {Path(model).name} {_meta(model)['version']}{content}"

    @staticmethod
    def gpus(model: str) -> int:
        """Return how many GPUs a transformer pipeline would use, one per process; 0 for any other."""
        if "transformer" not in _meta(model)["pipeline"]:
            return 0
        import torch

        return torch.cuda.device_count()

    def parse(self, texts: Sequence[str | Sentence]) -> Iterator[list[Sentence]]:
        """See ``Parser.parse``."""
        start = 0
        while start < len(texts):
            parsed: list[list[Sentence]] = []
            tokens = 0
            with self._turn, self._nlp.memory_zone():
                while start < len(texts) and tokens < _TOKENS_PER_ZONE:
                    docs: list[Doc] = []
                    budget = tokens + TOKENS_PER_BATCH
                    while start < len(texts) and tokens < budget:
                        docs.append(self._doc(texts[start]))
                        tokens += len(docs[-1])
                        start += 1
                    parsed += self._batch(docs, texts[start - len(docs) : start])
                    del docs  # none may outlive the zone
            yield from parsed

    def _batch(self, docs: "list[Doc]", texts: Sequence[str | Sentence]) -> Iterator[list[Sentence]]:
        for pipe in self._pipes:
            docs = list(pipe.pipe(docs, batch_size=len(docs)) if hasattr(pipe, "pipe") else map(pipe, docs))
        words = self._rules.annotate(docs) if self._rules else map(annotations, docs)
        for doc, annotated, text in zip(docs, words, texts, strict=True):
            spans = doc.sents if isinstance(text, str) else [doc]
            yield [sentence for span in spans if (sentence := self._sentence(span, annotated)) is not None]

    def _doc(self, text: str | Sentence) -> "Doc":
        from spacy.tokens import Doc

        if isinstance(text, str) or not text.words:
            return self._nlp.make_doc(text if isinstance(text, str) else text.text)
        doc = Doc(self._nlp.vocab, words=list(text.words))
        for token in doc:
            token.is_sent_start = token.i == 0
        return doc

    def _sentence(self, span: "Doc | Span", annotated: Sequence[Annotation]) -> Sentence | None:
        """Return one tree from a span of a Doc with these annotations; None if it is all white space."""
        tokens = [token for token in span if not token.is_space]
        if not tokens:
            return None
        heads, spaces = _heads_and_spaces(tokens)
        forms, upos, xpos, feats, lemmas = zip(*(annotated[token.i] for token in tokens), strict=True)
        relations = [token.dep_ for token in tokens]
        join_roots(heads, relations)
        if self.clearnlp:
            tree = MutableTree(forms, xpos, upos, lemmas, heads, relations)
            ud_heads, relations, converted = to_ud(tree, self._nouns)
            upos = tuple(converted)
        else:
            ud_heads = [head + 1 for head in heads]
            relations = [
                relation if head else "root" for head, relation in zip(ud_heads, relations, strict=True)
            ]
        return Sentence(
            words=forms, heads=tuple(ud_heads), deprels=tuple(relations), upos=upos, xpos=xpos, lemmas=lemmas,
            feats=feats, space_after=tuple(spaces),
        )  # fmt: skip


def _common_nouns(nlp: "Language") -> Container[str]:
    """The nouns that the pipeline's rule lemmatizer knows (WordNet's), lower case; none without one."""
    lemmatizer = nlp.get_pipe("lemmatizer") if nlp.has_pipe("lemmatizer") else None
    lookups: Any = getattr(lemmatizer, "lookups", None)  # a trained lemmatizer has none
    if lookups is None or not lookups.has_table("lemma_index"):
        return frozenset()
    return frozenset(lookups.get_table("lemma_index")["noun"])


def join_roots(heads: list[int], relations: list[str]) -> None:
    """Attach every root after the first to the first, as ``parataxis``; heads are 0-based, -1 for a root."""
    roots = [word for word, head in enumerate(heads) if head < 0]
    for word in roots[1:]:
        heads[word] = roots[0]
        relations[word] = "parataxis"


def _heads_and_spaces(words: "list[Token]") -> tuple[list[int], list[bool]]:
    """Return the heads of tokens that are not white space, and whether a space follows each.

    Heads are 0-based, -1 for a root; dependents of white space go to the next word above.
    """
    place = {word.i: number for number, word in enumerate(words)}
    heads, spaces = [], []
    for word in words:
        head = word.head
        while head.is_space and head.head.i != head.i:
            head = head.head
        heads.append(-1 if head.i == word.i else place.get(head.i, -1))
        following = word.doc[word.i + 1].is_space if word.i + 1 < len(word.doc) else False
        spaces.append(bool(word.whitespace_) or following)
    return heads, spaces


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
    import spacy

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
