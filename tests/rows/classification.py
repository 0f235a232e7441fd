"""Rows of the metrics of labels. Classes are 0 to 3, so that `jit` need not count them."""

from __future__ import annotations

import numpy as np
from sklearn import metrics as sk

import jmetrics
from tests.oracles import classification as oracles
from tests.row import (
    COUNTS,
    SMOOTH,
    STEPS,
    SUPPORT,
    TOTAL,
    Arrays,
    Outside,
    Row,
    Variant,
    binary,
    classes,
    indicators,
    scores,
)


def binary_labels(rng: np.random.Generator, n: int) -> Arrays:
    y = binary(rng, n)
    return y, np.where(np.arange(n) < 2, y, y ^ (rng.random(n) < 0.3))


def two_of_three(rng: np.random.Generator, n: int) -> Arrays:
    """Classes 1 and 2, often taken for each other, with a few samples of class 0."""
    y = np.where(rng.random(n) < 0.2, 0, 1 + binary(rng, n))
    return y, np.where(rng.random(n) < 0.6, y, rng.integers(1, 3, n))


def class_scores(rng: np.random.Generator, n: int) -> Arrays:
    y = rng.integers(0, 4, n)
    return y, np.eye(4)[y] + rng.normal(0, 1, (n, 4))


def tied_class_scores(rng: np.random.Generator, n: int) -> Arrays:
    y, score = class_scores(rng, n)
    return y, np.round(score)


def outside(reason: str, value: float = 0.5) -> tuple[Outside, ...]:
    return Outside("y_true", value, reason), Outside("y_pred", value, reason)


COUNTED = {"num_classes": 4}
WHOLE = outside("labels must be whole numbers")
BINARY = outside("binary labels must be 0 or 1", 2.0)
INDICATORS = outside("indicators must be 0 or 1")
NO_LABEL = Outside("y_true", 2.0, "`y_true` must be 0 or 1")
NO_CLASS = Outside("y_true", 4.0, "`y_true` must be a class from 0 to 3")
NO_POSITIVE = Outside("pos_label", 2.0, "`pos_label` must be 0 or 1")
NO_BETA = Outside("beta", -1.0, "`beta` must not be negative")
STEP = frozenset({STEPS})

AVERAGE = {"pos_label": (0.0, 1.0), "zero_division": (0.0, 1.0)}
POSITIVE = Variant(outside=(*BINARY, NO_POSITIVE))
MACRO, MICRO, WEIGHTED = (
    Variant({"average": how, **COUNTED}, classes) for how in ("macro", "micro", "weighted")
)
NAMED = Variant({"average": "macro", "labels": (3, 1)}, classes)
EACH = Variant({"average": None, **COUNTED}, classes)
ROWS_OF_LABELS, LABELS = (
    Variant({"average": how}, indicators, outside=INDICATORS) for how in ("samples", "weighted")
)

# All of these average alike, so that one way each is enough: `tests/test_classification.py` has
# every way of every one.
OVERLAP = tuple(
    Row(metric=metric, make=binary_labels, oracle=oracle, traits=STEP, variants=variants,
        traced=AVERAGE, refused={"average": "mean", "labels": ()}, outside=WHOLE)
    for metric, oracle, variants in (
        (jmetrics.precision_score, oracles.overlap(sk.precision_score), (POSITIVE,)),
        (jmetrics.recall_score, oracles.overlap(sk.recall_score), (WEIGHTED,)),
        (
            jmetrics.f1_score,
            oracles.overlap(sk.f1_score),
            (POSITIVE, MACRO, ROWS_OF_LABELS),
        ),
        (jmetrics.jaccard_score, oracles.jaccard, (LABELS,)),
        (jmetrics.specificity_score, oracles.specificity, (MACRO,)),
        (
            jmetrics.negative_predictive_value,
            oracles.negative_predictive_value,
            (NAMED,),
        ),
        (jmetrics.false_positive_rate, oracles.false_positive_rate, (MICRO,)),
        (jmetrics.false_negative_rate, oracles.false_negative_rate, (EACH,)),
    )
)  # fmt: skip

