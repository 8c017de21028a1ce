"""The other commands, each on a small job and on mistakes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Excerpt


def test_index_and_paths(files: Path, corpus: Path, excerpt: Excerpt) -> None:
    """Index a folder, look at it, and evaluate a run of paths with it."""
    done = excerpt("index", corpus, "-o", "idx", "--format", "json")
    assert done.status == 0
    assert json.loads(done.out) == {
        "index": "idx",
        "documents": 2,
        "elements": 9,
        "characters": 30,
        "broken": 1,
    }
    assert f"left out: {corpus / 'bad.xml'}:2: " in done.err
    info = json.loads(excerpt("index", "--info", "idx", "--format", "json").out)
    assert (info["documents"], info["elements"], info["broken"], info["unit"]) == (2, 9, 1, "char")
    assert info["tags"] == {"p": 4, "article": 2, "name": 1, "bdy": 1, "b": 1}
    assert "mean depth" in excerpt("index", "--info", "idx").out
    (files / "qrels").write_text("1 Q0 A 9 22 11 11:9\n")
    (files / "paths").write_text(
        "1 Q0 A 1 9 mine /article[1]/bdy[1]/p[1]/b[1]\n"
        "1 Q0 A 2 8 mine /article[1]/bdy[1]/p[2] /article[1]/bdy[1]/p[2]\n"
        "1 Q0 B 3 7 mine /article[1]/p[9]\n"
    )
    scores = excerpt(
        "evaluate", "qrels", "paths", "--index", "idx", "-m", "charP[1]", "-m", "charP", "--format", "json"
    )
    assert json.loads(scores.out)["runs"][0]["scores"] == {"charP[1]": 1.0, "charP": 3 / (3 + 1 + 18)}
    assert "names something that does not exist" in scores.err
    strict = excerpt("evaluate", "qrels", "paths", "--index", "idx", "--unknown", "error")
    assert (strict.status, strict.err.startswith("excerpt: paths:3: ")) == (2, True)


def test_odd_names_stay_on_one_line(files: Path, excerpt: Excerpt) -> None:
    """Line ends and other control characters of names are shown, not printed; blanks stay as they are."""
    folder = files / "cor\npus"
    folder.mkdir()
    (folder / "good.xml").write_text('<!DOCTYPE a SYSTEM "a.dtd"><a>&unknown;</a>')
    (folder / "bad  \x1b[31m\u2028.xml").write_text("<a>")
    done = excerpt("index", folder, "-o", "in\rdex")
    assert done.status == 0
    assert done.out.splitlines()[0] == "index           in\\rdex"
    assert len(done.out.splitlines()) == 5
    assert [line.split(": ")[1] for line in done.err.splitlines()] == ["left out", "warning"]
    assert f"{files}/cor\\npus/bad  \\x1b[31m\\u2028.xml:1: " in done.err
    for command in (
        ("index", "no\n\x07such", "-o", "x"),
        ("check", "no\n\x07such"),
        ("inex_eval", "-f", "qrels", "no\n\x07such"),
    ):
        failed = excerpt(*command)
        assert failed.status == 2
        assert failed.err == "excerpt: no\\n\\x07such: cannot be read: no such file or directory\n"
    (files / "ru\nn").write_text("1 Q0 A 1 9 mine 0 50\nbad\n")
    failed = excerpt("evaluate", "qrels", "ru\nn")
    assert failed.err.startswith("excerpt: ru\\nn:2: ")
    assert len(failed.err.splitlines()) == 1
    assert "excerpt check ru\\nn" in failed.err


def test_index_mistakes(files: Path, corpus: Path, excerpt: Excerpt) -> None:
    """Strict stops at a broken document; nothing is left behind."""
    done = excerpt("index", corpus, "-o", "idx", "--strict")
    assert done.status == 2
    assert done.err.startswith(f"excerpt: {corpus / 'bad.xml'}:2: ")
    assert not (files / "idx").exists()
    assert excerpt("index", corpus).err.startswith("excerpt: expected CORPUS and -o INDEX")
    assert excerpt("index", "missing", "-o", "idx").status == 2
    assert excerpt("index", "--info", "qrels").status == 2
    assert excerpt("index", corpus, "-o", "qrels").status == 2
    assert (files / "qrels").is_file()


def test_measures(excerpt: Excerpt) -> None:
    """Every measure with its definition and reference."""
    listed = excerpt("measures").out
    for name in (
        "iP[0.01]",
        "AiP",
        "charP(overlap=exact, alpha=1)[10]",
        "AgP(score=F, beta=1, irrelevant=300, n=500)",
        "LNCS 4862",
    ):
        assert name in listed
    only = json.loads(excerpt("measures", "MAiP", "--format", "json").out)
    assert [entry["name"] for entry in only] == ["AiP"]
    assert "101 levels" in only[0]["definition"]
    assert excerpt("measures", "MAP").err.startswith("excerpt: unknown measure 'MAP'; did you mean ")
    assert excerpt("measures", "--format", "markdown").out.startswith("# Measures")


def test_demo(excerpt: Excerpt) -> None:
    """The embedded collection is evaluated, best run first; its folder can be asked for."""
    done = excerpt("demo")
    assert done.status == 0
    assert done.out.index("sent-bm25") < done.out.index("random-p")
    assert (Path(excerpt("demo", "--path").out.strip()) / "qrels.fol").is_file()
    assert json.loads(excerpt("demo", "--format", "json").out)["ric"]["runs"][0]["name"] == "ric-p5"


def test_inex_eval(files: Path, excerpt: Excerpt) -> None:
    """The last task letter wins; a rejected run does not stop the others."""
    done = excerpt("inex_eval", "-t", "-f", "-q", "-c", "qrels", "run")
    assert done.status == 0
    assert done.out.splitlines()[0] == '<eval run-id="mine" file="run">'
    assert "AiP\t\t1\t0.5169481654047755" in done.out
    (files / "bad").write_text("1 Q0 A 1 9 mine 0 50 7\n")
    mixed = excerpt("inex_eval", "-f", "qrels", "bad", "missing", "run")
    assert mixed.status == 2
    assert mixed.out.splitlines()[:3] == [
        "Error *** (bad) too many fields in line 1: 1 Q0 A 1 9 mine 0 50 7",
        "IOException error: missing (No such file or directory)",
        '<eval run-id="mine" file="run">',
    ]
    without = excerpt("inex_eval", "-f", "missing", "run")
    assert without.status == 2
    assert without.out.startswith("IOException error: missing (No such file or directory)\n<eval run-id")
    assert "MAiP\t\tall\tNaN" in without.out
    assert mixed.err.splitlines() == [
        "excerpt: bad:1: Error *** (bad) too many fields in line 1: 1 Q0 A 1 9 mine 0 50 7",
        "excerpt: missing: cannot be read: no such file or directory",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-q", "qrels", "run"), "excerpt: found no task"),
        (("-f", "qrels"), "excerpt: expected QRELS and at least one RUN"),
        (("-f", "-x", "qrels", "run"), "excerpt: unknown option '-x'"),
        (("-b", "-n", "many", "qrels", "run"), "excerpt: found 'many' as value of -n, expected a number"),
        (("-b", "-n"), "excerpt: found '' as value of -n, expected a number"),
        (("-f", "nothing", "run"), "excerpt: nothing: cannot be read"),
    ],
)
def test_inex_eval_mistakes(files: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str) -> None:
    """Wrong options are one line and exit status 2."""
    done = excerpt("inex_eval", *arguments)
    assert done.status == 2
    assert done.err.startswith(message)


def test_help_version_and_module() -> None:
    """`python -m excerpt` is the command; help and version exit with 0."""
    for argument, text in (("--help", "usage: excerpt COMMAND"), ("--version", "excerpt 0.")):
        done = subprocess.run(
            [sys.executable, "-m", "excerpt", argument], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith(text)
