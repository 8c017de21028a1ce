"""excerpt check: one file or many, every fault by line."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from .conftest import Excerpt


def test_check(files: Path, excerpt: Excerpt) -> None:
    """A good file is described; every fault of a bad one is listed by line."""
    good = excerpt("check", "run")
    assert (good.status, good.out) == (
        0,
        "run: a run of spans, mine: 6 results, 2 topics, 5 documents; no faults\n",
    )
    assert "judgments: 3 topics, 2 with relevant text; 5 judged documents" in excerpt("check", "qrels").out
    (files / "run").write_text(
        (files / "run").read_text() + "1 Q0 A x 9 mine 0\n1 Q0 A 9 nan mine -3 5\n2 Q0 D 3 7 mine 0 a\n"
    )
    bad = excerpt("check", "run")
    assert bad.status == 2
    assert bad.out.splitlines() == [
        "run:7: found 7 columns, expected 8 (topic Q0 document rank score tag offset length)",
        "run:8: found offset '-3', expected a number that is not negative",
        "run:8: found score 'nan', expected a number",
        "run:9: found length 'a', expected a whole number",
    ]
    assert excerpt("check", "run", "--most", "1").out.splitlines()[1] == "... and 3 more"


def test_check_with_an_index(files: Path, corpus: Path, excerpt: Excerpt) -> None:
    """With an index, documents, paths and ends are checked."""
    excerpt("index", corpus, "-o", "idx")
    (files / "run").write_text("1 Q0 A 1 9 mine 20 3\n1 Q0 Z 2 8 mine 0 3\n")
    assert excerpt("check", "run", "--index", "idx").out.splitlines() == [
        "run:1: found end 23, expected at most 22, the length of document A",
        "run:2: found document Z, expected one of the index",
    ]
    (files / "run").write_text("1 Q0 A 1 9 mine /article[1]/p[7]\n")
    assert excerpt("check", "run", "--index", "idx").out.startswith(
        "run:1: found path /article[1]/p[7], expected one that document A has"
    )


def test_many_files(files: Path, excerpt: Excerpt) -> None:
    """Folders and lists are replaced by their files; after an unreadable file the others are checked."""
    (files / "runs").mkdir()
    (files / "runs" / "a").write_text((files / "run").read_text())
    (files / "runs" / "b").write_text("")
    (files / "list").write_text("run\nqrels\n")
    done = excerpt("check", "runs", "@list", "nothing")
    assert done.status == 2
    assert [line.split(":")[0] for line in done.out.splitlines()] == [
        "runs/a",
        "runs/b",
        "run",
        "qrels",
        "nothing",
        "5 files",
    ]
    assert done.out.splitlines()[-1] == "5 files: 2 runs, 1 with judgments, 2 with 2 faults"
    sound = excerpt("check", "@list")
    assert (sound.status, sound.out.splitlines()[-1]) == (0, "2 files: 1 run, 1 with judgments, no faults")
    assert excerpt("check", "nothing").err == "excerpt: nothing: cannot be read: no such file or directory\n"


def test_json(files: Path, excerpt: Excerpt) -> None:
    """Faults are printed as JSON."""
    (files / "bad").write_text((files / "run").read_text() + "1 Q0 A x y mine 0 5\n")
    done = excerpt("check", "run", "bad", "nothing", "--format", "json", "--most", "1")
    good, bad, missing = json.loads(done.out)["files"]
    assert done.status == 2
    assert (good["file"], good["faults"], good["count"]) == ("run", [], 0)
    assert good["summary"].startswith("a run of spans, mine: 6 results")
    assert (bad["count"], len(bad["faults"]), bad["faults"][0]["line"]) == (2, 1, 7)
    assert (missing["file"], missing["count"]) == ("nothing", 1)


def test_formats_of_the_input(files: Path, excerpt: Excerpt) -> None:
    """--run-format and --qrels-format say how to read; --format is of what is printed."""
    assert excerpt("check", "run", "--run-format", "trec").out.startswith("run: a run of documents")
    assert excerpt("check", "run", "--qrels-format", "fol").status == 2
    for option in ("--run-format", "--qrels-format"):
        assert excerpt("check", "run", option, "nosuch").err.startswith("excerpt: unknown ")
    assert excerpt("check", "run", "--format", "fol").err.startswith(
        "excerpt: argument --format: found 'fol'"
    )
    both = excerpt("check", "run", "--run-format", "fol", "--qrels-format", "fol")
    assert (both.status, both.err.count("\n")) == (2, 1)


def test_a_limit_for_compressed_files(files: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that unpack to more than allowed are rejected; the option allows more."""
    monkeypatch.setenv("EXCERPT_MAX_SIZE", "100")
    (files / "run.gz").write_bytes(gzip.compress((files / "run").read_bytes()))
    refused = excerpt("check", "run.gz")
    assert refused.status == 2
    assert "run.gz: gzip data unpacks to more than 100 bytes" in refused.err
    assert excerpt("check", "run.gz", "--max-size", "1M").status == 0
    assert "expected a size such as 500M" in excerpt("check", "run.gz", "--max-size", "much").err


