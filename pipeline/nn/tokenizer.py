"""Sentences to token ids, each subword aligned with its word, and token states to word states.

``learn_subwords`` makes a vocabulary for encoders that start from random weights.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.core.seeding import sample
from pipeline.nn.compute import on_device
from pipeline.nn.structure import TreeControl, control_heads
from pipeline.syntax.sentence import Sentence, word_starts

NO_WORD = -1  # the word of a special token or of padding
NO_HEAD = -1  # the head of a padding word
# Training reads ahead while it validates, and a fast tokenizer's settings must not change meanwhile.
_TURNS = threading.Lock()


@dataclass(frozen=True)
class Tokens:
    """A padded batch on one device: B sentences of at most L tokens and W words."""

    ids: torch.Tensor  # int64 [B, L]
    mask: torch.Tensor  # bool [B, L], False at padding
    words: torch.Tensor | None  # int64 [B, L], 0-based word of each subword or NO_WORD; None: without trees
    heads: torch.Tensor | None  # int64 [B, W >= 1], 1-based, 0 for a root, NO_HEAD at padding
    relations: torch.Tensor | None = None  # int64 [B, W], numbers of relations, if a tree has any
    embedded: torch.Tensor | None = None  # float32 [B, L, D], input embeddings, if known already

    def __len__(self) -> int:
        return self.ids.shape[0]


class EncodedSentence(NamedTuple):
    """A sentence, or a text of several, as token ids before padding; see ``Tokens``."""

    ids: Sequence[int]
    words: NDArray[np.int64] | None = None
    heads: Sequence[int] | None = None
    successors: Sequence[int] = ()  # of the words, by a tree; see ``systems.synsem.data.read_texts``

    @property
    def size(self) -> int:
        """How many words are read: the number of the last one + 1."""
        return 0 if self.words is None else int(self.words.max(initial=NO_WORD)) + 1

    def read_part(self) -> "EncodedSentence":
        """Leave out the words beyond the last token, except ancestors of a word that stays.

        Depths and paths of those that stay are the same. Tree distances take the cube of the number of words.
        """
        if self.words is None or self.heads is None or len(self.heads) <= len(self.ids):
            return self
        kept = set(range(self.size))
        for word in [*kept]:
            while (word := self.heads[word] - 1) not in kept and word >= 0:
                kept.add(word)
        places = sorted(kept)
        number = {word: new for new, word in enumerate(places, 1)}
        return self._replace(heads=[number.get(self.heads[word] - 1, 0) for word in places])


class SentenceTokenizer:
    """A fast Hugging Face tokenizer on plain text, with the trees of the sentences.

    Token ids equal the backbone's own. ``max_tokens`` counts special tokens; a sentence that is cut keeps its
    whole tree, so that tree distances stay right. ``control`` replaces each tree.
    """

    def __init__(self, tokenizer: Any, max_tokens: int, control: TreeControl | None = None) -> None:
        self.hf_tokenizer, self.max_tokens, self.control = tokenizer, max_tokens, control
        self.tokens = self.padded_tokens = 0  # counted by ``pad``; padded_tokens includes padding

    def encode(self, sentences: Sequence[Sentence], trees: bool = True) -> list[EncodedSentence]:
        """Return token ids and, with ``trees``, words and heads; SynsemError if words and text disagree."""
        if not sentences:
            return []
        encoding = self.tokenize([sentence.text for sentence in sentences], places=trees)
        if not trees:
            return [EncodedSentence(ids) for ids in encoding["input_ids"]]
        heads = [each.heads for each in sentences]
        if self.control is not None:
            heads = [control_heads(each.heads, each.text, self.control) for each in sentences]
        columns = (encoding[name] for name in ("input_ids", "offset_mapping", "special_tokens_mask"))
        return [
            EncodedSentence(ids, align(sentence, offsets, special), own)
            for sentence, own, ids, offsets, special in zip(sentences, heads, *columns, strict=True)
        ]

    def tokenize(self, texts: Sequence[str], places: bool, special: bool = True) -> Any:
        """Return Hugging Face's encoding of texts, cut; ``places``: with offsets and special tokens.

        Without ``special`` tokens the texts stay whole.
        """
        with _TURNS:
            return self.hf_tokenizer(
                list(texts),
                add_special_tokens=special,
                truncation=special,
                max_length=self.max_tokens if special else None,
                return_attention_mask=False,
                return_token_type_ids=False,
                return_offsets_mapping=places,
                return_special_tokens_mask=places,
            )

    def pad(self, encoded: Sequence[EncodedSentence], device: torch.device | str = "cpu") -> Tokens:
        """Stack sentences into one batch on a device, padded on the right."""
        ids = stack([sentence.ids for sentence in encoded], self.hf_tokenizer.pad_token_id or 0)
        lengths = torch.tensor([len(sentence.ids) for sentence in encoded])
        mask = torch.arange(ids.shape[1]) < lengths[:, None]
        self.tokens += int(lengths.sum())
        self.padded_tokens += ids.numel()

        def stacked(rows: Sequence[Any], filler: int, least: int = 0) -> torch.Tensor | None:
            return None if any(row is None for row in rows) else on_device(stack(rows, filler, least), device)

        return Tokens(
            ids=on_device(ids, device),
            mask=on_device(mask, device),
            words=stacked([sentence.words for sentence in encoded], NO_WORD),
            heads=stacked([sentence.heads for sentence in encoded], NO_HEAD, 1),
        )

    def __call__(self, sentences: Sequence[Sentence], device: torch.device | str = "cpu") -> Tokens:
        """``encode`` and ``pad`` in one."""
        return self.pad(self.encode(sentences), device)


def align(
    sentence: Sentence, offsets: Sequence[tuple[int, int]], special: Sequence[int]
) -> NDArray[np.int64]:
    """Return the 0-based word of each subword by character offsets, int64 [L]; NO_WORD at special tokens.

    A subword that spans two words (``cannot``: can + not) belongs to the first; a space to the word after it.
    """
    lengths = [len(word) for word in sentence.words]
    ends = np.array(word_starts(sentence.text, sentence.words), dtype=np.int64) + lengths
    starts = np.fromiter((start for start, _ in offsets), dtype=np.int64, count=len(offsets))
    words = np.minimum(np.searchsorted(ends, starts, side="right"), len(ends) - 1)
    words[np.asarray(special, dtype=bool)] = NO_WORD
    return words


def stack(rows: Sequence[Any], filler: int, least: int = 0) -> torch.Tensor:
    """Stack rows of numbers as int64 [n, longest or ``least``], with ``filler`` on the right."""
    width = max((least, *map(len, rows)))
    block = np.full((len(rows), width), filler, dtype=np.int64)
    for number, row in enumerate(rows):
        block[number, : len(row)] = row
    return torch.from_numpy(block)


class WordTokenizer(SentenceTokenizer):
    """A ``SentenceTokenizer`` of words with a space between any two, for parsers: no subword spans two words.

    Words beyond ``max_tokens`` and words that the tokenizer drops have no subword; their pooled state is 0.
    """

    def encode(self, sentences: Sequence[Sentence], trees: bool = True) -> list[EncodedSentence]:
        """Return token ids and words; the text and its tree are not read."""
        return super().encode([Sentence(" ".join(each.words), each.words) for each in sentences])


def pool_words(states: torch.Tensor, words: torch.Tensor, count: int) -> torch.Tensor:
    """Average states of tokens [B, L, D] to states of words [B, count, D], by ``words`` int64 [B, L].

    The state of a word without subwords is zero. It is computed as a matrix product, so that a GPU gives the
    same bits each time.
    """
    share = (words[:, None, :] == torch.arange(count, device=words.device)[:, None]).to(states.dtype)
    return (share / share.sum(dim=2, keepdim=True).clamp(min=1)) @ states


MOST_TEXTS = 1_000_000  # that subwords are learnt from: what the trainer holds in memory
_COVERAGE = 0.9995  # share of the text's characters that are in the vocabulary (Liu et al. 2019, 3.1)
_LONGEST = 16  # characters of a subword


def learn_subwords(texts: Iterable[str], vocabulary: int, begin: bool = False) -> Any:
    """Learn subwords by byte-pair encoding (Sennrich et al. 2016), as SentencePiece does by default.

    Text is NFKC; a space is kept as ``▁``; no subword spans a space or a change of script. There are at
    most ``vocabulary`` of them, special ones included. A sentence ends in ``</s>``; with ``begin`` it starts
    with ``<s>``, and there is ``<mask>``. The order of the texts changes nothing. Returns a fast tokenizer.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from tokenizers.trainers import BpeTrainer
    from transformers import PreTrainedTokenizerFast

    subwords = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    subwords.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    )
    subwords.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.UnicodeScripts(), pre_tokenizers.Metaspace(prepend_scheme="first")]
    )
    subwords.decoder = decoders.Metaspace()
    own = [subwords.normalizer.normalize_str(text) for text in sample(texts, MOST_TEXTS, str, "subwords")]
    counts = Counter(character for text in own for character in text.replace(" ", "▁"))
    covered, characters = 0, ["▁"]
    for character, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        if covered < _COVERAGE * counts.total() and character != "▁":
            characters.append(character)
        covered += count
    names = {"pad_token": "<pad>", "unk_token": "<unk>", "eos_token": "</s>"}
    if begin:
        names |= {"bos_token": "<s>", "cls_token": "<s>", "sep_token": "</s>", "mask_token": "<mask>"}
    special = [name for name in ("<pad>", "<unk>", "<s>", "</s>", "<mask>") if name in names.values()]
    trainer = BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=special,
        initial_alphabet=characters,
        limit_alphabet=len(characters),
        max_token_length=_LONGEST,
        show_progress=False,
    )
    subwords.train_from_iterator(own, trainer)
    first = "<s> " if begin else ""
    subwords.post_processor = processors.TemplateProcessing(
        single=f"{first}$A </s>",
        pair=f"{first}$A </s> $B </s>",
        special_tokens=[(name, subwords.token_to_id(name)) for name in sorted({*first.split(), "</s>"})],
    )
    return PreTrainedTokenizerFast(tokenizer_object=subwords, **names)
