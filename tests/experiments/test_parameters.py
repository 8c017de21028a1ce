"""Options of experiments: what each may be, as text and as values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from excerpt import ExcerptError
from excerpt.errors import UnknownName
from excerpt.experiments.parameters import (
    CompareOptions,
    ErrorsOptions,
    JudgingOptions,
    WholeOptions,
    differences,
    named_tests,
    numbers,
    per_cent,
)
from excerpt.options import names, share, whole


def test_text_and_values() -> None:
    """The text of a command line and the values of a record are the same options."""
    text = ErrorsOptions.of({"levels": "50, 20,50", "samples": "3", "fuzziness": "0.1", "disjoint": True})
    assert text == ErrorsOptions.of({"levels": [50, 20], "samples": 3, "fuzziness": 0.1, "disjoint": True})
    assert JudgingOptions.of({"tests": "t, sign"}) == JudgingOptions(tests=("t", "sign"))
    assert CompareOptions.of({}) == CompareOptions()
    assert WholeOptions.of({"least": "3"}) == WholeOptions(least=3)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (ErrorsOptions, {"levels": "0"}, "levels: found '0', expected whole numbers"),
        (ErrorsOptions, {"levels": ""}, "levels: found '', expected whole numbers"),
        (ErrorsOptions, {"levels": "a"}, "levels: found 'a', expected whole numbers"),
        (ErrorsOptions, {"levels": 3}, "levels: found '3', expected whole numbers"),
        (ErrorsOptions, {"levels": [101]}, "levels: found level 101, expected a percentage"),
        (ErrorsOptions, {"seed": "-1"}, "seed: found '-1', expected a whole number of at least 0"),
        (ErrorsOptions, {"seed": "٣"}, "seed: found '٣', expected a whole number"),
        (ErrorsOptions, {"fuzziness": "nan"}, "fuzziness: found 'nan', expected a number from 0 to below 1"),
        (ErrorsOptions, {"fuzziness": 1}, "fuzziness: found 1, expected"),
        (CompareOptions, {"alpha": "x"}, "alpha: found 'x', expected a number between 0 and 1"),
        (CompareOptions, {"alpha": 0}, "alpha: found 0, expected"),
        (JudgingOptions, {"tests": ","}, "tests: no test given, expected at least one of bootstrap, t"),
    ],
)
def test_values_that_cannot_be(kind: Any, given: dict[str, Any], message: str) -> None:
    """One line with the option, what was found and what was expected."""
    with pytest.raises(ExcerptError, match=message):
        kind.of(given)


def test_unknown_names() -> None:
    """Options of other experiments; unknown tests and corrections."""
    with pytest.raises(UnknownName, match="unknown option 'fuzzines'; did you mean 'fuzziness'"):
        ErrorsOptions.of({"fuzzines": 1})
    with pytest.raises(UnknownName, match="unknown test 'welch'; known: bootstrap"):
        JudgingOptions.of({"tests": "welch"})
    with pytest.raises(UnknownName, match="unknown correction 'holmes'; did you mean 'holm'"):
        CompareOptions.of({"correction": "holmes"})


@pytest.mark.parametrize(
    ("check", "given", "found"),
    [
        (whole, "12", 12),
        (share, "0.5", 0.5),
        (numbers, "3, 1,3", (3, 1)),
        (per_cent, [80, 20], (80, 20)),
        (named_tests, "t,sign,t", ("t", "sign")),
        (names, " a , b", ("a", "b")),
        (differences, 0.05, (0.05,)),
        (differences, "0.1, 0.2,0.1", (0.1, 0.2)),
        (differences, [1], (1.0,)),
    ],
)
def test_values(check: Callable[[Any], Any], given: Any, found: Any) -> None:
    """Text and values mean the same; what is said twice counts once."""
    assert check(given) == found


@pytest.mark.parametrize(
    ("check", "given"),
    [
        *((whole, value) for value in ("0", "x", True, 1.5, "9" * 5000)),
        (partial(whole, most=5), "6"),
        *((share, value) for value in ("1", None, "nan")),
        *((differences, value) for value in ("", "0", "-1", "inf", "nan", None, [], ["x"])),
        (per_cent, "101"),
        (names, 3),
        (named_tests, ""),
    ],
)
def test_what_values_cannot_be(check: Callable[[Any], Any], given: Any) -> None:
    """Each error has one line with the expected values."""
    with pytest.raises(ValueError, match=r"(found .*|given), expected"):
        check(given)
