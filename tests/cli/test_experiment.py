"""The commands of experiments on small jobs, on the embedded collection and on mistakes."""

from __future__ import annotations

import csv
import io
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from excerpt import collection
from excerpt.errors import plural
from excerpt.evaluation import evaluate
from excerpt.experiments.comparison import compare
from excerpt.experiments.conclusions import agreement, judge_tests
from excerpt.experiments.correlation import correlate
from excerpt.experiments.table import EXPERIMENTS
from excerpt.render import tables
from excerpt.stats import CORRECTION_NAMES, TEST_NAMES, significance

from .conftest import Excerpt

RUNS = [run.path for run in collection.runs("focused")]
FILES = (collection.qrels(), *RUNS)


@pytest.fixture
def three_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Judgments of 12 topics and three runs: good, nearly as good, bad."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(1)
    qrels = "".join(f"{t} Q0 D{t} 100 1000 100 100:100\n" for t in range(12))
    Path("qrels").write_text(qrels)
    for name, low, high in (("good", 0, 40), ("fair", 5, 45), ("bad", 60, 130)):
        lines = (f"{t} Q0 D{t} 1 1 {name} {100 + draw.randint(low, high)} 100\n" for t in range(12))
        Path(name).write_text("".join(lines))
    return ["bad", "good", "fair"]


def test_compare_matrix(three_runs: list[str], excerpt: Excerpt) -> None:
    """Runs by their means with a sign for each other, and how many pairs differ."""
    done = excerpt("compare", "qrels", *three_runs, "-m", "charF", "--test", "sign", "--correction", "holm")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["rank", "run", "charF", "123"]
    assert [(line.split()[1], line.split()[3]) for line in lines[2:5]] == [
        ("good", "-.>"),
        ("fair", ".->"),
        ("bad", "<<-"),
    ]
    assert lines[6] == (
        "2 of 3 pairs (66.7 %) differ significantly: two-sided sign test, 3 comparisons corrected by Holm, "
        "alpha 0.05, 12 topics"
    )


@pytest.mark.parametrize("test", TEST_NAMES)
def test_compare_rows_are_those_of_the_library(three_runs: list[str], excerpt: Excerpt, test: str) -> None:
    """JSON and CSV have every digit of what Python gives, and the record has the inputs."""
    options = ("-m", "charF", "--test", test, "--samples", "200", "--seed", "4", "--alpha", "0.1")
    done = excerpt("compare", "qrels", *three_runs, *options, "--format", "json")
    printed = json.loads(done.out)
    wanted = compare(evaluate("qrels", three_runs, "charF"), test=test, samples=200, seed=4, alpha=0.1)
    assert printed["rows"] == list(wanted.rows)
    assert (printed["record"]["experiment"], printed["record"]["seed"]) == ("compare", 4)
    assert [item["path"] for item in printed["record"]["inputs"]] == ["qrels", *three_runs]
    assert printed["record"]["options"]["test"] == test
    again = excerpt("compare", "qrels", *three_runs, *options, "--format", "json")
    assert again.out == done.out
    rows = list(
        csv.DictReader(io.StringIO(excerpt("compare", "qrels", *three_runs, *options, "--format", "csv").out))
    )
    assert [float(row["p"]) for row in rows] == [row["p"] for row in wanted.rows]
    assert [row["significant"] for row in rows] == [
        "yes" if row["significant"] else "no" for row in wanted.rows
    ]


def test_compare_with_a_baseline(three_runs: list[str], excerpt: Excerpt) -> None:
    """A row for each other run, whichever is better, as the library gives them; and again from the record."""
    call = ("compare", "qrels", *three_runs, "-m", "charF", "--test", "sign", "--baseline")
    done = excerpt(*call, "fair", "--record", "record.json", "--format", "json")
    assert (done.status, done.err) == (0, "")
    wanted = compare(evaluate("qrels", three_runs, "charF"), test="sign", baseline="fair")
    printed = json.loads(done.out)
    assert printed["rows"] == list(wanted.rows)
    assert [(row["run"], row["other"]) for row in printed["rows"]] == [("good", "fair"), ("bad", "fair")]
    assert printed["record"]["options"]["baseline"] == "fair"
    assert excerpt("rerun", "record.json", "--check").out == "record.json: 2 rows, the same as before\n"
    assert excerpt(*call, "fair").out.splitlines()[0].split()[:3] == ["measure", "run", "other"]
    assert excerpt(*call, "none").err.startswith("excerpt: unknown run 'none'")


