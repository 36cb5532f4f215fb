"""Paraphrases by sequence-to-sequence models, as texts with a shared ``pair_id`` (JSON lines).

One model is prompted to paraphrase (T5), or two translate into another language and back, as in ParaNMT
(Wieting & Gimpel 2018); SSCP (section 3.6) has both. Beam search in float32 draws nothing at random.
"""

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.core.parallel import map_shards, scratch_key
from pipeline.export.texts import chunks
from pipeline.mining.pairs import MAX_SHARED, NGRAM, shared_ngrams
from pipeline.nn.backbone import quiet, reason
from pipeline.nn.compute import best_device, one_thread, token_budget
from pipeline.nn.length_batches import Rows, compute_by_length
from pipeline.syntax.words import words

MAX_TOKENS = 128  # that a model reads and writes; a text cut there would be half a sentence
_SENTENCES_PER_SHARD = 128  # a unit of work, which a kill may lose
Texts = list[str | None]  # None: longer than MAX_TOKENS


@dataclass(frozen=True)
class Paraphraser:
    """Paraphrase sentences in ``lang`` by ``models``, one after the other, each given as (name, prompt).

    A name is a folder or a Hugging Face id. The last model writes the ``count`` best texts of ``beams``,
    one before it the best.
    """

    models: tuple[tuple[str, str], ...]
    count: int
    beams: int
    lang: str

    def __call__(self, sentences: Sequence[str]) -> tuple[pa.Table, Counter[str]]:
        """Return lines of JSON, each sentence followed by its paraphrases, and counts by reason."""
        found: list[Texts] = [[sentence] for sentence in sentences]
        for model, count in zip(self.models, [1] * (len(self.models) - 1) + [self.count], strict=True):
            found = _generate(*model, [best for best, *_ in found], self.beams, count)
        counts, lines = Counter[str](), list[str]()
        for sentence, texts in zip(sentences, found, strict=True):
            kept = [sentence]
            for text in texts:
                if why := _unfit(text, kept):
                    counts[f"dropped.{why}"] += 1
                else:
                    kept.append(str(text))
            if kept[1:]:
                counts += Counter({"kept.sentences": 1, "kept.paraphrases": len(kept) - 1})
                pair = {"lang": self.lang, "pair_id": hashlib.sha256(sentence.encode()).hexdigest()[:16]}
                lines += [json.dumps(pair | {"text": text}, ensure_ascii=False) for text in kept]
        return pa.table({"line": pa.array(lines, pa.string())}), counts


def paraphrase(make: Paraphraser, source: Path | None, out: Path, workers: int | None = None) -> Counter[str]:
    """Write sentences and their paraphrases as JSON lines of lang, pair_id and text; return counts by reason.

    ``source`` is a text file, one sentence a line (None: standard input), or the folder of the parse stage,
    of which only the training split is read. Finished shards outlive a kill. Raises SynsemError if a model
    cannot be loaded, or no sentence or paraphrase is left; ``out`` is then as it was.
    """
    if not 1 <= make.count <= make.beams:
        raise SynsemError(f"--count must be at least 1 and at most --beams, {make.beams} (got {make.count})")
    if source is not None and out.resolve() == source.resolve():
        raise SynsemError(f"{out}: is the input itself; name another file with --out")
    counts, size = Counter[str](), _SENTENCES_PER_SHARD
    texts = list(_sentences(source, make.lang, out.name.partition(".")[0], counts))
    tasks = [tuple(texts[start : start + size]) for start in range(0, len(texts), size)]
    folders = [Path(name) for name, _ in make.models if Path(name).is_dir()]
    key = scratch_key([], str(make), json.dumps(texts), *map(store.folder_digest, folders))
    gpus = torch.cuda.device_count()
    with map_shards(make, tasks, key=key, label="paraphrase", workers=workers, gpus=gpus) as made:
        tables = [store.read_file(path) for path in made]
        for table in tables:
            counts.update(json.loads(table.schema.metadata[b"counts"]))
        if not counts["kept.paraphrases"]:
            found = ", ".join(f"{why}: {n:,}" for why, n in counts.items()) or "no sentence"
            raise SynsemError(f"{source or 'standard input'}: no paraphrase is left ({found})")
        lines = [f"{line}\n" for table in tables for line in table["line"].to_pylist()]
        store.write_text(out, "".join(lines))
    return counts


