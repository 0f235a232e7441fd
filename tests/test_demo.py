"""The demo, small: what it trains, what it says, what it draws."""

import functools
import sys
from unittest.mock import Mock

import jax
import numpy as np
import pytest

from jmetrics import demo
from jmetrics.cli import main
from jmetrics.demo import amounts, data, picture, quantiles, ranking, report, training

SMALL = demo.Budget(ranking_epochs=40, quantile_epochs=40, amounts_epochs=150, n_resamples=100)


def test_the_command(tmp_path, capsys, monkeypatch):
    # One test, since one run is what costs time.
    monkeypatch.setattr(demo, "run", functools.partial(demo.run, budget=SMALL))
    draw = Mock(wraps=picture.draw)
    monkeypatch.setattr(picture, "draw", draw)
    file = tmp_path / "demo.png"
    assert main(["demo", "--output", str(file)]) == 0
    _, ranked, spread, fitted = draw.call_args.args
    networks_learn_to_rank(ranked)
    quantiles_beat_constants_and_rise(spread)
    amounts_agree_with_scikit_learn(fitted)
    calibration_covers_everyone(fitted)
    for estimate in (ranked.auc, spread.loss, spread.share, fitted.deviance):
        intervals_hold_their_estimates(estimate)
    printed, progress = capsys.readouterr()
    assert progress == "", "a progress bar is for terminals"
    for part in ("AUC loss", "pinball loss", "TweedieRegressor", str(file)):
        assert part in printed
    assert "nan" not in printed
    assert file.read_bytes().startswith(b"\x89PNG")
    assert file.stat().st_size > 10_000


def networks_learn_to_rank(ranked):
    assert list(ranked.history) == ["cross-entropy", "AUC loss"]
    for history in ranked.history.values():
        assert history[-1] > max(history[0], 0.9)
    first, second, difference = ranked.auc.value
    assert min(first, second) > 0.85
    assert difference == second - first
    first, second, difference = ranked.auc.error
    assert difference < np.hypot(first, second), "pairing should have paid"


def quantiles_beat_constants_and_rise(spread):
    assert (spread.loss.value < spread.constant_loss).all()
    assert (np.diff(spread.predicted, axis=1) >= 0).all()
    *below, between = spread.share.value
    assert (np.diff(below) > 0).all()
    assert between == pytest.approx(below[-1] - below[0], abs=1e-6)
    assert spread.share.part(2).contains(0.5)


def amounts_agree_with_scikit_learn(fitted):
    model, constant, explained = fitted.deviance.value
    assert model < constant
    assert explained == pytest.approx(1 - model / constant, rel=1e-5)
    assert model == pytest.approx(fitted.peer_deviance, rel=1e-4)
    assert fitted.peer_distance < 0.01


def calibration_covers_everyone(fitted):
    groups = amounts.calibration(fitted)
    assert (np.diff(groups.predicted) > 0).all()
    assert groups.actual.mean() == pytest.approx(fitted.split.y_test.mean(), rel=0.01)


def intervals_hold_their_estimates(estimate):
    assert (estimate.low <= estimate.value).all()
    assert (estimate.value <= estimate.high).all()
    # Both are the same quantity, once by derivative and once by 100 resamples.
    np.testing.assert_allclose(estimate.high - estimate.low, 3.92 * estimate.error, rtol=0.5)


def test_digits_are_imbalanced_in_training_only():
    split = data.digits(3, kept=7)
    assert split.y_train.sum() == 7
    assert split.y_test.mean() == pytest.approx(0.1, abs=0.03)
    assert {part.dtype for part in split} == {np.dtype(np.float32)}


def test_batches_hold_every_sample_once_and_have_one_shape():
    x, y = np.arange(20.0)[:, None], np.arange(20.0)
    batches = list(training.batches(np.random.default_rng(0), x, y, 8))
    assert [batch.y.shape for batch in batches] == [(8,)] * 3
    assert sorted(np.concatenate([b.y[b.where] for b in batches])) == list(y)
    assert all((batch.x[:, 0] == batch.y).all() for batch in batches)


@pytest.mark.parametrize("objective", [*ranking.OBJECTIVES.values(), quantiles.quantile_loss])
def test_padding_changes_neither_gradient_nor_metric(objective):
    split = data.digits(0)
    layers = training.initialize(jax.random.key(1), 64, 4, len(quantiles.LEVELS))
    chosen = np.arange(50)
    gradient = jax.jit(jax.grad(objective, has_aux=True))
    exact, metric = gradient(layers, training.padded(split.x_train, split.y_train, chosen, 50))
    padded = training.padded(split.x_train, split.y_train, chosen, 64)
    assert padded.where.sum() == 50
    same, padded_metric = gradient(layers, padded)
    assert 0 < metric < 1
    np.testing.assert_allclose(padded_metric, metric, rtol=1e-6)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6), same, exact)


def test_one_trace_serves_all_steps_and_one_seed_gives_one_result():
    traces = []

    def objective(layers, batch):
        traces.append(batch)
        return ranking.cross_entropy(layers, batch)

    split = data.digits(0)
    fit = functools.partial(
        training.fit,
        objective,
        training.initialize(jax.random.key(0), 64, 1),
        split.x_train,
        split.y_train,
        epochs=2,
        learning_rate=0.01,
        batch_size=100,
        label="AUC",
    )
    first = fit(seed=0)
    assert len(split.y_train) % 100, "the last batch should be padded"
    assert len(traces) == 1
    assert first.history.shape == (2,)
    again, other = fit(seed=0), fit(seed=1)
    np.testing.assert_array_equal(again.history, first.history)
    assert not np.array_equal(other.history, first.history)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.1, 0.2, "no difference that these data can show"),
        (0.1, 0.2, "trained with AUC loss, it ranks better"),
        (-0.2, -0.1, "trained with cross-entropy, it ranks better"),
    ],
)
def test_the_sentence_says_what_the_interval_says(low, high, said):
    value, lowest, highest = (np.array([0.7, 0.7, end]) for end in ((low + high) / 2, low, high))
    auc = report.Estimate(value, lowest, highest, np.zeros(3))
    assert said in ranking.describe(ranking.Ranking(data.digits(0), {}, np.zeros((0, 2)), auc))


def test_tables_line_up():
    lines = report.table(["name", "n"], [["a", "1.5"], ["longer", "−10"]]).splitlines()
    assert lines == ["  name       n", "  a        1.5", "  longer   −10"]


@pytest.mark.parametrize("module", ["sklearn", "statsmodels", "matplotlib", "tqdm"])
def test_a_missing_extra_is_one_friendly_line(module, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["demo"]) == 2
    printed, complaint = capsys.readouterr()
    assert not printed
    assert complaint.count("\n") == 1
    assert "pip install 'jmetrics-jax[demo]'" in complaint


def test_no_command_prints_the_help(capsys):
    assert main([]) == 0
    assert "demo" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrong", [["--output", "missing/a.png"], ["--output", "a.txt"], ["--seed", "-1"]]
)
def test_wrong_options_are_refused_before_any_work(wrong, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["demo", *wrong])
    assert stopped.value.code == 2
    assert wrong[1] in capsys.readouterr().err
