"""What a gate says, as data."""

from __future__ import annotations

import json

from excerpt import ScoreTable, gate
from excerpt.render.tables import show

BEFORE = ScoreTable.from_scores({("main", str(topic), "AiP"): 0.5 for topic in range(12)})
AFTER = ScoreTable.from_scores({("new", str(topic), "AiP"): topic / 40 for topic in range(12)})


def test_json() -> None:
    """Everything that decided, each measure, and the questions that lost and won most."""
    found = gate(BEFORE, AFTER, questions=2, samples=500, seed=7).to_dict()
    json.dumps(found, allow_nan=False)
    assert [found[name] for name in ("verdict", "worse", "baseline", "run")] == ["worse", True, "main", "new"]
    settings = {"max_drop": 0.01, "alpha": 0.05, "test": "bootstrap", "samples": 500, "seed": 7}
    assert {name: found[name] for name in settings} == settings
    (row,) = found["measures"]
    assert (row["measure"], row["before"], row["verdict"], row["topics"]) == ("AiP", 0.5, "worse", 12)
    assert row["interval"][0] < row["difference"] < row["interval"][1] < 0
    assert [change["topic"] for change in found["lost"]] == ["0", "1"]
    assert found["won"] == []


def test_rows_for_programs() -> None:
    """CSV has a row per measure, and a column per number."""
    lines = show(gate(BEFORE, AFTER), "csv").splitlines()
    assert lines[0] == "measure,before,after,difference,difference low,difference high,p,verdict"
    assert len(lines) == 2


def test_one_note_for_all_measures_that_share_it() -> None:
    """Whatever their number, what is known of all is said once."""
    same = {
        ("main", str(topic), name): 0.5 for topic in range(5) for name in ("AiP", "charR", "charP", "hit")
    }
    (note,) = gate(ScoreTable.from_scores(same), ScoreTable.from_scores(same)).notes()
    assert note.startswith("AiP, charR, charP and 1 more: no question changed, ")


def test_one_line() -> None:
    """Who is worse than whom, by what; a run beside its own past has one name."""
    assert gate(BEFORE, AFTER, alpha=0.01, test="sign").said == (
        "new is worse by AiP than main (a drop of more than 0.01, sign test, alpha 0.01)"
    )
    assert gate(BEFORE, BEFORE).said.startswith("main is not worse than before (")
    assert repr(gate(BEFORE, AFTER)) == "<Gate: worse by 1 measure>"
