"""Reading of runs by the official tool: examples that were run with it; F1 … F8 name its rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.official_cases import Q, evaluate, figures

from excerpt.errors import FormatError
from excerpt.official import InexEvalOptions
from excerpt.official.inputs import TaskLetter


def test_order_of_the_file_counts(tmp_path: Path) -> None:
    """F1: ranks and scores are never read."""
    text = "1 Q0 b 2 bar id 0 50\n1 Q0 a foo 9.0 id 0 50\n"
    assert figures(evaluate(tmp_path, text, raw=True))["iP[0.00]"] == "0.5"


def test_rank_1601_still_counts(tmp_path: Path) -> None:
    """F1: there is no limit on results."""
    rows = "".join(f"1 Q0 m{i} 1 1 id 0 10\n" for i in range(1600)) + "1 Q0 a 1 1 id 0 100\n"
    found = figures(evaluate(tmp_path, rows, raw=True))
    assert found["num_ret"] == "1601"
    assert found["iP[0.01]"] == "0.006211180124223602"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("1 Q0 a 1 1 id 0 50 9", "too many fields"),
        (" 1 Q0 a 1 1 id 0 50", "too many fields"),
        ("1 Q0 a 1 1 id 0", "fields missing"),
        ("", "fields missing"),
        ("# a comment", "fields missing"),
    ],
)
def test_column_counts_reject_the_run(tmp_path: Path, line: str, what: str) -> None:
    """F1: anything but eight columns rejects the whole run, with the text of the line."""
    printed = evaluate(tmp_path, f"1 Q0 a 1 1 id 0 50\n{line}\n", raw=True)
    assert printed.lines == (f"Error *** ({tmp_path / 'run'}) {what} in line 2: {line}",)
    assert printed.fault


def test_a_line_of_an_unknown_topic_is_skipped(tmp_path: Path) -> None:
    """F1: the numbers of a topic that is not in the qrels are not even parsed."""
    found = figures(
        evaluate(tmp_path, "9 Q0 a 1 1 other foo bar\n1 Q0 a 1 1 id 0 50\n# 2 3 4 5 6 7 8\n", raw=True)
    )
    assert found["num_q"] == "1"


def test_the_last_run_id_of_a_known_topic_is_printed(tmp_path: Path) -> None:
    """F1: column 6 of the last line that counts."""
    printed = evaluate(tmp_path, "1 Q0 a 1 1 x 0 50\n1 Q0 b 1 1 y 0 50\n9 Q0 b 1 1 z 0 50\n", raw=True)
    assert printed.lines[0] == f'<eval run-id="y" file="{tmp_path / "run"}">'


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(tmp_path: Path, end: str) -> None:
    """F1: LF, CR and CRLF end a line, tabs separate, the last line end may be missing."""
    text = f"1 Q0\ta 1 1 id 0 50 {end}1 Q0 b 1 1 id 0 50"
    assert figures(evaluate(tmp_path, text, raw=True))["num_ret"] == "2"


@pytest.mark.parametrize("number", ["1.5", "0:50", "", "99999999999", "x"])
def test_a_bad_number_is_a_located_error(tmp_path: Path, number: str) -> None:
    """F1: where the tool crashes we say where and why."""
    offset = number or "--5"
    with pytest.raises(FormatError, match=r"run:2: found offset .* expected a whole number"):
        evaluate(tmp_path, f"1 Q0 b 1 1 id 0 50\n1 Q0 a 1 1 id {offset} 50\n", raw=True)


def test_a_plus_is_allowed(tmp_path: Path) -> None:
    """F1: numbers may have a plus sign."""
    assert figures(evaluate(tmp_path, "1 a +0 +50"))["rel_ret_size"] == "50"


def test_blocks_of_a_topic_are_joined(tmp_path: Path) -> None:
    """F3, our difference: a topic in two blocks is one topic, so a repeated passage overlaps."""
    qrels = Q + Q.replace("1 Q0", "2 Q0")
    printed = evaluate(tmp_path, "1 a 0 50 / 2 b 0 50 / 1 a 50 50", qrels=qrels)
    assert figures(printed, "1")["char_rec"] == "1.0"
    assert printed.warnings == (f"{tmp_path / 'run'}: the lines of topic 1 are not adjacent and were joined",)
    again = evaluate(tmp_path, "1 a 0 100 / 2 b 0 50 / 1 a 0 100", qrels=qrels)
    assert again.lines[0].endswith("in topic 1\tarticle id: a\tin line: 3")


@pytest.mark.parametrize("offset", ["X", "-1"])
def test_unknown_passages(tmp_path: Path, offset: str) -> None:
    """F4.5: 18 characters, but 0 in a relevant article with -t; -10000 as entry point; nothing with -i."""
    assert figures(evaluate(tmp_path, f"1 a {offset} zz"))["ret_size"] == "18"
    assert figures(evaluate(tmp_path, f"1 a {offset} zz", task="t"))["ret_size"] == "0"
    assert figures(evaluate(tmp_path, f"1 b {offset} zz", task="t"))["ret_size"] == "18"
    assert figures(evaluate(tmp_path, f"1 a {offset} 0", task="b"))["gP[1]"] == "0.0"
    far = InexEvalOptions(task="b", n=20000)
    assert figures(evaluate(tmp_path, f"1 a {offset} 0", options=far))["gP[1]"] == "0.4975"
    qrels = "1 Q0 a 100 1000 50 200:100\n"
    assert figures(evaluate(tmp_path, f"1 a {offset} 0", qrels=qrels, task="i"))["gP[1]"] == "0.25"


def test_negative_length_rejects(tmp_path: Path) -> None:
    """F1: a negative length rejects the run, with a message of its own form."""
    printed = evaluate(tmp_path, "1 b 0 50 / 1 a 0 -5")
    text = f"1 Q0 a 2 {1 / 2} id 0 -5"
    assert printed.lines == (f"ERROR *** ({tmp_path / 'run'}) negative passage size 2: {text}",)


def test_interleaved_articles(tmp_path: Path) -> None:
    """F3: allowed in -f and -t, rejected in the in-context tasks."""
    results = "1 a 0 50 / 1 b 0 50 / 1 a 60 10"
    assert figures(evaluate(tmp_path, results))["num_ret"] == "2"
    for task in ("r", "b", "i"):
        printed = evaluate(tmp_path, results, task=task)
        assert printed.lines == (
            f"ERROR *** ({tmp_path / 'run'}) article results are interleaved in topic 1\tarticle id: a",
            "\tinterleaved results not allowed in inContext tasks!",
        )


def test_two_results_of_an_article_in_best_in_context(tmp_path: Path) -> None:
    """F3: -b allows one result per article."""
    printed = evaluate(tmp_path, "1 a 0 50 / 1 a 60 10", task="b")
    message = "multiple results from single article in topic 1\tarticle id: a\tin line: 2"
    assert printed.lines == (f"ERROR *** ({tmp_path / 'run'}) {message}",)


@pytest.mark.parametrize("task", ["f", "r", "i"])
def test_overlap_rejects(tmp_path: Path, task: TaskLetter) -> None:
    """F4.1: also in articles that are not relevant; touching passages are fine."""
    printed = evaluate(tmp_path, "1 a 0 50 / 1 a 50 10 / 1 b 0 10 / 1 b 9 10", task=task)
    where = "topic 1\tarticle id: b\tin line: 4"
    message = f"ERROR *** ({tmp_path / 'run'}) passage overlaps with previously retrieved passages in {where}"
    assert printed.lines == (message,)


def test_empty_passages(tmp_path: Path) -> None:
    """F4.3: strictly inside another passage an empty one is an overlap, at its edge it is not."""
    assert evaluate(tmp_path, "1 a 0 50 / 1 a 25 0").fault
    assert evaluate(tmp_path, "1 a 25 0 / 1 a 0 50").fault
    assert not evaluate(tmp_path, "1 a 0 50 / 1 a 50 0 / 1 a 0 0 / 1 a 0 0").fault
    found = figures(evaluate(tmp_path, "1 a 0 0"))
    assert (found["num_rel_ret"], found["iP[0.00]"], found["char_prec"]) == ("1", "0.0", "0.0")


@pytest.mark.parametrize("task", ["t", "f"])
@pytest.mark.parametrize("fault", ["1 Q0 a 1 1 x 200 -3", "1 Q0 a 1 1 x 55", "9 Q0 a 1 1 x 0 5 5"])
def test_impossible_recall_is_said_before_a_rejection(tmp_path: Path, task: TaskLetter, fault: str) -> None:
    """F3: the lines before the fault were read, and what the tool said of them was printed."""
    lines = evaluate(
        tmp_path,
        f"1 Q0 a 1 1 x 0 40\n{fault}\n1 Q0 a 1 1 x 50 9\n",
        raw=True,
        task=task,
        qrels="1 Q0 a 2 1000 50 0:100\n1 Q0 b 30 500 7 10:30\n",
    ).lines
    assert [line.split()[0] for line in lines] == ["Impossible", lines[1].split()[0]]
    assert lines[0] == "Impossible recall point: 125"
    assert lines[1].lower().startswith("error ***")


@pytest.mark.parametrize(
    ("task", "line", "said"),
    [
        ("r", "1 Q0 a 1 1 x q 5", "article results are interleaved"),
        ("i", "1 Q0 a 1 1 x 20 q", "article results are interleaved"),
        ("b", "1 Q0 b 1 1 x q 5", "multiple results from single article"),
        ("b", "1 Q0 b 1 1 x 20 -5", "multiple results from single article"),
        ("f", "1 Q0 a 1 1 x 5 -3", "passage overlaps"),
        ("t", "1 Q0 a 1 1 x 5 -3", "negative passage size"),
    ],
)
def test_of_two_faults_in_a_line_the_tool_sees_one(
    tmp_path: Path, task: TaskLetter, line: str, said: str
) -> None:
    """Interleaving comes before a second result, that before a bad number, overlap before a length."""
    printed = evaluate(tmp_path, f"1 Q0 a 1 1 x 0 10\n1 Q0 b 1 1 x 0 10\n{line}\n", raw=True, task=task)
    assert said in printed.lines[0]
    assert f":3: {printed.lines[0].split()[0]}" in printed.fault


def test_rsize_counts_for_recall_whatever_the_pairs(tmp_path: Path) -> None:
    """F2: rel_size is the rsize column."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 200 1000 50 0:100\n"))
    assert (found["rel_size"], found["char_rec"]) == ("200", "0.25")


