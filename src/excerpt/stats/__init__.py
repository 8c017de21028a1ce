"""Statistics of scores: names of tests and corrections here, arithmetic in the submodules."""

from collections.abc import Sequence

from excerpt.errors import ExcerptError, UnknownName

#: Tests of one pair of runs (`significance.TESTS` has the functions).
TEST_NAMES = ("bootstrap", "t", "wilcoxon", "sign", "permutation")
#: Tests of all pairs together, whose p-values need no correction (`significance.FAMILIES` has the functions).
FAMILIES_IN_WORDS = {"tukey": "randomised Tukey HSD", "anova": "Tukey HSD of a two-way ANOVA"}
ALL_TESTS = (*TEST_NAMES, *FAMILIES_IN_WORDS)
#: Corrections for the number of tests (`significance.CORRECTIONS` has the functions).
CORRECTIONS_IN_WORDS = {
    "by": "corrected by Benjamini-Yekutieli",
    "bh": "corrected by Benjamini-Hochberg",
    "holm": "corrected by Holm",
    "bonferroni": "corrected by Bonferroni",
    "none": "not corrected",
}
CORRECTION_NAMES = tuple(CORRECTIONS_IN_WORDS)
#: Tests whose distributions scipy computes, with their names in errors.
_DISTRIBUTIONS = {"t": "Student's t test", "anova": "an analysis of variance"}


def check_test(test: str, known: Sequence[str] = TEST_NAMES) -> None:
    """Raise an error, before any work is done, if a test is unknown or needs scipy and scipy is missing."""
    if test not in known:
        raise UnknownName("test", test, known)
    if test in _DISTRIBUTIONS:
        require_scipy(_DISTRIBUTIONS[test])


def require_scipy(method: str) -> None:
    """Raise an error if scipy, which a method needs, is not installed."""
    try:
        import scipy as _  # noqa: F401 - tests whether it is installed
    except ImportError:
        raise ExcerptError(
            f"{method} needs scipy, which is not installed", hint="try pip install 'excerpt[stats]'"
        ) from None
