"""Ranking metrics beyond the laws: rules for ties, layouts of lists, other libraries, values."""

# Python lists and numbers go in too, which JAX's `ArrayLike` and `Array` do not admit.
# mypy: disable-error-code="arg-type"

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from sklearn import metrics as sk

import jmetrics
from jmetrics import ranking
from tests.compare import assert_same
from tests.oracles import ranking as oracles

CHANCE = ("average", "pessimistic", "optimistic", "stable")
STRICT = CHANCE[1:]
ONE = CHANCE[:1]
SIZE = 5


class Defined(NamedTuple):
    """A metric, what it is for a list in its final order, and the rules for ties that it has."""

    metric: Callable[..., Any]
    formula: oracles.Formula
    options: Mapping[str, Any] = {}
    ties: tuple[str, ...] = CHANCE
    fixed: Mapping[str, Any] = {"relevance_threshold": 1.0}

    def expected(self, y_true: Any, y_score: Any, **options: Any) -> np.ndarray:
        return oracles.per_list(
            self.formula, y_true, y_score, **self.fixed, **{**self.options, **options}
        )


FALL_OUT = {"relevance_threshold": 1.0, "has_value": oracles.others}
AVERAGE_PRECISION = Defined(ranking.average_precision_at_k, oracles.average_precision)
DEFINED = {
    "dcg": Defined(ranking.dcg_score, oracles.dcg, {"k": (2, 5)}, fixed={"empty": 0.0}),
    "ndcg": Defined(ranking.ndcg_score, oracles.ndcg, {"k": (1, 3, 9)}, fixed={}),
    "ndcg 2^y": Defined(ranking.ndcg_score, oracles.ndcg, {"gain": "exponential"}, fixed={}),
    "rbp": Defined(ranking.rank_biased_precision, oracles.rank_biased, {"k": (2, 5)}),
    "err": Defined(ranking.expected_reciprocal_rank, oracles.cascade, {"k": (2, 5)}, STRICT, {}),
    "P": Defined(ranking.precision_at_k, oracles.precision, {"k": (1, 3, 7)}),
    "P min": Defined(
        ranking.precision_at_k, oracles.precision, {"k": 7, "denominator": "min"}, ONE
    ),
    "R": Defined(ranking.recall_at_k, oracles.recall, {"k": (1, 3)}),
    "F1": Defined(ranking.f1_at_k, oracles.f1, {"k": (1, 3, 7)}),
    "F1 min": Defined(ranking.f1_at_k, oracles.f1, {"k": 7, "denominator": "min"}, ONE),
    "hit": Defined(ranking.hit_rate_at_k, oracles.hit, {"k": (1, 3, 4)}),
    "fall-out": Defined(ranking.fall_out_at_k, oracles.fall_out, {"k": (1, 3)}, fixed=FALL_OUT),
    "R-precision": Defined(ranking.r_precision, oracles.r_precision),
    "RR": Defined(ranking.reciprocal_rank, oracles.reciprocal, {"k": (1, 3, 5)}),
    "AP": AVERAGE_PRECISION._replace(options={"k": (1, 3, 5)}),
    "AP min": AVERAGE_PRECISION._replace(options={"k": (1, 3), "denominator": "min"}),
    "AP hits": AVERAGE_PRECISION._replace(
        options={"k": (1, 3), "denominator": "hits"}, ties=STRICT
    ),
    "bpref": Defined(ranking.bpref, oracles.bpref),
    "iprec": Defined(ranking.interpolated_precision, oracles.interpolated, ties=STRICT),
    "11pt": Defined(ranking.eleven_point_average_precision, oracles.eleven_point, ties=STRICT),
}
EVERY = pytest.mark.parametrize("case", DEFINED.values(), ids=DEFINED.keys())
PLAIN = {  # each metric once, with a rule for ties that it has
    name: partial(case.metric, **case.options, ties=case.ties[0]) for name, case in DEFINED.items()
} | {
    "coverage": ranking.coverage_error,
    "ranking loss": ranking.label_ranking_loss,
    "LRAP": ranking.label_ranking_average_precision_score,
}


