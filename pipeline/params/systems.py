"""The sections of the systems, one each, named like the system.

A field with a default here is one that older saved models lack; params.yaml itself holds every value.
"""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.params.section import (
    Count,
    Dimensions,
    Dropout,
    Fraction,
    Positive,
    Rate,
    Section,
    Temperature,
    Weight,
)


class Sscp(Section):
    """The two-view system (Adavala & Adavala 2026)."""

    bias: Literal["tree", "linear", "random", "other", "shuffled", "none"]  # all but the first are controls
    position: Literal["absolute", "graph", "both", "none"]
    views: Literal["two", "one"]  # one: a single encoder with bias reads both sides
    hard_negatives: bool
    symmetric: bool  # InfoNCE in both directions
    distillation: Weight  # of keeping the backbone's similarities
    max_distance: Positive  # longer paths share one bucket
    bias_lr_scale: Rate  # learning rate of the bias table, as a multiple of train.learning_rate
    position_lr_scale: Rate  # the same for the depth embedding of position: both
    across: Weight  # of contrasting across the views
    in_view: Weight  # of contrasting within each view; above 0 it doubles a step
    late: Weight  # of learning late interaction; above 0 it doubles a step
    late_lr_scale: Rate  # learning rate of its few parameters, as a multiple of train.learning_rate
    directed: bool  # buckets of steps up and down in place of distances
    edge_types: bool  # a bias for the relation that a path begins with


class Synsem(Section):
    """SynSem's own system: a backbone as it is, a reader, a semantic and a structural vector."""

    weight: Weight  # of the structural vector beside the semantic one in the joint one; of six content words
    growth: Weight  # power of the number of content words with which the weight grows; 0: it does not
    dimensions: Dimensions  # of the structural vector
    reach: Positive  # content words at most so far apart in role order are bound
    reads: Count  # the backbone's layer that the reader reads, its last at most; 0: the embeddings
    layers: Positive  # of the reader
    order: Literal["tree", "surface", "random", "other", "shuffled"]  # of the links; controls but the first
    links_first: Fraction  # share of the steps before structural vectors are contrasted
    links: Weight  # of predicting the next content word
    gates: Weight  # of predicting which words are content words
    contrast: Weight  # of contrasting rewordings with exchanges of words
    tau: Temperature  # of the contrast
    unmarked: Fraction = 0.0  # share of the texts that training reads without the mark that ends them
    context: Fraction = 0.0  # share of the examples that training reads beside another sentence
    pointer_size: Positive
    steps: Rate  # training steps, as a multiple of train.steps and train.evaluate_every
    batch: Rate  # examples of a step, as a multiple of train.batch_size
    reader_lr_scale: Rate  # learning rate of the reader, as a multiple of train.learning_rate
    head_lr_scale: Rate  # that of pointers and binding, which are new


class Simcse(Section):
    """Unsupervised SimCSE (Gao et al. 2021)."""

    dropout: Dropout


class Scratch(Section):
    """An encoder with random weights and a vocabulary of its own."""

    vocabulary: Positive  # subwords at most
    width: Positive
    layers: Positive


class Cssl(Section):
    """The dependency parser robust to word order (Ray et al. 2024)."""

    treebank: str | None  # gold trees: te_mtg, a source's name, a path; null: the corpus's own parses
    encoder: Literal["backbone", "scratch"]
    contrast: Weight  # of L_CSSL; 0: cross-entropy alone
    # What a sentence is contrasted with: another order of its words, drawn each time, or itself (a control).
    positives: Literal["permutation", "dropout"] = "permutation"
    position: Literal["absolute", "none"]  # none: no position embeddings, the paper's NoPos
    refinements: Count  # further passes with the predicted tree as attention bias
    scratch: Scratch
    max_tokens: Annotated[int, Field(ge=3)]  # subwords of a sentence that are read, at most
    layers: Literal["last", "mix"]  # what the parser reads: the last layer, or a learnt mix of all
    depth: Positive | None = None  # of a pretrained encoder the first layers that are kept; null: all
    # A word's state: the mean of its subwords' or the first's. embeddings: the encoder reads one token a
    # word, the mean of its subwords' input embeddings, which are fewer tokens.
    subwords: Literal["mean", "first", "embeddings"]
    lstm_layers: Count  # recurrent layers over the words
    arc_size: Positive
    label_size: Positive
    dropout: Dropout
    bf16: bool = False  # parse in bfloat16 where a CPU multiplies that natively, and not float16
    max_distance: Positive  # of the attention bias; longer paths share one bucket
    tag_weight: Weight  # of the taggers' cross-entropy
    head_lr_scale: Rate  # learning rate of all that is not pretrained, as a multiple of train.learning_rate
    start: str | None = None  # folder of a trained parser to continue from, e.g. with gold trees


class Ebsim(Section):
    """The cross-encoder pretrained for matching (EBSIM, 2024)."""

    relation: bool  # learn by the relation aspect
    alignment: bool  # learn by the alignment aspect
    margin: Rate  # by which a positive must be closer to the anchor than a negative, in each aspect
    max_tokens: Annotated[int, Field(ge=8)]  # of a pair
    head_lr_scale: Rate  # learning rate of the aspects, as a multiple of train.learning_rate


class BiLstm(Section):
    """The recurrent encoder of ``upos`` (Liu et al. 2019, table 1)."""

    vocabulary: Positive  # subwords at most, of all languages together
    embedding: Positive
    width: Positive  # of one direction; a vector has twice as many dimensions
    layers: Positive
    steps: Rate  # training steps, as a multiple of train.steps and train.evaluate_every


class Upos(Section):
    """The syntactic embedding from tags of translations (Liu et al. 2019)."""

    encoder: Literal["bilstm", "backbone"]
    translation: Weight  # of predicting the translation's tags
    own_tags: Weight  # of predicting the sentence's own tags too
    distances: Weight  # of distances between embeddings equal to those between tag sequences
    start: str | None  # folder of a trained upos model to continue from, as for a new language
    bilstm: BiLstm
    tag_size: Positive
    language_size: Positive
    decoder_size: Positive
    dropout: Dropout  # of the BiLSTM; a backbone keeps its own
    lr_scale: Rate  # learning rate of all that is not pretrained, as a multiple of train.learning_rate


class Parabart(Section):
    """The embedding freed of syntax by syntax-guided paraphrasing (Huang et al. 2021)."""

    adversary: Weight  # of the loss against the discriminator; 0: none
    guidance: bool  # whether the decoder gets the target's tree; false: an ablation
    # The encoder makes the discriminator predict the mean bag (domain confusion), not just a wrong one.
    domain_confusion: bool = False
    trees: Literal["given", "derived"] = "given"  # given: those that came with a sentence, if any
    steps: Rate  # training steps, as a multiple of train.steps and train.evaluate_every
    freeze_encoder: Fraction = 0.0  # share of the steps in which the semantic encoder is frozen
    vector_every_step: bool = False  # the decoder gets the vector with every subword, not by attention alone
    leaf_every_step: bool = False  # and the state of the current leaf of the tree
    # most frequent subwords that the decoder knows; null: all
    decoder_subwords: Annotated[int, Field(ge=4)] | None = None
    word_dropout: Dropout  # of the source's subwords, masked in training
    max_words: Positive  # of source and target in training; longer ones are cut
    max_tree_tokens: Positive
    # Learning rate of decoder and syntactic encoder, as a multiple of train.learning_rate.
    decoder_lr_scale: Rate
    discriminator_lr_scale: Rate  # the same for the discriminator; 1 in the paper
