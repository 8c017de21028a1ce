"""How the official tool reads runs: examples that were run with it; F1 … F8 name its rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from official_cases import Q, evaluate, figures

from excerpt.errors import FormatError
from excerpt.official import Options


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
    assert printed.warnings == (
        f"{tmp_path / 'run'}: the lines of topic 1 stand in several blocks, they were joined",
    )
    again = evaluate(tmp_path, "1 a 0 100 / 2 b 0 50 / 1 a 0 100", qrels=qrels)
    assert again.lines[0].endswith("in topic 1\tarticle id: a\tin line: 3")


@pytest.mark.parametrize("offset", ["X", "-1"])
def test_unknown_passages(tmp_path: Path, offset: str) -> None:
    """F4.5: 18 characters, but 0 in a relevant article with -t; -10000 as entry point; nothing with -i."""
    assert figures(evaluate(tmp_path, f"1 a {offset} zz"))["ret_size"] == "18"
    assert figures(evaluate(tmp_path, f"1 a {offset} zz", task="t"))["ret_size"] == "0"
    assert figures(evaluate(tmp_path, f"1 b {offset} zz", task="t"))["ret_size"] == "18"
    assert figures(evaluate(tmp_path, f"1 a {offset} 0", task="b"))["gP[1]"] == "0.0"
    far = Options(task="b", n=20000)
    assert figures(evaluate(tmp_path, f"1 a {offset} 0", options=far))["gP[1]"] == "0.4975"
    qrels = "1 Q0 a 100 1000 50 200:100\n"
    assert figures(evaluate(tmp_path, f"1 a {offset} 0", qrels=qrels, task="i"))["gP[1]"] == "0.25"