def test_only_files_are_checked(monkeypatch: pytest.MonkeyPatch, excerpt: Excerpt) -> None:
    """Errors in standard input, which cannot be read again, have no hint to check it."""
    bad = io.BytesIO(b"1 Q0 A 1 1 r 0 5\n1 Q0 A x 1 r 5 5\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(bad))
    done = excerpt("convert", "-", "-", "--to", "jsonl")
    assert done.status == 2
    assert "<stdin>:2: found rank 'x'" in done.err
    assert "excerpt check" not in done.err


FOUND = """<inex-submission run-id="mine"{}>
<topic topic-id="7">
<result><file>A</file><path>/article[1]/p[1]</path></result>
<result><file>B</file><path>/article[1]/p[1]</path></result>
<result><file>A</file><path>/article[1]/p[1]/b[1]</path></result>
<result><file>A</file><path>/article[1]/p[2]</path></result>
</topic>
</inex-submission>
"""
AGAIN = "x:5: topic 7: found document A again after another one, expected the results of a document to be adj"
INSIDE = (
    "x:5: topic 7: found /article[1]/p[1]/b[1] of document A overlapping /article[1]/p[1] of line 3, expec"
)
SECOND = "topic 7: found a second result of document A, expected one in a best-in-context run"


@pytest.mark.parametrize(
    ("declared", "given", "faults"),
    [
        ("", (), []),
        ("", ("--task", "thorough"), []),
        ("CO.Thorough", (), []),
        ("CO.Focused", (), [INSIDE]),
        ("", ("--task", "focused"), [INSIDE]),
        ("Focused ", ("--task", "focused"), [INSIDE]),
        ("Relevant in Context", (), [AGAIN, INSIDE]),
        ("BestInContext", (), [f"x:5: {SECOND}", f"x:6: {SECOND}"]),
        ("adhoc", (), []),
        ("adhoc", ("--task", "best-in-context", "--most", "1"), [f"x:5: {SECOND}", "... and 1 more"]),
    ],
)
def test_tasks(
    files: Path, excerpt: Excerpt, declared: str, given: tuple[str, ...], faults: list[str]
) -> None:
    """A run is held against the task that it declares, or against the one given."""
    (files / "x").write_text(FOUND.format(f' task="{declared}"' if declared else ""))
    done = excerpt("check", "x", *given)
    assert done.status == (2 if faults else 0)
    found = [line for line in done.out.splitlines() if "no faults" not in line]
    assert [line[: len(fault)] for line, fault in zip(found, faults, strict=True)] == faults
    assert ("task adhoc is unknown; its rules are not checked" in done.err) == (
        declared == "adhoc" and not given
    )


def test_tasks_of_offsets(files: Path, excerpt: Excerpt) -> None:
    """Overlap is a fault of the task instead of a warning; the year limits the results of a topic."""
    (files / "x").write_text("1 Q0 A 1 9 r 0 10\n1 Q0 A 2 8 r 9 2\n")
    assert "overlapping" in excerpt("check", "x").err
    done = excerpt("check", "x", "--task", "focused", "--format", "json")
    assert (done.status, done.err) == (2, "")
    assert json.loads(done.out)["files"][0]["faults"] == [
        {
            "line": 2,
            "message": "x:2: topic 1: found [9, 11) of document A overlapping [0, 10) of line 1, "
            "expected no common text in a focused run",
        }
    ]
    (files / "x").write_text("1 Q0 A 1 9 r\n1 Q0 A 2 8 r\n")
    assert excerpt("check", "x", "--task", "focused").out == (
        "x:2: topic 1: found all of document A overlapping all of line 1, "
        "expected no common text in a focused run\n"
    )
    (files / "x").write_text("".join(f"1 Q0 D{n} {n} -{n} r 0 10\n" for n in range(101)))
    assert excerpt("check", "x", "--task", "focused").status == 0
    assert excerpt("check", "x", "--year", "2003").status == 0
    assert excerpt("check", "x", "--year", "2002").out == (
        "x:101: topic 1: found 101 results, expected at most 100\n"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("x", "--task", "thorough"), "x: the run declares task Focused, not thorough"),
        (("qrels", "--task", "focused"), "qrels: tasks and years are for runs, but the file has judgments"),
        (("qrels", "--year", "2002"), "qrels: tasks and years are for runs, but the file has judgments"),
        (("y", "--task", "focused"), "y: task focused needs text, but the run has entry points only"),
        (("x", "--task", "best"), "argument --task: found 'best', expected one of: "),
        (("x", "--year", "1999"), "argument --year: found '1999', expected a whole number from 2002 to 2014"),
    ],
)
def test_tasks_that_do_not_fit(files: Path, excerpt: Excerpt, given: tuple[str, ...], message: str) -> None:
    """One line, and status 2."""
    (files / "x").write_text(FOUND.format(' task="Focused"'))
    (files / "y").write_text("1 Q0 A 1 9 r 100\n1 Q0 B 2 8 r 5\n")
    done = excerpt("check", *given)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"excerpt: {message}")


