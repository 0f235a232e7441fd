"""The metrics of labels where some rule decides, exact counts, and what is theirs alone."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn import metrics as sk

from jmetrics import checked, classification
from jmetrics._core.counts import average_score, binary_counts
from jmetrics.classification import rates
from jmetrics.classification.overlap import fbeta, jaccard, precision, recall
from tests.compare import assert_same
from tests.laws import programs_compiled_by
from tests.oracles import Oracle, classification as oracles
from tests.rows.classification import CLASSIFICATION

ours: Any = classification  # lists are welcome, but no ArrayLike

N, K = 24, 4


class Data(NamedTuple):
    """Labels, with weights and a mask that leave some of them out."""

    y_true: np.ndarray
    y_pred: np.ndarray
    weight: np.ndarray
    where: np.ndarray

    def counted(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        on = self.where & (self.weight != 0)
        return self.y_true[on], self.y_pred[on], self.weight[on].astype(np.float64)


def weighted(y_true: np.ndarray, y_pred: np.ndarray, seed: int) -> Data:
    rng = np.random.default_rng(seed)
    weight = (rng.integers(0, 9, N) / 4).astype(np.float32)
    return Data(y_true, y_pred, weight, rng.random(N) < 0.8)


def whole(y_true: np.ndarray, y_pred: np.ndarray) -> Data:
    return Data(y_true, y_pred, np.ones(N, np.float32), np.ones(N, bool))


def classes_of(values: list[int], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).choice(values, N).astype(np.int32)


def class_data() -> Iterator[Data]:
    """Random labels, then those where some rule decides."""
    yield whole(classes_of([0, 1, 2, 3], 0), classes_of([0, 1, 2, 3], 1))
    for i, (true, pred) in enumerate(
        [
            ([0, 1, 2, 3], [0, 1, 2, 3]),
            ([2], [2]),  # one class
            ([1], [0, 3]),  # nothing right
            ([0, 3], [0, 1]),  # a class never predicted, one never true, one absent
            ([0, 1, 2], [1]),
        ]
    ):
        yield weighted(classes_of(true, i), classes_of(pred, i + 9), i)


def binary_data() -> Iterator[Data]:
    yield whole(classes_of([0, 1], 0), classes_of([0, 1], 1))
    for i, (true, pred) in enumerate([([0, 1], [0, 1]), ([0, 1], [0]), ([0], [0, 1]), ([1], [1])]):
        yield weighted(classes_of(true, i), classes_of(pred, i + 9), i)


def indicator_data() -> Iterator[Data]:
    """Random indicators; empty rows and columns; all of them empty."""
    rng = np.random.default_rng(5)
    y_true, y_pred = (rng.integers(0, 2, (N, K)).astype(np.int32) for _ in range(2))
    yield whole(y_true, y_pred)
    yield weighted(y_true, y_pred, 0)
    rows, columns = rng.random((N, 1)) < 0.5, np.arange(K) != 1
    yield weighted(y_true * rows, y_pred * rows * columns, 1)
    yield weighted(y_true * 0, y_pred * columns, 2)
    yield weighted(y_true * 0, y_pred * 0, 3)


TARGETS: dict[str, tuple[Callable[[], Iterator[Data]], tuple]] = {
    "binary": (binary_data, ("binary",)),
    "classes": (class_data, ("micro", "macro", "weighted", None)),
    "indicators": (indicator_data, ("micro", "macro", "weighted", "samples", None)),
}
ORACLES: dict[Callable, Oracle] = {row.metric: row.oracle for row in CLASSIFICATION}
AVERAGED = [
    row.metric
    for row in CLASSIFICATION
    if "zero_division" in row.traced and row.metric is not ours.precision_recall_fscore_support
]


def agree(metric: Callable, target: str, average: str | None, labels: Any = None) -> None:
    more = {"beta": 0.5} if metric is ours.fbeta_score else {}
    if target == "classes":
        more["num_classes"] = K
    for data, zero_division in itertools.product(TARGETS[target][0](), (0, 1, np.nan)):
        options = {"average": average, "labels": labels, "zero_division": zero_division, **more}
        same_as_oracle(metric, data, options)


def same_as_oracle(metric: Callable, data: Data, options: dict[str, Any]) -> None:
    value = metric(*data[:2], sample_weight=data.weight, where=data.where, **options)
    assert_same(value, ORACLES[metric](*data.counted(), **options), atol=1e-6)


@pytest.mark.parametrize("metric", AVERAGED, ids=lambda metric: metric.__name__)
@pytest.mark.parametrize("target", TARGETS)
def test_every_average_agrees(metric: Callable, target: str) -> None:
    for average in TARGETS[target][1]:
        agree(metric, target, average)


@pytest.mark.parametrize("metric", [ours.f1_score, ours.specificity_score])
@pytest.mark.parametrize("target", ["classes", "indicators"])
def test_named_labels_agree(metric: Callable, target: str) -> None:
    for labels, average in (((3, 1), None), ((3, 1), "macro"), ((0, 2, 1), "weighted")):
        agree(metric, target, average, labels)
    agree(metric, target, "micro", (1, 2))


def test_labels_beyond_the_data_count() -> None:
    y = [0, 1, 1]
    assert_same(ours.recall_score(y, y, labels=(0, 1, 9), average="macro"), 2 / 3)
    assert_same(ours.recall_score(y, y, num_classes=10, average="macro"), 1.0)
    assert_same(
        ours.specificity_score(y, [0, 1, 0], num_classes=10, average="micro"),
        ours.specificity_score(y, [0, 1, 0], average="micro"),
    )


def test_beta_of_any_size(rng: np.random.Generator) -> None:
    y_true, y_pred = rng.integers(0, 2, (2, N))
    score = functools.partial(ours.fbeta_score, y_true, y_pred)
    assert_same(score(beta=0), ours.precision_score(y_true, y_pred))
    assert_same(score(beta=np.inf), ours.recall_score(y_true, y_pred))
    for beta in (1e-3, 0.7, 1.0, 3.0, 1e3):
        assert_same(score(beta=beta), sk.fbeta_score(y_true, y_pred, beta=beta), rtol=1e-6)
    assert np.isnan(score(beta=-1)) and np.isnan(score(beta=np.nan))
    # Undefined only without positives of either kind, however little one of them counts.
    nothing = functools.partial(ours.fbeta_score, [1, 1], [0, 0], zero_division=1.0)
    assert nothing(beta=1e-4) == 0 and nothing(beta=0) == 1
    for beta in (0.0, 0.5, 1.0, 2.0):
        slope = jax.grad(lambda b: score(beta=b))(beta)
        assert np.isfinite(slope)


def test_support_is_that_of_each_class() -> None:
    average = ours.precision_recall_fscore_support([0, 1, 1], [1, 1, 0], average="macro")
    assert average.support is None
    assert_same(average[:3], (0.25, 0.25, 0.25))
    support = ours.precision_recall_fscore_support([0, 1, 1], [1, 1, 0]).support
    assert support is not None and support.dtype == jnp.int32 and support.tolist() == [1, 2]


# --- tables and agreement ----------------------------------------------------------------


OF_TABLES: list[tuple[Callable, dict[str, Any]]] = [
    *((ours.confusion_matrix, {"normalize": how}) for how in ("true", "pred", "all", None)),
    (ours.confusion_matrix, {"normalize": "pred", "labels": (2, 0, 1)}),
    (ours.multilabel_confusion_matrix, {}),
    (ours.balanced_accuracy_score, {}),
    (ours.balanced_accuracy_score, {"adjusted": True}),
    (ours.geometric_mean_score, {}),
    (ours.matthews_corrcoef, {}),
    (ours.cohen_kappa_score, {"weights": None}),
    (ours.cohen_kappa_score, {"weights": "linear", "labels": (2, 0, 1)}),
    (ours.cohen_kappa_score, {"weights": "quadratic", "replace_undefined_by": -1.0}),
]


@pytest.mark.parametrize(("metric", "options"), OF_TABLES)
def test_degenerate_tables_agree(metric: Callable, options: dict[str, Any]) -> None:
    for data in class_data():
        same_as_oracle(metric, data, {"num_classes": K, **options})


def test_confusion_matrix_of_each_sample_agrees() -> None:
    for data in indicator_data():
        value = ours.multilabel_confusion_matrix(
            *data[:2], samplewise=True, sample_weight=data.weight, where=data.where
        )
        weight = np.where(data.where, data.weight, 0)
        known = sk.multilabel_confusion_matrix(*data[:2], samplewise=True, sample_weight=weight)
        assert_same(value, known, atol=1e-6)


def test_geometric_mean_of_many_does_not_underflow() -> None:
    many = np.repeat(np.arange(300), 4)
    half = np.where(np.arange(many.size) % 2, many, (many + 1) % 300)
    assert_same(ours.geometric_mean_score(many, half), 0.5)


@pytest.mark.filterwarnings("ignore")
def test_likelihood_ratios_agree() -> None:
    rules: list[Any] = [np.nan, 1.0, {"LR+": 3.0, "LR-": 0.5}]
    for data, rule in itertools.product(binary_data(), rules):
        y_true, y_pred, weight = data.counted()
        value = ours.class_likelihood_ratios(
            *data[:2], replace_undefined_by=rule, sample_weight=data.weight, where=data.where
        )
        if set(y_true) | set(y_pred) == {0, 1}:
            known = sk.class_likelihood_ratios(
                y_true, y_pred, sample_weight=weight, replace_undefined_by=rule
            )
            assert_same(value, known)


# --- exact counts ------------------------------------------------------------------------


def exact_agreement(table: np.ndarray) -> tuple[float, float]:
    """Matthews correlation and Cohen's kappa of a table of integers of any size."""
    total, right = int(table.sum()), int(np.trace(table))
    true, pred = ([int(s) for s in table.sum(axis=axis)] for axis in (1, 0))
    chance = sum(t * p for t, p in zip(true, pred, strict=True))
    spread = [total**2 - sum(s * s for s in sums) for sums in (true, pred)]
    return (
        (right * total - chance) / (spread[0] * spread[1]) ** 0.5,
        float(1 - Fraction(total * (total - right), total**2 - chance)),
    )


