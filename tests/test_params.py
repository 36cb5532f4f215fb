"""params.yaml is checked whole, and what is wrong is named."""

import math
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from pipeline.core.errors import SynsemError
from pipeline.core.own_yaml import read_own
from pipeline.params import DEFAULTS, REMOVED, RENAMED, load, names, or_defaults, parse, read_yaml

ROOT = Path(__file__).parent.parent


@pytest.fixture
def raw() -> dict:
    return read_own(ROOT / "params.yaml")


def test_the_default_file_is_valid() -> None:
    params = load(ROOT / "params.yaml", "train", "encoder")
    assert vars(params).keys() == {"train", "encoder"}


def test_an_unknown_key_is_named_with_the_nearest_known_one(raw: dict) -> None:
    raw["train"]["tua"] = raw["train"].pop("tau")
    with pytest.raises(SynsemError, match=r"train\.tua: unknown; did you mean train\.tau\?") as failure:
        parse(raw)
    assert "train.tau: missing" in str(failure.value)
    assert "\n" not in str(failure.value)


def test_an_unknown_key_of_a_part_that_may_be_null_is_named_too(raw: dict) -> None:
    raw["encoder"]["sketch"]["wieght"] = raw["encoder"]["sketch"].pop("weight")
    with pytest.raises(
        SynsemError, match=r"encoder\.sketch\.wieght: unknown; did you mean encoder\.sketch\.weight"
    ):
        parse(raw)


def test_an_unknown_section_is_named(raw: dict) -> None:
    raw["trian"] = {}
    with pytest.raises(SynsemError, match=r"trian: unknown; did you mean train\?"):
        parse(raw)


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("train", "tau", 0.0),
        ("train", "tau", -1.0),
        ("train", "batch_size", 1),
        ("train", "warmup", 1.5),
        ("train", "steps", "many"),
        ("train", "steps", 1.5),
        ("download", "test_fraction", 2.0),
        ("sscp", "bias", "forest"),
        ("simcse", "dropout", 1.0),
        ("parse", "min_words", 0),
    ],
)
def test_a_bad_value_is_named(raw: dict, section: str, key: str, value: object) -> None:
    raw[section][key] = value
    with pytest.raises(SynsemError, match=rf"{section}\.{key}: "):
        parse(raw)


@pytest.mark.parametrize(
    ("section", "key", "name", "said"),
    [
        (None, "systems", "sccp", "systems: 'sccp' is unknown; did you mean sscp?"),
        (
            "evaluate",
            "tasks",
            "retreival",
            "evaluate.tasks: 'retreival' is neither a task nor in download",
        ),
        (
            "augment",
            "transformations",
            "pasive",
            "augment.transformations: 'pasive' is unknown; did you mean",
        ),
        (
            "augment",
            "transformations",
            "__init__",
            "augment.transformations: '__init__' is unknown; ",
        ),
    ],
)
def test_a_name_is_judged_before_the_first_stage(
    raw: dict, section: str | None, key: str, name: str, said: str, tmp_path: Path
) -> None:
    """Not by the stage that reads it, hours later: whatever section a stage asks for, all are checked."""
    values = raw[section] if section else raw
    values[key] = [*values[key], name]
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(raw))
    with pytest.raises(SynsemError, match=re.escape(said)):
        load(path, "download")


@pytest.mark.parametrize(
    "name",
    [
        *("retrieval", "sts", "paws", "projection", "matching", "contrast_mine"),
        *("probe", "probe-mine", "syntax", "variants"),
    ],
)
def test_a_benchmark_of_your_own_is_not_called_as_something_else(raw: dict, name: str) -> None:
    shipped = "pipeline/evaluation/tasks/contrast_set.tsv"
    for entry in (f"data/own/{name}.csv", f"data/own/{name}"):
        raw["download"]["benchmarks"] = [shipped, entry]
        said = f"download.benchmarks: {entry}: results have '{name}' for something else; rename the file"
        with pytest.raises(SynsemError, match=re.escape(said)):
            parse(raw)
    raw["download"]["benchmarks"] = [shipped, f"data/own/{name}-wiki.csv"]
    with pytest.raises(SynsemError, match=rf"results have '{re.escape(name)}' for something else"):
        parse(raw)
    raw["download"]["benchmarks"] = [shipped, "data/own/mine.csv", "trec"]
    parse(raw)


