"""Parsed shards as CoNLL-U files, for other tools to read."""

from pathlib import Path

from pipeline.errors import SynsemError
from pipeline.parsing.conllu import lines
from pipeline.sentences import Sentence
from pipeline.store import read_file, shards


def export_conllu(parsed: Path, out: Path) -> int:
    """Write ``out/part-00000.conllu`` for each ``part-00000.arrow``; returns the sentences written.

    Raises SynsemError where the folder has no shard or the disk is full.
    """
    written = 0
    out.mkdir(parents=True, exist_ok=True)
    for path in shards(parsed):
        target = out / f"{path.stem}.conllu"
        partial = target.with_name(target.name + ".partial")
        try:
            with partial.open("w", encoding="utf-8", newline="\n") as stream:
                for batch in read_file(path).to_batches(max_chunksize=1024):
                    for row in batch.to_pylist():
                        sentence = Sentence.from_row(row)
                        stream.writelines(
                            line + "\n" for line in lines(row["sent_id"], row["text"], sentence)
                        )
                        written += 1
            partial.replace(target)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise SynsemError(f"{target}: could not be written ({error.strerror}); free space") from error
    return written
