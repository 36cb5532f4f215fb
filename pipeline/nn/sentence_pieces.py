"""One vocabulary for all languages, learnt from raw text: byte-pair merges of pieces that carry their space.

The algorithm is SentencePiece's BPE (Sennrich et al. 2016; Kudo & Richardson 2018): NFKC, no splitting but
at spaces, the space kept as ``▁``, 99.95 % of the characters covered, pieces of at most 16 characters. It is
trained and saved with the ``tokenizers`` library, so the result is an ordinary fast tokenizer.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

COVERAGE = 0.9995  # share of the text's characters that get a piece of their own
_LONGEST = 16
_SPACE = "▁"
_SPECIAL = {"pad": "<pad>", "unk": "<unk>", "eos": "</s>"}


def sentence_pieces(texts: Iterable[str], vocabulary: int) -> Any:
    """A fast tokenizer of at most ``vocabulary`` pieces (more only where there are more characters).

    A pure function of the texts, whatever their order and the number of threads. ``</s>`` ends a sentence.
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

    pieces = Tokenizer(models.BPE(unk_token=_SPECIAL["unk"]))
    pieces.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    )
    pieces.pre_tokenizer = pre_tokenizers.Metaspace(replacement=_SPACE)
    pieces.decoder = decoders.Metaspace(replacement=_SPACE)
    # Sorted, so that the order of the corpus is no input; equal texts count as often as they occur.
    corpus = sorted(pieces.normalizer.normalize_str(text) for text in texts)
    alphabet = characters(corpus)
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        special_tokens=list(_SPECIAL.values()),
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        max_token_length=_LONGEST,
        show_progress=False,
    )
    pieces.train_from_iterator(corpus, trainer)
    end = _SPECIAL["eos"]
    pieces.post_processor = processors.TemplateProcessing(
        single=f"$A {end}", pair=f"$A {end} $B {end}", special_tokens=[(end, pieces.token_to_id(end))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=pieces, **{f"{kind}_token": name for kind, name in _SPECIAL.items()}
    )


def characters(texts: Iterable[str]) -> list[str]:
    """The commonest characters, up to ``COVERAGE`` of the text; among equally common ones by code point."""
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
