"""A sentence written anew, in the syntax of a tree or of another sentence."""

from pathlib import Path
from typing import NamedTuple

from pipeline.constituency import Tree, read, tokens
from pipeline.constituency.labels import is_tag
from pipeline.errors import SynsemError
from pipeline.export.encoding import parsed, ready
from pipeline.nn.tree_tokens import Template
from pipeline.params import Parse
from pipeline.sentences import HasTree, Side
from pipeline.systems import registry
from pipeline.systems.parabart import Paraphrase, System

_TOKENS = 256  # of a sentence that are parsed, at most


class Order(NamedTuple):
    """What a user asks for."""

    text: str
    like: str | None  # brackets such as (S (NP) (VP (VBD) (NP))), or a sentence
    beams: int
    best: int
    complete: bool = True  # empty phrases of a tree are filled with what is usual


class Written(NamedTuple):
    """Paraphrases, the best first, and what a user should know of them."""

    paraphrases: list[Paraphrase]
    notes: list[str]


def paraphrase(model: Path, order: Order, parse: Parse) -> Written:
    """Write what is asked for by the system saved in ``model``.

    Raises SynsemError for a model that writes nothing, a text or template that is none, and where the
    template is a sentence and the parser is not installed.
    """
    system = open_writer(model)
    if not order.text.strip():
        raise SynsemError('the text is empty; give a sentence, e.g. "The boy chased the dog."')
    if order.best > order.beams:
        raise SynsemError(f"--best: {order.best} are more than --beams gives ({order.beams}); raise --beams")
    source = Side(order.text, order.text.split(), ())
    if not system.guided:
        if order.like is not None:
            raise SynsemError(
                f"--like: {model} was trained without templates (parabart.guidance: false); leave it out"
            )
        return Written(system.write([source], None, order.beams, order.best)[0], [])
    if order.like is None:
        raise SynsemError('--like: say in which syntax, e.g. --like "(S (NP) (VP))", or give a sentence')
    asked, notes = _asked(order.like, order.complete, system, parse)
    return Written(system.write([source], [asked], order.beams, order.best)[0], notes)


def open_writer(model: Path) -> System:
    """The ``parabart`` system saved in a folder; SynsemError where it holds another one."""
    system = registry.load(model)
    if not isinstance(system, System):
        raise SynsemError(f"{model}: a model of {system.name} writes no paraphrases; name one of parabart")
    return system


def trees_of(texts: list[str], parse: Parse) -> list[HasTree]:
    """A tree for each text."""
    ready(parse)
    return parsed(texts, parse, _TOKENS)


def _asked(like: str, complete: bool, system: System, parse: Parse) -> tuple[Template, list[str]]:
    if not like.strip():
        raise SynsemError('--like: is empty; give a tree such as "(S (NP) (VP))", or a sentence')
    if not like.lstrip().startswith("("):
        return system.template(trees_of([like], parse)[0]), []
    tree = read(like)
    asked, notes, room = tokens(tree), [], system.params.max_tree_tokens
    if complete and is_partial(tree):
        asked = system.phrases.complete(asked)
        tree = read(" ".join(asked))
        notes.append(f"the tree was completed: {tree}")
    if is_partial(tree) and not system.params.prune:
        notes.append("the model saw whole trees alone (parabart.prune: 0); a partial one is new to it")
    if len(asked) > room:
        notes.append(f"the tree has {len(asked)} tokens, of which the first {room} are read")
    return asked, notes


def is_partial(tree: Tree) -> bool:
    """Whether a tree ends in phrases, and not in parts of speech alone."""
    if tree.children:
        return any(is_partial(child) for child in tree.children)
    return not is_tag(tree.label)
