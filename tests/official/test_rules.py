"""Every example of the official tool's behaviour, line by line: the comments F1 … F8 name its rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from excerpt.errors import FormatError
from excerpt.official import Options, Outcome, evaluate_run, read_qrels
from excerpt.official.run import Task

Q = "1 Q0 a 100 1000 50 0:100\n"


def evaluate(
    tmp_path: Path,
    results: str,
    *,
    task: Task = "f",
    qrels: str = Q,
    raw: bool = False,
    options: Options | None = None,
) -> Outcome:
    """Evaluate results written as `topic article offset length`, separated by slashes, or a raw file."""
    text = results
    if not raw:
        rows = [row.split() for row in results.split("/") if row.strip()]
        text = "".join(
            f"{topic} Q0 {article} {rank} {1 / rank} id {offset} {length}\n"
            for rank, (topic, article, offset, length) in enumerate(rows, start=1)
        )
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text(text)
    return evaluate_run(
        read_qrels(tmp_path / "qrels"), tmp_path / "run", options or Options(task=task, per_topic=True)
    )


def figures(outcome: Outcome, topic: str = "all") -> dict[str, str]:
    """The figures of a topic by name."""
    rows = [line.split("\t") for line in outcome.lines if "\t" in line]
    return {row[0]: row[-1] for row in rows if row[-2] == topic}


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
    outcome = evaluate(tmp_path, f"1 Q0 a 1 1 id 0 50\n{line}\n", raw=True)
    assert outcome.lines == (f"Error *** ({tmp_path / 'run'}) {what} in line 2: {line}",)
    assert outcome.fault


def test_a_line_of_an_unknown_topic_is_skipped(tmp_path: Path) -> None:
    """F1: the numbers of a topic that is not in the qrels are not even parsed."""
    found = figures(
        evaluate(tmp_path, "9 Q0 a 1 1 other foo bar\n1 Q0 a 1 1 id 0 50\n# 2 3 4 5 6 7 8\n", raw=True)
    )
    assert found["num_q"] == "1"


def test_the_last_run_id_of_a_known_topic_is_printed(tmp_path: Path) -> None:
    """F1: column 6 of the last line that counts."""
    outcome = evaluate(tmp_path, "1 Q0 a 1 1 x 0 50\n1 Q0 b 1 1 y 0 50\n9 Q0 b 1 1 z 0 50\n", raw=True)
    assert outcome.lines[0] == f'<eval run-id="y" file="{tmp_path / "run"}">'


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


def test_negative_length_rejects(tmp_path: Path) -> None:
    """F1: a negative length rejects the run, with a message of its own form."""
    outcome = evaluate(tmp_path, "1 b 0 50 / 1 a 0 -5")
    text = f"1 Q0 a 2 {1 / 2} id 0 -5"
    assert outcome.lines == (f"ERROR *** ({tmp_path / 'run'}) negative passage size 2: {text}",)


def test_rsize_counts_for_recall_whatever_the_pairs(tmp_path: Path) -> None:
    """F2: rel_size is the rsize column."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 200 1000 50 0:100\n"))
    assert (found["rel_size"], found["char_rec"]) == ("200", "0.25")


def test_impossible_recall(tmp_path: Path) -> None:
    """F2: recall above 1 is reported before the figures, and no precision is filed."""
    qrels = "1 Q0 a 20 1000 50 0:100\n"
    outcome = evaluate(tmp_path, "1 a 0 50", qrels=qrels)
    assert outcome.lines[0] == "Impossible recall point: 250"
    assert figures(outcome)["iP[0.00]"] == "0.0"
    assert figures(outcome)["char_rec"] == "2.5"
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


def test_interleaved_articles(tmp_path: Path) -> None:
    """F3: allowed in -f and -t, rejected in the in-context tasks."""
    results = "1 a 0 50 / 1 b 0 50 / 1 a 60 10"
    assert figures(evaluate(tmp_path, results))["num_ret"] == "2"
    for task in ("r", "b", "i"):
        outcome = evaluate(tmp_path, results, task=task)
        assert outcome.lines == (
            f"ERROR *** ({tmp_path / 'run'}) article results are interleaved in topic 1\tarticle id: a",
            "\tinterleaved results not allowed in inContext tasks!",
        )


