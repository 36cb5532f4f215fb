"""Each layout on a hand-made file whose records are known."""

import io
import tarfile
from pathlib import Path

import conllu
import pytest

from pipeline.core.errors import SynsemError
from pipeline.corpora.files import Document, Input, Part
from pipeline.corpora.readers import reader
from pipeline.corpora.readers.text import is_heading


@pytest.fixture
def read(tmp_path: Path):
    def records(how: str, *texts: str, roles: tuple[str, ...] = ("",), **options: object) -> list[Document]:
        inputs = {}
        for role, text in zip(roles, texts, strict=True):
            path = tmp_path / f"file{role}"
            path.write_text(text, encoding="utf-8", newline="")
            inputs[role] = Input(path, path.name)
        return list(reader(how)(Part(inputs, options)))

    return records


def sentence(text: str, b: str | None = None, **more: object) -> Document:
    return Document(text, b, presplit=True, **more)


PAIRS = {
    "stsb": (
        'main-news\tf\t2012\t1\t3.800\tA "b.\tC d.\n',
        sentence('A "b.', "C d.", score=3.8, subset="main-news"),
    ),
    "paws": ("id\tsentence1\tsentence2\tlabel\n1\tA b\tB a\t1\r\n", sentence("A b", "B a", label="1")),
    "mrpc": (
        '\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t70\t71\t"A b"\tB "a.\r\n',
        sentence('"A b"', 'B "a.', label="1"),
    ),
    "labelled_pairs": ("一 二\t二 一\t0\n", sentence("一 二", "二 一", label="0")),
    "qqp": ("1\tWhy?\tHow?\t12\n", sentence("Why?", "How?", label="1")),
    "trec": ("HUM:ind Who was first ?\n", sentence("Who was first ?", label="HUM")),
    "pairs": ("Hi.\tHoi.\tCC-BY 2.0\n", sentence("Hi.", "Hoi.")),
    "captions": ("9.jpg#0\tA dog .\n", sentence("A dog .", pair_id="9.jpg")),
}


@pytest.mark.parametrize("how", PAIRS)
def test_one_row(read, how: str) -> None:
    text, expected = PAIRS[how]
    assert read(how, text) == [expected]


def test_scored_pairs(read) -> None:
    assert read("labelled_pairs", "a\tb\t2.5\n", score=True) == [sentence("a", "b", score=2.5)]
    assert read("labelled_pairs", "a\tb\t0\nc\td\t1\n", last="1") == [sentence("c", "d", label="1")]


def test_probing_in_both_layouts(read) -> None:
    assert read("probing", "tr\tNN\tMy dog\nte\tNNS\tMy dogs\n") == [
        sentence("My dog", label="NN", split="train"),
        sentence("My dogs", label="NNS", split="test"),
    ]
    assert read("probing", "My dog\tNN\n") == [sentence("My dog", label="NN")]


def test_sts_leaves_out_what_was_never_scored(read) -> None:
    pairs, gold = "a\tb\nc\td\te\tf\ng\th\n", "3.5\n\n0\n"
    assert read("senteval_sts", pairs, gold, roles=("pairs", "gold")) == [
        sentence("a", "b", score=3.5),
        sentence("g", "h", score=0.0),
    ]
    with pytest.raises(SynsemError, match=r"filegold:3: score 'x' is not a number"):
        read("senteval_sts", pairs, gold.replace("0", "x"), roles=("pairs", "gold"))


def test_aligned_files(read) -> None:
    assert read("aligned", "Hund\nKatze\n", "dog\ncat\n", roles=("de", "en"), languages=True) == [
        sentence("Hund", "dog", lang="de", b_lang="en"),
        sentence("Katze", "cat", lang="de", b_lang="en"),
    ]
    three = read("aligned", "a\n", "b\n", "c\n", roles=("orig", "s0", "s1"))
    assert [record.text for record in three] == ["a", "b", "c"]
    assert len({record.pair_id for record in three}) == 1


