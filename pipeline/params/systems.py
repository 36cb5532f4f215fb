"""A section for each system, of its name."""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.params.section import Count, Fraction, Positive, Rate, Section


class Sscp(Section):
    """The two-view system (Adavala & Adavala 2026)."""

    position: Literal["absolute", "graph", "both", "none"]
    bias: Literal["tree", "linear", "shuffled", "none"]
    max_distance: Positive  # longer paths share one bucket
    table_rate: Rate  # learning rate of the bias table, as a multiple of train.learning_rate
    position_rate: Rate  # the same for the depth embedding of position: both
    hard_negatives: bool
    symmetric: bool
    guard: Annotated[float, Field(ge=0)]  # weight of the distillation of the backbone's similarities
    in_view: Annotated[
        float, Field(ge=0)
    ]  # weight of contrasting within each view; above 0 it doubles a step
    late: Annotated[float, Field(ge=0)]  # weight of learning late interaction; above 0 it doubles a step
    late_rate: Rate  # learning rate of its few parameters, as a multiple of train.learning_rate
    across: Annotated[float, Field(ge=0)]  # weight of contrasting across the views
    views: Literal["two", "one"]  # one: a single encoder with bias reads both sides
    directed: bool  # buckets of steps up and down in place of distances
    edge_types: bool  # a bias for the relation that a path begins with
    pooling: Literal["mean", "cls", "hierarchical"] | None  # of the syntactic view; null: encoder.pooling
    shared_layers: Count  # lower layers that both encoders have in common
    learn_tau: bool
    false_negatives: Annotated[float, Field(ge=0)] | None  # margin under the positive, by the frozen backbone


class Simcse(Section):
    """Unsupervised SimCSE (Gao et al. 2021)."""

    dropout: Fraction


class Scratch(Section):
    """An encoder with random weights and a vocabulary of its own."""

    vocabulary: Positive  # pieces at most
    width: Positive
    layers: Positive


class Cssl(Section):
    """The dependency parser robust to word order (Ray et al. 2024)."""

    treebank: str | None  # gold trees: te_mtg, a source's name, a path; null: the corpus's own parses
    encoder: Literal["backbone", "scratch"]
    scratch: Scratch
    max_tokens: Positive  # pieces of a sentence that are read, at most
    layers: Literal["last", "mix"]  # what the parser reads: the last layer, or a learnt mix of all
    pieces: Literal["mean", "first"]  # a word's state: of all its pieces or of the first
    position: Literal["absolute", "none"]  # none: order is invisible, the paper's NoPos
    lstm_layers: Count  # recurrent layers over the words; none with position: none
    arc_size: Positive
    label_size: Positive
    dropout: Fraction
    contrast: Annotated[float, Field(ge=0)]  # weight of L_CSSL; 0: cross-entropy alone
    refinements: Count  # further passes with the tree just found as a bias on attention
    max_distance: Positive  # in that bias longer paths share one bucket
    tag_weight: Annotated[float, Field(ge=0)]  # of the taggers' cross-entropy
    head_rate: Rate  # learning rate of all that is not pretrained, as a multiple of train.learning_rate


class Ebsim(Section):
    """The cross-encoder pretrained for matching (EBSIM, 2024)."""

    relation: bool  # learn by the relation aspect
    alignment: bool  # learn by the alignment aspect
    margin: Rate  # by which a positive is to be more like the anchor than a negative, in each aspect
    max_tokens: Positive  # of a pair
    head_rate: Rate  # learning rate of the aspects, as a multiple of train.learning_rate


class BiLstm(Section):
    """The recurrent encoder of ``upos`` (Liu et al. 2019, table 1)."""

    vocabulary: Positive  # pieces at most, of all languages together
    embedding: Positive
    width: Positive  # of one direction; a vector has twice as many dimensions
    layers: Positive
    steps: Rate  # training steps, as a multiple of train.steps and train.evaluate_every


class Upos(Section):
    """The syntactic embedding from tags of translations (Liu et al. 2019)."""

    encoder: Literal["bilstm", "backbone"]
    start: str | None  # folder of a trained upos model to go on from, as to a new language
    bilstm: BiLstm
    translation: Annotated[float, Field(ge=0)]  # weight of foretelling the translation's tags
    own: Annotated[float, Field(ge=0)]  # weight of foretelling the sentence's own tags, too
    distances: Annotated[float, Field(ge=0)]  # weight of embeddings lying as far apart as tag sequences
    tag_size: Positive
    language_size: Positive
    decoder_size: Positive
    dropout: Fraction  # of the BiLSTM; a backbone keeps its own
    rate: Rate  # learning rate of all that is not pretrained, as a multiple of train.learning_rate


class Parabart(Section):
    """The embedding freed of syntax by syntax-guided paraphrasing (Huang et al. 2021)."""

    adversary: Annotated[float, Field(ge=0)]  # weight of the loss against the discriminator; 0: there is none
    confuse: bool = False  # the encoder has the discriminator foretell the mean bag, and not a wrong one
    guidance: bool  # whether the decoder is given the target's tree; false: an ablation
    trees: Literal["given", "derived"] = "given"  # those that came with a sentence, if any, or none of them
    bridge: bool = False  # the decoder gets the vector with every piece, too, and not by attention alone
    leaf_bridge: bool = False  # and the state of the tree's leaf that it has come to
    pieces: Positive | None = None  # the most frequent ones, which the decoder knows; null: all
    word_dropout: Fraction  # of the source's pieces, masked in training
    max_words: Positive  # of source and target in training; longer ones are cut
    max_tree_tokens: Positive
    prune: Fraction  # of the training trees, with some phrases emptied, so that templates may be partial
    steps: Rate  # training steps, as a multiple of train.steps and train.evaluate_every
    warm_up: Fraction = (
        0.0  # of these steps, in which the semantic encoder stays as it is and the rest learns
    )
    rate: Rate  # learning rate of decoder and syntactic encoder, as a multiple of train.learning_rate
    discriminator_rate: Rate  # the same of the discriminator; 1 in the paper
