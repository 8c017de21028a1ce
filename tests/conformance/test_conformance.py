"""excerpt on small worlds with exact answers, the answers themselves, and the script that compares them."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest
from conformance import run
from support.exact_numbers import decimal_of, digits
from support.trec_eval_oracle import SETS
from support.world_answers import COLUMNS, REFUSED, WORLDS, Case, answers, cases, expected

from excerpt.measures.base import parameters, registry
from excerpt.model.policy import Interleaved, Overlap
from excerpt.model.run import Order
from excerpt.official.inputs import TaskLetter
from excerpt.official.trec.names import MEASURES as TREC_MEASURES
from excerpt.placing.chunkers import MEASURES as CHUNK_MEASURES
from excerpt.quantise import find, registered_here

HERE = Path(__file__).parent
PAGE = (HERE / "README.md").read_text(encoding="utf-8")
FOLDERS = sorted(WORLDS.iterdir())
CASES = [case for folder in FOLDERS for case in cases(folder)]
KEPT = [(folder, row) for folder in FOLDERS for row in run.table(folder / "expected.tsv")]
#: The commands of the page by tool, with which excerpt gives the answers.
COMMANDS = dict(re.findall(r"^\| `(\w+)` \| .* \| `(excerpt .*)` \|$", PAGE, re.MULTILINE))
PREPARE = "excerpt index {folder}/docs -o {folder}/docs.index --quiet"


def call(words: Sequence[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
    """A command of excerpt in this process."""
    from excerpt.cli import main

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = main(list(words[1:]))
    return subprocess.CompletedProcess(list(words), status, out.buffer.getvalue())


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The script calls excerpt in this process."""
    monkeypatch.setattr(subprocess, "run", call)


def names_of(measures: str) -> set[str]:
    """Measures without their parameters and cut-offs."""
    return {re.split(r"\W", name)[0] for name in measures.split()}


