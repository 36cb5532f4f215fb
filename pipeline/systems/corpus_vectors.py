"""Vectors of texts for mining: from the backbone, kept on disk for all systems and later runs."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.core.disk_cache import DiskCache, model_digest, open_cache
from pipeline.params import Encoder
from pipeline.syntax.sentence import HasTree
from pipeline.systems.base import Embedder

_TEXTS_KEPT = 300_000  # of one backbone: half a gigabyte of vectors of 384 numbers


class CorpusVectors:
    """The backbone's semantic vectors of texts; each text is embedded once for all systems that are mined.

    The folder is named by all that decides a vector: the backbone's files, ``encoder``, the library's code,
    torch and the kind of device. A text has a row. On a CPU a vector has the same bits whether it is read or
    computed, and whatever texts are beside it, so the examples do not depend on what the cache holds. The
    model is loaded only for a text that is not there. Nothing is kept for a backbone that is known by its
    name on a hub alone, as other weights may come under that name.
    """

    def __init__(self, encoder: Encoder, cache: Path | None = None) -> None:
        # Builders read the semantic view alone; the joint view with its sketch would be thrown away.
        self._params = encoder.model_copy(update={"sketch": None})
        self._root = cache
        self._model: Embedder | None = None

    def __call__(self, sentences: Sequence[HasTree]) -> NDArray[np.float32]:
        """Unit vectors of n >= 1 texts, float32 [n, d], in order. Raises SynsemError for a damaged file."""
        disk = self._disk
        if disk is None:
            return self._embed(sentences)
        keys = [hashlib.blake2b(each.text.encode(), digest_size=16).digest() for each in sentences]
        known, rows = disk.find(keys)
        missing = sorted(set(range(len(keys))) - set(known))
        if not missing:
            return rows["semantic"]
        computed = self._embed([sentences[place] for place in missing])
        room = max(0, _TEXTS_KEPT - len(disk))
        if room:
            disk.add([keys[place] for place in missing[:room]], {"semantic": computed[:room]})
        found = np.empty((len(keys), computed.shape[1]), dtype=np.float32)
        found[missing] = computed
        if known:
            found[known] = rows["semantic"]
        return found

    @cached_property
    def _disk(self) -> DiskCache | None:
        import torch

        from pipeline.nn.backbone import locate
        from pipeline.nn.inference import best_device

        place = Path(locate(self._params.model))
        if not place.is_dir():
            return None
        digest = model_digest(place, self._params.model_dump_json())
        return open_cache(f"mine {digest}", torch.__version__, best_device().type, root=self._root)

    def _embed(self, sentences: Sequence[HasTree]) -> NDArray[np.float32]:
        if self._model is None:
            from pipeline.systems.registry import backbone

            self._model = backbone(self._params, exact=True)
        return self._model.embed(sentences)["semantic"]