@pytest.mark.slow
def test_compare_figures(three_runs: list[str], excerpt: Excerpt) -> None:
    """The same comparison gives the same bytes, with rows and with the matrix."""
    pytest.importorskip("matplotlib")
    for name, format_ in (("a.svg", "table"), ("b.svg", "json"), ("a.png", "table"), ("a.pdf", "csv")):
        done = excerpt(
            "compare", "qrels", *three_runs, "-m", "charF", "--figure", name, "--format", format_, "-o", "out"
        )
        assert (done.status, done.out, done.err) == (0, "", "")
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")


def test_compare_without_matplotlib(
    three_runs: list[str], excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A figure that cannot be drawn is refused before anything is read; numbers do without."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = excerpt("compare", "missing", *three_runs, "-m", "charF", "--figure", "a.svg")
    assert done.err == "excerpt: svg needs matplotlib, which is not installed; pip install 'excerpt[plot]'\n"
    assert excerpt("compare", "qrels", *three_runs, "-m", "charF").status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "good", "-m", "charF"), "excerpt: found 1 run, expected at least 2 to compare"),
        (
            ("qrels", "good", "bad", "-m", "charF", "--test", "z"),
            "excerpt: argument --test: found 'z', expected one of: ",
        ),
        (
            ("qrels", "good", "bad", "-m", "x", "--correction", "z"),
            "excerpt: argument --correction: found 'z'",
        ),
        (
            ("qrels", "good", "bad", "-m", "x", "--alpha", "5"),
            "excerpt: argument --alpha: found '5', expected",
        ),
        (("qrels", "good", "bad", "-m", "x", "--samples", "0"), "excerpt: argument --samples: found '0'"),
        (("qrels", "good", "bad", "-m", "nothing"), "excerpt: unknown measure 'nothing'"),
        (("one", "good", "bad", "-m", "charF"), "excerpt: found 1 topic with a score of every run by charF"),
        (
            ("qrels", "good", "bad", "-m", "charF", "--figure", "a.gif"),
            "excerpt: a.gif: found extension .gif, expected .svg, .pdf or .png",
        ),
    ],
)
def test_compare_mistakes(
    three_runs: list[str], excerpt: Excerpt, arguments: tuple[str, ...], message: str
) -> None:
    """A mistake is one line and exit status 2."""
    Path("one").write_text("1 Q0 D1 100 1000 100 100:100\n")
    done = excerpt("compare", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(message)
    assert done.err.count("\n") == 1


def test_compare_scipy_is_loaded_where_it_is_used(three_runs: list[str]) -> None:
    """The bootstrap does without scipy; help does without numpy."""
    code = (
        "import sys, excerpt.cli\n"
        "try: excerpt.cli.main(['compare', '--help'])\n"
        "except SystemExit: pass\n"
        "early = {'numpy'} & set(sys.modules)\n"
        "excerpt.cli.main(['compare', 'qrels', 'good', 'bad', '-m', 'charF'])\n"
        "sys.exit(', '.join(early | ({'scipy', 'matplotlib'} & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def four_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Judgments of 6 topics, other judgments, and four runs."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(2)
    Path("qrels").write_text("".join(f"{t} Q0 D{t} 100 1000 100 100:100\n" for t in range(6)))
    Path("other").write_text("".join(f"{t} Q0 D{t} 30 1000 100 130:30\n" for t in range(6)))
    names = [f"run{i}" for i in range(4)]
    for name in names:
        lines = (
            f"{t} Q0 D{t} 1 1 {name} {draw.randint(40, 160)} {draw.randint(20, 200)}\n" for t in range(6)
        )
        Path(name).write_text("".join(lines))
    return names


def test_correlate_rows_are_those_of_the_library(four_runs: list[str], excerpt: Excerpt) -> None:
    """Every pair of measures, with the seed of the orders that are drawn if there are many runs."""
    measures = ("charP", "charR", "charF")
    options = [text for name in measures for text in ("-m", name)]
    done = excerpt("correlate", "qrels", *four_runs, *options, "--format", "json")
    assert (done.status, done.err) == (0, "")
    printed = json.loads(done.out)
    assert printed["rows"] == list(correlate(evaluate("qrels", four_runs, measures)).rows)
    assert printed["record"]["seed"] == 1
    assert excerpt("correlate", "qrels", *four_runs, *options, "--format", "json").out == done.out
    heading = excerpt("correlate", "qrels", *four_runs, *options).out.splitlines()[0].split()
    names = [end for name in ("tau_b", "tau_ap", "spearman", "pearson") for end in (name, f"{name}_p")]
    assert heading == ["first", "second", "runs", *names, "rbo", "slope", "intercept"]


def test_correlate_second_judgments(four_runs: list[str], excerpt: Excerpt) -> None:
    """One measure under two sets of judgments, both in the record."""
    done = excerpt("correlate", "qrels", *four_runs, "-m", "charP", "--qrels2", "other", "--format", "json")
    printed = json.loads(done.out)
    tables = evaluate("qrels", four_runs, "charP"), evaluate("other", four_runs, "charP")
    (wanted,) = correlate(tables[0], qrels2=tables[1]).rows
    assert printed["rows"] == [{**wanted, "second": "charP (other)"}]
    assert [item["path"] for item in printed["record"]["inputs"]] == ["qrels", *four_runs, "other"]


def test_correlate_dropped_tags_on_the_second_side(four_runs: list[str], excerpt: Excerpt) -> None:
    """Names of elements may be left out of the second judgments only, but not for measures of text."""
    done = excerpt("correlate", "qrels", *four_runs, "-m", "charP", "--drop-tags2", "link,b")
    assert done.status == 2
    assert "needs an element measure" in done.err


def test_correlate_full_and_filtered_assessments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excerpt: Excerpt
) -> None:
    """Table 1 of INEX 2006: with links paragraph and link tie, without them the link's run falls behind."""
    monkeypatch.chdir(tmp_path)
    Path("corpus").mkdir()
    text = "<article><bdy><p>Hello big</p><weblink>link</weblink><p>world</p></bdy></article>"
    Path("corpus/A.xml").write_text(text)
    assert excerpt("index", "corpus", "-o", "idx").status == 0
    Path("qrels").write_text("1 Q0 A 12 18 6 6:12\n")
    elements = {"p": "bdy[1]/p[2]", "link": "bdy[1]/weblink[1]", "body": "bdy[1]"}
    for name, path in elements.items():
        Path(name).write_text(f"1 Q0 A 1 1 {name} /article[1]/{path}\n")
    options = ("--index", "idx", "-m", "nxCG[1]", "--drop-tags2", "weblink", "--format", "json")
    done = excerpt("correlate", "qrels", *elements, *options)
    assert done.status == 0, done.err
    row = json.loads(done.out)["rows"][0]
    # (1, 1, 2/3) and (1, 0, 2/3): of three pairs one is tied, one agrees, one does not.
    assert (row["runs"], row["tau_b"], row["second"]) == (3, 0.0, "nxCG[1] (without weblink)")


@pytest.mark.slow
def test_correlate_figures(four_runs: list[str], excerpt: Excerpt) -> None:
    """One panel or several, the same bytes each time."""
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg"):
        assert (
            excerpt("correlate", "qrels", *four_runs, "-m", "charP", "-m", "charR", "--figure", name).status
            == 0
        )
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()
    measures = [text for name in ("charP", "charR", "charF", "MAiP") for text in ("-m", name)]
    assert excerpt("correlate", "qrels", *four_runs, *measures, "--figure", "c.png").status == 0
    assert Path("c.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "run0", "run1"), "excerpt: the following arguments are required: -m/--measure"),
        (("qrels", "run0", "-m", "charP", "-m", "charR"), "excerpt: found 1 run, expected at least 2"),
        (("qrels", "run0", "run1", "-m", "charP"), "excerpt: found 1 measure, expected at least 2"),
        (("qrels", "run0", "run1", "-m", "charP", "-m", "charP"), "excerpt: found 1 measure, expected at"),
        (("qrels", "run0", "run1", "-m", "charP", "-m", "charQ"), "excerpt: unknown measure 'charQ'"),
        (("qrels", "run0", "run1", "-m", "charP", "--qrels2", "no"), "excerpt: no: cannot be read"),
        (("qrels", "run0", "run1", "--pair", "charP"), "excerpt: argument --pair: expected 2 arguments"),
        (("qrels", "run0", "run1", "--pair", "charP", "charQ"), "excerpt: unknown measure 'charQ'"),
        (
            ("qrels", "run0", "run1", "--pair", "charP", "charP"),
            "excerpt: found 1 measure, expected at least",
        ),
        (
            ("qrels", "run0", "run1", "--pair", "charP", "charR", "--ranks", "2-3"),
            "excerpt: found rank 3, expected at most 2: there are 2 runs",
        ),
        (
            ("qrels", "run0", "run1", "--pair", "charP", "charR", "--ranks", "2-1"),
            "excerpt: argument --ranks: found '2-1', expected ranks such as 1-21,31-50",
        ),
    ],
)
def test_correlate_mistakes(
    four_runs: list[str], excerpt: Excerpt, arguments: tuple[str, ...], message: str
) -> None:
    """A mistake is one line and exit status 2."""
    done = excerpt("correlate", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(message)
    assert done.err.count("\n") == 1


def test_correlate_pairs_and_ranks(four_runs: list[str], excerpt: Excerpt) -> None:
    """Pairs need no other measures; records have pairs, seed and ranks; --ranks alone draws ranks."""
    pairs = ("--pair", "charF", "charP", "--pair", "charR", "charP")
    done = excerpt("correlate", "qrels", *four_runs, *pairs, "--ranks", "1,3-4", "--record", "r.json")
    assert (done.status, done.err) == (0, "")
    assert [line.split()[:3] for line in done.out.splitlines()[2:]] == [
        ["charF", "charP", "3"],
        ["charR", "charP", "3"],
    ]
    asked = json.loads(Path("r.json").read_text())["record"]["options"]
    assert (asked["pair"], asked["ranks"]) == ([["charF", "charP"], ["charR", "charP"]], "1,3-4")
    assert excerpt("rerun", "r.json", "--check").out == "r.json: 2 rows, the same as before\n"
    drawn = excerpt("correlate", "qrels", *four_runs, *pairs, "--ranks")
    assert drawn.out == excerpt("correlate", "qrels", *four_runs, *pairs, "--by-rank").out != done.out


@pytest.mark.parametrize("command", ["compare", "agreement", "correlate", "anova"])
def test_saved_scores_name_their_measures(command: str, four_runs: list[str], excerpt: Excerpt) -> None:
    """Without -m all measures of the file."""
    excerpt("evaluate", "qrels", *four_runs, "-m", "charP", "-m", "charR", "--save", "scores.json", "--quiet")
    done = excerpt(command, "scores.json", "--format", "csv", "--quiet")
    assert (done.status, done.err) == (0, "")
    assert done.out == excerpt(command, "scores.json", "-m", "charP", "-m", "charR", "--format", "csv").out
    assert excerpt("evaluate", "qrels", *four_runs, "-m", "charP", "--save", "one.json").status == 0
    few = excerpt("agreement", "one.json")
    assert (few.status, few.err) == (2, "excerpt: found 1 measure, expected at least 2 to compare\n")


FEW_SAMPLES = ("--samples", "200")


def test_agreement_rows_are_those_of_the_function(excerpt: Excerpt) -> None:
    """The command prints what the Python function gives, with a record of its files."""
    done = excerpt(
        "agreement", *FILES, "-m", "MAiP", "-m", "iP@0.01", *FEW_SAMPLES, "--seed", "3", "--format", "json"
    )
    assert done.status == 0
    printed = json.loads(done.out)
    scores = evaluate(collection.qrels(), RUNS, ["MAiP", "iP@0.01"])
    assert printed["rows"] == list(agreement(scores, samples=200, seed=3).rows)
    there, back = printed["rows"]
    assert (there["measure"], there["other"]) == ("MAiP", "iP@0.01")
    assert there["precision"] == back["recall"]
    assert 0 < there["f1"] <= 1
    assert printed["record"]["seed"] == 3
    assert len(printed["record"]["inputs"]) == len(FILES)
    assert printed["record"]["options"]["measures"] == ["MAiP", "iP@0.01"]
    assert "no relevant text" in done.err


def test_agreement_table_and_options(excerpt: Excerpt) -> None:
    """Tests and corrections can be chosen; what is undefined is a dash; the same call prints the same."""
    options = (
        "-m",
        "MAiP",
        "-m",
        "charF",
        "--test",
        "sign",
        "--correction",
        "holm",
        "--alpha",
        "0.000000001",
    )
    done = excerpt("agreement", *FILES, *options)
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[2].split() == ["measure", "differ", "MAiP", "charF"]
    assert lines[4].split() == ["MAiP", "0", "%", "-", "-"]
    assert done.out == excerpt("agreement", *FILES, *options).out


@pytest.mark.slow
def test_agreement_figures(excerpt: Excerpt, tmp_path: Path) -> None:
    """Scatter and density for the first measure against each other one, the same bytes each time."""
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg", "a.png", "a.pdf"):
        options = ("-m", "MAiP", "-m", "charF", "-m", "iP@0.01", *FEW_SAMPLES, "--figure", tmp_path / name)
        assert excerpt("agreement", *FILES, *options).status == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    two = excerpt(
        "agreement",
        *FILES[:3],
        "-m",
        "MAiP",
        "-m",
        "charF",
        *FEW_SAMPLES,
        "--figure",
        tmp_path / "one_pair.svg",
    )
    assert two.status == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "run", "-m", "MAiP"), "found 1 measure, expected at least 2"),
        (("qrels", "run", "-m", "MAiP", "-m", "MAiP"), "found 1 measure, expected at least 2"),
        (("qrels", "run"), "the following arguments are required: -m/--measure"),
        (("qrels", "run", "-m", "MAiP", "-m", "charF"), "found 1 run, expected at least 2 to compare"),
        (("qrels", "run", "run", "-m", "MAiP", "-m", "charX"), "unknown measure 'charX'"),
        (("missing", "run", "run", "-m", "MAiP", "-m", "charF"), "missing: cannot be read: no such file"),
        (("qrels", "run", "-m", "MAiP", "-m", "charF", "--alpha", "5"), "argument --alpha: found '5'"),
        (("qrels", "run", "-m", "MAiP", "-m", "charF", "--alpha", "x"), "argument --alpha: found 'x'"),
        (("qrels", "run", "-m", "MAiP", "-m", "charF", "--samples", "0"), "argument --samples: found '0'"),
        (
            ("qrels", "run", "-m", "MAiP", "-m", "charF", "--figure", "a.gif"),
            "a.gif: found extension .gif, expected .svg",
        ),
        (("qrels", "run", "run", "-m", "MAiP", "-m", "charF", "--seed", "-1"), "argument --seed: found '-1'"),
        (
            ("qrels", "run", "run", "-m", "MAiP", "-m", "charF", "--min-difference", "-1"),
            "argument --min-difference: found '-1', expected a number of at least 0",
        ),
    ],
)
def test_agreement_mistakes(files: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str) -> None:
    """One line on standard error, exit status 2, nothing printed."""
    done = excerpt("agreement", *arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


FEW_SPLITS = ("-m", "MAiP", "--splits", "4", "--samples", "100")


def test_testerror_rows_are_those_of_the_function(excerpt: Excerpt) -> None:
    """The command prints what the Python function gives, a row for each test."""
    done = excerpt("testerror", *FILES, *FEW_SPLITS, "--format", "json")
    assert done.status == 0
    printed = json.loads(done.out)
    scores = evaluate(collection.qrels(), RUNS, ["MAiP"])
    assert printed["rows"] == list(judge_tests(scores, splits=4, samples=100).rows)
    assert [row["test"] for row in printed["rows"]] == ["bootstrap", "t", "wilcoxon", "sign"]
    assert all(row["pairs"] == 4 * 45 for row in printed["rows"])
    assert printed["record"]["experiment"] == "testerror"


def test_testerror_table_options_and_figure(excerpt: Excerpt, tmp_path: Path) -> None:
    """Tests can be chosen; undefined rates are dashes in the table and words in the figure."""
    pytest.importorskip("matplotlib")
    options = (
        *FEW_SPLITS,
        "--tests",
        "sign, permutation",
        "--correction",
        "bonferroni",
        "--alpha",
        "0.000000001",
    )
    done = excerpt("testerror", *FILES, *options, "--figure", tmp_path / "a.svg")
    assert done.status == 0
    assert [line.split()[1] for line in done.out.splitlines()[2:4]] == ["sign", "permutation"]
    assert done.out.splitlines()[2].split()[6] == "-"
    assert (tmp_path / "a.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "run"), "the following arguments are required: -m/--measure"),
        (
            ("qrels", "run", "run", "-m", "MAiP"),
            "found 2 topics with a score of every run by MAiP, expected at least 4",
        ),
        (("qrels", "run", "-m", "MAiP", "--tests", "z"), "unknown test 'z'; known: bootstrap, permutation"),
        (
            ("qrels", "run", "-m", "MAiP", "--tests", ","),
            "argument --tests: no test given, expected at least one of bootstrap",
        ),
        (("qrels", "run", "-m", "MAiP", "--splits", "0"), "argument --splits: found '0'"),
    ],
)
def test_testerror_mistakes(files: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str) -> None:
    """One line on standard error, exit status 2, nothing printed."""
    done = excerpt("testerror", *arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_names_of_tests_are_those_of_the_statistics() -> None:
    """The help lists the names of the library, in the same order."""
    assert tuple(significance.TESTS) == TEST_NAMES
    assert tuple(significance.CORRECTIONS) == CORRECTION_NAMES


@pytest.mark.parametrize("command", ["compare", "testerror"])
def test_every_measure_is_computed(command: str, excerpt: Excerpt) -> None:
    """Measures may be repeated, and each has its rows; none is dropped."""
    few = ("--samples", "50", *(("--splits", "2") if command == "testerror" else ()))
    done = excerpt(command, *FILES, "-m", "MAiP", "-m", "charF", *few, "--format", "json")
    assert {row["measure"] for row in json.loads(done.out)["rows"]} == {"MAiP", "charF"}
    both = excerpt(command, *FILES[:4], "-m", "MAiP", "-m", "charF", *few).out
    assert "MAiP" in both
    assert "charF" in both


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("o.csv", "measure,run,other"),
        ("o.tex", "\\begin{tabular}"),
        ("o.md", "| measure |"),
        ("o.JSON", "{"),
        ("o.txt.gz", ""),
    ],
)
def test_the_ending_of_the_name_decides(name: str, start: str, tmp_path: Path, excerpt: Excerpt) -> None:
    """Rows are written in the format that the name of the file ends in."""
    done = excerpt("compare", *FILES[:4], "-m", "MAiP", "--samples", "50", "-o", tmp_path / name)
    assert done.status == 0, done.err
    if start:
        assert (tmp_path / name).read_text().startswith(start)
    given = excerpt("compare", *FILES[:4], "-m", "MAiP", "-o", tmp_path / "o.xyz")
    assert given.err.startswith(f"excerpt: {tmp_path}/o.xyz: found extension .xyz, expected .txt, .json")
    assert given.err.endswith("or choose the format with --format\n")


