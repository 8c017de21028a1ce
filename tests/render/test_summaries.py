"""A campaign on a terminal."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.judged_campaign import OTHER, RUN, judged_campaign
from support.small_campaign import Clock, small_campaign

import excerpt
from excerpt import ExcerptError, Result, Run, ScoreTable, gate
from excerpt.assess.agreement import measure_agreement
from excerpt.assess.progress import CampaignProgress, status
from excerpt.model.judgments import Question
from excerpt.pooling import read_pool
from excerpt.render.summaries import agreement_text, duration, status_text
from excerpt.render.tables import Look, show
from excerpt.scores.score_views import ScoreView


def test_progress(tmp_path: Path) -> None:
    """A sentence, then topics, then assessors."""
    with judged_campaign(tmp_path / "c", title="Rents", clock=(clock := Clock())) as campaign:
        text = status_text(CampaignProgress(status(campaign, now=clock.now)))
    assert text.startswith(
        "Rents (inex2007)\n\n3 of 8 documents finished, 1 in progress, 4 to do; "
        "3 s per document without pauses\n"
    )
    assert "7      Who pays the rent?      4         2            0      2        0\n" in text
    assert "ann           8         3            0      5        0" in text


def test_cautions_and_names_are_escaped(tmp_path: Path) -> None:
    """Names of assessors and titles are data."""
    found = {
        "title": "a\x1b[31m", "procedure": "inex2007", "seconds_per_document": None, "finish": "2026-12-01",
        "documents": {"total": 1, "done": 0, "open": 1, "todo": 0, "stale": 1}, "cautions": ["x\x07 is fast"],
        "topics": [], "assessors": [],
    }  # fmt: skip
    text = status_text(CampaignProgress(found))
    assert "\x1b" not in text
    assert "warning: x\\x07 is fast\n" in text
    assert "1 in progress (1 for over a day), 0 to do\n" in text
    assert "at this pace all documents will be finished on 2026-12-01" in text


def test_agreement(tmp_path: Path) -> None:
    """Numbers with their intervals, the rankings and what turned."""
    with judged_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign, [RUN, OTHER], "MAiP")
    text = agreement_text(found, Look(digits=2))
    assert text.startswith("1 document finished by two or more assessors; 95 % bootstrap intervals\n")
    lines = [line.split() for line in text.splitlines()]
    assert [
        "ann,",
        "bob",
        "character",
        "1",
        "0",
        "0.29",
        "-",
        "0.44",
        "-",
        "0.35",
        "-",
        "0.35",
        "-",
        "0.84",
    ] in lines
    assert "rankings of the runs by the judgments of each assessor" in text
    assert "machine" not in text


def test_runs_that_turn_are_named(tmp_path: Path) -> None:
    """The first few of them."""
    with judged_campaign(tmp_path / "c") as campaign:
        found = measure_agreement(campaign, [RUN, OTHER], "MAiP")
    row = {**found.rankings[0], "turned": 4, "pairs": [[f"r{n}", "s"] for n in range(4)]}
    text = agreement_text(type(found)(found.rows, (), (row,), (), found.record))
    assert "r0 > s; r1 > s; r2 > s; and 1 more" in text


def test_the_machine_is_explained(tmp_path: Path) -> None:
    """A note below the table says what was compared."""
    from support.judged_campaign import judge

    line = b'{"topic": "7", "document": "a", "start": 0, "end": 8, "model": "m-1", "prompt": "p"}\n'
    with small_campaign(tmp_path / "c", suggestions=line, control=0) as campaign:
        campaign.add_person("ann")
        judge(campaign, "ann", (0, 4))
        text = agreement_text(measure_agreement(campaign))
    assert "ann       m-1    not shown  character" in text
    assert "not shown: documents whose suggestions the assessor did not open\n" in text


def test_durations() -> None:
    """From seconds to hours."""
    assert [duration(seconds) for seconds in (0, 59.4, 60, 3599, 3600)] == [
        "0 s", "59 s", "1:00 min", "59:59 min", "1:00 h"
    ]  # fmt: skip


SHOWN = """\
4 documents on 1 topic (depth 1, sample 0.9, order pool, seed 1)

topic  documents  depth  sample
-------------------------------
1      4          2      2
all    4          2      2

run  documents  unique  judged@1
--------------------------------
a    1          1         1.0000
b    1          1         1.0000

   documents in common  1  2
