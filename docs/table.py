"""Renews the tables of the site: `python -m docs.table`.

What a function is and costs is read from its docstring, what it takes and which values it has from
its declaration; what it is called elsewhere is here.
"""

from __future__ import annotations

import importlib
import inspect
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sklearn.metrics

import jmetrics
from docs.layout import layout
from jmetrics._core.plan import declaration_of, range_of

DOCS = Path(__file__).parent
START, END = "<!-- made by `python -m docs.table` -->\n", "<!-- end -->\n"

# Pages of the reference, with their titles.
CHAPTERS = {
    "classification": "Labels",
    "probability": "Probabilities",
    "curves": "Curves",
    "ranking": "Lists",
    "regression": "Regression",
    "losses": "Losses",
    "inference": "Inference",
    "streaming": "Streaming",
    "distributed": "Devices",
    "any": "Any metric",
    "plot": "Pictures",
}
METRICS = ("classification", "probability", "curves", "ranking", "regression")
DECLARED = (*METRICS, "losses")

TORCHMETRICS = {
    "accuracy_score": "accuracy",
    "average_precision_at_k": "retrieval_average_precision",
    "average_precision_score": "average_precision",
    "calibration_error": "calibration_error",
    "cohen_kappa_score": "cohen_kappa",
    "concordance_corrcoef": "concordance_corrcoef",
    "confusion_matrix": "confusion_matrix",
    "equal_error_rate": "eer",
    "explained_variance_score": "explained_variance",
    "f1_score": "f1_score",
    "fall_out_at_k": "retrieval_fall_out",
    "fbeta_score": "fbeta_score",
    "hamming_loss": "hamming_distance",
    "hinge_loss": "hinge_loss",
    "hit_rate_at_k": "retrieval_hit_rate",
    "jaccard_score": "jaccard_index",
    "kendall_tau": "kendall_rank_corrcoef",
    "matthews_corrcoef": "matthews_corrcoef",
    "mean_absolute_error": "mean_absolute_error",
    "mean_absolute_percentage_error": "mean_absolute_percentage_error",
    "mean_log_cosh_error": "log_cosh_error",
    "mean_squared_error": "mean_squared_error",
    "mean_squared_log_error": "mean_squared_log_error",
    "mean_tweedie_deviance": "tweedie_deviance_score",
    "ndcg_score": "retrieval_normalized_dcg",
    "negative_predictive_value": "negative_predictive_value",
    "normalized_root_mean_squared_error": "normalized_root_mean_squared_error",
    "pearson_corrcoef": "pearson_corrcoef",
    "precision_at_k": "retrieval_precision",
    "precision_at_recall": "precision_at_fixed_recall",
    "precision_recall_curve": "precision_recall_curve",
    "precision_score": "precision",
    "r2_score": "r2_score",
    "r_precision": "retrieval_r_precision",
    "recall_at_k": "retrieval_recall",
    "recall_at_precision": "recall_at_fixed_precision",
    "recall_score": "recall",
    "reciprocal_rank": "retrieval_reciprocal_rank",
    "relative_squared_error": "relative_squared_error",
    "roc_auc_score": "auroc",
    "roc_curve": "roc",
    "sensitivity_at_specificity": "sensitivity_at_specificity",
    "spearman_corrcoef": "spearman_corrcoef",
    "specificity_at_sensitivity": "specificity_at_sensitivity",
    "specificity_score": "specificity",
    "symmetric_mean_absolute_percentage_error": "symmetric_mean_absolute_percentage_error",
    "weighted_mean_absolute_percentage_error": "weighted_mean_absolute_percentage_error",
}

RAX = {
    "approx_average_precision_loss": "approx_t12n(ap_metric)",
    "approx_mrr_loss": "approx_t12n(mrr_metric)",
    "approx_ndcg_loss": "approx_t12n(ndcg_metric)",
    "average_precision_at_k": "ap_metric",
    "dcg_score": "dcg_metric",
    "listmle_loss": "listmle_loss",
    "ndcg_score": "ndcg_metric",
    "pairwise_hinge_loss": "pairwise_hinge_loss",
    "pairwise_logistic_loss": "pairwise_logistic_loss",
    "precision_at_k": "precision_metric",
    "recall_at_k": "recall_metric",
    "reciprocal_rank": "mrr_metric",
    "softmax_loss": "softmax_loss",
}


