"""Text, trees and variants: the sections download, parse and augment."""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.params.section import Fraction, Likeness, Positive, Section


class Download(Section):
    """Where text comes from and what of it is kept."""

    profile: str  # starter, mirror or full: a name of pipeline/corpora/profiles.yaml
    sources: Annotated[list[str], Field(min_length=1)] | None  # names or paths; null takes the profile's
    documents: Positive | Literal["all"] | None  # kept of each source; null takes the profile's
    benchmarks: list[str] | None  # names or paths; null takes the profile's
    mirror: str | None  # a folder or http(s) address that holds HOST/PATH of every https location
    cache: str | None  # where fetched files are kept; null takes the user's cache folder
    offline: bool  # fetch nothing: all must be in the cache or in a mirror folder
    language: str  # of a user's own files
    min_characters: Positive  # shorter texts are dropped
    max_characters: Positive  # longer texts are dropped
    language_confidence: (
        Fraction | None
    )  # a text is dropped where another language is so likely; null keeps all
    near_duplicate: (
        Likeness | None
    )  # Jaccard similarity from which two texts are one; null drops exact copies only
    contamination: (
        Likeness | None
    )  # the same for a sentence and a benchmark's; null removes exact copies only
    seed: int
    dev_fraction: Fraction
    test_fraction: Fraction


class Parse(Section):
    """Text to Universal Dependencies."""

    backend: Literal["spacy", "stanza", "conllu", "biaffine"]
    models: dict[str, str] = Field(min_length=1)  # language -> name or folder of the model
    benchmark_language: str  # the benchmarks do not say theirs
    min_words: Positive  # shorter sentences are dropped and counted
    max_words: Positive  # longer ones too, or split
    long_sentences: Literal["drop", "split"]
    documents_per_shard: Positive
    tokens_per_batch: Positive


class Neural(Section):
    """Paraphrase models, used where ``augment.transformations`` names back_translation or t5_paraphrase."""

    back_translation: Annotated[list[str], Field(min_length=2, max_length=2)]  # there and back
    t5: str
    t5_prefix: str  # what the model wants in front of the text
    batch_size: Positive
    beams: Positive
    max_tokens: Positive
    device: Literal["auto", "cpu", "cuda"]


class Augment(Section):
    """Syntactic variants of parsed sentences."""

    transformations: list[str]
    per_sentence: Positive
    reparse: (
        Fraction | None
    )  # share of a variant's core roles that the parser must find again; null: not asked
    seed: int
    neural: Neural
