"""Neural paraphrase, optional: back-translation (Marian) and T5, as candidates beside the rules.

A rule needs only the tree; a model needs the text, and its output must be parsed. Both end as variants with a
tree and an alignment. Models are Hugging Face ids or folders, loaded when used and run in batches.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from pipeline.augment.base import Meaning, Variant
from pipeline.params import Neural
from pipeline.sentences import Sentence

NAMES = ("back_translation", "t5_paraphrase")
Parser = Callable[[Sequence[str]], Sequence[Sentence | None]]


@dataclass(frozen=True)
class Paraphrase:
    """A finished variant that is sampled like a plan."""

    variant: Variant

    @property
    def transformation(self) -> str:
        """The name of the model-based transformation."""
        return self.variant.transformation

    @property
    def meaning(self) -> Meaning:
        """Always ``same``: that is what the models are trained for."""
        return self.variant.meaning

    def realise(self) -> Variant:
        """The variant itself."""
        return self.variant


def paraphrase(
    name: str, sentences: Sequence[Sentence], params: Neural, parse: Parser
) -> Iterator[Paraphrase | None]:
    """A paraphrase of each sentence, or None where the model gives the sentence back or nothing parsable."""
    texts = [sentence.text for sentence in sentences]
    if name == "back_translation":
        there, back = params.back_translation
        outputs = _generate(back, _generate(there, texts, params), params)
    else:
        outputs = _generate(params.t5, [params.t5_prefix + text for text in texts], params)
    outputs = [" ".join(output.split()) for output in outputs]
    trees = iter(parse([output for output in outputs if output]))
    for sentence, text, output in zip(sentences, texts, outputs, strict=True):
        tree = next(trees) if output else None
        if tree is None or tree.text.lower() == text.lower():
            yield None
        else:
            yield Paraphrase(Variant(name, "same", tree, align(sentence, tree)))


def align(source: Sentence, made: Sentence) -> tuple[int, ...]:
    """1-based source position of each word of ``made``, by the longest common runs of lemmas; 0 for new
    words.
    """
    alignment = [0] * len(made)
    a, b = [x.lower() for x in source.lemmas], [x.lower() for x in made.lemmas]
    for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks():
        for offset in range(block.size):
            alignment[block.b + offset] = block.a + offset + 1
    return tuple(alignment)


def _generate(model_id: str, texts: Sequence[str], params: Neural) -> list[str]:
    """Greedy or beam output of a sequence-to-sequence model; an empty text stays empty. Long texts come
    first.
    """
    tokenizer, model = _load(model_id, params.device)
    order = sorted((i for i in range(len(texts)) if texts[i].strip()), key=lambda i: -len(texts[i]))
    outputs = [""] * len(texts)
    for start in range(0, len(order), params.batch_size):
        batch = order[start : start + params.batch_size]
        encoded = tokenizer(
            [texts[i] for i in batch],
            return_tensors="pt",
            padding=True,
            truncation=True,
            max_length=params.max_tokens,
        ).to(model.device)
        made = model.generate(
            **encoded, num_beams=params.beams, do_sample=False, max_new_tokens=params.max_tokens
        )
        for i, text in zip(batch, tokenizer.batch_decode(made, skip_special_tokens=True), strict=True):
            outputs[i] = text
    return outputs


@cache
def _load(model_id: str, device: str) -> tuple[Any, Any]:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
    from transformers.utils.import_utils import is_torch_cuda_available

    chosen = ("cuda" if is_torch_cuda_available() else "cpu") if device == "auto" else device
    model = AutoModelForSeq2SeqLM.from_pretrained(model_id).to(chosen).eval()
    return AutoTokenizer.from_pretrained(model_id), model