def test_impossible_recall(tmp_path: Path) -> None:
    """F2: recall above 1 is reported before the figures, and no precision is filed."""
    qrels = "1 Q0 a 20 1000 50 0:100\n"
    printed = evaluate(tmp_path, "1 a 0 50", qrels=qrels)
    assert printed.lines[0] == "Impossible recall point: 250"
    assert figures(printed)["iP[0.00]"] == "0.0"
    assert figures(printed)["char_rec"] == "2.5"
    assert figures(evaluate(tmp_path, "1 a 0 50", qrels=qrels, task="r"))["gP[1]"] == "1.0365853658536586"


def test_bep_needs_seven_columns(tmp_path: Path) -> None:
    """F2: a line of six columns leaves the best entry point unset."""
    found = figures(evaluate(tmp_path, "1 a 50 1", qrels="1 Q0 a 100 1000 50\n", task="b"))
    assert found["gP[1]"] == "0.0"


def test_overlapping_pairs_count_twice(tmp_path: Path) -> None:
    """F2: a character in two pairs counts twice."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 150 1000 50 0:100 0:50\n"))
    assert (found["rel_ret_size"], found["iP[0.00]"]) == ("100", "2.0")


def test_duplicate_judgment_lines_add_up(tmp_path: Path) -> None:
    """F2: totals grow with every line, pairs accumulate."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels=Q + Q))
    names = ("num_rel", "rel_size", "rel_ret_size", "art_rec", "iP[0.00]")
    assert [found[name] for name in names] == ["2", "200", "100", "0.5", "2.0"]


def test_pairs_with_more_colons(tmp_path: Path) -> None:
    """F2: 12:5:7 reads as 12:5."""
    found = figures(evaluate(tmp_path, "1 a 12 9", qrels="1 Q0 a 5 1000 50 12:5:7\n"))
    assert found["rel_ret_size"] == "5"


@pytest.mark.parametrize(
    "bad", ["1 Q0 a 100\n", "\n", "1 Q0 a x 1000\n", "1 Q0 a 5 9 0 12\n", "1 Q0 a 5 9 0 12:\n"]
)
def test_bad_qrels_are_located_errors(tmp_path: Path, bad: str) -> None:
    """F2: what crashes the tool is an error with file and line."""
    with pytest.raises(FormatError, match=r"qrels:2: found"):
        evaluate(tmp_path, "1 a 0 50", qrels=Q + bad)