def _sentences(source: Path | None, lang: str, own: str, counts: Counter[str]) -> Iterator[str]:
    """Yield every sentence once, none of the corpus source ``own``: the paraphrases of an earlier run."""
    seen = set[str]()
    if source is not None and source.is_dir():
        parsed = store.rows(source / "corpus", "text", "lang", "split", "doc_id")
        found = ((row["text"], _excluded(row, lang, own)) for row in parsed)
    else:
        found = ((line.strip(), "") for some in chunks(source) for line in some)
    for text, excluded in found:
        if why := excluded or (
            "no words" if not words(text) else "repeated sentence" if text in seen else ""
        ):
            counts[f"dropped.{why}"] += 1
        else:
            seen.add(text)
            yield text


def _excluded(row: dict[str, Any], lang: str, own: str) -> str:
    if row["lang"] != lang:
        return "another language"
    if row["split"] != "train":  # its paraphrase could get into the training split
        return "held-out sentence"
    return "paraphrase of an earlier run" if row["doc_id"].startswith(f"{own}:") else ""


def _unfit(text: str | None, kept: Sequence[str]) -> str:
    """Return why a paraphrase is dropped, or ""; ``kept`` are the sentence and its earlier paraphrases."""
    if text is None:
        return f"longer than {MAX_TOKENS} tokens"
    if not (own := words(text)):
        return "empty"
    first, *others = (shared_ngrams(own, words(other), NGRAM) for other in kept)
    if first > MAX_SHARED:
        return "copy" if own == words(kept[0]) else "near copy"
    return "like another paraphrase" if max(others, default=0) > MAX_SHARED else ""


@quiet()
@one_thread()
@torch.inference_mode()
def _generate(name: str, prompt: str, texts: Texts, beams: int, count: int) -> list[Texts]:
    """Return the ``count`` best outputs for each text; an empty text and None come back as they are."""
    model, tokenizer = _load(name)
    pad = tokenizer.pad_token_id
    ends = torch.tensor(np.append(model.generation_config.eos_token_id, pad).astype(int), device=model.device)
    ids = [tokenizer(prompt + text).input_ids if text else [] for text in texts]
    fit = [number for number, own in enumerate(ids) if 0 < len(own) <= MAX_TOKENS]

    def write(batch: Rows) -> Iterator[Texts]:
        inputs = tokenizer.pad({"input_ids": [ids[fit[row]] for row in batch]}, return_tensors="pt")
        given = {key: inputs[key].to(model.device) for key in ("input_ids", "attention_mask")}
        search = {"do_sample": False, "num_beams": beams, "num_return_sequences": count}
        tokens = model.generate(**given, **search, max_new_tokens=MAX_TOKENS, pad_token_id=pad)
        ended = torch.isin(tokens[:, 1:-1], ends).any(1) | (tokens.shape[1] <= MAX_TOKENS)
        decoded = tokenizer.batch_decode(tokens, skip_special_tokens=True)
        found = [" ".join(text.split()) if done else None for text, done in zip(decoded, ended, strict=True)]
        return (found[start : start + count] for start in range(0, len(found), count))

    made = compute_by_length(write, [len(ids[n]) for n in fit], token_budget(model.device) // beams)
    written = dict(zip(fit, made, strict=True))
    return [written.get(n, [None if own else texts[n]]) for n, own in enumerate(ids)]


@functools.lru_cache(maxsize=2)
def _load(name: str) -> tuple[Any, Any]:
    """Return a model, in float32 and evaluation mode on the best device, and its tokenizer."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=False)
            model, report = AutoModelForSeq2SeqLM.from_pretrained(
                name, trust_remote_code=False, output_loading_info=True
            )
        if report["missing_keys"]:  # an encoder alone would get a random decoder
            raise ValueError(f"it has no weights of {min(report['missing_keys'])}")
        if hasattr(tokenizer, "_build_translation_inputs"):
            raise ValueError("it has several languages to choose from, which is not supported")
    except Exception as error:  # damaged files raise errors of any type in the library
        remedy = "give a folder or a reachable Hugging Face id of a sequence-to-sequence model, such as T5"
        raise SynsemError(f"{name}: cannot be loaded ({reason(error)}); {remedy}") from error
    return model.float().eval().to(best_device()), tokenizer
