"""Exact nearest neighbours from rounded products: bfloat16 finds the candidates, float32 decides.

Some CPUs multiply bfloat16 matrices several times faster than float32 ones. A rounded score of unit vectors
is off by ``SLACK`` at most, so a row whose rounded score lies further than that below the k-th best exact
score cannot be among the k best. Queries for which this cannot be told are searched again in float32: the
result is that of the plain search, down to rows of equal score.
"""

import torch

# Rounding to 8 bits moves a number by 2**-8 of itself at most: once for either vector, once for the product.
SLACK = 3 * 2**-8 + 1e-4
EXTRA = 24  # candidates beyond k: the more, the rarer a second search
_RESCORED = 256  # queries whose candidates are fetched at once


def pays() -> bool:
    """Whether this CPU multiplies bfloat16 by instructions of its own (AMX)."""
    probe = getattr(torch.cpu, "_is_amx_tile_supported", None)
    return bool(probe and probe())


def best(
    block: torch.Tensor, rounded: torch.Tensor, exact: torch.Tensor, k: int, own: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The k best rows of ``exact`` float32 [m, d] for each query of ``block`` float32 [n, d].

    ``rounded`` is ``exact`` in bfloat16, ``own`` [n] each query's forbidden row. Returns scores and rows,
    both [n, min(k, m)] in no order, and which queries are sure to be right, bool [n]. All vectors have
    length 1.
    """
    product = block.bfloat16() @ rounded.T
    if own is not None:
        forbid(product, own)
    values, rows = product.topk(min(k + EXTRA, product.shape[1]))
    scores = torch.cat(
        [
            torch.bmm(exact[some], queries.unsqueeze(2)).squeeze(2)
            for some, queries in zip(rows.split(_RESCORED), block.split(_RESCORED), strict=True)
        ]
    )
    scores[values == -torch.inf] = -torch.inf
    found, order = scores.topk(min(k, product.shape[1]))
    sure = values[:, -1].float() + SLACK < found[:, -1]
    if values.shape[1] == product.shape[1]:
        sure[:] = True
    return found, rows.gather(1, order), sure


def forbid(product: torch.Tensor, columns: torch.Tensor) -> None:
    """Set ``product[i, columns[i]]`` to minus infinity where there is such a column."""
    inside = (columns >= 0) & (columns < product.shape[1])
    product[inside.nonzero().squeeze(1), columns[inside]] = -torch.inf
