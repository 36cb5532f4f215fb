import numpy as np

from pipeline.core.seeding import sample, stable_hash


def test_a_sample_is_the_same_in_any_order_and_all_of_few_items() -> None:
    texts = [f"sentence {number}" for number in range(500)]
    shuffled = [texts[number] for number in np.random.default_rng(0).permutation(500)]
    found = sample(iter(texts), 60, str)
    assert found == sample(iter(shuffled), 60, str)
    assert len(set(found)) == 60
    assert set(found) != set(sample(texts, 60, str, "another purpose"))
    assert found[:20] == sample(texts, 20, str)  # a larger sample contains the smaller one
    assert sorted(sample(shuffled, 1000, str)) == sorted(texts)


def test_the_seed_and_the_keys_do_not_run_together() -> None:
    """Else the draws of one seed, or of one purpose, would be those of another."""
    facts = [(1, "2", "3"), (12, "3"), (1, "23"), (123,), (1, "2", "3", ""), (1, "", "2", "3")]
    assert len({stable_hash(*each) for each in facts}) == len(facts)
