"""The metrics of labels against scikit-learn, exact counts, and what is theirs alone."""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn import metrics as sk

from jmetrics import checked, classification
from jmetrics._core.counts import binary_counts, class_counts, sum_of_others
from jmetrics._core.numerics import tabulate
from jmetrics.classification import rates
from jmetrics.classification._averages import average_score
from jmetrics.classification.overlap import fbeta, jaccard, precision, recall
from tests.compare import assert_same, assert_zero

ours: Any = classification  # lists are welcome, but no ArrayLike

N, K = 24, 4
ZERO_DIVISIONS = (0.0, 1.0, np.nan)

pytestmark = pytest.mark.usefixtures("quick_compile")


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


def cells(data: tuple, average: str | None, labels: Any) -> tuple[np.ndarray, ...]:
    y_true, y_pred, weight = data
    table = sk.multilabel_confusion_matrix(
        y_true, y_pred, sample_weight=weight, labels=labels, samplewise=average == "samples"
    )
    if average == "micro":
        table = table.sum(axis=0, keepdims=True)
    return table[:, 0, 0], table[:, 0, 1], table[:, 1, 0], table[:, 1, 1]


RATIOS: dict[Callable, Callable] = {
    ours.jaccard_score: lambda tn, fp, fn, tp: (tp, tp + fp + fn),
    ours.specificity_score: lambda tn, fp, fn, tp: (tn, tn + fp),
    ours.negative_predictive_value: lambda tn, fp, fn, tp: (tn, tn + fn),
    ours.false_positive_rate: lambda tn, fp, fn, tp: (fp, tn + fp),
    ours.false_negative_rate: lambda tn, fp, fn, tp: (fn, tp + fn),
}


def ratio(metric: Callable, data: tuple, average: str | None, labels: Any, zero_division: float):
    """What scikit-learn makes of its own ratios, made of others."""
    if average == "binary":
        labels = [1]
    counts = cells(data, average, labels)
    above, below = RATIOS[metric](*counts)
    values = np.where(below == 0, zero_division, above / np.where(below == 0, 1, below))
    if average is None:
        return values
    weight = {"weighted": counts[2] + counts[3], "samples": data[2]}.get(average or "")
    kept = ~np.isnan(values)
    if not kept.any():
        return np.nan
    weight = np.ones(len(values)) if weight is None or not weight[kept].sum() else weight
    return np.average(values[kept], weights=weight[kept])


SKLEARN: dict[Callable, Callable] = {
    ours.precision_score: sk.precision_score,
    ours.recall_score: sk.recall_score,
    ours.f1_score: sk.f1_score,
    ours.fbeta_score: functools.partial(sk.fbeta_score, beta=0.5),
}


def expected(metric, data, average, labels, zero_division):
    if metric in RATIOS:
        return ratio(metric, data, average, labels, zero_division)
    y_true, y_pred, weight = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SKLEARN[metric](
            y_true,
            y_pred,
            sample_weight=weight,
            average=average,
            labels=labels,
            zero_division=zero_division,
        )


TARGETS: dict[str, tuple[Callable[[], Iterator[Data]], tuple]] = {
    "binary": (binary_data, ("binary",)),
    "classes": (class_data, ("micro", "macro", "weighted", None)),
    "indicators": (indicator_data, ("micro", "macro", "weighted", "samples", None)),
}


def agree(metric: Callable, target: str, average: str | None, labels: Any = None) -> None:
    options = {"beta": 0.5} if metric is ours.fbeta_score else {}
    for data, zero_division in itertools.product(TARGETS[target][0](), ZERO_DIVISIONS):
        value = metric(
            data.y_true,
            data.y_pred,
            average=average,
            labels=labels,
            num_classes=K if target == "classes" else None,
            zero_division=zero_division,
            sample_weight=data.weight,
            where=data.where,
            **options,
        )
        named = list(range(K)) if labels is None and average is None else labels
        assert_same(value, expected(metric, data.counted(), average, named, zero_division))


