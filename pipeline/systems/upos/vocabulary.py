"""One subword vocabulary for all languages, learnt from raw text (Liu et al. 2019, section 3.1).

The algorithm is SentencePiece's BPE (Sennrich et al. 2016; Kudo & Richardson 2018): NFKC, text split at
spaces alone, the space kept as ``▁``, 99.95 % of the characters covered, at most 16 characters a subword. It
is trained with the ``tokenizers`` library, so the result is an ordinary fast tokenizer.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

COVERAGE = 0.9995  # share of the text's characters that are in the vocabulary
_LONGEST = 16
_SPACE = "▁"
_SPECIAL = {"pad": "<pad>", "unk": "<unk>", "eos": "</s>"}


def learn_tokenizer(texts: Iterable[str], vocabulary: int) -> Any:
    """A fast tokenizer of at most ``vocabulary`` subwords, or one for each character if those are more.

    The order of the texts and the number of threads change nothing. ``</s>`` ends a sentence.
    """
    from tokenizers import (
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )
    from transformers import PreTrainedTokenizerFast

    subwords = Tokenizer(models.BPE(unk_token=_SPECIAL["unk"]))
    subwords.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    )
    subwords.pre_tokenizer = pre_tokenizers.Metaspace(replacement=_SPACE)
    subwords.decoder = decoders.Metaspace(replacement=_SPACE)
    # Sorted, so that the order of the texts changes nothing; equal texts count as often as they occur.
    corpus = sorted(subwords.normalizer.normalize_str(text) for text in texts)
    alphabet = covered_characters(corpus)
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        special_tokens=list(_SPECIAL.values()),
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        max_token_length=_LONGEST,
        show_progress=False,
    )
    subwords.train_from_iterator(corpus, trainer)
    end = _SPECIAL["eos"]
    subwords.post_processor = processors.TemplateProcessing(
        single=f"$A {end}", pair=f"$A {end} $B {end}", special_tokens=[(end, subwords.token_to_id(end))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=subwords, **{f"{kind}_token": name for kind, name in _SPECIAL.items()}
    )


def covered_characters(texts: Iterable[str]) -> list[str]:
    """The commonest characters, up to ``COVERAGE`` of the text; ties go by code point."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text.replace(" ", _SPACE))
        counts[_SPACE] += 1  # the one in front
    wanted, kept = COVERAGE * counts.total(), [_SPACE]
    covered = counts.pop(_SPACE, 0)
    for character, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if covered >= wanted:
            break
        kept.append(character)
        covered += count
    return sorted(kept)