TABLES = {
    "balanced": [[300_000, 100_000], [250_000, 350_000]],
    "rare": [[999_800, 60], [40, 100]],
    "three": [[2_000_000, 100_000, 50_000], [70_000, 400_000, 30_000], [1, 2, 349_997]],
}


@pytest.mark.parametrize("name", TABLES)
def test_products_of_counts_do_not_overflow(name: str) -> None:
    table = np.array(TABLES[name])
    pairs = np.indices(table.shape).reshape(2, -1).astype(np.int8)
    repeated = np.repeat(pairs, table.ravel(), axis=1)
    correlation, kappa = exact_agreement(table)
    assert_same(ours.matthews_corrcoef(*repeated), correlation, rtol=1e-6, atol=0)
    assert_same(ours.cohen_kappa_score(*repeated), kappa, rtol=1e-6, atol=0)
    assert np.array_equal(ours.confusion_matrix(*repeated), table)
    for weight in (table.ravel(), table.ravel().astype(np.float32)):
        assert_same(
            ours.matthews_corrcoef(*pairs, sample_weight=weight), correlation, rtol=1e-6, atol=0
        )


def test_a_rate_of_nothing_is_undefined_in_spite_of_rounding(rng: np.random.Generator) -> None:
    """The weights of all samples do not add up to those of the parts exactly."""
    y_true, y_pred = rng.integers(0, 2, 1000), np.zeros(1000, int)
    weight = rng.random(1000).astype(np.float32)
    value = ours.negative_predictive_value(
        y_true, y_pred, labels=(0,), average="macro", zero_division=7.0, sample_weight=weight
    )
    assert value == 7
    value = ours.specificity_score(
        y_pred, y_true, labels=(0,), average="macro", zero_division=7.0, sample_weight=weight
    )
    assert value == 7


