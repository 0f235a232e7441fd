"""Lists of unequal length as padded rows and as segments."""

from __future__ import annotations

import math

import jax
import numpy as np
import pytest

import jmetrics
from jmetrics import ragged
from jmetrics.ranking import ndcg_score

LISTS = [[3.0, 1.0, 2.0], [], [5.0]]
FLAT, LENGTHS = np.array([3.0, 1.0, 2.0, 5.0], np.float32), np.array([3, 0, 1])
ROWS = [[3.0, 1.0, 2.0], [-1.0, -1.0, -1.0], [5.0, -1.0, -1.0]]
WHERE = [[True, True, True], [False, False, False], [True, False, False]]


def test_pad_lists_of_both_kinds() -> None:
    for padded in (
        ragged.pad_lists([np.array(a, np.float32) for a in LISTS], fill=-1),
        ragged.pad_lists(FLAT, LENGTHS, fill=-1),
        jax.jit(lambda a, n: ragged.pad_lists(a, n, size=3, fill=-1))(FLAT, LENGTHS),
    ):
        assert padded.values.tolist() == ROWS
        assert padded.where.tolist() == WHERE


def test_padding_keeps_integers() -> None:
    padded = ragged.pad_lists([np.array([3, 1]), np.array([2])], size=4)
    assert np.issubdtype(padded.values.dtype, np.integer)
    assert padded.values.tolist() == [[3, 1, 0, 0], [2, 0, 0, 0]]


def test_no_lists() -> None:
    assert ragged.pad_lists([]).values.shape == (0, 0)
    assert ragged.pad_lists([[], []], size=2).values.shape == (2, 2)
    assert ragged.segments_from_lengths(np.zeros(0, int), size=2).where.tolist() == [False] * 2


def test_segments() -> None:
    known = ragged.segments_from_lengths(LENGTHS)
    assert known.segment_ids.tolist() == [0, 0, 0, 2]
    padded = jax.jit(lambda n: ragged.segments_from_lengths(n, size=6))(LENGTHS)
    assert padded.segment_ids[:4].tolist() == [0, 0, 0, 2]
    assert padded.where.tolist() == [True] * 4 + [False] * 2
    assert np.all(np.asarray(padded.segment_ids) < 3)


def test_both_layouts_score_alike(rng: np.random.Generator) -> None:
    lengths = np.array([4, 0, 7, 1])
    y, scores = rng.integers(0, 3, 12).astype(np.float32), rng.random(12).astype(np.float32)
    rows, where = ragged.pad_lists(y, lengths)
    ranked, _ = ragged.pad_lists(scores, lengths, fill=9)
    ids, real = ragged.segments_from_lengths(lengths, size=16)
    y, scores = (np.pad(a, (0, 4), constant_values=7) for a in (y, scores))
    flat = ndcg_score(y, scores, segment_ids=ids, num_segments=4, where=real)
    np.testing.assert_allclose(ndcg_score(rows, ranked, where=where), flat, rtol=1e-6)


@pytest.mark.parametrize("steps", [1, 3, 4, 8])
@pytest.mark.parametrize("minimum", [1, 5, 8])
def test_bucket_sizes_are_few_and_near(steps: int, minimum: int) -> None:
    n = 5000
    sizes = [ragged.bucket_size(size, steps=steps, minimum=minimum) for size in range(n + 1)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) <= 1 + steps * (math.ceil(math.log2(n)) - math.floor(math.log2(minimum)))
    for size, bucket in enumerate(sizes):
        assert size <= bucket
        assert bucket == minimum or bucket - size < size / steps
        assert ragged.bucket_size(bucket, steps=steps, minimum=minimum) == bucket


def test_mistakes_are_named() -> None:
    for call in (
        lambda: ragged.pad_lists(LISTS, size=2),
        lambda: ragged.segments_from_lengths(LENGTHS, size=3),
        lambda: jax.jit(ragged.pad_lists)(FLAT, LENGTHS),
        lambda: jax.jit(ragged.segments_from_lengths)(LENGTHS),
        lambda: ragged.bucket_size(-1),
    ):
        with pytest.raises(ValueError, match="size"):
            call()
    with pytest.raises(ValueError, match="lengths"):
        ragged.where_from_lengths([1.5], size=2)
    with pytest.raises(ValueError, match="one axis"):
        ragged.pad_lists([[[1.0]]])


def test_a_traced_list_that_does_not_fit() -> None:
    call = jax.jit(lambda n: ragged.pad_lists(FLAT, n, size=2).values)
    assert np.isnan(call(LENGTHS)).tolist() == [[True, True], [False, False], [False, False]]
    with pytest.raises(ValueError, match="must not exceed"):
        jmetrics.checked(call)(LENGTHS)
