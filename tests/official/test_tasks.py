"""Tasks -t and -f: examples that were run with it; F1 … F8 name its rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.official_cases import Q, evaluate, figures

from excerpt.official import InexEvalOptions


def test_thorough_counts_new_text_in_relevant_articles_only(tmp_path: Path) -> None:
    """F4.2: elsewhere the full length counts each time."""
    found = figures(evaluate(tmp_path, "1 a 0 50 / 1 a 25 50", task="t"))
    assert (found["ret_size"], found["rel_ret_size"]) == ("75", "75")
    assert figures(evaluate(tmp_path, "1 b 0 50 / 1 b 25 50", task="t"))["ret_size"] == "100"


def test_lengths_are_never_clipped(tmp_path: Path) -> None:
    """F4.4: what lies beyond the article counts as retrieved, negative offsets too."""
    found = figures(evaluate(tmp_path, "1 a 50 5000"))
    assert (found["ret_size"], found["rel_ret_size"]) == ("5000", "50")
    found = figures(evaluate(tmp_path, "1 a -50 100"))
    assert (found["ret_size"], found["rel_ret_size"]) == ("100", "50")


def test_sizes_do_not_wrap(tmp_path: Path) -> None:
    """F4.7, our difference: two topics with 1500000000 characters each."""
    qrels = Q + Q.replace("1 Q0", "2 Q0")
    found = figures(evaluate(tmp_path, "1 a 0 1500000000 / 2 a 0 1500000000", qrels=qrels))
    assert found["ret_size"] == "3000000000"


def test_interpolated_precision(tmp_path: Path) -> None:
    """F5: levels take the maximum of the levels above."""
    found = figures(evaluate(tmp_path, "1 a 0 10 / 1 b 0 30 / 1 a 10 60"))
    levels = [found[f"ircl_prn.{k / 100:.2f}"] for k in range(101)]
    assert levels == ["1.0"] * 11 + ["0.7"] * 60 + ["0.0"] * 30
    assert found["MAiP"] == "0.5247524752475254"


@pytest.mark.parametrize(("length", "aip"), [(29, 29), (57, 57), (58, 58), (28, 29), (30, 31)])
def test_recall_levels_in_doubles(tmp_path: Path, length: int, aip: int) -> None:
    """F5: a recall of exactly 29, 57 or 58 % is filed one level too low."""
    found = figures(evaluate(tmp_path, f"1 a 0 {length}"))
    assert abs(float(found["MAiP"]) - aip / 101) < 1e-15


def test_average_generalised_precision(tmp_path: Path) -> None:
    """F6.2: a relevant article with score 0 is a recall point; F6.3: gP beyond the list keeps the last."""
    qrels = Q + "1 Q0 c 100 1000 50 0:100\n"
    found = figures(evaluate(tmp_path, "1 c 0 100 / 1 a 600 50", qrels=qrels, task="r"))
    assert (found["gP[2]"], found["MAgP"], found["gP[50]"]) == ("0.5", "0.75", "0.5")


@pytest.mark.parametrize(
    ("beta", "score"),
    [(0.25, "0.4927536231884058"), (1, "0.4444444444444445"), (2, "0.4166666666666667"), (0, "0.5")],
)
def test_f_measure(tmp_path: Path, beta: float, score: str) -> None:
    """F6.5: precision .5, recall .4."""
    printed = evaluate(tmp_path, "1 a 0 40 / 1 a 150 40", options=InexEvalOptions(task="r", beta=beta))
    assert figures(printed)["gP[1]"] == score


@pytest.mark.parametrize(
    ("offset", "score"), [(0, "0.8"), (50, "0.9"), (100, "1.0"), (350, "0.5"), (600, "0.0"), (601, "0.0")]
)
def test_entry_points(tmp_path: Path, offset: int, score: str) -> None:
    """F6.6: linear in the distance, both directions alike."""
    found = figures(evaluate(tmp_path, f"1 a {offset} 9", qrels="1 Q0 a 100 1000 100 0:100\n", task="b"))
    assert (found["gP[1]"], found["ret_size"]) == (score, "0")


def test_entry_point_with_n_zero(tmp_path: Path) -> None:
    """F6.6: -n 0 is NaN on an exact hit, else 0."""
    zero = InexEvalOptions(task="b", n=0)
    assert figures(evaluate(tmp_path, "1 a 50 1", options=zero))["gP[1]"] == "NaN"
    assert figures(evaluate(tmp_path, "1 a 51 1", options=zero))["gP[1]"] == "0.0"


def test_recall_levels_take_no_nan(tmp_path: Path) -> None:
    """F6.4, F6.6: as run with the tool, -n 0 gives NaN for gP and AgP, and 0.0 at every recall level."""
    found = figures(evaluate(tmp_path, "1 a 50 1 / 1 b 0 9", options=InexEvalOptions(task="b", n=0)))
    assert (found["gP[1]"], found["gP[2]"], found["MAgP"]) == ("NaN", "NaN", "NaN")
    assert {found[f"ircl_prn.{level / 10:.2f}"] for level in range(11)} == {"0.0"}


def test_negative_tolerance(tmp_path: Path) -> None:
    """F6.7: as run with the tool, nothing read is 0.0 and not -0.0."""
    options = InexEvalOptions(task="i", per_topic=True, irrelevant=-40)
    found = figures(evaluate(tmp_path, "1 a 600 9", options=options), "1")
    assert (found["gP[1]"], found["gP[50]"], found["AgP"]) == ("0.0", "0.0", "0.0")


@pytest.mark.parametrize(
    ("size", "span", "results", "score"),
    [
        (1000, "0:100", "1 a 0 100", "0.25"),
        (200, "0:100", "1 a 0 100", "0.5"),
        (100, "0:100", "1 a 0 100", "1.0"),
        (1000, "0:100", "1 a 600 50", "0.25"),
        (1000, "0:100", "1 a 500 299", "0.25"),
        (1000, "0:100", "1 a 500 300", "0.0"),
        (1000, "300:100", "1 a 0 400", "0.0"),
        (1000, "299:100", "1 a 0 400", "0.25"),
        (200, "0:100", "1 a 0 350", "0.2857142857142857"),
    ],
)
def test_tolerance_to_irrelevance(tmp_path: Path, size: int, span: str, results: str, score: str) -> None:
    """F6.7: retrieved passages first, then the rest, until 300 irrelevant characters."""
    qrels = f"1 Q0 a 100 {size} 50 {span}\n"
    assert figures(evaluate(tmp_path, results, qrels=qrels, task="i"))["gP[1]"] == score


def test_no_tolerance(tmp_path: Path) -> None:
    """F6.7: with -irr 0 only a start strictly inside a span is read."""
    none = InexEvalOptions(task="i", irrelevant=0)
    assert figures(evaluate(tmp_path, "1 a 1 50", options=none))["gP[1]"] == "1.0"
    assert figures(evaluate(tmp_path, "1 a 0 100", options=none))["gP[1]"] == "0.0"


def test_pairs_of_an_irrelevant_line_count_in_t2i(tmp_path: Path) -> None:
    """F6.7: -i reads the pairs whatever the rsize."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 0 1000 50 0:100\n", task="i"))
    assert found["gP[1]"] == "0.25"


