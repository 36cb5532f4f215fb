"""For test_distributed.py: each process writes its losses and gradients of one batch to a file."""

from pathlib import Path

import torch
from safetensors.torch import save_file

from pipeline.params import load
from pipeline.systems import registry
from pipeline.training import distributed
from pipeline.training.ahead import read_batch
from pipeline.training.distributed import gather_rows
from pipeline.training.examples import Examples
from pipeline.training.loop import forward_backward

CASES: dict[str, tuple[str, int | None, int, dict[str, float]]] = {  # system, chunk, examples, changes
    "sscp": ("sscp", None, 21, {}),
    "sscp-everything": ("sscp", None, 21, {"in_view": 0.5, "late": 0.3}),
    "sscp-chunks": ("sscp", 4, 21, {"late": 0.3}),
    "sscp-few": ("sscp", None, 2, {}),
    "simcse": ("simcse", None, 21, {}),
    "synsem": ("synsem", 4, 21, {"links_first": 0.0}),
    "synsem-ahead": ("synsem", 4, 21, {"links_first": 0.0}),
    "simcse-ahead": ("simcse", None, 21, {}),
    "parabart": ("parabart", None, 21, {}),
    "parabart-adversary": ("parabart", 4, 21, {}),
    # One example, of which the first process has no part.
    "simcse-one": ("simcse", None, 1, {}),
    "parabart-one": ("parabart", None, 1, {}),
    "ebsim-one": ("ebsim", None, 1, {"max_tokens": 32}),
    "upos-one": ("upos", None, 1, {"own_tags": 1.0, "distances": 1.0}),
}


def main(params: Path, triplets: Path, out: Path) -> None:
    with distributed.process_group():
        examples = Examples(triplets, "train")
        for case, (name, chunk, count, changed) in CASES.items():
            sections = load(params, "encoder", "train", name)
            train = sections.train.model_copy(update={"chunk": chunk})
            torch.manual_seed(
                distributed.rank()
            )  # each process starts elsewhere, the first one's weights are to win
            params_of_system = getattr(sections, name).model_copy(update=changed)
            system = registry.create(name, sections.encoder, train, params_of_system).eval()
            if distributed.rank() > 0:
                for parameter in system.parameters():
                    torch.nn.init.normal_(parameter)
            distributed.broadcast_weights(system)
            system.begin_training()
            learner = system.adversary if case.endswith("adversary") else None
            batch = examples.batch(range(count))
            if case.endswith("ahead"):
                batch = read_batch(system, batch, 10**6)
                system.begin_step(10**6)
            losses = forward_backward(system, batch, learner=learner)
            distributed.average_gradients(list(system.parameters()))
            found = {
                f"gradient.{name}": p.grad for name, p in system.named_parameters() if p.grad is not None
            }
            found |= {f"loss.{name}": loss.detach().clone() for name, loss in losses.items()}
            save_file(found, out / f"{case}-{distributed.rank()}.safetensors")
        rank = torch.tensor(float(distributed.rank()))
        rows = gather_rows({"uneven": rank.repeat(3 - 3 * distributed.rank(), 2), "keys": rank.long()[None]})
        cpu, number = torch.device("cpu"), float(distributed.rank())
        sums = distributed.all_reduce_sum([3.1 + number, number], cpu)
        told = distributed.broadcast({"a": 1 / 3 + number, "b": 2.0**40 + 1 - number}, cpu)
        rows |= {
            "sums": torch.tensor(sums, dtype=torch.float64),
            "told": torch.tensor(list(told.values()), dtype=torch.float64),
        }
        save_file(rows, out / f"rows-{distributed.rank()}.safetensors")
