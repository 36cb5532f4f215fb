import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.systems.upos.vocabulary import COVERAGE, covered_characters, learn_tokenizer

TEXTS = [
    "The cat sat on the mat.", "The cats sat on the mats!", "Die Katze sass auf der Matte.",
    "Le chat est assis.", "the  cat", "Was für ein schöner Tag!", "那只猫坐在垫子上。", "Quel beau jour !",
] * 3  # fmt: skip


def test_the_text_comes_back_from_its_subwords_but_for_runs_of_spaces() -> None:
    tokenizer = learn_tokenizer(TEXTS, 200)
    for text in TEXTS:
        ids = tokenizer(text)["input_ids"]
        assert ids[-1] == tokenizer.eos_token_id
        assert tokenizer.decode(ids, skip_special_tokens=True) == " ".join(text.split())


def test_subwords_hold_at_most_one_space_and_that_in_front_and_are_as_many_as_allowed() -> None:
    tokenizer = learn_tokenizer(TEXTS, 120)
    assert len(tokenizer) == 120
    for subword in tokenizer.get_vocab():
        assert "▁" not in subword[1:]
    assert "▁cat" in tokenizer.get_vocab()


# The library counts its threads when it first uses one: each time in a fork of a process that has used none.
LEARN = """
import os, sys
from transformers import PreTrainedTokenizerFast
from pipeline.systems.upos.vocabulary import learn_tokenizer
for threads, texts in eval(sys.stdin.read()):
    if not os.fork():
        os.environ["RAYON_NUM_THREADS"] = threads
        print(ascii(learn_tokenizer(texts, 150).backend_tokenizer.to_str()), flush=True)
        os._exit(0)
    os.wait()
"""


def test_order_of_texts_and_number_of_threads_make_no_difference() -> None:
    given = repr([("1", TEXTS), ("4", TEXTS[::-1])])
    command = [sys.executable, "-c", LEARN]
    bare = {"PATH": "/usr/bin"}  # no setting of the library's threads from outside
    done = subprocess.run(command, input=given, env=bare, capture_output=True, text=True, check=True)
    one, four = done.stdout.splitlines()
    assert one == four
    assert len(one) > 1000


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="▁"), max_size=20), max_size=20))
def test_covered_characters_cover_what_is_asked_for_with_as_few_as_possible(texts: list[str]) -> None:
    kept = covered_characters(texts)
    counts = Counter(each for text in texts for each in "▁" + text.replace(" ", "▁"))
    covered = sum(counts[each] for each in kept)
    assert covered >= COVERAGE * counts.total()
    others = [each for each in kept if each != "▁"]
    if others:
        assert covered - min(counts[each] for each in others) < COVERAGE * counts.total()
        assert min(counts[each] for each in others) >= max(
            (count for each, count in counts.items() if each not in kept), default=0
        )


def test_an_unknown_character_is_one_unknown_subword() -> None:
    tokenizer = learn_tokenizer(TEXTS, 100)
    ids = tokenizer("ж")["input_ids"]
    assert tokenizer.unk_token_id in ids


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_text_is_its_end_alone(text: str) -> None:
    tokenizer = learn_tokenizer(TEXTS, 100)
    assert tokenizer(text)["input_ids"] == [tokenizer.eos_token_id]
