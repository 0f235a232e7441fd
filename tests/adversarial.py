"""Numbers that are hard on floats, drawn by hypothesis, each exact as a fraction."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

COUNTS = st.sampled_from([0, 1, 2, 3, 1000, 99_996, 999_996, 2**24 - 1, 2**24])
"""Cells of tables: few of very many, up to where float32 stops counting."""

UNITS = st.sampled_from([2.0**e for e in (-100, -70, -24, 0, 24, 63, 100)])
"""Powers of two over the range of float32."""


@st.composite
def neighbours(draw: st.DrawFn, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Truth and prediction in one unit, some equal and some one or two ulp apart."""
    unit = draw(UNITS)
    whole = st.integers(-(2**10), 2**10)
    y = np.array([draw(whole) for _ in range(size)], np.float32)
    p = np.array([draw(whole) for _ in range(size)], np.float32)
    for i in range(size):
        steps = draw(st.sampled_from([None, 0, 1, 2]))
        for _ in range(steps or 0):
            p[i] = np.nextafter(y[i] if _ == 0 else p[i], np.float32(np.inf))
        p[i] = y[i] if steps == 0 else p[i]
    return y * np.float32(unit), p * np.float32(unit)


def weights(size: int) -> st.SearchStrategy[np.ndarray]:
    """Huge and tiny weights, all of one size."""
    few = st.lists(st.integers(1, 7), min_size=size, max_size=size)
    return st.builds(lambda w, unit: np.asarray(w, np.float32) * np.float32(unit), few, UNITS)
