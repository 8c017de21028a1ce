"""Names of measures as users of trec_eval write them."""

from __future__ import annotations

import pytest

from excerpt.errors import ExcerptError
from excerpt.official.trec.names import MEASURES, SETS, ask


def test_sets() -> None:
    """The sets of the tool, in its order of printing."""
    assert [asked.name for asked in ask([])] == list(SETS["official"]) == list(MEASURES)[:12]
    assert len(SETS["all_trec"]) == 37
    assert [asked.name for asked in ask(["unj.3", "set", "map"])][-2:] == ["set_F", "unj"]


def test_parameters() -> None:
    """Ranks and shares are sorted, and one parameter list counts for a measure that is named twice."""
    assert ask(["P.10,5.9"])[0].parameters == (5, 10)
    assert ask(["iprec_at_recall..5,.25"])[0].parameters == (0.25, 0.5)
    assert ask(["utility.1,2,3,4"])[0].parameters == (1, 2, 3, 4)
    assert ask(["ndcg.1=3,2=9.5"])[0].parameters == (("1", 3), ("2", 9.5))
    assert ask(["P", "P.3", "official"])[-1].parameters == (3,)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("P_10", "unknown measure 'P_10'.*trec_eval writes P.10"),
        ("mapp", "did you mean 'map'"),
        ("prefs_simp", "trec_eval's prefs_simp needs preferences or groups"),
        ("map_avgjg", "needs preferences or groups of judgments"),
        ("map.5", "found 'map.5' as measure, expected map without a point"),
        ("official.5", "expected official without a point"),
        ("P.", "expected P without a point"),
        ("P.0,3", "found '0,3' after P, expected different ranks from 1"),
        ("P.3,3", "expected different ranks"),
        ("iprec_at_recall..5,.50", "expected different numbers"),
        ("P.1e300", "found '1e300' after P, expected a number up to 1000000000"),
        ("Rprec_mult.1e300", "found '1e300' after Rprec_mult, expected a number up to"),
        ("rbp.p=2", "found 'p=2' after rbp, expected a probability from 0 to 1"),
        ("P.five", "found 'five' after P, expected a number"),
        ("utility.1,2", "found '1,2' after utility, expected 4 numbers"),
        ("ndcg.3", "found '3' after ndcg, expected pairs such as 1=3.5"),
        ("rbp.p=much", "found 'much' after rbp, expected a number"),
    ],
)
def test_mistakes(name: str, message: str) -> None:
    """Each is one line."""
    with pytest.raises(ExcerptError, match=message):
        ask([name])


def test_two_lists_of_parameters() -> None:
    """The tool would use the first and say nothing."""
    with pytest.raises(ExcerptError, match=r"found P.5 and P.10, expected parameters once; separate"):
        ask(["P.5", "P.10"])