def test_rates_of_a_rare_rest_keep_their_digits(rng: np.random.Generator) -> None:
    y_true = (np.arange(100_000) >= 20).astype(np.int32)
    y_pred = np.where(rng.random(y_true.size) < 0.5, y_true, 2)
    weight = rng.random(y_true.size).astype(np.float32)
    value = ours.specificity_score(y_true, y_pred, labels=(1,), average="macro")
    assert value == 1
    y_pred = np.where(np.arange(y_true.size) < 5, 1, y_pred)
    assert_same(
        ours.specificity_score(y_true, y_pred, average=None, sample_weight=weight),
        oracles.specificity(y_true, y_pred, weight, average=None, num_classes=3),
        rtol=1e-6,
        atol=0,
    )


def test_zero_one_loss_keeps_a_few_among_many() -> None:
    y_true = np.zeros(2**24 + 11, np.int8)
    y_pred = (np.arange(y_true.size) < 3).astype(np.int8)
    assert_same(ours.zero_one_loss(y_true, y_pred), 3 / y_true.size, rtol=1e-6, atol=0)


# --- static sizes, domains ---------------------------------------------------------------


SIZED: list[Callable] = [
    functools.partial(ours.f1_score, average="macro"),
    ours.confusion_matrix,
    ours.multilabel_confusion_matrix,
    ours.balanced_accuracy_score,
    ours.geometric_mean_score,
    ours.matthews_corrcoef,
    ours.cohen_kappa_score,
]


