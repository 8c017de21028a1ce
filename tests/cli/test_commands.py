"""The other commands, each on a small job and on mistakes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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


def test_demo(excerpt: Excerpt) -> None:
    """The embedded collection is evaluated, best run first; its folder can be asked for."""
    done = excerpt("demo")
    assert done.status == 0
    assert done.out.index("sent-bm25") < done.out.index("random-p")
    assert (Path(excerpt("demo", "--path").out.strip()) / "qrels.fol").is_file()
    assert json.loads(excerpt("demo", "--format", "json").out)["ric"]["runs"][0]["name"] == "ric-p5"


def test_help_version_and_module() -> None:
    """`python -m excerpt` is the command; help and version exit with 0."""
    for argument, text in (("--help", "usage: excerpt COMMAND"), ("--version", "excerpt 0.")):
        done = subprocess.run(
            [sys.executable, "-m", "excerpt", argument], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith(text)