GRADED = """<assessments topic="{}"><file file="A">
<path path="/article[1]" relevance="2" coverage="L"/>
<path path="/article[1]/bdy[1]" relevance="2" coverage="E"/>
<path path="/article[1]/bdy[1]/p[1]" relevance="3" coverage="E"/>
</file><file file="B"><path path="/article[1]" relevance="{}" coverage="{}"/></file></assessments>
"""


def test_statistics_of_highlights(files: Path, corpus: Path, excerpt: Excerpt) -> None:
    """Tables after the summary; with an index also elements by tag."""
    (files / "qrels").write_text("1 Q0 A 17 22 5 5:17\n1 Q0 B 0 8\n2 Q0 A 0 22\n")
    excerpt("index", corpus, "-o", "idx")
    done = excerpt("check", "qrels", "--statistics", "--index", "idx")
    assert (done.status, done.err) == (0, "")
    assert [line.rstrip() for line in done.out.splitlines()[1:]] == [
        "",
        "                    total  least  median  most",
        "----------------------------------------------",
        "topics              2",
        "documents           3      1      1.5     2",
        "relevant documents  1      0      0.5     1",
        "passages            1      0      0.5     1",
        "characters          17     0      8.5     17",
        "elements            5",
        "",
        "tag  fully highlighted  proportion",
        "----------------------------------",
        "p    2                      0.5000",
        "b    1                      0.2500",
        "bdy  1                      0.2500",
        "all  4                      1.0000",
    ]


def test_statistics_of_grades(files: Path, excerpt: Excerpt) -> None:
    """Files of one topic each are counted together."""
    (files / "graded").mkdir()
    (files / "graded" / "31").write_text(GRADED.format(31, 3, "E"))
    (files / "graded" / "32").write_text(GRADED.format(32, 0, "N"))
    done = excerpt("check", "graded", "--statistics", "--format", "json")
    found = json.loads(done.out)
    assert [file["file"] for file in found.pop("files")] == ["graded/31", "graded/32"]
    spread = {"least": 2, "median": 2, "most": 2}
    none = {"least": 0, "median": 0, "most": 0}
    assert found == {
        "topics": 2,
        "documents": 4,
        "relevant_documents": 3,
        "passages": 0,
        "characters": 0,
        "elements": 8,
        "grades": {"3E": 3, "2E": 2, "2L": 2, "0N": 1},
        "article_level": {"3E": 1, "2L": 2, "0N": 1},
        "below_article_level": {"3E": 2, "2E": 2},
        "exact_below_article_level": 0.8,
        "fully_highlighted": None,
        "per_topic": {
            "documents": spread,
            "relevant_documents": {"least": 1, "median": 1.5, "most": 2},
            "passages": none,
            "characters": none,
        },
    }
    assert excerpt("check", "graded", "--statistics").out.endswith(
        "grade  all  article level  below\n"
        "--------------------------------\n"
        "3E     3    1              2\n"
        "2E     2    0              2\n"
        "2L     2    2              0\n"
        "0N     1    1              0\n"
        "all    8    4              4\n"
        "\n"
        "proportion of the exact elements that are below article level: 0.8000\n"
    )


