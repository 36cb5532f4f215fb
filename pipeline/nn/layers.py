"""The layers of a pretrained model: where they are, and a model cut to the first of them."""

from torch import nn
from transformers import PreTrainedModel

# Lists in configurations that are of the whole model, however many layers that has: a DeBERTa's, an X-MOD's.
_OF_ALL_LAYERS = ("pos_att_type", "languages", "architectures", "eos_token_id")


def layers_of(model: PreTrainedModel) -> nn.ModuleList | None:
    """The model's layers, first to last; None where it has not one list of them."""
    count = model.config.num_hidden_layers
    found = [each for each in model.modules() if isinstance(each, nn.ModuleList) and len(each) == count]
    # The parts of a T5's layer are a list, too; an outer list comes before those within.
    return found[0] if found and set(found) <= set(found[0].modules()) else None


def keep_first(model: PreTrainedModel, depth: int) -> bool:
    """Cut a model to its first ``depth`` layers, in place; False, and nothing cut, where none were found.

    What its configuration lists layer by layer is cut, too, such as a ModernBERT's kinds of attention.
    """
    layers, config = layers_of(model), model.config
    if layers is None:
        return False
    for name, value in vars(config).items():
        if isinstance(value, list) and len(value) == len(layers) and name not in _OF_ALL_LAYERS:
            setattr(config, name, value[:depth])
    del layers[depth:]
    config.num_hidden_layers = len(layers)
    return True
