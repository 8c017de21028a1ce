"""Runs in JSON lines: spans, paths and whole documents."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable

import pytest

from excerpt.errors import FormatError, MissingData
from excerpt.formats.runs import jsonl
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Result, Run

Open = Callable[..., Source]


def lines(*objects: dict[str, object]) -> str:
    """Objects as lines."""
    return "".join(json.dumps(one) + "\n" for one in objects)


def result(**fields: object) -> dict[str, object]:
    """A result of topic 1 and document A."""
    return {"topic": "1", "document": "A", **fields}


LOST = "LlamaIndex writes null if a chunk does not occur in its document; corpus.place(chunks) locates chunks"
FULL = {
    "topic": "1",
    "document": "A",
    "start": 0,
    "end": 50,
    "score": 1.2,
    "rank": 1,
    "run": "name",
    "path": "/article[1]",
}


def test_all_keys(opened: Open) -> None:
    """The line of the documentation; extra keys are ignored."""
    run = jsonl.read(opened(lines({**FULL, "text": "…", "nested": {"a": [1]}})))
    assert (run.name, run.kind) == ("name", "spans")
    assert list(run) == [Result("1", "A", 0, 50, 1.2, "/article[1]")]
    assert (run.rank.tolist(), run.line.tolist()) == ([1], [1])


def test_other_spellings(opened: Open) -> None:
    """Query and doc, ids as numbers, offset and length, null for nothing."""
    run = jsonl.read(
        opened(
            lines(
                {"query": 7, "doc": 12, "offset": 3, "length": 4, "score": None},
                result(start=1, end=1, score=2),
            )
        )
    )
    assert list(run) == [Result("7", "12", 3, 7), Result("1", "A", 1, 1, 2.0)]
    assert (run.name, run.rank.tolist()) == ("f", [-1, -1])


def test_whole_documents(opened: Open) -> None:
    """A file without any position is a run of documents."""
    run = jsonl.read(opened(lines(result(score=2), result(document="B"))))
    assert run.kind == "documents"
    assert (run.start.tolist(), run.end.tolist()) == ([0, 0], [1, 1])


def test_paths(opened: Open, index: OffsetIndex) -> None:
    """Paths become spans through the index; lines that have both keep their own span."""
    text = lines(
        result(path="/article[1]/bdy[1]"),
        result(path="/article[1]/name[1]  /article[1]/bdy[1]/p[1]"),
        result(path="/x[1]"),
        result(path="/article[1]", start=2, end=3),
        result(start=4, end=5),
    )
    run = jsonl.read(opened(text))
    assert run.kind == "elements"
    assert run.start.tolist() == [-1, -1, -1, 2, 4]
    assert run[1].path == "/article[1]/name[1] /article[1]/bdy[1]/p[1]"
    run = jsonl.read(opened(text, index=index))
    assert run.kind == "spans"
    assert run.start.tolist() == [5, 0, -1, 2, 4]
    assert run.end.tolist() == [22, 20, -1, 3, 5]


def test_text_that_does_not_exist(opened: Open) -> None:
    """Start and end of -1 are a result that does not exist; nothing else that is negative is allowed."""
    assert jsonl.read(opened(lines(result(start=-1, end=-1))))[0] == Result("1", "A", -1, -1)
    for start, end in ((-1, 5), (-2, -2), (-1.5, -1)):
        with pytest.raises(FormatError):
            jsonl.read(opened(lines(result(start=start, end=end))))


def test_mixing_documents_and_spans_is_a_fault(opened: Open) -> None:
    """The lines that differ from the first are named."""
    source = opened("\n" + lines(result(start=1, end=2), result(), result(path="/a[1]"), result()), keep=True)
    jsonl.read(source)
    assert [str(fault) for fault in source.faults.found] == [
        f"f:{line}: the position in the document is missing, expected one, as in line 2" for line in (3, 5)
    ]
    with pytest.raises(FormatError) as caught:
        jsonl.read(opened(lines(result(), result(start=1, end=2))))
    assert str(caught.value) == "f:2: found a position in the document, expected none, as in line 1"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"document": ""}, 'found document "", expected a string or a whole number'),
        ({"topic": 1.5}, "found topic 1.5, expected a string or a whole number"),
        ({"start": 1.5}, "found start 1.5, expected a whole number"),
        ({"end": True}, "found end true, expected a whole number"),
        (
            {"end": None},
            f"found end null next to start, expected a whole number; {LOST}",
        ),
        ({"rank": "1"}, 'found rank "1", expected a whole number'),
        ({"score": float("nan")}, "found score NaN, expected a number"),
        ({"path": "a"}, "found path 'a', expected one such as /article[1]/p[2]"),
        ({"path": 5}, "found path '5', expected one such as /article[1]/p[2]"),
        (
            {"path": "/a[1] /b[1] /c[1]"},
            "found path '/a[1] /b[1] /c[1]', expected one such as /article[1]/p[2]",
        ),
        ({"run": []}, "found run [], expected a string or a whole number"),
    ],
)
def test_faults(opened: Open, fields: dict[str, object], message: str) -> None:
    """Each fault is the only one and has its line."""
    source = opened(lines(FULL, {**FULL, **fields}), keep=True)
    jsonl.read(source)
    assert [str(fault) for fault in source.faults.found] == [f"f:2: {message}"]


def test_several_faults_of_a_line(opened: Open) -> None:
    """They come in the order of their importance, whatever the order of the keys."""
    source = opened(lines({"rank": 1.5, "score": "x", "topic": True, "document": "A"}), keep=True)
    jsonl.read(source)
    assert [str(fault) for fault in source.faults.found] == [
        "f:1: found topic true, expected a string or a whole number",
        'f:1: found score "x", expected a number',
        "f:1: found rank 1.5, expected a whole number",
    ]


def test_names_and_blocks(opened: Open) -> None:
    """Several names and topics in several blocks are mentioned."""
    source = opened(lines(*({**FULL, "topic": topic, "run": f"r{topic}"} for topic in (1, 2, 1))))
    assert jsonl.read(source).name == "r1"
    assert list(source.notices) == [
        "1 topic has its results in several blocks, which are joined (topic 1 of f)",
        "the run has 2 names; the first is used (f)",
    ]


def test_recognise(opened: Open) -> None:
    """Lines of a run; not lines of judgments, columns or XML."""
    assert jsonl.recognise(opened(lines(FULL, FULL))) == 4
    assert jsonl.recognise(opened(lines(result()))) == 1
    for other in (lines(result(spans=[])), "1 Q0 A 1 1 r\n", "<inex-submission/>"):
        assert jsonl.recognise(opened(other)) == 0


def test_write() -> None:
    """Only what is known is written; ids stay as they are."""
    stream = io.BytesIO()
    jsonl.write(Run.of("r", [Result("1", "a b", 0, 5, 1.5), Result("ä", "B", -1, -1, None, "/a[1]")]), stream)
    assert stream.getvalue().decode().splitlines() == [
        '{"topic": "1", "document": "a b", "start": 0, "end": 5, "score": 1.5, "run": "r"}',
        '{"topic": "ä", "document": "B", "start": -1, "end": -1, "path": "/a[1]", "run": "r"}',
    ]


def test_entry_points_cannot_be_written() -> None:
    """An entry point is not a span."""
    with pytest.raises(
        MissingData, match=r"^r: format jsonl needs text spans; the run has entry points; try format=\"bep\"$"
    ):
        jsonl.write(Run.of("r", [Result("1", "A", 5, 5)], kind="entry points"), io.BytesIO())


def test_keys_that_make_a_line_meaningless(opened: Open) -> None:
    """A place, or a document, under a name that is not known is not passed over as if it were not there."""
    line = '{"topic": 1, "document": "A", "start_pos": 3, "end_pos": 9, "score": 1}\n'
    with pytest.raises(FormatError) as caught:
        jsonl.read(opened(line * 2))
    assert caught.value.message == "found unknown key start_pos, expected start"
    with pytest.raises(
        FormatError, match=r"key document is missing \(also called .*\); the row has topic, title, score"
    ):
        jsonl.read(opened('{"topic": 1, "title": "x", "score": 1}\n'))


def test_the_usual_spellings(opened: Open) -> None:
    """Lines of other tools are read as ours are."""
    theirs = '{"query_id": "1", "doc_id": "A", "start_index": 3, "end_index": 9, "score": 1.5}\n'
    ours = '{"topic": "1", "document": "A", "start": 3, "end": 9, "score": 1.5}\n'
    assert list(jsonl.read(opened(theirs * 3))) == list(jsonl.read(opened(ours * 3)))


def test_keys_that_do_no_harm(opened: Open) -> None:
    """Other keys are named once, whichever way their lines were read."""
    source = opened(
        '{"topic": 1, "document": "A", "score": 1, "tokens": "x"}\n'
        '{"topic": 1, "document": "B", "score": 1, "tokens": "a \\" b", "title": "y"}\n'
    )
    assert jsonl.read(source).kind == "documents"
    whole = "2 results have no offsets and no paths, and are whole documents (first: f)"
    assert list(source.notices) == ["unknown keys are ignored: title, tokens (f)", whole]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ('"start": 3, "start_index": 4, "end": 9', "found start and start_index with different values"),
        ('"end": 9, "end_index": 8, "start": 3', "found end and end_index with different values"),
        ('"start": 3, "length": 8', "found start and length, expected start and end, or offset and length"),
        ('"text": "some words"', "found text without its offsets, expected start and end"),
        ('"page_content": "some words"', "found text without its offsets, expected start and end"),
    ],
)
def test_places_that_leave_doubts(opened: Open, place: str, message: str) -> None:
    """Two values for one thing, half a place, and text without its place are refused."""
    with pytest.raises(FormatError, match=message) as caught:
        jsonl.read(opened(f'{{"topic": 1, "document": "A", "score": 1, {place}}}\n' * 2))
    assert caught.value.line == 1


def test_two_spellings_that_agree(opened: Open) -> None:
    """Equal values under two spellings are accepted, as are the words of a query next to its id."""
    line = '{"query_id": 1, "query": "why", "document": "A", "start": 3, "start_index": 3, "end": 9}\n'
    assert list(jsonl.read(opened(line))) == [Result("1", "A", 3, 9)]


def test_infinite_scores_are_json(opened: Open) -> None:
    """Infinite scores are written as standard JSON, and read back the same."""
    stream = io.BytesIO()
    jsonl.write(Run.of("r", [Result("1", "A", 0, 9, float("inf")), Result("1", "B", 0, 9, -1e400)]), stream)
    assert b"Infinity" not in stream.getvalue()
    assert jsonl.read(opened(stream.getvalue())).score.tolist() == [float("inf"), float("-inf")]


def test_what_results_cost_and_what_is_lost_is_read_and_written(opened: Open) -> None:
    """Costs of every line are columns; lost text has a length and no place; both come back."""
    lines = (
        '{"topic": "1", "document": "A", "start": 0, "end": 9, "tokens": 3, "words": 2, "run": "r"}\n'
        '{"topic": "1", "document": "A", "start": -1, "end": -1, "lost": 40, "tokens": 9, "words": 8, '
        '"run": "r"}\n'
    )
    run = jsonl.read(opened(lines))
    assert run.text.lost is not None
    assert run.text.lost.tolist() == [0, 40]
    assert {name: costs.tolist() for name, costs in run.text.costs.items()} == {
        "tokens": [3, 9],
        "words": [2, 8],
    }
    written = io.BytesIO()
    jsonl.write(run, written)
    assert written.getvalue().decode() == lines


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            '{"topic": 1, "document": "A", "start": null, "end": null}',
            "found start null, expected a whole number; LlamaIndex writes null",
        ),
        (
            '{"topic": 1, "document": "A", "start": -1, "end": 5}',
            "found start -1, expected a number that is not negative; LangChain",
        ),
        (
            '{"topic": 1, "document": "A", "start": 0, "end": 5, "lost": 3}',
            "found lost 3 and offsets, expected",
        ),
        (
            '{"topic": 1, "document": "A", "start": 0, "end": 5, "tokens": 1.5}',
            "found tokens 1.5, expected a whole",
        ),
    ],
)
def test_places_and_costs_that_are_none(opened: Open, line: str, said: str) -> None:
    """Values that tools write for missing offsets are named."""
    with pytest.raises(FormatError, match=re.escape(said)):
        jsonl.read(opened(line + "\n"))


def test_costs_that_some_lines_lack(opened: Open) -> None:
    """Incomplete costs are ignored with a warning; lists of words are no number of words."""
    source = opened(
        '{"topic": 1, "document": "A", "start": 0, "end": 5, "tokens": 3, "words": ["a"]}\n'
        '{"topic": 1, "document": "A", "start_index": 9, "page_content": "abc"}\n'
    )
    run = jsonl.read(source)
    assert (dict(run.text.costs), run.end.tolist()) == ({}, [5, 12])
    assert list(source.notices) == [
        "1 result has no tokens; the column tokens is ignored (f)",
        "unknown keys are ignored: words (f)",
    ]