def test_an_empty_passage_makes_text_be_read_again(tmp_path: Path) -> None:
    """F6.7: an empty passage at the start of an earlier one opens what lies between it and the next."""
    qrels = "1 Q0 a 100 1000 0 200:100\n"
    results = "1 a 0 150 / 1 a 0 0 / 1 a 250 10"
    assert figures(evaluate(tmp_path, results, qrels=qrels, task="i"))["gP[1]"] == "0.03225806451612903"
    results = "1 a 0 0 / 1 a 0 150 / 1 a 250 10"
    assert figures(evaluate(tmp_path, results, qrels=qrels, task="i"))["gP[1]"] == "0.25"


def test_the_gap_before_a_passage_beyond_the_size_is_read(tmp_path: Path) -> None:
    """F6.7: what lies between the size and a passage beyond it is irrelevant text."""
    qrels = "1 Q0 b 100 200 0 0:100\n"
    found = figures(evaluate(tmp_path, "1 b 0 100 / 1 b 300 50", qrels=qrels, task="i"))
    assert found["gP[1]"] == "0.2857142857142857"


@pytest.mark.parametrize(
    ("pairs", "results", "score"),
    [
        ("0:100", "1 a 50 0 / 1 a 60 9", "0.0"),
        ("0:100", "1 a 60 9 / 1 a 200 0", "1.0"),
        ("0:50 50:50", "1 a 50 9", "0.0"),
        ("0:51 50:50", "1 a 50 9", "1.0"),
        ("0:50 50:50", "1 a 49 9", "1.0"),
    ],
)
def test_no_tolerance_with_empty_passages_and_touching_pairs(
    tmp_path: Path, pairs: str, results: str, score: str
) -> None:
    """F6.7: with -irr 0 only the first passage is read, and a pair that touches another begins anew."""
    none = InexEvalOptions(task="i", irrelevant=0)
    qrels = f"1 Q0 a 100 1000 50 {pairs}\n"
    assert figures(evaluate(tmp_path, results, qrels=qrels, options=none))["gP[1]"] == score
