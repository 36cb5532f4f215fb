"""A parser for the tests: the head of every word is the one before it. It may be slow."""

import os
import time
from collections.abc import Iterator, Sequence

from pipeline.syntax.sentence import Sentence


class Chain:
    @classmethod
    def load(cls, model: str, lang: str) -> "Chain":
        return cls()

    @staticmethod
    def version(model: str) -> str:
        return f"chain {model}"

    @staticmethod
    def gpus(model: str) -> int:
        return 0

    def parse(self, texts: Sequence[str | Sentence]) -> Iterator[list[Sentence]]:
        for text in texts:
            time.sleep(float(os.environ.get("SECONDS_A_PASSAGE", "0")))
            words = tuple((text if isinstance(text, str) else text.text).split())
            n = len(words)
            relations = ("root",) + ("dep",) * (n - 1)
            found = Sentence(
                words=words, heads=tuple(range(n)), deprels=relations, upos=("X",) * n, xpos=("",) * n,
                lemmas=words, feats=("",) * n, space_after=(True,) * n,
            )  # fmt: skip
            yield [found] if n else []