@pytest.mark.parametrize("other", ["data/own/x-wiki.csv", "elsewhere/x-wiki"])
def test_two_benchmarks_of_one_name_in_the_results_are_refused(raw: dict, other: str) -> None:
    raw["download"]["benchmarks"] = ["data/own/x.csv", other]
    said = "download.benchmarks: data/own/x.csv: results have 'x' for something else; rename the file"
    with pytest.raises(SynsemError, match=re.escape(said)):
        parse(raw)
    raw["download"]["benchmarks"] = [other]
    parse(raw)


def test_of_an_unknown_system_one_thing_is_said(raw: dict) -> None:
    """And not, too, that its folder lacks a file."""
    with pytest.raises(SynsemError) as failure:
        parse(raw | {"systems": ["sscp", "sccp"]})
    assert str(failure.value) == "params.yaml: systems: 'sccp' is unknown; did you mean sscp?"


def test_a_benchmark_is_a_task_where_it_is_downloaded(raw: dict) -> None:
    raw["evaluate"]["tasks"] = ["stsb"]
    with pytest.raises(SynsemError, match=r"'stsb' is neither"):
        parse(raw)
    for profile, benchmarks, name in (
        ("mirror", None, "stsb"),
        ("starter", ["stsb"], "stsb"),
        ("starter", ["paws-x"], "paws-x-fr"),
        ("starter", ["pairs:data/own/mine.dev.tsv"], "mine"),
        ("starter", ["mine.dev.tsv"], "mine"),
        ("starter", ["conllu:data/own/mine"], "mine"),
        ("starter", None, "contrast_set"),
    ):
        raw["download"] |= {"profile": profile, "benchmarks": benchmarks}
        raw["evaluate"]["tasks"] = [name]
        parse(raw)


def test_the_names_of_tasks_are_those_of_the_plan(raw: dict) -> None:
    from pipeline.evaluation import plan

    named = yaml.safe_load((ROOT / "pipeline/evaluation/tasks.yaml").read_text())
    assert named["corpus"] == list(plan.CORPUS_TASKS)
    assert named["benchmark"] == list(plan.BENCHMARK_TASKS)
    assert list(named["aliases"]) == list(plan.ALIASES)
    raw["evaluate"]["tasks"] = [name for names in named.values() for name in names]
    parse(raw)


@pytest.mark.parametrize("name", ["english", "EN", "", "e", "en-GB"])
def test_a_language_is_named_by_its_code(raw: dict, name: str) -> None:
    """Another name would turn the filter of languages off, and parse would find no model."""
    for section, key in (("download", "language"), ("parse", "benchmark_language")):
        values = raw | {section: raw[section] | {key: name}}
        with pytest.raises(SynsemError, match=rf"{section}\.{key}: must be a language's code of ISO 639"):
            parse(values, section)


def test_codes_of_two_and_three_letters_are_languages(raw: dict) -> None:
    for name in ("en", "no", "grc"):
        assert (
            parse(raw | {"download": raw["download"] | {"language": name}}, "download").download.language
            == name
        )


@pytest.mark.parametrize(
    ("section", "part", "lower", "upper"),
    [
        ("parse", None, "min_words", "max_words"),
        ("download", None, "min_characters", "max_characters"),
        ("mine", "neighbours", "min_score", "max_score"),
        ("mine", "pairs", "min_overlap", "max_overlap"),
    ],
)
def test_an_upper_bound_is_not_below_the_lower_one(
    raw: dict, section: str, part: str | None, lower: str, upper: str
) -> None:
    """Else every text would be dropped, minutes later."""
    home = raw[section] if part is None else raw[section][part]
    whole = isinstance(home[upper], int)
    home[lower], home[upper] = (3, 2) if whole else (0.5, 0.25)
    path = ".".join(filter(None, (section, part, upper)))
    with pytest.raises(SynsemError, match=rf"{path}: must not be below {lower}"):
        parse(raw)
    home[upper] = home[lower]
    parse(raw)


