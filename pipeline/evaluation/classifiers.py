"""Fit hundreds of logistic regressions as one batched problem: every fold, label set and penalty at once.

A problem is a labelling of the shared rows, a weight on each row (1 where it trains) and an L2 penalty.
Problems of the same rows and number of classes share every matrix product, [P*C, d] @ [d, n].

They are solved by L-BFGS, each problem with its own step length and history. The preconditioner is a diagonal
in the eigenbasis of XᵀX: first the curvature bound of multinomial regression (Böhning 1992) plus the penalty,
then the Hessian's own diagonal, computed again in a few rounds. On TREC this is 11 times as fast as
scikit-learn's classifiers one at a time (benchmarks/evaluate.py).
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from pipeline.nn.inference import best_device, one_thread

_HISTORY = 8
_ROUNDS = 150
_HALVINGS = 20
_WORTH_A_POOL = 10**8  # multiplications of one product
_REFRESHES = {2, 6, 18, 54}  # rounds before which the preconditioner is computed again
_REPACK_BELOW = 0.8  # the batch is repacked when less than this share of it has not converged


@dataclass(frozen=True)
class Problems:
    """P classification problems over the same n rows.

    ``labels`` int64 [P, n] with values below ``classes``; ``weights`` float32 [P, n], 0 where a row does
    not train; ``penalty`` float64 [P], the L2 weight beside the mean loss: scikit-learn's C is 1 / (penalty
    * rows that train), and of two classes, which have one vector of weights there, twice that.
    """

    labels: NDArray[np.int64]
    weights: NDArray[np.float32]
    penalty: NDArray[np.float64]
    classes: NDArray[np.int64]  # [P], each's number of classes

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, members: NDArray[np.int64]) -> "Problems":
        """Some of the problems."""
        return Problems(
            self.labels[members], self.weights[members], self.penalty[members], self.classes[members]
        )

    def batches(self) -> list[NDArray[np.int64]]:
        """Numbers of the problems with the same training rows and number of classes: none needs padding."""
        groups: dict[tuple[int, bytes], list[int]] = {}
        for number, weights in enumerate(self.weights):
            groups.setdefault((int(self.classes[number]), (weights > 0).tobytes()), []).append(number)
        return [np.array(members) for members in groups.values()]


class Eigenbasis(NamedTuple):
    """n rows of d features in the eigenbasis of XᵀX, and a column of ones for the bias."""

    rows: torch.Tensor  # float32 [n, d + 1]
    curvature: torch.Tensor  # float64 [d + 1]: the eigenvalues of XᵀX / n, and 1


def eigenbasis(features: NDArray[np.float32]) -> Eigenbasis:
    """The features [n, d] as ``fit_logistic`` reads them; many fits can share one."""
    device = best_device()
    x = torch.from_numpy(np.ascontiguousarray(features)).to(device)
    with one_thread():  # the last bits of large products and of LAPACK's eigenvectors depend on how many
        products = (x.double().T @ x.double()) / len(x)
        values, basis = _eigen(products)
    rotated = torch.cat([x @ basis.float(), x.new_ones(len(x), 1)], dim=1)
    return Eigenbasis(rotated, torch.cat([values.clamp_min(0), values.new_ones(1)]))


def _eigen(products: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Eigenvalues and eigenvectors of a symmetric matrix, from its lower triangle or else the upper one.

    On some CPUs LAPACK's divide and conquer does not converge for a rare matrix of few rows, and does so for
    the same numbers in the other triangle.
    """
    try:
        values, basis = torch.linalg.eigh(products)
    except torch.linalg.LinAlgError:
        values, basis = torch.linalg.eigh(products, UPLO="U")
    return values, basis


def fit_logistic(
    features: NDArray[np.float32] | Eigenbasis, problems: Problems, tolerance: float = 5e-4
) -> NDArray[np.float32]:
    """Fit every problem; return the logits of all rows, float32 [P, n, C], C the largest number of classes.

    Logits of classes that a problem does not have are -inf. ``tolerance`` bounds the largest gradient entry
    in the eigenbasis, relative to its value at zero. A problem whose training rows hold one class predicts
    that class.
    """
    rotated, curvature = features if isinstance(features, Eigenbasis) else eigenbasis(features)
    logits = np.full((len(problems), len(rotated), int(problems.classes.max())), -np.inf, dtype=np.float32)
    for members in problems.batches():
        batch = problems.take(members)
        classes = int(batch.classes[0])
        rows = np.flatnonzero(batch.weights[0])
        own = rotated[torch.from_numpy(rows).to(rotated.device)]
        with few_threads(own.numel() * len(members) * classes):
            theta = _Solver(own, batch, rows, curvature).solve(tolerance)
        scores = (theta.flatten(0, 1) @ rotated.T).view(*theta.shape[:2], -1)  # [P, C, n]
        logits[members, :, : scores.shape[1]] = scores.transpose(1, 2).cpu().numpy()
    return logits


def predict(logits: NDArray[np.float32]) -> NDArray[np.int64]:
    """The most likely class, int64 [P, n]."""
    return logits.argmax(axis=-1)


def few_threads(work: int) -> AbstractContextManager[None]:
    """Use one thread for small products: on a busy machine a thread pool costs more than it gains."""
    return nullcontext() if work >= _WORTH_A_POOL else one_thread()


_Update = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # step, change of the gradient, rho


class _Solver:
    """L-BFGS over problems of the same rows and classes; those that have converged leave the batch.

    Everything large is [P, C, n] or [P, C, d]: rows or features, not the few classes, run fastest.
    """

    def __init__(
        self, x: torch.Tensor, problems: Problems, rows: NDArray[np.int64], curvature: torch.Tensor
    ) -> None:
        device = x.device
        self.x, self.transposed, self.classes = x, x.T.contiguous(), int(problems.classes[0])
        self.labels = torch.from_numpy(problems.labels[:, rows]).to(device)[:, None]  # [P, 1, n]
        weights = torch.from_numpy(problems.weights[:, rows].astype(np.float32)).to(device)
        self.weights = (weights / weights.sum(1, keepdim=True))[:, None]  # [P, 1, n]
        penalty = torch.from_numpy(problems.penalty).to(device)[:, None, None]
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
