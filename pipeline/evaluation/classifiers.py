"""Classifiers on frozen embeddings: rows to train, tune and test on, settings, logistic regression and a MLP.

Logistic regressions are fitted hundreds at once, every fold, label set and penalty as one batched problem: on
TREC 11 times as fast as scikit-learn one at a time. Problems with the same training rows and number of
classes share every matrix product, [P*C, d] @ [d, n]. They are solved by L-BFGS, each problem with its own
step length and history. The preconditioner is a diagonal in the eigenbasis of XᵀX: first the curvature bound
of multinomial regression (Böhning 1992) plus the penalty, then the Hessian's own diagonal, computed again in
a few rounds.
"""

import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from pipeline.core import metrics
from pipeline.core.errors import SynsemError
from pipeline.core.seeding import linked, stable_hash
from pipeline.evaluation.data import Example
from pipeline.nn.inference import best_device, one_thread

Classifier = Literal["logistic", "mlp"]
Ints = NDArray[np.int64]
Rows = NDArray[np.bool_]
PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # L2, of a benchmark's own training rows
PROBE_SETTINGS: dict[Classifier, tuple[float, ...]] = {
    "logistic": (1e-2, 1e-1, 1.0, 10.0),
    "mlp": (1e-3, 1e-1, 1.0),
}
_PARTS = 5  # a missing split is one part in five of another
_CONSTANT = 1e-6  # columns of a smaller standard deviation do not vary


@dataclass(frozen=True)
class Splits:
    """Which rows train, which choose the setting and which are tested, bool [n] each."""

    train: Rows
    tune: Rows
    test: Rows
    tested: str  # the name of the tested part in metrics: test or held_out


def split_rows(examples: list[Example], seed: int, task: str, divide_test: bool = False) -> Splits:
    """Train on ``train``, choose on ``dev``, test on ``test``.

    Without train or dev, a fifth of the other chooses. Without test, another fifth is tested, and the result
    is called ``held_out``. With ``divide_test``, a file that has only a test split (a probing file) is
    divided in the same way. Rows that share a text, in any order of its words, stay together. Raises
    SynsemError without train and dev, or if there are too few rows to test any.
    """
    split = np.array([each.split for each in examples])
    together = linked([(each.a, each.b) for each in examples])
    part = np.array([stable_hash(seed, "part", name) % _PARTS for name in together])
    test, train, dev = split == "test", split == "train", split == "dev"
    if divide_test and test.all():
        train, test = test, train
    if not train.any() and not dev.any():
        raise SynsemError(
            f"{task}: no train or dev split, so no classifier can be trained; give it rows of one"
        )
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
    seed: int = 0,
) -> Ints:
    """Return the predicted class of every row by the setting that is best on the tuning rows, int64 [n].

    Features are standardised by the training rows. The chosen setting is fitted again on training and tuning
    rows together. Raises SynsemError if the training rows have only one class.
    """
    if len(np.unique(labels[splits.train])) < 2:
        raise SynsemError("only one class among the training labels, so there is nothing to classify")
    trained = features[splits.train]
    spread = trained.std(axis=0)
    # Divided by next to nothing, a row in which a column does vary would be millions away from all others.
    scale = np.where(spread < _CONSTANT, np.ones_like(spread), spread)
    standard = ((features - trained.mean(axis=0)) / scale).astype(np.float32)

    fitter, classes = Fitter(standard, classifier, seed), int(labels.max()) + 1

    def predicted(rows: Rows, chosen: Sequence[float]) -> Ints:
        return fitter.predict([Problem(labels, rows, setting, classes) for setting in chosen])

    right = predicted(splits.train, settings)[:, splits.tune] == labels[splits.tune]
    return predicted(splits.train | splits.tune, [settings[best_setting(right.sum(axis=1))]])[0]


def best_setting(scores: ArrayLike) -> int:
    """Return the setting of the highest score; of equal ones the most regularised, which comes last."""
    values = np.asarray(scores)
    return len(values) - 1 - int(np.argmax(values[::-1]))


