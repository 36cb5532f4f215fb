from itertools import product

from pipeline.nn.tag_decoder import UPOS
from pipeline.shapes import SHARE, held_out


def test_a_share_of_all_shapes_is_held_out_whatever_their_length() -> None:
    for length, tags in ((2, UPOS), (3, UPOS), (12, UPOS[:2])):
        shapes = list(product(tags, repeat=length))
        share = sum(map(held_out, shapes)) / len(shapes)
        tolerance = 5 * (SHARE * (1 - SHARE) / len(shapes)) ** 0.5
        assert abs(share - SHARE) < tolerance


def test_the_tags_and_their_order_decide_and_nothing_else() -> None:
    shapes = list(product(UPOS[:6], repeat=3))
    assert [held_out(list(shape)) for shape in shapes] == [held_out(shape) for shape in shapes]
    assert any(held_out(shape) != held_out(shape[::-1]) for shape in shapes)