def tied_lists(rng: np.random.Generator, n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    y = rng.choice(4, p=[0.55, 0.25, 0.1, 0.1], size=(n, SIZE)).astype(np.float32)
    scores = rng.integers(0, 3, (n, SIZE)).astype(np.float32) - 1
    scores[:4] = 0.5  # all tied
    return y, scores


class Ragged(NamedTuple):
    """The same lists one by one, in padded rows, and as shuffled segments."""

    lists: list[tuple[np.ndarray, np.ndarray]]
    rows: tuple[np.ndarray, np.ndarray]
    where: np.ndarray
    flat: tuple[np.ndarray, np.ndarray]
    segments: np.ndarray


def ragged_lists(rng: np.random.Generator, *, binary: bool = False) -> Ragged:
    """Lists of 0 to 6 items; what pads them has huge scores and labels, or is NaN."""
    lengths = np.append([0, 1, 6], rng.integers(1, 7, 13))
    y, scores = (a[:, :0] for a in tied_lists(rng, len(lengths)))
    y = rng.choice(4, p=[0.5, 0.3, 0.1, 0.1], size=(len(lengths), 6)).astype(np.float32)
    y = np.minimum(y, 1) if binary else y
    scores = rng.integers(-2, 2, y.shape).astype(np.float32)
    where = np.arange(6) < lengths[:, None]
    where = rng.permuted(where, axis=1)
    lists = [(y[i][on], scores[i][on]) for i, on in enumerate(where)]
    segments = np.repeat(np.arange(len(lengths), dtype=np.int32), 6)[where.ravel()]
    shuffle = rng.permutation(len(segments))
    flat = y[where][shuffle], scores[where][shuffle]
    y[~where], scores[~where] = np.nan, np.inf
    y[~where & (np.arange(6) % 2 == 0)], scores[:, 0][~where[:, 0]] = 1e30, np.nan
    return Ragged(lists, (y, scores), where, flat, segments[shuffle])


# --- ties ---------------------------------------------------------------------------------


@EVERY
def test_each_rule_for_ties_by_enumeration(case: Defined, rng: np.random.Generator) -> None:
    y, scores = tied_lists(rng)
    for ties in case.ties:
        value = case.metric(y, scores, **case.options, ties=ties, average=None)
        assert_same(value, case.expected(y, scores, ties=ties), rtol=1e-5)


@pytest.mark.parametrize("name", PLAIN)
def test_all_tied_in_any_order(name: str, rng: np.random.Generator) -> None:
    y = np.stack([rng.permutation([1, 0, 1, 0, 0]) for _ in range(8)])
    values = np.asarray(PLAIN[name](y, np.full(y.shape, -0.5, np.float32), average=None))
    np.testing.assert_array_equal(values, np.broadcast_to(values[:1], values.shape))


@pytest.mark.parametrize("name", ["err", "AP hits", "iprec", "11pt"])
def test_ties_without_a_closed_form_are_refused(name: str) -> None:
    case = DEFINED[name]
    with pytest.raises(ValueError, match="ties"):
        case.metric([[1, 0]], [[1, 0]], **case.options, ties="average")


def test_hits_in_all_places_need_no_rule_for_ties() -> None:
    value = ranking.average_precision_at_k([[1, 0]], [[1, 1]], denominator="hits")
    assert float(value) == 0.75


# --- layouts ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAIN)
def test_rows_are_segments_are_single_lists(name: str, rng: np.random.Generator) -> None:
    metric = PLAIN[name]
    data = ragged_lists(rng, binary=name not in DEFINED)
    rows = np.asarray(metric(*data.rows, where=data.where, average=None))
    segments = {"segment_ids": data.segments, "num_segments": len(data.lists)}
    flat = metric(*data.flat, **segments, average=None)
    assert_same(flat, rows, rtol=1e-6)
    assert np.all(np.isnan(rows[0]))  # it has no item
    if name in DEFINED:
        case = DEFINED[name]
        for i, (y, scores) in enumerate(data.lists[1:], start=1):
            expected = case.expected(y[None], scores[None], ties=case.ties[0])
            assert_same(rows[i], expected[0], rtol=1e-5)
    weight = rng.integers(0, 4, len(data.lists)).astype(np.float32)
    mean = metric(*data.flat, **segments, sample_weight=weight)
    on = (weight > 0) & data.where.any(axis=1)
    assert_same(mean, np.average(rows[on], weights=weight[on], axis=0), rtol=1e-5)


@pytest.mark.parametrize("name", ["ndcg", "P", "bpref", "ranking loss"])
def test_sorted_rows_are_compared_rows(name: str, rng: np.random.Generator) -> None:
    """Rows too long to compare all of their items, for most of them hold none."""
    data, metric = ragged_lists(rng, binary=name not in DEFINED), PLAIN[name]
    long = [np.pad(a, ((0, 0), (0, 150 - a.shape[1]))) for a in (*data.rows, data.where)]
    short = metric(*data.rows, where=data.where, average=None)
    assert_same(metric(*long[:2], where=long[2], average=None), short, rtol=1e-6)


@pytest.mark.parametrize("name", ["dcg", "ndcg", "err"])
def test_gradient_in_relevance(name: str, rng: np.random.Generator) -> None:
    """Masked items have none; segments have that of rows; it is the slope."""
    data, metric = ragged_lists(rng), PLAIN[name]
    slope = jax.grad(lambda y, **how: jnp.sum(metric(y, **how)))
    by_row = np.asarray(slope(data.rows[0], y_score=data.rows[1], where=data.where))
    np.testing.assert_array_equal(by_row[~data.where], 0)
    segments = {"segment_ids": data.segments, "num_segments": len(data.lists)}
    by_item = np.asarray(slope(data.flat[0], y_score=data.flat[1], **segments))
    assert_same(np.sort(by_item), np.sort(by_row[data.where]), rtol=1e-5)

    y, scores = rng.permuted(np.tile([0.5, 1.0, 1.5, 2.5], (6, 1)), axis=1), rng.random((6, 4))
    with jax.enable_x64(True):
        direction, h = rng.normal(size=y.shape), 1e-6
        ends = [float(jnp.sum(metric(y + step * direction, scores))) for step in (h, -h)]
        gradient = slope(y, y_score=scores)
        np.testing.assert_allclose(
            np.sum(gradient * direction), (ends[0] - ends[1]) / (2 * h), 1e-6
        )


def test_equal_gains_have_equal_slopes() -> None:
    gradient = jax.grad(ranking.ndcg_score)(jnp.array([[1.0, 1.0, 0.0, 2.0]]), jnp.ones((1, 4)))
    assert float(gradient[0, 0]) == float(gradient[0, 1])


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int16, np.int32, np.uint32])
def test_the_least_integer_ranks_above_padding(dtype) -> None:
    least = False if dtype == np.bool_ else np.iinfo(dtype).min
    scores = np.full((1, 4), least, dtype)
    scores[0, 2] = True
    where = np.array([[False, True, True, True]])
    value = ranking.precision_at_k([[0, 1, 0, 1]], scores, where=where, k=3)
    assert float(value) == pytest.approx(2 / 3)
    assert float(ranking.reciprocal_rank([[0, 1, 0, 1]], scores, where=where)) == 0.5
    ndcg = ranking.ndcg_score([[9, 1, 0, 1]], scores, where=where)
    assert float(ndcg) == pytest.approx(sk.ndcg_score([[1, 0, 1]], [[0, 1, 0]]))