def test_wikisplit(read) -> None:
    records = read("wikisplit", "A , and B .\tA . <::::> B .\n")
    assert [record.text.strip() for record in records] == ["A , and B .", "A .", "B ."]
    assert {record.pair_id for record in records} == {"file:1"}
    three = read("wikisplit", "A , B , and C .\tA . <::::> B . <::::> C .\n")
    assert [record.pair_id for record in three] == ["file:1:other"] * 4


def test_tagged_and_columns(read) -> None:
    assert read("tagged", "\n\tThe/at 1/2/cd dog/nn\n\n./.\n") == [Document("The 1/2 dog\n.")]
    # As in the Brown corpus, which has two such marks in place of one.
    brown = "Who/wps ?/. ?/.\nStop/vb !/.-hl !/.-hl He/pps ,/, ,/, he/pps had/hvd had/hvn it/ppo ./. ./."
    assert read("tagged", brown) == [Document("Who ?\nStop ! He , he had had it . .")]
    # It begins a line after a semicolon, which ends no sentence.
    assert read("tagged", "He/pps slept/vbd ;/. ;/.\n\nwe/ppss ate/vbd ./.\nOf/in") == [
        Document("He slept ; we ate .\nOf")
    ]
    rows = "1\taTa\tx\n2\tsaH\tx\n\n1\tca\tx\n"
    assert read("columns", rows) == [sentence("aTa saH"), sentence("ca")]


CONLLU = """# sent_id = 1
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tde\tde\tADP\t_\t_\t3\tcase\t_\t_
2\tle\tle\tDET\t_\t_\t3\tdet\t_\t_
3\tbord\tbord\tNOUN\t_\t_\t0\troot\t_\t_
3.1\tvide\tvide\tVERB\t_\t_\t_\t_\t_\t_
4\t!\t!\tPUNCT\t_\t_\t3\tpunct\t_\tSpaceAfter=No

# text = Said so .
1\tSaid\tsay\tVERB\t_\t_\t0\troot\t_\t_
"""


def test_conllu_with_multiword_tokens_and_empty_nodes(read) -> None:
    assert len(conllu.parse(CONLLU)) == 2
    assert read("conllu", CONLLU) == [sentence("dubord !"), sentence("Said so .")]


def test_gold_trees_are_kept_unchanged(read) -> None:
    first, second = read("treebank", CONLLU)
    assert first.text + second.text == CONLLU + "\n"
    assert first.gold
    rows = "1\taTa\tind\tInd\t2\tsambanxah\n2\tgacCati\tx\tFV\t0\troot\n\n1\tca\tx\tInd\t0\troot\n"
    options = {"form": 1, "xpos": 3, "head": 4, "deprel": 5}
    texts = [record.text for record in read("treebank", rows, **options)]
    trees = [conllu.parse(text)[0] for text in texts]
    assert [[token["form"] for token in tree] for tree in trees] == [["aTa", "gacCati"], ["ca"]]
    assert [(token["head"], token["deprel"]) for token in trees[0]] == [(2, "sambanxah"), (0, "root")]
    assert trees[1].metadata == {"sent_id": "file-2"}


def test_the_stars_of_a_review_are_no_score_of_a_pair(read) -> None:
    assert read("table", "text,score\nGood.,4/5\n") == [Document("Good.")]
    (pair,) = read("table", "text,b,score\nGood.,Fine.,4\n")
    assert pair.score == 4