@pytest.mark.parametrize("metric", [*SKLEARN, *RATIOS], ids=lambda metric: metric.__name__)
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


def test_documented_example_of_fbeta() -> None:
    y_true, y_pred = [0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1]
    for average, value in {
        "macro": 0.238095,
        "micro": 1 / 3,
        "weighted": 0.238095,
        None: [0.714286, 0, 0],
    }.items():
        score = ours.fbeta_score(y_true, y_pred, average=average, beta=0.5)
        assert_same(score, np.array(value), atol=1e-6)


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


def test_pos_label_is_traced(rng: np.random.Generator) -> None:
    y_true, y_pred = rng.integers(0, 2, (2, N))
    values = jax.jit(jax.vmap(lambda p: ours.f1_score(y_true, y_pred, pos_label=p)))(
        jnp.array([0, 1, 2])
    )
    known = [sk.f1_score(y_true, y_pred, pos_label=p) for p in (0, 1)]
    assert_same(values[:2], np.array(known))
    assert np.isnan(values[2])


def test_several_scores_at_once() -> None:
    data = next(itertools.islice(class_data(), 4, None))
    options = {"num_classes": K, "sample_weight": data.weight, "where": data.where}
    for average in (None, "macro"):
        result = ours.precision_recall_fscore_support(
            data.y_true, data.y_pred, beta=2.0, average=average, **options
        )
        y_true, y_pred, weight = data.counted()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known = sk.precision_recall_fscore_support(
                y_true,
                y_pred,
                beta=2,
                sample_weight=weight,
                average=average,
                labels=None if average else range(K),
            )
        assert_same(result[:3], known[:3])
        if average:
            assert result.support is None
        else:
            assert_same(result.support, known[3])
    support = ours.precision_recall_fscore_support([0, 1, 1], [1, 1, 0]).support
    assert support is not None and support.dtype == jnp.int32 and support.tolist() == [1, 2]


# --- tables and agreement ----------------------------------------------------------------


@pytest.mark.parametrize("normalize", ["true", "pred", "all", None])
def test_confusion_matrix_agrees(normalize: str | None) -> None:
    for data, labels in itertools.product(class_data(), (None, (2, 0, 1))):
        y_true, y_pred, weight = data.counted()
        if labels and not set(labels) & set(y_true.tolist()):
            continue
        value = ours.confusion_matrix(
            data.y_true,
            data.y_pred,
            labels=labels,
            num_classes=K,
            normalize=normalize,
            sample_weight=data.weight,
            where=data.where,
        )
        named = labels or range(K)
        assert_same(
            value,
            sk.confusion_matrix(
                y_true, y_pred, sample_weight=weight, labels=named, normalize=normalize
            ),
        )


def test_multilabel_confusion_matrix_agrees() -> None:
    for data in class_data():
        y_true, y_pred, weight = data.counted()
        value = ours.multilabel_confusion_matrix(
            *data[:2], num_classes=K, sample_weight=data.weight, where=data.where
        )
        known = sk.multilabel_confusion_matrix(
            y_true, y_pred, sample_weight=weight, labels=range(K)
        )
        assert_same(value, known, atol=1e-6)
    for data, samplewise in itertools.product(indicator_data(), (False, True)):
        value = ours.multilabel_confusion_matrix(
            *data[:2], samplewise=samplewise, sample_weight=data.weight, where=data.where
        )
        weight = np.where(data.where, data.weight, 0)
        known = sk.multilabel_confusion_matrix(
            *data[:2], samplewise=samplewise, sample_weight=weight
        )
        assert_same(value, known, atol=1e-6)


AGREEMENT: list[tuple[Callable, Callable, dict[str, Any]]] = [
    (ours.balanced_accuracy_score, sk.balanced_accuracy_score, {}),
    (ours.balanced_accuracy_score, sk.balanced_accuracy_score, {"adjusted": True}),
    (ours.matthews_corrcoef, sk.matthews_corrcoef, {}),
    *(
        (ours.cohen_kappa_score, sk.cohen_kappa_score, {"weights": weights, **more})
        for weights, more in (
            (None, {}),
            ("linear", {}),
            ("quadratic", {"replace_undefined_by": -1.0}),
            ("linear", {"labels": (2, 0, 1)}),
        )
    ),
]


