"""The examples of CONTRIBUTING.md work as printed, in a copy of the project whose tests then pass."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = re.compile(r"^```(?:python|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
DIFF = re.compile(r"^```diff\n--- (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
QRELS = "1 Q0 A 60 200 10 10:40 100:20\n"
RUN = "1 A 0-50 0.9\n1 A 150-200 0.8\n"
#: Where an entry goes: a table, and what ends it.
TABLES = {
    "Experiment": ("experiments/table.py", ")\nEXPERIMENTS"),
    "Procedure": ("assess/procedures.py", ")\nPROCEDURES"),
}
#: Tests of the rooms that the examples touch: all that go through lists of measures, formats, experiments,
#: options and procedures. And the tests of pages that print such a list.
TOUCHED = (
    *("tests/test_options.py", "tests/test_shown_commands.py", "tests/measures/test_base.py"),
    *("tests/formats/test_registry.py", "tests/formats/test_reader.py"),
    *("tests/experiments/test_table.py", "tests/experiments/test_outcome.py"),
    *("tests/assess/test_procedures.py", "tests/assess/test_agreement.py", "tests/cli/test_assess_new.py"),
    "tests/assess/test_creation.py::test_what_was_exported_can_be_imported",
    "tests/cli/test_experiment.py::test_a_corpus_tells_lengths_and_is_recorded",
    "tests/cli/test_report.py::test_no_folder_of_the_user_is_told",
    "tests/test_docs.py::test_every_measure_has_a_page",
    "tests/test_docs.py::test_settings_and_extras_have_their_lines",
)
SHOWN = tuple(
    f"tests/test_docs.py::test_commands_give_what_the_page_shows[docs/{page}.md]"
    for page in ("shell", "assess/procedures")
)


def change(file: Path, changes: str) -> None:
    """Do to a file what a page shows: lines that are there, lines that go, lines that come."""
    text = file.read_text(encoding="utf-8")
    for part in filter(str.strip, changes.split("@@\n")):
        lines = part.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -").removesuffix("\n")
        after = "".join(line[1:] for line in lines if line[0] in " +").removesuffix("\n")
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    file.write_text(text, encoding="utf-8")


def add(file: Path, entry: str, end: str) -> None:
    """Put an entry at the end of a table."""
    before, mark, after = file.read_text(encoding="utf-8").partition(end)
    assert mark, file
    file.write_text(f"{before}{entry}{mark}{after}", encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, its tests and its pages, changed as the page says; and files of a user."""
    folder = tmp_path_factory.mktemp("contributed") / "project"
    folder.mkdir()
    for name in ("src", "tests", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_build"))
    for path in ROOT.glob("*.*"):
        if path.is_file():
            shutil.copy(path, folder)
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for body in CODE.findall(page):
        named = re.match(r"# (src/\S+\.py)\n", body)
        if named and (folder / named[1]).exists():
            pytest.skip("the examples are in this project already")
        if named:
            (folder / named[1]).write_text(body[named.end() :], encoding="utf-8")
        else:  # an entry
            name, end = TABLES[body.partition("(")[0].strip()]
            add(folder / "src" / "excerpt" / name, body, end)
    for name, changes in DIFF.findall(page):
        change(folder / name, changes)
    desk = folder.parent / "desk"
    desk.mkdir()
    (desk / "qrels").write_text(QRELS, encoding="utf-8")
    for name in ("run", "other"):
        (desk / name).write_text(RUN, encoding="utf-8")
    (desk / "a.xml").write_text("<a><p>rent</p></a>", encoding="utf-8")
    (desk / "topics.tsv").write_text("7\tWho pays?\n", encoding="utf-8")
    (desk / "bad").write_text("1 A 0-50 0.9\n1 A 50 0.8\n", encoding="utf-8")
    return folder


@pytest.fixture
def desk(project: Path) -> Path:
    """The working folder of a user of the changed project, with judgments and runs."""
    return project.parent / "desk"


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ("-m doctest ../project/src/excerpt/measures/wasted_results.py", ""),
        ("-m excerpt evaluate qrels run -m waste@5 -m charP", "run  waste@5   charP\n"),
        ("-m excerpt measures waste", "without any relevant character"),
        ("-m excerpt formats dashed", "7 report.txt 120-180 0.83"),
        ("-m excerpt check bad --run-format dashed", "bad:2: found '1 A 50 0.8', expected topic document"),
        (
            "-m excerpt assess new c --corpus a.xml --topics topics.tsv --procedure useful",
            "procedure  useful\n",
        ),
        (
            "-m excerpt assess new --help all",
            "  useful     highlight, then grade how useful elements are: 2, 1 or ?",
        ),
        ("-m excerpt spread qrels run other -m waste", "waste    run    0.5000  0.5000\n"),
    ],
)
def test_the_page_works_as_it_stands(desk: Path, arguments: str, printed: str) -> None:
    """Each step gives what the page says."""
    done = run(desk, arguments)
    assert "Traceback" not in done.stderr
    assert printed in done.stdout
    assert done.returncode == (2 if "bad" in arguments else 0), done.stderr


