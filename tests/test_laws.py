"""Every metric against every law, and every law against metrics that break it."""

from __future__ import annotations

import pytest

from tests.laws import LAWS, Law, float32_is_exact_for_many
from tests.mutants import MUTANTS
from tests.registry import cases
from tests.row import Case


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_law(law: Law, case: Case, request: pytest.FixtureRequest) -> None:
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
