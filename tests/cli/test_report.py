"""excerpt report: files in, one page out."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.report_parts import parts_of

from .conftest import QRELS, RUN, Excerpt, parser_of


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments, a run and a corpus in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("q.fol").write_text(QRELS)
    Path("r.fol").write_text(RUN)
    Path("docs").mkdir()
    for name, size in {"A": 200, "B": 100, "C": 300, "D": 1000}.items():
        Path("docs", f"{name}.txt").write_text((f"{name} has words. " * 100)[:size])
    return tmp_path


def test_report(excerpt: Excerpt, files: Path) -> None:
    """One line says what was written; warnings follow."""
    done = excerpt("report", "q.fol", "r.fol", "-m", "charP", "--corpus", "docs", "-o", "out.html")
    assert done.status == 0
    size = Path("out.html").stat().st_size
    assert done.out.splitlines() == [
        f"out.html: 1 run, 3 topics, 5 documents, {size / 1e6:.1f} MB",
        "mine reaches charP 0.3603 over 2 topics. charP decides, since it was named first.",
    ]
    assert "excerpt: warning: 1 document of a run is not in the corpus (E of r.fol)\n" in done.err


def test_topics_in_groups(excerpt: Excerpt, files: Path) -> None:
    """`--by` gives the means of `evaluate --by`; without groups there is an error and no file."""
    lines = [line for line in QRELS.splitlines() if line.split()[2] != "B"]
    Path("one.fol").write_text("\n".join(lines) + "\n")
    given = ("one.fol", "r.fol", "-m", "charP", "--by", "document")
    assert excerpt("report", *given, "--no-text", "-o", "out.html").status == 0
    groups = parts_of(Path("out.html").read_bytes())["overview"]["groups"]
    told = json.loads(excerpt("evaluate", *given, "--format", "json").out)
    assert groups["by"] == "document"
    assert groups["names"] == list(told["groups"])
    assert groups["means"][0][0] == [told["runs"][0]["groups"][name]["charP"] for name in told["groups"]]
    for command in (("report", "-o", "no.html"), ("explore", "--no-browser")):
        done = excerpt(*command, "one.fol", "r.fol", "--no-text", "--by", "corpus")
        assert done.status == 2
        assert "no topic has a corpus in the judgments; try --by document" in done.err
    assert not Path("no.html").exists()


def test_what_was_written_as_json(excerpt: Excerpt, files: Path) -> None:
    """For scripts."""
    done = excerpt("report", "q.fol", "r.fol", "--corpus", "docs", "-o", "out.html", "--format", "json")
    told = json.loads(done.out)
    assert told.pop("verdict").startswith("mine reaches MAiP 0.3847 over 2 topics. MAiP decides, since the ")
    assert [told.pop(name) for name in ("set", "headline")] == ["inex", "MAiP"]
    assert told.pop("why") == "the judgments are highlighted text"
    assert told == {
        "path": "out.html",
        "bytes": Path("out.html").stat().st_size,
        "folder": False,
        "runs": 1,
        "topics": 3,
        "documents": 5,
    }


def test_a_large_report_is_a_folder(excerpt: Excerpt, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And says so."""
    from excerpt.render.report import Report

    monkeypatch.setattr(Report.save, "__kwdefaults__", {"limit": 1000})
    done = excerpt("report", "q.fol", "r.fol", "--corpus", "docs", "-o", "out.html")
    assert re.fullmatch(
        r"out: 1 run, 3 topics, 5 documents, \d+\.\d MB; a folder, since one file would be too large: "
        r"open out/index.html",
        done.out.splitlines()[0],
    )
    data = sorted(path.name for path in Path("out", "data").iterdir())
    assert data == ["document-0.js", "passages.js", "run-0.js", "topic-0.js"]
    assert not Path("out.html").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["-o", "out.html"],
            "no corpus given; a report shows the text of its documents; give --corpus CORPUS",
        ),
        (["--corpus", "docs"], "the following arguments are required: -o/--output"),
        (["--corpus", "docs", "-o", "r.fol"], "r.fol: is an input; choose another name for the output"),
        (["--corpus", "docs/A.txt", "-o", "docs/A.txt"], "is an input; choose another name"),
        (["--corpus", "docs", "-o", "docs/A.txt"], "docs/A.txt: is an input; choose another name"),
        (["--corpus", "gone", "-o", "out.html"], "gone"),
        (["--corpus", "docs", "--topics", "gone.tsv", "-o", "out.html"], "gone.tsv: cannot be read"),
        (["--corpus", "docs", "--blocks", "q.fol", "-o", "out.html"], "q.fol: not valid TOML"),
        (["--corpus", "docs", "-o", "gone/out.html"], "gone/out.html: cannot be written"),
        (["--corpus", "docs", "-o", "q.fol/out.html"], "q.fol/out.html: cannot be written: not a directory"),
        (
            ["--corpus", "docs", "-o", "a.pdf"],
            "a.pdf: found extension .pdf, expected .html or .htm",
        ),
        (
            ["--corpus", "docs", "-o", "a.html.gz"],
            "a.html.gz: found extension .gz, expected .html or .htm; reports are already",
        ),
        (["--corpus", "docs", "-o", "a.json.gz"], "found extension .json, expected .html or .htm"),
        (["--corpus", "docs", "-m", "nothing", "-o", "out.html"], "unknown measure 'nothing'"),
    ],
)
def test_mistakes_are_one_line(excerpt: Excerpt, files: Path, arguments: list[str], says: str) -> None:
    """And nothing is written."""
    before = {path: path.read_bytes() for path in files.rglob("*.*")}
    done = excerpt("report", "q.fol", "r.fol", *arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert says in done.err
    assert {path: path.read_bytes() for path in files.rglob("*.*")} == before


def test_without_text_no_corpus_is_needed(excerpt: Excerpt, files: Path) -> None:
    """And none of its text is in the page."""
    assert excerpt("report", "q.fol", "r.fol", "--no-text", "-o", "out.html").status == 0
    assert excerpt("report", "q.fol", "r.fol", "--no-text", "--corpus", "docs", "-o", "two.html").status == 0


def test_output_and_folders_do_not_change_the_bytes(excerpt: Excerpt, files: Path) -> None:
    """The command in a report has base names and no output."""
    one = ["report", "q.fol", "r.fol", "--corpus", "docs", "-o", "one.html"]
    two = [
        "report",
        str(files / "q.fol"),
        "./r.fol",
        "--corpus",
        str(files / "docs"),
        "-o",
        str(files / "two.html"),
    ]
    assert excerpt(*one).status == excerpt(*two).status == 0
    assert Path("one.html").read_bytes() == Path("two.html").read_bytes()


def test_the_command_as_it_is_told(files: Path) -> None:
    """Every way to write an option; files by their names, whatever option names them."""
    Path("b").mkdir()
    Path("b/list").write_text("r.fol\n")
    given = "a/q @b/list -o=x --output=y -oz -mMAiP -m iP[1/3] --no-text --corpus=c/d --index e/f/"
    given += " --workers 2 --format=json --max-size 8G --only-run-topics --segments /g/h.tsv"
    parser = parser_of("report")
    parser.parse([*given.split(), "--overlap", "first"])
    assert parser.command() == (
        "excerpt report q @list -m MAiP -m 'iP[1/3]' --no-text --corpus d --index f "
        "--only-run-topics --segments h.tsv --overlap first"
    )
    os.environ.pop("EXCERPT_MAX_SIZE")


def test_an_index_is_among_the_inputs(excerpt: Excerpt, files: Path) -> None:
    """By its name, with a hash of what is in it; and it serves as the corpus where it has the text."""
    for name in "ABCD":
        text = Path("docs", f"{name}.txt").read_text()
        Path("docs", f"{name}.txt").unlink()
        Path("docs", f"{name}.xml").write_text(f"<p>{text}</p>")
    assert excerpt("index", "docs", "-o", "docs.index", "--keep-text").status == 0
    index = ["--index", "docs.index", "--corpus", "docs.index"]
    assert excerpt("report", "q.fol", "r.fol", "-m", "charP", *index, "-o", "out.html").status == 0
    parts = parts_of(Path("out.html").read_bytes())
    inputs = parts["overview"]["made"]["inputs"]
    assert [item["name"] for item in inputs] == ["q.fol", "r.fol", "docs.index", "docs.index"]
    assert len(inputs[2]["sha256"]) == 64
    assert parts["document/0"]["text"].startswith("A has words.")
    assert parts["document/0"]["blocks"] == [["paragraph", 0, 0, 200]]


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names of files are text there")
def test_names_that_are_no_text(files: Path) -> None:
    """In the title and in the name of the judgments, which is the title without one."""
    name = os.fsdecode(b"q\xff.fol")
    Path("q.fol").rename(name)
    for title in ([], ["--title", os.fsdecode(b"t\xff<")]):
        command = [sys.executable, "-m", "excerpt", "report", name, "r.fol", "--no-text", "-o", "out.html"]
        done = subprocess.run([*command, *title], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        shown = "t\\udcff&lt;" if title else "q\\udcff"
        assert f"<title>{shown}</title>" in Path("out.html").read_text()


def test_a_folder_that_is_not_there_is_said_before_any_work(excerpt: Excerpt, files: Path) -> None:
    """Judgments are not even read."""
    Path("q.fol").unlink()
    done = excerpt("report", "q.fol", "r.fol", "--corpus", "docs", "-o", "gone/out.html")
    said = "gone/out.html: cannot be written: no such file or directory; create gone first\n"
    assert (done.status, done.err) == (2, f"excerpt: {said}")


def test_no_folder_of_the_user_is_told(excerpt: Excerpt, files: Path) -> None:
    """Whatever option names a file: the page has its name and its digest, and no folder."""
    secret = files / "secret"
    secret.mkdir()
    given = {
        "qrels": "q.fol",
        "runs": "r.fol",
        "index": "docs.index",
        "corpus": "docs",
        "quantisations": "own.toml",
        "segments": "places.tsv",
        "topics": "topics.tsv",
        "cited": "cited.fol",
        "blocks": "blocks.toml",
        "labels": "labels.tsv",
    }
    for name in ("q.fol", "r.fol"):
        (secret / name).write_text(Path(name).read_text())
    (secret / "cited.fol").write_text(RUN)
    (secret / "docs").mkdir()
    for name in "ABCD":
        (secret / "docs" / f"{name}.xml").write_text(f"<p>{Path('docs', f'{name}.txt').read_text()}</p>")
    assert excerpt("index", secret / "docs", "-o", secret / "docs.index").status == 0
    (secret / "own.toml").write_text('[p]\nscale = "exhaustivity and specificity"\nvalues = {"33" = 1}\n')
    (secret / "places.tsv").write_text("A A 0 50\n")
    (secret / "topics.tsv").write_text("id\ttitle\n1\tOne\n")
    (secret / "labels.tsv").write_text("mine\tOur <b>run</b>\n")
    (secret / "blocks.toml").write_text('[blocks]\nx = "paragraph"\n')
    read = [option for option in parser_of("report").options if option.dest in given]
    assert {option.dest for option in read if option.role == "reads"} == set(given)
    words = [word for option in read for word in (*option.written[-1:], str(secret / given[option.dest]))]
    done = excerpt("report", *words, "-m", "charP", "-o", secret / "out.html")
    assert done.status == 0, done.err
    parts = parts_of((secret / "out.html").read_bytes())
    assert parts["overview"].pop("title") == "secret"  # the name of the folder, and no path
    assert "secret" not in json.dumps(parts)
    assert str(secret) not in (secret / "out.html").read_text()
    made = parts["overview"]["made"]
    assert {item["name"] for item in made["inputs"]} == set(given.values())
    assert all(len(item["sha256"]) == 64 for item in made["inputs"])
    for name in given.values():
        assert name in made["command"].split()
