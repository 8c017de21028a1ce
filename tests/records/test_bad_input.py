"""Rows that are wrong, in files and in Python: one line with the place, status 2, and nothing written."""

from __future__ import annotations

import contextlib
import io
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from support.fuzz.samples import parquet_of
from support.row_forms import FILES, Rows, json_lines

import excerpt
from excerpt import ExcerptError, Judgments, Notices, Result, Run
from excerpt.cli import main

PLACE: dict[str, Any] = {"topic": "q", "document": "A", "start": 4, "end": 13}
SCORED: dict[str, Any] = {**PLACE, "score": 1.5}
GOOD: dict[str, bytes] = {
    "gold.jsonl": json_lines([PLACE]),
    "run.jsonl": json_lines([{**SCORED, "end": 9}]),
}
BOTH = "with different values, expected one of them"
#: A run or judgments, the rows, and what is said.
WRONG: dict[str, tuple[str, Rows, str]] = {
    "no document": (
        "run",
        [{"topic": "q", "start": 4, "end": 9, "score": 1}],
        "key document is missing (also",
    ),
    "two starts": ("run", [{**SCORED, "start_index": 5}], f"found start and start_index {BOTH}"),
    "two ends": ("run", [{**SCORED, "end_char": 9}], f"found end and end_char {BOTH}"),
    "two scores": ("run", [{**SCORED, "rsv": 2.5}], f"found score and rsv {BOTH}"),
    "decimal comma": (
        "run",
        [{**SCORED, "score": "0,5"}],
        'found score "0,5", expected a number; write a decimal',
    ),
    "end before start": (
        "run",
        [{**SCORED, "start": 14}],
        "found end 13 before start 14, expected an end at or",
    ),
    "another case": (
        "run",
        [{"topic": "q", "document": "A", "Start": 4, "score": 1}],
        "found unknown key Start",
    ),
    "a document under another name": (
        "run",
        [{"topic": "q", "docId": "A", "start": 4, "end": 9, "score": 1}],
        "found unknown key docId, expected docid",
    ),
    "no tokens": ("run", [{**SCORED, "tokens": 0, "text": "two three"}], 'found tokens 0 beside "two three"'),
    "two grades": ("gold", [{"topic": "q", "document": "A", "rel": 1, "grade": 0}], f"grade and rel {BOTH}"),
    "maybe": (
        "gold",
        [{"topic": "q", "document": "A", "rel": "maybe"}],
        'found grade "maybe", expected a whole',
    ),
    "fraction": (
        "gold",
        [{"topic": "q", "document": "A", "label": 0.5}],
        "found grade 0.5, expected a whole number",
    ),
    "spans": (
        "gold",
        [{"topic": "q", "document": "A", "spans": [[9, 4]]}],
        "found span end 4 before span start 9",
    ),
    "path": (
        "gold",
        [{"topic": "q", "document": "A", "path": "/a[1]"}],
        "found a path, expected start and end",
    ),
}
COMMANDS: dict[str, list[list[str]]] = {
    "run": [
        ["evaluate", "gold.jsonl", "{}", "-m", "charP"],
        ["compare", "gold.jsonl", "run.jsonl", "{}", "-m", "charP"],
        ["pool", "run.jsonl", "{}", "-o", "made"],
        ["convert", "{}", "made", "--from", "jsonl", "--to", "jsonl"],
        ["check", "{}", "--run-format", "jsonl"],
    ],
    "gold": [
        ["evaluate", "{}", "run.jsonl", "-m", "charP"],
        ["convert", "{}", "made", "--from", "jsonl", "--to", "jsonl"],
        ["check", "{}", "--qrels-format", "jsonl"],
    ],
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a good run and good judgments."""
    monkeypatch.chdir(tmp_path)
    for name, data in GOOD.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def said(command: list[str]) -> tuple[int, str]:
    """Status of a command, and what it says."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(command)
    return status, err.getvalue() + (out.getvalue() if command[0] == "check" else "")


@pytest.mark.parametrize("form", ["JSON Lines", "JSON list", "CSV", "semicolons", "Parquet"])
@pytest.mark.parametrize("case", WRONG)
def test_every_command(case: str, form: str, here: Path) -> None:
    """All of them say the same line, whatever the form of the file."""
    kind, rows, message = WRONG[case]
    data = json_lines(rows) if form == "JSON Lines" else FILES[form].make(rows)
    (here / "f").write_bytes(data)
    first = "f:1" if form == "JSON Lines" else FILES[form].first
    for command in COMMANDS[kind]:
        status, text = said([part.replace("{}", "f") for part in command])
        assert status == 2
        lines = [line for line in text.splitlines() if "warning" not in line]
        assert re.match(f"(excerpt: )?{re.escape(first)}: .*{re.escape(message)}", lines[0]), text
        assert len(lines) == 1 or command[0] == "check"
        assert sorted(file.name for file in here.iterdir()) == ["f", *sorted(GOOD)]


@pytest.mark.parametrize("case", WRONG)
def test_python(case: str) -> None:
    """The same message, with the row."""
    kind, rows, message = WRONG[case]
    given: tuple[Any, Any] = (Judgments.of([PLACE]), rows) if kind == "run" else (rows, Run.of("r", [PLACE]))
    with pytest.raises(ExcerptError) as caught:
        excerpt.evaluate(*given, ["charP"])
    text = str(caught.value)
    assert text.startswith("row 1: ")
    assert message.partition(";")[0] in text


MIXED = [PLACE, {"topic": "q", "document": "B"}]


def test_mixed_rows() -> None:
    """Places in some rows of a run, and grades above 0 without a passage beside passages."""
    position = "the position in the document is missing, expected one, as in"
    with pytest.raises(ExcerptError, match=f"^<bytes>:2: {position} line 1"):
        excerpt.read_run(json_lines(MIXED))
    with pytest.raises(ExcerptError, match=f"^row 2: {position} row 1"):
        Run.of("r", MIXED)
    with pytest.raises(
        ExcerptError, match=r"^<bytes>: row 2: start and end are missing, expected them, as in row 1"
    ):
        excerpt.read_judgments(json.dumps([PLACE, {**MIXED[1], "grade": 2}]).encode())
    rows = [SCORED, {"topic": "q", "document": "A", "spans": [[4, 9]]}]
    with pytest.raises(ExcerptError, match="found spans, which judgments have, expected a result of a run"):
        excerpt.read_run(json_lines(rows))
    with pytest.raises(
        ExcerptError, match="found a row with score, expected judgments; are judgments and run"
    ):
        excerpt.read_judgments(json_lines(rows[::-1]))


TABLES: list[tuple[bytes, str]] = [
    (b"topic,start,end\nq,4,9\n", "<bytes>:2: key document is missing"),
    (
        b"topic,document,start,end,score\nq,A,4,9,0,5\n",
        "<bytes>:2: found 6 columns, expected 5 as in the first row",
    ),
    (
        b"topic,document,start,end,score\nq,A,4\n",
        "<bytes>:2: found 3 columns, expected 5 as in the first row",
    ),
    (
        b"topic;document;start;end\nq;A;4;9,5\n",
        '<bytes>:2: found end "9,5", expected a whole number',
    ),
    (
        b"topic,document,start,start,end\nq,A,4,5,9\n",
        "<bytes>:1: found column start twice, expected each column",
    ),
    (b"topic,document,start,end\n", "<bytes>:1: found a header alone, expected rows after it"),
    (b'topic,document,start,end\nq,"A,4,9\n', "<bytes>:2: found a broken row (unexpected end of data)"),
    (b"Topic,Document,Start,End\nq,A,4,9\n", "<bytes>:2: key topic is missing (also called topic_id, "),
    (b"[]", "<bytes>: found an empty list, expected a list of objects"),
    (
        b'[{"topic": "q"},',
        "<bytes>:1: found JSON that is broken here (Expecting value), expected a list of objects",
    ),
    (b'[{"topic": "q", "document": "A"}, 7]', "<bytes>: row 2: found 7, expected an object"),
    (
        parquet_of([{"topic": "q", "document": "A", "place": {"start": 4, "end": 9}}]),
        "<bytes>: row 1: found start inside of place, expected it in the row itself, or in metadata",
    ),
    (parquet_of([{**PLACE, "start": [4]}]), "<bytes>: row 1: found start [4], expected a whole number"),
    (
        parquet_of([{**PLACE, "topic": b"q"}]),
        "<bytes>: row 1: found topic b'q', expected a string or a whole",
    ),
    (parquet_of([PLACE])[:60], "<bytes>: found a broken Parquet file, expected a table"),
    (parquet_of([]), "<bytes>: the file is empty, expected a run or judgments"),
]


@pytest.mark.parametrize(("data", "message"), TABLES)
def test_tables(data: bytes, message: str) -> None:
    """Tables that are none, as a run and as judgments."""
    read: Any
    for read in (excerpt.read_run, excerpt.read_judgments):
        with pytest.raises(ExcerptError) as caught:
            read(data, format="jsonl")
        assert str(caught.value).startswith(message) or "found unknown key Topic" in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        "\ufefftopic,document,start,end\nq,A,4,9\n".encode(),
        b"topic,document,start,end\r\nq,A,4,9\r\n",
        b"\n\ntopic,document,start,end\n\nq,A,4,9\n\n",
        b",topic,document,start,end\n0,q,A,4,9\n",
        b"topic,document,start,end,,\nq,A,4,9,,\n",
        b"topic, document, start, end\nq, A, 4, 9\n",
        b'"topic";"document";"start";"end"\n"q";"A";"4";"9"\n',
        b"topic\tdocument\tstart\tend\nq\tA\t4.0\t9.0\n",
        b"topic,document,offset,length\nq,A,4,+5\n",
        parquet_of(
            [{"topic": "q", "metadata": {"source": "A", "start": 4, "end": 9}, "vector": [0.5, 0.25]}]
        ),
    ],
)
def test_tables_as_programs_write_them(data: bytes) -> None:
    """Marks, ends and blanks of other programs are passed over."""
    assert list(excerpt.read_run(data, notices=Notices())) == [Result("q", "A", 4, 9)]
    assert excerpt.read_judgments(data, notices=Notices()).highlights("q") == [("A", 4, 9)]


