"""The layers of a pretrained model: where they are, and a model cut to the first of them."""

from torch import nn
from transformers import PreTrainedModel


def layers_of(model: PreTrainedModel) -> nn.ModuleList | None:
    """The model's layers, first to last; None where it has not one list of them."""
    count = model.config.num_hidden_layers
    found = [each for each in model.modules() if isinstance(each, nn.ModuleList) and len(each) == count]
    return found[0] if len(found) == 1 else None


def keep_first(model: PreTrainedModel, depth: int) -> bool:
    """Cut a model to its first ``depth`` layers, in place; False, and nothing cut, where none were found."""
    layers = layers_of(model)
    if layers is None:
        return False
    del layers[depth:]
    model.config.num_hidden_layers = len(layers)
    return True