@pytest.fixture
def whole_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Runs of whole documents, the second one unjudged, with lengths only in the corpus."""
    monkeypatch.chdir(tmp_path)
    Path("docs/inner").mkdir(parents=True)
    Path("qrels").write_text("".join(f"{t} Q0 D{t} 100 1000 0 0:100\n" for t in range(12)))
    for topic in range(12):
        Path(f"docs/D{topic}.txt").write_text(1000 * "x")
        Path(f"docs/inner/U{topic}.txt").write_text((topic + 1) * 50 * "y")
    for name, order in (("first", "DU"), ("last", "UD"), ("never", "U")):
        lines = (f"{t} Q0 {d}{t} {r} {9 - r} {name}\n" for t in range(12) for r, d in enumerate(order))
        Path(name).write_text("".join(lines))
    return ["first", "last", "never"]


def test_an_experiment_may_have_no_figure(
    three_runs: list[str], excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said before any work, also of a record; without --figure nothing is amiss."""
    monkeypatch.delitem(tables.FIGURES, "correlate")
    given = ("correlate", "qrels", *three_runs, "-m", "charP", "-m", "charR")
    done = excerpt(*given, "--record", "saved.json")
    assert done.status == 0, done.err
    message = (
        "excerpt: the experiment correlate has no figure; --format csv prints the rows for other programs\n"
    )
    for asked in (given, ("rerun", "saved.json")):
        done = excerpt(*asked, "--figure", "drawn.svg", "-o", "rows.txt")
        assert (done.status, done.out, done.err) == (2, "", message)
    assert not Path("drawn.svg").exists()
    assert not Path("rows.txt").exists()


