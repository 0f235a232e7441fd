"""Every metric against every law, and every law against metrics that break it."""

from __future__ import annotations

import os

import jax
import pytest

from tests.harness import forget_compiled
from tests.laws import LAWS, ONCE_A_ROW, Law, float32_is_exact_for_many
from tests.mutants import MUTANTS
from tests.registry import cases, main_cases
from tests.row import Case

_latest: list[Case] = []


def forget_programs_of_others(case: Case) -> None:
    """Laws of a case share compiled programs; those of all cases together fill the memory."""
    if _latest != [case]:
        _latest[:] = [case]
        forget_compiled()
        jax.clear_caches()


# CI spares the second interpreter the other variants of each row.
CASES = main_cases() if "JMETRICS_FIRST_VARIANTS" in os.environ else cases()
PAIRS = [
    (law, case) for case in CASES for law in LAWS if law not in ONCE_A_ROW or case in main_cases()
]


@pytest.mark.parametrize(
    ("law", "case"), PAIRS, ids=[f"{case.name}-{law.__name__}" for law, case in PAIRS]
)
def test_law(law: Law, case: Case, request: pytest.FixtureRequest) -> None:
    forget_programs_of_others(case)
    if law is not float32_is_exact_for_many:  # where time and rounding at full size matter
        request.getfixturevalue("quick_compile")
    law(case)


@pytest.mark.usefixtures("quick_compile")
@pytest.mark.parametrize(
    ("law", "mutant"), MUTANTS, ids=[f"{law.__name__}-{case.name}" for law, case in MUTANTS]
)
def test_law_rejects(law: Law, mutant: Case) -> None:
    with pytest.raises(AssertionError):
        law(mutant)


def test_every_law_can_fail() -> None:
    assert {law.__name__ for law in LAWS} == {law.__name__ for law, _ in MUTANTS}
