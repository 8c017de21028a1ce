"""An explanation as data: JSON, rows, data frames."""

from __future__ import annotations

import json

from explained import CHUNKS, OTHER, explained


def test_json_has_counts_reasons_and_questions() -> None:
    """Keys of other runs and of chunks only where there are any."""
    data = explained().to_dict()
    assert json.loads(json.dumps(data)) == data
    assert list(data) == ["run", "measure", "cutoff", "mean", "counts", "reasons", "questions", "warnings"]
    assert data["counts"] == {"questions": 3, "failing": 2, "passages": 5, "missed": 4}
    question = data["questions"][0]
    assert (question["topic"], question["text"], question["score"]) == (
        "q2",
        "When was the roof mended?",
        0.0,
    )
    assert question["missed"][0] == {
        "document": "notes",
        "start": 0,
        "end": 27,
        "reason": "document not found",
        "rank": None,
        "characters": 22,
        "found": 0,
        "text": "The roof was mended in May.",
        "before": "",
        "after": "",
    }
    assert question["returned"][0]["text"] == "The landlord mends the roof."
    assert explained("recall@2").to_dict()["aliases"] == {"recall@2": "charR@2"}
    more = explained(against=OTHER, chunks=CHUNKS).to_dict()
    assert (more["against"], more["only_against"], more["only_run"]) == ("other", 2, 1)
    missed = more["questions"][0]["missed"][0]
    assert (missed["chunks"], missed["largest"], missed["other"]) == (0, 0, True)


def test_one_row_for_each_missed_passage() -> None:
    """As a data frame, too; ranks are whole numbers or missing."""
    frame = explained().to_pandas()
    assert frame["reason"].value_counts().to_dict()["document not found"] == 2
    assert frame["rank"].tolist()[1] == 3
    assert str(frame["rank"].dtype) == "Int64"
    assert list(explained(against=OTHER).to_pandas().columns[-2:]) == ["against", "found_against"]
    assert len(explained("charR@9", worst=0).to_pandas()) == 0


def test_repr_is_one_line() -> None:
    """Run, measure and how much was missed."""
    assert repr(explained()) == "<Explanation of 'mine' by charR@2: 4 of 5 passages missed>"