@pytest.mark.parametrize(("metric", "peer", "options"), AGREEMENT)
@pytest.mark.filterwarnings("ignore")
def test_agreement_agrees(metric: Callable, peer: Callable, options: dict) -> None:
    for data in class_data():
        y_true, y_pred, weight = data.counted()
        if "labels" in options and not set(options["labels"]) & set(y_true.tolist()):
            continue
        value = metric(
            *data[:2], num_classes=K, sample_weight=data.weight, where=data.where, **options
        )
        if "adjusted" in options and len(set(y_true)) == 1:
            assert np.isnan(value)  # scikit-learn divides by 0 and may get −∞
            continue
        assert_same(value, peer(y_true, y_pred, sample_weight=weight, **options), atol=1e-6)


@pytest.mark.parametrize("normalize", [True, False])
def test_shares_of_samples_agree(normalize: bool) -> None:
    for data in itertools.chain(class_data(), indicator_data()):
        y_true, y_pred, weight = data.counted()
        counting = {"sample_weight": data.weight, "where": data.where}
        for metric, peer in (
            (ours.accuracy_score, sk.accuracy_score),
            (ours.zero_one_loss, sk.zero_one_loss),
        ):
            value = metric(*data[:2], normalize=normalize, **counting)
            known = peer(y_true, y_pred, sample_weight=weight, normalize=normalize)
            assert_same(value, known, atol=1e-6)
        known = sk.hamming_loss(y_true, y_pred, sample_weight=weight)
        assert_same(ours.hamming_loss(*data[:2], **counting), known)


def test_geometric_mean() -> None:
    for data in class_data():
        y_true, y_pred, weight = data.counted()
        present = np.unique(y_true)
        recalls = sk.recall_score(
            y_true, y_pred, sample_weight=weight, labels=present, average=None, zero_division=0
        )
        value = ours.geometric_mean_score(
            *data[:2], num_classes=K, sample_weight=data.weight, where=data.where
        )
        assert_same(value, np.prod(recalls) ** (1 / len(present)))
    many = np.repeat(np.arange(300), 4)  # a product of recalls would be less than any float
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
    data = next(class_data())
    swapped = ours.class_likelihood_ratios(data.y_true, data.y_pred, labels=(2, 1))
    both = np.isin(data.y_true, (1, 2)) & np.isin(data.y_pred, (1, 2))
    known = sk.class_likelihood_ratios(data.y_true[both], data.y_pred[both], labels=[2, 1])
    assert_same(swapped, known)


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
    "three": [[20_000_000, 1_000_000, 500_000], [700_000, 4_000_000, 300_000], [1, 2, 3_499_997]],
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


@pytest.mark.parametrize("num_classes", [4, 100])
def test_class_counts_are_those_of_a_loop(num_classes: int, rng: np.random.Generator) -> None:
    """From one table of pairs, and from one table for each array."""
    y_true, y_pred = rng.integers(-2, 6, (2, 200))
    whole_weight = rng.integers(0, 2, 200).astype(np.int32)
    some_weight = (rng.random(200) * whole_weight).astype(np.float32)
    for weight in (whole_weight, some_weight):
        counts = class_counts(
            jnp.asarray(y_true), jnp.asarray(y_pred), jnp.asarray(weight), num_classes
        )
        assert all(cell.dtype == weight.dtype for cell in counts)
        for k in range(num_classes):
            a, b = y_true == k, y_pred == k
            cells = [weight[c].sum(dtype=np.float64) for c in (a & b, ~a & b, a & ~b, ~a & ~b)]
            assert_same([cell[k] for cell in counts], cells, rtol=1e-6)


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
    data = y_true, y_pred, weight.astype(np.float64)
    assert_same(
        ours.specificity_score(y_true, y_pred, average=None, sample_weight=weight),
        ratio(ours.specificity_score, data, None, None, 0.0),
        rtol=1e-6,
        atol=0,
    )