def test_an_item_in_no_list() -> None:
    def score(segment_ids, where=None):
        ids = {"segment_ids": np.array(segment_ids), "num_segments": 2}
        return ranking.precision_at_k([1.0, 0.0, 1.0], [1.0, 2.0, 3.0], k=1, where=where, **ids)

    assert float(score([0, 0, 1])) == 0.5
    for outside in (2, -1):
        assert np.isnan(score([0, 0, outside]))
        assert float(score([0, 0, outside], np.array([True, True, False]))) == 0.0
        with pytest.raises(ValueError, match="segment_ids"):
            jmetrics.checked(score)([0, 0, outside])


def test_lists_and_segments_without_any_item() -> None:
    for name in ("ndcg", "err", "RR", "AP", "11pt"):
        metric = PLAIN[name]
        assert np.all(np.isnan(metric(np.zeros((3, 0)), np.zeros((3, 0)))))
        ids = {"segment_ids": np.zeros(0, np.int32), "num_segments": 3}
        assert np.all(np.isnan(metric(np.zeros(0), np.zeros(0), **ids)))


@pytest.mark.parametrize("name", ["ndcg", "RR", "err", "11pt"])
def test_segments_export_to_every_platform(name: str) -> None:
    call = jax.jit(lambda y, s, ids: PLAIN[name](y, s, segment_ids=ids, num_segments=3))
    arrays = np.zeros(12, np.float32), np.zeros(12, np.float32), np.zeros(12, np.int32)
    export.export(call, platforms=("cpu", "cuda", "tpu"))(*arrays)


