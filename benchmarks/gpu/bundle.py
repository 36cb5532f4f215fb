"""What a GPU machine without a network is given, in one folder that is small enough to carry.

Arrow files are written in small record batches and compressed as one stream each: the sides of an example
repeat each other, which compression by column would not see. Weights are float16, high and low bytes apart.
Examples made of frames are not carried: they are drawn again when the bundle is unpacked.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import yaml
from numpy.typing import NDArray

from pipeline.core import store
from pipeline.core.atomic import demand_own
from pipeline.core.errors import SynsemError
from pipeline.params import load
from pipeline.systems.synsem.alternations.drawn import KIND as ALTERNATION
from pipeline.systems.synsem.alternations.examples import with_alternations

MIB = 2**20
# Benchmarks in a test split that are development data all the same (docs/contrast-sets.md).
DEVELOPMENT = ("contrast_set", "development_set")
HELD_OUT = 2000  # sentences of the corpus's test split, as many as the probes read; examples need the room
_BATCH = 250  # rows that are compressed side by side
_SUFFIX = ".zst"
_WEIGHTS = "model.safetensors"
# What a box with torch and transformers may lack for training any system; the versions are resolved here.
WHEELS = ("pydantic", "pydantic-core", "annotated-types", "typing-inspection", "sentencepiece")


class Bundle(NamedTuple):
    """An unpacked bundle."""

    folder: Path

    @property
    def params(self) -> Path:
        """params.yaml, whose ``encoder.model`` is the backbone beside it."""
        return self.folder / "params.yaml"

    @property
    def triplets(self) -> Path:
        """As ``data/triplets/synsem``."""
        return self.folder / "triplets"

    def whole_trees(self) -> Path:
        """The examples that are not made of frames, whose trees link content words alone; written once."""
        folder = self.folder / "whole-trees"
        if not folder.exists():
            store.write_table(store.shard_path(folder, 0), of_text(store.read(self.triplets)))
        return folder

    def data(self, name: str) -> Path:
        """``parsed``, ``augmented`` or ``benchmarks``, as in ``data``."""
        return self.folder / name


def pack(
    out: Path, params: Path, triplets: Path, data: Path, mebibytes: float, python: str | None, level: int
) -> dict[str, Any]:
    """Write the bundle; the examples of text are as many as there is room for. Returns what is in it.

    Where examples are made of frames, its params.yaml keeps their share and seed, to draw them again.
    ``python``: also wheels for that version on Linux x86-64, from the package index. Raises SynsemError where
    not even the rest has room, and where the folder holds anything but an earlier bundle.
    """
    demand_own(out, "params.yaml", "backbone", "parsed", "wheels", f"*.arrow{_SUFFIX}")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    values = yaml.safe_load(params.read_text())
    pack_backbone(values["encoder"]["model"], out / "backbone", level)
    values["encoder"]["model"] = "backbone"
    everything = store.read(triplets)
    examples = of_text(everything)
    if examples.num_rows == everything.num_rows:
        values["mine"]["synsem"]["alternations"] = 0.0
    (out / "params.yaml").write_text(yaml.safe_dump(values))
    tables = development_data(data)
    for name, table in tables.items():
        write_table(out / f"{name}.arrow{_SUFFIX}", table, level)
    if python is not None:
        fetch_wheels(out / "wheels", python)
    room = int(mebibytes * MIB) - sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    kept = pack_examples(out / f"triplets.arrow{_SUFFIX}", examples, room, level)
    sizes = {
        path.relative_to(out).as_posix(): path.stat().st_size for path in out.rglob("*") if path.is_file()
    }
    return {
        "mebibytes": round(sum(sizes.values()) / MIB, 2),
        "examples": {"kept": kept, "of": examples.num_rows},
        "rows": {name: table.num_rows for name, table in tables.items()},
        "bytes": sizes,
    }


def development_data(data: Path) -> dict[str, pa.Table]:
    """What evaluation reads in a folder like ``data``, without the tests of benchmarks; by folder."""
    benchmarks = store.read(data / "benchmarks")
    task, split = (benchmarks.column(name).cast(pa.string()) for name in ("task", "split"))
    keep = pc.or_(pc.not_equal(split, "test"), pc.is_in(task, pa.array(DEVELOPMENT)))
    benchmarks = benchmarks.filter(keep)
    sides = (text for side in ("a", "b") for text in benchmarks.column(side).to_pylist())
    texts = pa.array({text for text in sides if text is not None}, pa.string())  # there may be none
    parsed = store.read(data / "parsed" / "benchmarks")
    corpus, variants = store.read(data / "parsed" / "corpus"), store.read(data / "augmented")
    held_out = corpus.filter(pc.equal(corpus.column("split").cast(pa.string()), "test"))
    held_out = held_out.take(evenly(held_out.num_rows, HELD_OUT))
    return {
        "benchmarks": benchmarks,
        "parsed/benchmarks": parsed.filter(pc.is_in(parsed.column("text"), texts)),
        "parsed/corpus": held_out,
        "augmented": variants.filter(pc.is_in(variants.column("source_id"), held_out.column("sent_id"))),
    }


def pack_backbone(model: str, folder: Path, level: int) -> None:
    """Configuration, tokenizer and float16 weights of a backbone."""
    import torch
    from safetensors.torch import save_file

    from pipeline.nn import backbone

    found = backbone.load(model)
    folder.mkdir()
    found.model.config.save_pretrained(str(folder))
    found.tokenizer.save_pretrained(str(folder))
    weights = {
        name: value.to(torch.float16) if value.is_floating_point() else value
        for name, value in found.model.state_dict().items()
    }
    path = folder / _WEIGHTS
    save_file(weights, str(path), metadata={"format": "pt"})
    content = np.fromfile(path, dtype=np.uint8)
    path.unlink()
    # Of even length: two bytes a weight, after a header whose length is a multiple of eight.
    planes = np.ascontiguousarray(content.reshape(-1, 2).T)
    compress(path.with_name(_WEIGHTS + _SUFFIX), planes.tobytes(), level)


def pack_examples(path: Path, examples: pa.Table, room: int, level: int) -> int:
    """Write as many examples as fit ``room`` bytes, evenly drawn, in order; their number."""
    count = examples.num_rows
    sample = evenly(count, 2000)
    each = len(compressed(stream(examples.take(sample)), level)) / len(sample)
    while room > 0 and count:
        count = min(count, int(room / each))
        packed = compressed(stream(examples.take(evenly(examples.num_rows, count))), level)
        if len(packed) <= room:
            path.write_bytes(packed)
            return count
        each = max(each, len(packed) / count) * 1.02
    raise SynsemError("--mebibytes: no room for training examples; raise it")


def evenly(count: int, wanted: int) -> NDArray[np.int64]:
    """At most ``wanted`` of ``count`` rows, as far apart as can be, int64."""
    return np.unique(np.linspace(0, count - 1, min(count, wanted)).round().astype(np.int64))


def fetch_wheels(folder: Path, python: str) -> None:
    """Download the wheels of what a box may lack; SynsemError where that fails."""
    from importlib.metadata import version

    wanted = [f"{name}=={version(name)}" for name in WHEELS]
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
        "--python-version", python, "--implementation", "cp", "--platform", "manylinux_2_17_x86_64",
        "--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_28_x86_64",
        "--dest", str(folder), *wanted,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SynsemError(
            f"--wheels: pip could not download {', '.join(wanted)} ({done.stderr.strip().splitlines()[-1]}); "
            "try again, or leave the option out"
        )


def of_text(examples: pa.Table) -> pa.Table:
    """The examples that are not made of frames."""
    kinds = examples.column("positive_kind").cast(pa.string())
    return examples.filter(pc.not_equal(kinds, ALTERNATION))


def draw_frames(bundle: Bundle) -> None:
    """Put examples made of frames between those of text, as the stage ``mine`` does."""
    mine = load(bundle.params, "mine").mine
    if mine.synsem.alternations:
        examples = store.read(bundle.triplets)
        rows = with_alternations(examples.to_pylist(), mine.synsem.alternations, mine.seed)
        shutil.rmtree(bundle.triplets)
        table = pa.Table.from_pylist(list(rows), examples.schema)
        store.write_table(store.shard_path(bundle.triplets, 0), table)


def unpack(bundle: Path, home: Path) -> Bundle:
    """The bundle as plain files below ``home``, written anew; SynsemError where there is none.

    A bundle that is unpacked already is taken as it is.
    """
    if Bundle(bundle).triplets.is_dir():
        return Bundle(bundle)
    if not (bundle / "params.yaml").exists():
        raise SynsemError(f"{bundle}: no bundle; run `python -m benchmarks.gpu prepare` first")
    shutil.rmtree(home, ignore_errors=True)
    for path in sorted(each for each in bundle.rglob("*") if each.is_file()):
        target = home / path.relative_to(bundle)
        if path.name.endswith(".arrow" + _SUFFIX):  # NAME.arrow.zst is the folder NAME
            target = store.shard_path(target.with_name(target.name.removesuffix(".arrow" + _SUFFIX)), 0)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(decompressed(path))
        elif path.name == _WEIGHTS + _SUFFIX:
            target.parent.mkdir(parents=True, exist_ok=True)
            planes = np.frombuffer(decompressed(path), dtype=np.uint8).reshape(2, -1)
            content = np.ascontiguousarray(planes.T).tobytes()
            target.with_name(_WEIGHTS).write_bytes(content)
        elif path.suffix != ".whl":
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    found = Bundle(home)
    values = yaml.safe_load(found.params.read_text())
    values["encoder"]["model"] = str(home / "backbone")
    found.params.write_text(yaml.safe_dump(values))
    draw_frames(found)
    return found


def stream(table: pa.Table) -> bytes:
    """A table as an Arrow IPC file of small record batches."""
    table = table.combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        for start in range(0, table.num_rows, _BATCH):
            # Taken, not sliced: a slice of nested columns would be written with what it leaves out.
            rows = np.arange(start, min(start + _BATCH, table.num_rows))
            writer.write_table(table.take(rows))
    return bytes(sink.getvalue())


def write_table(path: Path, table: pa.Table, level: int) -> None:
    """``compress`` of ``stream``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    compress(path, stream(table.unify_dictionaries()), level)


def compressed(content: bytes, level: int) -> bytes:
    """One Zstandard frame, after its content's length in eight bytes."""
    return len(content).to_bytes(8, "little") + pa.Codec("zstd", level).compress(content, asbytes=True)


def compress(path: Path, content: bytes, level: int) -> None:
    """Write ``compressed`` to a file."""
    path.write_bytes(compressed(content, level))


def decompressed(path: Path) -> bytes:
    """The content of a file that ``compress`` wrote; SynsemError where it is damaged."""
    content = path.read_bytes()
    try:
        plain: bytes = pa.Codec("zstd").decompress(
            content[8:], decompressed_size=int.from_bytes(content[:8], "little"), asbytes=True
        )
    except (pa.ArrowException, OSError) as error:
        raise SynsemError(
            f"{path}: damaged ({error}); run `python -m benchmarks.gpu prepare` again"
        ) from error
    return plain
