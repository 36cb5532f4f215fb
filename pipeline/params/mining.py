"""The section mine."""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.params.section import Count, Fraction, Likeness, Positive, Section


class NeighbourNegatives(Section):
    """Near neighbours as negatives: how many, how hard, how safe."""

    per_example: Count
    rank_from: Count  # neighbours nearer than this rank are passed over
    rank_to: Positive
    min_score: float
    max_score: float
    margin: Annotated[float, Field(ge=0)]  # a negative scores at least this much under the positive
    margin_kind: Literal["absolute", "relative", "percentile"]  # percentile: of the query's neighbours
    sampling: Literal["nearest", "random"]
    index_above: (
        Positive  # corpus sentences from which an approximate index (faiss) replaces the exact search
    )


class PairPositives(Section):
    """True paraphrases as further positives: texts of one pair_id, and sentences of near meaning."""

    share: Annotated[float, Field(ge=0, lt=1)]  # of the examples at most; 0: none
    min_overlap: Fraction  # Jaccard similarity of the words: less is hardly a paraphrase
    max_overlap: Fraction  # more is a near copy
    min_length_ratio: Fraction  # words of the shorter by words of the longer
    exclude: list[str]  # sources whose pair_id ties parts or descriptions of one thing, not paraphrases
    min_score: (
        Fraction | None
    )  # cosine from which mutual nearest neighbours are positives; null: not searched


class OverlapNegatives(Section):
    """Corpus sentences of nearly the same words in another structure, as negatives."""

    per_example: Count
    min_overlap: Likeness  # Jaccard similarity of the words
    max_agreement: Fraction  # structural agreement (pipeline/agreement.py): more may mean the same
    exact_up_to: Positive  # sentences up to which no pair is missed; beyond, locality-sensitive hashing


class EbsimTriplets(Section):
    """Triplets of titled documents (``ebsim``)."""

    per_document: Positive  # of the kind title, sentence nearest to it, another sentence
    masked: bool  # and title, nearest sentence, the same with the title's words masked
    words: Literal["backbone", "glove", "corpus"]  # whose vectors of words: pipeline/mining/word_vectors.py
    mask_similarity: Fraction  # cosine to a word of the title from which a word is masked
    max_masked: Fraction  # of the sentence's words


class ParabartPairs(Section):
    """Paraphrase pairs to generate from (``parabart``)."""

    per_pair_id: Positive  # pairs among the texts of one pair_id, such as ten rewrites of one sentence
    min_overlap: Fraction  # Jaccard similarity of the words: less is hardly a paraphrase
    ngram: Positive  # words in a row; a pair that shares too many such runs teaches copying
    max_shared: Fraction  # of the n-grams (Jaccard)
    exclude: list[str]  # sources whose texts of one pair_id are no paraphrases
    joined: list[str]  # sources whose pair_id ties a sentence to the two that it was split into


class CsslExamples(Section):
    """Trees for the parser (``cssl``)."""

    augmentation: bool  # rotated and cropped trees too


class UposExamples(Section):
    """Sentences and the tags to foretell (``upos``), by language; null: every language of the corpus."""

    sources: list[str] | None  # of the sentences that are read
    targets: list[str] | None  # of the translations whose tags are foretold


class Mine(Section):
    """Training examples from sentences and variants."""

    # mined: supervised SimCSE, on the examples of sscp; paraphrases: on those of parabart
    simcse: Literal["self", "mined", "paraphrases"]
    identity: Literal["all", "with_negatives", "none"]  # sentences whose positive would be themselves
    variants: bool  # rule-made variants as positives and negatives; false: an ablation
    hard_negatives: Count  # variants of another meaning, an example
    kind_share: Annotated[float, Field(gt=0, le=1)] | None  # of one kind among these, where kinds suffice
    hardness: Literal["overlap", "embedding"]  # what negative_hardness tells: Jaccard similarity or cosine
    pairs: PairPositives
    overlap: OverlapNegatives
    neighbours: NeighbourNegatives
    cssl: CsslExamples
    ebsim: EbsimTriplets
    parabart: ParabartPairs
    upos: UposExamples
    contamination: Likeness | None  # Jaccard similarity to a benchmark text; null: exact copies only
    max_words: Positive
    examples: Positive | None  # cap on training examples; null takes all
    similarity_sample: Count  # examples whose cosines are drawn for the report
    seed: int
