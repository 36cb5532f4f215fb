"""Every code path of CUDA, small: each check says what it found and whether that is as it should be."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from benchmarks.gpu.bundle import Bundle
from benchmarks.gpu.chapter import compiler
from pipeline.core import scratch, store
from pipeline.nn.amp import effective_precision, fp16_autocast, grad_scaler
from pipeline.nn.gradcache import RandomState
from pipeline.params import load
from pipeline.systems import registry
from pipeline.systems.base import Batch, Settings, System
from pipeline.training.cost import energy
from pipeline.training.examples import Examples
from pipeline.training.loop import compile_encoders, forward_backward, train_step
from pipeline.training.optimizer import adamw
from pipeline.training.run import determinism, pretrain

SYSTEM, SEED = "synsem", 13
OTHERS = ("sscp", "simcse", "cssl", "upos", "ebsim", "parabart")
EXACT = 1e-4  # of float32 on two devices, relative
ROUGH = {"fp32": EXACT, "bf16": 0.05, "fp16": 0.02}  # of a loss
Gradients = dict[str, torch.Tensor]


class Stopped(Exception):  # noqa: N818 - it is no error
    """Stands for a kill."""


class Smoke:
    """The checks, on the best device there is; ``small``: the least that runs all code."""

    def __init__(self, bundle: Bundle, home: Path, small: bool) -> None:
        self.bundle, self.home, self.small = bundle, home, small
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.examples = Examples(bundle.triplets, "train")
        self.whole_trees = Examples(bundle.whole_trees(), "train")
        self.size, self.steps = (4, 4) if small else (64, 20)
        self.undisturbed: str | None = None  # sha256 of a run of a few steps
        torch.backends.cudnn.allow_tf32 = False  # a BiLSTM is to be compared in float32

    def checks(self) -> Mapping[str, Any]:
        """Every check by name, cheap ones first."""
        return {
            "fp32": self.fp32,
            "bf16": lambda: self.precision("bf16"),
            "fp16": lambda: self.precision("fp16"),
            "gradcache": self.gradcache,
            "encode": self.encode,
            **{f"system {name}": lambda name=name: self.other_system(name) for name in OTHERS},
            "random_state": self.random_state,
            "energy": self.energy,
            "deterministic": self.deterministic,
            "resume": self.resume,
            "torchrun": self.torchrun,
            "compile": self.compiled,
        }

    def batch(self, number: int = 0, name: str = SYSTEM) -> Batch:
        """Some examples; those made of frames, which have no whole trees, for ``synsem`` alone."""
        examples = self.examples if name == SYSTEM else self.whole_trees
        return examples.batch(range(number * self.size, (number + 1) * self.size))

    def build(self, device: torch.device, name: str = SYSTEM, **changed: Any) -> System:
        """A new system in evaluation mode, so without dropout, after ``begin_training``."""
        sections = load(self.bundle.params, "encoder", "train", name)
        train = sections.train.model_copy(update={"precision": "fp32", **changed})
        torch.manual_seed(SEED)
        system = registry.create(name, sections.encoder, train, getattr(sections, name))
        system.prepare(list(islice(self.whole_trees.anchors(), 2000)))
        system = system.to(device)
        system.begin_training()
        system.begin_step(10**6)
        system.eval()
        for module in system.modules():
            if isinstance(module, torch.nn.RNNBase):  # cuDNN has gradients of these in training mode alone
                module.train()
        return system

    def gradient(self, system: System, number: int = 0) -> tuple[float, Gradients]:
        """The loss of a batch, and every gradient on the CPU."""
        torch.manual_seed(SEED)
        loss = forward_backward(system, self.batch(number, system.name))["loss"].item()
        found = {
            name: parameter.grad.detach().cpu().double()
            for name, parameter in system.named_parameters()
            if parameter.grad is not None
        }
        system.zero_grad(set_to_none=True)
        return loss, found

    def fp32(self) -> dict[str, Any]:
        """Loss, gradient and vectors of the GPU against those of the CPU."""
        here, there = (self.build(torch.device(kind)) for kind in ("cpu", self.device))
        found = compared(self.gradient(here), self.gradient(there))
        texts = self.batch().anchors
        expected, views = here.embed(texts), there.embed(texts)
        found |= {f"vectors.{name}": float(np.abs(views[name] - expected[name]).max()) for name in views}
        return judged(found)

    def precision(self, kind: str) -> dict[str, Any]:
        """The loss in 16 bits near that in 32, and a few steps of training that stay finite."""
        expected, _ = self.gradient(self.build(self.device))
        system = self.build(self.device, precision=kind)
        loss, _ = self.gradient(system)
        used = effective_precision(self.device, kind)
        optimizer, scaler = adamw(system, system.settings.train), grad_scaler(self.device, kind)
        losses = [
            train_step(system, [self.batch(number % 4)], optimizer, scaler)["loss"]
            for number in range(self.steps)
        ]
        away = abs(loss - expected) / abs(expected)
        fine = away < ROUGH[used] and all(map(math.isfinite, losses))
        as_asked = used == kind or self.device.type == "cpu"
        return {
            "passed": fine and as_asked, "used": used, "loss": away, "first": losses[0], "last": losses[-1],
            "scale": scaler.get_scale(),
        }  # fmt: skip

    def gradcache(self) -> dict[str, Any]:
        """A batch in chunks against the same batch whole."""
        whole, parts = self.build(self.device), self.build(self.device, chunk=self.size // 4)
        return judged(compared(self.gradient(whole), self.gradient(parts)))

    def encode(self) -> dict[str, Any]:
        """Vectors in float16, where that is native, and late scores against those of float32 on the CPU."""
        here, there = (self.build(torch.device(kind)) for kind in ("cpu", self.device))
        a, b = self.batch(0).anchors, self.batch(0).positives
        expected = here.embed(a)
        with fp16_autocast(self.device):
            views = there.embed(a)
        found = {f"float16.{name}": float(np.abs(views[name] - expected[name]).max()) for name in views}
        late = [system.late_scores(a, b) for system in (here, there)]  # type: ignore[attr-defined]
        found["late"] = float(np.abs(late[0] - late[1]).max())
        return judged(found, 5e-3)

    def other_system(self, name: str) -> dict[str, Any]:
        """Loss and gradient against the CPU's, and a step in deterministic mode."""
        here, there = (self.build(torch.device(kind), name) for kind in ("cpu", self.device))
        found = compared(self.gradient(here), self.gradient(there))
        with determinism(True):
            optimizer = adamw(there, there.settings.train)
            train_step(there, [self.batch(1, name)], optimizer, grad_scaler(self.device, "fp32"))
        return judged(found, 1e-3)

    def random_state(self) -> dict[str, Any]:
        """Dropout drawn again, as GradCache's second pass needs it."""
        state = RandomState()
        first = torch.rand(100, device=self.device)
        with state.replayed():
            again = torch.rand(100, device=self.device)
        return {"passed": torch.equal(first, again)}

    def energy(self) -> dict[str, Any]:
        """What the GPU used for a second of matrix products, by NVML; a CPU has no such count."""
        before, began = energy(self.device), time.perf_counter()
        if before is None:
            return {"passed": self.device.type == "cpu", "joules": None}
        matrix = torch.randn(4096, 4096, device=self.device)
        while time.perf_counter() - began < 1:
            float((matrix @ matrix).sum())
        used = (energy(self.device) or before) - before
        return {"passed": used > 0, "joules": used}

    def pretrain(self, name: str, stop: int | None = None, **changed: Any) -> str:
        """Train a few steps into a folder, deterministically; the weights' sha256."""
        sections = load(self.params(**changed), "encoder", "train", SYSTEM)

        def log(step: int, values: dict[str, float]) -> None:
            if stop is not None and step == stop and "train/loss" in values:
                raise Stopped

        out = self.home / name
        pretrain(
            SYSTEM, SEED, self.bundle.triplets, out, log,
            Settings(sections.encoder, sections.train, sections.synsem), 0.0,
        )  # fmt: skip
        return store.sha256(out / "model.safetensors")

    def params(self, **changed: Any) -> Path:
        """params.yaml of a few steps in deterministic mode."""
        values = yaml.safe_load(self.bundle.params.read_text())
        values["train"] |= {
            "steps": self.steps, "evaluate_every": self.steps // 2, "batch_size": self.size,
            "dev_examples": 2 * self.size, "deterministic": True, "precision": "bf16",
        } | changed  # fmt: skip
        values[SYSTEM] |= {"steps": 1.0}
        path = self.home / "params.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(values))
        return path

    def deterministic(self) -> dict[str, Any]:
        """Two runs from one seed: the same bytes."""
        first, second = self.pretrain("first"), self.pretrain("second")
        self.undisturbed = first
        return {"passed": first == second, "sha256": [first, second]}

    def resume(self) -> dict[str, Any]:
        """A run that was stopped and continues, against one that was not: the same bytes."""
        undisturbed = self.undisturbed or self.pretrain("undisturbed")
        try:
            self.pretrain("stopped", stop=self.steps // 2 + 1)
        except Stopped:
            pass
        else:
            raise AssertionError("the run was to stop")
        kept = len(list(scratch.ROOT.rglob("checkpoint.safetensors")))
        resumed = self.pretrain("stopped")
        return {
            "passed": resumed == undisturbed and kept == 1, "checkpoints": kept,
            "sha256": [undisturbed, resumed],
        }  # fmt: skip

    def torchrun(self) -> dict[str, Any]:
        """One rank by torchrun and the stage itself, in chunks, against none: the same bytes."""
        alone = self.pretrain("alone", chunk=self.size // 2)
        out = self.home / "torchrun"
        command = [
            sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=1",
            "-m", "stages.pretrain", SYSTEM, str(SEED), "--triplets", str(self.bundle.triplets),
            "--params", str(self.home / "params.yaml"), "--out", str(out), "--curves", str(out) + "-curves",
        ]  # fmt: skip
        done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
        found = store.sha256(out / "model.safetensors")
        backend = "nccl" if self.device.type == "cuda" else "gloo"
        return {"passed": found == alone, "backend": backend, "sha256": [alone, found]}

    def compiled(self) -> dict[str, Any]:
        """torch.compile: losses of batches of different shapes, and what it costs to begin."""
        plain, compiled = self.build(self.device), self.build(self.device)
        compile_encoders(compiled, compiler(self.small))
        found: dict[str, float] = {}
        began = time.perf_counter()
        for number in range(2 if self.small else 6):
            found |= compared(self.gradient(plain, number), self.gradient(compiled, number), str(number))
        seconds = time.perf_counter() - began
        graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
        return judged(found, 1e-3) | {"to_compile": round(seconds, 1), "graphs": graphs}


def compared(a: tuple[float, Gradients], b: tuple[float, Gradients], suffix: str = "") -> dict[str, float]:
    """Relative differences of two losses and of two gradients as a whole, by name."""
    if a[1].keys() != b[1].keys():
        raise AssertionError("gradients of different parameters")
    far = math.sqrt(sum(float((a[1][name] - b[1][name]).square().sum()) for name in a[1]))
    size = math.sqrt(sum(float(value.square().sum()) for value in a[1].values()))
    return {f"loss{suffix}": abs(a[0] - b[0]) / max(abs(a[0]), 1e-12), f"gradient{suffix}": far / size}


def judged(found: dict[str, float], most: float = EXACT) -> dict[str, Any]:
    """The differences, and whether none is above ``most``."""
    return {"passed": all(value <= most for value in found.values()), **found}
