"""What each metric measures, in a sentence; which way is better; what, if anything, was fitted."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

ZERO_SHOT = "zero-shot"
THRESHOLD = "threshold"
TRAINED = "trained"
PHENOMENA = "phenomena"
PROTOCOLS = {
    ZERO_SHOT: "Zero-shot: nothing is fitted, similarities are used as they are",
    THRESHOLD: "One threshold, chosen on development data",
    TRAINED: "A classifier is trained on frozen embeddings",
    PHENOMENA: "The contrast set by phenomenon, zero-shot: chance is 50",
}


@dataclass(frozen=True)
class Meaning:
    """How a metric is to be read. ``pattern`` is matched against its dotted name (fnmatch)."""

    pattern: str
    sentence: str
    protocol: str = ZERO_SHOT
    higher_is_better: bool = True
    digits: int = 2  # decimals shown: the metrics file's own


# The first pattern that fits decides.
MEANINGS = (
    Meaning(
        "contrast.all.ap",
        "Average precision of ranking same-meaning pairs above different ones that share their words.",
    ),
    Meaning(
        "contrast.*.ap",
        "The same on the pairs of one phenomenon, 18 of each kind.",
        PHENOMENA,
    ),
    Meaning(
        "*threshold*",
        "Share of pairs judged rightly with the cosine cut-off that was best on development data.",
        THRESHOLD,
    ),
    Meaning(
        "*logistic*",
        "Share of pairs judged rightly by a logistic classifier on [|u-v|; u*v] of frozen embeddings.",
        TRAINED,
    ),
    Meaning(
        "probe.tree_depth.*",
        "How well a classifier reads the depth of the dependency tree off the embedding.",
        TRAINED,
    ),
    Meaning(
        "probe.subject_number.*",
        "How well a classifier tells a singular from a plural subject.",
        TRAINED,
    ),
    Meaning(
        "probe.object_number.*",
        "How well a classifier tells a singular from a plural object.",
        TRAINED,
    ),
    Meaning(
        "probe.top_constituents.*",
        "How well a classifier names the sequence of phrases right below the root.",
        TRAINED,
    ),
    Meaning(
        "probe.bigram_shift.*",
        "How well a classifier tells a sentence from itself with two neighbours swapped.",
        TRAINED,
    ),
    Meaning(
        "probe.*",
        "How well a classifier reads this property off the frozen embedding.",
        TRAINED,
    ),
    Meaning(
        "*.f1_macro",
        "Mean over question types of the F1 of a classifier on frozen embeddings.",
        TRAINED,
    ),
    Meaning(
        "trec.*",
        "Share of questions whose type a classifier on frozen embeddings names rightly.",
        TRAINED,
    ),
    Meaning(
        "*spearman*",
        "Rank correlation of cosine similarity with human similarity judgements.",
    ),
    Meaning(
        "*pearson*",
        "Linear correlation of cosine similarity with human similarity judgements.",
    ),
    Meaning(
        "*.ap",
        "Average precision of ranking paraphrase pairs above non-paraphrases by cosine.",
    ),
    Meaning(
        "*retrieval*.accuracy",
        "How often a sentence's nearest neighbour is its same-meaning variant, among all test "
        "sentences and its own different-meaning variants.",
    ),
    Meaning(
        "*retrieval*.mrr",
        "Mean of 1 / rank of the same-meaning variant in that search.",
    ),
    Meaning(
        "*retrieval*triplet*",
        "How often the same-meaning variant is closer than every different-meaning variant of the sentence.",
    ),
    Meaning(
        "*uniformity*",
        "How evenly sentences spread over the sphere (log of a mean Gaussian similarity); lower "
        "is more even.",
        higher_is_better=False,
        digits=4,
    ),
    Meaning(
        "*alignment*",
        "Mean squared distance between a sentence and its same-meaning variant; lower is closer.",
        higher_is_better=False,
        digits=4,
    ),
    Meaning(
        "*",
        "A score of the evaluation stage.",
    ),
)
_YARDSTICKS = ("majority", "random", "chance", "bag_of_words", "cosine_")


def meaning(metric: str) -> Meaning:
    """The entry that explains a dotted metric name; every name has one."""
    return next(entry for entry in MEANINGS if fnmatchcase(metric, entry.pattern))


def is_result(metric: str) -> bool:
    """Whether a number is a result of the system: no yardstick (majority), not from development data."""
    parts = metric.split(".")
    if parts[0] == "contrast" and parts[-1] != "ap":  # near chance by nature; in the metrics file only
        return False
    return "dev" not in parts[:-1] and not parts[-1].startswith(_YARDSTICKS)


def rank(metric: str) -> tuple[int, int, str]:
    """Sorts metrics: benchmarks before intrinsic measures before probes, then as the glossary lists them."""
    entry = meaning(metric)
    return (list(PROTOCOLS).index(entry.protocol), MEANINGS.index(entry), metric)
