"""Pictures: what is drawn is what the metrics say."""

from __future__ import annotations

import builtins
import io
import sys

import numpy as np
import pytest

import jmetrics
from jmetrics import inference, plot

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")

N = 60


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture
def ax():
    return pyplot.subplots(figsize=(3.6, 3.4), layout="compressed")[1]


@pytest.fixture
def binary(rng):
    y_true = (rng.random(N) < 0.4).astype(np.int32)
    score = 1 / (1 + np.exp(-rng.standard_normal(N) - 1.5 * y_true + 1))
    return y_true, score.astype(np.float32)


def curves(ax):
    return [line for line in ax.lines if line.get_gid() == "curve"]


def drawn(ax):
    """The picture can be written: nothing that matplotlib warns of, nothing cut off."""
    figure = ax.figure
    figure.savefig(io.BytesIO(), format="png")
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert min(box.x0, box.y0, width - box.x1, height - box.y1) > -0.01
    return ax


CURVES = ("roc_curve", "precision_recall_curve", "det_curve")


@pytest.mark.parametrize("name", CURVES)
def test_curves_are_those_of_the_metrics(name, binary, ax):
    curve = getattr(jmetrics, name)(*binary)
    function = getattr(plot, name)
    assert function(*binary, label="a", n_resamples=0, ax=ax) is ax
    function(curve, label="b", ax=drawn(ax))
    drawn(ax)
    first, second = curves(ax)
    np.testing.assert_array_equal(first.get_xydata(), second.get_xydata())
    assert first.get_color() != second.get_color()
    assert first.get_linestyle() != second.get_linestyle(), "colours are not all that differs"
    if name == "roc_curve":
        np.testing.assert_array_equal(first.get_xydata(), np.stack(curve[:2], axis=1))
    if name == "precision_recall_curve":
        np.testing.assert_array_equal(first.get_xydata(), np.stack(curve[1::-1], axis=1))
    if name == "det_curve":
        from scipy.special import ndtri

        inner = (curve.fpr > 0.02) & (curve.fpr < 0.98) & (curve.fnr > 0.02)
        np.testing.assert_allclose(
            first.get_xydata()[inner], ndtri(np.stack(curve[:2], axis=1))[inner], atol=1e-4
        )
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]


def test_bands_hold_the_curve_and_are_those_of_resamples(binary, ax):
    plot.roc_curve(*binary, n_resamples=60, ax=drawn(ax))
    (band,) = ax.collections
    corners = band.get_paths()[0].vertices
    (line,) = curves(ax)
    x, y = line.get_xydata().T
    for place in (0.255, 0.505, 0.755):
        grid = round(place, 2)
        inside = np.interp(grid, x, y)
        at = corners[np.abs(corners[:, 0] - grid) < 1e-6, 1]
        assert at.min() <= inside <= at.max()
        # Half the width of a 95 % interval of a share of positives, when thresholds stay put.
        n_positive = binary[0].sum()
        error = np.sqrt(inside * (1 - inside) / n_positive)
        assert at.max() - at.min() > error


def test_gain_and_lift_of_scores_that_know_all(ax):
    y_true = np.arange(100) >= 80
    plot.gain_curve(y_true.astype(np.int32), np.arange(100.0), n_resamples=0, ax=ax)
    (line,) = curves(drawn(ax))
    x, y = line.get_xydata().T
    np.testing.assert_allclose(y, np.minimum(x / 0.2, 1), atol=1e-6)
    other = pyplot.subplots(layout="compressed")[1]
    plot.lift_curve(y_true.astype(np.int32), np.arange(100.0), n_resamples=0, ax=other)
    (line,) = curves(drawn(other))
    x, y = line.get_xydata().T
    np.testing.assert_allclose(y, np.minimum(5, 1 / x), rtol=1e-5)


@pytest.mark.parametrize("scores", [[0.1, 0.2, 0.7, 0.9], [0.9, 0.7, 0.2, 0.1]])
def test_a_curve_of_one_point_is_drawn_beside_a_tick(scores, ax):
    plot.det_curve([0, 0, 1, 1], scores, n_resamples=0, ax=ax)
    line = ax.lines[0]
    assert len(line.get_xdata()) > 1 or line.get_marker() == "o"
    for (low, high), ticks in ((ax.get_xlim(), ax.get_xticks()), (ax.get_ylim(), ax.get_yticks())):
        assert any(low <= tick <= high for tick in ticks)


def test_many_points_are_thinned_and_keep_their_ends(rng, ax):
    y_true, score = rng.integers(0, 2, 5000), rng.random(5000).astype(np.float32)
    plot.roc_curve(y_true, score, n_resamples=0, ax=ax)
    (line,) = curves(ax)
    points = line.get_xydata()
    assert len(points) <= 2000
    assert points[0].tolist() == [0, 0] and points[-1].tolist() == [1, 1]


