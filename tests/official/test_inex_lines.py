"""Output of the official tool: examples that were run with it; F1 … F8 name its rules."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import cast

import pytest
from support.official_cases import Q, evaluate, figures

import excerpt
from excerpt import collection
from excerpt.errors import UnknownName
from excerpt.official import InexEvalOptions, evaluate_run, read_qrels
from excerpt.official.inex_lines import sort_key
from excerpt.official.inputs import TaskLetter
from excerpt.official.java_doubles import double_text

ROOT = Path(__file__).parents[2]
OFFICIAL = ROOT / "tests" / "data" / "official"
SHARED = ROOT.parent / "shared" / "data"


def test_topics_without_results(tmp_path: Path) -> None:
    """F7: they are left out without -c, but in-context sums run over all topics."""
    qrels = Q + "2 Q0 a 50 1000 0 0:50\n" + "3 Q0 a 60 1000 0 0:60\n"
    focused = figures(evaluate(tmp_path, "1 a 0 50", qrels=qrels))
    assert (focused["num_q"], focused["num_rel"], focused["rel_size"]) == ("1", "1", "100")
    context = figures(evaluate(tmp_path, "1 a 0 50", qrels=qrels, task="r"))
    assert (context["num_q"], context["num_rel"], context["rel_size"]) == ("1", "3", "210")
    every = figures(
        evaluate(tmp_path, "1 a 0 50", qrels=qrels, options=InexEvalOptions(task="f", complete=True))
    )
    assert (every["num_q"], every["iP[0.00]"]) == ("3", "0.3333333333333333")


def test_topics_without_relevant_text(tmp_path: Path) -> None:
    """F7.4: their recall is 0/0, and so are the means."""
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 0 1000\n"))
    assert (found["char_rec"], found["MAiP"]) == ("NaN", "0.0")
    found = figures(evaluate(tmp_path, "1 a 0 50", qrels="1 Q0 a 0 1000\n", task="r"))
    assert (found["MAgP"], found["gR[1]"], found["gP[1]"]) == ("NaN", "NaN", "0.0")
    missing = evaluate(
        tmp_path, "9 a 0 50", qrels="1 Q0 a 0 1000\n", options=InexEvalOptions(task="r", complete=True)
    )
    assert (figures(missing)["MAgP"], figures(missing)["gR[1]"]) == ("NaN", "0.0")


def test_empty_run(tmp_path: Path) -> None:
    """F7.5: NaN without -c, 0 with it."""
    assert figures(evaluate(tmp_path, "", raw=True))["MAiP"] == "NaN"
    every = InexEvalOptions(task="f", complete=True)
    assert figures(evaluate(tmp_path, "", raw=True, options=every))["MAiP"] == "0.0"


def test_topics_are_sorted_as_strings(tmp_path: Path) -> None:
    """F8: topic 10 comes before topic 2."""
    qrels = "".join(f"{topic} Q0 a 100 1000 50 0:100\n" for topic in (2, 10))
    printed = evaluate(tmp_path, "2 a 0 50 / 10 a 0 50", qrels=qrels)
    assert [line.split("\t")[-2] for line in printed.lines if line.startswith("AiP")] == ["10", "2"]


def test_small_and_large_numbers(tmp_path: Path) -> None:
    """F8: an exponent below 1e-3, as Java prints it."""
    found = figures(evaluate(tmp_path, "1 b 0 1499999900 / 1 a 0 100"))
    assert found["char_prec"] == "6.666666666666667E-8"


def lines_of(path: Path) -> list[str]:
    """The lines of a stored output, without the heading that names the file."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return [line for line in text.splitlines() if not line.startswith("<eval")]


def compare(qrels: Path, runs: Path, official: Path) -> int:
    """Compare every stored output of a folder; give the number of files compared."""
    judged, compared = read_qrels(qrels), 0
    for stored in sorted(path for path in official.iterdir() if ".txt" in path.name):
        name, task = stored.name.split(".")[:2]
        run = next(path for path in (runs / f"{name}.fol", runs / f"{name}.fol.gz") if path.exists())
        printed = evaluate_run(judged, run, InexEvalOptions(task=cast("TaskLetter", task), per_topic=True))
        found = [line for line in printed.lines if not line.startswith("<eval")]
        assert found == lines_of(stored), stored.name
        compared += 1
    return compared


def test_embedded_collection() -> None:
    """All tasks on the runs that ship with the package."""
    assert compare(collection.qrels(), collection.folder() / "runs", OFFICIAL) > 30


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cuad-mini", "cuad", "evidence", "ragtext"])
def test_shared_collections(name: str) -> None:
    """All stored outputs of the larger collections, where they are at hand."""
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"the collection {name} is not beside this checkout")
    assert compare(folder / "qrels.fol", folder / "runs", folder / "official") > 5


def test_the_function_prints_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    """`print(excerpt.inex_eval(…))` is the command's output, rejected runs included."""
    from excerpt.cli import main

    runs = [str(collection.folder() / "runs" / f"{name}.fol.gz") for name in ("p-bm25", "thorough-bm25")]
    printed = excerpt.inex_eval(collection.qrels(), runs, "f", per_topic=True)
    print(printed)
    expected = capsys.readouterr().out
    assert main(["inex_eval", "-f", "-q", str(collection.qrels()), *runs]) == 2
    assert capsys.readouterr().out == expected
    assert [bool(one.fault) for one in printed] == [False, True]
    assert printed[0].figures["num_q", "all"] == 41
    assert not printed[1].figures
    assert repr(printed[0]).endswith("p-bm25.fol.gz': 816 values>")


def test_qrels_and_runs_from_anywhere() -> None:
    """Bytes are as good as files, one run as good as several, and the task must be one of the tool's."""
    qrels, run = b"1 Q0 a 100 1000 50 0:100\n", b"1 Q0 a 1 1 r 0 50\n"
    (printed,) = excerpt.inex_eval(qrels, run, "f")
    assert (printed.run, printed.figures["char_rec", "all"]) == ("<bytes>", 0.5)
    assert len(excerpt.inex_eval(qrels, [run, run], "r")) == 2
    with pytest.raises(UnknownName, match="unknown task 'x'; known: b, f, i, r, t"):
        excerpt.inex_eval(qrels, run, "x")  # type: ignore[arg-type]


def test_what_a_file_says_does_not_steer_the_terminal() -> None:
    """Control characters of run names and faulty lines are shown, not printed."""
    qrels = b"1 Q0 a 100 1000 50 0:100\n"
    named, faulty = excerpt.inex_eval(
        qrels, [b"1 Q0 a 1 1 \xc2\x9b31mr 0 50\n", b"1 Q0 a 1 1 \x1b[31mr 0\n"], "f"
    )
    assert str(named).startswith('<eval run-id="\\x9b31mr" file')
    assert str(faulty).endswith("in line 1: 1 Q0 a 1 1 \\x1b[31mr 0")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (0.001, "0.001"),
        (0.0009999, "9.999E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1 / 3, "0.3333333333333333"),
        (-2.5e-9, "-2.5E-9"),
        (0.0, "0.0"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (float("nan"), "NaN"),
    ],
)
def test_doubles(value: float, text: str) -> None:
    """Shortest digits, an exponent outside [1e-3, 1e7)."""
    assert double_text(value) == text


def test_names_are_ordered_by_code_units() -> None:
    """A character beyond 16 bits comes before U+FFFD, since its first half does."""
    assert sorted(["\ufffd", "\U0001f600", "2", "10"], key=sort_key) == ["10", "2", "\U0001f600", "\ufffd"]
