"""The section ``mine``: which training examples are made of sentences and variants."""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.params.section import (
    Cosine,
    Count,
    Fraction,
    Likeness,
    Positive,
    Section,
    Seed,
    Unique,
    above,
    not_below,
)


class NeighbourNegatives(Section):
    """Nearest neighbours by embedding as further negatives."""

    per_example: Count  # 0: none
    rank_from: Count  # nearer neighbours are skipped
    rank_to: Annotated[Positive, above("rank_from")]  # further ones too; end exclusive
    min_score: Cosine  # with the anchor
    max_score: Annotated[Cosine, not_below("min_score")]
    margin: Fraction  # share of the positive's score by which a negative must score less
    index_above: Positive  # corpus sentences above which a faiss index replaces the exact search


class PairPositives(Section):
    """Paraphrases as further positives: texts of one pair_id."""

    share: Annotated[float, Field(ge=0, lt=1)]  # of the examples at most; 0: none
    min_overlap: Fraction  # Jaccard similarity of the words; less is hardly a paraphrase
    max_overlap: Annotated[Fraction, not_below("min_overlap")]  # more is a near copy
    min_length_ratio: Fraction  # words of the shorter by words of the longer
    exclude: list[str]  # sources whose pair_id ties parts or descriptions of one thing, not paraphrases


class OverlapNegatives(Section):
    """Corpus sentences of nearly the same words in another structure, as negatives."""

    per_example: Count  # 0: none
    min_overlap: Likeness  # Jaccard similarity of the words
    max_structural_similarity: (
        Fraction  # of the trees (pipeline/syntax/structural_similarity.py); more may mean the same
    )
    exact_up_to: Positive  # sentences up to which all pairs are found; hashing finds them for more


class EbsimTriplets(Section):
    """Triplets of titled documents (``ebsim``)."""

    per_document: Positive  # triplets of title, nearest sentence, another sentence
    negative: Literal["next", "any"]  # which others: the next ones by rank (4.1.2), or any later ones
    masked: bool  # also title, nearest sentence, that sentence with the title's words masked
    words: Literal["backbone", "glove", "corpus"]  # word vectors: pipeline/systems/ebsim/word_vectors.py
    mask_similarity: Fraction  # cosine to a word of the title from which a word is masked
    max_masked: Fraction  # of the sentence's words


class ParabartPairs(Section):
    """Paraphrase pairs to generate from (``parabart``)."""

    per_pair_id: Positive  # pairs of one pair_id, which may hold many texts
    min_overlap: Fraction  # Jaccard similarity of the words; less is hardly a paraphrase
    ngram: Positive  # length of the word n-grams of max_shared
    max_shared: Fraction  # Jaccard similarity of the n-grams; more teaches copying
    exclude: list[str]  # sources whose texts of one pair_id are not paraphrases
    split_sources: list[str]  # sources whose pair_id ties a sentence to the two that it was split into


class CsslExamples(Section):
    """Trees for the parser (``cssl``)."""

    # Further examples. rotation: as in the paper (A.1); cropped trees are of Sahin & Steedman 2018.
    augmentation: Literal["none", "rotation", "rotation_and_cropping"]


class SynsemExamples(Section):
    """Examples beside those of the corpus (``synsem``)."""

    alternations: Annotated[
        float, Field(ge=0, lt=1)
    ]  # share of the examples that are made of frames; 0: none


class UposExamples(Section):
    """Languages of the sentences and of the predicted tags (``upos``); null: all languages of the corpus."""

    sources: Annotated[Unique[str], Field(min_length=1)] | None  # languages of the sentences that are read
    # languages of the translations whose tags are predicted
    targets: Annotated[Unique[str], Field(min_length=1)] | None


class Mine(Section):
    """Training examples from sentences and variants."""

    variants: bool  # rule-made variants as positives and negatives; false: an ablation
    hard_negatives: Count  # variants of another meaning for each example
    kind_share: Annotated[float, Field(gt=0, le=1)] | None  # most of one kind among them; null: no limit
    examples: Positive | None  # cap on training examples; null: all
    max_words: Positive  # longer sentences are left out
    # Sentences without a `same` variant, which are their own positives.
    identity: Literal["all", "with_negatives", "none"]
    # Positives of simcse. mined: the examples of sscp; paraphrases: those of parabart.
    simcse: Literal["self", "mined", "paraphrases"]
    pairs: PairPositives
    overlap: OverlapNegatives
    neighbours: NeighbourNegatives
    cssl: CsslExamples
    ebsim: EbsimTriplets
    parabart: ParabartPairs
    synsem: SynsemExamples
    upos: UposExamples
    contamination: Likeness | None  # Jaccard similarity to a benchmark text; null: exact copies only
    similarity_sample: Count  # examples whose cosines the report draws
    seed: Seed
