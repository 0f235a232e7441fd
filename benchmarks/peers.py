"""How do other libraries of metrics compare? `python -m benchmarks.peers [library ...]`

Each gets the numbers that jmetrics gets, in arrays of its own kind that are made beforehand:
float64 where it computes with NumPy, float32 elsewhere. References in float64, from scikit-learn,
SciPy or the definition, judge both sides. A library, or a function of it, that is missing or fails
with the versions installed is left out with a line that says so.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
import scipy.stats
import sklearn.metrics

import jmetrics
from benchmarks import classification, probability, ranking
from benchmarks.losses import value_and_size
from benchmarks.measure import Row, compare, on_gpu, print_table, said
from jmetrics import losses, streaming

N, TENTH, FEW = 1_000_000, 100_000, 5_000
MEMBERS, VARIABLES = 50, 8


class Case(NamedTuple):
    name: str
    ours: Callable[..., Any]
    arguments: tuple[Any, ...]
    peer: Callable[[], Any]
    exact: Any


def row(case: Case) -> Row | None:
    try:
        case.peer()
    except Exception as error:  # whatever is wrong with a peer, the others are measured
        print(f"left out, {case.name}: {said(error)}")
        return None
    return compare(case.name, case.ours, case.arguments, case.peer, (), exact=case.exact, rounds=3)


def of_torchmetrics() -> Iterator[Case]:
    functional = importlib.import_module("torchmetrics.functional")
    yield from _torch_scores(functional.classification)
    yield from _torch_labels(functional.classification)
    yield from _torch_regression(functional)
    yield from _torch_lists(importlib.import_module("torchmetrics.retrieval"))
    yield _torch_stream(importlib.import_module("torchmetrics"))


def tensors(*arrays: np.ndarray) -> list[Any]:
    torch = importlib.import_module("torch")
    device = "cuda" if on_gpu() and torch.cuda.is_available() else "cpu"
    return [torch.as_tensor(a, device=device) for a in arrays]


def on_torch(metric: Callable[..., Any], *arrays: np.ndarray, **options: Any) -> Callable[[], Any]:
    """The call with tensors; a GPU is waited for by copying the result."""
    given = tensors(*arrays)
    return lambda: metric(*given, **options).numpy(force=True)


def _torch_scores(peers: Any) -> Iterator[Case]:
    z = np.random.default_rng(0).normal(size=N)
    common, rare = scipy.special.expit(2 * z), scipy.special.expit(2 * z - 9)
    area, precision = "roc_auc_score", "average_precision_score"
    for name, title, chance, score, options in (
        (area, "", common, common, {}),
        (area, ", 200 bins", common, common, {"thresholds": 200}),
        (area, ", rare, 200 bins", rare, rare, {"thresholds": 200}),
        (area, " of logits near 18", common, z + 18, {}),
        (precision, "", common, common, {}),
        (precision, ", rare, 200 bins", rare, rare, {"thresholds": 200}),
    ):
        y_true = (np.random.default_rng(1).random(N) < chance).astype(np.int64)
        y_score = score.astype(np.float32)
        metric = {area: peers.binary_auroc, precision: peers.binary_average_precision}[name]
        peer = on_torch(metric, y_score, y_true, **options)
        exact = getattr(sklearn.metrics, name)(y_true, y_score)
        yield Case(name + title, getattr(jmetrics, name), (y_true, y_score), peer, exact)


def _torch_labels(peers: Any) -> Iterator[Case]:
    y_true, y_pred = classification.labels(10)
    known: dict[str, Any] = {"num_classes": 10}
    for name, metric, ours, theirs in (
        ("accuracy_score", peers.multiclass_accuracy, {}, {"average": "micro"}),
        ("f1_score", peers.multiclass_f1_score, {"average": "macro"}, {"average": "macro"}),
        ("confusion_matrix", peers.multiclass_confusion_matrix, {}, {}),
        ("matthews_corrcoef", peers.multiclass_matthews_corrcoef, {}, {}),
        ("cohen_kappa_score", peers.multiclass_cohen_kappa, {}, {}),
    ):
        exact = getattr(sklearn.metrics, name)(y_true, y_pred, **ours)
        static = {} if name == "accuracy_score" else known
        own = partial(getattr(jmetrics, name), **ours, **static)
        peer = on_torch(metric, y_pred, y_true, **theirs, **known)
        yield Case(f"{name} 10", own, (y_true, y_pred), peer, exact)
    y_true, y_proba = probability.data(2)
    peer = on_torch(peers.binary_calibration_error, y_proba, y_true)
    exact = probability.calibration_in_bins(y_true, y_proba)
    yield Case("calibration_error 2", jmetrics.calibration_error, (y_true, y_proba), peer, exact)


def _torch_regression(peers: Any) -> Iterator[Case]:
    x, noise = np.random.default_rng(0).normal(size=(2, N))
    y, near, nearer = x + noise / 2, x + 1e4, x + noise / 10 + 1e4
    some = x[:80_000]
    r2 = peers.r2_score, sklearn.metrics.r2_score
    squares = peers.mean_squared_error, sklearn.metrics.mean_squared_error
    pearson = peers.pearson_corrcoef, scipy.stats.pearsonr
    spearman = peers.spearman_corrcoef, scipy.stats.spearmanr
    kendall = peers.kendall_rank_corrcoef, scipy.stats.kendalltau
    for name, title, (metric, judge), arrays in (
        ("mean_squared_error", "", squares, (x, y)),
        ("r2_score", "", r2, (x, y)),
        ("r2_score", " near 10,000", r2, (near, nearer)),
        ("pearson_corrcoef", "", pearson, (x, y)),
        ("spearman_corrcoef", "", spearman, (x, y)),
        ("spearman_corrcoef", " of two values", spearman, (some > 0, some)),
        ("kendall_tau", "", kendall, (x[:FEW], y[:FEW])),
    ):
        single = tuple(a.astype(np.float32) for a in arrays)
        exact = judge(*(a.astype(np.float64) for a in single))
        exact = getattr(exact, "statistic", exact)
        peer = on_torch(metric, *reversed(single))
        yield Case(name + title, getattr(jmetrics, name), single, peer, exact)


def _torch_lists(peers: Any) -> Iterator[Case]:
    grades, scores = ranking.data()
    queries = np.repeat(np.arange(ranking.LISTS), ranking.SIZE)
    binary = (grades >= 1).astype(np.float32)

    def case(title: str, metric: Any, judged: ranking.Judged, y_true: Any, y_score: Any) -> Case:
        given = tensors(y_score.ravel(), y_true.ravel().astype(np.int64), queries)

        def peer() -> Any:
            metric.reset()
            metric.update(*given)
            return metric.compute().numpy(force=True)

        exact = judged.reference(y_true, y_score.astype(np.float64))
        return Case(judged.name + title, judged.metric, (y_true, y_score), peer, exact)

    positive = scores - scores.min() + 1
    yield case("", peers.RetrievalNormalizedDCG(top_k=10), ranking.NDCG_AT_10, grades, scores)
    yield case("", peers.RetrievalMAP(), ranking.MAP, binary, positive)
    yield case(" of logits", peers.RetrievalMAP(), ranking.MAP, binary, scores)
    yield case("", peers.RetrievalMRR(), ranking.MRR, binary, positive)


def _torch_stream(peers: Any) -> Case:
    """Past 2²⁴ a count in float32 stands still."""
    ones, threes = np.ones((16, 2**20), np.float32), np.full((1_000, 1), 3, np.float32)
    batches = [*tensors(*ones), *tensors(*threes)]
    theirs = peers.MeanMetric().to(batches[0].device)
    mean = streaming.stream(jmetrics.mean_absolute_error)

    def ours(ones: Any, threes: Any) -> Any:
        def step(state: Any, batch: Any) -> tuple[Any, None]:
            return mean.update(state, jnp.zeros_like(batch), batch), None

        state, _ = jax.lax.scan(step, mean.init(), ones)
        return mean.compute(jax.lax.scan(step, state, threes)[0])

    def peer() -> Any:
        theirs.reset()
        for batch in batches:
            theirs.update(batch)
        return theirs.compute().numpy(force=True)

    exact = (ones.size + 3 * threes.size) / (ones.size + threes.size)
    return Case("mean of 2**24 ones, 1,000 threes", ours, (ones, threes), peer, exact)


def of_rax() -> Iterator[Case]:
    rax = importlib.import_module("rax")
    grades, scores = ranking.data()
    binary = (grades >= 1).astype(np.float32)
    for judged, metric, y_true in (
        (ranking.EXPONENTIAL_NDCG_AT_10, partial(rax.ndcg_metric, topn=10), grades),
        (ranking.MAP, rax.ap_metric, binary),
        (ranking.MRR, rax.mrr_metric, binary),
    ):
        exact = judged.reference(y_true, scores.astype(np.float64))
        peer = jitted(metric, scores, y_true)
        yield Case(judged.name, judged.metric, (y_true, scores), peer, exact)
    yield from _rax_losses(rax, grades[:1000], scores[:1000])


def jitted(function: Callable[..., Any], *arrays: np.ndarray) -> Callable[[], Any]:
    given, compiled = jax.device_put(arrays), jax.jit(function)
    return lambda: jax.block_until_ready(compiled(*given))


def _rax_losses(rax: Any, grades: np.ndarray, scores: np.ndarray) -> Iterator[Case]:
    """Value and gradient of the mean over lists of equal weight, as here."""

    def step(gap: Any) -> Any:
        return jax.nn.sigmoid(gap / 0.1)

    def approx_ndcg(y_score: Any, y_true: Any) -> Any:
        rank = partial(rax.utils.approx_ranks, step_fn=step)
        return 1 - rax.ndcg_metric(y_score, y_true, rank_fn=rank, gain_fn=lambda y: y)

    def softmax(y_true: Any, y_score: Any) -> Any:
        return -jnp.sum(y_true * jax.nn.log_softmax(y_score))

    def ndcg(y_true: Any, y_score: Any) -> Any:
        rank = 0.5 + jnp.sum(step(y_score[None] - y_score[:, None]), axis=1)
        best = -jnp.sort(-y_true) / jnp.log2(1 + jnp.arange(1, y_true.size + 1))
        return 1 - jnp.sum(y_true / jnp.log2(1 + rank)) / jnp.sum(best)

    def pairs(penalty: Callable[..., Any], y_true: Any, y_score: Any) -> Any:
        return jnp.mean(penalty(y_score[:, None] - y_score), where=y_true[:, None] > y_true)

    smooth = partial(losses.approx_ndcg_loss, kernel="logistic")
    hinge = partial(pairs, lambda gap: jax.nn.relu(1 - gap))
    logistic = partial(pairs, lambda gap: jax.nn.softplus(-gap))
    for name, theirs, definition in (
        ("softmax_loss", rax.softmax_loss, softmax),
        ("pairwise_hinge_loss", rax.pairwise_hinge_loss, hinge),
        ("pairwise_logistic_loss", rax.pairwise_logistic_loss, logistic),
        ("approx_ndcg_loss", approx_ndcg, ndcg),
    ):
        ours = value_and_size(smooth if definition is ndcg else getattr(losses, name))
        swapped = partial(lambda loss, y_true, y_score: loss(y_score, y_true), theirs)
        peer = jitted(value_and_size(mean_over_lists(swapped)), grades, scores)
        with jax.enable_x64(True):
            wide = grades.astype(np.float64), scores.astype(np.float64)
            exact = jitted(value_and_size(mean_over_lists(definition)), *wide)()
        yield Case(name, ours, (grades, scores), peer, exact)


def mean_over_lists(loss: Callable[..., Any]) -> Callable[..., Any]:
    return lambda y_true, y_score: jnp.mean(jax.vmap(loss)(y_true, y_score))


def of_ranx() -> Iterator[Case]:
    ranx = importlib.import_module("ranx")
    grades, scores = ranking.data()
    queries, items = ([str(i) for i in range(n)] for n in (ranking.LISTS, ranking.SIZE))
    tables = [
        {q: dict(zip(items, row.tolist(), strict=True)) for q, row in zip(queries, a, strict=True)}
        for a in (grades.astype(int), scores)
    ]
    given = ranx.Qrels(tables[0]), ranx.Run(tables[1])
    known = {"ndcg@10": ranking.NDCG_AT_10, "map": ranking.MAP, "mrr": ranking.MRR}
    for name, judged in known.items():
        peer = partial(ranx.evaluate, *given, name, make_comparable=False)
        exact = judged.reference(grades, scores.astype(np.float64))
        yield Case(judged.name, judged.metric, (grades, scores), peer, exact)


def of_scoringrules() -> Iterator[Case]:
    """Double precision, as NumPy and numba compute; the mean of one score a sample."""
    peers = importlib.import_module("scoringrules")
    rng = np.random.default_rng(0)
    y = rng.normal(size=N)
    mean, width = y + rng.normal(size=N), rng.gamma(4, 0.25, N)
    members = mean[:TENTH, None] + rng.normal(size=(TENTH, MEMBERS))
    vectors = rng.normal(size=(FEW, 1 + MEMBERS, VARIABLES))
    levels = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
    quantiles = mean + np.outer(scipy.stats.norm.ppf(levels), width)
    alpha = np.array([0.1, 0.5])

    def interval(y: Any, q: Any) -> Any:
        return peers.interval_score(y, q[:, 0], q[:, 1], alpha[0])

    def weighted(y: Any, q: Any, **backend: str) -> Any:
        sides = q[:, 2], q[:, :2], q[:, :2:-1]
        return peers.weighted_interval_score(y, *sides, alpha, **backend)

    ends = quantiles[[0, 4]].T
    yield scored("brier_score_loss", peers.brier_score, brier, y > 0, scipy.special.expit(mean))
    yield scored("crps_normal", peers.crps_normal, crps_normal, y, mean, width)
    yield scored("crps_ensemble", peers.crps_ensemble, crps_ensemble, y[:TENTH], members)
    yield scored("energy_score", peers.es_ensemble, energy, vectors[:, 0], vectors[:, 1:])
    yield scored("interval_score", interval, partial(winkler, alpha=alpha[0]), y, ends, alpha=0.1)
    for backend in ("numba", "numpy"):
        yield scored(
            "weighted_interval_score",
            partial(weighted, backend=backend),
            partial(pinballs, levels=levels),
            y,
            quantiles.T,
            alpha=levels,
        )._replace(name=f"weighted_interval_score, by {backend}")


def scored(
    name: str,
    peer: Callable[..., Any],
    definition: Callable[..., Any],
    *arrays: np.ndarray,
    **options: Any,
) -> Case:
    single = tuple(a.astype(np.float32) for a in arrays)
    wide = tuple(a.astype(np.float64) for a in single)
    metric = partial(getattr(jmetrics, name), **options)

    def ours(y_true: Any, y_pred: Any, *scale: Any) -> Any:
        return metric(y_true, y_pred, scale=scale[0]) if scale else metric(y_true, y_pred)

    return Case(name, ours, single, lambda: np.mean(peer(*wide)), np.mean(definition(*wide)))


def brier(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    return (p - y) ** 2


def crps_normal(y: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    z, norm = (y - mean) / scale, scipy.stats.norm
    return scale * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))


def crps_ensemble(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    m = x.shape[1]
    rise = np.sort(x, axis=1) @ (2 * np.arange(1, m + 1) - m - 1)
    return np.abs(x - y[:, None]).mean(axis=1) - rise / m**2


def energy(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    apart = np.mean([np.linalg.norm(x - x[:, [i]], axis=2) for i in range(x.shape[1])], axis=(0, 2))
    return np.linalg.norm(x - y[:, None], axis=2).mean(axis=1) - apart / 2


def winkler(y: np.ndarray, q: np.ndarray, alpha: float) -> np.ndarray:
    low, high = q.T
    missed = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    return high - low + 2 / alpha * missed


def pinballs(y: np.ndarray, q: np.ndarray, levels: np.ndarray) -> np.ndarray:
    error = y[:, None] - q
    return 2 * np.mean(np.maximum(levels * error, (levels - 1) * error), axis=1)


LIBRARIES: dict[str, Callable[[], Iterator[Case]]] = {
    "torchmetrics": of_torchmetrics,
    "rax": of_rax,
    "ranx": of_ranx,
    "scoringrules": of_scoringrules,
}


def print_rows(library: str) -> None:
    try:
        importlib.import_module(library)
        cases = list(LIBRARIES[library]())
    except Exception as error:  # not installed, or at odds with the version of what it needs
        print(f"\nleft out, {library}: {said(error)}")
        return
    rows = [row(case) for case in cases]
    print_table(f"Beside {library}", [row for row in rows if row], library)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("library", nargs="*", help=", ".join(LIBRARIES))
    chosen = parser.parse_args().library or list(LIBRARIES)
    if unknown := set(chosen) - set(LIBRARIES):
        parser.error(f"no peer called {', '.join(sorted(unknown))}")
    for library in chosen:
        print_rows(library)


if __name__ == "__main__":
    main()
