"""What CONTRIBUTING.md shows works as it stands: each thing that takes five minutes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = re.compile(r"^```(?:python|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
QRELS = "1 Q0 A 60 200 10 10:40 100:20\n"
RUN = "1 A 0-50 0.9\n1 A 150-200 0.8\n"
#: Where an entry goes: a table, and what ends it.
TABLES = {
    "Experiment": ("experiments/table.py", ")\nEXPERIMENTS"),
    "Procedure": ("assess/procedures.py", ")\nPROCEDURES"),
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package in which somebody followed the page."""
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
        ("-m doctest excerpt/measures/vain.py", ""),
        ("-m excerpt evaluate qrels run -m vain@5 -m charP", "run  vain@5   charP\n"),
        ("-m excerpt measures vain", "without any relevant character"),
        ("-m excerpt formats dashed", "7 report.txt 120-180 0.83"),
        ("-m excerpt check bad --run-format dashed", "bad:2: found '1 A 50 0.8', expected topic document"),
        (
            "-m excerpt assess new c --corpus a.xml --topics topics.tsv --procedure useful",
            "procedure  useful\n",
        ),
        ("-m excerpt assess new --help", "evidence or useful"),
        ("-m excerpt spread qrels run other -m vain", "vain     run    0.5000  0.5000\n"),
    ],
)
def test_the_page_works_as_it_stands(package: Path, arguments: str, printed: str) -> None:
    """Each step gives what the page says."""
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, *arguments.split()],
        cwd=package,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert printed in done.stdout
    assert done.returncode == (2 if "bad" in arguments else 0), done.stderr
