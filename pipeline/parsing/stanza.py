"""Stanza: UD parsers for some seventy languages, or a user's own models in a folder."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from pipeline.core.errors import SynsemError
from pipeline.core.store import sha256
from pipeline.parsing.base import TOKENS_PER_BATCH
from pipeline.parsing.conllu import adds_up
from pipeline.syntax.sentence import COLUMNS, Sentence

_PROCESSORS = ("tokenize", "mwt", "pos", "lemma", "depparse")
# What models read besides their own file; Stanza saves it in files of its own.
_SHARED = ("pretrain", "forward_charlm", "backward_charlm")


class StanzaBackend:
    """Stanza's pipeline; one for raw text and one for words that are given, each built when first needed."""

    def __init__(self, model: str, lang: str) -> None:
        self._model, self._lang = model, lang
        self._pipelines: dict[str, Any] = {}

    @classmethod
    def load(cls, model: str, lang: str) -> "StanzaBackend":
        """``model`` is a package of Stanza's (``default``, ``ewt``) or a folder of your own models.

        Such a folder holds ``pos.pt`` and ``depparse.pt``, and as needed ``tokenize.pt``, ``mwt.pt`` and
        ``lemma.pt``, and what these read: ``pretrain.pt`` (word vectors), ``forward_charlm.pt``,
        ``backward_charlm.pt``.
        """
        return cls(model, lang)

    @staticmethod
    def version(model: str) -> str:
        """Return the version of Stanza, and of the models if they are in a folder."""
        library = metadata.version("stanza")
        files = sorted(Path(model).glob("*.pt")) if Path(model).is_dir() else []
        return " ".join([f"stanza {library} {Path(model).name}", *(sha256(path)[:12] for path in files)])

    @staticmethod
    def gpus(model: str) -> int:
        """Return how many GPUs Stanza would use, one per process."""
        import torch

        return torch.cuda.device_count()

    def parse(self, texts: Sequence[str | Sentence]) -> Iterator[list[Sentence]]:
        """See ``Parser.parse``."""
        for kind, batch in _batches(texts):
            pipeline = self._pipeline(kind)
            if kind == "words":  # the batch is one document of these sentences
                document = pipeline([list(each.words) for each in batch if isinstance(each, Sentence)])
                for sentence in document.sentences:
                    yield [_sentence(sentence, (True,) * len(sentence.words))]
            else:
                import stanza

                documents = pipeline([stanza.Document([], text=_text(each)) for each in batch])
                for document, given in zip(documents, batch, strict=True):
                    found = [_sentence(sentence) for sentence in document.sentences]
                    yield found if isinstance(given, str) or len(found) < 2 else [_join(found)]

    def _pipeline(self, kind: str) -> Any:
        if kind not in self._pipelines:
            self._pipelines[kind] = self._build(pretokenized=kind == "words")
        return self._pipelines[kind]

    def _build(self, pretokenized: bool) -> Any:
        folder = Path(self._model)
        options = {"lang": self._lang, "tokenize_pretokenized": pretokenized, "verbose": False}
        try:
            if not folder.is_dir():
                return _package(self._model, options)
            return _own_models(folder, pretokenized, options)
        except SynsemError:
            raise
        except Exception as error:  # damaged files and missing word vectors raise errors of any type
            reason = (str(error).strip() or type(error).__name__).split("\n")[0].rstrip(".")
            raise SynsemError(
                f"parse.models.{self._lang}: Stanza cannot load '{self._model}' ({reason}); give a folder "
                "with pos.pt, depparse.pt and, if they were trained with it, pretrain.pt, or a package's name"
            ) from error


def _package(model: str, options: Mapping[str, Any]) -> Any:
    import stanza

    return stanza.Pipeline(
        package=model,
        # Stanza adds ``mwt`` itself for a language that has it, and refuses it for one that has not.
        processors=",".join(name for name in _PROCESSORS if name != "mwt"),
        # What was downloaded before is used as it is, without a network.
        download_method=stanza.DownloadMethod.REUSE_RESOURCES,
        **options,
    )


