"""Which of torch's kernels compute attention: for short sentences its own choice is often a slow one."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel


def attention_of_training(device: torch.device) -> AbstractContextManager[None]:
    """For the forward pass of training: plain products on a CPU, else torch's choice.

    The backward pass of torch's fused kernel for CPUs takes far longer in bf16 where sentences are short
    (benchmarks/step_forms.py).
    """
    return sdpa_kernel(SDPBackend.MATH) if device.type == "cpu" else nullcontext()


def without_plans() -> None:
    """Let attention of this process run without cuDNN from now on; torch has other kernels for a GPU.

    cuDNN makes a plan for every new shape of a batch, and batches of sentences have many. On an H100 small
    training steps of new shapes took several times as long as the same steps again (docs/gpu.md).
    """
    torch.backends.cuda.enable_cudnn_sdp(False)
