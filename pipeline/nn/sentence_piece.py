"""Subwords by SentencePiece (Kudo & Richardson 2018), for encoders that start from random weights.

``learn_subwords`` is its trainer of byte-pair encoding (Sennrich et al. 2016) with its own defaults: NFKC,
the space kept as ``▁``, no subword over a space, a change of script or a digit's end, at most 16 characters.
The saved ``.model`` file, a protobuf, holds vocabulary, normalisation and special subwords.
"""

import io
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline.core.atomic import atomic_path
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import sample

FILE = "sentencepiece.model"
MOST_TEXTS = 1_000_000  # that subwords are learnt from: what a trainer holds in memory
COVERAGE = 0.9995  # share of the text's characters that are in the vocabulary (Liu et al. 2019, 3.1)
_PAD, _UNK, _BEGIN, _END, _MASK = "<pad>", "<unk>", "<s>", "</s>", "<mask>"
_FULL_WIDTH_A = "\uff21"


class SentencePieceTokenizer:
    """A SentencePiece model, called as ``pipeline.nn`` calls a Hugging Face tokenizer.

    A sentence ends in ``</s>``; it begins with ``<s>`` where the model has one. Special subwords in a text
    are plain characters.
    """

    def __init__(self, model: bytes) -> None:
        """Raises ValueError or RuntimeError where ``model`` is not what the trainer wrote."""
        self.model = model
        self._processor = _library().SentencePieceProcessor()
        self._processor.LoadFromSerializedProto(model)
        # The rules of normalisation come last: a file cut short before them loads, but reads text otherwise.
        if not self._processor.normalize(_FULL_WIDTH_A).endswith("A"):
            raise ValueError("its end is missing")
        ids = (self._processor.pad_id(), self._processor.unk_id(), self._processor.bos_id())
        self.pad_token_id, self.unk_token_id, begin = ids
        self.eos_token_id: int = self._processor.eos_id()
        self._before = [begin] if begin >= 0 else []

    @classmethod
    def load(cls, path: Path) -> "SentencePieceTokenizer":
        """Read a ``.model`` file; raises SynsemError where it is damaged."""
        try:
            return cls(path.read_bytes())
        except (ValueError, RuntimeError) as error:
            raise SynsemError(
                f"{path}: damaged or cut short ({_reason(error)}); run the pretrain stage of this model again"
            ) from error

    def save_pretrained(self, folder: str) -> None:
        """Write ``sentencepiece.model`` into a folder, which is made."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        with atomic_path(Path(folder) / FILE) as path:
            path.write_bytes(self.model)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model,)

    def __len__(self) -> int:
        return len(self._processor)

    def get_vocab(self) -> dict[str, int]:
        """Each subword's id."""
        return {self._processor.id_to_piece(number): number for number in range(len(self))}

    def __call__(
        self,
        texts: str | Sequence[str],
        truncation: bool = False,
        max_length: int | None = None,
        add_special_tokens: bool = True,
        return_offsets_mapping: bool = False,
        return_special_tokens_mask: bool = False,
        return_attention_mask: bool = False,
        return_token_type_ids: bool = False,
    ) -> dict[str, list[Any]]:
        """``input_ids`` of a text or of each text, not padded, with offsets and special mask if asked for.

        An offset is a pair of characters (first, one past the last); (0, 0) at special subwords. There is
        never an attention mask or a token type.
        """
        single = isinstance(texts, str)
        given = [texts] if single else list(texts)
        before, after = (self._before, [self.eos_token_id]) if add_special_tokens else ([], [])
        special = len(before) + len(after)
        room = max(0, max_length - special) if truncation and max_length is not None else None
        encoding: dict[str, list[Any]] = {}
        if return_offsets_mapping:
            found = self._processor.encode(given, return_type="offset_mapping", num_threads=1)
            rows = [each["ids"][:room] for each in found]
            sides = [(0, 0)] * len(before), [(0, 0)] * len(after)
            encoding["offset_mapping"] = [[*sides[0], *each["offsets"][:room], *sides[1]] for each in found]
        else:
            rows = [ids[:room] for ids in self._processor.encode(given, return_type=int, num_threads=1)]
        encoding["input_ids"] = [[*before, *ids, *after] for ids in rows]
        if return_special_tokens_mask:
            encoding["special_tokens_mask"] = [
                [*[1] * len(before), *[0] * len(ids), *[1] * len(after)] for ids in rows
            ]
        return {name: values[0] for name, values in encoding.items()} if single else encoding

    @cached_property
    def fast(self) -> Any:
        """The same vocabulary as a fast Hugging Face tokenizer, for export and whatever wants pairs of texts.

        It differs on two things: a special subword in a text is special, and of two overlapping merges that
        give one subword (``haha`` in ``hahaha``) it need not take the left one.
        """
        from sentencepiece import sentencepiece_model_pb2
        from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
        from transformers import PreTrainedTokenizerFast

        rules = sentencepiece_model_pb2.ModelProto.FromString(self.model).normalizer_spec
        subwords = Tokenizer(
            models.BPE(vocab=self.get_vocab(), merges=self._merges(), unk_token=_UNK, fuse_unk=True)
        )
        subwords.normalizer = normalizers.Sequence(
            [
                normalizers.Precompiled(rules.precompiled_charsmap),
                normalizers.Replace(Regex(" {2,}"), " "),
                normalizers.Strip(),
            ]
        )
        subwords.pre_tokenizer = pre_tokenizers.Metaspace()
        subwords.decoder = decoders.Metaspace()
        begin = f"{_BEGIN} " if self._before else ""
        names = {"pad": _PAD, "unk": _UNK, "eos": _END}
        if self._before:
            names |= {"bos": _BEGIN, "cls": _BEGIN, "sep": _END, "mask": _MASK}
        subwords.post_processor = processors.TemplateProcessing(
            single=f"{begin}$A {_END}",
            pair=f"{begin}$A {_END} $B {_END}",
            special_tokens=[(name, self.get_vocab()[name]) for name in sorted({*begin.split(), _END})],
        )
        return PreTrainedTokenizerFast(
            tokenizer_object=subwords, **{f"{kind}_token": name for kind, name in names.items()}
        )

    def _merges(self) -> list[tuple[str, str]]:
        """Every way to put a subword together of two others, in the order in which they were learnt."""
        vocabulary = self.get_vocab()
        special = {vocabulary[name] for name in (_PAD, _UNK, _BEGIN, _END, _MASK) if name in vocabulary}
        return [
            (piece[:cut], piece[cut:])
            for piece, number in vocabulary.items()
            if number not in special
            for cut in range(1, len(piece))
            if piece[:cut] in vocabulary and piece[cut:] in vocabulary
        ]