def test_two_results_of_an_article_in_best_in_context(tmp_path: Path) -> None:
    """F3: -b allows one result per article."""
    outcome = evaluate(tmp_path, "1 a 0 50 / 1 a 60 10", task="b")
    message = "multiple results from single article in topic 1\tarticle id: a\tin line: 2"
    assert outcome.lines == (f"ERROR *** ({tmp_path / 'run'}) {message}",)


def test_blocks_of_a_topic_are_joined(tmp_path: Path) -> None:
    """F3, our difference: a topic in two blocks is one topic, so a repeated passage overlaps."""
    qrels = Q + Q.replace("1 Q0", "2 Q0")
    outcome = evaluate(tmp_path, "1 a 0 50 / 2 b 0 50 / 1 a 50 50", qrels=qrels)
    assert figures(outcome, "1")["char_rec"] == "1.0"
    assert outcome.notices == (
        f"{tmp_path / 'run'}: the lines of topic 1 stand in several blocks, they were joined",
    )
    again = evaluate(tmp_path, "1 a 0 100 / 2 b 0 50 / 1 a 0 100", qrels=qrels)
    assert again.lines[0].endswith("in topic 1\tarticle id: a\tin line: 3")


@pytest.mark.parametrize("task", ["f", "r", "i"])
def test_overlap_rejects(tmp_path: Path, task: Task) -> None:
    """F4.1: also in articles that are not relevant; touching passages are fine."""
    outcome = evaluate(tmp_path, "1 a 0 50 / 1 a 50 10 / 1 b 0 10 / 1 b 9 10", task=task)
    where = "topic 1\tarticle id: b\tin line: 4"
    message = f"ERROR *** ({tmp_path / 'run'}) passage overlaps with previously retrieved passages in {where}"
    assert outcome.lines == (message,)


def test_thorough_counts_new_text_in_relevant_articles_only(tmp_path: Path) -> None:
    """F4.2: elsewhere the full length counts each time."""
    found = figures(evaluate(tmp_path, "1 a 0 50 / 1 a 25 50", task="t"))
    assert (found["ret_size"], found["rel_ret_size"]) == ("75", "75")
    assert figures(evaluate(tmp_path, "1 b 0 50 / 1 b 25 50", task="t"))["ret_size"] == "100"


def test_empty_passages(tmp_path: Path) -> None:
    """F4.3: strictly inside another passage an empty one is an overlap, at its edge it is not."""
    assert evaluate(tmp_path, "1 a 0 50 / 1 a 25 0").fault
    assert evaluate(tmp_path, "1 a 25 0 / 1 a 0 50").fault
    assert not evaluate(tmp_path, "1 a 0 50 / 1 a 50 0 / 1 a 0 0 / 1 a 0 0").fault
    found = figures(evaluate(tmp_path, "1 a 0 0"))
    assert (found["num_rel_ret"], found["iP[0.00]"], found["char_prec"]) == ("1", "0.0", "0.0")


def test_lengths_are_never_clipped(tmp_path: Path) -> None:
    """F4.4: what lies beyond the article counts as retrieved, negative offsets too."""
    found = figures(evaluate(tmp_path, "1 a 50 5000"))
    assert (found["ret_size"], found["rel_ret_size"]) == ("5000", "50")
    found = figures(evaluate(tmp_path, "1 a -50 100"))
    assert (found["ret_size"], found["rel_ret_size"]) == ("100", "50")


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
    outcome = evaluate(tmp_path, "1 a 0 40 / 1 a 150 40", options=Options(task="r", beta=beta))
    assert figures(outcome)["gP[1]"] == score


