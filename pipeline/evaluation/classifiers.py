"""Train and test classifiers on frozen embeddings: splits, settings, logistic regression and an MLP.

Logistic regressions are fitted many at once, every fold, label set and penalty as one batched problem: on
TREC 11 times as fast as scikit-learn one at a time. Problems with the same training rows and number of
classes share every matrix product, [P*C, d] @ [d, n]. They are solved by Newton's method, whose steps come
from conjugate gradients in the eigenbasis of XᵀX, preconditioned by the Hessian's diagonal (truncated Newton;
Nocedal & Wright 2006, chapter 7.1).
"""

import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import SEED, linked, stable_hash
from pipeline.evaluation.data import Row
from pipeline.nn.compute import best_device, one_thread

Classifier = Literal["logistic", "mlp"]
Ints = NDArray[np.int64]
Rows = NDArray[np.bool_]
PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # L2, of a benchmark's own training rows
PROBE_SETTINGS: dict[Classifier, tuple[float, ...]] = {
    "logistic": (1e-2, 1e-1, 1.0, 10.0),
    "mlp": (1e-3, 1e-1, 1.0),
}
_PARTS = 5  # a missing split is one part in five of another
_CONSTANT = 1e-6  # columns with a smaller standard deviation count as constant
_EPOCHS = 50  # of an MLP
_WORTH_A_POOL = 10**8  # multiplications of one product
_ROUNDS, _STEPS, _HALVINGS = 50, 20, 10  # at most: of Newton, of conjugate gradients, of a step's length


@dataclass(frozen=True)
class Splits:
    """Which rows train, which choose the setting and which are tested, bool [n] each."""

    train: Rows
    tune: Rows
    test: Rows
    tested: str  # the name of the tested part in metrics: test or held_out


def split_rows(examples: list[Row], task: str, divide_test: bool = False) -> Splits:
    """Train on ``train``, choose on ``dev``, test on ``test``.

    Without train or dev, a fifth of the other chooses. Without test, another fifth is tested, and the result
    is called ``held_out``. With ``divide_test``, a file that has only a test split (a probing file) is
    divided in the same way. Rows that share a text, in any order of its words, stay together. Raises
    SynsemError without train and dev, or if there are too few rows to test any.
    """
    split = np.array([each["split"] for each in examples])
    together = linked([(each["a"], each["b"]) for each in examples])
    part = np.array([stable_hash(SEED, "part", name) % _PARTS for name in together])
    test, train, dev = split == "test", split == "train", split == "dev"
    if divide_test and test.all():
        train, test = test, train
    if not (train | dev).any():
        raise SynsemError(f"{task}: no train or dev split to train a classifier on; give it rows of one")
    tested = "test" if test.any() else "held_out"
    if not test.any():
        test = part == 1
        train, dev = train & ~test, dev & ~test
    if not test.any():
        raise SynsemError(f"{task}: no test split, and too few rows to hold some out; give it more")
    if not (train.any() and dev.any()):
        base = train | dev
        train, dev = base & (part != 0), base & (part == 0)
    return Splits(train, dev, test, tested)


def classify(
    features: NDArray[np.float32],
    labels: Ints,
    splits: Splits,
    classifier: Classifier = "logistic",
    settings: Sequence[float] = PENALTIES,
) -> Ints:
    """Return the predicted class of every row by the setting that is best on the tuning rows, int64 [n].

    Features are standardised by the training rows. The chosen setting is fitted again on training and tuning
    rows together. Raises SynsemError if the training rows have only one class.
    """
    if len(np.unique(labels[splits.train])) < 2:
        raise SynsemError("only one class among the training labels, so there is nothing to classify")
    trained = features[splits.train]
    spread = trained.std(axis=0)
    # Divided by almost nothing, a row in which such a column does vary would be millions away from the rest.
    spread[spread < _CONSTANT] = 1
    standard = ((features - trained.mean(axis=0)) / spread).astype(np.float32)
    fitter, classes = Fitter(standard, classifier), int(labels.max()) + 1

    def predicted(rows: Rows, chosen: Sequence[float]) -> Ints:
        return fitter.predict([Problem(labels, rows, setting, classes) for setting in chosen])

    right = predicted(splits.train, settings)[:, splits.tune] == labels[splits.tune]
    return predicted(splits.train | splits.tune, [settings[best_setting(right.sum(axis=1))]])[0]


