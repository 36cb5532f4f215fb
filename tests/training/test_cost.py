import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import yaml

from pipeline.core import progress
from pipeline.core.store import read_json
from pipeline.params import load
from pipeline.systems import registry
from pipeline.training import cost as cost_module
from pipeline.training.cost import Cost, energy, peak_memory
from pipeline.training.examples import Examples
from pipeline.training.loop import forward_backward

CPU = torch.device("cpu")


def test_tokens_and_padding_are_those_of_the_encoders_passes(params: Path, triplets: Path) -> None:
    sections = load(params, "encoder", "train", "simcse")
    system = registry.create("simcse", sections.encoder, sections.train, sections.simcse)
    batch = Examples(triplets, "train").batch(range(16))
    sentences = [*batch.anchors, *batch.positives, *batch.negatives]
    lengths = [len(each.ids) for each in system.tokenizer.encode(sentences, trees=False)]
    cost = Cost()
    system.tokenizer.pad(system.tokenizer.encode(sentences))  # outside of a step: not counted
    with cost.training(system.tokenizer) as batches:
        batches.append(batch)
        forward_backward(system, batch)
    assert cost.tokens == sum(lengths)
    assert cost.padded_tokens >= cost.tokens
    assert cost.examples == 16
    rates = cost.rates(CPU)
    assert rates["padding"] == pytest.approx(1 - cost.tokens / cost.padded_tokens)
    assert rates["tokens_per_second"] == pytest.approx(cost.tokens / cost.step_seconds)
    assert rates["peak_memory_mb"] > 100


def test_peak_memory_rises_with_what_is_held() -> None:
    before = peak_memory(CPU)
    held = torch.ones(64, 1024, 1024)  # 256 MB
    assert peak_memory(CPU) - before > 100e6 or before > 256e6 + held.numel()


def test_rates_are_sums_by_the_second_of_training_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.training.cost.peak_memory", lambda device: 123_456_789)
    cost = Cost(step_seconds=4.0, validation_seconds=6.0, examples=64, tokens=600, padded_tokens=800)
    assert cost.rates(CPU) == {
        "tokens_per_second": 150.0,
        "examples_per_second": 16.0,
        "padding": 0.25,
        "peak_memory_mb": 123.456789,
    }
    assert str(cost) == "150 tokens/s"
    # Before the first step nothing is divided by zero.
    start = Cost().rates(CPU)
    assert (start["tokens_per_second"], start["examples_per_second"], start["padding"]) == (0, 0, 1)


