"""The contrast sets as a task of MTEB: average precision by set and by phenomenon.

    python benchmarks/mteb_contrast.py my-model sentence-transformers/all-MiniLM-L6-v2 --sets blind_7,blind_8

needs `pip install mteb`; this file and data/contrast/contrast.tsv are all it reads. From Python:

    mteb.evaluate(model, Contrast().only("blind_8"), cache=None)

The main score is MTEB's ``similarity_ap``: pairs ranked by the model's own similarity, which is the cosine
unless the model defines another. ``scores["phenomena"]`` has the same for each phenomenon. Each set is a
subset. Without ``cache=None``, MTEB gives the results of one local model to another of the same folder name.
"""

import csv
import hashlib
from pathlib import Path
from typing import Annotated, Any

import mteb
import numpy as np
import typer
from datasets import Dataset, DatasetDict
from mteb.abstasks.pair_classification import AbsTaskPairClassification
from sklearn.metrics import average_precision_score

FILE = Path(__file__).parents[1] / "data" / "contrast" / "contrast.tsv"
SETS = ("handwritten", "development", "typed", *(f"blind_{number}" for number in range(1, 11)))


class Contrast(AbsTaskPairClassification):
    """Pairs of sentences of the same words: do they mean the same, or has something changed places?"""

    metadata = mteb.TaskMetadata(
        name="SynSemContrast",
        description="Do two sentences of nearly the same words mean the same? Thirteen sets of pairs.",
        dataset={"path": str(FILE), "revision": hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]},
        type="PairClassification",
        category="t2t",
        eval_splits=["test"],
        eval_langs={name: ["eng-Latn"] for name in SETS},
        main_score="similarity_ap",
        domains=["Constructed", "Written"],
        license="apache-2.0",
        annotations_creators="derived",
        dialect=[],
        sample_creation="created",
        bibtex_citation="",
    )

    def only(self, *sets: str) -> "Contrast":
        """Restrict the task to some sets and return it; ValueError for an unknown one."""
        if unknown := [name for name in sets if name not in SETS]:
            raise ValueError(f"no such set: {', '.join(unknown)}; the sets are {', '.join(SETS)}")
        self.hf_subsets = list(sets)
        return self

    def load_data(self, *_: Any, **__: Any) -> None:
        """Read the sets; ``labels`` is 1 for pairs that mean the same."""
        with FILE.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
        self.dataset = {name: self._split([row for row in rows if row["set"] == name]) for name in SETS}
        self.data_loaded = True

    @staticmethod
    def _split(rows: list[dict[str, str]]) -> DatasetDict:
        columns = {"sentence1": "a", "sentence2": "b", "phenomenon": "phenomenon"}
        values: dict[str, list] = {name: [row[key] for row in rows] for name, key in columns.items()}
        values["labels"] = [int(row["meaning"] == "same") for row in rows]
        return DatasetDict(test=Dataset.from_dict(values))

    def _evaluate_subset(self, model: Any, data_split: Dataset, **options: Any) -> dict[str, Any]:
        self._phenomena = data_split["phenomenon"]
        return super()._evaluate_subset(model, data_split, **options)

    def _compute_metrics(self, similarity_scores: Any, labels: list[int]) -> dict[str, Any]:
        scores: dict[str, Any] = super()._compute_metrics(similarity_scores, labels)
        of, truth = np.array(self._phenomena), np.array(labels)
        found = np.array(similarity_scores["similarity_scores"])
        scores["phenomena"] = {
            name: float(average_precision_score(truth[of == name], found[of == name]))
            for name in np.unique(of)
        }
        return scores


def main(
    models: Annotated[list[str], typer.Argument(help="Folders or names that SentenceTransformer opens.")],
    sets: Annotated[str, typer.Option(help="Sets of contrast.tsv, separated by commas.")] = ",".join(SETS),
    out: Annotated[Path | None, typer.Option(help="Folder for MTEB's results, one file per model.")] = None,
) -> None:
    """Print each model's average precision by set and phenomenon, as tab-separated values."""
    from sentence_transformers import SentenceTransformer

    columns: list[dict[str, float]] = []
    for number, name in enumerate(models, 1):
        model = SentenceTransformer(name, trust_remote_code=True)
        task = Contrast().only(*sets.split(","))
        [result] = mteb.evaluate(model, task, cache=None, show_progress_bar=False).task_results
        if out:
            out.mkdir(parents=True, exist_ok=True)
            result.to_disk(out / f"{number}-{Path(name).name}.json")
        columns.append({})
        for scores in result.scores["test"]:
            found = {"all": scores["main_score"], **scores["phenomena"]}
            columns[-1] |= {f"{scores['hf_subset']}\t{phenomenon}": ap for phenomenon, ap in found.items()}
    print("set", "phenomenon", *models, sep="\t")
    for row in columns[0]:
        print(row, *(f"{100 * column[row]:.1f}" for column in columns), sep="\t")


if __name__ == "__main__":
    typer.run(main)
