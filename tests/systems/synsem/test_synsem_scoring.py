"""What the network itself reads: words, gates, successors, and the chains that these make."""

import io
from pathlib import Path

import pytest
import torch
from rich.console import Console

from pipeline.core.errors import SynsemError
from pipeline.nn.tokenizer import NO_WORD
from pipeline.systems.base import registry
from pipeline.systems.synsem.scoring import ReadWord, chains, draw, read_words
from stages.tools import tree as main
from tests.systems.synsem.test_synsem_model import create


def words(*successors: int | None, content: str = "") -> list[ReadWord]:
    """Words that are followed by these; ``content`` has a - for each that is no content word."""
    gates = content or "+" * len(successors)
    return [
        ReadWord(f"w{number}", 1.0 if gate == "+" else 0.1, after, 0.9)
        for number, (after, gate) in enumerate(zip(successors, gates, strict=True))
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (words(1, 2, None), [[0, 1, 2]]),
        (words(None, 0, 1), [[2, 1, 0]]),  # a passive is read from its end
        (words(1, None, 1), [[0, 1], [2]]),  # two words before one: the second chain ends there
        (words(1, 0, 0), [[2, 0, 1]]),  # a circle with a way in
        (words(1, 2, 0), [[0, 1, 2]]),  # and without
        (words(1, 2, None, content="+-+"), [[0], [2]]),  # no chain goes through a word without content
        (words(None, None, content="--"), []),
    ],
)
def test_each_content_word_is_in_one_chain(given: list[ReadWord], expected: list[list[int]]) -> None:
    assert chains(given) == expected


def test_gates_and_successors_are_the_networks(tiny_backbone: Path) -> None:
    torch.manual_seed(1)
    system = create(tiny_backbone).eval()
    text = "In May, the unhappiest cat saw it."
    found = read_words(system, text)
    assert [word.text for word in found] == ["In", "May", ",", "the", "unhappiest", "cat", "saw", "it", "."]
    encoding = system.tokenizer.hf_tokenizer(text, return_tensors="pt")
    ids = torch.tensor([[NO_WORD if word is None else word for word in encoding.word_ids(0)]])
    with torch.no_grad():
        links = system.network().read(encoding["input_ids"], encoding["attention_mask"], ids).links
    after = links.successors[0].softmax(dim=1)
    for number, word in enumerate(found):
        assert word.content == pytest.approx(links.content[0, number].sigmoid().item(), abs=1e-5)
        assert word.probability == pytest.approx(after[number].max().item(), abs=1e-5)
        best = int(after[number].argmax())
        assert word.successor == (None if best == len(found) else best)


def test_chains_are_drawn() -> None:
    texts = ["The", "dog", "was", "seen", "by", "the", "cat", ","]
    read = [ReadWord(text, 0.1, None, 1.0) for text in texts]
    read[6], read[3], read[1] = (
        ReadWord(texts[word], 0.9, after, 0.75) for word, after in ((6, 3), (3, 1), (1, None))
    )
    output = io.StringIO()
    Console(file=output, width=100).print(draw("The dog was seen by the cat,", read))
    lines = output.getvalue().splitlines()
    assert lines[0] == "The dog was seen by the cat,"
    assert lines[1].endswith("cat → seen → dog")
    assert lines[2].endswith("7 cat content 0.90 → 4 seen 0.75")
    assert lines[4].endswith("2 dog content 0.90 → end 0.75")
    assert lines[5].endswith("no content: The 0.10 · was 0.10 · by 0.10 · the 0.10 · , 0.10")


def test_the_command_takes_no_markup_and_refuses_an_empty_text(
    tiny_backbone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.save(create(tiny_backbone), tmp_path)
    main("The [red] cat :smile:", model=tmp_path)
    assert "The [red] cat :smile:\n" in capsys.readouterr().out
    with pytest.raises(SynsemError, match="the text is empty"):
        main(" ", model=tmp_path)