def test_zero_one_loss_keeps_a_few_among_many() -> None:
    y_true = np.zeros(2**24 + 11, np.int8)
    y_pred = (np.arange(y_true.size) < 3).astype(np.int8)
    assert_same(ours.zero_one_loss(y_true, y_pred), 3 / y_true.size, rtol=1e-6, atol=0)


def test_tabulate_counts_beyond_24_bits() -> None:
    bins = jnp.zeros(2**24 + 10, jnp.int8)
    ones = jnp.ones(bins.size, jnp.int32)
    assert tabulate(bins, ones, 2).tolist() == [2**24 + 10, 0]
    floats = tabulate(bins, ones.astype(jnp.float32), 2)
    assert floats.tolist() == [2**24 + 10, 0]


@pytest.mark.parametrize("size", [1, 5, 100])
def test_tabulate_does_not_drift(size: int) -> None:
    weight = jnp.full(2_000_000, 0.1, jnp.float32)
    exact = weight.size * np.float64(np.float32(0.1))
    assert_same(tabulate(jnp.zeros(weight.size, jnp.int32), weight, size)[0], exact, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_tabulate_is_bincount(dtype: type, rng: np.random.Generator) -> None:
    """Bins outside are dropped, not wrapped; batches and derivatives are those of a sum."""
    bins = rng.integers(-3, 9, 300)
    weight: np.ndarray = rng.integers(1, 9, (2, 300)).astype(dtype)
    inside = (bins >= 0) & (bins < 6)
    known = [np.bincount(bins[inside], w[inside], minlength=6) for w in weight]
    table = jax.vmap(lambda w: tabulate(jnp.asarray(bins), w, 6))
    assert_same(table(jnp.asarray(weight)), np.array(known))
    assert tabulate(jnp.zeros(0, jnp.int32), jnp.zeros(0, dtype), 3).tolist() == [0, 0, 0]
    if dtype is np.float32:
        slope = jax.grad(lambda w: jnp.dot(tabulate(jnp.asarray(bins), w, 6), jnp.arange(6.0)))
        assert_same(slope(jnp.asarray(weight[0])), np.where(inside, bins, 0))


def test_sum_of_others() -> None:
    assert sum_of_others(jnp.array([1, 2, 4])).tolist() == [6, 5, 3]
    assert sum_of_others(jnp.array([3.0])).tolist() == [0]
    assert sum_of_others(jnp.array([1e8, 1.0, 1e-3], jnp.float32))[0] == np.float32(1.001)


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


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.float16, np.float32])
def test_labels_of_any_dtype(dtype: type) -> None:
    data = next(binary_data())
    y_true: np.ndarray = data.y_true.astype(dtype)
    y_pred: np.ndarray = data.y_pred.astype(dtype)
    f1 = sk.f1_score(data.y_true, data.y_pred, average="macro")
    assert_same(ours.f1_score(y_true, y_pred, average="macro"), f1)
    table = ours.confusion_matrix(y_true, y_pred)
    assert np.array_equal(table, sk.confusion_matrix(data.y_true, data.y_pred))
    whole_numbers = not np.issubdtype(dtype, np.floating)
    assert table.dtype == (jnp.int32 if whole_numbers else jnp.float32)