def environment(project: Path, **variables: str) -> dict[str, str]:
    """The variables of a process that imports the changed project; no setting of the tests outside of it."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return {**known, "PYTHONPATH": str(project / "src"), **variables}


def run(desk: Path, arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Python with the changed project."""
    return subprocess.run(
        [sys.executable, *arguments.split()],
        cwd=desk,
        env=environment(desk.parent / "project", **variables),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_tests_of_the_rooms_pass(project: Path) -> None:
    """What lists measures, formats, experiments, options and procedures knows those of the page."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "pytest", "-q", f"--basetemp={project.parent / name}", *chosen],
            cwd=project,
            env=environment(project),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for name, chosen in (("quick", ["--quick", *TOUCHED]), ("pages", SHOWN))
    ]
    for process in started:
        said, _ = process.communicate()
        assert process.returncode == 0, said


def test_the_page_is_formatted(project: Path) -> None:
    """The linters have nothing to say."""
    pytest.importorskip("ruff")
    for command in ("check --no-cache", "format --no-cache --check"):
        done = run(project, f"-m ruff {command} src")
        assert done.returncode == 0, done.stdout


def test_an_option_of_the_page_is_everywhere(desk: Path) -> None:
    """In the help, in excerpt.toml, in variables, in a record with its digest, in completion; and guarded."""
    (desk / "left").write_text("B\n", encoding="utf-8")
    (desk / "both").write_text("1 B 0-50 0.9\n1 A 0-50 0.8\n", encoding="utf-8")
    (desk / "settings.toml").write_text('leave-out = "left"\n', encoding="utf-8")
    evaluated = "-m excerpt evaluate qrels both -m charP --format csv"
    assert run(desk, evaluated).stdout.splitlines()[1] == "both,0.4"
    for given in (
        run(desk, f"{evaluated} --leave-out left"),
        run(desk, evaluated, EXCERPT_LEAVE_OUT="left"),
        run(desk, evaluated, EXCERPT_CONFIG="settings.toml"),
    ):
        assert given.stdout.splitlines()[1] == "both,0.8", given.stderr
    assert "--leave-out FILE" in run(desk, "-m excerpt gate --help all").stdout
    config = run(desk, "-m excerpt config", EXCERPT_CONFIG="settings.toml").stdout
    assert re.search(r"^leave-out +left +settings.toml:1$", config, re.MULTILINE)
    compared = run(desk, "-m excerpt spread qrels both run -m charP --leave-out left --record r.json")
    assert compared.returncode == 0, compared.stderr
    record = json.loads((desk / "r.json").read_text(encoding="utf-8"))["record"]
    assert record["options"]["leave_out"] == "left"
    assert [item["path"] for item in record["inputs"]] == ["qrels", "both", "run", "left"]
    assert run(desk, "-m excerpt rerun r.json --check").returncode == 0
    refused = run(desk, "-m excerpt spread qrels both run -m charP --leave-out left --record left")
    assert (refused.returncode, refused.stderr.strip()) == (
        2,
        "excerpt: left: is an input; choose another name for the output",
    )
    assert (desk / "left").read_text(encoding="utf-8") == "B\n"
    assert "--leave-out" in run(desk, "-m excerpt completion words evaluate q r --lea").stdout