#: Options that make an experiment small; the others are small without.
SMALL = {
    "compare": ("--samples", "50"),
    "power": ("--difference", "0.1"),
    "agreement": ("--samples", "50"),
    "testerror": ("--samples", "50", "--splits", "2"),
    "stability pool": ("--levels", "50", "--least", "1"),
    "stability topics": ("--levels", "50"),
    "stability errors": ("--levels", "50"),
    "stability depth": ("--depths", "1"),
    "stability unpooled": ("--depth", "1"),
}


@pytest.mark.parametrize("command", EXPERIMENTS)
def test_a_corpus_tells_lengths_and_is_recorded(
    command: str, whole_documents: list[str], excerpt: Excerpt
) -> None:
    """Without it whole documents are refused; a record repeats it while the corpus is the same."""
    small = SMALL.get(command, ())
    given = (*command.split(), "qrels", *whole_documents, "-m", "charP", "-m", "charF", *small)
    assert "--corpus" in (refused := excerpt(*given)).err
    assert refused.status == 2
    done = excerpt(*given, "--corpus", "docs", "--record", "saved.json", "-o", "rows.txt")
    assert done.status == 0, done.err
    printed = json.loads(Path("saved.json").read_text())
    assert printed["record"]["inputs"][-1]["path"] == "docs"
    again = excerpt("rerun", "saved.json", "--check")
    assert again.out == f"saved.json: {plural(len(printed['rows']), 'row')}, the same as before\n", again.err
    Path("docs/inner/U3.txt").write_text("z")
    changed = excerpt("rerun", "saved.json")
    assert (changed.status, changed.out) == (2, "")
    assert changed.err.startswith("excerpt: docs: found digest ")
    assert changed.err.endswith("the corpus has changed since the experiment\n")


