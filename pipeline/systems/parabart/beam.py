"""Beam search over a paraphraser, by transformers' own ``generate``."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from transformers import GenerationConfig, GenerationMixin, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqLMOutput

from pipeline.systems.parabart.decoder import Memory, Paraphraser, subword_losses


class SpecialIds(NamedTuple):
    """Ids with a meaning of their own in generation."""

    start: int  # before the first subword
    end: int
    suppressed: Sequence[int]  # never written


class Hypothesis(NamedTuple):
    """What was written for one row of a memory."""

    subwords: list[int]  # with the end, unless it was cut
    score: float  # mean log-probability of the subwords, in nats


@torch.inference_mode()
def beam_search(
    paraphraser: Paraphraser, memory: Memory, ids: SpecialIds, beams: int, best: int, longest: int
) -> list[list[Hypothesis]]:
    """The ``best`` of ``beams`` hypotheses for each row, best first, of at most ``longest`` subwords.

    Hypotheses are ranked by their mean log-probability; one beam is greedy search.
    """
    settings = GenerationConfig(
        num_beams=beams,
        num_return_sequences=best,
        max_new_tokens=longest,
        decoder_start_token_id=ids.start,
        bos_token_id=ids.start,
        eos_token_id=ids.end,
        pad_token_id=ids.end,  # what follows the end is dropped
        suppress_tokens=list(ids.suppressed),
        do_sample=False,
        length_penalty=1.0,
        early_stopping=False,
    )
    sequences = _Generator(paraphraser, settings).generate(
        encoder_outputs=BaseModelOutput(last_hidden_state=memory.states),
        attention_mask=memory.mask.long(),
        generation_config=settings,
        **({} if memory.leaves is None else {"leaves": memory.leaves}),
    )
    written = [_until(row, ids.end) for row in sequences[:, 1:].tolist()]  # the first is ``ids.start``
    judged = subword_losses(paraphraser, memory.repeated(best), written, ids.start)
    scores = (-judged.loss / judged.subwords).tolist()
    found = [Hypothesis(subwords, score) for subwords, score in zip(written, scores, strict=True)]
    return [found[start : start + best] for start in range(0, len(found), best)]


def _until(ids: list[int], end: int) -> list[int]:
    """A sequence without its padding, up to its end."""
    return ids[: ids.index(end) + 1] if end in ids else ids


class _Generator(PreTrainedModel, GenerationMixin):
    """A paraphraser in the form that ``generate`` needs: an encoder-decoder whose encoder has run already."""

    main_input_name = "decoder_input_ids"
    _supports_sdpa = True

    def __init__(self, paraphraser: Paraphraser, settings: GenerationConfig) -> None:
        super().__init__(paraphraser.config)
        self.paraphraser = paraphraser
        self.generation_config = settings
        self.eval()

    def prepare_inputs_for_generation(self, input_ids: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        """Adds all subwords written so far; ``decoder_input_ids`` has only the new ones."""
        return super().prepare_inputs_for_generation(input_ids, *args, **kwargs) | {"written": input_ids}

    def forward(
        self,
        decoder_input_ids: torch.Tensor,
        encoder_outputs: BaseModelOutput,
        attention_mask: torch.Tensor,
        past_key_values: Any = None,
        use_cache: bool | None = None,
        leaves: torch.Tensor | None = None,
        written: torch.Tensor | None = None,
        **_: Any,
    ) -> Seq2SeqLMOutput:
        """Scores of the next subword."""
        memory = Memory(encoder_outputs.last_hidden_state, attention_mask.bool(), leaves)
        output = self.paraphraser.decode(
            memory, decoder_input_ids, written, past_key_values=past_key_values, use_cache=bool(use_cache)
        )
        scores = self.paraphraser.scores(output.last_hidden_state)
        return Seq2SeqLMOutput(logits=scores, past_key_values=output.past_key_values)