def test_vmap_over_weights_and_lists(rng: np.random.Generator) -> None:
    y, scores = (a.reshape(4, 10, SIZE) for a in tied_lists(rng))
    for metric in (PLAIN["ndcg"], PLAIN["AP"], PLAIN["err"]):
        expected = np.stack([metric(*pair) for pair in zip(y, scores, strict=True)])
        assert_same(jax.vmap(metric)(y, scores), expected)


# --- long lists ---------------------------------------------------------------------------


def test_gains_far_down_one_list(rng: np.random.Generator) -> None:
    """Prefix sums of the discounts are thousands of times what they differ by."""
    n = 300_000
    y, scores = rng.random(n), rng.integers(0, n // 3, n) / 1.0
    expected = sk.dcg_score(y[None], scores[None])
    order = {"segment_ids": np.zeros(n, np.int32), "num_segments": 1}
    value = ranking.dcg_score(*(a.astype(np.float32) for a in (y, scores)), **order)
    np.testing.assert_allclose(value, expected, rtol=1e-6)
    only = np.where(scores == np.sort(scores)[20], 1.0, 0.0)  # a few tied items near the end
    expected = sk.dcg_score(only[None], scores[None])
    value = ranking.dcg_score(*(a.astype(np.float32) for a in (only, scores)), **order)
    np.testing.assert_allclose(value, expected, rtol=1e-6)


def test_chances_in_a_long_run_of_ties() -> None:
    n, relevant = 100_000, 3
    y = (np.arange(n) < relevant).astype(np.float32)
    order = {"segment_ids": np.zeros(n, np.int32), "num_segments": 1}
    place = np.arange(n, dtype=np.float64)
    # P(first relevant at place i) = m/n Π_{j<i} (n - m - j) / (n - 1 - j)
    steps = np.append(relevant / n, (n - relevant - place[:-1]) / (n - 1 - place[:-1]))
    chance = np.cumprod(np.maximum(steps, 0))
    value = ranking.reciprocal_rank(y, np.zeros(n, np.float32), **order)
    np.testing.assert_allclose(value, np.sum(chance / (place + 1)), rtol=3e-6)
    value = ranking.hit_rate_at_k(y, np.zeros(n, np.float32), k=1000, **order)
    np.testing.assert_allclose(value, np.sum(chance[:1000]), rtol=3e-6)


def test_a_long_list_among_short_ones_is_exact(rng: np.random.Generator) -> None:
    lengths = np.append(200_000, np.ones(999, int))
    ids = np.repeat(np.arange(1000), lengths)
    y, scores = rng.random(ids.size).astype(np.float32), rng.random(ids.size).astype(np.float32)
    value = ranking.dcg_score(y, scores, segment_ids=ids, num_segments=1000, average=None)
    np.testing.assert_allclose(
        value[0], sk.dcg_score(y[None, :200_000], scores[None, :200_000]), rtol=1e-6
    )
    np.testing.assert_allclose(value[1:], y[200_000:], rtol=1e-6)


def test_memory_is_a_few_arrays() -> None:
    n = 1 << 16
    arrays = np.zeros(n, np.float32), np.zeros(n, np.float32), np.zeros(n, np.int32)
    for metric in (ranking.ndcg_score, ranking.average_precision_at_k):

        def flat(y, s, ids, metric=metric):
            return metric(y, s, segment_ids=ids, num_segments=n // 16)

        memory = jax.jit(flat).lower(*arrays).compile().memory_analysis()
        assert memory is None or memory.temp_size_in_bytes <= 20 * 4 * n


# --- other libraries ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"k": 3}, {"k": 99}, {"ignore_ties": True, "k": 3}], ids=str
)
def test_gains_are_sklearns(options: dict[str, Any], rng: np.random.Generator) -> None:
    y, scores = tied_lists(rng)
    if "ignore_ties" in options:  # it must not matter then which of tied items comes first
        scores = scores + np.arange(SIZE, dtype=np.float32) / 8
    weight = rng.integers(1, 5, len(y)) / 2
    for name in ("dcg_score", "ndcg_score"):
        expected = getattr(sk, name)(y, scores, sample_weight=weight, **options)
        value = getattr(ranking, name)(y, scores, sample_weight=weight, **options)
        np.testing.assert_allclose(value, expected, rtol=2e-6)
    expected = sk.dcg_score(y, scores, log_base=3, **options)
    value = ranking.dcg_score(y, scores, log_base=3, **options)
    np.testing.assert_allclose(value, expected, rtol=2e-6)


@pytest.mark.parametrize(
    "name", ["coverage_error", "label_ranking_loss", "label_ranking_average_precision_score"]
)
def test_labels_are_sklearns(name: str, rng: np.random.Generator) -> None:
    y, scores = tied_lists(rng)
    y = (y > 0).astype(int)
    weight = rng.integers(1, 5, len(y)) / 2
    y[0], y[1] = 0, 1  # nothing relevant, nothing else
    for weights in (None, weight):
        expected = getattr(sk, name)(y, scores, sample_weight=weights)
        np.testing.assert_allclose(
            getattr(ranking, name)(y, scores, sample_weight=weights), expected, rtol=2e-6
        )


def test_lists_without_ties_are_those_of_trec_eval(rng: np.random.Generator) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    lists, size = 30, 12
    y = rng.choice(4, p=[0.6, 0.2, 0.1, 0.1], size=(lists, size))
    y[0] = 0
    scores = rng.permuted(np.tile(np.arange(size) - 3.0, (lists, 1)), axis=1)
    qrels = {str(q): {str(i): int(g) for i, g in enumerate(row)} for q, row in enumerate(y)}
    run = {str(q): {str(i): float(s) for i, s in enumerate(row)} for q, row in enumerate(scores)}
    ours: dict[str, Any] = {
        "map": ranking.average_precision_at_k,
        "map_cut_5": partial(ranking.average_precision_at_k, k=5),
        "recip_rank": ranking.reciprocal_rank,
        "Rprec": ranking.r_precision,
        "bpref": ranking.bpref,
        "P_5": partial(ranking.precision_at_k, k=5),
        "P_15": partial(ranking.precision_at_k, k=15),
        "recall_5": partial(ranking.recall_at_k, k=5),
        "success_5": partial(ranking.hit_rate_at_k, k=5),
        "ndcg": ranking.ndcg_score,
        "ndcg_cut_5": partial(ranking.ndcg_score, k=5),
    }
    for level in (1, 2):
        names = {"_".join(n.split("_")[:-1]) + "." + n.split("_")[-1] for n in ours if n[-1] in "5"}
        names |= {n for n in ours if n[-1] not in "5"}
        found = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=level).evaluate(run)
        for name, metric in ours.items():
            options = {} if "ndcg" in name else {"relevance_threshold": level}
            values = metric(y, scores, average=None, **options)
            expected = [found[str(q)][name] for q in range(lists)]
            np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-7, err_msg=name)