def measure_of(name: str) -> str:
    """The name of a measure without parameters and cut-off."""
    return re.split(r"\W", name)[0]


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("world", [folder.name for folder in FOLDERS])
@pytest.mark.parametrize("tool", run.TOOLS)
def test_excerpt_gives_the_answers(tool: str, world: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All values of all cases agree, by the commands that the page shows."""
    mine = [case for case in CASES if (case.tool, case.folder.name) == (tool, world)]
    given = ["--tool", tool, "--world", world, "--command", COMMANDS[tool], "--prepare", PREPARE]
    status, printed = run.main(given), capsys.readouterr().out
    assert printed.endswith("; mismatches: 0; skipped cases: 0\n"), printed
    assert status == (0 if mine else 2)


@pytest.mark.parametrize(
    "case",
    [one for one in CASES if (one.folder, dict(zip(COLUMNS, (one.case, *REFUSED), strict=True))) in KEPT],
    ids=lambda case: case.case,
)
def test_refused_runs_have_status_2(case: Case) -> None:
    """A run that must be refused is an error."""
    files = {"qrels": case.folder / case.qrels, "run": case.folder / case.run}
    words = COMMANDS[case.tool].format(options=case.options, measure=case.measures, **files).split()
    assert call(words).returncode == 2


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_answers_are_those_of_the_definitions(folder: Path) -> None:
    """The files are as the definitions give them, and decimals are those of the exact numbers."""
    assert (folder / "expected.tsv").read_text(encoding="utf-8") == expected(folder)
    for row in [row for of, row in KEPT if of == folder]:
        if row["exact"] not in {"text", "refused", *run.UNDEFINED}:
            exact = decimal_of(row["exact"])
            assert abs(exact - Decimal(row["value"])) <= abs(exact) * Decimal("1e-16"), row


def test_no_measure_is_missing() -> None:
    """Every measure, cut-off, parameter and quantisation of excerpt is in a case."""
    asked = [name for case in CASES for name in case.measures.split()]
    own = {name: one for name, one in registry().items() if one.__module__.startswith("excerpt.")}
    assert own.keys() | set(CHUNK_MEASURES) == set(map(measure_of, asked))
    for measure in own.values():
        mine = [name for name in asked if measure_of(name) == measure.name]
        for field, kind in parameters(measure):
            here = any("[" in name for name in mine) if kind.cutoff else f"{field.name}=" in " ".join(asked)
            assert here, f"{field.name} of {measure.name}"
    for one in registered_here():
        standard = one is find(None, one.scale)
        assert standard or any(f"(quantisation={one.name})" in name for name in asked), one.name


def test_no_policy_is_missing() -> None:
    """Every policy and order is an option of a case."""
    options = "".join(f" {case.options} " for case in CASES)
    for name, values in (("overlap", Overlap), ("interleaved", Interleaved), ("order", Order)):
        assert all(f" --{name} {value} " in options for value in get_args(values) if value != "error")
    for name in ("limit", "only-run-topics", "include-empty", "unknown", "index", "corpus"):
        assert f" --{name} " in options


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.tool.endswith("_eval")], ids=lambda case: case.case
)
def test_no_official_line_is_missing(case: Case) -> None:
    """Every line that excerpt prints like an official tool has an answer."""
    words = [case.tool, *case.options.split(), str(case.folder / case.qrels), str(case.folder / case.run)]
    lines = call(["excerpt", *words]).stdout.decode().splitlines()
    printed = [tuple(part.strip() for part in line.split("\t") if part.strip()) for line in lines]
    right = {answer[:2] for answer in answers(case)}
    if right != {REFUSED[:2]}:
        assert {part[:2] for part in printed if len(part) == 3} == right


def test_no_official_measure_is_missing() -> None:
    """Every task of inex_eval and every measure of trec_eval is in a case."""
    tasks = {case.options.split()[0] for case in CASES if case.tool == "inex_eval"}
    assert tasks == {f"-{letter}" for letter in get_args(TaskLetter)}
    options = " ".join(case.options for case in CASES if case.tool == "trec_eval").split()
    assert {*SETS["all_trec"], *options} >= TREC_MEASURES.keys()
    assert "all_trec" in options
    assert {"-q", "-c", "-l", "-M", "-J", "-N"} <= {*options}


@pytest.mark.parametrize(
    ("found", "exact", "agrees"),
    [
        ("0.5833", "7/12", True),
        ("0.5834", "7/12", False),
        ("0.583", "7/12", False),
        ("1", "7/12", False),
        ("0.58333333333333333", "7/12", True),
        ("0.583333333334", "7/12", False),
        ("0.5833333333333334", "7/12", True),
        ("5.833333333333E-1", "7/12", True),
        ("0.5", "1/2", True),
        ("0.50000", "1/2", True),
        ("3", "3", True),
        ("3.0", "3", True),
        ("2.9999", "3", False),
        ("0.0000", "0", True),
        ("0.0001", "0", False),
        ("-0.0", "0", True),
        ("0.0625", "1/16", True),
        ("0.06", "1/16", False),
        ("nan", "1/2", False),
        ("inf", "1/2", False),
        ("half", "1/2", False),
        (None, "1/2", False),
        (None, "undefined", True),
        ("NaN", "undefined", True),
        ("-nan", "0/0", True),
        (None, "0/0", False),
        ("0.0000", "undefined", False),
        ("inf", "0/0", False),
        ("'1-0'", "text", True),
        ("'1-1'", "text", False),
        (None, "text", False),
    ],
)
def test_when_a_value_agrees(found: str | None, exact: str, agrees: bool) -> None:
    """Half a unit of the last of at least four decimals, or 1e-12; what is undefined is no number."""
    value = {"undefined": "undefined", "0/0": "nan", "text": "'1-0'"}.get(exact)
    assert run.agrees(found, exact, value or digits(Fraction(exact))) is agrees


def rows_of(*rows: tuple[str, str, str]) -> list[dict[str, str]]:
    """Rows of expected.tsv."""
    return [
        {"measure": measure, "topic": topic, "exact": exact, "value": digits(Fraction(exact))}
        for measure, topic, exact in rows
    ]


ROWS = rows_of(("P", "1", "1/2"), ("P", "2", "1"), ("P", "all", "3/4"))


@pytest.mark.parametrize(
    ("found", "mismatches"),
    [
        ({("P", "1"): "0.5", ("P", "2"): "1.0", ("P", "all"): "0.75"}, []),
        ({("P", "1"): "0.5", ("P", "2"): "1.0"}, []),
        ({("P", "all"): "0.75"}, []),
        ({("P", "1"): "0.5"}, ["P of topic 2: found nothing, expected 1"]),
        ({("P", "all"): "0.25", ("other", "9"): "1"}, ["P of topic all: found 0.25, expected 3/4 = 0.75"]),
        ({("other", "all"): "0.25"}, ["no scores printed"]),
        (
            {("P", "1"): "0.5", ("P", "2"): "1", ("P", "9"): "0.0"},
            ["P of topic 9: found 0.0, expected nothing"],
        ),
        ({}, ["no scores printed"]),
    ],
)
def test_what_differs(found: run.Printed, mismatches: list[str]) -> None:
    """Topics or means alone are enough; a topic without an answer, and nothing at all, are mismatches."""
    assert list(run.mismatches(ROWS, found)) == mismatches


def test_refused_runs_have_no_scores() -> None:
    """Lines of an error message are no scores."""
    row = dict(zip(("measure", "topic", "exact", "value"), REFUSED, strict=True))
    assert list(run.mismatches([row], {("ERROR", "article"): "in line: 3"})) == []
    assert list(run.mismatches([row], {("MAiP", "all"): "0.5"})) == ["scores printed"]


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Words of each call; every call prints nothing but what it was asked."""
    calls: list[list[str]] = []

    def record(words: Sequence[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        calls.append([str(word) for word in words])
        return subprocess.CompletedProcess([], 0, b"P all 0.5\n")

    monkeypatch.setattr(subprocess, "run", record)
    return calls


def test_templates(recorded: list[list[str]], tmp_path: Path) -> None:
    """Measures are repeated with their option or bare, options are words, and a blank in a folder is kept."""
    folder = tmp_path / "a b"
    given = {"options": "--index {folder}/i --overlap first", "measures": ["P", "charF(beta=2)[3]"]}
    run.call("x {options} -m {measure} {qrels}", folder, **given, qrels="q")  # type: ignore[arg-type]
    run.call("x '{folder}/z' --by={measure}", folder, **given)  # type: ignore[arg-type]
    run.call("x -v {run} {measure}", folder, **given, run="r")  # type: ignore[arg-type]
    options = ["--index", f"{folder}/i", "--overlap", "first"]
    assert recorded == [
        ["x", *options, "-m", "P", "-m", "charF(beta=2)[3]", str(folder / "q")],
        ["x", f"{folder}/z", "--by=P", "--by=charF(beta=2)[3]"],
        ["x", "-v", str(folder / "r"), "P", "charF(beta=2)[3]"],
    ]


def test_other_names(recorded: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only measures with a name are asked for; cases whose options the template lacks are skipped."""
    names = tmp_path / "names.tsv"
    names.write_text("MAiP\tP\nhit\tH\n", encoding="utf-8")
    given = [
        "--names",
        str(names),
        "--world",
        "passages",
        "--world",
        "quotes",
        "--command",
        "mine {measure} {run}",
    ]
    assert run.main(given) == 1
    asked = [(words[1:-1], Path(words[-1]).name) for words in recorded]
    assert asked == [(["P", "H"], "focused.fol"), (["H"], "overlapping.fol"), (["P"], "empty.xml")]
    said = capsys.readouterr().out
    assert "passages, focused: P of topic all: found 0.5, expected " in said
    assert "passages, no-results: P of topic all: found 0.5, expected 0\n" in said


@pytest.mark.parametrize(
    "given",
    [
        ["--command", "no-such-command {qrels}"],
        ["--command", "'"],
        ["--command", "x", "--names", "no-such-file"],
        ["--command", "x", "--world", "no-such-world"],
        ["--command", "x", "--tool", "no-such-tool"],
        [],
    ],
)
def test_wrong_use_has_status_2(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be run is a message and status 2."""
    with pytest.raises(SystemExit) as stopped:
        run.main(given)
    assert stopped.value.code == 2
    assert "error: " in capsys.readouterr().err


def shown() -> list[tuple[str, str]]:
    """Commands of the page, each with the output below it."""
    block = re.compile(r"^```console\n\$ ((?:.*\\\n)*.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
    return block.findall(PAGE)


@pytest.mark.parametrize(("command", "output"), shown(), ids=["quotes", "structure"])
def test_the_page_shows_what_the_script_prints(command: str, output: str) -> None:
    """The commands of the page run as they are, in processes of their own."""
    python = Path(sys.executable).as_posix()
    line = command.replace("\\\n", " ").replace("'excerpt ", f'\'"{python}" -m excerpt ')
    words = shlex.split(line.replace("python3 ", f'"{python}" ', 1))
    done = subprocess.run(words, cwd=HERE.parents[1], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, output, "")


def test_the_page_says_what_there_is() -> None:
    """Worlds and tools have their lines; version, licence and size are as promised."""
    table = PAGE[PAGE.index("| world | files |") :]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [
        "passages",
        "quotes",
        "documents",
        "elements",
        "samples",
        "structure",
    ]
    assert set(COMMANDS) == set(run.TOOLS)
    assert re.fullmatch(r"\d+\.\d+\n", (HERE / "VERSION").read_text(encoding="utf-8"))
    assert "\nCC0 1.0 Universal\n" in (HERE / "LICENSE").read_text(encoding="utf-8")
    assert sum(path.stat().st_size for path in WORLDS.rglob("*") if path.is_file()) < 300_000
    script = (HERE / "run.py").read_text(encoding="utf-8")
    assert set(re.findall(r"^(?:from|import) (\w+)", script, re.MULTILINE)) <= sys.stdlib_module_names
