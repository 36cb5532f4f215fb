"""Dropout that takes less than half of torch's time on a CPU.

torch draws a random number for each element there, which in 16 bits is a sixth of a training step. Sixteen
random bits are enough, so one number of 64 serves four elements (benchmarks/step_forms.py).
"""

import torch
from torch import nn

_LEVELS = 2**16  # of the 16 bits that decide on an element


class QuickDropout(nn.Dropout):
    """``nn.Dropout``, with ``p`` rounded to a multiple of 2^-16 on a CPU; elsewhere the same as it."""

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """In training some elements are zero and the others scaled up to keep the mean; shape as given."""
        dropped = round(self.p * _LEVELS)
        if not self.training or states.device.type != "cpu" or not 0 < dropped < _LEVELS:
            return super().forward(states)
        count = states.numel()
        draws = torch.empty(-(-count // 4), dtype=torch.int64).random_(-(2**63), None)
        kept = draws.view(torch.int16)[:count].view(states.shape) >= dropped - _LEVELS // 2
        return states * kept.to(states.dtype).mul_(_LEVELS / (_LEVELS - dropped))


def quicken(model: nn.Module) -> None:
    """Make every ``nn.Dropout`` of a model a ``QuickDropout``, but those that work in place."""
    for parent in list(model.modules()):
        for name, module in parent.named_children():
            if type(module) is nn.Dropout and not module.inplace:
                setattr(parent, name, QuickDropout(module.p).train(module.training))
