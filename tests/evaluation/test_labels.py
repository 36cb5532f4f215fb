from dataclasses import replace

from small_world import clause, sentence

from pipeline.evaluation import labels


def test_numbers_of_subject_and_object() -> None:
    dogs = clause("dogs", "chase", "ball", plural_subject=True, plural_object=False)
    assert labels.subject_number(dogs) == "Plur"
    assert labels.object_number(dogs) == "Sing"
    assert labels.subject_number(replace(dogs, upos=("DET", "PROPN", "VERB", "DET", "NOUN"))) is None
    assert labels.object_number(replace(dogs, deprels=("det", "nsubj", "root", "det", "obl"))) is None


def test_depth_counts_edges_and_is_clipped() -> None:
    chain = sentence("a b c d", "X X X X", "0 1 2 3", "root dep dep dep")
    assert labels.tree_depth(chain) == "3"
    assert labels.tree_depth(clause("dogs", "see", "cats", True, True)) == "2"
    long = sentence(
        " ".join("abcdefghijklmn"), " ".join("X" * 14), " ".join(map(str, range(14))), " ".join(["dep"] * 14)
    )
    assert labels.tree_depth(long) == "9"


def test_tree_distance_is_between_the_outer_words_that_are_no_punctuation() -> None:
    quoted = sentence(
        '" the dogs see cats . "',
        "PUNCT DET NOUN VERB NOUN PUNCT PUNCT",
        "4 3 4 0 4 4 4",
        "punct det nsubj root obj punct punct",
    )
    assert labels.tree_distance(quoted) == "3"  # the - dogs - see - cats
    assert labels.tree_distance(sentence("Yes .", "INTJ PUNCT", "0 1", "root punct")) is None
    long = " ".join("abcdefghijklmn")
    chain = sentence(long, " ".join("X" * 14), " ".join(map(str, range(14))), " ".join(["dep"] * 14))
    assert labels.tree_distance(chain) == "8"


def test_top_constituents_are_the_phrases_below_the_clause() -> None:
    fronted = sentence(
        "Yesterday , dogs slept here .",
        "NOUN PUNCT NOUN VERB ADV PUNCT",
        "4 4 4 0 4 4",
        "obl:tmod punct nsubj root advmod punct",
    )
    assert labels.top_constituents(fronted) == "NP , NP VP ."


def test_rare_tops_become_other() -> None:
    assert labels.most_frequent(["b", "b", "a", "a", "c"], keep=2) == ["b", "b", "a", "a", "other"]
    assert labels.most_frequent(["b", "a", "c"], keep=1) == ["other", "a", "other"]


def test_a_shifted_bigram_swaps_two_neighbours_and_keeps_the_shape() -> None:
    source = clause("dogs", "chase", "ball", True, False)
    shifted = labels.shift_bigram(source, seed=1)
    assert shifted is not None
    places = [i for i in range(5) if source.words[i] != shifted.words[i]]
    assert len(places) == 2
    assert places[1] == places[0] + 1
    assert places[0] >= 1
    assert sorted(shifted.words) == sorted(source.words)
    assert shifted.heads == source.heads
    assert labels.shift_bigram(source, seed=1) == shifted
    two = sentence("Stop !", "VERB PUNCT", "0 1", "root punct")
    assert labels.shift_bigram(two, seed=1) is None