def test_tokens_of_all_processes_are_in_the_table_and_the_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two processes with the same share."""
    monkeypatch.setattr(cost_module, "all_reduce_sum", lambda values, device: [2.0 * each for each in values])
    cost = Cost(step_seconds=4.0, examples=64, tokens=600, padded_tokens=800)
    table = cost.table(CPU)
    assert (table["tokens"], table["padded_tokens"], table["examples"]) == (1200, 1600, 64)
    assert table["tokens_per_second"] == 300.0
    assert table["padding"] == 0.25
    assert cost.tokens == 600


def test_memory_of_a_gpu_is_what_torch_allocated_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.max_memory_allocated", lambda device: {"cuda:1": 42}[str(device)])
    assert peak_memory(torch.device("cuda:1")) == 42


def test_validation_time_is_kept_apart_from_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 13.0, 20.0, 21.0])
    monkeypatch.setattr("pipeline.training.cost.time.perf_counter", lambda: next(clock))
    cost = Cost()
    for _ in range(2):
        with cost.validation():
            pass
    assert (cost.validation_seconds, cost.step_seconds) == (4.0, 0.0)


def test_the_stage_writes_the_cost_where_no_lock_sees_it(
    params: Path, triplets: Path, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stages.pretrain import main

    monkeypatch.chdir(tmp_path)
    content = yaml.safe_load(params.read_text())
    content["train"] |= {"steps": 4, "evaluate_every": 2}
    params.write_text(yaml.safe_dump(content))
    main("simcse", 13, triplets, tmp_path / "out", tmp_path / "curves", params)
    cost = read_json(tmp_path / "curves-cost" / "cost.json")
    assert cost["seconds"] == pytest.approx(cost["step_seconds"] + cost["validation_seconds"])
    assert cost["tokens_per_second"] > 0
    assert 0 <= cost["padding"] < 1
    assert cost["device"] == ("cpu" if not torch.cuda.is_available() else torch.cuda.get_device_name())
    assert cost["threads"] == torch.get_num_threads()
    assert cost["processes"] == 1
    curve = (tmp_path / "curves-cost" / "tokens_per_second.tsv").read_text()
    assert [line.split("\t")[0] for line in curve.splitlines()] == ["step", "2", "4"]
    assert "second" not in (tmp_path / "out" / "training.json").read_text()
    curves = tmp_path / "curves"
    logged = [path.relative_to(curves).as_posix() for path in curves.rglob("*") if path.is_file()]
    assert len(logged) > 2
    assert not [name for name in logged if "cost" in name or "second" in (curves / name).read_text()]


def test_a_log_gets_lines_with_the_time_to_go_and_the_note(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    assert list(progress.track(range(3), "train", note=lambda: "9 tokens/s", unit="steps")) == [0, 1, 2]
    lines = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"train: 1 of 3 steps in \d+ s, \d+ s to go, 9 tokens/s", lines[0])
    list(progress.track(iter("ab"), "clean notes", unit="texts"))
    assert re.fullmatch(r"clean notes: 1 texts in \d+ s", capsys.readouterr().err.splitlines()[0])


def test_a_terminal_gets_a_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert list(progress.track(range(3), "train", note=lambda: "9 tokens/s")) == [0, 1, 2]
    assert "9 tokens/s" in capsys.readouterr().err
    list(progress.track(iter("ab"), "clean notes", unit="texts"))
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert "2 texts" in shown
    assert "?" not in shown


# A library with the names and types of NVML, whose meter is a file.
NVML = """
#include <stdio.h>
#include <string.h>
static int begun = 0;
int nvmlInit_v2(void) { begun = 1; return 0; }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
    *device = (void *) 0x123456789abcLL;  /* wider than an int */
    return begun && strcmp(uuid, "GPU-abc") == 0 ? 0 : 6;
}
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules) {
    FILE *meter = fopen("METER", "r");
    int read = fscanf(meter, "%llu", millijoules);
    fclose(meter);
    return read == 1 && device == (void *) 0x123456789abcLL ? 0 : 999;
}
"""


@pytest.fixture
def driver(tmp_path: Path) -> tuple[Path, Path]:
    """A compiled stand-in for the driver's library, and the file that is its meter."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    source, library, meter = (tmp_path / name for name in ("nvml.c", "libnvml.so", "meter"))
    source.write_text(NVML.replace("METER", str(meter)))
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return library, meter


def test_energy_is_what_the_drivers_nvml_counts(
    driver: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu, (library, meter), uuid, real = torch.device("cuda", 0), driver, ["abc"], ctypes.CDLL
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: SimpleNamespace(uuid=uuid[0]))
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: 0)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: {"libnvidia-ml.so.1": real(str(library))}[name])
    cost_module._nvml.cache_clear()
    meter.write_text("5000000000")  # more than 32 bits
    assert energy(CPU) is None
    assert energy(gpu) == 5_000_000
    cost = Cost()
    cost.read_meter(gpu)
    meter.write_text("5000002500")
    assert cost.rates(gpu)["energy_joules"] == 2.5
    meter.write_text("5000003500")
    assert cost.rates(gpu)["energy_joules"] == 3.5
    uuid[0] = "old"
    assert energy(gpu) is None
    cost_module._nvml.cache_clear()


def test_without_nvml_there_is_no_energy(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: 0)
    cost_module._nvml.cache_clear()
    assert energy(torch.device("cuda", 0)) is None
    assert "energy_joules" not in Cost().rates(torch.device("cuda", 0))
    cost_module._nvml.cache_clear()


def test_padding_is_of_the_tokens_of_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.training.cost.all_reduce_sum", lambda values, device: [30.0, 40.0, 0.0])
    cost = Cost(step_seconds=2.0, examples=6, tokens=10, padded_tokens=20)
    rates = cost.rates(torch.device("cpu"))
    assert rates["padding"] == pytest.approx(0.25)
    assert rates["tokens_per_second"] == pytest.approx(15)
    assert rates["examples_per_second"] == pytest.approx(3)


def test_a_meter_that_starts_anew_takes_nothing_from_what_was_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As when the driver is loaded again."""
    read = iter([100.0, 130.0, 5.0, 7.0])
    monkeypatch.setattr("pipeline.training.cost.energy", lambda device: next(read))
    cost = Cost()
    for _ in range(4):
        cost.read_meter(CPU)
    assert cost.joules == 30 + 0 + 2
