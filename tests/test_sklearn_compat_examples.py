"""The examples in scikit-learn's own documentation of its metrics, run on the drop-in."""

from __future__ import annotations

import doctest
import re
from typing import Any

import pytest
import sklearn.metrics

from jmetrics import sklearn_compat

EXAMPLES = {
    name: doctest.DocTestParser().get_doctest(documented.__doc__, {}, name, None, 0)
    for name in sklearn_compat.__all__
    if (documented := getattr(sklearn.metrics, name, None)) is not None
}

pytestmark = pytest.mark.filterwarnings("ignore")


class Recorder(doctest.DocTestRunner):
    """Keeps what examples print, whether it is what was expected or not."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.printed: list[str] = []

    def report_success(self, out: Any, test: Any, example: Any, got: str) -> None:
        self.printed.append(got)

    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
        self.printed.append(got)


def printed(test: doctest.DocTest) -> list[str]:
    """What the examples print, floats to 10 digits and without the name of their type."""
    recorder = Recorder()
    test.globs.clear()
    recorder.run(test, out=lambda text: None, clear_globs=False)
    texts = (text.replace("np.float64", "") for text in recorder.printed)
    return [re.sub(r"\d+\.\d+", lambda x: f"{float(x[0]):.10g}", text) for text in texts]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_print_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = printed(EXAMPLES[name])
    for each in EXAMPLES:
        monkeypatch.setattr(sklearn.metrics, each, getattr(sklearn_compat, each))
    assert printed(EXAMPLES[name]) == expected
    ran = EXAMPLES[name].globs.get(name)
    assert ran in (None, getattr(sklearn_compat, name))


def test_there_is_an_example_of_nearly_every_function() -> None:
    assert len(EXAMPLES) == 52
    without = [name for name, test in EXAMPLES.items() if not test.examples]
    assert len(without) <= 2, without