def scaled(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return unit vectors times sqrt(d), so that one grid suits every model."""
    return metrics.unit(vectors) * np.float32(np.sqrt(vectors.shape[1]))


@dataclass(frozen=True)
class Problem:
    """One classifier to fit: labels of all rows, int64 [n], rows that train, bool [n], and penalty.

    The penalty is the L2 weight beside the mean loss: scikit-learn's C is 1 / (penalty * training rows), and
    for two classes, which have one vector of weights there, twice that. For a MLP it is scikit-learn's alpha.
    """

    labels: Ints
    train: Rows
    penalty: float
    classes: int


class Fitter:
    """Fits any number of classifiers on the same features [n, d].

    ``mlp`` is the network of SentEval's probes: one hidden layer of 50 sigmoid units (Conneau et al. 2018).
    ``tolerance`` bounds the largest gradient entry of a logistic regression in the eigenbasis, relative to
    its value at zero.
    """

    def __init__(
        self,
        features: NDArray[np.float32],
        classifier: Classifier = "logistic",
        seed: int = 0,
        tolerance: float = 5e-4,
    ) -> None:
        self.features, self.classifier, self.seed, self.tolerance = features, classifier, seed, tolerance
        if classifier == "logistic":
            self.rotated, self.curvature = _eigenbasis(features)

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
            work = len(rows) * x.shape[1] * len(some) * some[0].classes
            # On a busy machine a pool of threads costs more than it gains for small products.
            with nullcontext() if work >= _WORTH_A_POOL else one_thread():
                theta = _Solver(x[rows], some, rows, self.curvature).solve(self.tolerance)
            scores = (theta.flatten(0, 1) @ x.T).view(*theta.shape[:2], -1)  # [P, C, n]
            found[members] = scores.argmax(dim=1).cpu().numpy()
        return found

    def _perceptron(self, problem: Problem) -> Ints:
        from sklearn.neural_network import MLPClassifier

        network = MLPClassifier(
            (50,),
            activation="logistic",
            alpha=problem.penalty,
            batch_size=min(128, int(problem.train.sum())),
            learning_rate_init=0.01,
            max_iter=_EPOCHS,
            n_iter_no_change=_EPOCHS,
            random_state=self.seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # as many epochs for all
            network.fit(self.features[problem.train], problem.labels[problem.train])
        predicted: Ints = network.predict(self.features)
        return predicted


_EPOCHS = 50  # of a MLP
_HISTORY = 8
_ROUNDS = 150
_HALVINGS = 20
_WORTH_A_POOL = 10**8  # multiplications of one product
_REFRESHES = {2, 6, 18, 54}  # rounds before which the preconditioner is computed again
_REPACK_BELOW = 0.8  # the batch is repacked when less than this share of it has not converged


def _eigenbasis(features: NDArray[np.float32]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return rows [n, d + 1] in the eigenbasis of XᵀX and ones for the bias, and the curvature [d + 1]."""
    x = torch.from_numpy(np.ascontiguousarray(features)).to(best_device())
    with one_thread():  # the last bits of large products and of LAPACK's eigenvectors depend on how many
        products = (x.double().T @ x.double()) / len(x)
        try:
            values, basis = torch.linalg.eigh(products)
        except torch.linalg.LinAlgError:  # on some CPUs, of a rare matrix: read the other triangle
            values, basis = torch.linalg.eigh(products, UPLO="U")
    rotated = torch.cat([x @ basis.float(), x.new_ones(len(x), 1)], dim=1)
    return rotated, torch.cat([values.clamp_min(0), values.new_ones(1)])


_Update = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # step, change of the gradient, rho


class _Solver:
    """L-BFGS over problems of the same rows and classes; those that have converged leave the batch.

    Everything large is [P, C, n] or [P, C, d]: rows or features, not the few classes, run fastest.
    """

    def __init__(
        self, x: torch.Tensor, problems: Sequence[Problem], rows: torch.Tensor, curvature: torch.Tensor
    ) -> None:
        self.x, self.transposed, self.classes = x, x.T.contiguous(), problems[0].classes
        labels = torch.from_numpy(np.stack([each.labels for each in problems])).to(x.device)
        self.labels = labels[:, rows][:, None]  # [P, 1, n]
        weights = x.new_ones(len(problems), len(rows))
        self.weights = (weights / weights.sum(1, keepdim=True))[:, None]  # [P, 1, n]
        penalty = torch.tensor([each.penalty for each in problems], dtype=torch.float64, device=x.device)
        penalty = penalty[:, None, None]
        self.inverse = (1 / (0.5 * curvature + penalty)).float()  # [P, 1, d]
        self.penalty = penalty.float().repeat(1, 1, x.shape[1])
        self.penalty[..., -1] = 0  # none on the bias

    def solve(self, tolerance: float) -> torch.Tensor:
        """Theta of every problem, float32 [P, C, d]."""
        count = len(self.weights)
        theta = self.x.new_zeros(count, self.classes, self.x.shape[1])
        solution = theta.clone()
        active = torch.arange(count, device=self.x.device)
        loss, gradient = self._value_and_gradient(theta)
        goal = tolerance * _largest(gradient)
        history: list[_Update] = []
        for number in range(_ROUNDS):
            moving = _largest(gradient) > goal
            if not moving.any():
                break
            if moving.sum() < _REPACK_BELOW * len(active):
                solution[active] = theta
                active, theta, loss = active[moving], theta[moving], loss[moving]
                gradient, goal = gradient[moving], goal[moving]
                history = [(step[moving], change[moving], rho[moving]) for step, change, rho in history]
                self._keep(moving)
                moving = moving[moving]
            if number in _REFRESHES:
                self.inverse = self._inverse_diagonal(theta)
            direction = self._direction(gradient, history)
            trial, new_loss, new_gradient = self._search(theta, loss, gradient, direction, moving)
            moved, change = trial - theta, new_gradient - gradient
            product = _dot(moved, change)
            # A pair without curvature gets rho 0, so that it has no effect.
            rho = torch.where(product > 1e-10, 1 / product.clamp_min(1e-10), 0)
            history = [*history, (moved, change, rho)][-_HISTORY:]
            theta, loss, gradient = trial, new_loss, new_gradient
        solution[active] = theta
        return solution

    def _search(
        self,
        theta: torch.Tensor,
        loss: torch.Tensor,
        gradient: torch.Tensor,
        direction: torch.Tensor,
        moving: torch.Tensor,
    ) -> _Update:
        """Armijo: each problem halves its own step until its loss falls enough; theta, loss, gradient."""
        slope = _dot(direction, gradient)
        step = moving.float()
        for _ in range(_HALVINGS):
            trial = theta + step[:, None, None] * direction
            new_loss, new_gradient = self._value_and_gradient(trial)
            failed = new_loss > loss + 1e-4 * step * slope + 1e-6 * loss.abs()
            if not failed.any():
                break
            step = torch.where(failed, step * 0.5, step)
        return trial, new_loss, new_gradient

    def _value_and_gradient(self, theta: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Loss [P] and gradient [P, C, d]."""
        logits = (theta.flatten(0, 1) @ self.transposed).view(*theta.shape[:2], -1)
        logits -= logits.amax(1, keepdim=True)
        chosen = logits.gather(1, self.labels)
        residual = logits.exp_()
        total = residual.sum(1, keepdim=True)
        loss = _dot(total.log() - chosen, self.weights) + 0.5 * _dot(self.penalty * theta, theta)
        residual *= self.weights / total
        residual.scatter_add_(1, self.labels, -self.weights)
        return loss, (residual.flatten(0, 1) @ self.x).view(theta.shape) + self.penalty * theta

    def _inverse_diagonal(self, theta: torch.Tensor) -> torch.Tensor:
        """One over the Hessian's diagonal at theta, [P, C, d]."""
        shares = (theta.flatten(0, 1) @ self.transposed).view(*theta.shape[:2], -1).softmax(1)
        shares = shares * (1 - shares) * self.weights
        diagonal = (shares.flatten(0, 1) @ self.x.square()).view(theta.shape) + self.penalty
        return 1 / diagonal.clamp_min(1e-6)

    def _direction(self, gradient: torch.Tensor, history: list[_Update]) -> torch.Tensor:
        """The two-loop recursion (Nocedal & Wright 2006, algorithm 7.4), each problem for itself."""
        q = gradient.clone()
        alphas = []
        for moved, change, rho in reversed(history):
            alpha = rho * _dot(moved, q)
            q.addcmul_(change, alpha[:, None, None], value=-1)
            alphas.append(alpha)
        q *= self.inverse
        if history:
            # The curvature bound holds everywhere; the last step shows how loose it is here.
            moved, change, rho = history[-1]
            loose = _dot(moved, change) / _dot(change * self.inverse, change).clamp_min(1e-20)
            q *= torch.where(rho > 0, loose, 1)[:, None, None]
        for (moved, change, rho), alpha in zip(history, reversed(alphas), strict=True):
            beta = rho * _dot(change, q)
            q.addcmul_(moved, (alpha - beta)[:, None, None])
        return q.neg_()

    def _keep(self, moving: torch.Tensor) -> None:
        self.labels, self.weights = self.labels[moving], self.weights[moving]
        self.inverse, self.penalty = self.inverse[moving], self.penalty[moving]


def _dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Inner product of each problem, [P]."""
    return torch.linalg.vecdot(a.flatten(1), b.flatten(1))


def _largest(gradient: torch.Tensor) -> torch.Tensor:
    """The largest absolute entry of each problem, [P]."""
    return gradient.abs().flatten(1).amax(1)