----------------------------
1  a                    1  0
2  b                    0  1
"""


def test_three_tables() -> None:
    """Topics with their strata, runs, and what they share."""
    runs = [
        Run.of(name, [Result("1", letter, 0, 9) for letter in by]) for name, by in (("a", "ABC"), ("b", "BD"))
    ]
    assert f"{excerpt.pool(runs, depth=1, sample=0.9).info()}\n" == SHOWN


def test_names_are_data() -> None:
    """Control characters of files are visible; without runs there is one table, without strata no columns."""
    info = read_pool(b"topic\tdocument\n\x1b[31m1\tA\n").info()
    assert str(info) == (
        "1 document on 1 topic\n\ntopic      documents\n--------------------\n\\x1b[31m1  1\nall        1"
    )


HOSTILE = "<script>|\x1b[31m\n*Who*?" + 200 * "x"
BEFORE = ScoreTable.from_scores({("ma|in", str(topic), "AiP"): 0.5 for topic in range(12)})
AFTER = replace(
    ScoreTable.from_scores({("<new>", str(topic), "AiP"): topic / 40 for topic in range(12)}),
    questions={"0": Question("0", HOSTILE)},
    warnings=("a <doubt>",),
)
FOUND = gate(BEFORE, AFTER, questions=2)


def test_text() -> None:
    """A row per measure, the verdict, the questions."""
    lines = str(FOUND).splitlines()
    assert lines[0].split() == ["measure", "before", "after", "difference", "p", "verdict"]
    assert lines[2].split()[:3] == ["AiP", "0.5000", "0.1375"]
    assert lines[2].endswith("worse")
    assert lines[4].startswith("failed: <new> is worse by AiP than ma|in (a drop of more than 0.01,")
    assert lines[5] == "warning: a <doubt>"
    assert lines[7] == "AiP: questions that lost most (2 of 12 that lost at least 0.01)"
    assert lines[9].split() == ["topic", "question", "before", "after", "difference"]
    assert lines[11].startswith("0      <script>|\\x1b[31m\\n*Who*?xxx")
    assert len(lines[11]) < 160


def test_markdown_for_a_comment() -> None:
    """The verdict first; content of files is no markup, also in HTML."""
    text = FOUND.to_markdown()
    assert text.startswith("**failed: \\<new> is worse by AiP than ma\\|in (a drop")
    assert "\n| AiP | 0.5000 |" in text
    assert (
        "<summary>AiP: questions that lost most (2 of 12 that lost at least 0.01)</summary>\n\n| topic |"
        in text
    )
    assert "<script>" not in text.replace("\\<script>", "")
    assert text.count("<details>") == text.count("</details>") == 1
    named = gate(replace(BEFORE, measures=("<b>",)), replace(AFTER, measures=("<b>",))).to_markdown()
    assert "<summary>&lt;b&gt;: questions" in named


def test_notebook() -> None:
    """Verdict, rows, questions, warnings."""
    shown = FOUND._repr_html_()
    assert shown.startswith("<p><b>failed: &lt;new&gt; is worse by AiP")
    assert shown.endswith("<p>warning: a &lt;doubt&gt;</p>\n")
    assert "<script>" not in shown


@pytest.mark.parametrize("format_", ["table", "markdown", "html"])
def test_notes_are_said(format_: str) -> None:
    """A note on too few questions is in every format."""
    few = ScoreTable.from_scores({("r", str(topic), "AiP"): score for topic, score in enumerate((0, 1, 0.5))})
    turned = replace(few, values=few.values[:, ::-1])
    assert "AiP: 3 questions are too few to detect a drop of 0.01" in show(gate(few, turned), format_)


TABLE = ScoreTable(
    runs=("one", "two\t\x1b"),
    files=("", ""),
    topics=("1", "2"),
    measures=("AP", "iP[0.01]"),
    values=np.array([[[0.5, 0.25], [math.nan, 1.0]], [[0.0, math.nan], [math.nan, math.nan]]]),
)


def test_runs_one_after_the_other() -> None:
    """Each begins with its name; what a topic has no score for has no line, and a mean may be missing."""
    assert show(ScoreView(TABLE, per_topic=True), "trec").splitlines() == [
        "runid\tall\tone",
        "AP\t1\t0.5000",
        "iP[0.01]\t1\t0.2500",
        "iP[0.01]\t2\t1.0000",
        "AP\tall\t0.5000",
        "iP[0.01]\tall\t0.6250",
        "runid\tall\ttwo\\t\\x1b",
        "AP\t1\t0.0000",
        "AP\tall\t0.0000",
        "iP[0.01]\tall\tnan",
    ]


def test_one_run_has_its_scores_only() -> None:
    """So that every line is measure, topic and number."""
    alone = ScoreTable.from_scores({("r", "1", "AP"): 1 / 3})
    assert show(alone, "trec", Look(digits=6)) == "AP\tall\t0.333333\n"


def test_what_has_no_place_there() -> None:
    """Intervals and groups are refused rather than left out."""
    with pytest.raises(ExcerptError, match="lines of trec_eval cannot show intervals"):
        show(ScoreView(TABLE, interval=0.95), "trec")
