"""Renews the table of functions in the README: `python -m docs.table`.

What a function is and costs is read from its docstring; what it is called elsewhere is here.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import sklearn.metrics

README = Path(__file__).parents[1] / "README.md"
START, END = "<!-- functions -->\n", "<!-- end of functions -->\n"

CHAPTERS = {
    "classification": "Labels",
    "probability": "Probabilities",
    "curves": "Scores at all thresholds",
    "ranking": "Ranked lists",
    "regression": "Numbers",
    "losses": "Losses",
    "inference": "How sure is it",
    "streaming": "In parts",
    "distributed": "Over many devices",
    "ragged": "Lists of unequal length",
    "plot": "Pictures",
}

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


def functions_of(module: ModuleType) -> dict[str, object]:
    """The public functions of a module and its parts, in the order of the alphabet."""
    public = getattr(module, "__all__", vars(module))
    inside = {
        name: value
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and name in public
        and not name.startswith("_")
        and value.__module__.startswith(module.__name__)
    }
    return dict(sorted(inside.items()))


def counterparts(name: str, chapter: str) -> str:
    """What scikit-learn, torchmetrics and rax call it."""
    found = []
    if chapter in CHAPTERS and chapter not in ("losses", "streaming", "distributed", "plot"):
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


def row(name: str, function: object, chapter: str) -> str:
    """One line of the table."""
    text = inspect.getdoc(function) or ""
    sentence = re.sub(r"\s+", " ", text.split("\n\n")[0])
    cost = re.search(r"^Cost:\s+(.*?)(?:[.,;](?:\s|$)|\n)", text, re.M)
    cells = (f"`{name}`", in_words(sentence), counterparts(name, chapter), cost[1] if cost else "")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table() -> str:
    """All chapters, each to be opened by itself."""
    parts = []
    for chapter, title in CHAPTERS.items():
        functions = functions_of(importlib.import_module(f"jmetrics.{chapter}"))
        head = "| function | what it is | elsewhere | cost |\n|---|---|---|---|"
        rows = "\n".join(row(name, function, chapter) for name, function in functions.items())
        where = "jmetrics" if chapter in list(CHAPTERS)[:5] else f"jmetrics.{chapter}"
        summary = f"<summary>{title}: <code>{where}</code>, {len(functions)} functions</summary>"
        parts.append(f"<details>\n{summary}\n\n{head}\n{rows}\n\n</details>\n")
    return "\n".join(parts)


def renewed(text: str) -> str:
    """The README with the table as it should be."""
    before, rest = text.split(START)
    _, after = rest.split(END)
    return before + START + table() + END + after


if __name__ == "__main__":
    README.write_text(renewed(README.read_text()))