def best_setting(scores: ArrayLike) -> int:
    """Return the index of the highest score; of equal ones the last, which is the most regularised."""
    values = np.asarray(scores)
    return len(values) - 1 - int(np.argmax(values[::-1]))


def scaled(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return unit vectors times sqrt(d), so that one grid suits every model."""
    return metrics.unit(vectors) * np.float32(np.sqrt(vectors.shape[1]))


@dataclass(frozen=True)
class Problem:
    """One classifier to fit: labels of all rows, int64 [n], rows that train, bool [n], and penalty.

    The penalty is the weight of L2 next to the mean loss: scikit-learn's C is 1 / (penalty * training rows),
    and for two classes, which have one vector of weights there, twice that. For an MLP it is alpha.
    """

    labels: Ints
    train: Rows
    penalty: float
    classes: int


class Fitter:
    """Fits any number of classifiers on the same features [n, d].

    ``mlp`` is the network of SentEval's probes: one hidden layer of 50 sigmoid units (Conneau et al. 2018).
    ``tolerance`` bounds the largest entry of a logistic regression's gradient, relative to that at zero.
    """

    def __init__(
        self, features: NDArray[np.float32], classifier: Classifier = "logistic", tolerance: float = 5e-4
    ) -> None:
        self.features, self.classifier, self.tolerance = features, classifier, tolerance
        if classifier == "logistic":
            self.rotated = _eigenbasis(features)

    def predict(self, problems: Sequence[Problem]) -> Ints:
        """Fit every problem on its training rows; return the class of all rows, int64 [P, n].

        A problem whose training rows hold one class predicts that class.
        """
        if self.classifier == "mlp":
            return np.stack([self._perceptron(each) for each in problems])
        groups: dict[tuple[int, bytes], list[int]] = {}
        for number, each in enumerate(problems):
            groups.setdefault((each.classes, each.train.tobytes()), []).append(number)
        x, found = self.rotated, np.zeros((len(problems), len(self.features)), dtype=np.int64)
        for members in groups.values():
            some = [problems[member] for member in members]
            rows = torch.from_numpy(np.flatnonzero(some[0].train)).to(x.device)
            labels = torch.from_numpy(np.stack([each.labels for each in some])).to(x.device)[:, rows]
            penalty = torch.tensor([each.penalty for each in some], device=x.device)
            work = len(rows) * x.shape[1] * len(some) * some[0].classes
            # On a busy machine a pool of threads costs more than it gains for small products.
            with nullcontext() if work >= _WORTH_A_POOL else one_thread():
                theta = _solve(x[rows], labels, penalty, some[0].classes, self.tolerance)
            found[members] = _product(theta, x.T).argmax(dim=1).cpu().numpy()
        return found

    def _perceptron(self, problem: Problem) -> Ints:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neural_network import MLPClassifier

        network = MLPClassifier(
            (50,),
            activation="logistic",
            alpha=problem.penalty,
            batch_size=min(128, int(problem.train.sum())),
            learning_rate_init=0.01,
            max_iter=_EPOCHS,
            n_iter_no_change=_EPOCHS,
            random_state=SEED,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # as many epochs for all
            network.fit(self.features[problem.train], problem.labels[problem.train])
        predicted: Ints = network.predict(self.features)
        return predicted


def _eigenbasis(features: NDArray[np.float32]) -> torch.Tensor:
    """Return the rows [n, d + 1] in the eigenbasis of XᵀX, and ones for the bias."""
    x = torch.from_numpy(np.ascontiguousarray(features)).to(best_device())
    with one_thread():  # the last bits of large products and of LAPACK's eigenvectors depend on how many
        products = (x.double().T @ x.double()) / len(x)
        try:
            _, basis = torch.linalg.eigh(products)
        except torch.linalg.LinAlgError:  # on some CPUs, of a rare matrix: read the other triangle
            _, basis = torch.linalg.eigh(products, UPLO="U")
    return torch.cat([x @ basis.float(), x.new_ones(len(x), 1)], dim=1)


def _solve(
    x: torch.Tensor, labels: torch.Tensor, penalty: torch.Tensor, classes: int, tolerance: float
) -> torch.Tensor:
    """Return the weights of P problems on rows x [n, d], float32 [P, C, d]; labels are [P, n], penalties [P].

    Those whose gradient is small enough leave the batch.
    """
    theta = x.new_zeros(len(labels), classes, x.shape[1])
    truth = torch.nn.functional.one_hot(labels, classes).mT.float()
    decay = penalty[:, None, None].repeat(1, 1, x.shape[1])
    decay[..., -1] = 0  # none on the bias
    active, goal = torch.arange(len(labels), device=x.device), None
    for _ in range(_ROUNDS):
        at, own, l2 = theta[active], truth[active], decay[active]
        shares = _product(at, x.T).softmax(1)
        gradient = _product(shares - own, x) / len(x) + l2 * at
        largest = gradient.abs().amax((1, 2))
        goal = tolerance * largest if goal is None else goal
        moving = largest > goal[active]
        if not moving.any():
            break
        active, at, own, l2 = active[moving], at[moving], own[moving], l2[moving]
        step = _newton_step(gradient[moving], shares[moving], l2, x)
        length, before = x.new_ones(len(at), 1, 1), _loss(at, own, l2, x)
        least = 1e-4 * _dot(step, gradient[moving])  # Armijo's condition
        for _ in range(_HALVINGS):
            worse = _loss(at - length * step, own, l2, x) > before - length * least + 1e-6 * before
            if not worse.any():
                break
            length = torch.where(worse, length / 2, length)
        theta[active] = at - length * step
    return theta


def _newton_step(
    gradient: torch.Tensor, shares: torch.Tensor, decay: torch.Tensor, x: torch.Tensor
) -> torch.Tensor:
    """Return about H⁻¹ g of each problem, [P, C, d], by conjugate gradients, at a softmax of [P, C, n]."""
    inverse = 1 / (_product(shares * (1 - shares), x.square()) / len(x) + decay).clamp_min(1e-6)
    step, residual = torch.zeros_like(gradient), gradient.clone()
    direction = inverse * residual
    size = _dot(residual, direction)
    enough = 1e-2 * size
    for _ in range(_STEPS):
        if not (going := size > enough).any():
            break
        change = _product(direction, x.T)
        change = shares * (change - (shares * change).sum(1, keepdim=True))
        curved = _product(change, x) / len(x) + decay * direction
        along = torch.where(going, size / _dot(direction, curved).clamp_min(1e-20), 0)
        step += along * direction
        residual -= along * curved
        scaled_residual = inverse * residual
        size, last = _dot(residual, scaled_residual), size
        direction = scaled_residual + size / last.clamp_min(1e-20) * direction
    return step


def _loss(theta: torch.Tensor, truth: torch.Tensor, decay: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return the penalised mean cross-entropy of each problem, [P, 1, 1]."""
    logits = _product(theta, x.T)
    data = (logits.logsumexp(1) - (logits * truth).sum(1)).mean(1)
    return data[:, None, None] + 0.5 * _dot(decay * theta, theta)


def _product(a: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    """Return [P, C, d] @ [d, n] as one product of matrices."""
    return (a.flatten(0, 1) @ matrix).view(*a.shape[:2], -1)


def _dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the inner product of each problem, [P, 1, 1]."""
    return torch.linalg.vecdot(a.flatten(1), b.flatten(1))[:, None, None]