def learn_subwords(
    texts: Iterable[str], vocabulary: int, key: str, begin: bool = False
) -> SentencePieceTokenizer:
    """At most ``vocabulary`` subwords, special ones included; fewer where the text has no more to merge.

    Of more than ``MOST_TEXTS`` texts so many are learnt from, drawn by a hash of each. The order of the texts
    and the number of processors change nothing. With ``begin`` there are ``<s>``, in front of each sentence,
    and ``<mask>``. Raises SynsemError, which names the parameter ``key``, where there is no text, or more
    characters to cover than subwords.
    """
    library, model = _library(), io.BytesIO()
    try:
        library.SentencePieceTrainer.train(
            sentence_iterator=iter(sorted(sample(texts, MOST_TEXTS, str, "subwords"))),
            model_writer=model,
            model_type="bpe",
            vocab_size=vocabulary,
            hard_vocab_limit=False,
            character_coverage=COVERAGE,
            # All the text in one order, lines of any length.
            input_sentence_size=0,
            shuffle_input_sentence=False,
            max_sentence_length=2**30,
            # Any number learns the same subwords, but it is written into the file.
            num_threads=1,
            pad_id=0,
            unk_id=1,
            bos_id=2 if begin else -1,
            eos_id=3 if begin else 2,
            pad_piece=_PAD,
            control_symbols=[_MASK] if begin else [],
            minloglevel=2,
        )
    except RuntimeError as error:
        if sizes := re.search(r"required_chars\. \d+ vs (\d+)", str(error)):
            raise SynsemError(
                f"{key}: {vocabulary} subwords cannot hold the characters of the training text; "
                f"give at least {sizes[1]}"
            ) from error
        if "insert_id" in str(error):
            raise SynsemError(
                f"{key}: {vocabulary} subwords have no room for start, end and unknown; give more"
            ) from error
        raise SynsemError(
            f"{key}: there is no text to learn subwords from ({_reason(error)}); "
            "give the mine stage examples with text"
        ) from error
    return SentencePieceTokenizer(model.getvalue())


def _library() -> Any:
    try:
        import sentencepiece
    except ImportError as error:
        raise SynsemError(
            "sentencepiece is not installed, which these subwords need; run `pip install sentencepiece`"
        ) from error
    return sentencepiece


def _reason(error: Exception) -> str:
    """SentencePiece's message without the place in its code."""
    return re.sub(r"^[A-Z_]+: \S+\(\d+\) ", "", str(error)).strip().rstrip(".") or type(error).__name__