# --- values -------------------------------------------------------------------------------


def test_known_values() -> None:
    y, falling = [[1, 0, 1, 1]], [[4.0, 3.0, 2.0, 1.0]]
    for denominator, expected in (("relevant", 1 / 3), ("min", 1 / 2), ("hits", 1)):
        value = ranking.average_precision_at_k(
            y, falling, k=2, denominator=denominator, ties="stable"
        )
        assert float(value) == pytest.approx(expected)
    value = ranking.average_precision_at_k(y, [[-1.0, -2.0, -3.0, -4.0]])
    assert float(value) == pytest.approx(0.8056, abs=1e-4)
    rising = [[1.0, 2.0, 3.0]]
    assert float(ranking.ndcg_score([[3, 1, 0]], rising)) == pytest.approx(0.5869, abs=1e-4)
    exponential = ranking.ndcg_score([[3, 1, 0]], rising, gain="exponential")
    assert float(exponential) == pytest.approx(0.5413, abs=1e-4)
    all_tied = [[1.0, 1.0, 1.0]]
    assert float(ranking.ndcg_score([[3, 0, 0]], all_tied)) == pytest.approx(0.7103, abs=1e-4)
    assert float(ranking.ndcg_score([[3, 0, 0]], all_tied, ignore_ties=True)) == pytest.approx(0.5)
    assert float(ranking.ndcg_score([[2]], [[0.3]])) == 1.0


def cubed(y: jax.Array) -> jax.Array:
    return y**3