@pytest.mark.parametrize("metric", SIZED)
def test_number_of_classes_is_inferred_eagerly_and_needed_inside_jit(metric: Callable) -> None:
    y_true, y_pred = next(class_data())[:2]
    value = metric(y_true, y_pred)
    assert_same(jax.jit(functools.partial(metric, num_classes=K))(y_true, y_pred), value)
    with pytest.raises(ValueError, match=r"`num_classes` must be given .* as inside `jit`"):
        jax.jit(metric)(y_true, y_pred)
    weight = np.ones(N, np.float32)
    slope = jax.jit(jax.grad(lambda w: jnp.sum(metric(y_true, y_pred, sample_weight=w))))
    assert np.all(np.isfinite(slope(weight)))  # labels that are not traced are read there too
    assert_same(checked(metric)(y_true, y_pred), value)


def test_inferred_size_is_that_of_what_counts() -> None:
    y, where = np.array([0.0, 2.0, 5.0, np.nan]), np.array([True, True, False, False])
    assert ours.confusion_matrix(y, y, where=where).shape == (3, 3)
    assert ours.confusion_matrix(y, y, sample_weight=[1, 1, 0, 0]).shape == (3, 3)
    assert ours.f1_score([0, 3], [0, 1], average=None).shape == (4,)
    assert ours.confusion_matrix([], []).shape == (1, 1)
    with pytest.raises(ValueError, match="`num_classes` must be given for labels as large"):
        ours.confusion_matrix([2**25], [0])
    with pytest.raises(ValueError, match="at most 46340"):
        ours.cohen_kappa_score([0], [0], num_classes=50_000)
    assert_same(ours.matthews_corrcoef([0, 60_000], [0, 60_000]), 1.0)


def test_labels_outside_are_dropped() -> None:
    y_true, y_pred = np.array([0, 1, 2, -1, 1, 7]), np.array([0, -1, 2, 2, 5, 7])
    table = ours.confusion_matrix(y_true, y_pred, num_classes=3)
    assert table.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]
    value = ours.f1_score(y_true, y_pred, num_classes=3, average=None)
    assert_same(value, sk.f1_score(y_true, y_pred, labels=[0, 1, 2], average=None, zero_division=0))
    assert_same(ours.matthews_corrcoef(y_true, y_pred, num_classes=3), 1.0)
    assert_same(ours.recall_score([-1, -1], [2, 2], average=None), np.zeros(3))


def test_integers_outside_the_domain_are_no_plausible_count() -> None:
    table = ours.multilabel_confusion_matrix([[0, 2]], [[0, 1]])
    assert np.all(table == np.iinfo(np.int32).min)


