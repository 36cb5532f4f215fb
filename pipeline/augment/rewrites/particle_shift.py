"""Particle shift, both ways: ``She turned off the light.`` <-> ``She turned the light off.``"""

from collections.abc import Iterator

from pipeline.augment.base import Transformation
from pipeline.augment.draft import Decline, Draft, decline_if
from pipeline.augment.phrases import SourceTree
from pipeline.augment.surface import words


def sites(tree: SourceTree) -> Iterator[tuple[int, int, int]]:
    """Verbs with their particle and object; ``away`` and ``back`` count though they are tagged as adverbs."""
    for verb in tree.verbs:
        adverbs = [kid for kid in tree.children_with(verb, "advmod") if tree.lower[kid] in ("away", "back")]
        particles = [*tree.children_with(verb, "compound:prt"), *adverbs]
        target = tree.child(verb, "obj")
        if particles and target is not None:
            yield verb, particles[0], target


def rewrite(tree: SourceTree, site: tuple[int, int, int]) -> Draft:
    """Move the particle to the other side of the object."""
    verb, particle, target = site
    phrase = tree.phrase(target)
    decline_if(tree.upos[target] == "PRON" or phrase.start < verb, "object is a pronoun")
    separable = f"{tree.lemma[verb]}_{tree.lower[particle]}" in words("separable_verbs")
    if not separable or tree.children[particle] or len(tree.children_with(verb, "compound:prt")) > 1:
        raise Decline("particle that does not move")
    on_the_way = tree.lemma[verb] in words("motion_verbs") or tree.lemma[target] in words("way_nouns")
    decline_if(on_the_way, "particle may be a preposition")
    decline_if(tree.has(verb, "iobj", "ccomp", "xcomp", "conj", "aux:pass"), "more than one object")
    draft = Draft(tree)
    if particle == verb + 1 and phrase.start == particle + 1:
        if len(phrase) > 3 or phrase.open or not tree.has(target, "det", "nmod:poss"):
            raise Decline("object too long or bare")
        draft.put(draft.take([particle]), after=draft[phrase.stop - 1])
    elif particle == phrase.stop and phrase.start == verb + 1:
        # ``used the paint up to the last drop``, ``kept the dogs out of the park``, ``threw it out the door``
        after = particle + 1
        preposition = tree.lower[after] in ("to", "of") and tree.upos[after] == "ADP"
        decline_if(preposition or tree.xpos[after] in ("DT", "PRP$"), "particle may be a preposition")
        draft.put(draft.take([particle]), after=draft[verb])
    else:
        raise Decline("word order in doubt")
    return draft


TRANSFORMATION = Transformation(
    "particle_shift", "same", "no verb with particle and object", sites, rewrite, needs="obj"
)
