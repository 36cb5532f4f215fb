"""Training beyond one batch's memory and beyond one process.

    python benchmarks/batches.py --triplets data/triplets/sscp

Memory: steps of ``sscp`` on batches of 32, 128 and 512 examples, plain and in chunks of 32 (GradCache), each
in a process of its own, since the peak of a process never falls; all see as many examples, long ones among
them. Processes: one batch of 64 by one process with one thread, by one with two threads, and by two with one
thread each (torchrun, gloo).
"""

import json
import os
import statistics
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    triplets: Path = Path("data/triplets/sscp"),
    params: Path = Path("params.yaml"),
    sizes: Annotated[str, typer.Option(help="Batch sizes of the memory table.")] = "32,128,512",
    chunk: int = 32,
    plain_up_to: Annotated[int, typer.Option(help="Largest batch to try without chunks.")] = 512,
    batch: Annotated[int, typer.Option(help="Examples a step in the table of processes.")] = 64,
) -> None:
    """Print both tables."""
    if context.invoked_subcommand:
        return

    def measure(size: int, chunk: int, steps: int, processes: int = 1, threads: int = 1) -> dict[str, float]:
        launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={processes}"]
        command = [sys.executable, *(launcher if processes > 1 else []), __file__, "worker"]
        command += [str(triplets), str(params), str(size), str(chunk), str(steps)]
        environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "PASSIVE"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
        return found

    cores = os.cpu_count() or 1
    print(f"{'batch':>6} {'chunk':>6} {'peak MB':>9} {'s a step':>9} {'examples/s':>11}")
    wanted = [int(size) for size in sizes.split(",") if size]
    for size in wanted:
        for each in (0, chunk):
            if each or size <= plain_up_to:
                found = measure(size, each, max(wanted) // size, threads=cores)
                print(
                    f"{size:6} {each or '-':>6} {found['megabytes']:9,.0f} {found['seconds']:9.2f} "
                    f"{size / found['seconds']:11.1f}",
                    flush=True,
                )
    print(f"\n{'processes':>10} {'threads':>8} {'s a step':>9} {'speed-up':>9}")
    alone = None
    for processes, threads in ((1, 1), (1, 2), (2, 1)):
        found = measure(batch, 0, 4, processes, threads)
        alone = alone or found["seconds"]
        print(
            f"{processes:10} {threads:8} {found['seconds']:9.2f} {alone / found['seconds']:9.2f}", flush=True
        )


@app.command()
def worker(triplets: Path, params: Path, size: int, chunk: int, steps: int) -> None:
    """Take steps and print seconds of a typical one and the peak memory of the first process."""
    from pipeline.nn.amp import grad_scaler
    from pipeline.params import load
    from pipeline.systems import registry
    from pipeline.training import batches, distributed
    from pipeline.training.cost import peak_memory
    from pipeline.training.examples import Examples
    from pipeline.training.loop import train_step
    from pipeline.training.optimizer import adamw

    with distributed.process_group() as device:
        sections = load(params, "encoder", "train", "sscp")
        train = sections.train.model_copy(update={"chunk": chunk or None})
        examples = Examples(triplets, "train")
        system = registry.create("sscp", sections.encoder, train, sections.sscp).to(device)
        system.begin_training()
        optimizer, scaler = adamw(system, train), grad_scaler(device, train.precision)
        seconds = []
        for numbers in islice(
            batches.stream(examples.texts(), examples.lengths(), batches.Limits(size), 13), steps
        ):
            if len(numbers) < size:
                raise SystemExit(f"{triplets}: too few examples for a batch of {size}")
            began = time.perf_counter()
            train_step(system, [examples.batch(numbers)], optimizer, scaler)
            seconds.append(time.perf_counter() - began)
        if distributed.rank() == 0:
            typical = statistics.median(seconds[1:] or seconds)
            print(json.dumps({"seconds": typical, "megabytes": peak_memory(device) / 1e6}))


if __name__ == "__main__":
    app()
