"""Every metric against every law, and every law against metrics that break it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness import forget_compiled
from tests.laws import (
    LAWS,
    ONCE_A_KERNEL,
    ONCE_A_ROW,
    Law,
    float32_is_exact_for_many,
    says_something,
)
from tests.mutants import MUTANTS
from tests.programs import forget_programs
from tests.registry import cases, kernel_cases, main_cases
from tests.row import Case

_latest: list[Case] = []


def forget_programs_of_others(case: Case) -> None:
    """Laws of a case share compiled programs; those of all cases together fill the memory."""
    if _latest != [case]:
        if not _latest or _latest[0].row is not case.row:
            forget_programs()
        _latest[:] = [case]
        forget_compiled()


def held_to(law: Law, case: Case) -> bool:
    """Whether a law says something of a case, and of no other case what it says of this."""
    if not says_something(law, case):
        return False
    if case in kernel_cases():
        return True
    return law not in ONCE_A_KERNEL and (law not in ONCE_A_ROW or case in main_cases())


PAIRS = [(law, case) for case in cases() for law in LAWS if held_to(law, case)]


def parameter(law: Law, case: Case) -> Any:
    """Time and rounding at full size need the compiler's best; one row stands for its kernel."""
    marks = [pytest.mark.optimised] if law is float32_is_exact_for_many else []
    marks += [] if case in kernel_cases() else [pytest.mark.full]
    return pytest.param(law, case, marks=marks, id=f"{case.name}-{law.__name__}")


@pytest.mark.parametrize(("law", "case"), [parameter(*pair) for pair in PAIRS])
def test_law(law: Law, case: Case) -> None:
    forget_programs_of_others(case)
    law(case)


@pytest.mark.parametrize(
    ("law", "mutant"), MUTANTS, ids=[f"{law.__name__}-{case.name}" for law, case in MUTANTS]
)
def test_law_rejects(law: Law, mutant: Case) -> None:
    with pytest.raises(AssertionError):
        law(mutant)


def test_every_law_can_fail() -> None:
    assert {law.__name__ for law in LAWS} == {law.__name__ for law, _ in MUTANTS}