def names_of(chapter: str) -> dict[str, object]:
    """What a page of the reference explains, by the path that the page gives it."""
    if chapter == "any":
        top = ("checked", "by_group", "GroupValues")
        return {name: getattr(jmetrics, name) for name in top} | names_of("ragged")
    module = importlib.import_module(f"jmetrics.{chapter}")
    public = getattr(module, "__all__", vars(module))
    return {
        f"{chapter}.{name}": value
        for name, value in sorted(vars(module).items(), key=lambda item: item[0].lower())
        if name in public
        and (inspect.isfunction(value) or inspect.isclass(value))
        and not name.startswith("_")
        and value.__module__.startswith(module.__name__)
    }


def counterparts(name: str, chapter: str) -> str:
    """What scikit-learn, torchmetrics and rax call it."""
    found = []
    if chapter in METRICS:
        if hasattr(sklearn.metrics, name):
            found.append("scikit-learn")
        if name in TORCHMETRICS:
            found.append(f"torchmetrics `{TORCHMETRICS[name]}`")
    if name in RAX and chapter in ("losses", "ranking"):
        found.append(f"rax `{RAX[name]}`")
    return ", ".join(found)


def in_words(sentence: str) -> str:
    """The sentence without the formula that follows."""
    pieces = re.split(r"(?<=[^.])([.,:] )", sentence.rstrip("."))
    said = ""
    for piece in pieces:
        said += piece
        if len(said.split()) > 2 and all(said.count(a) == said.count(b) for a, b in ("()", "[]")):
            break
    return said


def number(end: Any) -> str:
    """An end of a range."""
    sign = "−" if end < 0 else ""
    return sign + ("∞" if math.isinf(end) else f"{abs(float(end)):g}")


def interval(low: Any, high: Any) -> str:
    """A range, open where it has no end."""
    opening, closing = "(["[math.isfinite(low)], ")]"[math.isfinite(high)]
    return f"{opening}{number(low)}, {number(high)}{closing}"


def facts(value: Any) -> tuple[str, str]:
    """What a metric or loss is declared to take, and its range and direction."""
    declaration, ends = declaration_of(value), range_of(value)
    if ends is None:
        return "", ""
    several = ends if isinstance(ends[0], tuple) else (ends,)
    ranges = ", ".join(dict.fromkeys(interval(*of_one) for of_one in several))
    arrow = {True: " ↑", False: " ↓", None: ""}[declaration.greater_is_better]
    return declaration.predictions or "", ranges + arrow


def row(path: str, value: object, chapter: str) -> str:
    """One line of the table."""
    text = inspect.getdoc(value) or ""
    sentence = re.sub(r"\s+", " ", text.split("\n\n")[0])
    cost = re.search(r"^Cost:\s+(.*?)(?:[.,;](?:\s|$)|\n)", text, re.M)
    name = path.rpartition(".")[2]
    shown = name if chapter in METRICS else path
    link = f"[`{shown}`](reference/{chapter}.md#jmetrics.{path})"
    shared = counterparts(name, chapter), cost[1] if cost else ""
    cells = (link, in_words(sentence), *(facts(value) if chapter in DECLARED else ()), *shared)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def functions() -> str:
    """Every public name, by chapter."""
    parts = []
    for chapter, title in CHAPTERS.items():
        rows = [row(path, value, chapter) for path, value in names_of(chapter).items()]
        names = ["name", "what it is", "elsewhere", "cost"]
        if chapter in DECLARED:
            names[2:2] = ["predictions", "range"]
        head = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
        parts.append("\n".join([f"\n## {title}\n", *head, *rows, ""]))
    return "".join(parts) + "\n"


PAGES: dict[Path, Callable[[], str]] = {
    DOCS / "functions.md": functions,
    DOCS / "architecture.md": layout,
}


def renewed(page: Path) -> str:
    """The text of a page with its table as it should be."""
    before, rest = page.read_text().split(START)
    _, after = rest.split(END)
    return before + START + PAGES[page]() + END + after


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(renewed(page))