def test_masked_labels_may_be_anything() -> None:
    data = next(itertools.islice(class_data(), 1, None))
    y_true, y_pred, weight = data.counted()
    bad = [np.where(data.where, y, np.nan).astype(np.float32) for y in data[:2]]
    options = {"sample_weight": data.weight, "where": data.where}

    def score(weight: Any) -> Any:
        return ours.f1_score(*bad, average="macro", sample_weight=weight, where=data.where)

    assert_same(
        score(data.weight), sk.f1_score(y_true, y_pred, average="macro", sample_weight=weight)
    )
    slope = jax.grad(score)(data.weight)
    assert_zero(slope[~data.where], "gradient of masked weights")
    assert np.all(np.isfinite(slope))
    assert np.isfinite(ours.cohen_kappa_score(*bad, **options))
    assert np.isnan(ours.f1_score(*bad, average="macro"))


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: ours.f1_score([0, 2], [0, 1]), "binary labels must be 0 or 1"),
        (lambda: ours.f1_score([0, 1], [0, 1], pos_label=2), "`pos_label` must be 0 or 1"),
        (lambda: ours.f1_score([[0, 2]], [[0, 1]], average="micro"), "indicators must be 0 or 1"),
        (lambda: ours.f1_score([0, 0.5], [0, 1], average="macro"), "labels must be whole"),
        (lambda: ours.confusion_matrix([0, 0.5], [0, 1]), "labels must be whole numbers"),
        (lambda: ours.fbeta_score([0, 1], [0, 1], beta=-1.0), "`beta` must not be negative"),
        (lambda: ours.class_likelihood_ratios([0, 2], [0, 1]), "binary labels must be 0 or 1"),
        (lambda: ours.hinge_loss([0, 3], np.zeros((2, 3))), "a class from 0 to 2"),
    ],
)
def test_outside_the_domain_is_nan(call: Callable[[], Any], reason: str) -> None:
    assert all(np.all(np.isnan(leaf)) for leaf in jax.tree.leaves(call()))
    with pytest.raises(ValueError, match=reason):
        checked(call)()


def test_integers_outside_the_domain_are_no_plausible_count() -> None:
    table = ours.multilabel_confusion_matrix([[0, 2]], [[0, 1]])
    assert np.all(table == np.iinfo(np.int32).min)


