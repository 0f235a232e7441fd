"""The drop-in against scikit-learn: names, signatures, values, types, warnings and errors."""

from __future__ import annotations

import inspect
import subprocess
import sys
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

import jmetrics
from jmetrics import sklearn_compat
from jmetrics._core.plan import range_of
from jmetrics.sklearn_compat import _call
from jmetrics.sklearn_compat._params import refuse
from tests.compare import assert_in_range

HOMES = ("_classification", "_ranking", "_regression")
NAMES = [
    name
    for name in sklearn.metrics.__all__
    if getattr(getattr(sklearn.metrics, name), "__module__", "").rpartition(".")[2] in HOMES
]


class Case(NamedTuple):
    name: str
    arrays: tuple[Any, ...]
    options: Mapping[str, Any] = MappingProxyType({})

    def __str__(self) -> str:
        return f"{self.name}-{'-'.join(f'{k}={v}' for k, v in self.options.items())}"[:60]


class Outcome(NamedTuple):
    value: Any
    warned: set[str]
    error: Exception | None


def outcome(module: Any, case: Case) -> Outcome:
    """What a call gives, or raises, and the classes of the warnings of the library itself."""
    value, error = None, None
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        try:
            value = getattr(module, case.name)(*case.arrays, **case.options)
        except Exception as raised:
            error = raised
    warned = {w.category.__name__ for w in record}
    return Outcome(value, warned - {"RuntimeWarning"}, error)


def assert_alike(case: Case) -> None:
    ours, theirs = outcome(sklearn_compat, case), outcome(sklearn.metrics, case)
    assert theirs.error is None and ours.error is None, ours.error
    assert ours.warned == theirs.warned
    assert_equal(ours.value, theirs.value)


def assert_equal(ours: Any, theirs: Any) -> None:
    """The same numbers in the same containers; where scikit-learn has a NumPy scalar, a float."""
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple) and len(ours) == len(theirs)
        for pair in zip(ours, theirs, strict=True):
            assert_equal(*pair)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for key in theirs:
            assert_equal(ours[key], theirs[key])
    elif isinstance(theirs, np.ndarray):
        assert isinstance(ours, np.ndarray) and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)
    elif isinstance(theirs, float):
        assert type(ours) is float
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-15, nan_ok=True)
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", NAMES)
def test_name_and_signature(name: str) -> None:
    ours = inspect.signature(getattr(sklearn_compat, name)).parameters.values()
    theirs = inspect.signature(getattr(sklearn.metrics, name)).parameters.values()
    assert [(p.name, p.kind) for p in ours] == [(p.name, p.kind) for p in theirs]
    defaults = [(a.default, b.default) for a, b in zip(ours, theirs, strict=True)]
    assert all(a == b or (a != a and b != b) for a, b in defaults)
    assert name in sklearn_compat.__all__ and getattr(sklearn_compat, name).__doc__


TRUE, PRED = [0, 1, 2, 2, 1, 0, 5], [0, 2, 2, 1, 1, 0, 1]
BINARY, OTHER = [0, 1, 1, 0, 1, 0, 0], [0, 1, 0, 1, 1, 0, 0]
WEIGHT = [0.5, 1.0, 2.0, 0.0, 3.0, 1.5, 1.0]
SCORE = [0.1, 0.9, 0.4, 0.4, 0.8, 0.3, 0.2]
COLUMNS = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 1]])
OTHERS = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 0], [0, 1, 1], [1, 0, 1], [0, 1, 0], [0, 0, 1]])
SCORES = np.random.default_rng(0).dirichlet(np.ones(3), 7)
CLASSES = [0, 1, 2, 2, 1, 0, 1]
NUMBERS, GUESSES = [3.0, 0.5, 2.0, 7.0, 4.0, 1.0, 2.5], [2.5, 0.5, 2.0, 8.0, 3.0, 1.5, 2.0]
OUTPUTS = np.stack([NUMBERS, GUESSES], axis=1)
TEXT = ["ham", "spam", "ham", "egg", "spam", "ham", "egg"]