def test_wikiextractor_sections(read) -> None:
    text = (
        '<doc id="1" url="?curid=1" title="A &amp; B">\nA & B\n\nOpening text here. More of it.\n'
        "History.\n"
        "It began so long ago that nobody knows when.\n"
        "Then, it is said, it went on for a hundred years.\n\n</doc>\n"
        '<doc id="2" url="" title="Empty">\nEmpty\n\n\n</doc>\n'
    )
    assert read("wikiextractor", text) == [
        Document("Opening text here. More of it.", title="A & B", work="A & B"),
        Document(
            "It began so long ago that nobody knows when.\nThen, it is said, it went on for a hundred years.",
            title="A & B: History",
            work="A & B",
        ),
        Document("", title="Empty", work="Empty"),
    ]
    assert is_heading("Etymology, terminology, and definition.")
    assert is_heading("Etymology, terminology, history, and definition of the word.")
    assert not is_heading("What is it?")
    assert not is_heading("He left. She stayed.")
    assert not is_heading("Smith left. Jones stayed.")
    assert not is_heading("The task had three phases.")
    assert not is_heading("They won the match.")
    assert not is_heading("A sentence of more than eight words is no heading.")


def test_gaps_that_templates_left_are_removed(read) -> None:
    whole = (
        "Achilles ( ) or Achilleus () was a hero (, ; born in Phthia) of main(), , , and (so, it is) f (x)."
    )
    mended = "Achilles or Achilleus was a hero (born in Phthia) of main(), and (so, it is) f (x)."
    extracted = f'<doc id="1" url="" title="A">\nA\n\n{whole}&lt;br&gt;\n</doc>\n'
    assert read("wikiextractor", extracted) == [Document(mended, title="A", work="A")]


def test_reuters(read) -> None:
    text = (
        '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n<REUTERS NEWID="1">\n<TEXT>&#2;\n<TITLE>A &lt;B> C</TITLE>\n'
        "<DATELINE>    X, </DATELINE><BODY>First line\nand second.\n"
        "    New paragraph &lt;Q>.\n Reuter\n&#3;</BODY></TEXT>\n"
        '</REUTERS>\n<REUTERS NEWID="2">\n<TITLE>No body</TITLE>\n</REUTERS>\n'
    )
    assert read("reuters", text) == [
        Document("First line and second.\nNew paragraph <Q>.", title="A <B> C"),
        Document("", title="No body"),
    ]


def test_a_bible_module_is_parsed_not_run(read) -> None:
    module = "raise SystemExit\n"
    module += 'bible = Bible(V.X, """In the beginning. And then.""", {1001001: 0, 1001002: 17}, {})\n'
    assert read("pythonbible", module) == [
        Document("In the beginning.", pair_id="shared:bible:1001001"),
        Document(" And then.", pair_id="shared:bible:1001002"),
    ]


def test_plain_text_by_block_line_and_file(read) -> None:
    text = "One a.\nOne b.\n\n\nTwo.\n"
    assert [record.text for record in read("text", text)] == ["One a.\nOne b.", "Two."]
    assert [record.text for record in read("text", text, unit="line")] == ["One a.", "One b.", "Two."]
    assert [record.text for record in read("text", text, unit="file")] == ["One a.\nOne b.\n\n\nTwo."]
    assert read("lines", "One a\n\nTwo b\n") == [sentence("One a"), sentence("Two b")]
    wrapped = "A line that is wrapped\nruns on here. And\n  then it ends.\nNext.\n"
    assert read("text", wrapped) == [
        Document("A line that is wrapped runs on here. And then it ends.\nNext.")
    ]
    hindi = "वह घर गया।\nक्या वह आया?\n"
    assert read("text", hindi) == [Document(hindi.strip())]
    long = read("text", "A sentence on a line of its own.\n" * 1000)
    assert all(3_900 < len(record.text) < 4_200 for record in long[:-1])
    assert sum(record.text.count("sentence") for record in long) == 1000


def test_a_tar_of_a_folder_from_within_is_read(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "texts.tar", "w") as archive:
        for name in ("./a.txt", "./sub/b.txt", "./.hidden", "./sub/.hidden"):
            info = tarfile.TarInfo(name)
            info.size = len(name)
            archive.addfile(info, io.BytesIO(name.encode()))
    path = tmp_path / "texts.tar"
    assert [line for _, _, line in Input(path, "t").lines()] == ["./a.txt", "./sub/b.txt"]
    assert [line for _, _, line in Input(path, "t", member="sub/*").lines()] == ["./sub/b.txt"]