def test_compare_with_a_corpus_is_that_of_the_library(whole_documents: list[str], excerpt: Excerpt) -> None:
    """The rows of Python, also from workers; a corpus that is not there is named."""
    given = ("compare", "qrels", *whole_documents, "-m", "charP", "--test", "t", "--format", "json")
    wanted = compare(evaluate("qrels", whole_documents, "charP", corpus="docs"), test="t")
    for workers in ("1", "2"):
        done = excerpt(*given, "--corpus", "docs", "--workers", workers)
        assert json.loads(done.out)["rows"] == list(wanted.rows)
    done = excerpt(*given, "--corpus", "nowhere")
    assert (done.status, done.err) == (2, "excerpt: nowhere: cannot be read: no such file or directory\n")


def test_the_whole_study_takes_a_corpus(whole_documents: list[str], excerpt: Excerpt) -> None:
    """Each of its records has it."""
    given = ("stability", "all", "qrels", *whole_documents, "-m", "charP", "--levels", "50", "--least", "1")
    done = excerpt(*given, "--corpus", "docs", "-o", "study.json")
    assert done.status == 0, done.err
    for name in ("pool", "topics", "errors"):
        assert excerpt("rerun", f"study-{name}.json", "--check").status == 0
        record = json.loads(Path(f"study-{name}.json").read_text())["record"]
        assert record["options"]["corpus"] == record["inputs"][-1]["path"] == "docs"
