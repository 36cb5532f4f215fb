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
from pipeline.training.loop import forward_backward
from stages.tools import tree as main
from tests.systems.synsem.test_synsem_model import BATCH, create


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
    ids = [NO_WORD if word is None else word for word in encoding.word_ids(0)]
    with torch.no_grad():
        network = system.text_network("joint")
        layers = network.backbone(encoding["input_ids"], output_hidden_states=True).hidden_states
        states = layers[system.heads.sizes.input_layer]
        means = torch.stack([states[0, [id == word for id in ids]].mean(0) for word in range(len(found))])
        real = torch.ones(1, len(found), dtype=torch.bool)
        links = system.heads.links(system.heads.link_encoder(means[None], real), real)
    after = links.successors[0].softmax(dim=1)
    for number, word in enumerate(found):
        assert word.content == pytest.approx(links.content[0, number].sigmoid().item(), abs=1e-5)
        assert word.probability == pytest.approx(after[number].max().item(), abs=1e-5)
        best = int(after[number].argmax())
        assert word.successor == (None if best == len(found) else best)


def test_a_trained_network_reads_a_passive_as_its_active(tiny_backbone: Path, tmp_path: Path) -> None:
    system = create(tiny_backbone).train()
    optimizer = torch.optim.AdamW(system.parameters(), lr=3e-3)
    for step in range(60):
        system.begin_step(step)
        forward_backward(system, BATCH)
        optimizer.step()
        optimizer.zero_grad()
    registry.save(system.eval(), tmp_path)
    for text in ("The cat saw the dog.", "The dog was saw by the cat."):
        read = read_words(registry.load(tmp_path), text)
        assert [[read[word].text for word in chain] for chain in chains(read)] == [["cat", "saw", "dog"]]
        output = io.StringIO()
        Console(file=output, width=100).print(draw(text, read))
        lines = output.getvalue().splitlines()
        assert lines[0] == text
        assert lines[1].endswith("cat → saw → dog")
        places = {word.text: number for number, word in enumerate(read, 1)}
        assert f"{places['cat']} cat content " in lines[2]
        assert f"→ {places['saw']} saw {read[places['cat'] - 1].probability:.2f}" in lines[2]
        assert "→ end " in lines[4]
        assert "no content: The " in lines[5]


def test_a_comma_that_is_no_content_is_told_from_what_parts_the_words() -> None:
    words = [("The", 0.02), (",", 0.01), ("dog", 0.9), (".", 0.03)]
    output = io.StringIO()
    read = [ReadWord(text, gate, None, 1.0) for text, gate in words]
    Console(file=output, width=100).print(draw("The, dog.", read))
    assert "no content: The 0.02 · , 0.01 · . 0.03" in output.getvalue()


def test_the_command_says_what_is_wrong_in_one_sentence(
    tiny_backbone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.save(create(tiny_backbone), tmp_path / "model")
    main("The [red] cat :smile:", model=tmp_path / "model")
    assert "The [red] cat :smile:\n" in capsys.readouterr().out  # no markup
    with pytest.raises(SynsemError, match="the text is empty; give a sentence, in quotes"):
        main(" ", model=tmp_path / "model")
    with pytest.raises(SynsemError, match="there is no model here"):
        main("Rain.", model=tmp_path / "nothing")