def _own_models(folder: Path, pretokenized: bool, options: Mapping[str, Any]) -> Any:
    """The pipeline of a user's own models, as ``StanzaBackend.load`` names their files."""
    import stanza

    paths = {name: folder / f"{name}.pt" for name in (*_PROCESSORS, *_SHARED)}
    there = [name for name, path in paths.items() if path.exists()]
    wanted = [name for name in there if name not in _SHARED]
    if pretokenized:
        wanted = ["tokenize", *(name for name in wanted if name not in ("tokenize", "mwt"))]
    elif "tokenize" not in wanted:
        raise SynsemError(f"{paths['tokenize']}: missing; raw text needs a tokenizer, or give words")
    if "depparse" not in wanted:
        raise FileNotFoundError(f"{paths['depparse']} is missing")
    files: dict[str, Any] = {f"{name}_model_path": str(paths[name]) for name in wanted if name in there}
    for shared in (name for name in there if name in _SHARED):
        files |= {f"{name}_{shared}_path": str(paths[shared]) for name in wanted}
    if "lemma" not in wanted:  # the form stands in: the parser itself reads no lemma of its input
        wanted.insert(wanted.index("depparse"), "lemma")
        files |= {"lemma_use_identity": True}
    # The user's folder holds models only, no resources.json.
    with tempfile.TemporaryDirectory() as empty:
        listing = Path(empty) / "resources.json"
        listing.write_text(json.dumps({}))
        return stanza.Pipeline(
            processors=dict.fromkeys(wanted, "own"),
            package=None,
            download_method=None,
            allow_unknown_language=True,
            resources_filepath=str(listing),
            **options,
            **files,
        )


def _text(given: str | Sentence) -> str:
    return given if isinstance(given, str) else given.text


def _batches(texts: Sequence[str | Sentence]) -> Iterator[tuple[str, list[str | Sentence]]]:
    """Yield runs of texts of one kind, of ``TOKENS_PER_BATCH`` words or so (six characters count as one)."""
    batch: list[str | Sentence] = []
    kind, size = "", 0
    for given in texts:
        words = () if isinstance(given, str) else given.words
        this = "words" if words else "text"
        if batch and (this != kind or size >= TOKENS_PER_BATCH):
            yield kind, batch
            batch, size = [], 0
        kind = this
        batch.append(given)
        size += len(words) or len(_text(given)) // 6 + 1
    if batch:
        yield kind, batch


def _sentence(parsed: Any, spaces: tuple[bool, ...] = ()) -> Sentence:
    if not spaces:
        for token in parsed.tokens:  # no space within ``don't``, but in ``au``, whose words are ``à le``
            apart = not adds_up([word.text for word in token.words], token.text)
            spaces += (apart,) * (len(token.words) - 1) + (token.spaces_after != "",)
    words = parsed.words
    return Sentence(
        words=tuple(word.text for word in words),
        space_after=spaces,
        lemmas=tuple(word.lemma or word.text for word in words),
        upos=tuple(word.upos or "X" for word in words),
        xpos=tuple(word.xpos or "" for word in words),
        feats=tuple(word.feats or "" for word in words),
        heads=tuple(word.head for word in words),
        deprels=tuple(word.deprel for word in words),
    )


def _join(sentences: Sequence[Sentence]) -> Sentence:
    """Several sentences as one; the later roots are roots still, for ``repair`` to join."""
    heads: list[int] = []
    for sentence in sentences:
        start = len(heads)
        heads += [head + start if head else 0 for head in sentence.heads]

    def chain(column: str) -> tuple[Any, ...]:
        return tuple(value for sentence in sentences for value in getattr(sentence, column))

    columns: dict[str, Any] = {column: chain(column) for column in COLUMNS}
    return Sentence(**columns | {"heads": tuple(heads)})