@pytest.mark.parametrize(
    ("kind", "name", "call"),
    [
        (ValueError, "average", lambda: ours.f1_score([0], [0], average="samples")),
        (ValueError, "average", lambda: ours.f1_score([[0, 1]], [[0, 1]])),
        (ValueError, "labels", lambda: ours.confusion_matrix([0], [0], labels=(3,), num_classes=2)),
        (
            ValueError,
            "labels",
            lambda: ours.f1_score([[0, 1]], [[0, 1]], average=None, labels=(2,)),
        ),
        (TypeError, "labels", lambda: ours.confusion_matrix([0], [0], labels=(0.5,))),
        (TypeError, "labels", lambda: ours.confusion_matrix([0], [0], labels=3)),
        (
            ValueError,
            "num_classes",
            lambda: ours.f1_score([[0, 1]], [[0, 1]], average=None, num_classes=3),
        ),
        (
            ValueError,
            "replace_undefined_by",
            lambda: ours.class_likelihood_ratios([0], [0], replace_undefined_by={"LR+": 1.0}),
        ),
        (
            ValueError,
            "average='samples",
            lambda: ours.multilabel_confusion_matrix([0], [0], samplewise=True),
        ),
        (ValueError, "pred_decision", lambda: ours.hinge_loss([0], [[0.5]])),
        (ValueError, "y_score", lambda: ours.top_k_accuracy_score([0], [[[0.5]]])),
    ],
)
def test_mistakes_are_named(kind: type[Exception], name: str, call: Callable[[], Any]) -> None:
    with pytest.raises(kind, match=f"`{name}"):
        call()


def test_batches_of_one_size_share_a_program() -> None:
    metric = functools.partial(ours.f1_score, average="macro")
    metric([0, 6, 1], [0, 1, 1])
    assert programs_compiled_by(lambda: metric([0, 4, 1], [0, 7, 1])) == 0


# --- scores that decide ------------------------------------------------------------------


def test_top_k_of_two_classes(rng: np.random.Generator) -> None:
    y_true = rng.integers(0, 2, N)
    for y_score in (rng.random(N), rng.normal(size=N), np.full(N, 0.5)):
        score = y_score.astype(np.float32)
        known = sk.top_k_accuracy_score(y_true, score, k=1)
        assert_same(ours.top_k_accuracy_score(y_true, score, k=1), known)
        assert ours.top_k_accuracy_score(y_true, score) == 1
    assert ours.top_k_accuracy_score([0, 1], np.array([[200, 3], [7, 250]], np.uint8), k=1) == 1


def test_hinge_loss_agrees(rng: np.random.Generator) -> None:
    y_true, decision = rng.integers(0, K, N), rng.normal(size=(N, K)).astype(np.float32)
    for y, d in ((y_true, decision), (y_true % 2, decision[:, 0])):
        assert_same(ours.hinge_loss(y, d), sk.hinge_loss(y, d))


# --- soft predictions --------------------------------------------------------------------


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples", "binary", None])
@pytest.mark.parametrize("score", [precision, recall, jaccard, fbeta, rates.specificity])
def test_gradient_in_soft_predictions(
    score: Callable, average: str | None, rng: np.random.Generator
) -> None:
    """The kernel of the hard metrics takes probabilities as well, for losses."""
    shape = (N,) if average == "binary" else (N, 3)
    truth, probability = rng.integers(0, 2, shape).astype(float), rng.uniform(0.1, 0.9, shape)
    weight, direction = rng.random(N), rng.normal(size=shape)
    options = (0.5,) if score is fbeta else ()

    @jax.jit
    def height(probability: Any, weight: Any) -> Any:
        if average == "samples":
            counts = binary_counts(jnp.asarray(truth.T), probability.T, jnp.ones((1, 1)))
        else:
            by_row = weight.reshape(-1, *[1] * (len(shape) - 1))
            counts = binary_counts(jnp.asarray(truth), probability, by_row)
        value = average_score(score, counts, average, weight, True, 0.0, *options)
        return jnp.sum(value * jnp.arange(1.0, 1 + value.size).reshape(value.shape))

    assert_slope(lambda p: height(p, weight), probability, direction)
    assert_slope(lambda w: height(probability, w), weight, rng.normal(size=N))
    hard = (probability > 0.5).astype(float)
    if score is fbeta:
        value = height(hard, weight)
        known = sk.fbeta_score(truth, hard, beta=0.5, average=average, sample_weight=weight)
        assert_same(value, np.sum(known * np.arange(1, 1 + np.size(known))))


def assert_slope(height: Callable, at: np.ndarray, direction: np.ndarray) -> None:
    h = 1e-5
    slope = float(height(at + h * direction) - height(at - h * direction)) / (2 * h)
    np.testing.assert_allclose(
        np.sum(jax.grad(height)(at) * direction), slope, rtol=2e-5, atol=1e-8
    )