LABELS = (TRUE, PRED)
COUNTED = (
    Case("accuracy_score", LABELS),
    Case("accuracy_score", LABELS, {"normalize": False, "sample_weight": WEIGHT}),
    Case("accuracy_score", (COLUMNS, OTHERS)),
    Case("zero_one_loss", LABELS, {"sample_weight": WEIGHT}),
    Case("hamming_loss", (COLUMNS, OTHERS)),
    Case("confusion_matrix", LABELS),
    Case("confusion_matrix", LABELS, {"labels": [2, 0], "sample_weight": WEIGHT}),
    Case("confusion_matrix", LABELS, {"normalize": "true", "labels": [2, 5, 7]}),
    Case("confusion_matrix", ([1, 1], [1, 1])),
    Case("multilabel_confusion_matrix", LABELS, {"labels": [2, 9]}),
    Case(
        "multilabel_confusion_matrix",
        (COLUMNS, OTHERS),
        {"samplewise": True, "sample_weight": [1, 2, 3, 0, 1, 1, 2]},
    ),
    Case("cohen_kappa_score", LABELS, {"weights": "quadratic"}),
    Case("cohen_kappa_score", ([1, 1], [1, 1]), {"replace_undefined_by": 0.0}),
    Case("matthews_corrcoef", LABELS, {"sample_weight": WEIGHT}),
    Case("balanced_accuracy_score", LABELS, {"adjusted": True}),
    Case("balanced_accuracy_score", ([0, 0, 1], [0, 2, 1])),
    Case("class_likelihood_ratios", (BINARY, OTHER)),
    Case("class_likelihood_ratios", (BINARY, BINARY), {"replace_undefined_by": 1.0}),
    Case("class_likelihood_ratios", ([0, 0, 0], [1, 0, 0])),
    Case("precision_score", (BINARY, OTHER)),
    Case("precision_score", (["a", "b", "a"], ["a", "a", "b"]), {"pos_label": "b"}),
    Case("precision_score", LABELS, {"average": "macro", "zero_division": np.nan}),
    Case("recall_score", LABELS, {"average": "weighted", "sample_weight": WEIGHT}),
    Case("f1_score", LABELS, {"average": None, "labels": [5, 2, 7]}),
    Case("f1_score", (COLUMNS, OTHERS), {"average": "samples"}),
    Case("f1_score", LABELS, {"average": "micro", "pos_label": 2, "labels": [1, 2]}),
    Case("fbeta_score", LABELS, {"beta": 0.5, "average": "macro"}),
    Case("fbeta_score", (BINARY, OTHER), {"beta": np.inf}),
    Case("jaccard_score", LABELS, {"average": "weighted", "labels": [7]}),
    Case("precision_recall_fscore_support", LABELS),
    Case("precision_recall_fscore_support", LABELS, {"average": "macro", "warn_for": ()}),
    Case("classification_report", (TEXT, TEXT[::-1])),
    Case("classification_report", LABELS, {"output_dict": True, "labels": [0, 1, 9]}),
    Case("classification_report", (COLUMNS, OTHERS), {"digits": 4, "sample_weight": WEIGHT}),
)
PROBABLE = (
    Case("log_loss", (BINARY, SCORE)),
    Case("log_loss", (CLASSES, SCORES), {"sample_weight": WEIGHT, "normalize": False}),
    Case("log_loss", (COLUMNS, SCORES)),
    Case("log_loss", ([0, 1], [[0.5, 0.6], [0.5, 0.5]])),
    Case("log_loss", ([0, 1],), {"y_pred": [0.2, 0.7]}),
    Case("brier_score_loss", (BINARY, SCORE)),
    Case("brier_score_loss", (TEXT[:2], [0.2, 0.7]), {"pos_label": "spam"}),
    Case("brier_score_loss", (CLASSES, SCORES), {"labels": [0, 1, 2]}),
    Case("brier_score_loss", (COLUMNS, SCORES), {"scale_by_half": True}),
    Case("d2_log_loss_score", (CLASSES, SCORES), {"sample_weight": WEIGHT}),
    Case("d2_log_loss_score", ([1], [0.5])),
    Case("d2_brier_score", (BINARY, SCORE)),
    Case("d2_brier_score", (COLUMNS, SCORES)),
    Case("d2_brier_score", ([1, 1], [0.5, 0.75])),
    Case("hinge_loss", (["a", "b", "b"], [-1.5, 0.5, 2.0])),
    Case("hinge_loss", ([0, 2, 2], SCORES[:3]), {"labels": [0, 1, 2]}),
    Case("top_k_accuracy_score", (CLASSES, SCORES), {"sample_weight": WEIGHT}),
    Case("top_k_accuracy_score", (BINARY, SCORE), {"k": 1, "normalize": False}),
    Case("top_k_accuracy_score", (BINARY, SCORE)),
)
RANKED = (
    Case("roc_curve", (BINARY, SCORE)),
    Case("roc_curve", ([1, 1], [0.5, 0.25])),
    Case("roc_curve", (BINARY, np.array(SCORE, np.float32)), {"sample_weight": WEIGHT}),
    Case("precision_recall_curve", (BINARY, [1, 9, 4, 4, 8, 3, 2]), {"drop_intermediate": True}),
    Case("precision_recall_curve", ([0, 0], [0.5, 0.25])),
    Case("det_curve", (TRUE[:2], SCORE[:2]), {"pos_label": 1}),
    Case("det_curve", (BINARY, SCORE)),
    Case("confusion_matrix_at_thresholds", (TRUE, SCORE), {"pos_label": 2}),
    Case("confusion_matrix_at_thresholds", (BINARY, SCORE, 0)),
    Case("metric_at_thresholds", (BINARY, SCORE, sklearn.metrics.f1_score)),
    Case("auc", ([0.0, 0.5, 1.0], [0.0, 0.75, 1.0])),
    Case("auc", ([3, 2, 1], [0, 1, 1])),
    Case("roc_auc_score", (BINARY, SCORE), {"max_fpr": 0.5}),
    Case("roc_auc_score", ([1, 1], [0.5, 0.25])),
    Case("roc_auc_score", (COLUMNS, SCORES), {"average": "samples"}),
    Case("roc_auc_score", (CLASSES, SCORES), {"multi_class": "ovr", "average": None}),
    Case("roc_auc_score", (CLASSES, SCORES), {"multi_class": "ovo", "average": "weighted"}),
    Case("roc_auc_score", (COLUMNS * [1, 1, 0], SCORES)),
    Case("average_precision_score", (BINARY, SCORE), {"sample_weight": WEIGHT, "pos_label": 0}),
    Case("average_precision_score", (CLASSES, SCORES)),
    Case("average_precision_score", (COLUMNS * [1, 1, 0], SCORES), {"average": "weighted"}),
    Case("coverage_error", (COLUMNS, SCORES)),
    Case("label_ranking_loss", (scipy.sparse.csr_array(COLUMNS), SCORES)),
    Case("label_ranking_average_precision_score", (COLUMNS, SCORES), {"sample_weight": WEIGHT}),
    Case("dcg_score", (COLUMNS * 3, SCORES), {"log_base": 10}),
    Case("ndcg_score", (COLUMNS, OTHERS), {"k": 2, "sample_weight": WEIGHT}),
)
PLAIN = ("mean_absolute_error", "mean_squared_error", "median_absolute_error")
MEASURED = (
    *(Case(name, (NUMBERS, GUESSES), {"sample_weight": WEIGHT}) for name in PLAIN),
    Case("mean_squared_error", (OUTPUTS, OUTPUTS[::-1]), {"multioutput": "raw_values"}),
    Case("root_mean_squared_error", (OUTPUTS, OUTPUTS[::-1]), {"multioutput": [0.3, 0.7]}),
    Case("mean_absolute_percentage_error", ([0, 2], [1, 1])),
    Case("mean_squared_log_error", (NUMBERS, GUESSES)),
    Case("root_mean_squared_log_error", (OUTPUTS, OUTPUTS[::-1])),
    Case("mean_pinball_loss", (NUMBERS, GUESSES), {"alpha": 0.1}),
    Case("explained_variance_score", ([[1], [2]], [1, 3])),
    Case("r2_score", (OUTPUTS, OUTPUTS[::-1]), {"multioutput": "variance_weighted"}),
    Case("r2_score", ([5, 5], [5, 6]), {"force_finite": False}),
    Case("r2_score", ([1], [2])),
    Case(
        "r2_score",
        ([[1, 5], [2, 5]], [[1, 5], [1, 5]]),
        {"multioutput": "variance_weighted", "force_finite": False},
    ),
    Case("d2_pinball_score", (NUMBERS, GUESSES), {"alpha": 0.75}),
    Case("d2_absolute_error_score", (NUMBERS, GUESSES)),
    Case("max_error", (NUMBERS, GUESSES)),
    Case("mean_tweedie_deviance", (NUMBERS, GUESSES), {"power": 1.5}),
    Case("mean_poisson_deviance", (NUMBERS, GUESSES)),
    Case("mean_gamma_deviance", (NUMBERS, GUESSES)),
    Case("d2_tweedie_score", (NUMBERS, GUESSES), {"power": 1, "sample_weight": WEIGHT}),
)
ALIKE = COUNTED + PROBABLE + RANKED + MEASURED