AGREEMENT = tuple(
    Row(metric=metric, make=classes, oracle=oracle, traits=STEP, variants=variants, outside=WHOLE)
    for metric, oracle, variants in (
        (
            jmetrics.accuracy_score,
            oracles.of_sklearn(sk.accuracy_score),
            (Variant(), Variant({"normalize": False}, indicators, frozenset({TOTAL}))),
        ),
        (
            jmetrics.zero_one_loss,
            oracles.of_sklearn(sk.zero_one_loss),
            (
                Variant({}, indicators),
                Variant({"normalize": False}, classes, frozenset({TOTAL})),
            ),
        ),
        (
            jmetrics.hamming_loss,
            oracles.of_sklearn(sk.hamming_loss),
            (Variant({}, indicators),),
        ),
        (
            jmetrics.matthews_corrcoef,
            oracles.of_sklearn(sk.matthews_corrcoef),
            (Variant(COUNTED),),
        ),
        (
            jmetrics.balanced_accuracy_score,
            oracles.balanced_accuracy,
            (Variant(COUNTED), Variant({"adjusted": True, **COUNTED})),
        ),
        (
            jmetrics.geometric_mean_score,
            oracles.geometric_mean,
            (Variant(COUNTED),),
        ),
    )
)

CLASSIFICATION = (
    *AGREEMENT,
    *OVERLAP,
    Row(
        metric=jmetrics.fbeta_score,
        make=binary_labels,
        oracle=oracles.overlap(sk.fbeta_score),
        traits=STEP,
        variants=(
            Variant({"beta": 2.0}, outside=(*BINARY, NO_POSITIVE, NO_BETA)),
            Variant({"beta": 0.5, "average": None, **COUNTED}, classes),
        ),
        traced={"beta": (0.5, 3.0), **AVERAGE},
        refused={"average": "mean", "labels": ()},
        outside=(*WHOLE, NO_BETA),
    ),
    Row(
        metric=jmetrics.precision_recall_fscore_support,
        make=classes,
        oracle=oracles.several_scores,
        traits=STEP,
        variants=(
            Variant(COUNTED, add=frozenset({SUPPORT, COUNTS})),
            Variant({"average": "binary"}, binary_labels, outside=BINARY),
        ),
        traced={"beta": (0.5, 3.0), **AVERAGE},
        refused={"average": "mean", "labels": ()},
        outside=WHOLE,
    ),
    Row(
        metric=jmetrics.cohen_kappa_score,
        make=classes,
        oracle=oracles.kappa,
        traits=STEP,
        variants=(
            Variant({"weights": "linear", "labels": (1, 3, 0)}),
            Variant({"weights": "quadratic", **COUNTED}),
        ),
        traced={"replace_undefined_by": (0.0, -1.0)},
        refused={"weights": "cubic", "labels": (1, 1)},
        outside=WHOLE,
    ),
    Row(
        metric=jmetrics.confusion_matrix,
        make=classes,
        oracle=oracles.confusion,
        traits=STEP,
        variants=(
            Variant(COUNTED, add=frozenset({TOTAL, COUNTS})),
            Variant({"normalize": "all", "labels": (2, 0, 1)}),
        ),
        refused={"normalize": "rows", "labels": (-1, 1), "num_classes": 0},
        outside=WHOLE,
    ),
    Row(
        metric=jmetrics.multilabel_confusion_matrix,
        make=classes,
        oracle=oracles.confusions,
        traits=frozenset({STEPS, TOTAL, COUNTS}),
        variants=(Variant(COUNTED), Variant({"labels": (2, 0)}, indicators, outside=INDICATORS)),
        refused={"labels": (1, 1), "num_classes": 0},
        outside=WHOLE,
    ),
    Row(
        metric=jmetrics.class_likelihood_ratios,
        make=binary_labels,
        oracle=oracles.likelihood_ratios,
        traits=STEP,
        variants=(Variant(outside=BINARY), Variant({"labels": (2, 1)}, two_of_three)),
        traced={"replace_undefined_by": (0.5, 2.0)},
        refused={"labels": (0, 1, 2)},
        outside=WHOLE,
    ),
    Row(
        metric=jmetrics.top_k_accuracy_score,
        make=tied_class_scores,
        oracle=oracles.top_k,
        traits=STEP,
        variants=(
            Variant(),
            Variant({"k": 1}, scores, outside=(NO_LABEL,)),
            Variant({"k": 3, "normalize": False}, add=frozenset({TOTAL})),
        ),
        refused={"k": 0},
        outside=(NO_CLASS, Outside("y_score", np.nan, "`y_score` must not be NaN")),
    ),
    *(
        Row(
            metric=metric,
            make=scores,
            oracle=oracles.hinge(power),
            traits=frozenset({SMOOTH}),
            variants=(Variant(outside=(NO_LABEL,)), Variant({}, class_scores)),
            outside=(NO_CLASS,),
        )
        for metric, power in ((jmetrics.hinge_loss, 1), (jmetrics.squared_hinge_loss, 2))
    ),
)
