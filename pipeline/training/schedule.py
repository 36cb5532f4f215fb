"""What each step of a run is by its number: learning rate, phase, validation; and where two runs part.

With ``train.schedule`` ``wsd`` (warm-up, stable, decay: Hu et al. 2024) the rate of most steps is the same
whatever the length of the run. So a longer run can begin with the checkpoints of a shorter one (``Plan``).
"""

import hashlib
from collections.abc import Callable
from functools import cached_property

from pipeline.core.errors import SynsemError
from pipeline.params import Train


def schedule(step: int, params: Train) -> float:
    """Factor of the learning rate at a step (0-based): linear warm-up, then ``linear`` or ``wsd``.

    ``linear`` falls to zero over all the rest; ``wsd`` stays at 1 and falls in the last ``decay`` of them.
    """
    warmup = _warmup_steps(params)
    falling = decay_steps(params) if params.schedule == "wsd" else max(1, params.steps - warmup)
    return min(1.0, (step + 1) / warmup, max(0.0, (params.steps - step) / falling))


def _warmup_steps(params: Train) -> int:
    return params.warmup_steps or max(1, round(params.warmup * params.steps))


def decay_steps(params: Train) -> int:
    """The last steps of ``wsd``, in which the rate falls."""
    return max(1, round(params.decay * params.steps))


def validation_interval(params: Train) -> int:
    """Steps between two validation passes: ``evaluate_every``, which below 1 is a share of the steps."""
    every = params.evaluate_every
    return int(every) if every >= 1 else max(1, round(every * params.steps))


class Plan:
    """What the parameters and the number of a step decide: learning rate, phase and validation.

    ``phase`` is the system's (``System.phase``). Raises SynsemError where the rate never rises to its full.
    """

    def __init__(self, params: Train, phase: Callable[[int], int] = lambda step: 0) -> None:
        if _warmup_steps(params) > params.steps:
            raise SynsemError(
                f"train.warmup_steps: {params.warmup_steps} are more than the {params.steps} steps of this "
                "run, which would not reach its learning rate; lower them or raise train.steps"
            )
        self.params, self.phase = params, phase
        self.extends = params.schedule == "wsd"

    def validates(self, step: int) -> bool:
        """Whether there is a validation pass after a step (0-based)."""
        return (step + 1) % validation_interval(self.params) == 0 or step + 1 == self.params.steps

    @cached_property
    def turns(self) -> frozenset[int]:
        """Steps before which the state is worth keeping: a longer run may part from this one there."""
        if not self.extends:
            return frozenset()
        decay = self.params.steps - decay_steps(self.params)
        kinds = [(step >= decay, self.phase(step)) for step in range(self.params.steps)]
        return frozenset(step for step in range(1, len(kinds)) if kinds[step] != kinds[step - 1])

    def digest(self, steps: int) -> str:
        """16 hex characters, equal for runs that do the same in their first ``steps`` steps."""
        facts = [
            (schedule(step, self.params), self.phase(step), self.validates(step)) for step in range(steps)
        ]
        return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]
