"""Reading of qrels and runs and ranking of documents, as in trec_eval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.errors import ExcerptError, FormatError
from excerpt.model.rankings import OUTSIDE, UNJUDGED
from excerpt.official.trec.ranked_run import TrecEvalOptions, rank_run, read_qrels

_LONG = "x" * 140


def _grades(qrels: str, run: str, **options: bool | int) -> list[int]:
    settings = TrecEvalOptions(**options)  # type: ignore[arg-type]
    found: list[int] = rank_run(run.encode(), read_qrels(qrels.encode()), settings).grade.tolist()
    return found


def test_what_stands_at_each_rank() -> None:
    """By score, ties by id, descending; ranks of the file, comments and further columns are of no account."""
    qrels = "# made by hand\n1 0 A 1\n1 0 B -1\n\n1 0 D 3\n"
    run = "# a run\n1 Q0 A - 0.5 r\n1 Q0 B - 0.5 r more\n1 Q0 C - 7e-1 r\n1 Q0 D 1 0.5000001 r\n"
    assert _grades(qrels, run) == [OUTSIDE, 3, UNJUDGED, 1]
    assert _grades(qrels, run, most=2) == [OUTSIDE, 3]
    assert _grades(qrels, run, judged_only=True) == [3, 1]


def test_scores_are_compared_in_single_precision() -> None:
    """Scores that differ beyond the seventh digit tie, and so do those beyond all single numbers."""
    qrels = "1 0 A 1\n1 0 B 2\n1 0 C 3\n1 0 D 4\n"
    assert _grades(
        qrels, "1 Q0 A 1 0.50000002 r\n1 Q0 B 2 0.50000001 r\n1 Q0 C 3 1e300 r\n1 Q0 D 4 1e200 r\n"
    ) == [
        *(4, 3),
        *(2, 1),
    ]


def test_topics_are_in_the_order_of_their_bytes() -> None:
    """Not in that of the files; unjudged documents are left out."""
    qrels = read_qrels("2 0 A 1\n10 0 A 0\né 0 A 4\n9 0 A 7".encode())
    assert qrels.topics == ("10", "2", "9", "é")
    ranked = rank_run(
        "é Q0 A 1 1 r\n7 Q0 B 1 1 r\n2 Q0 A 1 1 r\n10 Q0 X 1 1 last\n".encode(), qrels, TrecEvalOptions()
    )
    assert (ranked.topics, ranked.grade.tolist(), ranked.run_id) == (("10", "2", "é"), [-1, 1, 4], "last")
    every = rank_run(b"2 Q0 A 1 1 r\n", qrels, TrecEvalOptions(complete=True))
    assert (every.missing.tolist(), every.grade.tolist()) == ([True, False, True, True], [-1, 1, -1, -1])


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from(["a", "b", "ab", "é", "b" * 9, "b" * 8 + "a"])),
        unique=True,
        min_size=1,
    ),
    st.sampled_from(["", _LONG]),
)
@settings(max_examples=40)
def test_ranking_is_sorting(rows: list[tuple[int, str]], long: str) -> None:
    """Whatever the length of the ids: the order is that of sorted pairs of score and bytes."""
    scores = {name: score for score, name in rows}
    named = {name + long: score for name, score in scores.items()}
    order = sorted(named, key=lambda name: (named[name], name.encode()), reverse=True)
    qrels = "".join(f"1 0 {name} {grade}\n" for grade, name in enumerate(order))
    run = "".join(f"1 Q0 {name} 0 {score} r\n" for name, score in named.items())
    assert _grades(qrels, run) == list(range(len(order)))


def test_many_topics_in_any_order() -> None:
    """More than sixteen bits of topics, blocks scattered."""
    names = [str(number) for number in np.random.default_rng(1).permutation(70_000)[:66_000]]
    qrels = read_qrels("".join(f"{name} 0 A 1\n" for name in names).encode())
    ranked = rank_run(
        "".join(f"{name} Q0 A 1 1 r\n" for name in reversed(names)).encode(), qrels, TrecEvalOptions()
    )
    assert ranked.grade.sum() == len(names)
    assert list(ranked.topics) == sorted(names)


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ("1 0 A\n", "", r"<bytes>:1: found 3 columns, expected 4 \(topic 0 document relevance\)"),
        ("1 Q0 A 1 9.5 r\n", "", r"found 6 columns, expected 4 .*; are judgments and run swapped\?"),
        ("1 Q0 A 2 9 0 0:2\n", "", r"<bytes>:1: found 7 columns.*; convert writes judgments of text"),
        ("1 0 A 1 2 3\n", "", "found 6 columns, expected 4"),
        ("1 0 A high\n", "", "found relevance 'high', expected a number"),
        ("1 0 A 0.5\n", "", "found relevance 0.5, expected a whole number$"),
        (
            "1 0 B 1\n1 0 A 3e23\n",
            "",
            "<bytes>:2: found relevance 3e23, expected one from -1000000 to 1000000",
        ),
        ("1 0 A -inf\n", "", "found relevance -inf, expected one from -1000000 to 1000000"),
        ("1 0 A 1\n1 0 A 0\n", "", r"<bytes>:2: found document A of topic 1 again \(first in line 1\)"),
        ("1 1 A 1\n1 2 A 0\n", "", "judgments by subtopic.*; keep the lines of one"),
        ("1 A 1 1 0.5\n", "", r"<bytes>:1: found 5 columns, expected 4 \(topic 0 document relevance\)"),
        ("1 0 0 A 1\n", "", "found preference judgments of trec_eval .*; only trec_eval itself"),
        ("# nothing\n", "", "found only comments"),
        ("", "", "the file is empty, expected TREC qrels"),
        ("1 0 A 1\n", "", "the file is empty, expected a TREC run"),
        ("1 0 A 1\n", "1 Q0 A 1 2\n", "found 5 columns, expected at least 6"),
        ("1 0 A 1\n", "1 Q0 A 1 best r\n", "found score 'best', expected a number"),
        (
            "1 0 A 1\n",
            "1 Q0 A 1 2 r\n1 Q0 B 1 2 r\n1 Q0 B 1 3 r\n",
            "<bytes>:3: found document B of topic 1 again",
        ),
    ],
)
def test_faults(qrels: str, run: str, message: str) -> None:
    """A fault is one line with its place."""
    with pytest.raises(FormatError, match=message):
        rank_run(run.encode(), read_qrels(qrels.encode()), TrecEvalOptions())


def test_a_run_of_other_topics() -> None:
    """There is nothing to average."""
    with pytest.raises(ExcerptError, match="the run has no topic of <bytes>"):
        rank_run(b"2 Q0 A 1 1 r\n", read_qrels(b"1 0 A 1\n"), TrecEvalOptions())


def test_repeats_in_topics_or_ranks_that_do_not_count() -> None:
    """Only what counts is looked at, as in the tool."""
    run = "1 Q0 A 1 9 r\n1 Q0 B 1 8 r\n1 Q0 B 1 7 r\n2 Q0 A 1 1 r\n2 Q0 A 1 1 r\n"
    assert _grades("1 0 A 1\n", run, most=2) == [1, OUTSIDE]
