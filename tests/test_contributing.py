"""The examples of CONTRIBUTING.md work as printed."""

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
DIFF = re.compile(r"^```diff\n--- src/(\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
QRELS = "1 Q0 A 60 200 10 10:40 100:20\n"
RUN = "1 A 0-50 0.9\n1 A 150-200 0.8\n"
#: Where an entry goes: a table, and what ends it.
TABLES = {
    "Experiment": ("experiments/table.py", ")\nEXPERIMENTS"),
    "Procedure": ("assess/procedures.py", ")\nPROCEDURES"),
}


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


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the changes of the page."""
    folder = tmp_path_factory.mktemp("contributed")
    unneeded = shutil.ignore_patterns("__pycache__", "data")
    shutil.copytree(ROOT / "src" / "excerpt", folder / "excerpt", ignore=unneeded)
    for body in CODE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        named = re.match(r"# src/(\S+\.py)\n", body)
        if named:
            (folder / named[1]).write_text(body[named.end() :], encoding="utf-8")
        else:  # an entry
            name, end = TABLES[body.partition("(")[0].strip()]
            table = folder / "excerpt" / name
            before, mark, after = table.read_text(encoding="utf-8").partition(end)
            table.write_text(f"{before}{body}{mark}{after}", encoding="utf-8")
    for name, changes in DIFF.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        change(folder / name, changes)
    (folder / "qrels").write_text(QRELS, encoding="utf-8")
    for name in ("run", "other"):
        (folder / name).write_text(RUN, encoding="utf-8")
    (folder / "a.xml").write_text("<a><p>rent</p></a>", encoding="utf-8")
    (folder / "topics.tsv").write_text("7\tWho pays?\n", encoding="utf-8")
    (folder / "bad").write_text("1 A 0-50 0.9\n1 A 50 0.8\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ("-m doctest excerpt/measures/waste.py", ""),
        ("-m excerpt evaluate qrels run -m waste@5 -m charP", "run  waste@5   charP\n"),
        ("-m excerpt measures waste", "without any relevant character"),
        ("-m excerpt formats dashed", "7 report.txt 120-180 0.83"),
        ("-m excerpt check bad --run-format dashed", "bad:2: found '1 A 50 0.8', expected topic document"),
        (
            "-m excerpt assess new c --corpus a.xml --topics topics.tsv --procedure useful",
            "procedure  useful\n",
        ),
        (
            "-m excerpt assess new --help",
            "  useful     highlight relevant text, then grade how useful elements are",
        ),
        ("-m excerpt spread qrels run other -m waste", "waste    run    0.5000  0.5000\n"),
    ],
)
def test_the_page_works_as_it_stands(package: Path, arguments: str, printed: str) -> None:
    """Each step gives what the page says."""
    done = run(package, arguments)
    assert "Traceback" not in done.stderr
    assert printed in done.stdout
    assert done.returncode == (2 if "bad" in arguments else 0), done.stderr


def run(package: Path, arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Python in the copy of the package."""
    return subprocess.run(
        [sys.executable, *arguments.split()],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_option_of_the_page_is_everywhere(package: Path) -> None:
    """In the help, in excerpt.toml, in variables, in a record with its digest, in completion; and guarded."""
    (package / "left").write_text("B\n", encoding="utf-8")
    (package / "both").write_text("1 B 0-50 0.9\n1 A 0-50 0.8\n", encoding="utf-8")
    (package / "settings.toml").write_text('leave-out = "left"\n', encoding="utf-8")
    evaluated = "-m excerpt evaluate qrels both -m charP --format csv"
    assert run(package, evaluated).stdout.splitlines()[1] == "both,0.4"
    for given in (
        run(package, f"{evaluated} --leave-out left"),
        run(package, evaluated, EXCERPT_LEAVE_OUT="left"),
        run(package, evaluated, EXCERPT_CONFIG="settings.toml"),
    ):
        assert given.stdout.splitlines()[1] == "both,0.8", given.stderr
    assert "--leave-out FILE" in run(package, "-m excerpt gate --help").stdout
    config = run(package, "-m excerpt config", EXCERPT_CONFIG="settings.toml").stdout
    assert re.search(r"^leave-out +left +settings.toml:1$", config, re.MULTILINE)
    compared = run(package, "-m excerpt spread qrels both run -m charP --leave-out left --record r.json")
    assert compared.returncode == 0, compared.stderr
    record = json.loads((package / "r.json").read_text(encoding="utf-8"))["record"]
    assert record["options"]["leave_out"] == "left"
    assert [item["path"] for item in record["inputs"]] == ["qrels", "both", "run", "left"]
    assert run(package, "-m excerpt rerun r.json --check").returncode == 0
    refused = run(package, "-m excerpt spread qrels both run -m charP --leave-out left --record left")
    assert (refused.returncode, refused.stderr.strip()) == (
        2,
        "excerpt: left: is an input; choose another name for the output",
    )
    assert (package / "left").read_text(encoding="utf-8") == "B\n"
    assert "--leave-out" in run(package, "-m excerpt completion words evaluate q r --lea").stdout
