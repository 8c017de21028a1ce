"""A campaign on a terminal."""

from __future__ import annotations

from pathlib import Path

from judged_campaign import OTHER, RUN, judged_campaign
from small_campaign import Clock, small_campaign

from excerpt.assess.agreement import measure_agreement
from excerpt.assess.progress import Progress, status
from excerpt.render.campaigns import agreement_text, duration, status_text
from excerpt.render.tables import Look


def test_progress(tmp_path: Path) -> None:
    """A sentence, then topics, then assessors."""
    with judged_campaign(tmp_path / "c", title="Rents", clock=(clock := Clock())) as campaign:
        text = status_text(Progress(status(campaign, now=clock.now)))
    assert text.startswith(
        "Rents (inex2007)\n\n3 of 8 documents done, 1 open, 4 to do; 3 s per document without pauses\n"
    )
    assert "7      Who pays the rent?      4     2     0      2     0\n" in text
    assert "ann           8     3     0      5     0" in text


def test_cautions_and_names_are_escaped(tmp_path: Path) -> None:
    """What people are called, and titles, are data."""
    found = {
        "title": "a\x1b[31m", "procedure": "inex2007", "seconds_per_document": None, "finish": "2026-12-01",
        "documents": {"total": 1, "done": 0, "open": 1, "todo": 0, "stale": 1}, "cautions": ["x\x07 is fast"],
        "topics": [], "assessors": [],
    }  # fmt: skip
    text = status_text(Progress(found))
    assert "\x1b" not in text
    assert "caution: x\\x07 is fast\n" in text
    assert "1 open (1 for over a day), 0 to do; - per document" in text
    assert "at this pace all will be done on 2026-12-01" in text


def test_agreement(tmp_path: Path) -> None:
    """Numbers with their intervals, the rankings and what turned."""
    with judged_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign, [RUN, OTHER], "MAiP")
    text = agreement_text(found, Look(digits=2))
    assert text.startswith(
        "1 document finished by two or more assessors; intervals hold 95 of 100 resamples\n"
    )
    lines = [line.split() for line in text.splitlines()]
    assert ["ann,", "bob", "character", "1", "0", "0.29", "-", "0.44", "-", "0.35", "-", "0.84"] in lines
    assert "rankings of the runs by either's judgments" in text
    assert "machine" not in text


def test_runs_that_turn_are_named(tmp_path: Path) -> None:
    """The first few of them."""
    with judged_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign, [RUN, OTHER], "MAiP")
    row = {**found.rankings[0], "turned": 4, "pairs": [[f"r{n}", "s"] for n in range(4)]}
    text = agreement_text(type(found)(found.rows, (), (row,), (), found.record))
    assert "r0 > s; r1 > s; r2 > s; and 1 more" in text


def test_the_machine_is_explained(tmp_path: Path) -> None:
    """What was compared is said below the table."""
    from judged_campaign import judge

    line = b'{"topic": "7", "document": "a", "start": 0, "end": 8, "model": "m-1", "prompt": "p"}\n'
    with small_campaign(tmp_path / "c", suggestions=line, control=0) as campaign:
        campaign.add_person("ann")
        judge(campaign, "ann", (0, 4))
        text = agreement_text(measure_agreement(campaign))
    assert "ann       m-1    not shown  character" in text
    assert "not shown: suggestions that the assessor did not ask for\n" in text


def test_durations() -> None:
    """From seconds to hours."""
    assert [duration(seconds) for seconds in (0, 59.4, 60, 3599, 3600)] == [
        "0 s", "59 s", "1:00 min", "59:59 min", "1:00 h"
    ]  # fmt: skip
