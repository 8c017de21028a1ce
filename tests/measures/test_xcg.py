"""nxCG, MAnxCG, ep, MAep, iMAep, Q and R against worked examples and their definitions."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.element_oracle import DEFAULTS, Gains, Key, assert_agrees, ideal_recall_base, remaining
from support.element_strategies import LEVELS, RANKS, TREE, ElementCase, adding_up, element_cases, quantised
from support.oracle import Asked

from excerpt import ExcerptError, Judgments, Policy, Result, Run, evaluate
from excerpt.measures._elements import RecallBase
from excerpt.model.elements import GradedElement
from excerpt.model.judgment_parts import combine


def _run(*paths: str) -> Run:
    """A run of one topic from document:path texts."""
    rows = [path.split(":") for path in paths]
    results = [
        Result("1", document, -1, -1, 1.0 - rank / 10, path) for rank, (document, path) in enumerate(rows)
    ]
    return Run.of("r", results, kind="elements")


def _shares(**documents: dict[str, str]) -> Judgments:
    """Highlighted text from document → path → relevant/size."""
    rows = []
    for document, paths in documents.items():
        for path, share in paths.items():
            relevant, size = map(int, share.split("/"))
            rows.append(GradedElement("1", document, path, 2, -1, size, relevant))
    return Judgments.graded(rows, scale="highlights")


def _check(judgments: Judgments, run: Run, expected: dict[str, str]) -> None:
    table = evaluate(judgments, [run], expected)
    for name, value in expected.items():
        assert table.mean("r", name) == pytest.approx(float(Fraction(value)), rel=1e-15, abs=0), name


#: Gain 3 for 2 with all text highlighted, 2 for 1, 1 for `?`, by `generalised_lifted`.
_E3 = {"3": ("a1", "a2", "a3"), "2": ("b1", "b2", "b3"), "1": ("c1", "c2", "c3", "c4")}


def _e3() -> tuple[Judgments, Run]:
    grade = {"3": 2, "2": 1, "1": -1}
    rows = [
        GradedElement("1", "A", f"/{path}[1]", grade[gain], -1, 7, 7)
        for gain, paths in _E3.items()
        for path in paths
    ]
    order = ("a1", "b1", "a2", "x", "y", "c1", "b2", "b3", "a3", "z")
    return Judgments.graded(rows, scale="exhaustivity 0-2"), _run(*(f"A:/{path}[1]" for path in order))


def test_worked_example_e3() -> None:
    """The vectors of Järvelin and Kekäläinen."""
    judgments, run = _e3()
    chosen = "quantisation=generalised_lifted"
    nxcg = ["1", "5/6", "8/9", "8/11", "8/13", "3/5", "11/16", "13/17", "8/9", "16/19"]
    effort = ["1", "1", "2/3", "1", "4/7", "5/8", "2/3", "7/9", "0", "0"]
    expected = {f"nxCG({chosen})[{rank}]": value for rank, value in enumerate(nxcg, 1)}
    expected |= {f"ep({chosen})[{rank / 10}]": value for rank, value in enumerate(effort, 1)}
    gain, best = (3, 5, 8, 8, 8, 9, 11, 13, 16, 16), (3, 6, 9, 11, 13, 15, 16, 17, 18, 19)
    expected |= {f"xCG({chosen})[{rank}]": str(value) for rank, value in enumerate(gain, 1)}
    expected |= {f"xCI({chosen})@{rank}": str(value) for rank, value in enumerate(best, 1)}
    expected |= {f"gr({chosen})[{rank}]": f"{value}/19" for rank, value in enumerate(gain, 1)}
    expected |= {f"xCG({chosen})[1500]": "16", f"xCI({chosen})[1500]": "19", f"gr({chosen})[1500]": "16/19"}
    ceiling = ["1", "1", "1", "1", "7/9", "7/9", "7/9", "7/9", "0", "0"]
    chosen_ceiling = f"{chosen}, interpolation=ceiling"
    expected |= {f"ep({chosen_ceiling})[{rank / 10}]": value for rank, value in enumerate(ceiling, 1)}
    expected |= {
        f"MAnxCG({chosen})[10]": "260996363/332560800",
        f"MAep({chosen})": "2759/5040",
        f"iMAep({chosen})": "2243/3360",
        f"iMAep({chosen}, interpolation=ceiling)": "56/75",
        f"Q({chosen})": "4971419/8694000",
        f"R({chosen})": "23/29",
        f"nxCG({chosen})[11]": "16/19",
        f"nxCG({chosen})[1500]": "16/19",
    }
    _check(judgments, run, expected)


_A = {
    "/article[1]": "200/1000",
    "/article[1]/sec[1]": "200/250",
    "/article[1]/sec[1]/p[1]": "100/100",
    "/article[1]/sec[1]/p[2]": "75/100",
    "/article[1]/sec[1]/p[3]": "25/50",
}
_B = {"/article[1]": "500/500", "/article[1]/sec[1]": "300/300", "/article[1]/sec[2]": "200/200"}
_C = {"/article[1]": "3/10", "/article[1]/s[1]": "6/10", "/article[1]/s[2]": "1/10"}
_E4_RUN = (
    "A:/article[1]/sec[1]/p[1]",
    "A:/article[1]/sec[1]/p[2]",
    "B:/article[1]/sec[1]",
    "B:/article[1]/sec[2]",
    "Z:/article[1]",
)


def test_worked_example_e4() -> None:
    """Specificities, all relevant elements ideal."""
    nxcg = ["1", "7/8", "11/12", "15/16", "25/32"]
    expected = {f"nxCG[{rank}]": value for rank, value in enumerate(nxcg, 1)}
    _check(_shares(A=_A, B=_B), _run(*_E4_RUN), expected | {"MAep": "1/2"})


def test_worked_example_e5() -> None:
    """The ideal recall base and the normalised gains."""
    nxcg = ["4/5", "4/9", "1", "1", "1"]
    expected = {f"nxCG(ideal=focused)[{rank}]": value for rank, value in enumerate(nxcg, 1)}
    expected |= {
        "xCG(ideal=focused)[2]": "4/5",
        "xCG(ideal=focused)[3]": "9/5",
        "gr(ideal=focused)[2]": "4/9",
    }
    expected |= {"xCI(ideal=focused)[1]": "1", "xCI(ideal=focused)[9]": "9/5", "xCI(ideal=full)[9]": "25/4"}
    _check(_shares(A=_A, B=_B), _run(*_E4_RUN), expected)


@pytest.mark.parametrize("first", ["/article[1]", "/article[1]/s[1]"])
def test_a_weak_sibling_pulls_the_parent_in(first: str) -> None:
    """Example E5, document C: the article is ideal, and a better part of it is worth no more."""
    expected = {"nxCG(ideal=focused)[1]": "1", "nxCG(ideal=focused)[2]": "1"}
    _check(_shares(C=_C), _run(f"C:{first}", "C:/article[1]/s[2]"), expected)


def test_the_oracle_finds_the_ideal_recall_bases_of_e5() -> None:
    for document, rows, right in (
        ("A", _A, {"/article[1]/sec[1]"}),
        ("B", _B, {"/article[1]"}),
        ("C", _C, {"/article[1]"}),
    ):
        value = {(document, path): Fraction(share) for path, share in rows.items()}
        assert {path for _, path in ideal_recall_base(value)} == right


@st.composite
def _cumulated(draw: st.DrawFn) -> tuple[ElementCase, list[Asked]]:
    case = draw(element_cases())
    asked: list[Asked] = []
    chosen = draw(quantised(case))
    ranks = (draw(RANKS), "1", "1500")
    printed = (("gain", "as_printed"),)
    policies: list[tuple[tuple[str, str], ...]] = [
        (),
        (("ideal", "focused"),),
        (("ideal", "full"), *draw(st.sampled_from([(), printed]))),
        (("ideal", "focused"), *printed),
    ]
    if any(row.size for row in case.elements) and all(row.size for row in case.elements):
        policies.append((("alpha", draw(st.sampled_from(("1/3", "0.5", "1")))),))
    for credit in policies:
        own = (*chosen, *credit)
        asked += [Asked(name, rank, own) for name in ("nxCG", "xCG", "xCI", "gr") for rank in ranks]
        asked += [Asked("MAnxCG", ranks[0], own), Asked("ep", draw(LEVELS), own), Asked("ep", "1.00", own)]
        asked += [Asked(name, None, own) for name in ("MAep", "iMAep", "Q", "R")]
        ceiling = (*own, ("interpolation", "ceiling"))
        asked += [Asked("ep", draw(LEVELS), ceiling), Asked("iMAep", None, ceiling)]
    return case, asked


@settings(max_examples=100)
@given(_cumulated())
def test_agrees_with_the_definition(drawn: tuple[ElementCase, list[Asked]]) -> None:
    case, asked = drawn
    assert_agrees(case.judgments(), case.run(), asked, case.score)


_CEILING = (("interpolation", "ceiling"),)
_ADDING = (
    [Asked(name) for name in ("MAep", "iMAep", "Q", "R")]
    + [Asked("iMAep", None, _CEILING)]
    + [Asked("ep", level) for level in ("1/3", "1/2", "2/3", "1")]
)


def test_the_ideal_list_is_sorted_without_rounding() -> None:
    """A share that is just below one half, and the same double, comes after one half."""
    shares = ((5, 10), (10, 20), (24_999_999_999_999_999, 50_000_000_000_000_000), (1, 2), (1, 2), (4, 4))
    elements = [
        GradedElement("1", "a", f"/a[1]/p[{number}]", 2, -1, size, relevant)
        for number, (relevant, size) in enumerate(shares, start=1)
    ]
    base = RecallBase.of(Judgments.graded(elements, scale="highlights"), None)
    assert base.ideal.tolist() == [5, 0, 1, 3, 4, 2]


@settings(max_examples=150)
@given(adding_up())
def test_sums_that_tie_in_exact_arithmetic_only(case: ElementCase) -> None:
    """MAep must see that the ideal list reaches a gain at a rank, however the doubles are rounded."""
    assert_agrees(case.judgments(), case.run(), _ADDING, case.score)


@settings(max_examples=150)
@given(element_cases())
def test_the_full_ideal_is_never_kinder_than_thorough(case: ElementCase) -> None:
    """Section 8.2 of INEX 2006: gains of the run are at most the raw ones, the ideal is the same."""
    names = [f"nxCG{ideal}[{rank}]" for rank in (1, 3, 20) for ideal in ("", "(ideal=full)")]
    values = evaluate(case.judgments(), [case.run()], names).values
    thorough, full = values[..., 0::2], values[..., 1::2]
    np.testing.assert_array_equal(np.isnan(thorough), np.isnan(full))
    assert (np.nan_to_num(full) <= np.nan_to_num(thorough) + 1e-12).all()


@settings(max_examples=150)
@given(element_cases(), st.data())
def test_full_is_thorough_for_runs_of_ideal_elements(case: ElementCase, data: st.DataObject) -> None:
    """However section 8.2 is read: an ideal element gains all that it is worth."""
    results = []
    for name, topic in case.topics.items():
        ideal = sorted(ideal_recall_base(topic.values(DEFAULTS[case.scale])))
        results += [Result(name, document, -1, -1, 1.0, path) for document, path in ideal]
    run = Run.of("run", data.draw(st.permutations(results)), kind="elements")
    names = [f"nxCG{ideal}[{rank}]" for rank in (1, 3, 20) for ideal in ("", "(ideal=full)")]
    values = evaluate(case.judgments(), [run], names).values
    np.testing.assert_allclose(values[..., 0::2], values[..., 1::2], rtol=1e-12)


def test_an_element_above_a_gap_is_no_leaf() -> None:
    """The article has a relevant descendant, below an irrelevant section: the path ends there."""
    rows = [
        GradedElement("1", "A", "/a[1]", 2, -1, 5, 1),
        GradedElement("1", "A", "/a[1]/s[1]", 0, -1, 5, 5),
        GradedElement("1", "A", "/a[1]/s[1]/p[1]", 2, -1, 5, 5),
    ]
    judgments = Judgments.graded(rows, scale="exhaustivity 0-2")
    _check(judgments, _run("A:/a[1]", "A:/x[1]"), {"nxCG(ideal=focused)[1]": "1/5"})


@settings(max_examples=100)
@given(element_cases())
def test_repetitions_that_are_allowed_leave_all_scores_finite(case: ElementCase) -> None:
    """With `allow` a run may gain more than there is; effort-precision is then still at most 1."""
    names = ["nxCG[5]", "nxCG(ideal=focused)[5]", "MAep", "iMAep", "Q", "R", "ep[1]"]
    policy = Policy(overlap="allow")
    allowed = evaluate(case.judgments(), [case.run()], names, policy=policy).values
    first = evaluate(case.judgments(), [case.run()], names).values
    np.testing.assert_array_equal(np.isnan(allowed), np.isnan(first))
    assert not np.isinf(allowed).any()


def test_results_beyond_the_limit_count_nothing() -> None:
    judgments = _shares(A={"/a[1]": "1/1"})
    run = _run(*(f"A:/x[{rank}]" for rank in range(1, 1501)), "A:/a[1]")
    table = evaluate(judgments, [run], ["nxCG[1500]", "nxCG[2000]", "MAep", "iMAep", "Q", "R"])
    assert table.means().tolist() == [[0.0] * 6]
    longer = evaluate(judgments, [run], ["nxCG[1501]", "MAep"], policy=Policy(limit=None))
    assert longer.means().tolist() == [[1.0, 1 / 1501]]


def test_a_topic_without_results_scores_0_and_one_without_relevance_nothing() -> None:
    rows = [
        GradedElement("1", "A", "/a[1]", 2, 2),
        GradedElement("2", "A", "/a[1]", 3, 3),
        GradedElement("3", "A", "/a[1]", 0, 0),
    ]
    judgments = Judgments.graded(rows, scale="exhaustivity and specificity")
    run = _run("A:/a[1]")
    names = [
        "nxCG(quantisation=strict)[1]",
        "nxCG[1]",
        "MAep",
        "MAep(quantisation=strict)",
        "Q",
        "R",
        "iMAep",
    ]
    table = evaluate(judgments, [run], names)
    undefined = np.isnan(table.values[0]).tolist()
    assert undefined == [
        [True, False, False, True, False, False, False],
        [False] * 7,
        [True] * 7,
    ]
    assert table.values[0, 1].tolist() == [0.0] * 7
    assert table.values[0, 0, 1:3].tolist() == [1.0, 1.0]


def test_a_rank_far_beyond_both_lists() -> None:
    """Nothing changes after the end of the run and of the ideal list: it must cost nothing either."""
    judgments, run = _shares(A=_A, B=_B), _run(*_E4_RUN)
    names = ["nxCG[1000000]", "nxCG(ideal=focused)[1000000]", "MAnxCG[1000000]"]
    tracemalloc.start()
    table = evaluate(judgments, [run], names)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_allclose(table.means(), [[0.6, 1.0, 0.6]], rtol=1e-5)
    assert most < 4_000_000


@pytest.mark.parametrize("again", ["/a[1]", "/a"])
def test_an_element_that_is_assessed_twice(again: str) -> None:
    """It is refused, or counts once: a run cannot find it twice."""
    rows = [GradedElement("1", "A", path, 3, 3) for path in ("/a[1]", again)]
    try:
        judgments = Judgments.graded(rows, scale="exhaustivity and specificity")
        table = evaluate(judgments, [_run("A:/a[1]")], ["nxCG[5]", "MAep", "R", "nxCG(ideal=focused)[5]"])
    except ExcerptError:
        return
    assert table.means().tolist() == [[1.0] * 4]


def test_judgments_of_two_scales_are_not_read_by_one() -> None:
    """A proportion of highlighted text is no grade: an error, or each topic by its own scale."""
    grades = Judgments.graded([GradedElement("1", "A", "/a[1]", 3, 3)], scale="exhaustivity and specificity")
    try:
        both = combine([grades, _relabelled(_shares(A={"/a[1]": "1/2"}))])
        table = evaluate(
            both, [Run.of("r", [Result("2", "A", -1, -1, 1.0, "/a[1]")], kind="elements")], ["R"]
        )
    except ExcerptError:
        return
    assert table["r", "2", "R"] == 1.0


def _relabelled(judgments: Judgments) -> Judgments:
    """The same judgments for topic 2."""
    return replace(judgments, topics=("2",))


def test_worked_example_e10() -> None:
    """A section of 100 characters worth 1/2, of which a paragraph of 40 was seen."""
    rows = [
        GradedElement("1", "A", "/s[1]", 2, -1, 100, 50),
        GradedElement("1", "A", "/s[1]/p[1]", 2, -1, 40, 40),
        GradedElement("1", "A", "/s[1]/p[2]", 2, -1, 60, 15),
    ]
    judgments = Judgments.graded(rows, scale="highlights")
    for alpha, value in (("0", "1/2"), ("1/2", "17/40"), ("1", "3/20")):
        # The ideal list gains 1, then 1/2; the run 1, then what is left of the section.
        expected = {f"nxCG(alpha={alpha})[2]": str((1 + Fraction(value)) / Fraction(3, 2))}
        _check(judgments, _run("A:/s[1]/p[1]", "A:/s[1]"), expected)


def test_text_seen_in_an_element_without_highlights() -> None:
    """With alpha 1/2 a section (gain 1/2) is worth less after a paragraph without highlights."""
    rows = [
        GradedElement("1", "A", "/s[1]", 2, -1, 100, 50),
        GradedElement("1", "A", "/s[1]/p[2]", 2, -1, 60, 50),
    ]
    judgments = Judgments.graded(rows, scale="highlights")
    # The part of the section that was not seen gains 50/60 of 60 characters: 1/2 (50/100 + 1/2) = 1/2.
    expected = {"xCG(alpha=1/2)[2]": "1/2", "xCG[2]": "1/2", "gr(alpha=1)[2]": "3/8"}
    _check(judgments, _run("A:/s[1]/p[1]", "A:/s[1]"), expected)
    # Nothing that was graded is left of an element whose text is its own, or of one inside of what was seen.
    alone = Judgments.graded(rows[:1], scale="highlights")
    _check(alone, _run("A:/s[1]/p[1]", "A:/s[1]"), {"xCG(alpha=1/2)[2]": "1/4", "xCG(alpha=1)[2]": "0"})
    inside = _run("A:/a[1]", "A:/a[1]/s[1]", "B:/a[1]/s[1]")
    both = _shares(A={"/a[1]/s[1]": "1/2"}, B={"/a[1]/s[1]": "1/2"})
    _check(both, inside, {"xCG(alpha=1/2)[3]": "3/4", "xCG(alpha=1)[3]": "1/2", "MAep(alpha=1)": "1/6"})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ep(gain=as_printed)[0.5]", "expected ideal=focused or full"),
        ("Q(ideal=full, alpha=1)", "ideal=thorough"),
    ],
)
def test_settings_that_contradict_each_other(name: str, expected: str) -> None:
    with pytest.raises(ExcerptError, match=expected):
        evaluate(_shares(A=_A), _run("A:/article[1]"), [name])


_PATHS = [path for path, (start, end) in TREE.items() if end > start]


@settings(max_examples=150)
@given(
    st.lists(st.integers(0, 1000), min_size=len(_PATHS), max_size=len(_PATHS)),
    st.lists(st.sampled_from(_PATHS), max_size=8, unique=True),
    st.sampled_from(("0", "0.5", "1", "1/3")),
)
def test_overlap_takes_credit_away(shares: list[int], returned: list[str], alpha: str) -> None:
    rows, value, size = [], {}, {}
    for path, share in zip(_PATHS, shares, strict=True):
        length = TREE[path][1] - TREE[path][0]
        rows.append(GradedElement("1", "A", path, 2, -1, length, share % (length + 1)))
        value["A", path], size["A", path] = Fraction(share % (length + 1), length), length
    keys: list[Key] = [("A", path) for path in returned]
    run = [remaining(key, value, size, keys[:rank], Fraction(alpha)) for rank, key in enumerate(keys)]
    gains = Gains(run, sorted((f for f in value.values() if f > 0), reverse=True))
    own = (("alpha", alpha),)
    asked = [Asked("nxCG", rank, own) for rank in ("1", "2", "3", "5", "10")]
    asked += [Asked(name, None, own) for name in ("MAep", "iMAep", "Q", "R")]
    judgments = Judgments.graded(rows, scale="highlights")
    assert_agrees(
        judgments,
        _run(*(f"A:{path}" for path in returned)),
        asked,
        lambda _, one: gains.score(one) if gains.ideal else None,
    )
