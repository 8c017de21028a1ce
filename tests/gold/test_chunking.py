"""chunking_evaluation: a table with references in JSON."""

from __future__ import annotations

import pytest
from gold_files import faults, gold_file, sample_text

from excerpt.gold.kinds import kind_of
from excerpt.gold.kinds import read_chunking as read

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
    assert gold.judged == [("1", "one"), ("2", "one")]
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
        ("?,[{,a", "found references that are no JSON list, expected [{content, start_index, end_index}, …]"),
        ("?,7,a", "found references that are no JSON list, expected [{content, start_index, end_index}, …]"),
        ("?,[1],a", "found 1 in references, expected objects"),
        ('?,"[{""start_index"": -1, ""end_index"": 5}]",a', "found start_index -1, expected at least 0"),
        (
            '?,"[{""start_index"": 5, ""end_index"": 5}]",a',
            "found start_index 5 and end_index 5, expected an end after the start",
        ),
        (
            '?,"[{""content"": ""x""}]",a',
            "key start_index is missing, expected a whole number; the object has content",
        ),
        ("?,[],", 'found corpus_id "", expected a name or a number'),
        ("?,[]", "found 2 columns, expected 3 as in the first row"),
    ],
)
def test_faults(row: str, message: str) -> None:
    """Each fault is one message with its line."""
    file = gold_file(f"question,references,corpus_id\n{row}\n")
    read(file)
    assert faults(file)[0] == f"f:2: {message}"
