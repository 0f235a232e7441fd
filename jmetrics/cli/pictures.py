"""Pictures of an evaluation, as files or inside a report."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jmetrics import plot
from jmetrics.cli.data import Data
from jmetrics.cli.engine import Refused
from jmetrics.cli.evaluation import Settings, SubsetResults
from jmetrics.cli.panels import probabilistic
from jmetrics.cli.progress import progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.3
_KS = (1, 2, 3, 5, 10, 20, 50, 100)


class Picture(NamedTuple):
    """A drawing function, and the size of the picture in inches."""

    name: str
    title: str
    draw: Callable[[Axes], Any]
    size: tuple[float, float] = (4.4, 4.0)


def need_matplotlib(option: str) -> None:
    """Raise before any work if the pictures could not be drawn after it."""
    if find_spec("matplotlib") is None:
        raise Refused(f"{option} needs matplotlib: pip install 'jmetrics-jax[plot]'")


def rendered(
    data: Data, parts: list[SubsetResults], settings: Settings, models: list[str]
) -> list[Any]:
    """Pictures with their PNG images."""
    wanted = list(_pictures(data, parts, settings, models))
    done = []
    with progress("drawing", " pictures", len(wanted)) as bar:
        for picture in wanted:
            done.append((picture, _png(picture)))
            bar.update()
    return done


def save(images: list[Any], folder: Path) -> None:
    """Write each picture to a file of its name."""
    for picture, image in images:
        (folder / f"{picture.name}.png").write_bytes(image)


def _png(picture: Picture) -> bytes:
    from matplotlib.figure import Figure

    figure = Figure(figsize=picture.size, dpi=200, layout="compressed")
    picture.draw(figure.subplots())
    image = io.BytesIO()
    figure.savefig(image, format="png")
    return image.getvalue()


def _pictures(
    data: Data, parts: list[SubsetResults], settings: Settings, models: list[str]
) -> Iterator[Picture]:
    by_task = {
        "binary": _binary,
        "multiclass": _multiclass,
        "regression": _regression,
        "quantile": _quantile,
        "ranking": _ranking,
    }
    if data.task in by_task:
        yield from by_task[data.task](data, settings, models)
    yield from _forests(parts, settings, models)


def _each(
    function: Callable[..., Any], data: Data, models: list[str], options: dict[str, Any]
) -> Callable[[Axes], None]:
    """Draw the predictions of each model on the same axes."""

    def draw(ax: Axes) -> None:
        for model, name in zip(data.models, models, strict=True):
            label = name if len(models) > 1 else None
            function(data.y_true, model.score, label=label, ax=ax, **options)

    return draw


def _common(data: Data, settings: Settings) -> dict[str, Any]:
    return {"confidence_level": settings.level, "sample_weight": data.weight}


def _binary(data: Data, settings: Settings, models: list[str]) -> Iterator[Picture]:
    options = _common(data, settings)
    banded = options | {"groups": data.cluster}
    curves = {
        "roc": ("ROC curve", plot.roc_curve),
        "precision_recall": ("Precision and recall", plot.precision_recall_curve),
        "det": ("Detection error trade-off", plot.det_curve),
        "gain": ("Gain", plot.gain_curve),
        "lift": ("Lift", plot.lift_curve),
    }
    if any(model.score is None for model in data.models):
        curves = {}
    for name, (title, function) in curves.items():
        yield Picture(name, title, _each(function, data, models, banded))
    if probabilistic(data):
        draw = _each(plot.calibration_curve, data, models, options)
        yield Picture("calibration", "Calibration", draw)
    yield from _confusion(data, models)


def _multiclass(data: Data, settings: Settings, models: list[str]) -> Iterator[Picture]:
    if probabilistic(data):
        draw = _each(plot.calibration_curve, data, models, _common(data, settings))
        yield Picture("calibration", "Calibration of the most probable class", draw)
    yield from _confusion(data, models)


def _confusion(data: Data, models: list[str]) -> Iterator[Picture]:
    if any(model.decided is None for model in data.models):
        return
    side = max(3.6, 0.45 * min(len(data.names), 14) + 1.2)
    for k, (model, name) in enumerate(zip(data.models, models, strict=True)):
        draw = functools.partial(
            plot.confusion_matrix,
            data.y_true,
            model.decided,
            display_labels=data.names,
            sample_weight=data.weight,
        )
        title = f"Confusion matrix, {name}" if len(models) > 1 else "Confusion matrix"
        file = "confusion" if k == 0 else f"confusion_{k + 1}"
        yield Picture(file, title, _on(draw), (side + 1, side))


def _on(draw: Callable[..., Any]) -> Callable[[Axes], Any]:
    return lambda ax: draw(ax=ax)


def _regression(data: Data, settings: Settings, models: list[str]) -> Iterator[Picture]:
    for k, (model, name) in enumerate(zip(data.models, models, strict=True)):
        draw = functools.partial(
            plot.residuals, data.y_true, model.prediction, confidence_level=settings.level
        )
        title = f"Residuals, {name}" if len(models) > 1 else "Residuals"
        yield Picture("residuals" if k == 0 else f"residuals_{k + 1}", title, _on(draw), (5, 4))


def _quantile(data: Data, settings: Settings, models: list[str]) -> Iterator[Picture]:
    options = _common(data, settings) | {"groups": data.cluster, "alpha": np.array(data.levels)}
    draw = _each(plot.quantile_coverage, data, models, options)
    yield Picture("coverage", "Coverage of the quantiles", draw)


def _ranking(data: Data, settings: Settings, models: list[str]) -> Iterator[Picture]:
    longest = data.y_true.shape[1]
    options = _common(data, settings) | {
        "groups": data.cluster,
        "where": data.where,
        "ks": tuple(k for k in _KS if k <= longest),
    }
    yield Picture("ndcg", "NDCG@k", _each(plot.ndcg_at_k, data, models, options), (5, 4))


def _forests(
    parts: list[SubsetResults], settings: Settings, models: list[str]
) -> Iterator[Picture]:
    """Metrics that share a scale; the first metric of every group; differences."""
    interval = f"{100 * settings.level:g} % interval"
    whole, *groups = parts
    rates = {r.name: r for r in whole.results if r.low >= 0 and r.high <= 1}
    if len(rates) > 1:
        yield _forest("metrics", "Metrics from 0 to 1", rates, f"value, {interval}")
    first = whole.results[0].name
    if groups:
        rows = {"all rows": whole.results[0]}
        rows |= {str(part.name): part.results[0] for part in groups}
        yield _forest("groups", f"{first} of each group", rows, f"{first}, {interval}")
    for k, model in enumerate(models[1:]):
        pairs = {r.name: r.comparisons[k] for r in whole.results if r.name in rates}
        if pairs:
            label = f"{models[0]} less {model}, {interval}"
            file = "differences" if k == 0 else f"differences_{k + 2}"
            yield _forest(file, f"Differences from {model}", pairs, label, 0.0)


def _forest(
    name: str, title: str, rows: dict[str, Any], label: str, reference: float | None = None
) -> Picture:
    draw = functools.partial(plot.forest, rows, xlabel=label, reference=reference)
    return Picture(name, title, _on(draw), (5.2, 1.0 + _ROW * len(rows)))
