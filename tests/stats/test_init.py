"""Names of tests, and errors if scipy is missing."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import excerpt
from excerpt.cli import main
from excerpt.errors import ExcerptError
from excerpt.scores.score_table import ScoreTable
from excerpt.stats import ALL_TESTS, FAMILIES_IN_WORDS, TEST_NAMES, check_test
from excerpt.stats.significance import FAMILIES, TESTS

TABLE = ScoreTable(
    ("a", "b"), ("a", "b"), tuple("1234"), ("MAiP",), np.random.default_rng(1).random((2, 4, 1))
)


@pytest.fixture
def no_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if scipy were not installed."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)


def test_names_are_those_of_functions() -> None:
    """The command line offers the tests that exist, and no others."""
    assert set(TEST_NAMES) == set(TESTS)
    assert set(FAMILIES_IN_WORDS) == set(FAMILIES)
    with pytest.raises(ExcerptError, match="unknown test 'tukkey'; did you mean 'tukey'"):
        check_test("tukkey", ALL_TESTS)
    with pytest.raises(ExcerptError, match="unknown test 'tukey'"):
        check_test("tukey")


@pytest.mark.usefixtures("no_scipy")
def test_only_students_t_and_anova_need_scipy() -> None:
    """All other tests of pairs, with their intervals, do without."""
    for test in ALL_TESTS:
        if test in {"t", "anova"}:
            with pytest.raises(ExcerptError, match=r"needs scipy, which is not installed; try pip install"):
                excerpt.compare(TABLE, test=test)
        else:
            assert excerpt.compare(TABLE, test=test, samples=50).rows[0]["low"] < 1


@pytest.mark.usefixtures("no_scipy")
@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "no file", "no run", "none", "-m", "MAiP", "--test", "t"),
        ("agreement", "no file", "no run", "none", "-m", "MAiP", "-m", "AiP", "--test", "t"),
        ("testerror", "no file", "no run", "none", "-m", "MAiP"),
        ("anova", "no file", "no run", "none", "-m", "MAiP"),
        ("power", "no file", "no run", "none", "-m", "MAiP"),
    ],
)
def test_one_line_before_any_work(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is read before it is said that scipy is missing."""
    assert main(list(arguments)) == 2
    said = capsys.readouterr().err
    assert said.endswith(" needs scipy, which is not installed; try pip install 'excerpt[stats]'\n")
    assert said.count("\n") == 1