@pytest.mark.parametrize(
    ("kind", "name", "call"),
    [
        (ValueError, "average", lambda: ours.f1_score([0], [0], average="mean")),
        (ValueError, "average", lambda: ours.f1_score([0], [0], average="samples")),
        (ValueError, "average", lambda: ours.f1_score([[0]], [[0]])),
        (ValueError, "labels", lambda: ours.f1_score([0], [0], average="micro", labels=())),
        (ValueError, "labels", lambda: ours.confusion_matrix([0], [0], labels=(1, 1))),
        (ValueError, "labels", lambda: ours.confusion_matrix([0], [0], labels=(-1, 1))),
        (ValueError, "labels", lambda: ours.confusion_matrix([0], [0], labels=(3,), num_classes=2)),
        (ValueError, "labels", lambda: ours.f1_score([[0]], [[0]], average="micro", labels=(1,))),
        (TypeError, "labels", lambda: ours.confusion_matrix([0], [0], labels=(0.5,))),
        (TypeError, "labels", lambda: ours.confusion_matrix([0], [0], labels=3)),
        (ValueError, "labels", lambda: ours.class_likelihood_ratios([0], [0], labels=(0, 1, 2))),
        (ValueError, "num_classes", lambda: ours.confusion_matrix([0], [0], num_classes=0)),
        (
            ValueError,
            "num_classes",
            lambda: ours.f1_score([[0]], [[0]], average=None, num_classes=2),
        ),
        (ValueError, "normalize", lambda: ours.confusion_matrix([0], [0], normalize="rows")),
        (ValueError, "weights", lambda: ours.cohen_kappa_score([0], [0], weights="cubic")),
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
        (ValueError, "k", lambda: ours.top_k_accuracy_score([0], [0.5], k=0)),
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
    size = ours._averages._averaged._cache_size()
    metric([0, 4, 1], [0, 7, 1])
    assert ours._averages._averaged._cache_size() == size


# --- scores that decide ------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 4])
def test_top_k_agrees(k: int, rng: np.random.Generator) -> None:
    """Many ties, of which the last class wins."""
    y_true, y_score = rng.integers(0, K, N), rng.integers(0, 3, (N, K)).astype(np.float32)
    data = weighted(y_true, y_score, 3)
    _, _, weight = data.counted()
    on = data.where & (data.weight != 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for normalize in (True, False):
            known = sk.top_k_accuracy_score(
                y_true[on],
                y_score[on],
                k=k,
                normalize=normalize,
                labels=range(K),
                sample_weight=weight,
            )
            value = ours.top_k_accuracy_score(
                y_true,
                np.where(on[:, None], y_score, np.nan),
                k=k,
                normalize=normalize,
                sample_weight=data.weight,
                where=data.where,
            )
            assert_same(value, known)


def test_top_k_of_two_classes(rng: np.random.Generator) -> None:
    y_true = rng.integers(0, 2, N)
    for y_score in (rng.random(N), rng.normal(size=N), np.full(N, 0.5)):
        score = y_score.astype(np.float32)
        known = sk.top_k_accuracy_score(y_true, score, k=1)
        assert_same(ours.top_k_accuracy_score(y_true, score, k=1), known)
        assert ours.top_k_accuracy_score(y_true, score) == 1
    assert ours.top_k_accuracy_score([0, 1], np.array([[200, 3], [7, 250]], np.uint8), k=1) == 1


def test_hinge_losses_agree(rng: np.random.Generator) -> None:
    y_true, decision = rng.integers(0, K, N), rng.normal(size=(N, K)).astype(np.float32)
    weight = rng.random(N).astype(np.float32)
    known = sk.hinge_loss(y_true, decision, sample_weight=weight)
    assert_same(ours.hinge_loss(y_true, decision, sample_weight=weight), known)
    margin = decision[np.arange(N), y_true]
    margin = margin - np.where(np.arange(K) == y_true[:, None], -np.inf, decision).max(axis=1)
    squares = np.average(np.maximum(0, 1 - margin) ** 2, weights=weight)
    assert_same(ours.squared_hinge_loss(y_true, decision, sample_weight=weight), squares)
    y_true, decision = y_true % 2, decision[:, 0]
    known = sk.hinge_loss(y_true, decision, sample_weight=weight)
    assert_same(ours.hinge_loss(y_true, decision, sample_weight=weight), known)


# --- derivatives -------------------------------------------------------------------------


WEIGHT_GRADIENTS: list[Callable] = [
    *(
        functools.partial(metric, average=average, num_classes=K)
        for metric in (ours.f1_score, ours.negative_predictive_value)
        for average in ("micro", "macro", "weighted", None)
    ),
    functools.partial(ours.matthews_corrcoef, num_classes=K),
    functools.partial(ours.cohen_kappa_score, num_classes=K, weights="quadratic"),
    functools.partial(ours.confusion_matrix, num_classes=K, normalize="pred"),
    functools.partial(ours.geometric_mean_score, num_classes=K),
    functools.partial(ours.balanced_accuracy_score, num_classes=K, adjusted=True),
]


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("metric", WEIGHT_GRADIENTS)
def test_gradient_in_the_weights(metric: Callable, rng: np.random.Generator) -> None:
    """Also for the weights that are 0."""
    y_true, y_pred = classes_of([0, 1, 2, 3], 0), classes_of([0, 1, 2, 3], 1)
    weight = rng.integers(0, 5, N) / 4.0
    direction, mix = rng.normal(size=N), rng.normal(size=K * K)

    @jax.jit
    def height(weight: Any) -> Any:
        value = jnp.ravel(metric(y_true, y_pred, sample_weight=weight))
        return jnp.dot(value, mix[: value.size])

    on = weight != 0
    assert_slope(height, weight, np.where(on, direction, 0.0))
    for unseen in np.flatnonzero(~on)[:2]:
        assert_slope(height, weight, np.eye(N)[unseen], one_sided=True)


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


def assert_slope(
    height: Callable, at: np.ndarray, direction: np.ndarray, *, one_sided: bool = False
) -> None:
    h = 1e-5
    if one_sided:
        ahead = [float(height(at + step * direction)) for step in (0, h, 2 * h)]
        slope = (4 * ahead[1] - ahead[2] - 3 * ahead[0]) / (2 * h)
    else:
        slope = float(height(at + h * direction) - height(at - h * direction)) / (2 * h)
    np.testing.assert_allclose(
        np.sum(jax.grad(height)(at) * direction), slope, rtol=2e-5, atol=1e-8
    )