def test_decimals_of_databases() -> None:
    """A number is read alike, whatever its type."""
    data = parquet_of([{"topic": "q", "document": "A", "start": Decimal("4.0"), "end": Decimal("9.0")}])
    assert list(excerpt.read_run(data)) == [Result("q", "A", 4, 9)]


@pytest.mark.parametrize("end", [b",", b"\t", b";"])
def test_judgments_of_beir(end: bytes) -> None:
    """Its score is a grade, whatever separates the columns."""
    data = end.join([b"query-id", b"corpus-id", b"score\nq"]) + end + b"A" + end + b"2\n"
    judgments = excerpt.read_judgments(data)
    assert judgments.grades is not None
    assert (judgments.grades.tolist(), judgments.documents) == ([2], ("A",))
    rows = json_lines([{"query-id": "q", "corpus-id": "A", "score": 2}])
    assert excerpt.read_judgments(rows).grades == judgments.grades


def test_a_last_line_without_a_line_break(here: Path) -> None:
    """A file that was cut inside its last number looks whole; what is no file, and JSON, has no such line."""
    line = b"1 Q0 A 1 0.5 r 0 12"
    for name, data, cut in (
        ("whole.fol", line + b"\n", False),
        ("cut.fol", line, True),
        ("cut.csv", b"topic,document,start,end\nq,A,0,1", True),
        ("cut.jsonl", json.dumps(PLACE).encode(), False),
        ("cut.xml", b"<inex-submission run-id='r'></inex-submission>", False),
    ):
        (here / name).write_bytes(data)
        notices = Notices()
        excerpt.read_run(name, notices=notices)
        found = f"the last line has no line break; is the file complete? ({name})" in list(notices)
        assert found == cut, name
    notices = Notices()
    excerpt.read_run(line, notices=notices)
    assert list(notices) == []
    (here / "cut.fol").write_bytes(line[: line.rindex(b" ")])
    with pytest.raises(ExcerptError):
        excerpt.evaluate("gold.jsonl", "cut.fol", ["charP"])


