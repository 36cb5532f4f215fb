"""Seconds, tokens and memory of a training step, of encoding and of parsing, over batch sizes."""

import statistics
import time
from collections.abc import Callable
from functools import cached_property
from itertools import islice
from typing import Any
from unittest import mock

import numpy as np
import torch

from benchmarks.gpu.bundle import Bundle
from benchmarks.gpu.chapter import compiler
from pipeline.nn import inference
from pipeline.nn.amp import fp16_autocast, grad_scaler, has_native_fp16
from pipeline.nn.backbone import quiet
from pipeline.nn.embedding import embed
from pipeline.params import load
from pipeline.syntax.sentence import Side
from pipeline.systems import registry
from pipeline.systems.cssl import model as parser
from pipeline.systems.cssl import spanning_tree
from pipeline.training.ahead import steps_ahead
from pipeline.training.batches import Limits, stream
from pipeline.training.cost import peak_memory
from pipeline.training.examples import Examples
from pipeline.training.loop import compile_encoders, launch_step, read_losses
from pipeline.training.optimizer import adamw
from pipeline.training.run import determinism

WARM_UP = 2
COLD = 20  # steps of a process's first measurement before it counts: kernels are loaded when first used
SYSTEM = "synsem"
LATE = 10**6  # a step in which all losses take part