@pytest.mark.parametrize("case", ALIKE, ids=str)
def test_value_type_and_warnings(case: Case) -> None:
    assert_alike(case)


def declared_range(case: Case) -> Any:
    """Of the function of the same name, if there is one."""
    metric = getattr(jmetrics, case.name, None)
    return None if metric is None else range_of(metric, case.options)


def extremes_of(case: Case) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Predictions that are right, but for one or for none, and targets that are all alike."""
    y_true, y_pred = map(np.asarray, case.arrays[:2])
    few = y_true.ndim < y_pred.ndim
    right = np.eye(y_pred.shape[1])[y_true] if few else y_true.reshape(y_pred.shape)
    return {
        "right": (y_true, right),
        "nearly right": (y_true, np.append(right[:-1], y_pred[-1:], axis=0)),
        "one target": (np.zeros_like(y_true), y_pred),
        "another target": (np.ones_like(y_true), y_pred),
        "one target and right": (np.ones_like(y_true), np.ones_like(y_true)),
        "wrong": (y_true, y_pred[::-1]),
    }


BOUNDED = [
    case
    for case in ALIKE
    if declared_range(case) is not None
    and len(case.arrays) == 2
    and not scipy.sparse.issparse(case.arrays[0])
    and not isinstance(case.arrays[0][0], str)
]


@pytest.mark.parametrize("case", BOUNDED, ids=str)
def test_values_stay_in_range(case: Case) -> None:
    found = {
        why: outcome(sklearn_compat, case._replace(arrays=arrays))
        for why, arrays in extremes_of(case).items()
    }
    assert found["nearly right"].error is None or found["wrong"].error is None
    for value, _, error in found.values():
        if error is None:
            parts = len(value) if isinstance(value, tuple) else None  # curves without their size
            assert_in_range(value, declared_range(case)[:parts])


def test_every_function_is_compared() -> None:
    assert {case.name for case in ALIKE} == set(NAMES)


WRONG = (
    Case("accuracy_score", ([0, 1], [0, 1, 1])),
    Case("accuracy_score", ([], [])),
    Case("accuracy_score", ([0, 1], [0.5, 1.5])),
    Case("accuracy_score", ([0, 1], ["a", "b"])),
    Case("accuracy_score", (COLUMNS, TRUE)),
    Case("accuracy_score", (COLUMNS, COLUMNS[:, :2])),
    Case("accuracy_score", ([[1, 2], [3, 4]], [[1, 2], [3, 4]])),
    Case("accuracy_score", ([[1], [2, 3]], [1, 2])),
    Case("accuracy_score", ([b"a", b"b"], [b"a", b"b"])),
    Case("accuracy_score", ([0, np.nan], [0, 1])),
    Case("accuracy_score", (1, 1)),
    Case("accuracy_score", (None, [1])),
    Case("accuracy_score", (np.array(1), np.array(1))),
    Case("accuracy_score", (LABELS), {"normalize": 1}),
    Case("accuracy_score", LABELS, {"sample_weight": [0] * 7}),
    Case("accuracy_score", LABELS, {"sample_weight": [[1]] * 7}),
    Case("accuracy_score", LABELS, {"sample_weight": [np.inf] * 7}),
    Case("confusion_matrix", (COLUMNS, OTHERS)),
    Case("confusion_matrix", (scipy.sparse.csr_array(COLUMNS), OTHERS)),
    Case("confusion_matrix", LABELS, {"labels": []}),
    Case("confusion_matrix", LABELS, {"labels": [9]}),
    Case("confusion_matrix", LABELS, {"normalize": "rows"}),
    Case("multilabel_confusion_matrix", LABELS, {"samplewise": True}),
    Case("multilabel_confusion_matrix", (COLUMNS, OTHERS), {"labels": [3]}),
    Case("cohen_kappa_score", LABELS, {"replace_undefined_by": 2}),
    Case("class_likelihood_ratios", LABELS),
    Case("class_likelihood_ratios", (BINARY, OTHER), {"replace_undefined_by": {"LR+": 2.0}}),
    Case("class_likelihood_ratios", (BINARY, OTHER), {"replace_undefined_by": 0.5}),
    Case("f1_score", LABELS),
    Case("f1_score", (COLUMNS, OTHERS)),
    Case("f1_score", (BINARY, OTHER), {"pos_label": 2}),
    Case("f1_score", (BINARY, OTHER), {"zero_division": 0.5}),
    Case("f1_score", LABELS, {"average": "mean"}),
    Case("f1_score", LABELS, {"average": "samples"}),
    Case("jaccard_score", (BINARY, OTHER), {"zero_division": np.nan}),
    Case("fbeta_score", (BINARY, OTHER), {"beta": -1}),
    Case("precision_recall_fscore_support", LABELS, {"warn_for": "recall"}),
    Case("classification_report", LABELS, {"target_names": ["a"]}),
    Case("classification_report", LABELS, {"digits": -1}),
    Case("log_loss", ([0, 1], [0.5, 1.5])),
    Case("log_loss", ([1, 1], [0.5, 0.5])),
    Case("log_loss", ([0, 1], [0.5, np.nan])),
    Case("log_loss", (TRUE, SCORES)),
    Case("log_loss", (CLASSES, SCORES), {"labels": [0, 1]}),
    Case("log_loss", (BINARY, SCORE), {"y_pred": SCORE}),
    Case("brier_score_loss", (TEXT[:2], [0.5, 0.5])),
    Case("brier_score_loss", (CLASSES, SCORE)),
    Case("brier_score_loss", (BINARY, SCORE), {"scale_by_half": "yes"}),
    Case("hinge_loss", (CLASSES, SCORE)),
    Case("hinge_loss", (CLASSES, SCORES[:, :2])),
    Case("hinge_loss", (BINARY, SCORE), {"sample_weight": [0] * 7}),
    Case("top_k_accuracy_score", (CLASSES, SCORE)),
    Case("top_k_accuracy_score", (BINARY, SCORES)),
    Case("top_k_accuracy_score", (CLASSES, SCORES), {"labels": [2, 1, 0]}),
    Case("top_k_accuracy_score", (CLASSES, SCORES), {"k": 0}),
    Case("roc_curve", (TRUE, SCORE)),
    Case("roc_curve", (["a", "b"], [0.5, 0.25])),
    Case("roc_curve", ([1, 2], [0.5, 0.25])),
    Case("roc_curve", (BINARY, [*SCORE[:-1], np.inf])),
    Case("det_curve", ([1, 1], [0.5, 0.25])),
    Case("metric_at_thresholds", (BINARY, SCORE, "f1")),
    Case("auc", ([0, 2, 1], [0, 1, 1])),
    Case("auc", ([0], [1])),
    Case("roc_auc_score", (CLASSES, SCORES)),
    Case("roc_auc_score", (CLASSES, 2 * SCORES), {"multi_class": "ovr"}),
    Case("roc_auc_score", (CLASSES, SCORES), {"multi_class": "ovo", "average": None}),
    Case("roc_auc_score", (CLASSES, SCORES), {"multi_class": "ovo", "sample_weight": WEIGHT}),
    Case("roc_auc_score", (CLASSES, SCORES), {"multi_class": "ovr", "labels": [0, 1, 3]}),
    Case("roc_auc_score", (BINARY, SCORE), {"max_fpr": 0}),
    Case("average_precision_score", (COLUMNS, SCORES), {"pos_label": 0}),
    Case("average_precision_score", (BINARY, SCORE), {"pos_label": 2}),
    Case("coverage_error", (BINARY, SCORE)),
    Case("coverage_error", (scipy.sparse.csr_array(COLUMNS), SCORES)),
    Case("label_ranking_loss", (COLUMNS, SCORES[:, :2])),
    Case("label_ranking_loss", (COLUMNS, SCORES), {"sample_weight": [0] * 7}),
    Case("ndcg_score", ([[-1, 1]], [[0.5, 0.25]])),
    Case("ndcg_score", ([[1]], [[0.5]])),
    Case("ndcg_score", (BINARY, SCORE)),
    Case("dcg_score", (COLUMNS, SCORES), {"log_base": 0}),
    Case("dcg_score", (COLUMNS, SCORES), {"k": 1.5}),
    Case("mean_squared_error", ([], [])),
    Case("mean_squared_error", (OUTPUTS, NUMBERS)),
    Case("mean_squared_error", (NUMBERS, GUESSES), {"multioutput": "variance_weighted"}),
    Case("mean_squared_error", (NUMBERS, GUESSES), {"multioutput": [0.5, 0.5]}),
    Case("mean_squared_error", (OUTPUTS, OUTPUTS), {"multioutput": [0.0, 0.0]}),
    Case("mean_squared_error", (["a"], [1.0])),
    Case("mean_squared_error", (np.ones((2, 2, 2)), np.ones((2, 2, 2)))),
    Case("mean_squared_log_error", ([-1.0, 1.0], [1.0, 1.0])),
    Case("mean_pinball_loss", (NUMBERS, GUESSES), {"alpha": 1.5}),
    Case("max_error", (OUTPUTS, OUTPUTS)),
    Case("mean_tweedie_deviance", (NUMBERS, GUESSES), {"power": 0.5}),
    Case("mean_tweedie_deviance", ([1.0, 2.0], [0.0, 2.0]), {"power": -1}),
    Case("mean_poisson_deviance", ([-1.0, 2.0], [1.0, 2.0])),
    Case("mean_gamma_deviance", ([0.0, 2.0], [1.0, 2.0])),
    Case("r2_score", (NUMBERS, GUESSES), {"force_finite": 1}),
)


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_error_is_of_the_same_class_and_names_an_argument(case: Case) -> None:
    ours, theirs = outcome(sklearn_compat, case).error, outcome(sklearn.metrics, case).error
    assert ours is not None and theirs is not None
    assert type(ours).__name__ == type(theirs).__name__
    assert "`" in str(ours)


def test_invalid_parameter_error_can_be_caught_either_way() -> None:
    error = refuse("k", 0, "a whole number of at least 1")
    assert isinstance(error, ValueError) and isinstance(error, TypeError)
    assert str(error) == "`k` must be a whole number of at least 1, got 0"


KINDS: dict[str, tuple[Any, Any]] = {
    "strings": (np.array(TEXT), np.array(TEXT[::-1])),
    "objects": (np.array(TEXT, object), np.array(TEXT[::-1], object)),
    "booleans": (np.array(BINARY, bool), np.array(OTHER, bool)),
    "negative": ([-1, 1, 1, -1, -1, 1, 1], [1, 1, -1, -1, -1, 1, 1]),
    "gapped": ([7, 2**40, 7, -3, -3, 7, 7], [7, 7, 7, -3, 2**40, 7, 7]),
    "unsigned": (np.array(TRUE, np.uint8) + 200, np.array(PRED, np.uint8) + 200),
    "unsigned long": (np.array(TRUE, np.uint64) + 2**63, np.array(PRED, np.uint64) + 2**63),
    "floats": (np.array(TRUE, np.float16), np.array(PRED, np.float64)),
    "a column": ([[label] for label in TRUE], PRED),
    "JAX": (jnp.array(TRUE), jnp.array(PRED)),
    "sparse": (scipy.sparse.csc_matrix(COLUMNS), scipy.sparse.coo_array(OTHERS)),
    "indicators": (COLUMNS.tolist(), OTHERS.astype(bool)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_every_kind(kind: str) -> None:
    y_true, y_pred = KINDS[kind]
    case = Case("f1_score", (y_true, y_pred), {"average": "macro"})
    ours = outcome(sklearn_compat, case)
    if kind == "JAX":
        case = case._replace(arrays=(TRUE, PRED))
    theirs = outcome(sklearn.metrics, case)
    assert theirs.error is None and ours.warned == theirs.warned
    assert_equal(ours.value, theirs.value)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_a_table(library: str) -> None:
    table = pytest.importorskip(library)
    labels = table.Series(TEXT), table.Series(TEXT[::-1])
    expected = sklearn.metrics.accuracy_score(TEXT, TEXT[::-1])
    assert sklearn_compat.accuracy_score(*labels) == expected
    numbers = table.Series(NUMBERS), table.Series(GUESSES)
    expected = sklearn.metrics.mean_absolute_error(NUMBERS, GUESSES)
    assert sklearn_compat.mean_absolute_error(*numbers) == pytest.approx(expected, rel=1e-15)
    frame = table.DataFrame({str(k): column for k, column in enumerate(COLUMNS.T)})
    assert sklearn_compat.hamming_loss(frame, COLUMNS) == 0.0


def test_64_bits_without_a_change_of_settings() -> None:
    assert jnp.ones(1).dtype == jnp.float32
    y_true = np.array([1e8, 1e8 + 1, 1e8 + 2])
    assert sklearn_compat.mean_squared_error(y_true, y_true + 0.125) == 0.015625
    assert sklearn_compat.roc_auc_score([0, 1], [1.0, 1.0 + 2.0**-50]) == 1.0
    assert jnp.ones(1).dtype == jnp.float32


def test_integer_weights_are_counted_exactly() -> None:
    weight = np.array([2**62, 1, 2**53], np.int64)
    table = sklearn_compat.confusion_matrix([0, 0, 1], [0, 0, 1], sample_weight=weight)
    assert table.tolist() == [[2**62 + 1, 0], [0, 2**53]]


def test_a_thousand_sizes_take_few_programs() -> None:
    traced: list[int] = []

    def metric(y_true: Any, y_pred: Any, **options: Any) -> Any:
        traced.append(len(y_true))
        return jmetrics.mean_squared_error(y_true, y_pred, **options)

    def lists(y_true: Any, y_score: Any, **options: Any) -> Any:
        traced.append(len(y_true))
        return jmetrics.mean_squared_error(y_true, y_score, **options)

    for n in range(1, 1001):
        value = _call.of_samples(metric, np.ones(n), np.zeros(n))
        assert value == 1.0
    assert len(traced) <= 10
    traced.clear()
    for n in range(1, 1001):
        _call.of_lists(lists, np.ones((n % 3, n)), np.zeros((n % 3, n)), None)
    assert len(traced) <= 20


def test_works_where_scikit_learn_takes_a_metric() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    y = np.where(x[:, 0] + 0.5 * rng.normal(size=60) > 0, "yes", "no")
    model = LogisticRegression()
    for name, response, options in (
        ("f1_score", "predict", {"pos_label": "yes"}),
        ("roc_auc_score", ("decision_function", "predict_proba"), {}),
        ("log_loss", "predict_proba", {"greater_is_better": False}),
    ):
        scorers = [
            sklearn.metrics.make_scorer(getattr(module, name), response_method=response, **options)
            for module in (sklearn_compat, sklearn.metrics)
        ]
        ours, theirs = (cross_val_score(model, x, y, scoring=s, cv=3) for s in scorers)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
        grids = [GridSearchCV(model, {"C": [0.1, 10.0]}, scoring=s, cv=3) for s in scorers]
        assert grids[0].fit(x, y).best_params_ == grids[1].fit(x, y).best_params_


def test_the_warning_is_scikit_learns_and_points_at_the_caller() -> None:
    assert sklearn_compat.UndefinedMetricWarning is UndefinedMetricWarning
    with pytest.warns(UndefinedMetricWarning, match="zero_division") as record:
        sklearn_compat.precision_score([1, 1], [0, 0])
    assert [w.filename for w in record] == [__file__]


LATE = """
import sys, warnings
from jmetrics import sklearn_compat
assert "sklearn" not in sys.modules and "scipy.sparse" not in sys.modules
own = sklearn_compat.UndefinedMetricWarning
assert issubclass(own, UserWarning) and own.__name__ == "UndefinedMetricWarning"
from sklearn.exceptions import UndefinedMetricWarning as theirs
with warnings.catch_warnings(record=True) as record:
    warnings.simplefilter("always")
    sklearn_compat.r2_score([1.0], [1.0])
assert issubclass(record[0].category, own) and issubclass(record[0].category, theirs)
"""


def test_scikit_learn_may_be_imported_later_or_never() -> None:
    subprocess.run([sys.executable, "-c", LATE], check=True, timeout=300)


def test_names_of_scikit_learn_alone_are_passed_on() -> None:
    elsewhere = set(sklearn.metrics.__all__) - set(sklearn_compat.__all__)
    assert {"make_scorer", "RocCurveDisplay", "silhouette_score"} <= elsewhere
    for name in elsewhere:
        assert getattr(sklearn_compat, name) is getattr(sklearn.metrics, name)
    assert dir(sklearn_compat) == sorted(sklearn_compat.__all__)
    with pytest.raises(AttributeError, match=r"neither .* nor 'sklearn"):
        _ = sklearn_compat.roc_auc
    assert not hasattr(sklearn_compat, "__wrapped__")


def test_without_scikit_learn_an_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.metrics", None)
    with pytest.raises(AttributeError, match=r"`make_scorer`.*scikit-learn is not installed"):
        _ = sklearn_compat.make_scorer
