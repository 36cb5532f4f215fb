"""The sections of the systems, one each, named like the system. Every key is described in params.yaml.

A field with a default here is one that older saved models lack.
"""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.core.params.section import (
    Count,
    Dimensions,
    Fraction,
    Positive,
    Rate,
    Section,
    Unique,
    Weight,
)


class System(Section):
    """How a system is trained: what every system's section has."""

    steps: Annotated[int, Field(ge=1, le=10**9)]
    batch_size: Annotated[int, Field(ge=2)]
    learning_rate: Rate


class Sscp(System):
    """The two-view system (Adavala & Adavala 2026)."""

    bias: Literal["tree", "labelled_tree", "linear", "mismatched", "shuffled", "none"]
    position: Literal["absolute", "graph", "both", "none"]
    views: Literal["two", "one"]
    hard_negatives: bool
    distillation: Weight
    symmetric: bool


class Synsem(System):
    """SynSem's own system: a backbone as it is, a link encoder, a semantic and a structural vector."""

    weight: Weight
    dimensions: Dimensions
    max_link_distance: Positive
    input_layer: Count
    order: Literal["tree", "surface", "mismatched", "shuffled"]
    templates: Annotated[float, Field(ge=0, lt=1)] = 0.0
    link_warmup: Fraction
    punct_dropout: Fraction
    context_prob: Fraction


class Simcse(System):
    """Unsupervised SimCSE (Gao et al. 2021)."""

    positives: Literal["self", "variants", "paraphrases"]


class Cssl(System):
    """The dependency parser robust to word order (Ray et al. 2024)."""

    parser_learning_rate: Rate
    treebank: str | None
    augmentation: Literal["none", "rotation", "rotation_and_cropping"]
    encoder: Literal["backbone", "scratch"]
    contrast: Literal["permutation", "dropout", "none"]
    refinements: Count
    position: Literal["absolute", "none"]


class Ebsim(System):
    """The cross-encoder pretrained for matching (EBSIM, 2024)."""

    mask_words: Literal["backbone", "glove", "corpus"] | None
    aspect_learning_rate: Rate
    aspects: Annotated[Unique[Literal["relation", "alignment"]], Field(min_length=1)]


class Upos(System):
    """The syntactic embedding from tags of translations (Liu et al. 2019)."""

    encoder: Literal["bilstm", "backbone"]
    sources: Annotated[Unique[str], Field(min_length=1)] | None
    targets: Annotated[Unique[str], Field(min_length=1)] | None
    start: str | None
    backbone_learning_rate: Rate


class Parabart(System):
    """The embedding freed of syntax by syntax-guided paraphrasing (Huang et al. 2021)."""

    adversary: Weight
    domain_confusion: bool
    guidance: Literal["leaves", "attention", "none"]
    freeze_encoder: Fraction
    decoder_learning_rate: Rate
    discriminator_learning_rate: Rate