class Speed:
    """The measurements, on the best device there is."""

    def __init__(self, bundle: Bundle, small: bool) -> None:
        self.bundle, self.small = bundle, small
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.examples = Examples(bundle.triplets, "train")
        self.sizes = (4, 8) if small else (32, 64, 256, 1024, 4096)
        self.steps = 1 if small else 8
        self.warm_up = WARM_UP if small else COLD
        self.texts = 16 if small else 20_000

    def measurements(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """Every measurement by name: cheap ones and those that matter first."""
        plain: dict[str, Any] = {"precision": "bf16"}
        middle = self.sizes[len(self.sizes) // 2]
        found: dict[str, Callable[[], dict[str, Any]]] = {f"encode {middle}": lambda: self.encode(middle)}
        for size in self.sizes:
            found[f"step {size}"] = lambda size=size: self.step(size, plain)
        found["parse"] = self.parse
        for size in self.sizes[1:]:
            if size != middle:
                found[f"encode {size}"] = lambda size=size: self.encode(size)
        for name, changed in {
            "fp32": {"precision": "fp32"},
            "fp16": {"precision": "fp16"},
            "compiled": {"precision": "bf16", "compile": True},
            "deterministic": {"precision": "bf16", "deterministic": True},
            "chunks": {"precision": "bf16", "chunk": middle // 4},
            "none ahead": {"precision": "bf16", "read_ahead": 0},
            "read by processes": {"precision": "bf16", "readers": 1 if self.small else 6},
        }.items():
            found[f"step {middle} {name}"] = lambda changed=changed: self.step(middle, changed)
        return found

    def step(self, size: int, changed: dict[str, Any]) -> dict[str, Any]:
        """Median seconds of a step, from asking for its examples on; tokens a second; peak memory in MB.

        ``reading`` is the share of the time in which the step waited for its examples. They are read ahead,
        as in training; where ``read_ahead`` is 0 they are read then.
        """
        if len(self.examples) < size:
            return {"skipped": f"{len(self.examples)} examples are too few"}
        sections = load(self.bundle.params, "encoder", "train", SYSTEM)
        train = sections.train.model_copy(update=changed)
        torch.manual_seed(13)
        system = registry.create(SYSTEM, sections.encoder, train, sections.synsem).to(self.device)
        system.begin_training()
        if train.compile:
            compile_encoders(system, compiler(self.small))
        optimizer, scaler = adamw(system, train), grad_scaler(self.device, train.precision)
        planned = stream(self.examples.texts(), self.examples.lengths(), Limits(size), 13)
        self.forget_peak()
        seconds, reading, tokens = [], [], 0
        warm_up, self.warm_up = self.warm_up, WARM_UP
        numbers = range(LATE, LATE + warm_up + self.steps)
        ahead = steps_ahead(system, self.examples, planned, numbers)
        try:
            with determinism(train.deterministic), ahead as ready:
                for number in numbers:
                    if number == LATE + warm_up:
                        tokens = system.tokenizer.tokens
                    began = time.perf_counter()
                    system.begin_step(number)
                    batches = next(ready)
                    reading.append(time.perf_counter() - began)
                    read_losses(launch_step(system, batches, optimizer, scaler))
                    seconds.append(time.perf_counter() - began)
        except torch.cuda.OutOfMemoryError:
            return {"out_of_memory": True}
        typical = statistics.median(seconds[warm_up:])
        tokens = system.tokenizer.tokens - tokens
        return {
            "step_seconds": typical,
            "first_seconds": seconds[0],
            "examples_per_second": size / typical,
            "tokens_per_second": tokens / sum(seconds[warm_up:]),
            "reading": sum(reading[warm_up:]) / sum(seconds[warm_up:]),
            "peak_memory_mb": peak_memory(self.device) / 1e6,
        }

    def parse(self) -> dict[str, Any]:
        """Sentences a second of the parser ``cssl``, by sentences a call; share of decoding; memory in MB.

        A bundle has no trained parser. So one is trained here for some steps on the examples' own trees:
        scores at random have many cycles, whose search would take the time. ``uas`` is the agreement with
        those trees on the sentences parsed, which it has seen: it says whether the scores are far from
        random, and nothing of its quality. There is no peer: a GPU machine has no spaCy.
        """
        sections = load(self.bundle.params, "encoder", "train", "cssl")
        torch.manual_seed(13)
        system = registry.create("cssl", sections.encoder, sections.train, sections.cssl)
        train, examples = sections.train, Examples(self.bundle.whole_trees(), "train")
        system.prepare(examples.anchors())
        system = system.to(self.device)
        assert isinstance(system, parser.System)
        optimizer, scaler = adamw(system, train), grad_scaler(self.device, train.precision)
        planned = stream(examples.texts(), examples.lengths(), Limits(train.batch_size), 13)
        steps = 2 if self.small else 300
        for numbers in islice(planned, steps):
            losses = launch_step(system, [examples.batch(numbers)], optimizer, scaler)
        found: dict[str, Any] = {"trained_steps": steps, "loss": read_losses(losses)["loss"]}
        sides = list(islice(examples.anchors(), self.texts))
        decoding = 0.0

        def decode(*scores: Any) -> Any:
            nonlocal decoding
            began = time.perf_counter()
            heads = spanning_tree.decode(*scores)
            decoding += time.perf_counter() - began
            return heads

        with mock.patch.object(parser, "decode", decode):
            trees = system.parse(sides)  # the first call is slow; the subwords of words are kept, too
            for size in (*self.sizes, len(sides)):
                self.forget_peak()
                some, decoding = sides[: 40 * size], 0.0
                began = time.perf_counter()
                for start in range(0, len(some), size):
                    system.parse(some[start : start + size])
                seconds = time.perf_counter() - began
                found[f"batches of {size}" if size < len(sides) else "all in one call"] = {
                    "sentences": len(some), "sentences_per_second": len(some) / seconds,
                    "decoding": decoding / seconds, "peak_memory_mb": peak_memory(self.device) / 1e6,
                }  # fmt: skip
        pairs = zip(sides, trees, strict=True)
        right = [a == b for side, tree in pairs for a, b in zip(side.heads, tree.heads, strict=True)]
        return found | {"uas": sum(right) / len(right)}

    def forget_peak(self) -> None:
        """Let ``peak_memory`` begin anew, on a GPU."""
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()

    def encode(self, size: int) -> dict[str, Any]:
        """Sentences a second and peak memory of encoding, by us and by sentence-transformers.

        In batches of ``size`` sentences of mean length, in 32 and 16 bits. ``synsem`` gives all its views;
        its weights are new, so its semantic vectors are the backbone's. ``difference``: the largest, of one
        dimension of a semantic vector, from the backbone's in 32 bits.
        """
        texts = [side.text for side in islice(self.examples.anchors(), self.texts)]
        sides = [Side(text, (), ()) for text in texts]
        sections = load(self.bundle.params, "encoder", "train", SYSTEM)
        torch.manual_seed(13)
        system = registry.create(SYSTEM, sections.encoder, sections.train, sections.synsem).to(self.device)
        system.begin_training()
        lengths = [len(each.ids) for each in system.tokenizer.encode(sides[:1000], trees=False)]
        budget = {self.device.type: round(size * statistics.mean(lengths))}

        def backbone() -> np.ndarray:
            return embed({"semantic": system.semantic}, system.tokenizer, sides)["semantic"]

        contenders = {"backbone": backbone, "synsem": lambda: system.embed(sides)["semantic"]}
        if has_native_fp16(self.device):
            contenders |= {f"{name} fp16": self.in_16_bits(each) for name, each in contenders.items()}
        contenders |= self.peers(texts, size)
        seconds: dict[str, list[float]] = {name: [] for name in contenders}
        found: dict[str, dict[str, Any]] = {}
        with mock.patch.dict(inference.TOKENS_PER_BATCH, budget):
            reference = backbone()
            for name, contender in contenders.items():
                self.forget_peak()
                away = float(np.abs(contender() - reference).max())
                found[name] = {"difference": away, "peak_memory_mb": peak_memory(self.device) / 1e6}
            for _ in range(1 if self.small else 3):
                for name, contender in contenders.items():
                    began = time.perf_counter()
                    contender()
                    seconds[name].append(time.perf_counter() - began)
        for name, taken in seconds.items():
            found[name]["sentences_per_second"] = len(texts) / statistics.median(taken)
        return {"sentences": len(texts)} | found

    def in_16_bits(self, contender: Callable[[], np.ndarray]) -> Callable[[], np.ndarray]:
        """The same in float16."""

        def run() -> np.ndarray:
            with fp16_autocast(self.device):
                return contender()

        return run

    def peers(self, texts: list[str], size: int) -> dict[str, Callable[[], np.ndarray]]:
        """sentence-transformers with the same weights; nothing where it is not installed."""

        def encoding(model: Any) -> Callable[[], np.ndarray]:
            def run() -> np.ndarray:
                made: np.ndarray = model.encode(
                    texts, batch_size=size, normalize_embeddings=True, show_progress_bar=False
                )
                return made.astype(np.float32)

            return run

        return {name: encoding(model) for name, model in self.peer_models.items()}

    @cached_property
    def peer_models(self) -> dict[str, Any]:
        """Models of sentence-transformers by name."""
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            return {}
        params = load(self.bundle.params, "encoder").encoder
        found = {}
        kinds = {"": torch.float32} | ({" fp16": torch.float16} if self.device.type == "cuda" else {})
        for suffix, dtype in kinds.items():
            with quiet():
                model = SentenceTransformer(
                    params.model, device=self.device.type, model_kwargs={"dtype": dtype}
                )
            model.max_seq_length = params.max_tokens
            found[f"sentence-transformers{suffix}"] = model
        return found
