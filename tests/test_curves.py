"""Curves, areas and single points against scikit-learn, exact fractions and brute force."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

from jmetrics import checked, curves
from jmetrics.classification.overlap import fbeta
from tests.compare import assert_nan, assert_same
from tests.oracles import curves as oracles
from tests.programs import equations, sorted_shapes

ours: Any = curves  # lists are welcome, but no ArrayLike

N = 40
INF = np.inf

float32, int32 = (functools.partial(np.array, dtype=dtype) for dtype in (np.float32, np.int32))


class Data(NamedTuple):
    """Labels and scores, with weights and a mask that leave some of them out."""

    y_true: np.ndarray
    y_score: np.ndarray
    sample_weight: np.ndarray
    where: np.ndarray

    def counted(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        on = self.where & (self.sample_weight != 0)
        return self.y_true[on], self.y_score[on], self.sample_weight[on]


def binary_data() -> Iterator[Data]:
    """Without and with ties, weights of exact sums, a mask; perfect, reversed, constant."""
    rng = np.random.default_rng(3)
    y = (rng.random(N) < 0.4).astype(np.int32)
    s = (y + rng.normal(0, 1, N)).astype(np.float32)
    ones, on = np.ones(N, np.float32), np.ones(N, bool)
    yield Data(y, s, ones, on)
    weight = (rng.integers(0, 7, N) / 4).astype(np.float32)
    where = rng.random(N) < 0.8
    tied = np.round(2 * s) / 2
    yield Data(y, tied, weight, where)
    yield Data(y, s, weight, on)
    yield Data(y, tied, ones, where)
    yield Data(y, y + s * 0, ones, where)
    yield Data(y, -y - s / 100, weight, where)
    yield Data(y, 0 * s, weight, where)


def keywords(data: Data) -> dict[str, np.ndarray]:
    return {"sample_weight": data.sample_weight, "where": data.where}


def arrays(curve: Any) -> tuple[np.ndarray, ...]:
    """The points alone, whose number must be as told."""
    *points, size = curve
    assert int(size) == max(len(a) for a in points)
    return tuple(map(np.asarray, points))


CURVES: list[tuple[Callable, Callable, dict]] = [
    (ours.confusion_matrix_at_thresholds, sk.confusion_matrix_at_thresholds, {}),
    *((ours.roc_curve, sk.roc_curve, {"drop_intermediate": drop}) for drop in (False, True)),
    *(
        (ours.precision_recall_curve, sk.precision_recall_curve, {"drop_intermediate": drop})
        for drop in (False, True)
    ),
    *((ours.det_curve, sk.det_curve, {"drop_intermediate": drop}) for drop in (False, True)),
]
IDS = [f"{ours.__name__}-{options.get('drop_intermediate', '')}" for ours, _, options in CURVES]


@pytest.mark.parametrize(("curve", "reference", "options"), CURVES, ids=IDS)
def test_eager_curves_are_those_of_sklearn(curve, reference, options) -> None:
    for data in binary_data():
        y, s, w = data.counted()
        expected = reference(y, s, sample_weight=w, **options)
        found = curve(data.y_true, data.y_score, **options, **keywords(data))
        assert_same(arrays(found), expected, rtol=1e-6)


@pytest.mark.parametrize(("curve", "reference", "options"), CURVES, ids=IDS)
def test_unweighted_curves_are_those_of_sklearn(curve, reference, options) -> None:
    for data in list(binary_data())[:2]:
        expected = reference(data.y_true, data.y_score, **options)
        found = curve(data.y_true, data.y_score, **options)
        assert_same(arrays(found), expected, rtol=1e-6)
        half = data.y_score.astype(jnp.bfloat16)
        expected = reference(data.y_true, half.astype(np.float64), **options)
        assert_same(arrays(curve(data.y_true, half, **options)), expected, rtol=1e-6)


@pytest.mark.parametrize(("curve", "reference", "options"), CURVES[:1] + CURVES[2::2])
def test_one_class(curve, reference, options) -> None:
    s = float32([0.1, 0.4, 0.4, 0.8])
    for y in (np.zeros(4, int), np.ones(4, int)):
        if reference is sk.det_curve:  # it refuses
            fpr, fnr, _ = arrays(curve(y, s, **options))
            assert_nan(fnr if y[0] == 0 else fpr, "no such class")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = reference(y, s, **options)
        assert_same(arrays(curve(y, s, **options)), expected)


@pytest.mark.parametrize(("curve", "reference", "options"), CURVES, ids=IDS)
def test_padding_repeats_the_end(curve, reference, options) -> None:
    """Under jit, and with a size: the eager points, and then the last of them."""
    data = list(binary_data())[1]
    eager = arrays(curve(data.y_true, data.y_score, **options, **keywords(data)))
    jitted = jax.jit(functools.partial(curve, **options))
    longer = curve(data.y_true, data.y_score, size=N + 9, **options, **keywords(data))
    for padded in (jitted(data.y_true, data.y_score, **keywords(data)), longer):
        *points, size = padded
        assert int(size) == max(map(len, eager))
        for field, expected in zip(points, eager, strict=True):
            rest = len(field) - len(expected)
            assert rest > 0
            assert_same(field, np.append(expected, np.repeat(expected[-1:], rest)), rtol=0)


@pytest.mark.parametrize(("curve", "reference", "options"), CURVES[:1] + CURVES[2::2])
def test_a_size_that_is_too_small_is_told(curve, reference, options) -> None:
    data = next(binary_data())
    *points, size = curve(data.y_true, data.y_score, size=5, **options)
    assert int(size) > 5
    assert_nan([a for a in points if a.dtype == np.float32], "too small")
    with pytest.raises(ValueError, match="`size` must be at least"):
        checked(curve)(data.y_true, data.y_score, size=5, **options)
    *points, size = curve(data.y_true, data.y_score, size=int(size), **options)
    assert not any(np.any(np.isnan(a)) for a in points)


@pytest.mark.parametrize(("curve", "reference", "options"), CURVES[:1] + CURVES[2::2])
def test_nothing(curve, reference, options) -> None:
    s = float32([0.1, 0.4])
    for found in (
        curve([0, 1], s, where=np.zeros(2, bool), **options),
        curve(np.zeros(0, int), np.zeros(0, np.float32), **options),
    ):
        *points, size = found
        assert int(size) <= 1
        assert_nan(points[0], "nothing")


def test_integers_say_that_a_label_is_none() -> None:
    found = ours.confusion_matrix_at_thresholds([0, 2, 1], float32([0.1, 0.2, 0.3]))
    assert np.all(np.asarray(found.tp) == np.iinfo(np.int32).min)
    assert_nan(found.thresholds, "label 2")


def test_jitted_areas_under_padded_curves() -> None:
    @jax.jit
    def both(y, s, w, on):
        fpr, tpr, *_ = ours.roc_curve(y, s, sample_weight=w, where=on)
        precision, recall, *_ = ours.precision_recall_curve(y, s, sample_weight=w, where=on)
        return ours.auc(fpr, tpr), -jnp.sum(jnp.diff(recall) * precision[:-1])

    for data in binary_data():
        expected = [
            metric(data.y_true, data.y_score, **keywords(data))
            for metric in (ours.roc_auc_score, ours.average_precision_score)
        ]
        assert_same(both(*data), tuple(expected), rtol=1e-6)


def test_weights_of_many_digits_leave_curves_monotone() -> None:
    """Running float sums, which are added up in no particular order, may fall."""
    rng = np.random.default_rng(0)
    y, s = rng.random(20_000) < 0.5, rng.permutation(20_000).astype(np.float32)
    weight = rng.random(20_000).astype(np.float32)
    fpr, tpr, _ = arrays(ours.roc_curve(y, s, sample_weight=weight, drop_intermediate=False))
    assert np.all(np.diff(fpr) >= 0) and np.all(np.diff(tpr) >= 0)
    assert np.all(np.diff(fpr)[y[np.argsort(-s)]] == 0)
    assert np.all(np.diff(tpr)[~y[np.argsort(-s)]] == 0)
    expected = sk.roc_curve(y, s, sample_weight=weight, drop_intermediate=False)
    assert_same((fpr, tpr), expected[:2], rtol=1e-6, atol=2e-7)
    assert fpr[-1] == tpr[-1] == 1


# --- metric_at_thresholds ------------------------------------------------------------------


def test_any_metric_of_counts_at_all_thresholds() -> None:
    data = list(binary_data())[1]
    y, s, w = data.counted()
    for formula, peer in (
        (lambda c: fbeta(c, 0.0, 1.0), functools.partial(sk.f1_score, zero_division=0)),
        (lambda c: (c.tp + c.tn) / (c.tp + c.tn + c.fp + c.fn), sk.accuracy_score),
    ):
        found = ours.metric_at_thresholds(
            data.y_true, data.y_score, metric_of_counts=formula, **keywords(data)
        )
        expected = sk.metric_at_thresholds(y, s, peer, sample_weight=w)
        assert_same(arrays(found), expected, rtol=1e-6)


def test_a_metric_of_counts_must_give_one_number_each() -> None:
    with pytest.raises(ValueError, match="`metric_of_counts` must return one number"):
        ours.metric_at_thresholds([0, 1], [0.1, 0.2], metric_of_counts=lambda c: c.tp.sum())


# --- areas ---------------------------------------------------------------------------------


@pytest.mark.parametrize("max_fpr", [None, 0.125, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("min_tpr", [None, 0.25, 0.7])
def test_partial_areas_are_those_of_the_exact_polygon(max_fpr, min_tpr) -> None:
    bounds = {k: v for k, v in {"max_fpr": max_fpr, "min_tpr": min_tpr}.items() if v is not None}
    for data in binary_data():
        y, s, w = data.counted()
        found = ours.roc_auc_score(data.y_true, data.y_score, **bounds, **keywords(data))
        assert_same(found, float(oracles.exact_area(y, s, w, **bounds)), rtol=2e-6)
        if min_tpr is None:
            assert_same(found, sk.roc_auc_score(y, s, sample_weight=w, **bounds), rtol=2e-6)


def test_logits_that_softmax_would_not_tell_apart() -> None:
    for bounds in ({}, {"max_fpr": 0.5}, {"min_tpr": 0.5}):
        assert ours.roc_auc_score([0, 0, 1, 1], float32([17, 18, 19, 20]), **bounds) == 1
    assert ours.average_precision_score([0, 0, 1, 1], float32([17, 18, 19, 20])) == 1


def test_infinite_scores() -> None:
    y, s = [0, 1, 0, 1, 1], [-INF, -INF, 0.0, INF, INF]
    assert_same(ours.roc_auc_score(y, s), 4.5 / 6)
    _, tpr, thresholds = arrays(ours.roc_curve(y, s))
    assert_same(tpr, np.array([0, 2 / 3, 2 / 3, 1]), rtol=1e-6)
    assert thresholds.tolist() == [INF, INF, 0, -INF]


def class_data(n_classes: int = 3) -> Iterator[Data]:
    rng = np.random.default_rng(n_classes)
    y = rng.integers(0, n_classes, N)
    s = np.round(4 * (np.eye(n_classes)[y] + rng.normal(0, 1, (N, n_classes)))).astype(np.float32)
    weight = (rng.integers(0, 5, N) / 2).astype(np.float32)
    yield Data(y, s, np.ones(N, np.float32), np.ones(N, bool))
    yield Data(y, s, weight, rng.random(N) < 0.8)


def label_data() -> Iterator[Data]:
    rng = np.random.default_rng(9)
    y = (rng.random((N, 3)) < 0.4).astype(np.int32)
    s = np.round(3 * (y + rng.normal(0, 1, (N, 3)))).astype(np.float32)
    weight = (rng.integers(0, 5, N) / 2).astype(np.float32)
    yield Data(y, s, np.ones(N, np.float32), np.ones(N, bool))
    yield Data(y, s, weight, rng.random(N) < 0.8)
    yield Data(y * [1, 0, 1], s, weight, rng.random(N) < 0.8)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples", None])
def test_labels_are_averaged_as_in_sklearn(average) -> None:
    for data in label_data():
        y, s, w = data.counted()
        for metric in ("roc_auc_score", "average_precision_score"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = getattr(sk, metric)(y, s, average=average, sample_weight=w)
            found = getattr(ours, metric)(
                data.y_true, data.y_score, average=average, **keywords(data)
            )
            assert_same(found, expected, rtol=2e-6)


def test_partial_areas_of_labels() -> None:
    data = list(label_data())[1]
    y, s, w = data.counted()
    expected = sk.roc_auc_score(y, s, max_fpr=0.3, sample_weight=w)
    found = ours.roc_auc_score(data.y_true, data.y_score, max_fpr=0.3, **keywords(data))
    assert_same(found, expected, rtol=2e-6)


def test_samples_with_one_kind_of_label_are_undefined_unless_they_have_no_weight() -> None:
    y, s = int32([[0, 1], [1, 1], [1, 0]]), float32([[0.1, 0.2], [0.3, 0.1], [0.2, 0.4]])
    assert_nan(ours.roc_auc_score(y, s, average="samples"), "a row of ones")
    assert ours.roc_auc_score(y, s, average="samples", sample_weight=[1, 0, 1]) == 0.5


@pytest.mark.parametrize("metric", ["roc_auc_score", "average_precision_score"])
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_missing_labels_are_masked_one_by_one(metric, average) -> None:
    data = next(label_data())
    where = np.random.default_rng(1).random((N, 3)) < 0.8
    found = getattr(ours, metric)(
        np.where(where, data.y_true, -1), data.y_score, average=average, where=where
    )
    columns = [(data.y_true[on, k], data.y_score[on, k]) for k, on in enumerate(where.T)]
    values = [getattr(sk, metric)(*column) for column in columns]
    expected = {
        "micro": getattr(sk, metric)(data.y_true[where], data.y_score[where]),
        "macro": np.mean(values),
        "weighted": np.average(values, weights=[y.sum() for y, _ in columns]),
        None: values,
    }[average]
    assert_same(found, np.asarray(expected), rtol=2e-6)


@pytest.mark.parametrize("metric", ["roc_auc_score", "average_precision_score"])
def test_what_is_wrong_in_one_column_leaves_the_others_alone(metric) -> None:
    data = next(label_data())
    whole = np.asarray(getattr(ours, metric)(data.y_true, data.y_score, average=None))
    for k in (0, 1):
        y, s = data.y_true.copy(), data.y_score.copy()
        y[3, k], s[3, k] = (2, s[3, k]) if k else (y[3, k], np.nan)
        found = np.asarray(getattr(ours, metric)(y, s, average=None))
        assert_nan(found[k], "its own column")
        assert_same(np.delete(found, k), np.delete(whole, k), rtol=0)
        assert_nan(getattr(ours, metric)(y, s), "a mean with it")


def probabilities(s: np.ndarray) -> np.ndarray:
    """Scores in the order of others within each column, and rows that add up to 1."""
    s = (s - s.min()) / (2 * s.shape[1] * np.ptp(s))
    return np.column_stack([s, 1 - s.sum(axis=1)])


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_one_against_the_rest_is_that_of_sklearn(average) -> None:
    for data in class_data():
        y, s, w = data.counted()
        s, all_scores = probabilities(s[:, :2]), probabilities(data.y_score[:, :2])
        options = {"average": average, "multi_class": "ovr"}
        expected = sk.roc_auc_score(y, s, sample_weight=w, **options)
        found = ours.roc_auc_score(data.y_true, all_scores, **options, **keywords(data))
        assert_same(found, expected, rtol=2e-6)
        expected = sk.average_precision_score(y, s, sample_weight=w, average=average)
        found = ours.average_precision_score(
            data.y_true, all_scores, average=average, **keywords(data)
        )
        assert_same(found, expected, rtol=2e-6)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_one_against_one_is_that_of_sklearn(average) -> None:
    options = {"average": average, "multi_class": "ovo"}
    for data in class_data():
        y, s = data.y_true, probabilities(data.y_score[:, :2])
        expected = sk.roc_auc_score(y, s, **options)
        assert_same(ours.roc_auc_score(y, s, **options), expected, rtol=2e-6)


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_weights_of_one_against_one_are_repetitions(average) -> None:
    options = {"average": average, "multi_class": "ovo"}
    y, s, weight, where = list(class_data())[1]
    times = (2 * weight).astype(int) * where
    expected = oracles.roc_auc(np.repeat(y, times), np.repeat(s, times, axis=0), **options)
    assert_same(ours.roc_auc_score(y, s, sample_weight=times, **options), expected, rtol=2e-6)


@pytest.mark.parametrize("bounds", [{"max_fpr": 0.3}, {"max_fpr": 0.7, "min_tpr": 0.4}])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_partial_areas_of_classes(multi_class, bounds) -> None:
    for data in class_data():
        y, s, w = data.counted()
        expected = oracles.roc_auc(y, s, w, multi_class=multi_class, **bounds)
        found = ours.roc_auc_score(
            data.y_true, data.y_score, multi_class=multi_class, **bounds, **keywords(data)
        )
        assert_same(found, expected, rtol=2e-6)


def test_classes_that_do_not_occur() -> None:
    """scikit-learn leaves them out of pairs, and cannot average over them."""
    y, s, *_ = next(class_data())
    s = np.column_stack([s, s[:, 0]])
    pairs = functools.partial(ours.roc_auc_score, y, multi_class="ovo")
    assert_same(pairs(s), pairs(s[:, :3]), rtol=1e-6)
    gradient = jax.grad(lambda w: pairs(s, sample_weight=w, max_fpr=0.3))(np.ones(N, np.float32))
    assert np.all(np.isfinite(gradient))
    rest = functools.partial(ours.roc_auc_score, y, s, multi_class="ovr")
    assert_nan(rest(), "a class without samples")
    assert_nan(rest(average=None)[3], "a class without samples")
    supported = functools.partial(rest, average="weighted")
    weighted = ours.roc_auc_score(y, s[:, :3], multi_class="ovr", average="weighted")
    assert_same(supported(), weighted, rtol=1e-6)
    gradient = jax.grad(lambda w: supported(sample_weight=w))(np.ones(N, np.float32))
    assert np.all(np.isfinite(gradient))
    assert ours.average_precision_score(y, s, average=None)[3] == 0


def test_labels_name_the_columns() -> None:
    y, s, *_ = next(class_data())
    for options in ({"multi_class": "ovr"}, {"multi_class": "ovo"}):
        found = ours.roc_auc_score(10 + 5 * y, s, labels=[10, 15, 20], **options)
        assert found == ours.roc_auc_score(y, s, **options)
    with pytest.raises(ValueError, match="`y_true` must be one of `labels`"):
        checked(ours.roc_auc_score)(y, s, labels=[1, 2, 3], multi_class="ovr")
    for labels in ([0, 1], [2, 1, 0], [0, 1, 1]):
        with pytest.raises(ValueError, match="`labels` must"):
            ours.roc_auc_score(y, s, labels=labels, multi_class="ovr")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "`multi_class` must be 'ovr' or 'ovo' for classes"),
        ({"multi_class": "ovo", "average": None}, "`average` must be one of 'macro', 'weighted'"),
        ({"multi_class": "ovo", "average": "micro"}, "`average` must be"),
        ({"multi_class": "ovr", "average": "samples"}, "`average` must be"),
    ],
)
def test_classes_need_to_be_told_how(options, text) -> None:
    with pytest.raises(ValueError, match=text):
        ours.roc_auc_score([0, 1, 2], np.eye(3), **options)


# --- single points -------------------------------------------------------------------------

LEVELS = {
    ours.recall_at_precision: "min_precision",
    ours.precision_at_recall: "min_recall",
    ours.sensitivity_at_specificity: "min_specificity",
    ours.specificity_at_sensitivity: "min_sensitivity",
}


@pytest.mark.parametrize("metric", LEVELS, ids=lambda metric: metric.__name__)
def test_points_at_a_level(metric) -> None:
    for data in binary_data():
        y, s, w = data.counted()
        for level in (0.0, 0.3, 0.5, 0.75, 0.9, 1.0):
            option = {LEVELS[metric]: level}
            found = metric(data.y_true, data.y_score, **option, **keywords(data))
            expected = getattr(oracles, metric.__name__)(y, s, w, **option)
            assert_same(tuple(found), expected, rtol=1e-6)


@pytest.mark.parametrize("metric", LEVELS, ids=lambda metric: metric.__name__)
def test_points_of_one_class(metric) -> None:
    s = float32([0.1, 0.4, 0.4, 0.8])
    for y in (np.zeros(4, int), np.ones(4, int)):
        option = {LEVELS[metric]: 0.5}
        expected = getattr(oracles, metric.__name__)(y, s, **option)
        assert_same(tuple(metric(y, s, **option)), expected, rtol=1e-6)


def test_gaps_and_equal_errors() -> None:
    for data in binary_data():
        y, s, w = data.counted()
        for metric in ("equal_error_rate", "ks_statistic"):
            found = getattr(ours, metric)(data.y_true, data.y_score, **keywords(data))
            assert_same(found, getattr(oracles, metric)(y, s, w), rtol=1e-6)
        found = ours.ks_statistic(data.y_true, data.y_score)
        groups = (data.y_score[data.y_true == k] for k in (0, 1))
        assert_same(found, stats.ks_2samp(*groups).statistic, rtol=1e-6)
    assert_nan(ours.equal_error_rate([1, 1], [0.1, 0.2]), "no negatives")
    assert_nan(ours.ks_statistic([0, 0], [0.1, 0.2]), "no positives")


# --- many weights, one order ---------------------------------------------------------------

CALLS: dict[str, Callable] = {
    "roc_auc_score": ours.roc_auc_score,
    "partial": functools.partial(ours.roc_auc_score, max_fpr=0.3, min_tpr=0.2),
    "average_precision_score": ours.average_precision_score,
    "roc_curve": ours.roc_curve,
    "precision_recall_curve": functools.partial(
        ours.precision_recall_curve, drop_intermediate=True
    ),
    "det_curve": ours.det_curve,
    "recall_at_precision": functools.partial(ours.recall_at_precision, min_precision=0.5),
    "equal_error_rate": ours.equal_error_rate,
    "ks_statistic": ours.ks_statistic,
    "ovr": functools.partial(ours.roc_auc_score, multi_class="ovr"),
    "ovo": functools.partial(ours.roc_auc_score, multi_class="ovo"),
    "ovo-partial": functools.partial(ours.roc_auc_score, multi_class="ovo", max_fpr=0.3),
}


@pytest.mark.parametrize("name", CALLS)
def test_many_weights_share_one_sort(name: str) -> None:
    """One sort, of arrays that have no axis for the weights."""
    y, s, *_ = next(class_data() if name.startswith("ov") else binary_data())
    weights = jnp.ones((7, N), jnp.float32)
    batched = jax.vmap(lambda w: CALLS[name](y, s, sample_weight=w))
    shapes = [s for s in sorted_shapes(batched, weights) if s != (7,)]  # what `checked` reports
    assert shapes == 2 * shapes[:1] and shapes[0][-1] == N and 7 not in shapes[0]


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score", "roc_curve"])
def test_16_bit_scores_are_not_sorted(name: str) -> None:
    y, s, *_ = next(binary_data())
    parts = equations(CALLS[name], y, jnp.asarray(s, jnp.bfloat16))
    assert "sort" not in {equation.primitive.name for equation in parts}