TEXTS = {"A": "One two three four."}


@pytest.mark.parametrize("text", ["text", "body", "contents", "content", "page_content", "passage", "chunk"])
@pytest.mark.parametrize("document", ["document", "doc_id", "file_name", "parent_id", "source", "url"])
def test_rows_with_a_text_and_no_place_are_chunks(text: str, document: str) -> None:
    """With the documents they are located; without them they are an error, and never whole documents."""
    rows = [{"topic": "q", document: "A", text: "two three"}]
    gold = Judgments.of([("q", "A", 0, 3)], sizes={"A": 19})
    for given in (json_lines(rows), FILES["CSV"].make(rows), FILES["Parquet"].make(rows), rows):
        scores = excerpt.evaluate(gold, given, ["charP", "charR"], corpus=TEXTS)
        assert list(scores[scores.runs[0]].values()) == [0, 0]
        with pytest.raises(ExcerptError, match=r"place\(chunks\) locates texts, and so does corpus="):
            excerpt.evaluate(gold, given, ["charP", "charR"])


def test_paths_of_rows_in_python(tmp_path: Path) -> None:
    """With an index they become spans, as those of files do."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "A.xml").write_text(
        "<article><p>One two</p><p>three</p></article>", encoding="utf-8"
    )
    excerpt.build_index(tmp_path / "docs", tmp_path / "index")
    rows = [{"topic": "q", "document": "A", "path": "/article[1]/p[1]"}]
    gold = Judgments.of([("q", "A", 0, 7)], sizes={"A": 12})
    for given in (rows, json_lines(rows)):
        scores = excerpt.evaluate(gold, given, ["charP", "charR"], index=tmp_path / "index")
        assert list(scores[scores.runs[0]].values()) == [1, 1]


def test_graded_rows_are_no_run() -> None:
    """Also in Python; a run may have grades beside its scores."""
    rows = [{"topic": "q", "document": "A", "relevance": 1}]
    for given in (rows, [{**rows[0], "start": 0, "end": 5}]):
        with pytest.raises(
            ExcerptError, match=r"row 1: found relevance, which judgments have, expected a result"
        ):
            excerpt.evaluate(rows, {"mine": given}, "articleAP")
        with pytest.raises(ExcerptError, match="found relevance, which judgments have"):
            excerpt.pool({"mine": given})
    scored = [{**rows[0], "score": 0.5}]
    assert excerpt.evaluate(rows, scored, "articleAP", notices=Notices()).means().tolist() == [[1.0]]


@pytest.mark.parametrize("text", [["two", "three"], 7, {"two": 3}])
def test_a_text_that_is_none_makes_no_document(text: Any) -> None:
    """A row with it is a part of its document, and nobody knows which."""
    row = {"topic": "q", "document": "A", "text": text, "score": 1}
    for given in ([row], json_lines([row])):
        with pytest.raises(ExcerptError, match="as text, expected text"):
            excerpt.evaluate([PLACE], given, "charP", corpus={"A": "One two three four."})
    assert len(Run.of("r", [{**row, "start": 0, "end": 5}], notices=Notices())) == 1


@pytest.mark.parametrize(
    "key",
    [
        *("cost", "host", "last", "list", "post", "leads", "token_ids", "star", "context", "comments"),
        *("full_text", "raw_text", "clean_html_content", "questions", "chunks", "texts"),
    ],
)
def test_usual_metadata_beside_a_place(key: str) -> None:
    """They are noted, not refused."""
    run = Run.of("r", [{**SCORED, key: "x"}], notices=(notices := Notices()))
    assert len(run) == 1
    assert list(notices) == [f"unknown keys are ignored: {key}"]
