"""What a program may cost on an accelerator."""

from __future__ import annotations

import re
from typing import Any, NamedTuple


class Limits(NamedTuple):
    """The most that is asked of a program; None where nothing is asked."""

    trips: int = 8
    own_length: int = 22_000
    """Of rows that XLA sorts itself on a GPU."""
    vendor_sorts: int | None = None
    scatters: int | None = None
    seconds: float = 20
    """Of compiling for a TPU."""
    megabytes: float | None = None
    """Moved on a TPU."""


LIMITS = {
    r"(roc_auc|average_precision)_score(, weights)?": Limits(0, 0, 1, 0, 12, 500),
    r"(roc_auc|average_precision)_score, bfloat16": Limits(0, 0, 1, None, 8, 300),
    r"(roc|precision_recall|det)_curve": Limits(0, 0, 1, None, 20, 2000),
    r"spearman_corrcoef": Limits(24, 0, seconds=25, megabytes=2000),
    r"kendall_tau": Limits(24, 0, seconds=40, megabytes=8000),
    r"(average_precision|approx_ndcg)_loss.*": Limits(40, seconds=25, megabytes=3000),
    r"\w*auc_loss.*": Limits(24, seconds=15, megabytes=2000),
    r"bootstrap of the AUC": Limits(20, seconds=25, megabytes=3000),
    r"standard_error.*|delong_interval": Limits(0, 0, 1, None, 20, 1500),
    r".*(?<!slope), segments": Limits(8, 0, megabytes=2000),
}
"""By pattern of the label, the first that fits; `Limits()` for all others."""


def misses(target: str, label: str, figures: dict[str, Any]) -> list[str]:
    """What a program has more of than it may have."""
    if "problem" in figures:
        return [figures["problem"]]
    fitting = (limits for pattern, limits in LIMITS.items() if re.fullmatch(pattern, label))
    limits, moved = next(fitting, Limits()), figures.get("moved")
    if target == "tpu":
        found = {
            "s to compile": (figures["seconds"], limits.seconds),
            "MB moved": (None if moved is None else moved / 1e6, limits.megabytes),
        }
    else:
        found = {
            "trips": (figures["trips"], limits.trips),
            "in a row of an own sort": (figures["own_length"], limits.own_length),
            "vendor sorts": (figures["vendor_sorts"], limits.vendor_sorts),
            "scatters": (figures["scatters"], limits.scatters),
        }
    return [
        f"{number:,.0f} > {most:,} {what}"
        for what, (number, most) in found.items()
        if number is not None and most is not None and number > most
    ]