def test_statistics_of_questions(files: Path, excerpt: Excerpt) -> None:
    """Gold files that number their questions from 1 are told apart by their names."""
    for name in ("a", "b"):
        snippet = {"file_path": "A", "span": [3, 9]}
        (files / f"{name}.json").write_text(
            json.dumps({"tests": [{"query": "When?", "snippets": [snippet]}]})
        )
    done = excerpt("check", "./a.json", "./b.json", "--statistics", "--format", "json")
    found = json.loads(done.out)
    assert (found["topics"], found["passages"], found["characters"]) == (2, 2, 12)


def test_statistics_of_many_tags(files: Path, excerpt: Excerpt) -> None:
    """The table has the twenty most frequent tags, JSON all of them."""
    listed = "".join(
        f'<element path="/a[1]/t{n}[1]" exhaustivity="1" size="9" rsize="9"/>' for n in range(23)
    )
    (files / "x").write_text(f'<assessments topic="1"><file name="A">{listed}</file></assessments>')
    assert [line.split() for line in excerpt("check", "x", "--statistics").out.splitlines()[-2:]] == [
        ["(others)", "3", "0.1304"],
        ["all", "23", "1.0000"],
    ]
    found = json.loads(excerpt("check", "x", "--statistics", "--format", "json").out)
    assert found["fully_highlighted"] == {f"t{n}": 1 for n in range(23)}
    assert found["grades"] == {"1": 23}
    (files / "x").write_text((files / "x").read_text().replace("/t0[", "/all["))
    rows = [line.split()[:2] for line in excerpt("check", "x", "--statistics").out.splitlines()]
    assert ["all", "1"] in rows
    assert ["all", "23"] in rows


def test_statistics_that_cannot_be(files: Path, excerpt: Excerpt) -> None:
    """Runs have none, one line says so; judgments with faults have none either."""
    done = excerpt("check", "run", "--statistics")
    expected = "excerpt: run: --statistics is for judgments, but the file has a run\n"
    assert (done.status, done.out, done.err) == (2, "", expected)
    again = excerpt("check", "qrels", "qrels", "--statistics", "--format", "json")
    assert (again.status, again.out) == (2, "")
    assert (
        again.err
        == "excerpt: qrels: found topic 1 again, expected it only in qrels; keep one of the two assessments\n"
    )
    (files / "trec").write_text("9 0 A 1\n")
    mixed = "excerpt: judgments of whole documents and judgments of text cannot be combined\n"
    assert excerpt("check", "qrels", "trec", "--statistics").err == mixed
    (files / "qrels").write_text("1 Q0 A 0 9\n1 Q0 A 0 9\n")
    bad = excerpt("check", "qrels", "--statistics", "--format", "json")
    assert (bad.status, list(json.loads(bad.out))) == (2, ["files"])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "1\tgreek letters\n2\ttags\n",
            "a file of topics, expected a run or judgments; excerpt topics reads",
        ),
        ("\ufeffCU1\tWhat?\n", "a file of topics"),
        ("1\t5\n2\t7\n", "expected a run or judgments in a known format"),
        ("one\ttwo\tthree\n", "expected a run or judgments in a known format"),
    ],
)
def test_a_table_of_topics_is_known(files: Path, excerpt: Excerpt, content: str, expected: str) -> None:
    """It is no run and no judgments; the command for it is named. Other tables are not called so."""
    (files / "topics.tsv").write_text(content, encoding="utf-8")
    done = excerpt("check", "topics.tsv")
    assert (done.status, expected in done.out + done.err) == (2, True), done.out + done.err


@pytest.mark.parametrize("lines", ["1 Q0 A 0 4000 -1\n", "1 Q0 A 0 4000 -1\n2 Q0 B 0 400 -1\n"])
def test_documents_without_an_entry_point_are_judgments(files: Path, excerpt: Excerpt, lines: str) -> None:
    """Six columns with -1 at the end are no run of that name."""
    (files / "six").write_text(lines)
    done = excerpt("check", "six")
    assert done.status == 0
    assert "0 with relevant text" in done.out
    (files / "six").write_text("1 Q0 A 1 12.5 mine\n1 Q0 B 2 11.5 mine\n")
    assert "a run of documents, mine" in excerpt("check", "six").out
