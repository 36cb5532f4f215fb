"""``synsem paraphrase``: a sentence written anew, in the syntax of a tree or of another sentence.

``paraphrase_quality`` scores such paraphrases by all measures of ``evaluation.tasks.paraphrasing``, those
that need a parser among them.
"""

from pathlib import Path
from typing import NamedTuple

from pipeline.core.errors import SynsemError
from pipeline.evaluation.tasks.paraphrasing import Pair, quality
from pipeline.export.text_encoder import parsed, ready
from pipeline.mining.paraphrase_pairs import shared_ngrams
from pipeline.params import Parse
from pipeline.syntax.constituency import Tree, read, tokens
from pipeline.syntax.constituency.tree import is_tag
from pipeline.syntax.sentence import HasTree, Side
from pipeline.systems import registry
from pipeline.systems.parabart.model import Paraphrase, System
from pipeline.systems.parabart.trees import Template
from pipeline.training.examples import Examples

_TOKENS = 256  # of a sentence that are parsed, at most


class ParaphraseRequest(NamedTuple):
    """What a user asks for."""

    text: str
    like: str | None  # brackets such as (S (NP) (VP (VBD) (NP))), or a sentence
    beams: int
    best: int
    complete: bool = True  # empty phrases of a tree get the commonest form of their label


class Paraphrases(NamedTuple):
    """Paraphrases, the best first, and what a user should know of them."""

    paraphrases: list[Paraphrase]
    notes: list[str]


def paraphrase(model: Path, request: ParaphraseRequest, parse: Parse) -> Paraphrases:
    """Write what is asked for, by the system saved in ``model``.

    Raises SynsemError for a model that writes no paraphrases, an empty text, a template that cannot be read,
    and where the template is a sentence and the parser is not installed.
    """
    system = open_writer(model)
    if not request.text.strip():
        raise SynsemError('the text is empty; give a sentence, e.g. "The boy chased the dog."')
    if request.best > request.beams:
        raise SynsemError(
            f"--best: {request.best} are more than --beams gives ({request.beams}); raise --beams"
        )
    source = Side(request.text, request.text.split(), ())
    if not system.guided:
        if request.like is not None:
            raise SynsemError(
                f"--like: {model} was trained without templates (parabart.guidance: false); leave it out"
            )
        return Paraphrases(system.write([source], None, request.beams, request.best)[0], [])
    if request.like is None:
        raise SynsemError('--like: say in which syntax, e.g. --like "(S (NP) (VP))", or give a sentence')
    template, notes = _template(request.like, request.complete, system, parse)
    return Paraphrases(system.write([source], [template], request.beams, request.best)[0], notes)


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


def _template(like: str, complete: bool, system: System, parse: Parse) -> tuple[Template, list[str]]:
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
    """Whether a leaf of the tree is a phrase rather than a part of speech."""
    if tree.children:
        return any(is_partial(child) for child in tree.children)
    return not is_tag(tree.label)


def paraphrase_quality(
    model: Path, pairs: Path, count: int, parse: Parse, most_shared: float = 1.0
) -> dict[str, float]:
    """Scores of paraphrases of the first ``count`` development examples of a folder of ``store.TRIPLET``.

    Only of those that share at most ``most_shared`` of their word trigrams (Jaccard): where it is low,
    copying the source is no answer.
    """
    system, examples = open_writer(model), Examples(pairs, "dev")
    batch = examples.batch(range(len(examples)))
    chosen = [
        Pair(source, target)
        for source, target in zip(batch.anchors, batch.positives, strict=True)
        if shared_ngrams(source.words, target.words, 3) <= most_shared
    ][:count]
    if len(chosen) < 2:
        raise SynsemError(f"{pairs}: fewer than two development examples to judge; mine again")
    return quality(system, chosen, lambda texts: trees_of(list(texts), parse))
