"""Thirty sentences with a passive and a swapped form each, in all splits, as the stages would leave them."""

from pathlib import Path
from typing import Any

from pipeline.mining.examples import example
from pipeline.store import DOCUMENT, EXAMPLE, SENTENCE, TRIPLET, VARIANT, shard_path, write_rows

ANIMALS = ("dog", "cat", "horse", "bird", "wolf", "sheep")


def row(words: str, upos: str, heads: str, deprels: str) -> dict[str, Any]:
    """A parsed row from space-separated columns; the last word is a full stop."""
    forms = words.split()
    return {
        "text": words.replace(" .", "."),
        "words": forms,
        "space_after": [True] * (len(forms) - 2) + [False, False],
        "lemmas": [form.lower() for form in forms],
        "upos": upos.split(),
        "xpos": upos.split(),
        "feats": [""] * len(forms),
        "heads": [int(head) for head in heads.split()],
        "deprels": deprels.split(),
    }


def active(subject: str, thing: str) -> dict[str, Any]:
    tags, relations = "DET NOUN VERB DET NOUN PUNCT", "det nsubj root det obj punct"
    return row(f"The {subject} chased the {thing} .", tags, "2 3 0 5 3 3", relations)


def passive(subject: str, thing: str) -> dict[str, Any]:
    tags = "DET NOUN AUX VERB ADP DET NOUN PUNCT"
    relations = "det nsubj:pass aux:pass root case det obl:agent punct"
    return row(f"The {thing} was chased by the {subject} .", tags, "2 4 4 0 7 7 4 4", relations)


def write(home: Path) -> None:
    """Folders corpus, parsed, augmented, an empty benchmarks, and triplets/sscp."""
    documents, parsed, variants, triplets = [], [], [], []
    for number, (subject, thing) in enumerate([a, b] for a in ANIMALS for b in ANIMALS if a != b):
        ids = {"doc_id": f"d{number}", "lang": "en", "split": ("train", "train", "dev", "test")[number % 4]}
        sentence = active(subject, thing) | ids | {"sent_id": f"s{number}"}
        same, different = passive(subject, thing), active(thing, subject)
        parsed.append(sentence)
        documents.append(
            ids | {"source": "s", "title": None, "text": sentence["text"], "presplit": False, "pair_id": None}
        )
        own = {"source_id": f"s{number}", "split": ids["split"], "alignment": []}
        variants += [
            own | same | {"transformation": "passive", "meaning": "same"},
            own | different | {"transformation": "argument_swap", "meaning": "different"},
        ]
        if ids["split"] != "test":
            triplets.append(example(sentence, same, "passive", [(different, "argument_swap")]))
    write_rows(shard_path(home / "corpus", 0), documents, DOCUMENT)
    write_rows(shard_path(home / "parsed" / "corpus", 0), parsed, SENTENCE)
    write_rows(shard_path(home / "parsed" / "benchmarks", 0), [], SENTENCE)
    write_rows(shard_path(home / "augmented", 0), variants, VARIANT)
    write_rows(shard_path(home / "benchmarks", 0), [], EXAMPLE)
    write_rows(shard_path(home / "triplets" / "sscp", 0), triplets, TRIPLET)
