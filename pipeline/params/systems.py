"""The sections of the systems, one each, named like the system. Every key is described in params.yaml.

A field with a default here is one that older saved models lack.
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

    bias: Literal["tree", "linear", "random", "other", "shuffled", "none"]
    position: Literal["absolute", "graph", "both", "none"]
    views: Literal["two", "one"]
    hard_negatives: bool
    symmetric: bool
    distillation: Weight
    max_distance: Positive
    bias_lr_scale: Rate
    position_lr_scale: Rate
    across: Weight
    in_view: Weight
    late: Weight
    late_lr_scale: Rate
    directed: bool
    edge_types: bool


class Synsem(Section):
    """SynSem's own system: a backbone as it is, a reader, a semantic and a structural vector."""

    weight: Weight
    growth: Weight
    dimensions: Dimensions
    reach: Positive
    reads: Count
    layers: Positive
    order: Literal["tree", "surface", "random", "other", "shuffled"]
    links_first: Fraction
    links: Weight
    gates: Weight
    contrast: Weight
    tau: Temperature
    unmarked: Fraction = 0.0
    context: Fraction = 0.0
    pointer_size: Positive
    steps: Rate
    batch: Rate
    reader_lr_scale: Rate
    head_lr_scale: Rate


class Simcse(Section):
    """Unsupervised SimCSE (Gao et al. 2021)."""

    dropout: Dropout


class Scratch(Section):
    """An encoder with random weights and a vocabulary of its own."""

    vocabulary: Positive
    width: Positive
    layers: Positive


class Cssl(Section):
    """The dependency parser robust to word order (Ray et al. 2024)."""

    treebank: str | None
    encoder: Literal["backbone", "scratch"]
    contrast: Weight
    positives: Literal["permutation", "dropout"] = "permutation"
    position: Literal["absolute", "none"]
    refinements: Count
    scratch: Scratch
    max_tokens: Annotated[int, Field(ge=3)]
    layers: Literal["last", "mix"]
    depth: Positive | None = None
    subwords: Literal["mean", "first", "embeddings"]
    lstm_layers: Count
    arc_size: Positive
    label_size: Positive
    dropout: Dropout
    bf16: bool = False
    max_distance: Positive
    tag_weight: Weight
    head_lr_scale: Rate
    start: str | None = None


class Ebsim(Section):
    """The cross-encoder pretrained for matching (EBSIM, 2024)."""

    relation: bool
    alignment: bool
    margin: Rate
    max_tokens: Annotated[int, Field(ge=8)]
    head_lr_scale: Rate


class BiLstm(Section):
    """The recurrent encoder of ``upos`` (Liu et al. 2019, table 1)."""

    vocabulary: Positive
    embedding: Positive
    width: Positive
    layers: Positive
    steps: Rate


class Upos(Section):
    """The syntactic embedding from tags of translations (Liu et al. 2019)."""

    encoder: Literal["bilstm", "backbone"]
    translation: Weight
    own_tags: Weight
    distances: Weight
    start: str | None
    bilstm: BiLstm
    tag_size: Positive
    language_size: Positive
    decoder_size: Positive
    dropout: Dropout
    lr_scale: Rate


class Parabart(Section):
    """The embedding freed of syntax by syntax-guided paraphrasing (Huang et al. 2021)."""

    adversary: Weight
    domain_confusion: bool
    guidance: Literal["leaves", "attention", "none"]
    freeze_encoder: Fraction
    steps: Rate
    decoder_lr_scale: Rate
    discriminator_lr_scale: Rate
