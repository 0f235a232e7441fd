import pytest
from tests.laws import LAWS, float32_is_exact_for_many
from tests.rows.ranking import RANKING
from tests.row import cases_of
CASES=[c for r in RANKING for c in cases_of(r)]
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_law(law, case, request):
    if law is not float32_is_exact_for_many:
        request.getfixturevalue("quick_compile")
    law(case)
def test_names():
    n=[c.name for c in CASES]; assert len(n)==len(set(n))