def test_of_the_ranks_of_neighbours_one_at_least_is_left(raw: dict) -> None:
    """``rank_to`` is exclusive: with both the same no example would get a neighbour, and nobody be told."""
    home = raw["mine"]["neighbours"]
    for first, end in ((3, 3), (3, 2)):
        home |= {"rank_from": first, "rank_to": end}
        with pytest.raises(SynsemError) as failure:
            parse(raw)
        assert str(failure.value) == "params.yaml: mine.neighbours.rank_to: must be above rank_from"
    home["rank_to"] = 4
    parse(raw)


def test_a_profile_that_is_none_is_named_and_not_the_tasks_that_it_would_bring(raw: dict) -> None:
    raw["evaluate"]["tasks"] = ["stsb"]
    raw["download"]["profile"] = "mirrror"
    with pytest.raises(SynsemError) as failure:
        parse(raw)
    assert str(failure.value) == ("params.yaml: download.profile: 'mirrror' is unknown; did you mean mirror?")


def test_values_cannot_be_changed() -> None:
    train = load(ROOT / "params.yaml", "train").train
    with pytest.raises(ValueError, match="frozen"):
        train.tau = 1.0


@pytest.mark.parametrize(
    ("text", "value"),
    [("2e-05", 2e-5), ("1E3", 1e3), ("-.5e-1", -0.05), ("2.e+1", 20.0), ("1e", "1e"), ("e5", "e5"), ("3", 3)],
)
def test_a_number_is_one_as_dvc_writes_it(text: str, value: object) -> None:
    assert read_yaml(f"key: {text}") == {"key": value}


@pytest.mark.parametrize(
    ("text", "value"),
    [("no", "no"), ("yes", "yes"), ("on", "on"), ("Off", "Off"), ("y", "y"), ("true", True), ("FALSE", False),
     ("013", 13), ("-7", -7), ("1_000", 1000), ("0o17", 15), ("0x1F", 31), ("12:30", "12:30"),
     ("0b11", "0b11"), ("null", None), ("'7'", "7"), ("1:30.5", "1:30.5"), ("-.5", -0.5), ("+.5", 0.5),
     ("5.", 5.0), ("1_0.5", 10.5), ("1_0e5", 1e6), ("1.5.2", "1.5.2"), ("-.inf", -math.inf)],
)  # fmt: skip
def test_a_value_is_what_dvc_reads(text: str, value: object) -> None:
    """By YAML 1.2: Norwegian's code is no truth value, and a leading zero makes no octal number."""
    found = read_yaml(f"{text}: {text}")
    assert found == {value: value}
    assert type(found[value]) is type(value)


def test_an_experiment_may_set_a_small_number(tmp_path: Path) -> None:
    from dvc.utils.hydra import apply_overrides

    path = tmp_path / "params.yaml"
    path.write_text((ROOT / "params.yaml").read_text())
    apply_overrides(path, ["train.learning_rate=2e-5"])
    assert "learning_rate: 2e-05" in path.read_text()
    assert load(path, "train").train.learning_rate == 2e-5


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SynsemError, match=r"absent\.yaml"):
        load(tmp_path / "absent.yaml", "train")


def test_where_there_is_no_project_the_defaults_stand_in_for_its_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert or_defaults(Path("params.yaml")) == DEFAULTS
    assert load(or_defaults(Path("params.yaml")), "train").train.steps > 0
    assert or_defaults(Path("other.yaml")) == Path("other.yaml")  # asked for by name, and missing
    Path("params.yaml").write_text("train: {}\n")
    assert or_defaults(Path("params.yaml")) == Path("params.yaml")


def test_a_section_that_is_none_is_named() -> None:
    with pytest.raises(SynsemError, match=r"params\.yaml: has no section 'trian'; known: systems, seeds, "):
        load(ROOT / "params.yaml", "train", "trian")