def test_any_gain(rng: np.random.Generator) -> None:
    y, scores = tied_lists(rng)
    value = ranking.ndcg_score(y, scores, gain=cubed)
    np.testing.assert_allclose(value, sk.ndcg_score(y**3, scores), rtol=2e-6)
    for gain in ("cubic", 3):
        with pytest.raises(ValueError, match="gain"):
            ranking.ndcg_score(y, scores, gain=gain)


def test_negative_relevance() -> None:
    y, scores = [[1.0, -1.0], [1.0, 0.0]], [[2.0, 1.0], [2.0, 1.0]]
    assert np.isnan(ranking.ndcg_score(y, scores, average=None)).tolist() == [True, False]
    with pytest.raises(ValueError, match="must not be negative"):
        jmetrics.checked(ranking.ndcg_score)(y, scores)
    assert float(ranking.dcg_score(y, scores)) == pytest.approx(sk.dcg_score(y, scores))


@pytest.mark.parametrize("name", ["ndcg", "RR", "LRAP"])
def test_lists_with_nothing_relevant(name: str) -> None:
    metric, y, scores = PLAIN[name], [[1, 0], [0, 0]], [[2.0, 1.0], [2.0, 1.0]]
    each = np.asarray(metric(y, scores, empty="skip", average=None))
    assert np.all(np.isnan(each[1]))
    for empty in (0.0, 1.0, np.nan):
        assert_same(metric(y, scores, empty=empty), (each[0] + empty) / 2, rtol=1e-6)
    assert_same(metric(y, scores, empty="skip"), each[0], rtol=1e-6)
    assert np.all(np.isnan(metric([[0, 0]] * 2, scores, empty="skip")))


def test_lists_with_nothing_but_relevant_items_have_no_fall_out() -> None:
    y, scores = [[1, 1], [0, 1]], [[2.0, 1.0], [2.0, 1.0]]
    assert float(ranking.fall_out_at_k(y, scores, k=1)) == 0.5
    assert float(ranking.fall_out_at_k(y, scores, k=1, empty="skip")) == 1.0


def test_recall_levels_are_reached_in_spite_of_rounding() -> None:
    n = 10
    y, scores = np.ones((1, n)), np.arange(n, 0, -1.0)[None]
    y[0, 1:] = 0
    y = np.concatenate([y, np.ones((1, n - 1))], axis=1)
    scores = np.concatenate([scores, -np.arange(n - 1.0)[None]], axis=1)
    value = ranking.interpolated_precision(y, scores, recall_levels=[0.0, 0.1, 0.2])
    assert float(value[0]) == float(value[1]) == 1.0
    assert float(value[2]) == pytest.approx(10 / 19)
    assert np.isnan(
        ranking.interpolated_precision(y, scores, recall_levels=[0.5, 1.5])
    ).tolist() == [
        False,
        True,
    ]


def test_several_cutoffs_are_one_call_each(rng: np.random.Generator) -> None:
    y, scores = tied_lists(rng)
    several = ranking.recall_at_k(y, scores, k=(1, 2, 4))
    assert several.shape == (3,)
    for i, k in enumerate((1, 2, 4)):
        assert_same(several[i], ranking.recall_at_k(y, scores, k=k), rtol=0)
    assert ranking.recall_at_k(y, scores, k=(2,), average=None).shape == (len(y), 1)


def test_mistakes_are_named() -> None:
    y = np.zeros((2, 3))
    for arguments, text in (
        ({"k": 0}, "`k`"),
        ({"k": ()}, "`k`"),
        ({"num_segments": 2}, "`segment_ids` and `num_segments`"),
        ({"segment_ids": np.zeros(6, int), "num_segments": 2}, "`y_true` must have shape"),
        ({"sample_weight": np.ones(3)}, "one entry a list"),
        ({"where": np.ones(3, bool)}, "`where` must have shape"),
        ({"empty": "none"}, "`empty`"),
    ):
        with pytest.raises(ValueError, match=text):
            ranking.precision_at_k(y, y, **{"k": 1, **arguments})
    with pytest.raises(TypeError, match="segment_ids"):
        ranking.precision_at_k(y[0], y[0], segment_ids=np.zeros(3), num_segments=1)
    with pytest.raises(ValueError, match="segment_ids"):
        ranking.precision_at_k(y[0], y[0], segment_ids=np.zeros(2, int), num_segments=1)
    with pytest.raises(ValueError, match="without"):
        ranking.precision_at_k(y[0], y[0])
