"""What is measured and shown: the sections evaluate and report."""

from typing import Annotated, Literal

from pydantic import Field

from pipeline.params.section import Positive, Rate, Section


class Evaluate(Section):
    """What the embeddings are judged by."""

    tasks: list[str]
    probe_sentences: Positive  # per split at most
    retrieval_sentences: Positive
    projection_sentences: Positive
    probe_classifiers: list[Literal["logistic", "mlp"]] = Field(min_length=1)
    seed: int


class Report(Section):
    """The HTML page."""

    gallery: Positive  # examples per transformation
    maps: list[Literal["tsne", "umap"]]  # umap needs the package umap-learn
    tsne_perplexity: Rate
    umap_neighbours: Annotated[int, Field(ge=2)]
    bootstrap_draws: Annotated[int, Field(ge=100)]  # behind the intervals of the headline table
    worst_errors: Positive  # shown of each task, to either side
    seed: int