@pytest.mark.parametrize(
    ("line", "again", "key"),
    [
        ("  sources: null", "  sources: [abc]", "download.sources"),
        ("  tau: 0.05", "  'tau': 0.1", "train.tau"),
        ("report:", "report:", "report"),
    ],
)
def test_a_key_that_stands_twice_is_named_with_its_lines(
    tmp_path: Path, line: str, again: str, key: str
) -> None:
    """YAML's last one would win in silence; of a section that is all that the first one had."""
    lines = (ROOT / "params.yaml").read_text().splitlines()
    at = next(number for number, each in enumerate(lines) if each.startswith(line))
    end = len(lines) if again == "report:" else at + 1
    lines.insert(end, again)
    path = tmp_path / "params.yaml"
    path.write_text("\n".join(lines))
    with pytest.raises(SynsemError) as failure:
        load(path, "train")
    assert str(failure.value) == f"{path}: {key}: stands twice (lines {at + 1} and {end + 1}); remove one"


def test_a_key_may_stand_in_several_sections_and_values_may_be_shared() -> None:
    text = "a: &a {x: 1, y: [{x: 1}, {x: 2}]}\nb: {x: *a}\nc: {<<: *a, x: 2}\n? [1, 2]\n: d\n"
    with pytest.raises(yaml.YAMLError, match="unhashable"):
        read_yaml(text)
    assert read_yaml(text.partition("?")[0])["c"]["x"] == 2
    loop = read_yaml("&a {b: *a}")
    assert loop["b"] is loop
    with pytest.raises(yaml.YAMLError, match=r"a\.1\.x: stands twice \(lines 3 and 4\)"):
        read_yaml("a:\n- 1\n- x: 1\n  x: 1\n")


@pytest.mark.parametrize(
    ("section", "key", "double"),
    [
        (None, "systems", "sscp"),
        (None, "seeds", 13),
        ("evaluate", "tasks", "probes"),
        ("evaluate", "probe_classifiers", "mlp"),
        ("augment", "transformations", "passive"),
        ("download", "sources", "abc"),
        ("download", "benchmarks", "stsb"),
        ("mine.upos", "sources", "fr"),
        ("mine.upos", "targets", "fr"),
    ],
)
def test_what_a_list_names_twice_is_said(raw: dict, section: str | None, key: str, double: object) -> None:
    where = f"{section}.{key}" if section else key
    parse(changed(raw, where, [double]))
    with pytest.raises(SynsemError) as failure:
        parse(changed(raw, where, [double, double]))
    assert str(failure.value) == f"params.yaml: {where}: names {double!r} twice; remove one"


@pytest.mark.parametrize("value", [".inf", "-.inf", ".nan"])
def test_a_number_that_is_not_finite_is_refused_in_every_section(raw: dict, value: str) -> None:
    number = read_yaml(value)

    def floats(values: dict, prefix: str = "") -> Iterator[tuple[dict, str, str]]:
        for key, each in values.items():
            if isinstance(each, dict):
                yield from floats(each, f"{prefix}{key}.")
            elif isinstance(each, float):
                yield values, key, prefix + key

    found = list(floats(raw))
    assert len(found) > 20
    for values, key, name in found:
        before, values[key] = values[key], number
        with pytest.raises(SynsemError, match=f"params.yaml: {name}: "):
            parse(raw)
        values[key] = before


def changed(raw: dict, key: str, value: object) -> dict:
    """The parameters with another value under a dotted key."""
    *above, last = key.split(".")
    section = raw
    for part in above:
        section = section[part]
    section[last] = value
    return raw