@pytest.mark.parametrize(
    ("offset", "score"), [(0, "0.8"), (50, "0.9"), (100, "1.0"), (350, "0.5"), (600, "0.0"), (601, "0.0")]
)
def test_entry_points(tmp_path: Path, offset: int, score: str) -> None:
    """F6.6: linear in the distance, both directions alike."""
    found = figures(evaluate(tmp_path, f"1 a {offset} 9", qrels="1 Q0 a 100 1000 100 0:100\n", task="b"))
    assert (found["gP[1]"], found["ret_size"]) == (score, "0")


def test_entry_point_with_n_zero(tmp_path: Path) -> None:
    """F6.6: -n 0 is NaN on an exact hit, else 0."""
    zero = Options(task="b", n=0)
    assert figures(evaluate(tmp_path, "1 a 50 1", options=zero))["gP[1]"] == "NaN"
    assert figures(evaluate(tmp_path, "1 a 51 1", options=zero))["gP[1]"] == "0.0"


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
    none = Options(task="i", irrelevant=0)
    assert figures(evaluate(tmp_path, "1 a 1 50", options=none))["gP[1]"] == "1.0"
    assert figures(evaluate(tmp_path, "1 a 0 100", options=none))["gP[1]"] == "0.0"


def test_pairs_of_an_irrelevant_line_count_in_t2i(tmp_path: Path) -> None:
    """F6.7: -i reads the pairs whatever the rsize."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 0 1000 50 0:100\n", task="i"))
    assert found["gP[1]"] == "0.25"


def test_topics_without_results(tmp_path: Path) -> None:
    """F7: they are left out without -c, but in-context sums run over all topics."""
    qrels = Q + "2 Q0 a 50 1000 0 0:50\n" + "3 Q0 a 60 1000 0 0:60\n"
    focused = figures(evaluate(tmp_path, "1 a 0 50", qrels=qrels))
    assert (focused["num_q"], focused["num_rel"], focused["rel_size"]) == ("1", "1", "100")
    context = figures(evaluate(tmp_path, "1 a 0 50", qrels=qrels, task="r"))
    assert (context["num_q"], context["num_rel"], context["rel_size"]) == ("1", "3", "210")
    every = figures(evaluate(tmp_path, "1 a 0 50", qrels=qrels, options=Options(task="f", complete=True)))
    assert (every["num_q"], every["iP[0.00]"]) == ("3", "0.3333333333333333")


def test_topics_without_relevant_text(tmp_path: Path) -> None:
    """F7.4: their recall is 0/0, and so are the means."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 0 1000\n"))
    assert (found["char_rec"], found["MAiP"]) == ("NaN", "0.0")
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 0 1000\n", task="r"))
    assert (found["MAgP"], found["gR[1]"], found["gP[1]"]) == ("NaN", "NaN", "0.0")
    missing = evaluate(
        tmp_path, "9 a 0 50", qrels="1 Q0 a 0 1000\n", options=Options(task="r", complete=True)
    )
    assert (figures(missing)["MAgP"], figures(missing)["gR[1]"]) == ("NaN", "0.0")


def test_empty_run(tmp_path: Path) -> None:
    """F7.5: NaN without -c, 0 with it."""
    assert figures(evaluate(tmp_path, "", raw=True))["MAiP"] == "NaN"
    every = Options(task="f", complete=True)
    assert figures(evaluate(tmp_path, "", raw=True, options=every))["MAiP"] == "0.0"


def test_topics_are_sorted_as_strings(tmp_path: Path) -> None:
    """F8: topic 10 comes before topic 2."""
    qrels = "".join(f"{topic} Q0 a 100 1000 50 0:100\n" for topic in (2, 10))
    outcome = evaluate(tmp_path, "2 a 0 50 / 10 a 0 50", qrels=qrels)
    assert [line.split("\t")[-2] for line in outcome.lines if line.startswith("AiP")] == ["10", "2"]


def test_small_and_large_numbers(tmp_path: Path) -> None:
    """F8: an exponent below 1e-3, as Java prints it."""
    found = figures(evaluate(tmp_path, "1 b 0 1499999900 / 1 a 0 100"))
    assert found["char_prec"] == "6.666666666666667E-8"
