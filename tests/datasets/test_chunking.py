"""chunking_evaluation: a table with references in JSON."""

from __future__ import annotations

import pytest
from support.gold_files import faults, gold_file, sample_text

from excerpt.gold.quote_rows import kind_of
from excerpt.gold.quote_rows import read_benchmark as read

SAMPLE = sample_text("chunking-evaluation")


def test_questions_and_evidence() -> None:
    """Questions are numbered; the group of each is its document."""
    file = gold_file(SAMPLE)
    gold = read(file)
    assert [
        (one.topic, one.document, one.start, one.end, one.quote, one.item.line) for one in gold.evidence
    ] == [
        ("1", "one", 16, 22, "in May", 2),
        ("2", "one", 24, 37, "No subletting", 3),
        ("2", "one", 0, 8, "The rent", 3),
    ]
    assert gold.questions["1"] == ("1", "When is the rent due, and where?", "one", "")
    assert gold.judged == []  # evidence is judged
    assert (faults(file), file.unknown) == ([], set())


def test_columns_in_any_order_and_others() -> None:
    """The first row says which columns there are."""
    file = gold_file('\ufeff"corpus_id",question,references,n\na,?,"[]",1\n'.lstrip("\ufeff"))
    kind = kind_of(file)
    assert kind is not None
    assert kind.name == "chunking-evaluation"
    assert read(file).judged == [("1", "a")]
    assert file.unknown == {"n"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("?,[{,a", 'found references "[{", expected a list'),
        ("?,7,a", 'found references "7", expected a list'),
        ("?,[1],a", 'found references "[1]", expected a list'),
        ('?,"[{""start_index"": -2, ""end_index"": 5}]",a', "found start_index -2, expected at least -1"),
        (
            '?,"[{""start_index"": 5, ""end_index"": 5}]",a',
            "found a start at 5 and an end at 5, expected an end after the start",
        ),
        (
            "?,[],",
            "key corpus_id is missing, expected a name or a number; the object has question, references",
        ),
        ("?,[]", "found 2 columns, expected 3 as in the first row"),
    ],
)
def test_faults(row: str, message: str) -> None:
    """Each fault is one message with its line."""
    file = gold_file(f"question,references,corpus_id\n{row}\n")
    read(file)
    assert faults(file)[0] == f"f:2: {message}"


def test_references_without_offsets() -> None:
    """Are located by their text, like quotes of other gold."""
    file = gold_file('question,references,corpus_id\n?,"[{""content"": ""in May""}]",a\n')
    assert [(one.document, one.start, one.quote) for one in read(file).evidence] == [("a", -1, "in May")]
    assert faults(file) == []