@pytest.mark.parametrize(
    ("key", "taken", "refused"),
    [
        ("simcse.dropout", (0.0, 0.99), (-0.01, 1.0)),
        ("download.near_duplicate", (0.5, 1.0, None), (0.49, 1.01)),
        ("mine.pairs.min_length_ratio", (0.0, 1.0), (-0.01, 1.01)),
        ("mine.pairs.share", (0.0, 0.99), (-0.01, 1.0)),
        ("mine.kind_share", (1e-9, 1.0, None), (0.0, 1.01)),
        ("mine.synsem.alternations", (0.0, 0.99), (-0.01, 1.0)),
        ("train.weight_decay", (0.0, 2.0, 2), (-0.01,)),
        ("mine.hard_negatives", (0, 9), (-1, 0.5)),
        ("mine.seed", (0, 2**32 - 1), (-1, 2**32)),
        ("report.seed", (0,), (-1, 10**30)),
        ("evaluate.seed", (0,), (2**32,)),
        ("synsem.dimensions", (1, 2**16), (0, 2**16 + 1)),
        ("encoder.sketch.dimensions", (1,), (10**12,)),
        ("train.tau", (1e-9, 9), (1e-10, 1e-30, 0.0, "0.1", True)),
        ("synsem.tau", (1e-9, 9), (1e-10, 0.0)),
        ("mine.neighbours.margin", (0.0, 1.0), (-0.01, 1.01)),
        ("mine.neighbours.min_score", (-1.0, 0.85), (-1.01,)),
        ("mine.neighbours.max_score", (0.3, 1.0), (1.01,)),
        ("train.patience", (1,), (0, 1.0, "1", True)),
        ("train.batch_size", (2,), (1,)),
        ("train.steps", (1, 10**9), (0, 10**9 + 1)),
        ("train.evaluate_every", (1, 5, 0.001, 0.999), (0, 0.0, 1.0, True, None)),
        ("train.compile", (True, False), (1, "yes", None)),
        ("encoder.max_tokens", (3,), (2,)),
        ("cssl.max_tokens", (3,), (2,)),
        ("ebsim.max_tokens", (8,), (7,)),
        ("parabart.decoder_subwords", (4, None), (3,)),
        ("report.bootstrap_draws", (100,), (99,)),
        ("download.documents", (1, "all", None), (0, "most", True, 1.0)),
    ],
)
def test_a_number_at_the_end_of_its_range_is_taken_and_one_beyond_is_not(
    raw: dict, key: str, taken: tuple, refused: tuple
) -> None:
    for value in taken:
        parse(changed(raw, key, value))
    for value in refused:
        with pytest.raises(SynsemError, match=rf"^params\.yaml: {re.escape(key)}: [a-z]"):
            parse(changed(raw, key, value))


