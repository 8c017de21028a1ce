"""One JSON mapping of mappings: the qrels and runs of ranx."""

from __future__ import annotations

import json

import pytest

from excerpt import check, evaluate, read_judgments, read_run
from excerpt.errors import ExcerptError, FormatError

QRELS = b'{"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}'
RUN = b'{"q1": {"d1": 0.5, "d2": 0.75}, "q2": {"d3": 1e-2}}'


def test_scores_are_those_of_trec_files() -> None:
    """The same entries as TREC lines give the same scores."""
    qrels = "".join(f"{q} 0 {d} {g}\n" for q, some in json.loads(QRELS).items() for d, g in some.items())
    run = "".join(f"{q} Q0 {d} 0 {s} r\n" for q, some in json.loads(RUN).items() for d, s in some.items())
    measures = ["AP", "nDCG@10", "P@1"]
    mapped, lines = evaluate(QRELS, RUN, measures), evaluate(qrels.encode(), run.encode(), measures)
    assert mapped.values.tolist() == lines.values.tolist()
    assert [tuple(result[:2]) for result in read_run(RUN)] == [("q1", "d2"), ("q1", "d1"), ("q2", "d3")]


def test_whole_numbers_are_grades_and_fractions_scores() -> None:
    """The kind follows from the numbers unless it is given."""
    assert "judgments: 2 topics" in str(check(QRELS))
    assert "a run of documents" in str(check(RUN))
    assert len(read_run(QRELS)) == 3
    assert len(read_judgments(b'{"q1": {}, "q2": {"d": 1}}')) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"q": {"d": 0.5, "d": 0.7}}', "found the key 'd' twice"),
        (b'{"q": {"d": 0.5, "e": "x"}}', 'found score "x" of document e for topic q, expected a number'),
        (b'{"q": {"d": 0.5, "e": true}}', "found score true of document e for topic q, expected a number"),
        (b'{"q": {"d": 0.5}, "r": 3}', "found 3 for topic r, expected a mapping of documents"),
        (b'{"q": {"d": 0.5, "": 1}}', "found an id that is no text of document  for topic q"),
        (
            b'{"q": {"d": ' + b"9" * 400 + b"}}",
            f"found score {'9' * 59}… of document d for topic q, expected",
        ),
        (b'{"q": {"d": ' + b"9" * 5000 + b"}}", "found a number of thousands of digits, expected {topic: {"),
    ],
)
def test_damaged_mappings(data: bytes, message: str) -> None:
    """One line each, without a traceback."""
    with pytest.raises(FormatError) as caught:
        read_run(data)
    assert str(caught.value).startswith(f"<bytes>: {message}")


def test_the_line_of_broken_json() -> None:
    """It is the line in which the object cannot go on."""
    with pytest.raises(
        FormatError, match=r"^<bytes>:2: found JSON that is broken here .*, expected \{topic: \{"
    ):
        read_run(b'{"q": {"d": 0.5,\n "e"')


def test_records_that_begin_with_metadata() -> None:
    """An object is not a mapping of topics if it has other values than mappings under known keys."""
    line = b'{"metadata": {"page": 3, "source": "A"}, "topic": "1", "start": 4, "end": 9}\n'
    assert read_run(line)[0][:4] == ("1", "A", 4, 9)
    assert read_judgments(line).highlights("1") == [("A", 4, 9)]


@pytest.mark.parametrize("grade", [b"9" * 400, b"9" * 5000, b"-" + b"9" * 400])
def test_grades_of_many_digits(grade: bytes) -> None:
    """They are faults, not a crash."""
    with pytest.raises(FormatError, match=r"found (grade -?99|a number of thousands of digits)"):
        read_judgments(b'{"q": {"d": ' + grade + b"}}")


def test_infinite_scores_are_numbers_here_as_in_lines() -> None:
    """A number is read alike everywhere."""
    mapped = read_run(b'{"q": {"d": 1e999, "e": 1.5}}', format="mapping")
    lines = read_run(b'{"topic": "q", "document": "d", "score": 1e999}\n')
    assert mapped.score[0] == lines.score[0] == float("inf")


def test_grades_are_whole() -> None:
    """A fraction is no grade."""
    with pytest.raises(
        FormatError,
        match=r"found grade 0.5 of document e for topic q, expected a whole number, or one of relevant, yes",
    ):
        read_judgments(b'{"q": {"d": 1, "e": 0.5}}', format="mapping")


def test_grades_in_words() -> None:
    """They mean the same as in Python; another word is a fault, and no run has any."""
    given = {"1": {"A": "relevant", "B": "no"}}
    for judged in (json.dumps(given).encode(), given):
        assert read_judgments(judged).grades.tolist() == [1, 0]  # type: ignore[union-attr]
    with pytest.raises(ExcerptError, match='found grade "maybe" of document A for topic 1, expected a whole'):
        read_judgments(b'{"1": {"B": "yes", "A": "maybe"}}')
    with pytest.raises(ExcerptError):
        read_run(json.dumps(given).encode())