def test_calibration_has_intervals_and_counts(binary, ax):
    plot.calibration_curve(*binary, n_bins=4, ax=ax)
    curve = jmetrics.calibration_curve(*binary, n_bins=4)
    (line,) = curves(drawn(ax))
    held = np.asarray(curve.weight) > 0
    np.testing.assert_allclose(line.get_xdata(), curve.prob_pred[held], rtol=1e-6)
    np.testing.assert_allclose(line.get_ydata(), curve.prob_true[held], rtol=1e-6)
    right = next(other for other in ax.figure.axes if other is not ax)
    assert [bar.get_height() for bar in right.patches] == curve.weight[held].tolist()
    counts = np.asarray(curve.weight, np.float32)[held]
    wilson = inference.proportion_interval(np.asarray(curve.prob_true)[held] * counts, counts)
    lowest = [segment[0, 1] for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(lowest, wilson.low, rtol=1e-5)
    doubled = pyplot.subplots(layout="compressed")[1]
    plot.calibration_curve(*binary, n_bins=4, sample_weight=np.full(N, 2.0), ax=doubled)
    same = [segment[0, 1] for segment in doubled.collections[0].get_segments()]
    np.testing.assert_allclose(same, lowest, rtol=1e-5, err_msg="twice the weight is no more data")
    plot.calibration_curve(curve, label="again", ax=drawn(ax))
    assert len(curves(ax)) == 2 and len(ax.figure.axes) == 2


def test_quantiles_against_their_levels(rng, ax):
    y_true = rng.standard_normal(N).astype(np.float32)
    y_pred = np.broadcast_to(np.array([-1, 0, 1], np.float32), (N, 3))
    plot.quantile_coverage(y_true, y_pred, alpha=[0.16, 0.5, 0.84], ax=ax)
    (line,) = curves(drawn(ax))
    np.testing.assert_allclose(line.get_ydata(), jmetrics.quantile_coverage(y_true, y_pred))


def test_confusion_matrix_says_counts_and_shares(ax):
    plot.confusion_matrix([0, 0, 0, 1, 2], [0, 0, 1, 1, 0], display_labels=["a", "b", "c"], ax=ax)
    texts = [text.get_text() for text in drawn(ax).texts]
    assert texts[:3] == ["2\n66.7 %", "1\n33.3 %", "0\n0.0 %"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]
    many = plot.confusion_matrix(np.eye(40))
    assert not drawn(many).texts
    with pytest.raises(ValueError, match="must have 2 entries, got 1"):
        plot.confusion_matrix(np.eye(2), display_labels=["a"])


def test_residuals_and_their_means(rng, ax):
    y_true, y_pred = np.arange(100.0), np.arange(100.0) - 2
    plot.residuals(y_true, y_pred, unit="kg", n_bins=4, ax=ax)
    (line,) = curves(drawn(ax))
    np.testing.assert_allclose(line.get_ydata(), 2)
    np.testing.assert_allclose(line.get_xdata(), [10, 35, 60, 85])
    assert ax.get_ylabel() == "residual, true − predicted (kg)"
    many = plot.residuals(rng.random(6000), rng.random(6000), n_bins=0)
    assert not curves(drawn(many))
    with pytest.raises(ValueError, match=r"y_true` \(3,\) and `y_pred` \(2,\)"):
        plot.residuals([1, 2, 3], [1, 2])


def test_ndcg_against_k(rng, ax):
    y_true = rng.integers(0, 3, (12, 8))
    score = rng.random((12, 8)).astype(np.float32)
    plot.ndcg_at_k(y_true, score, ks=(1, 3), n_resamples=50, ax=ax)
    (line,) = curves(drawn(ax))
    expected = [jmetrics.ndcg_score(y_true, score, k=k) for k in (1, 3)]
    np.testing.assert_allclose(line.get_ydata(), expected, rtol=1e-6)
    low, high = ax.collections[0].get_segments()[0][:, 1]
    assert low < expected[0] < high


def test_forest_of_any_results(ax):
    interval = inference.proportion_interval(3, 4)
    pair = inference.Comparison(
        values=None,
        difference=0.25,
        low=0.1,
        high=0.5,
        standard_error=None,
        p_value=None,
        distribution=None,
        n_undefined=None,
    )
    plot.forest({"share": interval, "gain": pair}, reference=0.0, xlabel="value", ax=ax)
    (lines,) = drawn(ax).collections
    ends = np.array([segment[:, 0] for segment in lines.get_segments()])
    expected = [[float(interval.low), float(interval.high)], [0.1, 0.5]]
    np.testing.assert_allclose(ends, expected, rtol=1e-6)
    with pytest.raises(ValueError, match="at least one entry"):
        plot.forest({})


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"jmetrics-jax\[plot\]"):
        plot.residuals([1.0], [1.0])


def test_importing_does_not_import_matplotlib(monkeypatch):
    def refuse(name, *args):
        assert not name.startswith("matplotlib"), name
        return imported(name, *args)

    imported = builtins.__import__
    for name in [name for name in sys.modules if name.startswith("jmetrics.plot")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", refuse)
    import jmetrics.plot

    assert sys.modules["jmetrics.plot"] is jmetrics.plot