def test_a_key_in_the_wrong_section_is_told_its_place_and_one_like_no_other_to_go(raw: dict) -> None:
    raw["download"]["patience"] = 3
    raw["train"]["zzz"] = 1
    raw["nonesuch"] = {}
    with pytest.raises(SynsemError) as failure:
        parse(raw)
    assert set(str(failure.value).removeprefix("params.yaml: ").split("; ")) >= {
        "download.patience: unknown", "did you mean train.patience?",
        "train.zzz: unknown", "remove it", "nonesuch: unknown",
    }  # fmt: skip
    assert str(failure.value).count("remove it") == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty; take the one that came with the code and change that"),
        (b"# nothing yet\n", "is empty; take the one that came with the code and change that"),
        (b"- train\n", "must be a mapping of sections, such as 'train:'"),
        (b"just words", "must be a mapping of sections, such as 'train:'"),
        (b"train: {name: caf\xe9}\n", "not valid YAML ("),
        (b"train: 2001-02-30\n", "not valid YAML (day is out of range for month)"),
        (b"train: " + b"[" * 20_000, "not valid YAML ("),
        (b"train: [\n", "not valid YAML ("),
        (None, "cannot be read (Is a directory); run in the project's folder or pass --params"),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_parameters_is_said_what_it_is(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    path = tmp_path / "params.yaml"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(SynsemError) as failure:
        load(path, "train")
    assert str(failure.value).startswith(f"{path}: {said}")
    assert "\n" not in str(failure.value)


def test_a_list_may_not_repeat_what_is_not_its_first_entry(raw: dict) -> None:
    with pytest.raises(SynsemError, match="seeds: names 3 twice; remove one"):
        parse(raw | {"seeds": [1, 2, 3, 3]})


@pytest.mark.parametrize("old", sorted(RENAMED))
def test_an_old_key_is_told_its_new_name_alone(raw: dict, old: str) -> None:
    *above, name = old.split(".")
    *_, new = RENAMED[old].split(".")
    section = raw
    for part in above:
        section = section[part]
    section[name] = section.pop(new)
    with pytest.raises(SynsemError) as failure:
        parse(raw)
    assert str(failure.value) == f"params.yaml: {old}: renamed to {RENAMED[old]}"


@pytest.mark.parametrize("old", sorted(REMOVED))
def test_a_removed_key_is_told_so(raw: dict, old: str) -> None:
    *above, name = old.split(".")
    section = raw
    for part in above:
        section = section.setdefault(part, {})
    section[name] = None
    with pytest.raises(SynsemError, match=rf"{re.escape(old)}: is no option any more; remove it"):
        parse(raw)


@pytest.mark.parametrize("value", [0, -5, "most", 1.5])
def test_a_value_of_several_types_is_one_complaint_without_their_names(raw: dict, value: object) -> None:
    raw["download"]["documents"] = value
    with pytest.raises(SynsemError) as failure:
        parse(raw)
    assert str(failure.value) == (
        "params.yaml: download.documents: must be a whole number of 1 or more, 'all' or null"
    )


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("train", None, "must be a mapping of keys; take the one that came with the code and change that"),
        ("mine.pairs", [], "must be a mapping of keys; take the one that came with the code and change that"),
        (
            "encoder.sketch",
            3,
            "must be a mapping of keys; take the one that came with the code and change that",
        ),
        ("systems", [], "has no entry; give one or more"),
        ("parse.models", {}, "has no entry; give one or more"),
        ("download.sources", [], "has no entry; give one or more"),
        ("mine.upos.sources", [], "has no entry; give one or more"),
        ("mine.upos.targets", [], "has no entry; give one or more"),
        ("evaluate.probe_classifiers", [], "has no entry; give one or more"),
    ],
)
def test_a_section_or_list_without_content_is_said_in_words_of_the_file(
    raw: dict, key: str, value: object, said: str
) -> None:
    with pytest.raises(SynsemError) as failure:
        parse(changed(raw, key, value))
    assert str(failure.value) == f"params.yaml: {key}: {said}"


@pytest.mark.parametrize("name", ["", "  ", "spacy:", "biaffine: "])
def test_a_model_without_a_name_is_refused_by_its_language(raw: dict, name: str) -> None:
    """The empty path is the working directory, so it would be taken for the folder of a pipeline."""
    raw["parse"]["models"]["fr"] = name
    with pytest.raises(SynsemError) as failure:
        parse(raw)
    assert str(failure.value) == (
        "params.yaml: parse.models.fr: must name a package or folder, alone or after BACKEND:, such as"
        " stanza:default"
    )


def test_dev_and_test_leave_a_share_to_train_on(raw: dict) -> None:
    raw["download"] |= {"dev_fraction": 0.9, "test_fraction": 0.1}
    with pytest.raises(
        SynsemError,
        match=r"download\.test_fraction: together with download\.dev_fraction it must stay below 1",
    ):
        parse(raw)
    raw["download"]["test_fraction"] = 0.05
    assert parse(raw).download.dev_fraction == 0.9


def test_a_system_without_a_file_for_its_examples_is_named_at_once(
    raw: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the stage mine would be the first to miss it, after hours of parsing."""
    library = tmp_path / "pipeline"
    shutil.copytree(ROOT / "pipeline", library, ignore=shutil.ignore_patterns("__pycache__"))
    (library / "systems" / "half").mkdir()
    (library / "systems" / "half" / "model.py").touch()
    monkeypatch.setattr(names, "_LIBRARY", library)
    raw["systems"] = ["synsem", "half"]
    with pytest.raises(SynsemError, match=r"systems: 'half' has no pipeline/systems/half/mining\.py"):
        parse(raw)
    (library / "systems" / "half" / "mining.py").touch()
    parse(raw)
