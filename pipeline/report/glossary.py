"""What each metric measures, whether higher is better, and what was fitted for it."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

ZERO_SHOT = "zero-shot"
THRESHOLD = "threshold"
ORACLE = "oracle"
TRAINED = "trained"
PROBED = "probed"
PHENOMENA = "phenomena"
STRESS = "stress"
SHAPE = "shape"
PARSED = "parsed"
PREDICTED = "predicted"
PROTOCOLS = {
    ZERO_SHOT: "Zero-shot: nothing is fitted, similarities are used as they are",
    THRESHOLD: "One threshold, chosen on development data",
    ORACLE: "One threshold, chosen on the tested pairs themselves (ParaBART's protocol)",
    TRAINED: "A classifier is trained on frozen embeddings",
    PROBED: "Probes: a classifier reads a property of the sentence off the frozen embedding",
    SHAPE: "Do sentences of one shape lie together? By part-of-speech sequence, zero-shot",
    PARSED: "Dependency trees, against the trees of the test split",
    PREDICTED: "Paraphrases as the model predicts them, given their syntax",
    STRESS: "Stress subsets of the pair tasks",
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
    ranked: bool = True  # whether one number is better than another; not of a control or a fact of the data


# The first pattern that fits decides.
MEANINGS = (
    Meaning(
        "matching.*",
        "A score of a cross-encoder fine-tuned on the task's training pairs.",
        TRAINED,
    ),
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
        "contrast_*.all.ap",
        "Average precision of same-meaning pairs above different ones of the same words: generated pairs.",
    ),
    Meaning(
        "contrast_*.ap",
        "The same on the generated pairs of one phenomenon.",
        PHENOMENA,
    ),
    Meaning(
        "*.stress_*.ap",
        "Average precision on the test pairs of one hard kind: long sentences, nearly the same words in "
        "another order, clefts, topicalisations, long passives.",
        STRESS,
    ),
    Meaning(
        "*.stress_*",
        "Share of such pairs classified correctly with the threshold that was best on all development pairs.",
        STRESS,
    ),
    Meaning(
        "*.accuracy_oracle_threshold*",
        "Share of pairs classified correctly with the cut-off that is best on these pairs: an upper bound.",
        ORACLE,
    ),
    Meaning(
        "*.accuracy_*threshold*",
        "Share of pairs classified correctly with the cosine cut-off that was best on development data.",
        THRESHOLD,
    ),
    Meaning(
        "*.accuracy_logistic_words",
        "Share of pairs classified correctly by a logistic classifier on similarities that need no tree.",
        TRAINED,
    ),
    Meaning(
        "*.accuracy_logistic*",
        "Share of pairs classified correctly by a logistic classifier on [|u-v|; u*v] of frozen embeddings; "
        "in the view combined, on the similarities of a pair.",
        TRAINED,
    ),
    Meaning(
        "probe.tree_depth.*",
        "How well a classifier reads the depth of the dependency tree off the embedding.",
        PROBED,
    ),
    Meaning(
        "probe.subject_number.*",
        "How well a classifier tells a singular from a plural subject.",
        PROBED,
    ),
    Meaning(
        "probe.object_number.*",
        "How well a classifier tells a singular from a plural object.",
        PROBED,
    ),
    Meaning(
        "probe.top_constituents.*",
        "How well a classifier names the sequence of phrases right below the root.",
        PROBED,
    ),
    Meaning(
        "probe.bigram_shift.*",
        "How well a classifier tells a sentence from itself with two neighbours swapped.",
        PROBED,
    ),
    Meaning(
        "probe.tree_distance.*",
        "How well a classifier reads off the embedding how many edges of the dependency tree lie between the "
        "first and the last word.",
        PROBED,
    ),
    Meaning(
        "syntax.*.accuracy_mlp",
        "How well a classifier reads this property of the form off the embedding; here less is better.",
        PROBED,
        higher_is_better=False,
    ),
    Meaning(
        "probe.*",
        "How well a classifier reads this property off the frozen embedding.",
        PROBED,
    ),
    Meaning(
        "parsing.*uas*",
        "Share of words that got their right head.",
        PARSED,
    ),
    Meaning(
        "parsing.*",
        "Share of words that got their right head and relation, or their right part of speech.",
        PARSED,
    ),
    *(
        Meaning(
            f"{family}*",
            "How well a classifier reads this property off the frozen embedding, on the rows of the file.",
            PROBED,
        )
        for family in ("senteval-", "xprobe-", "probe-", "ptb-sample")
    ),
    Meaning(
        "word_order.*.loss",
        "How much of las is lost where the words are in another order.",
        PARSED,
        higher_is_better=False,
    ),
    Meaning(
        "word_order.*",
        "Share of words that got their right head, or head and relation, as written or in another order.",
        PARSED,
    ),
    Meaning(
        "upos.*dissimilarity*",
        "How far distances of embeddings are from distances of part-of-speech sequences.",
        SHAPE,
        higher_is_better=False,
        digits=4,
    ),
    Meaning(
        "upos.*distance_correlation",
        "Rank correlation of distances of embeddings with distances of part-of-speech sequences.",
        SHAPE,
    ),
    Meaning(
        "upos.*likeness_1nn",
        "How alike the part-of-speech sequences of a sentence and its nearest are.",
        SHAPE,
    ),
    Meaning(
        "upos.*likeness_best",
        "How alike the part-of-speech sequences of a sentence and the best possible neighbour are.",
        SHAPE,
        ranked=False,
    ),
    Meaning(
        "upos.*",
        "Share of a sentence's nearest, one or five, that have its part-of-speech sequence.",
        SHAPE,
    ),
    Meaning(
        "*.f1_macro",
        "Mean over the classes of the F1 of a classifier on frozen embeddings.",
        TRAINED,
    ),
    Meaning(
        "paraphrasing.*.loss",
        "Cross-entropy of the true paraphrase in nats per subword, given its source and tree.",
        PREDICTED,
        higher_is_better=False,
        digits=3,
    ),
    Meaning(
        "paraphrasing.*.loss*",
        "The same given the source or the tree of another pair: a control, whose distance from the loss says "
        "what the right one contributes.",
        PREDICTED,
        digits=3,
        ranked=False,
    ),
    Meaning(
        "paraphrasing.*",
        "Share of the true paraphrase's subwords that are predicted.",
        PREDICTED,
        digits=3,
    ),
    Meaning(
        "trec.*",
        "Share of questions whose type a classifier on frozen embeddings predicts correctly.",
        TRAINED,
    ),
    Meaning(
        "*.spearman*",
        "Rank correlation of cosine similarity with human similarity judgements.",
    ),
    Meaning(
        "*.pearson*",
        "Linear correlation of cosine similarity with human similarity judgements.",
    ),
    Meaning(
        "*.ap",
        "Average precision of ranking paraphrase pairs above non-paraphrases by cosine.",
    ),
    Meaning(
        "retrieval.*.accuracy",
        "How often a sentence's nearest neighbour is its same-meaning variant, among all test "
        "sentences and its own different-meaning variants.",
    ),
    Meaning(
        "*.accuracy",
        "Share of sentences whose class a classifier on frozen embeddings predicts correctly.",
        TRAINED,
    ),
    Meaning(
        "retrieval.*.mrr",
        "Mean of 1 / rank of the same-meaning variant in that search.",
    ),
    Meaning(
        "retrieval.*triplet*",
        "How often the same-meaning variant is closer than every different-meaning variant of the sentence.",
    ),
    Meaning(
        "alignment.*uniformity*",
        "How evenly embeddings spread over the sphere (log of a mean Gaussian similarity); lower "
        "is more even.",
        higher_is_better=False,
        digits=4,
    ),
    Meaning(
        "alignment.*",
        "Mean squared distance between a sentence and its same-meaning variant; lower is closer.",
        higher_is_better=False,
        digits=4,
    ),
    Meaning(
        "*",
        "A score of the evaluation stage.",
    ),
)
_NO_RESULTS = (
    "majority",
    "random",
    "chance",
    "bag_of_words",
    "cosine_",
    "pairs",
    "groups",
    "sentences",
    "derived_trees",
)


def meaning(metric: str) -> Meaning:
    """The entry that explains a dotted metric name; every name has one."""
    return next(entry for entry in MEANINGS if fnmatchcase(metric, entry.pattern))


def is_result(metric: str) -> bool:
    """Whether a number is a result of the system: no baseline, no count, not from development data."""
    parts = metric.split(".")
    # Development data.
    if parts[0] == "contrast_dev":
        return False
    # The accuracies of the contrast sets are near chance by design; in the metrics file only.
    if parts[0].startswith("contrast") and parts[-1].startswith("accuracy_crossfit"):
        return False
    if len(parts) > 1 and parts[1].startswith(("relation_", "words_")):  # in the metrics file only
        return False
    return "dev" not in parts[1:-1] and not parts[-1].startswith(_NO_RESULTS)


def order(metric: str) -> tuple[int, int, str]:
    """Sorts metrics: by protocol, then as the glossary lists them, then by name."""
    entry = meaning(metric)
    return (list(PROTOCOLS).index(entry.protocol), MEANINGS.index(entry), metric)
